"""What every chunk keeps to, for any Markdown, and what chunks of small posts look like."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.embedders.base import count_tokens
from blog_search_mcp.index.posts.chunks import LONGEST, PASSAGE, chunk_body, split_windows
from blog_search_mcp.index.posts.markdown.body import Body
from blog_search_mcp.index.types import Chunk

WORDS = ("cache", "attention", "token", "the", "of", "layers", "is", "kept", "memory", "a")
HAN = ("快取", "注意力", "詞元", "模型", "記憶體", "推論", "的", "會", "增加")


@dataclass(frozen=True)
class Part:
    """A generated block, whose unique words show where it came to lie."""

    text: str
    undividable: int = 0
    """Word pieces of the largest piece in it that may not be cut."""


def numbered(build: Callable[[st.DrawFn, int], Part]) -> st.SearchStrategy[Part]:
    @st.composite
    def strategy(draw: st.DrawFn) -> Part:
        return build(draw, draw(st.integers(0, 9999)))

    return strategy()


def sentences(draw: st.DrawFn, most: int) -> str:
    chosen = draw(st.randoms(use_true_random=False))
    made = []
    for _ in range(draw(st.integers(1, most))):
        if chosen.random() < 0.4:
            made.append("".join(chosen.choices(HAN, k=chosen.randint(3, 12))) + "。")
        else:
            made.append(" ".join(chosen.choices(WORDS, k=chosen.randint(3, 12))) + ".")
    return chosen.choice(["\n", " "]).join(made)


def paragraph(draw: st.DrawFn, number: int) -> Part:
    return Part(f"paragraph{number} {sentences(draw, 30)}")


def heading(draw: st.DrawFn, number: int) -> Part:
    return Part("#" * draw(st.integers(1, 6)) + f" heading{number}")


def code(draw: st.DrawFn, number: int) -> list[str]:
    marks = draw(st.sampled_from(["```", "~~~", "`````"]))
    other = "~~~" if marks[0] == "`" else "```"
    lines = draw(
        st.lists(st.sampled_from(["# comment", "", "x = 1", other, "| a | b |", "- item"]))
    )
    inside = (lines or ["x"]) * draw(st.sampled_from([1, 40]))
    return [f"{marks}py", f"begin{number}", *inside, f"end{number}", marks]


def fence(draw: st.DrawFn, number: int) -> Part:
    text = "\n".join(code(draw, number))
    return Part(text, count_tokens(text))


def listed_fence(draw: st.DrawFn, number: int) -> Part:
    """A list item that holds text, a nested item and a fence in that one."""
    lines = code(draw, number)
    nested = [f"    {line}" for line in lines]
    text = "\n".join([f"- item{number}", "", f"  - nested {sentences(draw, 1)}", "", *nested])
    return Part(text.replace("\n    \n", "\n\n"), count_tokens("\n".join(lines)))


def table(draw: st.DrawFn, number: int) -> Part:
    rows = draw(st.integers(1, 60))
    body = [f"| begin{number}row{i} | cell of a row | end{number}row{i} |" for i in range(rows)]
    return Part("\n".join(["| a | b | c |", "|---|---|---|", *body]), count_tokens(body[-1]) + 12)


def bullets(draw: st.DrawFn, number: int) -> Part:
    items = draw(st.integers(1, 12))
    return Part("\n".join(f"{i + 1}. item{number} {sentences(draw, 2)}" for i in range(items)))


BUILDERS = (*(paragraph, heading, fence, listed_fence, table, bullets),)
POSTS = st.lists(st.one_of(*map(numbered, BUILDERS)), max_size=12)
RAW = st.lists(
    st.sampled_from(
        ["# ", "```", "~~~", "- ", "    ", "> ", "| a | b |", "|---|---|", "===", "[a]: b", "<div>"]
        + ["\n"] * 8
        + [" ", "word", "快取。", "\t", "1. ", "\u3000", "e\u0301", "👩‍👧"]
    )
    | st.text(max_size=8).map(lambda text: text.replace("\r", "")),
    max_size=40,
).map("".join)
"""Text that holds Markdown's marks anywhere."""


