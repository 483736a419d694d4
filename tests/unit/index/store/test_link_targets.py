from __future__ import annotations

import pytest

from blog_search_mcp.index.store.link_targets import LinkTargets, place
from blog_search_mcp.index.store.translations import translations_in
from blog_search_mcp.index.types import Post

POSTS = {
    1: Post("llm/cards/rag.md", "RAG"),
    2: Post("guides/rag.md", "RAG again"),
    3: Post("llm/_index.md", "LLM"),
    4: Post("_posts/2024-05-06-zebra-crossing.md", "Zebra"),
    5: Post("notes/Kelp Forests.md", "Kelp"),
    6: Post("walrus/index.en.md", "Walrus", language="en"),
    7: Post("walrus/index.zh.md", "海象", language="zh"),
    8: Post("a.md", "A", slug="about-moths"),
    9: Post("b.md", "B", url="https://blog.example/2024/newts.html"),
    10: Post("go1.18.md", "Go 1.18"),
    11: Post("_index.md", "Home"),
}


@pytest.fixture(scope="module")
def targets() -> LinkTargets:
    return LinkTargets(POSTS, translations_in(POSTS))


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("/llm/Cards/RAG.md", "llm/cards/rag"),
        ("./rag/", "rag"),
        ("posts/kv/index.zh-tw.md", "posts/kv"),
        ("_index.md", ""),
        ("2024/Kelp Forests.html", "2024/kelp-forests"),
        ("go1.18.md", "go1.18"),
        ("go1.18", "go1.18"),
        ("post.zh.md", "post"),
        ("", ""),
    ],
)
def test_an_address_is_compared_without_what_generators_change(path: str, written: str) -> None:
    assert place(path) == written


@pytest.mark.parametrize(
    ("address", "posts"),
    [
        ("llm/cards/rag", (1,)),
        ("site/cards/rag", (1,)),
        ("guides/rag", (2,)),
        ("rag", ()),
        ("llm", (3,)),
        ("2024/05/06/zebra-crossing", (4,)),
        ("kelp-forests", (5,)),
        ("walrus", (6, 7)),
        ("about-moths", (8,)),
        ("2024/newts", (9,)),
        ("doc/go1.18", (10,)),
        ("unicorn", ()),
        ("", ()),
    ],
)
def test_a_link_leads_to_the_one_post_that_lies_nearest_to_its_address(
    targets: LinkTargets, address: str, posts: tuple[int, ...]
) -> None:
    assert targets.of(address) == posts
