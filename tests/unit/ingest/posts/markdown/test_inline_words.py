import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.ingest.posts.document import read_document
from blog_search_mcp.ingest.posts.markdown.inline import strip_markup


def words_of(markdown: str) -> str:
    return strip_markup(read_document(markdown.encode(), "a.md").body.text)


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("# A *first* heading\n\nA **bold** ~~word~~.", "A first heading\nA bold word."),
        ("Setext\n======\n\n> quoted\n> text", "Setext\nquoted text"),
        ("- one\n- two\n  - three\n\n1. four", "one\ntwo\nthree\nfour"),
        ('See [the *docs*](https://x.y/z "t").', "See the docs."),
        ("See [`Vec`][vec] and [the docs][] here.", "See Vec and the docs here."),
        ("![a *chart*](x.png) and ![alt][ref]", "a chart and alt"),
        ("<https://example.com>", "https://example.com"),
        ("a\\*b &amp; c &lt;d&gt;", "a*b & c <d>"),
        ("| a | **b** |\n|---|---|\n| `c\\|` | [d](e) |", "a b\nc| d"),
        ("one\n\n---\n\ntwo", "one\ntwo"),
        ("hard  \nbreak and\nsoft", "hard break and soft"),
        ("中文的\n換行，沒有\n空格 and\nEnglish", "中文的換行，沒有空格 and English"),
        ("한국어 줄\n바꿈", "한국어 줄 바꿈"),
        ("a[i][j] is an element", "a[i][j] is an element"),
        ("[ ] open\n[x] done", "[ ] open [x] done"),
        (" \n\n\t\n", ""),
    ],
)
def test_markdown_is_taken_off_and_words_stay(markdown: str, expected: str) -> None:
    assert strip_markup(markdown) == expected


