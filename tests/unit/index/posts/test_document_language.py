"""Which language a post is written in: its author's word, else that of its prose."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.posts.document import (
    LANGUAGE_CHARACTERS,
    find_language,
    read_document,
)

CHINESE = "每個詞元的鍵與值都會保留下來，所以下一個詞元不必重算注意力。"
CODE = "def read(path: str) -> int:\n    # if it is not in the list, this is it\n    return 0\n"


def language(text: str, source: str = "post.md") -> str:
    return find_language(read_document(text.encode(), source))


@pytest.mark.parametrize(
    "code",
    [f"```python\n{CODE * 20}```", "\n".join(f"    {line}" for line in (CODE * 20).splitlines())],
)
def test_code_says_nothing_about_the_language(code: str) -> None:
    assert language(f"# 快取\n\n{CHINESE}\n\n{code}\n") == "zh"
    assert language(f"# Cache\n\n{code}\n") == ""


def test_the_author_s_word_counts_more_than_the_text() -> None:
    assert language(f"---\nlang: zh-TW\n---\n{'It is what it is. ' * 9}") == "zh-tw"
    assert language(CHINESE, "ja/post.md") == "ja"


def test_a_post_of_a_few_names_has_no_language() -> None:
    assert language("# Async I/O on OS threads\n\n![](io.png)\n") == ""
    assert language("") == ""


def test_the_title_counts_too() -> None:
    assert language("---\ntitle: What is this and why?\n---\n") == "en"


def test_of_a_long_post_the_beginning_counts() -> None:
    english = "This is what the post is about and it is long. " * (LANGUAGE_CHARACTERS // 40)
    assert language(f"{english}\n\n{CHINESE * LANGUAGE_CHARACTERS}") == "en"
