"""What one answer could not show comes in several: all of it, in order, with its words."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.posts.chunks import LONGEST, LONGEST_OPENING, PASSAGE, chunk_body
from blog_search_mcp.index.posts.cuts import Piece, split_oversize
from blog_search_mcp.index.posts.markdown.body import Body
from blog_search_mcp.index.posts.markdown.inline import strip_markup
from blog_search_mcp.server.tools.base import ANSWER
from blog_search_mcp.server.tools.read_chunk import READ_CHUNK
from tests.support.blog import MakeBlog

ROOM = 100
MOST = 20
IMAGE = "data:image/png;base64," + "iVBORw0KGgo" * 30

PARTS = st.sampled_from(
    (
        *(
            "word",
            "值",
            "e\u0301",
            "👩\u200d👩\u200d👧",
            "# ",
            "## a\n",
            "- ",
            "> ",
            "| a | b |\n",
            " ",
        ),
        *("|---|---|\n", "\n", "\n\n", "```\n", "~~~py\n", "<div>\n", "    code\n", "\t", ". "),
        *("x" * 150, "值" * 150, " " * 150, "\n" * 150, "\u0301" * 150, f"![alt]({IMAGE}) "),
    )
)
TEXTS = st.lists(PARTS, min_size=1, max_size=40).map("".join).filter(str.strip)


def split(text: str) -> list[Piece]:
    return split_oversize(Body(text), 0, len(text), ROOM, MOST)


@settings(deadline=None)
@given(TEXTS)
def test_slices_are_all_of_the_text_and_none_is_longer_than_asked(text: str) -> None:
    made = split(text)
    assert "".join(piece.text for piece in made) == text
    assert all(0 < len(piece.text) <= ROOM for piece in made)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["e\u0301", "👩\u200d👩\u200d👧", "❤\ufe0f"]), min_size=60))
def test_a_slice_begins_with_a_character_and_not_with_its_marks(characters: list[str]) -> None:
    for piece in split("".join(characters)):
        assert piece.text[0] not in "\u0301\u200d\ufe0f"


def test_cuts_fall_between_blocks() -> None:
    code = "```\n" + "x = 1\n" * 10 + "```\n\n"
    words = "Some words of a paragraph.\n\n"
    made = split(words + code + words)
    assert made == [Piece(words + code, words + code), Piece(words, words)]


def test_a_long_fence_is_cut_between_lines_and_stays_code() -> None:
    lines = [f"# comment *{n}*\n" for n in range(30)]
    code = "".join(["```py\n", *lines, "```\n"])
    made = split(code)
    assert len(made) > 4
    assert all(piece.text.endswith("\n") for piece in made)
    assert [line for piece in made for line in strip_markup(piece.words).split("\n")] == [
        line.rstrip() for line in lines
    ]


@pytest.mark.parametrize("before", ["> ", "  - ", "10. "])
def test_code_in_a_list_or_a_quotation_stays_code(before: str) -> None:
    rest = "> " if before == "> " else " " * len(before)
    lines = "".join(f"{rest}# comment *{n}*\n" for n in range(30))
    made = split(f"{before}```py\n{lines}{rest}```\n")
    words = [line.strip() for piece in made for line in strip_markup(piece.words).split("\n")]
    assert [word for word in words if word.startswith("#")] == [
        f"# comment *{n}*" for n in range(30)
    ]


def test_code_between_template_tags_stays_code() -> None:
    lines = "".join(f"# comment *{n}*\n" for n in range(30))
    made = split(f"{{% highlight py %}}\n{lines}{{% endhighlight %}}\n")
    assert (
        len(re.findall(r"# comment \*\d+\*", "\n".join(strip_markup(p.words) for p in made))) == 30
    )


def test_the_words_around_an_inlined_file_stay_together() -> None:
    made = split(f"Before ![the alternative]({IMAGE}) and behind.\n\nA paragraph.\n")
    assert [strip_markup(piece.words) for piece in made] == [
        "Before the alternative and behind.",
        *[""] * (len(made) - 2),
        "A paragraph.",
    ]


def test_words_behind_any_room_can_be_found() -> None:
    [chunk] = chunk_body("a.md", Body(f"One.\n\n{' ' * 3 * LONGEST}walrus\n"), 1, "")[1:]
    assert (chunk.text.strip(), chunk.plain.strip()) == ("walrus", "walrus")


@pytest.mark.slow
def test_the_blocks_of_a_span_are_found_without_a_look_at_all() -> None:
    body = Body("moth\n\n" * 40_000)
    spans = [(block.start, block.end) for block in body.blocks[::4]]
    began = time.process_time()
    for start, end in spans:
        assert split_oversize(body, start, end, ROOM, MOST) == [Piece("moth\n\n", "moth\n\n")]
    assert time.process_time() - began < 1


def test_marks_without_end_take_no_time() -> None:
    """Looking from each cut to the end of the marks would take hours here."""
    text = "e" + "\u0301" * 300_000
    assert "".join(chunk.text for chunk in chunk_body("a.md", Body(text), 1, "")) == text


def test_no_chunk_is_longer_than_an_answer() -> None:
    heading = "\n\n".join(["# " + "long " * 50] * 20)
    body = "\n\n".join(["```\n" + "x = 1\n" * 20_000 + "```", "word " * 40_000])
    for chunk in chunk_body("a.md", Body(f"{heading}\n\n{body}"), 1, ""):
        assert len(chunk.text) <= LONGEST
    assert LONGEST + LONGEST_OPENING < ANSWER


def test_a_heading_too_long_to_be_one_is_text_and_repeated_nowhere() -> None:
    long = "many words " * 10_000
    body = f"# {long}\n\n" + "\n\n".join(["word " * PASSAGE.most] * 3)
    made = chunk_body("a.md", Body(body), 1, "")
    assert {chunk.headings for chunk in made} == {()}
    assert " ".join(chunk.plain for chunk in made).count("many words") == 10_000


def test_a_fence_of_any_length_can_be_read_to_its_end(blog: MakeBlog) -> None:
    code = "```\n" + "".join(f"line {n} of the code\n" for n in range(4000)) + "```"
    made = blog({"a.md": f"# A heading\n\nBefore.\n\n{code}\n\nBehind.\n"})
    read, engine = "", made.engine()
    for number in range(made.reader().manifest.chunks):
        answer = READ_CHUNK.call(engine, {"source": "a.md", "chunk_index": number})
        read += answer.texts[0] + "\n"
    assert words_by_line(read) == words_by_line(f"# A heading\n\nBefore.\n\n{code}\n\nBehind.")


def words_by_line(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]