def body_of(parts: list[Part]) -> str:
    return "\n\n".join(part.text for part in parts)


def chunks_of(body: str, title: str = "") -> tuple[Chunk, ...]:
    return chunk_body("post.md", Body(body), 1, title)


def check_that_chunks_tile(body: str, first_line: int) -> None:
    """Each is found after the one before it, with nothing but blanks between."""
    place = 0
    for number, chunk in enumerate(chunk_body("post.md", Body(body), first_line, "title")):
        start = body.find(chunk.text, place)
        assert start >= 0
        assert body[place:start].strip() == ""
        place = start + len(chunk.text)
        assert chunk.text.strip()
        assert chunk.index == number
        assert chunk.first_line == first_line + body.count("\n", 0, start)
        assert chunk.last_line == first_line + body.count("\n", 0, place)
    assert body[place:].strip() == ""


@given(body=RAW, first_line=st.integers(1, 50))
def test_chunks_of_any_text_hold_all_of_it_verbatim_in_order_with_true_lines(
    body: str, first_line: int
) -> None:
    check_that_chunks_tile(body, first_line)


@settings(max_examples=60, deadline=None)
@given(parts=POSTS)
def test_chunks_of_a_post_hold_all_of_it_verbatim_in_order_with_true_lines(
    parts: list[Part],
) -> None:
    check_that_chunks_tile(body_of(parts), 7)


@settings(max_examples=60, deadline=None)
@given(parts=POSTS)
def test_no_cut_lies_inside_a_fence_or_a_table_row(parts: list[Part]) -> None:
    for chunk in chunks_of(body_of(parts)):
        begun = re.findall(r"begin(\w+)", chunk.text)
        ended = re.findall(r"end(\d\w*)", chunk.text)
        assert begun == ended


