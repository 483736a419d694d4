"""Notices on filters that no post passes, messages on failures, and answers that are cut."""

from pathlib import Path

import pytest

from blog_search_mcp.index.embedders.connection import FailureKind, RequestFailed
from blog_search_mcp.index.embedders.ollama import OllamaWire
from blog_search_mcp.index.errors import IngestFailed
from blog_search_mcp.server.format.results import explain_failure, fit
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.watch.watcher import run_ingest
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
    ("given", "told"),
    [
        ({"tag": "Kubernets"}, ["'Kubernets'", "Nearest: kubernetes (3)", "推論 (1)"]),
        ({"tag": "machine learnin"}, ["machine-learning (2)", "learning (1)"]),
        ({"tag": "論"}, ["Nearest: 推論 (1)"]),
        ({"tag": "zebra"}, ["'zebra'", "kubernetes (3)"]),
        ({"section": "card"}, ["Nearest: llm/cards (1)", "ops (7)"]),
        ({"section": "what-was-said-ther"}, [f"{DEEP} (1)"]),
        ({"after": "2025"}, ["date"]),
        ({"tag": "KUBERNETES", "section": "ops/"}, []),
        ({"section": "llm/cards"}, []),
        ({"section": ".\\LLM\\cards"}, []),
        ({"section": "cards", "tag": ""}, []),
    ],
)
def test_a_name_that_no_post_has_is_told_with_the_nearest_and_the_commonest(
    blog: Blog, given: dict[str, str], told: list[str]
) -> None:
    for tool, asked in (("search_blog", {"query": "words"}), ("list_posts", {})):
        notice = blog.tool(tool, **asked, **given).facts.get("notice", "")
        assert [words for words in told if words not in notice] == []
        assert told or "No post has" not in notice


def test_a_failure_quotes_nothing_of_the_host(tmp_path: Path) -> None:
    foreign = r"open C:\My Documents\blob, \\server\my share\blob, http://me:sword@fish@host: EOF"
    failure = RequestFailed(FailureKind.FAILED, OllamaWire("http://127.0.0.1:1", "m"), foreign)
    assert foreign in str(failure)
    assert "sword" not in explain_failure(failure)
    with pytest.raises(IngestFailed) as raised:
        run_ingest(tmp_path / "my posts", Settings(tmp_path / "index"))
    assert "my posts" in str(raised.value)
    assert "my posts" not in explain_failure(raised.value)


@pytest.mark.parametrize(
    ("most", "taken"), [(0, ("ab",)), (3, ("ab",)), (4, ("ab", "cd")), (9, ("ab", "cd", "efg"))]
)
def test_as_many_as_fit_are_taken_and_one_at_least(most: int, taken: tuple[str, ...]) -> None:
    assert fit("".join, ("ab", "cd", "efg"), most) == taken
