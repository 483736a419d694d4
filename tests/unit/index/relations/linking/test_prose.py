"""Where in a text a link may be put."""

from __future__ import annotations

import time

import pytest

from blog_search_mcp.index.relations.linking.prose import MASK, find_prose
from blog_search_mcp.index.types import Chunk

TEXT = """\
Intro *words*, see [it](it.md) and `code x`.

# Head words

- item <a href="x">link words</a> and ![a [b](c)](d.png) rest

| A b | C |
|---|---|
| cell | [linked](x) two |

```
fenced code
```

> quoted, https://example.com/page 與中文。另一句 {{< ref "x" >}} end

<div>html words</div>

A [label][c], a wrapped
line.

[c]: http://x.y
"""


def passage(text: str, line: int = 1) -> Chunk:
    return Chunk("a.md", 0, text, text, (), line, line + text.count("\n"))


def test_headings_code_links_html_and_generator_syntax_are_masked() -> None:
    prose = find_prose([passage(TEXT, 5)], "en")
    assert len(prose.masked) == len(TEXT)
    words = " ".join(prose.masked.replace(MASK, " ").split())
    assert words == (
        "Intro *words*, see and . item and rest | cell | two | "
        "> quoted, 與中文。另一句 end A , a wrapped line."
    )


def test_each_sentence_has_its_terms_at_their_place_and_line() -> None:
    prose = find_prose([passage("One fox. Two\nfoxes.", 3), passage("Third.", 6)], "en")
    found = [
        (prose.line_of(each.start), [prose.text[term.start : term.end] for term in each.terms])
        for each in prose.sentences
    ]
    assert found == [(3, ["One", "fox"]), (3, ["Two", "foxes"]), (6, ["Third"])]


def test_words_across_lines_are_linkable_but_not_across_marks_or_markup() -> None:
    prose = find_prose([passage("one\ntwo *three* four `x` five\n\n> six\n> seven")], "en")

    def is_linkable(words: str) -> bool:
        start = prose.text.index(words)
        return prose.is_linkable(start, start + len(words))

    assert is_linkable("one\ntwo")
    assert is_linkable("three")
    assert not is_linkable("three* four")
    assert not is_linkable("four `x` five")
    assert not is_linkable("six\n> seven")


@pytest.mark.slow
@pytest.mark.parametrize("opener", ["<a>", "{{ ", "{% "])
def test_thousands_of_openers_are_read_in_seconds(opener: str) -> None:
    began = time.process_time()
    find_prose([passage(opener * 40_000)], "en")
    assert time.process_time() - began < 5


def test_words_of_quotations_are_anothers_and_those_of_callouts_are_not() -> None:
    text = "Own\n\n> one\n> > two\nlazy\n\n> [!NOTE]\n> noted\n\n- item\n\n  > three\n\nlast"
    prose = find_prose([passage(text)], "en")
    words = ["Own", "one", "two", "lazy", "noted", "item", "three", "last"]
    quoted = [word for word in words if prose.is_quoted(text.index(word))]
    assert quoted == ["one", "two", "lazy", "three"]


def test_passages_of_one_line_are_joined() -> None:
    first, second = passage("A long "), passage("line.")
    assert find_prose([first, second], "en").text == "A long line."


def test_a_text_without_passages_has_no_prose() -> None:
    assert find_prose([], "en").sentences == ()
