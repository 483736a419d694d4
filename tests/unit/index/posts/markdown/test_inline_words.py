import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.posts.markdown.inline import strip_markup


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
        ("", ""),
        (" \n\n\t\n", ""),
    ],
)
def test_markdown_is_taken_off_and_words_stay(markdown: str, expected: str) -> None:
    assert strip_markup(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        (
            '[caption id="a_1" width="300"]<img src="b.jpg" alt="Bread" /> Rye bread[/caption]',
            "Bread Rye bread",
        ),
        ('\\[caption align=left id="a\\_1"\\]Rye\\[/caption\\] bread', "Rye bread"),
        ('One.\n\n[gallery ids="1,2"]\n\n[gallery]\n\nTwo.', "One.\nTwo."),
        ("[youtube https://y.example/v?a=b]\n\n[vimeo=https://v.example/1] x", "x"),
        (
            "[see https://y.example/v] [[embed]] ![[gallery]]",
            "[see https://y.example/v] embed gallery",
        ),
        ("[embed]https://a.example/v[/embed]", "https://a.example/v"),
        ('[su_button url="/x" title="Go on"]Press[/su_button]', "Go on Press"),
        ('[a b] [1] [x=1] m[i="x"] [/home] [a="b"]', '[a b] [1] [x=1] m[i="x"] [/home] [a="b"]'),
        ('[an a="b"](/c) and `[caption id="a"]`', 'an a="b" and [caption id="a"]'),
    ],
)
def test_shortcodes_of_wordpress_are_no_words(markdown: str, expected: str) -> None:
    assert strip_markup(markdown) == expected


@pytest.mark.parametrize(
    "markdown",
    [
        "One <style>.a{b:c}</style>two <script>d()</script>.",
        "<Chart />\n\n<style>{`.a { b: c }`}</style>\n\nOne two .",
        "<Chart />\n\nOne two .\n\n<script async>\nd();\n\ne()\n</script>",
        "<style>\n.a{b:c}\n</style>\n\nOne two .",
    ],
)
def test_scripts_and_styles_are_no_words_wherever_they_stand(markdown: str) -> None:
    assert strip_markup(markdown) == "One two ."


