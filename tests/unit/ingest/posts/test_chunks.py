"""What every chunk keeps to, for any Markdown, and what chunks of small posts look like."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.embedders.embedder import count_pieces
from blog_search_mcp.index.types import Chunk
from blog_search_mcp.ingest.posts.chunks import (
    MAX_CHUNK_BYTES,
    PASSAGE_LIMITS,
    chunk_body,
    split_windows,
)
from blog_search_mcp.ingest.posts.markdown.body import Body

WORDS = ("cache", "attention", "token", "the", "of", "layers", "is", "kept", "memory", "a")
CODE = "```py\nbegin\n# comment\n\n~~~\n| a | b |\n- item\nend\n```"
TABLE = "| a | b |\n|---|---|\n" + "| begin | cell of a row | end |\n" * 60
PARTS = st.sampled_from(
    [
        *("# one", "## two", "### three", "快取。注意力。" * 60, "The cache is kept. " * 90),
        *(CODE, CODE.replace("# comment\n", "x = 1\n" * 90), TABLE, "1. item\n2. item\n" * 40),
        "- item\n\n  - nested\n\n    " + CODE.replace("\n", "\n    "),
    ]
)
MARKS = st.sampled_from(
    ["# ", "```", "~~~", "- ", "    ", "> ", "| a | b |", "|---|---|", "===", "[a]: b", "<div>"]
    + ["\n"] * 8
    + [" ", "word", "快取。", "\t", "1. ", "\u3000", "e\u0301", "👩‍👧"]
)
RAW = st.lists(MARKS | st.text(max_size=8).map(lambda text: text.replace("\r", "")), max_size=40)
TEXTS = RAW.map("".join) | st.lists(PARTS, max_size=12).map("\n\n".join)


def chunks_of(body: str, title: str = "") -> tuple[Chunk, ...]:
    return chunk_body("post.md", Body(body), 1, title)


@given(body=TEXTS, first_line=st.integers(1, 50))
@settings(deadline=None)
def test_chunks_hold_all_of_a_text_in_order_with_true_lines_and_cut_no_fence_or_row(
    body: str, first_line: int
) -> None:
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
        assert len(re.findall("begin", chunk.text)) == len(re.findall("end", chunk.text))
    assert body[place:].strip() == ""


def prose(word: str) -> str:
    """So long that two of it do not fit one passage; `word` has at most five letters."""
    return " ".join([word] * (PASSAGE_LIMITS.most * 2 // 3))


ONE, TWO = prose("one"), prose("two")
FENCE = "```\n" + "value = other\n\n" * 400 + "```"


@pytest.mark.parametrize(
    ("body", "texts", "headings"),
    [
        ("Before.\n\n# One\n\nFirst *text*.\n\n## Two\n\nSecond.\n", 1, [()]),
        (
            f"Before.\n\n# One\n\n{ONE}\n\n## Two\n\n*{TWO}*\n",
            ["Before.", f"# One\n\n{ONE}", f"## Two\n\n*{TWO}*"],
            [(), ("One",), ("One", "Two")],
        ),
        (f"# Title\n\n{ONE}\n\n## Part\n\n{TWO}", 2, [(), ("Part",)]),
        (f"# A\n\n{ONE}\n\n## B\n\nb\n\n## C\n\nc\n\n# D\n\n{TWO}", 2, [("A",), ("D",)]),
        (
            f"# A\n\n## B\n\n{ONE}\n\n## C\n\n{TWO}\n",
            [f"# A\n\n## B\n\n{ONE}", f"## C\n\n{TWO}"],
            [("A", "B"), ("A", "C")],
        ),
        (f"{ONE}\n\n{FENCE}\n\n{TWO}\n", [ONE, FENCE, TWO], [(), (), ()]),
    ],
)
def test_a_post_is_cut_where_its_sections_begin(
    body: str, texts: int | list[str], headings: list[tuple[str, ...]]
) -> None:
    made = chunks_of(body, "Title")
    assert [chunk.headings for chunk in made] == headings
    assert (len(made) if isinstance(texts, int) else [chunk.text for chunk in made]) == texts


def test_a_chunk_has_its_words_and_the_headings_in_it() -> None:
    [chunk] = chunks_of("Before.\n\n# One\n\nFirst *text*.\n\n## Two\n\nSecond.\nThird.\n")
    assert chunk.plain == "Before.\nOne\nFirst text.\nTwo\nSecond. Third."
    assert chunk.all_headings == ("One", "Two")


def test_a_long_chinese_paragraph_is_cut_between_sentences() -> None:
    sentence = "模型會把先前詞元的鍵與值保留在快取之中。"
    made = chunks_of(sentence * 40)
    whole = PASSAGE_LIMITS.most // count_pieces(sentence)
    assert [chunk.text for chunk in made] == [
        *[sentence * whole] * (40 // whole),
        *[sentence * (40 % whole)] * bool(40 % whole),
    ]


def test_an_inserted_paragraph_changes_the_chunks_next_to_it_alone() -> None:
    """Over 50 insertions into a section of 80 paragraphs (some 30 chunks)."""
    chosen = random.Random(20260115)
    changed = []
    for _ in range(50):
        paragraphs = [random_paragraph(chosen) for _ in range(80)]
        before = {chunk.text for chunk in chunks_of("\n\n".join(paragraphs))}
        paragraphs.insert(chosen.randrange(81), random_paragraph(chosen))
        changed.append(len({chunk.text for chunk in chunks_of("\n\n".join(paragraphs))} - before))
    changed.sort()
    assert changed[25] <= 2
    assert changed[45] <= 5


def random_paragraph(chosen: random.Random) -> str:
    return " ".join(chosen.choice(WORDS) for _ in range(chosen.randint(15, 80))) + "."


@pytest.mark.parametrize(
    "block",
    [
        "```\n" + "# x *1*\n" * 9_000 + "```",
        "<div>\n" + "A line.\n" * 9_000 + "</div>",
        "word," * 9_000,
        "e\u0301" * 20_000,
        f"# {'many words ' * 3_000}",
        "# " + "\n\n# ".join(["long " * 50] * 20) + "\n\n" + "word " * 9_000,
        "." * 50_000 + "7",
    ],
    ids=lambda block: block[:8],
)
def test_what_one_answer_could_not_show_comes_in_several(block: str) -> None:
    made = chunks_of(f"One.\n\n{block}\n")
    assert "".join("".join(chunk.text for chunk in made).split()) == "".join(f"One.{block}".split())
    assert all(len(chunk.text) <= MAX_CHUNK_BYTES for chunk in made)
    assert all(chunk.text[0] != "\u0301" for chunk in made)
    words = re.sub(r"\W", "", block)[-9_000:][:8_000]
    assert words in re.sub(r"\W", "", "".join(chunk.plain for chunk in made))


@pytest.mark.parametrize(("word", "most"), [("word ", 40), ("值。", 40), ("e\u0301", 40)])
def test_a_window_is_no_longer_than_an_embedder_reads(word: str, most: int) -> None:
    windows = split_windows("\n".join([word * 90, "", word * 9]), most)
    assert "".join("".join(windows).split()) == "".join((word * 99).split())
    assert all(count_pieces(window) <= most * 1.3 for window in windows)


@pytest.mark.parametrize("above", ["", "\n", "\n \n"])
def test_the_heading_of_a_first_section_that_is_joined_is_told(above: str) -> None:
    (chunk,) = chunks_of(f"{above}## One\n\nThe cache.\n\n## Two\n\nThe layers.\n")
    assert chunk.inner_headings == ("One", "Two")


LONG = "The cache is kept by layers of memory. " * 60


@pytest.mark.parametrize(
    "body",
    [
        f"<h2>One</h2>\n<p>{LONG}</p>\n<H2 id='x'><b>Two</b></H2>\n<p>{LONG}</p>\n",
        f"<div>\n<h2 align=center>One</h2>\n\n{LONG}\n\n<h2>\nTwo\n</h2>\n\n{LONG}",
        f"- ## One\n\t- {LONG}\n- ## Two\n\t- {LONG}\n",
        f"* ## One\n\n  {LONG}\n* ## *Two*\n\n  {LONG}",
        f"1. ## One\n   {LONG}\n2. Two\n   ---\n   {LONG}",
    ],
)
def test_headings_of_html_and_of_items_open_sections(body: str) -> None:
    chunks = chunks_of(body)
    assert [chunk.headings for chunk in chunks] == [("One",), ("Two",)]
    assert [chunk.plain.count("cache") for chunk in chunks] == [60, 60]


def test_headings_of_items_within_items_open_sections() -> None:
    chunks = chunks_of(f"- ## One\n  - ### Two\n    - {LONG}\n  - ### *Three*\n    - {LONG}")
    assert [chunk.headings for chunk in chunks] == [("One", "Two"), ("One", "Three")]


def test_a_list_without_headings_and_html_in_code_stay_whole() -> None:
    (chunk,) = chunks_of("- one\n- two\n\n      # x\n\n```\n<h2>Two</h2>\n```\n")
    assert (chunk.headings, chunk.inner_headings) == ((), ())
