from __future__ import annotations

from hypothesis import given as examples
from hypothesis import strategies as st

from blog_search_mcp.index.types import Chunk, Passage, Post
from blog_search_mcp.server.tools.base import ANSWER
from blog_search_mcp.server.tools.read_chunk import READ_CHUNK, text_within, truncate
from tests.support.server_fixtures import CACHE, FixedSearcher


class OnePassage(FixedSearcher):
    """Reads the same passage whatever is asked for."""

    def __init__(self, passage: Passage) -> None:
        super().__init__()
        self.passage = passage

    def read(self, *_arguments: object) -> Passage:
        return self.passage


def test_a_passage_is_verbatim_and_then_says_where_it_stands() -> None:
    result = READ_CHUNK.call(FixedSearcher(), {"source": CACHE.source, "chunk_index": 1})
    assert list(result.texts) == [
        "## Memory\n\n```py\nsize = 2 * layers\n```",
        "title: What is a KV cache?\n"
        "source: inference/kv-cache.md\n"
        "date: 2025-03-04\n"
        "heading: What is a KV cache? > Memory\n"
        "chunk: 2 of 2 (chunk_index 1), lines 9-13\n"
        "heading before: What is a KV cache?",
    ]


def test_a_passage_carries_no_structured_content() -> None:
    """A client that finds some shows it to the model instead of the text."""
    result = READ_CHUNK.call(FixedSearcher(), {"source": CACHE.source, "chunk_index": 0})
    assert result.facts is None


def test_a_post_is_read_from_its_beginning_if_no_chunk_is_named() -> None:
    text, place = READ_CHUNK.call(FixedSearcher(), {"source": CACHE.source}).texts
    assert text == "A *KV cache* keeps keys\nand values."
    assert "chunk: 1 of 2 (chunk_index 0), lines 6-7" in place.split("\n")


def test_a_whole_post_is_read_if_no_chunk_is_named() -> None:
    text, place = READ_CHUNK.call(FixedSearcher(), {"source": CACHE.source, "whole": True}).texts
    assert text == (
        "A *KV cache* keeps keys\nand values.\n\n## Memory\n\n```py\nsize = 2 * layers\n```"
    )
    assert "chunk: 1 of 2 (chunk_index 0, shown with 0 to 1), lines 6-13" in place.split("\n")


def test_neighbours_are_joined_as_in_the_file() -> None:
    given = {"source": CACHE.source, "chunk_index": 0, "neighbors": 1}
    text, place = READ_CHUNK.call(FixedSearcher(), given).texts
    assert text == (
        "A *KV cache* keeps keys\nand values.\n\n## Memory\n\n```py\nsize = 2 * layers\n```"
    )
    assert "chunk: 1 of 2 (chunk_index 0, shown with 0 to 1), lines 6-13" in place.split("\n")


def passage(*texts_of_chunks: str, asked: int) -> Passage:
    chunks = tuple(
        Chunk("a.md", index, text, text, (), index + 1, index + 1)
        for index, text in enumerate(texts_of_chunks)
    )
    return Passage(Post("a.md", "A"), chunks, asked, len(chunks), None, None)


def test_adjoining_lines_get_no_blank_line_between_them() -> None:
    assert text_within(passage("- one", "- two", asked=0), ANSWER) == "- one\n- two"


def test_a_cut_passage_says_how_to_read_on() -> None:
    long = "word " * 3_000
    read = OnePassage(passage(long, long, long, asked=0))
    given = {"source": "a.md", "chunk_index": 0, "neighbors": 3}
    text, place = READ_CHUNK.call(read, given).texts
    assert len(text) + len(place) <= ANSWER
    assert text == (
        f"{long}\n\n[Cut at 15,000 of 45,002 characters: "
        "read on with read_chunk at chunk_index=1 of the same source.]"
    )


def test_a_cut_never_costs_the_chunk_that_was_asked_for() -> None:
    before, asked, after = "b" * 20_000, "a" * 10_000, "c" * 20_000
    text = text_within(passage(before, asked, after, asked=1), ANSWER)
    assert text.startswith(asked)
    assert text.endswith("read on with read_chunk at chunk_index=2 of the same source.]")