def test_a_script_that_never_ends_is_as_it_was() -> None:
    assert strip_markup("One <style>two `<script>`") == "One two <script>"


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("```python\nx = 1\n\n    y = [[a|b]]\n```", "x = 1\n\n    y = [[a|b]]"),
        ("~~~\n# no heading {{ x }}\n~~~", "# no heading {{ x }}"),
        ("text\n\n    {% raw %}\n    <b>", "text\n{% raw %}\n<b>"),
        ("use `{{ page.url }}` and ``a`[[b]]`` here", "use {{ page.url }} and a`[[b]] here"),
        ("- item\n\n  ```sh\n  make :::note\n  ```", "item\nmake :::note"),
        ("```\nnever closed\n# here", "never closed\n# here"),
        ("`[^1]` but not[^1] `data:a/b;base64,QUFB`", "[^1] but not data:a/b;base64,QUFB"),
    ],
)
def test_code_is_kept_to_the_letter(markdown: str, expected: str) -> None:
    assert strip_markup(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("a <b>bold</b> word<br/>", "a bold word"),
        ('<div class="a > b">\ninside &amp; out\n</div>', "inside & out"),
        ("before <!-- hidden --> after", "before after"),
        ("<!-- hidden\n\nstill -->\n\nshown", "shown"),
        ("<script>\nvar s = '# no';\n</script>\n\nshown", "shown"),
        ("<style>h1 { }</style>\n\nshown", "shown"),
        ("<details><summary>More</summary>\n\nhidden *text*\n\n</details>", "More\nhidden text"),
        ('<img src="data:image/png;base64,AAAA" alt="A chart">', "A chart"),
        ("an <img alt='icon' src=x> and <img src=x>", "an icon and"),
        ("one<br>two", "one two"),
    ],
)
def test_html_leaves_its_text_alone(markdown: str, expected: str) -> None:
    assert strip_markup(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ('```{r}\n#| echo: false\n#| fig-cap: "Ozone."\n1 + 1\n```', "Ozone.\n1 + 1"),
        ("```{r}\n#| fig-cap: |\n#|   Ozone.\n1 + 1\n```", "1 + 1"),
        ("```{mermaid}\n%%| label: fig-a\nflowchart LR\n```", "flowchart LR"),
        ("```{ojs}\n//| code-fold: true\nx = 1 #| y\n```", "x = 1 #| y"),
        ("```r\n#| echo: false\n1\n```", "#| echo: false\n1"),
        ('[red *words*]{style="color: red"} and [a]{b}', "red words and [a]{b}"),
    ],
)
def test_options_of_quarto_s_cells_and_spans_are_no_words(markdown: str, expected: str) -> None:
    assert strip_markup(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ('::alert{type="info"}\nInner **words**.\n::\n\nAfter.', "Inner words.\nAfter."),
        ("::card\nOuter\n  :::inner\n  Deep\n  :::\n::", "Outer\nDeep"),
        ('A :badge[New thing]{type="warning"}, :icon{name="x"} here.', "A New thing, here."),
        ("::before\n\nis one, a::b and :a[b] too", "::before\nis one, a::b and :a[b] too"),
        ("`::card`\n\n```\n::card\n::\n```", "::card\n::card\n::"),
    ],
)
def test_components_of_nuxt_leave_their_words(markdown: str, expected: str) -> None:
    assert strip_markup(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("One\n@[youtube](Ap-X)\ntwo\n\n@[card](https://a.example/)", "One two"),
        ("@[code{1-3} js](../a.js)\n\n- @[ann](b)", "@ann"),
        ("%[https://a.example/v]\n\n`%[b]` 5 %[c d]", "%[b] 5 %[c d]"),
        ("![圖](a.png =250x) ![b](c.png =x20) ![d](e.png  =1x2 )", "圖 b d"),
        ("f(x =3x) and [a](b =3x)", "f(x =3x) and [a](b =3x)"),
        (":::message alert\n注意\n:::\n\n:::note info\n補足\n:::", "注意\n補足"),
        (":::details Alert words\nx\n:::", "Alert words\nx"),
        ("<<< @/snippets/a.js{2}\n\n<<< ./b.ts#part\n\ncat <<< word", "cat <<< word"),
    ],
)
def test_what_platforms_embed_is_no_word(markdown: str, expected: str) -> None:
    assert strip_markup(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ('{{< figure src="a_b.png" title="A" >}}\n\ntext', "A\ntext"),
        ('{% include note.html content="Mind *this*" %}\n\nb', "Mind this\nb"),
        ('{{< box content="Mind" context="c" >}} # <Badge text="new" />', "Mind #"),
        ('{{< box\n  a="1"\n\n  caption="C"\n/>}}\ntext', "C\ntext"),
        ("{{< a >}}{{< b c=1 />}}in{{< /a >}}", "in"),
        ("{{% notice info %}}\n**inside**\n{{% /notice %}}", "inside"),
        ('see [the post]({{< relref "kv.md" >}}) now', "see the post now"),
        ("{{</* shown */>}} {{%/* shown */%}}", "{{< shown >}} {{% shown %}}"),
        ("{% raw %}{{ x }}{% endraw %} {{ y }} {% raw %} unclosed", "{{ x }} unclosed"),
        ("{% raw %}\n\n```\n{{ x }}\n```\n\n{% endraw %}", "{{ x }}"),
        ("a{% comment %}b\n\nc{% endcomment %}d", "ad"),
        ("{::comment}\nhidden\n{:/comment}\nshown{::nomarkdown}", "shown"),
        ("{% highlight js %}*x*{% endhighlight %}", "*x*"),
        (
            "{% highlight js %}\n# *x* {{ y }}\n\n    z\n{% endhighlight %}",
            "# *x* {{ y }}\n\n    z",
        ),
        ("- a\n\n  {{< highlight go >}}\n  # b\n  {{< /highlight >}}", "a\n# b"),
        ('{{ a(caption="C d") }} {# e\n f #}g', "C d g"),
        ("Use {{ to open\n\nand }} to close", "Use {{ to open\nand }} to close"),
        ("{% include x.html %}{{ site.title | upcase }} text {%- if a -%}b{% endif %}", "text b"),
        ('{{raw "<"}}= 1 and {{raw `\nx := 1\n`}}', "<= 1 and x := 1"),
        ('import { Tabs } from "./tabs"\nimport "./x.css";\n\ntext', "text"),
        ("import duties from abroad rose", "import duties from abroad rose"),
        ('export const meta = { title: "M" }\nexport default Layout\n\ntext', "text"),
        ('<Tabs items={["a", "b"]}>\n\ntext {/* note */}\n\n</Tabs>', "text"),
        (":::note[Mind *this*]\n\nadmonition\n\n:::", "Mind this\nadmonition"),
        ("::: warning\ntext\n:::", "text"),
        ('::: {.callout-tip collapse="true" title="Mind *this*"}\ntext\n:::', "Mind this\ntext"),
        ("See [[Note]], [[dir/Note|shown]], [[Note#Part]].", "See Note, shown, Note Part."),
        ("![[image.png|300]] ![[a.svg]] ![[Note|shown]] [[unclosed", "shown [[unclosed"),
        ("| a |\n|---|\n| [[Note\\|shown]] |", "a\nshown"),
        ("[[Note#^a1b2c3]] [[#Part]] ==marked== a==b ^name-of-block", "Note Part marked a==b"),
        ("100%% sure, %%hidden%% and %%\n\nmore\n%%", "100%% sure, and"),
        ("> [!tip]+ A *title*\n> text\n\n> [!NOTE]\n> more", "A title\ntext\nmore"),
        ("# Heading *x* {#id .class data-y='1 2'}", "Heading x"),
        ("Setext {: #id }\n======\n\ntext\n{: .note}\n\n`a`{:.ruby}", "Setext\ntext\na"),
        ("@[TOC](目錄)\n\n@[toc]\n\n[toc](a)", "toc"),
        ("[comment]: <> (hidden)\n\n<>text</>", "text"),
        (":material-check: Go :octicons-alert-16:{ .lg .x } on", "Go on"),
        (":smile: `:simple-git:` 1:simple-2", ":smile: :simple-git: 1:simple-2"),
        ("[*Small* words]{.smallcaps}, [x]{#a .b} m[i]{.c}", "Small words, x m[i]"),
        ("[ok] [a]{b} `[a]{.b}` ![i]{.c} [^1]{.d}", "[ok] [a]{b} [a]{.b} ![i]"),
        ('{:refdef: style="text-align: center;"}\n![A](b)\n{: refdef}\n\n{:ok}', "A\n{:ok}"),
        ("- TOC\n{:toc}\n\n[TOC]\n\n[[_TOC_]]\n\ntext", "text"),
        ("{a, b} {:ok, x} {#each} $\\frac{a.b}{c}$", "{a, b} {:ok, x} {#each} $\\frac{a.b}{c}$"),
        ("::: {.tip} A title\n- x\n:::\n\n::video[V]{#id}", "A title\nx"),
        ('!!! note "T"\n    a\n\n        code\n\n=== "Tab"\n    b', "T\na\ncode\nTab\nb"),
        ("Title\n=== \n\n!!! \n", "Title\n!!!"),
    ],
)
def test_what_generators_and_editors_add_is_dropped(markdown: str, expected: str) -> None:
    assert strip_markup(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("<A b={() => x}\n  c={{ d: {e: 1} }}\n>\ninside *a*\n</A>", "inside a"),
        ("<A>\n\n    ```js\n    <B/>\n    ```\n\n</A>", "<B/>"),
        ('<A title="A title" caption={`C`} src="s" />', "A title C"),
        ('<Card\n  title="One"\n  description="Two"\n  href="/x"\n/>', "One Two"),
        ("<div style={{ a: 'b' }} onClick={() => c}>\ntext\n</div>", "text"),
        ("<A/>{props.b} {' '} {\"c\"} {d.map((e) => <li>{e}</li>)} {f}", "c {f}"),
        ("value {props.b} of no component", "value {props.b} of no component"),
        ("export const a = {\n  b: '}',\n  c: [1],\n};\n\ntext", "text"),
        ("export const a = () => {\n  b();\n\n  c();\n}\nexport const d = [\n\n  e,\n];\n\nf", "f"),
        ("export default ({ a }) => (\n  <b>\n\n  c</b>\n) // d\n\ntext", "text"),
        ("export const a = {\n  b,\n\ntext", "text"),
        ("export function A() {\n  return <b>{1}</b>\n}\n\ntext", "text"),
        ("export default settings of the year", "export default settings of the year"),
        ("import a, {\n  b,\n} from 'c'; // d\ntext", "text"),
        ("a Vec<T> and <MyType> < b", "a Vec and < b"),
        ("`<A b={c}>` and `import x from 'y'`", "<A b={c}> and import x from 'y'"),
    ],
)
def test_mdx_leaves_what_it_renders(markdown: str, expected: str) -> None:
    assert strip_markup(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("Text[^1] and more[^long].", "Text and more."),
        ("So.^[See *[a](b)*\nhere.] On", "So. (See a here.) On"),
        ("註腳^[這是註腳]在", "註腳 (這是註腳)在"),
        (
            "x^[2] (^[a b] ^[a-z ]+ `a^[b c]` a\\^[b c] a^[b `c",
            "x^[2] (^[a b] ^[a-z ]+ a^[b c] a^[b c] a^[b `c",
        ),
        ("[^1]: short\n\n[^2]: A longer note.", "short\nA longer note."),
        ('[a]: http://x.y\n[b]: <z> "title"', ""),
        ("text\n\n[img]: data:image/png;base64,AAAA", "text"),
        ("see data:image/png;base64,iVBORw0KGgo= here", "see here"),
        ("HTML.\n\n*[HTML]: Hyper `Text`\n*[W3C]: A consortium", "HTML."),
        ("*[Note]: it is *late*.*\n\n`\n*[a]: b`", "[Note]: it is late.\n*[a]: b"),
        ("bell\x07 and \x1b[31mred", "bell and [31mred"),
    ],
)
def test_what_no_reader_sees_is_dropped(markdown: str, expected: str) -> None:
    assert strip_markup(markdown) == expected