@given(st.lists(st.text("abc 字詞", min_size=1), max_size=8))
@settings(max_examples=50)
def test_text_without_markup_keeps_every_word(paragraphs: list[str]) -> None:
    words = strip_markup("\n\n".join(paragraph.strip() for paragraph in paragraphs))
    assert words.split() == " ".join(paragraphs).split()


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("```python\nx = 1\n\n    y = [[a|b]]\n```", "x = 1\n\n    y = [[a|b]]"),
        ("~~~\n# no heading {{ x }}\n~~~", "# no heading {{ x }}"),
        ("text\n\n    {% raw %}\n    <b>", "text\n{% raw %}\n<b>"),
        ("use `{{ page.url }}` and ``a`[[b]]`` here", "use {{ page.url }} and a`[[b]] here"),
        ("```\nnever closed\n# here", "never closed\n# here"),
        ("`[^1]` but not[^1] `data:a/b;base64,QUFB`", "[^1] but not data:a/b;base64,QUFB"),
        ("`<A b={c}>` and `import x from 'y'`", "<A b={c}> and import x from 'y'"),
        ("{% highlight js %}\n# *x* {{ y }}\n\n  z\n{% endhighlight %}", "# *x* {{ y }}\n\n  z"),
        ("- a\n\n  {{< highlight go >}}\n  # b\n  {{< /highlight >}}", "a\n# b"),
        ("{% highlight js %}\n# x\n\n{% highlight js %}\ny", "x\ny"),
    ],
)
def test_code_is_kept_to_the_letter(markdown: str, expected: str) -> None:
    assert strip_markup(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ('<div class="a > b">\ninside &amp; out\n</div>', "inside & out"),
        ("before <!-- hidden --> after<br/>", "before after"),
        ("<script>\nvar s = '# no';\n</script>\n\nshown <style>a{}</style>", "shown"),
        ("<Chart />\n\nOne\n\n<script async>\nd();\n\ne()\n</script>", "One"),
        ("<details><summary>More</summary>\n\nhidden *text*\n\n</details>", "More\nhidden text"),
        ('<img src="data:image/png;base64,AAAA" alt="A chart">', "A chart"),
        ("an <img alt='icon' src=x> and <img src=x> one<br>two", "an icon and one two"),
    ],
)
def test_html_leaves_its_text_alone(markdown: str, expected: str) -> None:
    assert words_of(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ('{{< figure src="a_b.png" title="A" >}}\n\ntext', "A\ntext"),
        ('{% include note.html content="Mind *this*" %}\n\nb', "Mind this\nb"),
        ("{{< a >}}{{< b c=1 />}}in{{< /a >}}", "in"),
        ("{{% notice info %}}\n**inside**\n{{% /notice %}}", "inside"),
        ('see [the post]({{< relref "kv.md" >}}) now', "see the post now"),
        ("{{</* shown */>}} {{/* a(b='c') */}}", "{{< shown >}} {{ a(b='c') }}"),
        ('{% quote(author="Ann") %}\nA **phrase**.\n{% end %}', "A phrase."),
        ("{% raw %}{{ x }}{% endraw %} {{ y }} {% raw %} unclosed", "{{ x }} unclosed"),
        ("{::comment}\nhidden\n{:/comment}\nshown{::nomarkdown}", "shown"),
        ('{{ a(caption="C d") }} {# e f #}g', "C d g"),
        ("Use {{ to open\n\nand }} to close", "Use {{ to open\nand }} to close"),
        ("{% include x.html %}{{ site.title | upcase }} text {%- if a -%}b{% endif %}", "text b"),
        ('{{raw "<"}}= 1 and {{raw `\nx := 1\n`}}', "<= 1 and x := 1"),
        ('import { Tabs } from "./tabs"\nimport "./x.css";\n\ntext', "text"),
        ("import duties from abroad rose", "import duties from abroad rose"),
        ('export const meta = { title: "M" }\nexport default Layout\n\ntext', "text"),
        ('<Tabs items={["a", "b"]}>\n\ntext {/* note */}\n\n</Tabs>', "text"),
        ('<A title="A title" caption={`C`} src="s" />', "A title C"),
        ("<A>\n\n    ```js\n    <B/>\n    ```\n\n</A>", "<B/>"),
        ("<div style={{ a: 'b' }} onClick={() => c}>\ntext\n</div>", "text"),
        ("a Vec<T> and <MyType> < b", "a Vec and < b"),
        (":::note[Mind *this*]\n\nadmonition\n\n:::", "Mind this\nadmonition"),
        ('::: {.callout-tip collapse="true" title="Mind *this*"}\ntext\n:::', "Mind this\ntext"),
        ('::alert{type="info"}\nInner **words**.\n::\n\nAfter.', "Inner words.\nAfter."),
        ("See [[Note]], [[dir/Note|shown]], [[Note#Part]].", "See Note, shown, Note Part."),
        ("![[image.png|300]] ![[a.svg]] ![[Note|shown]] [[unclosed", "shown [[unclosed"),
        ("| a |\n|---|\n| [[Note\\|shown]] |", "a\nshown"),
        ("[[Note#^a1b2c3]] [[#Part]] ==marked== a==b ^name-of-block", "Note Part marked a==b"),
        ("100%% sure, %%hidden%% and %%\n\nmore\n%%", "100%% sure, and"),
        ("> [!tip]+ A *title*\n> text\n\n> [!NOTE]\n> more", "A title\ntext\nmore"),
        ("# Heading *x* {#id .class data-y='1 2'}", "Heading x"),
        ("Setext {: #id }\n======\n\ntext\n{: .note}\n\n`a`{:.ruby}", "Setext\ntext\na"),
        (":material-check: Go :octicons-alert-16:{ .lg .x } on", "Go on"),
        ("- TOC\n{:toc}\n\n[TOC]\n\n[[_TOC_]]\n\ntext", "text"),
        ('!!! note "T"\n    a\n\n        code\n\n=== "Tab"\n    b', "T\na\ncode\nTab\nb"),
        ('!!! note "A \\"q\\" b"\n    *c*', 'A "q" b\nc'),
        ("{% katex display %}\na\n=\nb\n{% endkatex %}", "a\n=\nb"),
        ("````{tab-set}\n```{tip} T\n:class: x\nA *b*\n```\n````\n", "T\nA b"),
        ("```{figure} a.png\n:alt: x\nA *b*\n```\n\n```{r}\n:a: *b*\n```", "A b\n:a: *b*"),
        ('- a\n\n    ??? tip\n        in *it*\n\n    b\n\n!!! note ""\nc', "a\nin it\nb\nc"),
        ("Text[^1] and more[^long].\n\n[^1]: A note.", "Text and more.\nA note."),
        ("text\n\n[img]: data:image/png;base64,AAAA\n*[HTML]: Hyper `Text`", "text"),
        ("*[Note]: it is *late*.*\n\n`\n*[a]: b`", "[Note]: it is late.\n*[a]: b"),
        ("bell\x07 and \x1b[31mred\n\n\x7f", "bell and [31mred"),
        (
            '{{% details title="展開" open=false %}}\n見\n{{% /details %}}\n{{< youtube dQw >}}',
            "展開\n見",
        ),
        ("{% comment %} a\n\nb {% endcomment %}\n[it](/x){:target='_blank'}.\n{: .note }", "it."),
        (
            "{% note info %}\n請**先**備份。\n{% endnote %}\n\n見 {% post_link a '另一篇' %}。",
            "請先備份。\n見 另一篇。",
        ),
        (
            "{% blockquote Knuth, TAOCP https://x.y %}\nBeware.\n{% endblockquote %}",
            "Knuth, TAOCP\nBeware.",
        ),
        ('{% codeblock lang:js app.js %}\na.extend("*");\n{% endcodeblock %}', 'a.extend("*");'),
        (":::warning Old form\nGone soon.\n:::", "Old form\nGone soon."),
        (
            "<Tabs a={[\n  { b: 'c' },\n]}>\n  <TabItem value='m' label='macOS'>\n\n"
            "    ```bash\n    brew <Name>\n    ```\n\n  </TabItem>\n</Tabs>",
            "macOS\nbrew <Name>",
        ),
        ("<Highlight style={{ padding: '2px' }}>Green</Highlight> is{' '}fine.", "Green is fine."),
        (
            '!!! note "T"\n    ```py\n    !!! kept\n    ```\n\n![Logo](l.png){ width="3" }',
            "T\n!!! kept\nLogo",
        ),
    ],
)
def test_what_generators_and_editors_add_is_dropped(markdown: str, expected: str) -> None:
    assert words_of(markdown) == expected