def test_a_chunk_longer_than_an_answer_says_where_its_rest_is() -> None:
    fence = "```\n" + "x = 1\n" * 6_000 + "```"
    text = text_within(passage(fence, "after", asked=0), ANSWER)
    shown, _, note = text.rpartition("\n\n")
    assert len(text) <= ANSWER
    assert fence.startswith(shown + "\n")
    assert note == (
        f"[Cut at {len(shown):,} of 36,013 characters: "
        "chunk 0 goes on to line 1 of the file; chunk_index=1 follows it.]"
    )


def whole(post: Passage) -> tuple[str, str]:
    given = {"source": "a.md", "chunk_index": post.asked, "whole": True}
    text, place = READ_CHUNK.call(OnePassage(post), given).texts
    return text, place


def test_a_whole_post_that_fits_is_read_from_any_chunk_of_it() -> None:
    text, place = whole(passage("- one", "- two", "- three", asked=1))
    assert text == "- one\n- two\n- three"
    assert "chunk: 2 of 3 (chunk_index 1, shown with 0 to 2), lines 1-3" in place


def test_a_post_too_long_for_an_answer_is_read_in_parts_that_say_how_to_read_on() -> None:
    chunks = [letter * 9_999 for letter in "abcde"]
    post = [whole(passage(*chunks, asked=index)) for index in range(5)]
    assert all(len(text) + len(place) <= ANSWER for text, place in post)
    shown = ["\n".join(chunks[0:2]), "\n".join(chunks[2:4]), chunks[4]]
    notes = [
        "[Chunks 1 to 2 of 5: call with whole and chunk_index=2 for what follows.]",
        "[Chunks 3 to 4 of 5: call with whole and chunk_index=4 for what follows "
        "and chunk_index=1 for what stands before.]",
        "[Chunks 5 to 5 of 5: call with whole and chunk_index=3 for what stands before.]",
    ]
    parts = [f"{text}\n\n{note}" for text, note in zip(shown, notes, strict=True)]
    assert [text for text, _ in post] == [parts[0], parts[0], parts[1], parts[1], parts[2]]


def test_a_chunk_longer_than_an_answer_is_a_part_of_its_own() -> None:
    text, place = whole(passage("before", "x = 1\n" * 6_000, "after", asked=1))
    assert len(text) + len(place) <= ANSWER
    assert "chunk 1 goes on to line 2 of the file; chunk_index=2 follows it.]" in text
    assert text.endswith(
        "[Chunks 2 to 2 of 3: call with whole and chunk_index=2 for what follows "
        "and chunk_index=0 for what stands before.]"
    )


def test_a_text_that_fits_is_left_alone() -> None:
    assert truncate("a\n\nb\n", 5) == "a\n\nb\n"


def test_a_cut_falls_between_blocks() -> None:
    assert truncate("one\ntwo\n\nthree\nfour\n\nfive", 17) == "one\ntwo"
    assert truncate("one\ntwo\n\nthree\nfour\n\nfive", 21) == "one\ntwo\n\nthree\nfour"


def test_a_blank_line_inside_a_fence_is_no_boundary() -> None:
    text = "intro, a long one\n\n~~~\na\n\n```\n\nb\n~~~\n\nend of it"
    assert truncate(text, 34) == "intro, a long one"


def test_a_fence_closes_only_with_its_own_kind() -> None:
    text = "````\n```\n\n````\n\nafter the fence comes this"
    assert truncate(text, 20) == "````\n```\n\n````"


def test_a_long_fence_is_cut_between_lines_if_little_would_be_left() -> None:
    assert truncate("a\n\n```\n11111\n\n22222\n33333\n```", 22) == "a\n\n```\n11111\n\n22222"


def test_one_long_line_is_cut_by_characters() -> None:
    assert truncate("文" * 30, 10) == "文" * 10


@examples(st.text(alphabet="ab \n`~", max_size=200), st.integers(min_value=0, max_value=60))
def test_a_beginning_is_a_beginning_and_never_too_long(text: str, room: int) -> None:
    cut = truncate(text, room)
    assert text.startswith(cut)
    assert len(cut) <= room


def test_code_in_a_list_is_not_cut_at_its_blank_lines() -> None:
    before = f"{'word ' * 20}\n\n10. Run:\n\n"
    code = "    ```\n    a = 1\n\n    b = 2\n    ```\n"
    assert truncate(f"{before}{code}", len(before) + len(code) - 3) == before.rstrip("\n")
