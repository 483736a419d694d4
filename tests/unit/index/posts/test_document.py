import pytest

from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.index.posts.document import MAX_LINES, MAX_MARKS, Document, read_document
from blog_search_mcp.index.posts.walk import SUFFIXES
from blog_search_mcp.index.types import Post


def parsed(data: bytes, source: str = "notes/a-post.md") -> Document:
    return read_document(data, source)


def test_a_post_is_read_whole() -> None:
    data = (
        b"\xef\xbb\xbf---\r\ntitle: A KV cache\r\ndate: 2024-05-01\r\nexpires: 2027-01-01\r\n"
        b"tags: [llm]\r\n---\r\n\r\n# Heading\r\n\r\nText\r\n"
    )
    document = parsed(data)
    assert document == Document(
        post=Post("notes/a-post.md", "A KV cache", "2024-05-01", ("llm",)),
        fields={
            "title": "A KV cache",
            "date": "2024-05-01",
            "expires": "2027-01-01",
            "tags": ["llm"],
        },
        body=document.body,
        first_line=7,
    )
    assert document.body.text == "\n# Heading\n\nText\n"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_reader_is_chosen_by_suffix_in_any_case(suffix: str) -> None:
    assert read_document(b"# A title", f"a{suffix.upper()}").post.title == "A title"


def test_a_post_of_quarto_is_read_with_its_cells() -> None:
    cell = b"```{python}\n#| label: plot\nx = 1\n```\n"
    data = b"---\ntitle: Plots\ncategories: [r]\n---\n\n%b\nSee.\n" % cell
    document = read_document(data, "plots/index.qmd")
    assert document.post == Post("plots/index.qmd", "Plots", tags=("r",))
    assert [block.kind for block in document.body.blocks] == ["fence", "paragraph"]
    text = document.body.text
    assert document.body.plain_text(0, len(text)) == "x = 1\nSee."


def test_without_a_title_the_first_level_one_heading_outside_code_is_it() -> None:
    body = b"```\n# a comment\n```\n\n## Second level\n\n# The *real* `title`\n\n# Another\n"
    assert parsed(body).post.title == "The real title"


def test_broken_front_matter_costs_the_metadata_and_is_reported() -> None:
    post = parsed(b"---\ntitle: Rust: the good parts\n---\nText")
    assert post.post == Post("notes/a-post.md", "a post")
    assert (post.body.text, post.first_line) == ("Text", 4)
    assert post.problems == (
        "its front matter cannot be read: "
        "mapping values are not allowed in this context (at line 2)",
    )


def test_broken_front_matter_that_says_draft_is_a_draft_and_reported() -> None:
    post = parsed(b"---\ntitle: Rust: the good parts\ndraft: true\n---\nText")
    assert (post.fields, post.body.text) == ({"draft": "true"}, "Text")
    assert post.problems == (
        "its front matter cannot be read: mapping values are not allowed in this context "
        "(at line 2); a line of it keeps the post back",
    )


def test_tags_written_in_the_text_are_the_posts() -> None:
    assert parsed(b"---\ntags: [a]\n---\nText #b `#c`").post.tags == ("a", "b")


def test_a_guessed_encoding_and_lost_characters_are_reported() -> None:
    assert parsed(b"---\ndate: 30/01/2024\n---\n").problems == (
        "its date “30/01/2024” cannot be read; write it as 2024-12-31",
    )
    assert parsed(b"The caf\xe9 was closed.").problems == (
        "it is not UTF-8 and was read as cp1252",
    )
    assert parsed("好".encode() * 20 + b"\xff").problems == (
        "1 of its characters could not be read",
    )


@pytest.mark.parametrize("line", [b"\n", b"\r\n", b"a\n"])
def test_a_post_of_more_lines_than_are_parsed_in_seconds_is_unreadable(line: bytes) -> None:
    with pytest.raises(UnreadablePost) as raised:
        parsed(b"# A\n" + line * MAX_LINES)
    assert str(raised.value) == (
        "it has more than 500,000 lines; split it, or name it in a .blogignore"
    )


IN_LINES = ("- a\n", "1. a\n", "> a\n", "## a\n", "- > 1) a\n", "\t+ a\n")


@pytest.mark.parametrize("mark", ["|a", "[a](b) ", "[[a]] ", *IN_LINES])
def test_a_post_of_more_marks_than_memory_should_hold_is_unreadable(mark: str) -> None:
    with pytest.raises(UnreadablePost) as raised:
        parsed(b"A\n" + mark.encode() * (MAX_MARKS + 1))
    assert str(raised.value) == (
        "it has more than 200,000 cells, links, headings, quotations and items of lists; split "
        "it, or name it in a .blogignore"
    )


def test_what_is_no_text_is_unreadable() -> None:
    with pytest.raises(
        UnreadablePost,
        match=r"^it is not text but a binary file; rename it, or name it in a .blogignore$",
    ):
        parsed(bytes(range(256)))
