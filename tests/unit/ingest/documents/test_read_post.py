import datetime as dt
import hashlib
from pathlib import Path

import pytest

from blog_search_mcp.index.content.walk import SourceFile
from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.index.types import Post
from blog_search_mcp.ingest.documents.address import Address
from blog_search_mcp.ingest.documents.read_post import ParsedPost, first_heading, read_post

TODAY = dt.date(2026, 11, 20)


def parsed(data: bytes, source: str = "notes/a-post.md") -> ParsedPost:
    return read_post(SourceFile(source, Path(source), len(data), 0), data, TODAY)


def test_a_post_is_read_whole() -> None:
    data = (
        b"\xef\xbb\xbf---\r\ntitle: A KV cache\r\ndate: 2024-05-01\r\nexpires: 2027-01-01\r\n"
        b"tags: [llm]\r\n---\r\n\r\n# Heading\r\n\r\nText\r\n"
    )
    assert parsed(data) == ParsedPost(
        post=Post("notes/a-post.md", "A KV cache", "2024-05-01", ("llm",)),
        body="\n# Heading\n\nText\n",
        first_line=7,
        left_out=None,
        expires="2027-01-01",
        due="2027-01-02",
        digest=hashlib.sha256(data).hexdigest(),
        problems=(),
        address=Address(
            fields=(("title", "A KV cache"), ("date", "2024-05-01"), ("expires", "2027-01-01")),
            has_front_matter=True,
        ),
    )


def test_a_draft_is_read_and_marked() -> None:
    post = parsed(b"+++\ntitle = 'T'\ndraft = true\n+++\nText")
    assert (post.post.title, post.body, post.left_out) == ("T", "Text", "draft")


def test_without_a_title_the_first_level_one_heading_outside_code_is_it() -> None:
    body = b"```\n# a comment\n```\n\n## Second level\n\n# The *real* `title`\n\n# Another\n"
    assert parsed(body).post.title == "The real title"


def test_broken_front_matter_costs_the_metadata_and_is_reported() -> None:
    post = parsed(b"---\ntitle: Rust: the good parts\n---\nText")
    assert post.post == Post("notes/a-post.md", "a post")
    assert (post.body, post.first_line) == ("Text", 4)
    assert post.problems == (
        "its front matter cannot be read: "
        "mapping values are not allowed in this context (at line 2)",
    )


def test_broken_front_matter_that_says_draft_is_a_draft_and_reported() -> None:
    post = parsed(b"---\ntitle: Rust: the good parts\ndraft: true\n---\nText")
    assert (post.left_out, post.body) == ("draft", "Text")
    assert post.problems == (
        "its front matter cannot be read: mapping values are not allowed in this context "
        "(at line 2); a line of it makes the post a draft",
    )


def test_tags_written_in_the_text_are_the_posts() -> None:
    assert parsed(b"---\ntags: [a]\n---\nText #b `#c`").post.tags == ("a", "b")


def test_a_guessed_encoding_and_lost_characters_are_reported() -> None:
    assert parsed(b"The caf\xe9 was closed.").problems == (
        "it is not UTF-8 and was read as cp1252",
    )
    assert parsed("好".encode() * 20 + b"\xff").problems == (
        "1 of its characters could not be read",
    )


def test_what_is_no_text_is_unreadable() -> None:
    with pytest.raises(
        UnreadablePost,
        match=r"^it is not text but a binary file; rename it, or name it in a .blogignore$",
    ):
        parsed(bytes(range(256)))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("# One\n\n# Two", "One"),
        ("Title\n=====\n", "Title"),
        ("#\n\n# Second has words", "Second has words"),
        ("~~~\n# in a fence\n~~~\n", ""),
        ("<div>\n# in HTML\n</div>\n", ""),
        ("## only a section\n", ""),
        ("{% highlight sh %}\n# in code\n{% endhighlight %}\n\n# After {#after}", "After"),
        ("import A from 'a'\n\n<A>\n\n# Inside\n\n</A>", "Inside"),
        ("", ""),
    ],
)
def test_the_first_heading_is_markdowns_own(body: str, expected: str) -> None:
    assert first_heading(body) == expected