OPENERS = ("`", "[", "![", "<a ", "<A {", "{{", "{{<", "{/*", "{% ", "{% raw %}", "%%", "> ", "*a_")


@pytest.mark.parametrize(
    "opener", [*OPENERS, "::a\n", "{% highlight c %}\n", '!!! a "b"\n', "^{", " ^a"]
)
def test_a_long_run_of_openers_is_read_and_loses_no_word(opener: str) -> None:
    """What takes the square of the length would take minutes."""
    assert "walrus" in words_of(f"walrus {opener * (15_000 // len(opener))} ")


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("SO~4~^2-^ and 5 km^2^, the 3^rd^", "SO42- and 5 km2, the 3rd"),
        ("P~a\\ cat~, **x**^−2^, ^14^C; ^_^ [^1][^2]", "Pa cat, x−2, 14C; ^_^"),
        ("## Fe~2~O~3~ in CO~2~", "Fe2O3 in CO2"),
        (
            "See {ref}`the *mill* <mill>`, {py:func}`grind` {x} and `{a}`",
            "See the *mill*, grind {x} and {a}",
        ),
        ("1~6 是 2001~2006，7~9 是", "1~6 是 2001~2006，7~9 是"),
        ("~10 or ~20, x^y, a ~ b ~ c, `m^2^`", "~10 or ~20, x^y, a ~ b ~ c, m^2^"),
        ("{京都|きょうと}の{食べる|た}人、{北京|běi|jīng}", "京都の食べる人、北京"),
        ("｜水車《すいしゃ》の粉屋《こなや》、《山》と{開|关}", "水車の粉屋、《山》と{開|关}"),
        ("[大麦]^(おおむぎ)と[水車]^^(すいしゃ)や[粉]{こな}", "大麦と水車や粉"),
        ("｜Mill《ミル》と|小さな粉屋《こなや》", "Millと小さな粉屋"),
        ("<ruby>水<rp>(</rp><rt>みず</rt><rp>)</rp></ruby>の<ruby>粉<rt>こな</ruby>", "水の粉"),
        ("<p><ruby>水車<rt>すいしゃ</rt></ruby>小屋</p>", "水車小屋"),
        ("    :::python\n    print(1)", "print(1)"),
        ("    #!bash\n    ls", "ls"),
        ("    #!/bin/sh\n    ls", "#!/bin/sh\nls"),
        (
            "<my-tabs>\n\t<div><b>Oak</b> lasts</div>\n    <p>long</p>\n</my-tabs>",
            "Oak lasts\nlong",
        ),
        ("<ol>\n{% for x in y %}\n    <li>Oak</li>\n{% endfor %}\n</ol>", "Oak"),
        (":::{image} a.png\n:alt: x\n:width: 5%\nThe *wheel*\n:::", "a.png\nThe wheel"),
    ],
)
def test_marks_of_one_program_leave_the_words_that_it_shows(markdown: str, expected: str) -> None:
    assert words_of(markdown) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("On [[mill/wheel|wheels]]<br/>and [[stones]]", "On wheels and stones"),
        ("==Loud== CO~2~<BR>now", "Loud CO2 now"),
        ("{水車|すいしゃ}と`<br>`と<b>粉</b>", "水車と<br>と粉"),
        ("`Vec<T>` and Vec<T>", "Vec<T> and Vec<T>"),
    ],
)
def test_a_title_is_its_words(title: str, expected: str) -> None:
    front = f"---\ntitle: '{title}'\n---\n- # Else\n"
    assert read_document(front.encode(), "a.md").post.title == expected


@pytest.mark.parametrize(
    "text",
    [
        "<h1 align='center'>The <b>mill</b></h1>",
        "<div>\n<H1>\nThe mill\n</H1>\n</div>",
        "#The mill",
    ],
)
def test_a_heading_of_html_or_without_a_blank_is_a_title(text: str) -> None:
    document = read_document(f"Words.\n\n{text}\n\n    #code\n".encode(), "a.md", reads_hashes=True)
    assert (document.post.title, document.post.tags) == ("The mill", ())
    assert "    #code" in document.body.text


@pytest.mark.parametrize("text", ["- # By hand\n\t- Plane it.\n", "> # By hand\n"])
def test_a_heading_in_an_item_is_no_title(text: str) -> None:
    assert read_document(text.encode(), "Mending it.md").post.title == "Mending it"
