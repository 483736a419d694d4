import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.plain import plain


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
    assert plain(markdown) == expected


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
    assert plain(markdown) == expected


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
        ('<img src="data:image/png;base64,AAAA" alt="x">', ""),
    ],
)
def test_html_leaves_its_text_alone(markdown: str, expected: str) -> None:
    assert plain(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ('{{< figure src="a_b.png" title="A" >}}\n\ntext', "text"),
        ("{{% notice info %}}\n**inside**\n{{% /notice %}}", "inside"),
        ('see [the post]({{< relref "kv.md" >}}) now', "see the post now"),
        ("{{</* commented */>}}after", "after"),
        ("{% include x.html %}{{ site.title | upcase }} text {%- if a -%}b{% endif %}", "text b"),
        ('{{raw "<"}}= 1 and {{raw `\nx := 1\n`}}', "<= 1 and x := 1"),
        ('import { Tabs } from "./tabs"\nimport "./x.css";\n\ntext', "text"),
        ("import duties from abroad rose", "import duties from abroad rose"),
        ('export const meta = { title: "M" }\nexport default Layout\n\ntext', "text"),
        ('<Tabs items={["a", "b"]}>\n\ntext {/* note */}\n\n</Tabs>', "text"),
        (":::note[Mind *this*]\n\nadmonition\n\n:::", "Mind this\nadmonition"),
        ("::: warning\ntext\n:::", "text"),
        ("See [[Note]], [[dir/Note|shown]], [[Note#Part]].", "See Note, shown, Note Part."),
        ("![[image.png|300]] [[unclosed", "image.png [[unclosed"),
    ],
)
def test_what_generators_and_editors_add_is_dropped(markdown: str, expected: str) -> None:
    assert plain(markdown) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("Text[^1] and more[^long].", "Text and more."),
        ("[^1]: short\n\n[^2]: A longer note.", "short\nA longer note."),
        ('[a]: http://x.y\n[b]: <z> "title"', ""),
        ("text\n\n[img]: data:image/png;base64,AAAA", "text"),
        ("see data:image/png;base64,iVBORw0KGgo= here", "see here"),
        ("bell\x07 and \x1b[31mred", "bell and [31mred"),
    ],
)
def test_what_no_reader_sees_is_dropped(markdown: str, expected: str) -> None:
    assert plain(markdown) == expected


MARKS = "` ~~~ ``` * _ [ ] ]( ) [[ ]] | ![ < > </a> <!-- --> {{ }} {% %} ::: - > # \\ [^1] ]: |---|"
PIECES = [
    *MARKS.split(),
    "\n",
    "\n\n",
    "    ",
    "word",
    "字",
    "import ",
    "<script>",
    "\x00",
    "\ud800",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@settings(max_examples=100)
def test_any_text_gives_the_same_tidy_text_each_time(markdown: str) -> None:
    words = plain(markdown)
    assert words == plain(markdown)
    assert words == words.strip("\n")
    assert "\x00" not in words


@given(st.lists(st.text("abc 字詞", min_size=1), max_size=8))
@settings(max_examples=50)
def test_text_without_markup_keeps_every_word(paragraphs: list[str]) -> None:
    words = plain("\n\n".join(paragraph.strip() for paragraph in paragraphs))
    assert words.split() == " ".join(paragraphs).split()


@pytest.mark.parametrize("opener", ["`", "[", "![", "<a ", "{{", "{/*", "{% ", "> ", "*a_", "<!--"])
def test_thousands_of_openers_are_read_in_seconds(opener: str) -> None:
    began = time.process_time()
    plain(opener * (30_000 // len(opener)))
    assert time.process_time() - began < 5
