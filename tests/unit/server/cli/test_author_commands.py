"""The commands for those who write the blog: what they tell of drafts, posts and the whole blog."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from blog_search_mcp.server.cli.options import AUDIT_KINDS
from tests.support.front import Blog, command, made

ICE = (
    "Walruses haul out on drifting ice in summer, and they rest there between long dives for "
    "clams on the sea floor."
)
POSTS = {
    "walrus.md": f"---\ntitle: Walrus\ndate: 2024-01-01\n---\n## On ice\n\n{ICE}\n",
    "seal.md": "---\ntitle: Seal\ndate: 2022-01-01\n---\nThe seal rests. See [it](gone.md).\n",
    "soup.md": "---\ntitle: Onion soup\n---\nOnions simmer until brown. [Not](lost.md) here.\n",
    "bread.md": "---\ntitle: Bread\n---\nTo onion soup belongs bread. See [soup](soup.md).\n",
    "left.md": "---\ntitle: Left\ndate: 2020-01-01\ndraft: true\n---\nSome words.\n",
}
DRAFT = f"## Ice\n\n{ICE}\n\n## Supper\n\nIt was `onion soup`, onion\nsoup indeed.\n"


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    folder = tmp_path_factory.mktemp("blog")
    (folder / "draft.md").write_text(DRAFT, encoding="utf-8")
    (folder / "new.md").write_text("Granite rises.\n", encoding="utf-8")
    return made(folder, POSTS)


def facts(blog: Blog, *words: str, status: int = 0) -> Any:
    """What a command prints as JSON; a name with a slash is that of a file beside the index."""
    ran = blog.command("author", *(_place(blog, word) for word in words), "--json")
    assert ran.status == status, ran.err
    return json.loads(ran.out)


def _place(blog: Blog, word: str) -> str:
    return str(blog.index.parent / word) if word[:2] == "./" else word


def test_the_post_that_says_what_a_draft_says_is_named_with_the_lines(
    blog: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DRAFT.encode())))
    for subject in ("./draft.md", "-"):
        [post] = facts(blog, "similar", subject)["posts"]
        [meeting] = post["meetings"]
        said = (post["source"], post["kind"], meeting["my_lines"])
        assert said == ("walrus.md", "same text", "1-3")


@pytest.mark.parametrize("subject", ["walrus.md", "./content/walrus.md"])
def test_a_post_is_compared_with_the_others_alone(blog: Blog, subject: str) -> None:
    similar = facts(blog, "similar", subject)
    assert similar["posts"] == []
    assert "walrus.md" not in [post["source"] for post in similar["nearest"]]


def test_posts_that_a_draft_names_without_a_link_are_suggested(blog: Blog) -> None:
    links = facts(blog, "links", "./draft.md", "--limit", "20")["links"]
    [soup] = [link for link in links if link["source"] == "soup.md"]
    assert (soup["line"], soup["href"]) == (7, "soup.md")
    none = facts(blog, "links", "bread.md", "--limit", "1")
    assert (none["links"], bool(none["notice"])) == ([], True)


def test_the_audit_counts_each_kind_and_shows_as_many_as_are_asked_for(blog: Blog) -> None:
    audit = facts(blog, "audit", "--limit", "1")
    assert audit["posts"] == 4
    assert audit["counts"] == dict(zip(AUDIT_KINDS, (2, 0, 3, 0, 0, 1), strict=True))
    [broken] = audit["findings"]["broken-links"]
    assert (broken["source"], broken["line"]) == ("seal.md", 5)
    assert audit["findings"]["stale-drafts"][0]["source"] == "left.md"


@pytest.mark.parametrize(
    ("kinds", "status"), [(["broken-links"], 1), (["tags", "orphans"], 1), (["tags"], 0), ([], 0)]
)
def test_the_audit_fails_on_the_kinds_that_it_was_told_alone(
    blog: Blog, kinds: list[str], status: int
) -> None:
    options = [f"--fail-on={kind}" for kind in kinds]
    assert blog.command("author", "audit", *options).status == status


@pytest.mark.parametrize("words", [("similar", "./draft.md"), ("links", "./draft.md"), ("audit",)])
def test_the_lines_name_every_post_that_the_json_names(blog: Blog, words: tuple[str, ...]) -> None:
    named = {source for source in POSTS if source in json.dumps(facts(blog, *words))}
    ran = blog.command("author", *(_place(blog, word) for word in words))
    assert named
    assert {source for source in POSTS if source in ran.out} == named


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_no_name_of_a_file_makes_a_line_of_its_own(tmp_path: Path) -> None:
    blog = made(tmp_path, {"a\n1. b.md": "# Walrus\n\nThe walrus rests.\x1b[2J [x](gone.md)\n"})
    lines = blog.command("author", "audit").out
    assert ("1. b.md" in lines, "\n1. b.md" in lines, "\x1b" in lines) == (True, False, False)


def test_a_post_that_is_none_is_refused_with_the_nearest(blog: Blog) -> None:
    ran = blog.command("author", "similar", "walrvs.md")
    assert (ran.status, ran.out, "walrus.md" in ran.err) == (1, "", True)


RELATED = {
    "walrus.md": "# Walrus\n\nThe big walrus rests on the cold ice of the northern sea all day.\n",
    "seal.md": "# Seal\n\nThe small seal rests on the cold ice of the northern sea at night.\n",
    "soup.md": "# Soup\n\nThe hot soup is cooked in a large pot with bread and butter.\n",
    "brød.md": "# Bread\n\nThe fresh bread is baked and eaten with butter and a pot of soup.\n",
}


@pytest.mark.parametrize(
    ("options", "page"),
    [
        ((), "seal.md"),
        (("--base-url", "https://example.org/blog/", "--permalink", "hugo"), "/blog/seal/"),
    ],
)
def test_a_site_finds_related_posts_by_the_path_of_the_page_or_the_source(
    tmp_path: Path, options: tuple[str, ...], page: str
) -> None:
    related = json.loads(made(tmp_path, RELATED, *options).command("author", "related").out)
    assert related[page][0]["source"] == "walrus.md"


def test_a_folder_is_audited_without_an_index_and_without_an_embedder(
    blog: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("httpx.Client.send", lambda *_, **__: pytest.fail("a server is asked"))
    audited = command("author", "audit", str(blog.content), "--fail-on", "broken-links")
    assert (audited.status, "gone.md" in audited.out) == (1, True)