@pytest.mark.parametrize("end", ["^", "{", "{#a", "^a b"])
def test_a_million_spaces_are_one(end: str) -> None:
    """Looked through from each of them, they would take a day."""
    assert strip_markup(f"a{' ' * 1_000_000}{end}") == f"a {end}"


def test_too_many_brackets_are_read_as_text_and_lose_no_word() -> None:
    many = "![" * 3000
    assert strip_markup(f"first {many} [a *link*](x.y) last") == f"first {many} a link last"


MARKS = "` ~~~ ``` * _ [ ] ]( ) [[ ]] | ![ < > </a> <!-- --> {{ }} {% %} ::: - > # \\ [^1] ]: |---|"
PIECES = [
    *MARKS.split(),
    "\n",
    "\n\n",
    "    ",
    "word",
    "字",
    "import ",
    "{% raw %}",
    "{% endraw %}",
    "<A b={",
    "!!! note\n",
    "<script>",
    "\x00",
    "\ud800",
]


def test_a_line_of_control_characters_alone_is_none() -> None:
    assert strip_markup("\x13\n\none\n\n```\n\x01\ntwo\n```\n\n\x7f") == "one\ntwo"


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@settings(max_examples=100)
def test_any_text_gives_the_same_tidy_text_each_time(markdown: str) -> None:
    words = strip_markup(markdown)
    assert words == strip_markup(markdown)
    assert words == words.strip("\n")
    assert "\x00" not in words


