import pytest

from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.ingest.posts.document import MAX_MARKS, Document, find_language, read_document


def parsed(data: bytes, source: str = "notes/a-post.md") -> Document:
    return read_document(data, source)


def test_the_author_s_fields_make_the_post() -> None:
    text = "---\nTitle: A &quot;KV&quot;\n  cache\nslug: kv\nlanguage: zh_TW\n---\n# Heading\n"
    post = parsed(text.encode()).post
    assert (post.title, post.language, post.translation_key) == ('A "KV" cache', "zh-tw", "kv")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"---\ntitle: Rust: the good parts\n---\nText", "front matter cannot be read"),
        (b"---\ntitle: a: b\ndraft: true\n---\nText", "keeps the post back"),
        (b"---\ndate: 03/01/2024\n---\n", "03/01/2024"),
        (b"The caf\xe9 was closed.", "cp1252"),
        ("好".encode() * 20 + b"\xff", "1 of its characters"),
    ],
)
def test_what_is_odd_about_a_file_is_told(data: bytes, said: str) -> None:
    [problem] = parsed(data).problems
    assert said in problem


@pytest.mark.parametrize("mark", ["\n", "|", "[", "- a\n", "1. a\n", "> a\n", "## a\n"])
def test_a_post_that_takes_too_much_to_parse_is_unreadable(mark: str) -> None:
    with pytest.raises(UnreadablePost, match="split it"):
        parsed(b"A\n" + mark.encode() * (MAX_MARKS + 1))


CHINESE = "每個詞元的鍵與值都會保留下來，所以下一個詞元不必重算注意力。"
CODE = (
    "def read(path: str) -> int:\n    # if it is not in the list, this is it\n    return 0\n" * 20
)


@pytest.mark.parametrize(
    ("text", "source", "language"),
    [
        (f"# 快取\n\n{CHINESE}\n\n```python\n{CODE}```\n", "a.md", "zh"),
        (f"# Cache\n\n```python\n{CODE}```\n", "a.md", ""),
        (f"---\nlang: zh-TW\n---\n{'It is what it is. ' * 9}", "a.md", "zh-tw"),
        (CHINESE, "ja/post.md", "zh"),
        (CHINESE, "en/zh_TW/post.md", "zh-tw"),
        ("This is what it is about.", "hr/post.it.md", "en"),
        ("Words", "de/post.md", ""),
        ("---\ntitle: What is this and why?\n---\n", "a.md", "en"),
        (f"{'This is what it is about and it is. ' * 200}\n\n{CHINESE * 9_000}", "a.md", "en"),
        ("", "a.md", ""),
    ],
)
def test_the_language_is_the_author_s_word_else_that_of_the_prose(
    text: str, source: str, language: str
) -> None:
    assert find_language(parsed(text.encode(), source)) == language