def prose(word: str) -> str:
    """So long that two of it do not fit one passage; `word` has at most five letters."""
    return " ".join([word] * (PASSAGE.most * 2 // 3))


def test_a_small_post_is_one_chunk() -> None:
    body = "Before.\n\n# One\n\nFirst *text*.\n\n## Two\n\nSecond.\nThird.\n"
    assert chunk_body("a/b.md", Body(body), 4, "Title") == (
        Chunk(
            "a/b.md",
            0,
            body.rstrip(),
            "Before.\nOne\nFirst text.\nTwo\nSecond. Third.",
            (),
            4,
            13,
            inner_headings=("One", "Two"),
        ),
    )


def test_a_large_post_is_cut_where_its_sections_begin() -> None:
    one, two = prose("one"), prose("two")
    body = f"Before.\n\n# One\n\n{one}\n\n## Two\n\n*{two}*\n"
    assert chunk_body("a/b.md", Body(body), 4, "Title") == (
        Chunk("a/b.md", 0, "Before.", "Before.", (), 4, 4),
        Chunk("a/b.md", 1, f"# One\n\n{one}", one, ("One",), 6, 8),
        Chunk("a/b.md", 2, f"## Two\n\n*{two}*", two, ("One", "Two"), 10, 12),
    )


def test_the_title_is_no_heading_above_its_own_post() -> None:
    body = f"# A title\n\n{prose('x')}\n\n## Part\n\n{prose('y')}"
    assert [chunk.headings for chunk in chunks_of(body, "A title")] == [(), ("Part",)]


def test_small_sections_share_a_chunk_under_the_headings_they_share() -> None:
    body = f"# A\n\n{prose('x')}\n\n## B\n\nb\n\n## C\n\nc\n\n# D\n\n{prose('y')}"
    [first, *_] = chunks_of(body)
    assert (first.headings, first.plain) == (("A",), f"{prose('x')}\nB\nb\nC\nc")
    assert first.inner_headings == ("B", "C")


def test_a_heading_without_text_opens_the_next_section() -> None:
    x, y = prose("x"), prose("y")
    [first, second] = chunks_of(f"# A\n\n## B\n\n{x}\n\n## C\n\n{y}\n")
    assert first == Chunk("post.md", 0, f"# A\n\n## B\n\n{x}", x, ("A", "B"), 1, 5)
    assert second == Chunk("post.md", 1, f"## C\n\n{y}", y, ("A", "C"), 7, 9)


def test_a_fence_larger_than_any_passage_stays_whole() -> None:
    code = "```\n" + "value = other\n\n" * 400 + "```"
    before = prose("word")
    after = prose("more")
    assert [c.text for c in chunks_of(f"{before}\n\n{code}\n\n{after}\n")] == [
        *(before, code, after)
    ]


def test_a_long_chinese_paragraph_is_cut_between_sentences() -> None:
    sentence = "模型會把先前詞元的鍵與值保留在快取之中。"
    made = chunks_of(sentence * 40)
    whole = PASSAGE.most // count_tokens(sentence)
    assert [chunk.text for chunk in made] == [
        *[sentence * whole] * (40 // whole),
        *[sentence * (40 % whole)] * bool(40 % whole),
    ]
    assert {(chunk.first_line, chunk.last_line) for chunk in made} == {(1, 1)}


def test_a_paragraph_without_any_pause_is_cut_but_never_before_a_combining_mark() -> None:
    word = "e\u0301" * 2000
    made = chunks_of(word)
    assert "".join(chunk.text for chunk in made) == word
    assert len(made) > 1
    assert all(chunk.text[0] == "e" for chunk in made)


def test_an_inserted_paragraph_changes_the_chunks_next_to_it_alone() -> None:
    """Over 100 insertions into a section of 80 paragraphs (some 30 chunks)."""
    chosen = random.Random(20260115)
    changed = []
    for _ in range(100):
        paragraphs = [random_paragraph(chosen) for _ in range(80)]
        before = {chunk.text for chunk in chunks_of("\n\n".join(paragraphs))}
        paragraphs.insert(chosen.randrange(81), random_paragraph(chosen))
        after = {chunk.text for chunk in chunks_of("\n\n".join(paragraphs))}
        changed.append(len(after - before))
    changed.sort()
    assert changed[50] <= 2
    assert changed[80] <= 3
    assert changed[90] <= 5


def random_paragraph(chosen: random.Random) -> str:
    return " ".join(chosen.choice(WORDS) for _ in range(chosen.randint(15, 80))) + "."


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ("```\n" + "# x *1*\n" * 9_000 + "```", "# x *1* " * 9_000),
        ("<div>\n" + "A line.\n" * 9_000 + "</div>", "A line. " * 9_000),
        ("word" * 9_000, "word" * 9_000),
        ("e\u0301" * 20_000, "e\u0301" * 20_000),
        (f"Before ![alt](data:image/png;base64,{'iVBOR' * 9_000}) behind.", "Before alt behind."),
        (f"# {'many words ' * 3_000}", "many words " * 3_000),
        ("# " + "\n\n# ".join(["long " * 50] * 20) + "\n\n" + "word " * 9_000, "word " * 9_000),
        ("." * 50_000 + "7", "." * 50_000 + "7"),
        ("e" + "\u0301" * 90_000, "e" + "\u0301" * 90_000),
    ],
    ids=lambda value: value[:8] if len(value) > 99 else "",
)
def test_what_one_answer_could_not_show_comes_in_several_with_all_its_words(
    block: str, words: str
) -> None:
    made = chunks_of(f"One.\n\n{block}\n")
    assert "".join("".join(chunk.text for chunk in made).split()) == "".join(f"One.{block}".split())
    assert all(len(chunk.text) <= LONGEST for chunk in made)
    plain = "".join("".join(chunk.plain for chunk in made).split())
    assert plain.endswith("".join(words.split()))
    if made[-1].text[0] == "e":
        assert all(chunk.text[0] != "\u0301" for chunk in made) or "\u0301" * 99 in block


@pytest.mark.parametrize(("word", "most"), [("word ", 40), ("值。", 40), ("e\u0301", 40)])
def test_a_window_is_no_longer_than_an_embedder_reads(word: str, most: int) -> None:
    windows = split_windows("\n".join([word * 90, "", word * 9]), most)
    assert "".join("".join(windows).split()) == "".join((word * 99).split())
    assert all(count_tokens(window) <= most * 1.3 for window in windows)