@given(st.lists(st.text("abc 字詞", min_size=1), max_size=8))
@settings(max_examples=50)
def test_text_without_markup_keeps_every_word(paragraphs: list[str]) -> None:
    words = strip_markup("\n\n".join(paragraph.strip() for paragraph in paragraphs))
    assert words.split() == " ".join(paragraphs).split()


@pytest.mark.slow
@pytest.mark.parametrize(
    "opener",
    [
        "`",
        "[",
        "![",
        "<a ",
        "<A {",
        "{{",
        "{{<",
        "{/*",
        "{% ",
        "{% raw %}",
        "%%",
        "> ",
        "*a_",
        "::a\n",
    ],
)
def test_thousands_of_openers_are_read_in_seconds(opener: str) -> None:
    began = time.process_time()
    strip_markup(opener * (30_000 // len(opener)))
    assert time.process_time() - began < 5


def test_the_end_of_a_shortcode_is_looked_for_near_its_beginning() -> None:
    """Or a post of ends alone would be read once more for each of them."""
    near, far = "word " * 10, "word " * 1000
    begun = '[caption id="a"]'
    assert strip_markup(f"{begun}{near}[/caption]") == near.strip()
    assert strip_markup(f"{begun}{far}[/caption]") == f"{far.strip()} [/caption]"
