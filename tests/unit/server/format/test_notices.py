"""What is said of a filter that names what no post has."""

from __future__ import annotations

import pytest

from tests.support.front import Blog, made

TAGS = {"kubernetes": 3, "machine-learning": 2, "推論": 1, "learning": 1}
DEEP = "inside-rust/all-hands-2026-retrospective/what-was-said-there"
POSTS = {
    f"ops/{tag}-{n}.md": f"---\ntags: [{tag}]\n---\n# {tag} {n}\n\nWords.\n"
    for tag, count in TAGS.items()
    for n in range(count)
} | {f"{DEEP}/a.md": "# A\n\nWords.\n", "llm/cards/b.md": "# B\n\nWords.\n"}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), POSTS)


@pytest.mark.parametrize(
    ("name", "value", "nearest"),
    [
        ("tag", "Kubernets", ["kubernetes (3)"]),
        ("tag", "machine learning", ["machine-learning (2)", "learning (1)"]),
        ("tag", "論", ["推論 (1)"]),
        ("tag", "zebra", []),
        ("section", "cards", ["llm/cards (1)"]),
        ("section", "what-was-said-there", [f"{DEEP} (1)"]),
    ],
)
def test_a_name_that_no_post_has_is_told_with_the_nearest_and_the_commonest(
    blog: Blog, name: str, value: str, nearest: list[str]
) -> None:
    for tool, given in (("search_blog", {"query": "words"}), ("list_posts", {})):
        notice = blog.tool(tool, **given, **{name: value}).facts["notice"]
        assert repr(value) in notice
        assert [other for other in nearest if other not in notice] == []
        assert ("Nearest" in notice) is bool(nearest)
        commonest = ["kubernetes (3)"] if name == "tag" else ["ops (7)", "llm (1)"]
        assert [other for other in commonest if other not in notice] == []


@pytest.mark.parametrize(
    "given", [{"tag": "KUBERNETES", "section": "ops/"}, {"section": "llm/cards"}]
)
def test_a_name_that_a_post_has_is_told_nothing_of(blog: Blog, given: dict[str, str]) -> None:
    facts = blog.tool("list_posts", **given).facts
    assert facts["posts"]
    assert "notice" not in facts


@pytest.mark.parametrize("given", [{"after": "2025"}, {"before": "2025"}])
def test_a_blog_without_dates_says_so(blog: Blog, given: dict[str, str]) -> None:
    facts = blog.tool("list_posts", **given).facts
    assert (facts["posts"], "date" in facts["notice"]) == ([], True)
