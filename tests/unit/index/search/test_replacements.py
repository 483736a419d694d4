"""Posts that are replaced: the current one is found first, and the other says what replaced it."""

import json
from datetime import date
from pathlib import Path
from unittest import mock

import pytest

from blog_search_mcp.ingest.relations.replacements import find_versions
from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.settings import Settings
from tests.support.front import Blog, made


@pytest.mark.parametrize(
    ("current", "old"),
    [
        ("docs/a.md", "versioned_docs/version-2.1/a.md"),
        ("docs/b/a.mdx", "website/versioned_docs/version-v1/b/a.md"),
        ("site/docs/a.md", "site/versioned_docs/version-legacy/a.md"),
        ("team_docs/a.md", "team_versioned_docs/version-1.0/a.md"),
        ("cli-v2/b/a.md", "cli-v2_versioned_docs/version-1.0/b/a.md"),
        ("w/docs-api/a.md", "w/api_versioned_docs/version-3/a.md"),
        ("versioned_docs/version-10.0/a.md", "versioned_docs/version-9.1/a.md"),
    ],
)
def test_an_old_page_has_a_current_one(current: str, old: str) -> None:
    posts = [(1, current), (2, old), (3, "z.md")]
    assert find_versions(posts) == {2: 1}


@pytest.mark.parametrize(
    ("one", "other"), [("releases/v1.2/a.md", "releases/v1.3/a.md"), ("a/docs/x.md", "b/docs/x.md")]
)
def test_posts_that_are_no_versions_stand_by_themselves(one: str, other: str) -> None:
    assert find_versions([(1, one), (2, other)]) == {}


def test_the_current_page_answers_for_the_old_ones(tmp_path: Path) -> None:
    text = "---\ntitle: Wind up the clock\n---\n\nTurn the {} key until the spring is tight.\n"
    gone = "---\ntitle: The cuckoo\n---\n\nThe cuckoo sings at noon if the bellows are oiled.\n"
    posts = {
        "docs/wind.md": text.format("brass"),
        "versioned_docs/version-1.0/wind.md": text.format("iron"),
        "versioned_docs/version-2.0/wind.md": text.format("brass"),
        "versioned_docs/version-1.0/cuckoo.md": gone,
    }
    blog = made(tmp_path, posts)
    assert blog.sources("how do I wind up the clock")[:1] == ["docs/wind.md"]
    assert blog.sources("wind up the clock 1.0")[0] == "versioned_docs/version-1.0/wind.md"
    assert blog.sources("when does the cuckoo sing")[0] == "versioned_docs/version-1.0/cuckoo.md"
    assert "1.0" in blog.posts()["versioned_docs/version-1.0/cuckoo.md"]["title"]


def find_notices(blog: Blog, query: str) -> list[tuple[str, str | None]]:
    """List source and what is told of each hit."""
    hits = json.loads(blog.command("search", "--json", query).out)["hits"]
    return [(hit["source"], hit["outdated"]) for hit in hits]


OLD = "The greenhouse is heated with peat. Heating the greenhouse costs forty crowns a week.\n"
NEW = "The greenhouse is heated by a heat pump since the autumn, at a third of the cost.\n"
ASKED = "how is the greenhouse heated"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("---\nsuperseded_by: new.md\n---\n{}", "{}"),
        ("---\nReplaced-By: '[[Warm roots|the pump]]'\n---\n{}", "---\ntitle: Warm roots\n---\n{}"),
        ("---\nreplaced_by: [[new]]\n---\n{}", "{}"),
        ("---\nsuperseded_by: ['[pump](./new.md#cost)']\n---\n{}", "{}"),
        ("---\nsuperseded_by: Warm roots\n---\n{}", "---\ntitle: Warm roots\n---\n{}"),
        ("---\nsuperseded_by: heat-pump\n---\n{}", "---\nslug: heat-pump\n---\n{}"),
        ("---\nstatus: Superseded by [3](new.md)\n---\n{}", "{}"),
        ("{}", "---\nsupersedes:\n  - old\n  - gone.md\n---\n{}"),
        ("{}", "---\nreplaces: '[[old]]'\n---\n{}"),
        ("*Replaced on 4 May 2023 by [the pump](new.md).*\n\n{}", "{}"),
        ("> [!warning] Outdated\n> This note was superseded by [[new]].\n\n{}", "{}"),
        ("{}\n\nEine neuere Fassung dieses Artikels: [hier](new.md)\n", "{}"),
        ("Cet article est obsolète, remplacé par [ceci](new.md).\n\n{}", "{}"),
        ("この記事は古いです。最新版はこちら：[ポンプ](new.md)\n\n{}", "{}"),
        ("本文已過時，新版見 [熱泵](new.md)。\n\n{}", "{}"),
    ],
)
def test_the_current_post_stands_above_the_one_it_replaces(
    tmp_path: Path, old: str, new: str
) -> None:
    posts = {"old.md": old.format(OLD), "new.md": new.format(NEW)}
    blog = made(tmp_path, posts, "--model", "all-MiniLM-L6-v2")
    assert blog.sources(ASKED)[:2] == ["new.md", "old.md"]
    assert blog.sources("peat forty crowns a week")[0] == "old.md"
    notices = dict(find_notices(blog, ASKED))
    assert notices == {"new.md": None, "old.md": "replaced by new.md"}
    text = blog.tool("search_blog", query=ASKED, response_format="markdown").text
    assert "outdated: replaced by new.md" in text[text.index("2. old.md") :]
    for source in notices:
        text = blog.tool("read_chunk", source=source).text
        assert ("replaced by new.md" in text) == (source == "old.md")


def test_the_current_post_is_first_also_for_the_title_of_the_old_one(tmp_path: Path) -> None:
    old = f"---\ntitle: Heat in the greenhouse\nsuperseded_by: new.md\n---\n{OLD}"
    blog = made(tmp_path, {"old.md": old, "new.md": NEW}, "--model", "all-MiniLM-L6-v2")
    assert blog.sources("Heat in the greenhouse")[:2] == ["new.md", "old.md"]


@pytest.mark.parametrize(
    ("front", "notice"),
    [
        ("status: Deprecated", "deprecated"),
        ("state: archived", "archived"),
        ("status: Now obsolete, see the wiki", "obsolete"),
        ("stale_after: 2020-02-29", "since 2020-02-29"),
        ("superseded_by: lost.md\nstatus: superseded", "superseded"),
    ],
)
def test_an_outdated_post_stands_below_its_equal(tmp_path: Path, front: str, notice: str) -> None:
    posts = {
        "a.md": f"---\n{front}\n---\nThe boiler of the laundry is emptied on Mondays at six.\n",
        "b.md": "---\nstatus: ok\n---\nFridays at ten the boiler of the laundry is emptied.\n",
    }
    blog = made(tmp_path, posts, "--model", "all-MiniLM-L6-v2")
    notices = find_notices(blog, "when is the boiler of the laundry emptied")
    assert notices == [("b.md", None), ("a.md", notice)]
    assert f"outdated: {notice}" in blog.tool("read_chunk", source="a.md").text


def test_a_running_server_knows_what_is_outdated_today(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blog = made(tmp_path, {"a.md": f"---\nstale_after: 8000-02-29\n---\n{NEW}"})
    engine = engine_for(Settings(blog.index))
    assert engine.read("a.md", 0, 0).replacement is None
    later = mock.Mock(today=lambda: date(8000, 3, 1))
    monkeypatch.setattr("blog_search_mcp.index.search.snapshot.date", later)
    assert engine.read("a.md", 0, 0).replacement is not None


@pytest.mark.parametrize(
    "old",
    [
        "Peat was replaced by [the pump](new.md).\n\n{}",
        "This is an updated version of [the pump](new.md).\n\n{}",
        "---\nsuperseded_by: lost.md\nstale_after: 9000-01-01\nstatus: active\n---\n{}",
        "---\nsuperseded_by: new.md\nsupersedes: new.md\n---\n{}",
        "---\nsuperseded_by: old.md\nstatus: in use\n---\n{}",
    ],
)
def test_other_posts_are_replaced_by_none(tmp_path: Path, old: str) -> None:
    posts = {"old.md": old.format(OLD), "new.md": "---\nsuperseded_by: old.md\n---\n" + NEW}
    posts["new.md"] = posts["new.md"] if "supersedes: new" in old else NEW
    blog = made(tmp_path, posts, "--model", "all-MiniLM-L6-v2")
    assert {*dict(find_notices(blog, ASKED)).values()} == {None}


def test_a_replacement_follows_an_edit_of_either_post(tmp_path: Path) -> None:
    blog = made(tmp_path, {"a.md": OLD, "b.md": OLD, "c.md": NEW, "d.md": OLD * 2})
    blog.write({"b.md": f"---\nsuperseded_by: c.md\n---\n{OLD}"})
    blog.ingest()
    assert "outdated: replaced by c.md" in blog.tool("read_chunk", source="b.md").text
    blog.write({"a.md": f"Replaced by [b](b.md).\n\n{OLD}", "c.md": f"{NEW}\nMore.\n"})
    blog.ingest()
    assert "outdated: replaced by c.md" in blog.tool("read_chunk", source="a.md").text
    (blog.content / "c.md").unlink()
    blog.ingest()
    assert "outdated: replaced by b.md" in blog.tool("read_chunk", source="a.md").text
    assert "outdated:" not in blog.tool("read_chunk", source="b.md").text


def test_a_note_that_expired_is_outdated_where_no_site_takes_it_out(tmp_path: Path) -> None:
    note = {"pass.md": "---\nexpires: 2021-05-01\n---\nThe ferry pass hangs by the door.\n"}
    vault = made(tmp_path / "vault", {".obsidian/app.json": "{}", "b.md": NEW, **note})
    assert ("pass.md", "since 2021-05-01") in find_notices(vault, "where hangs the ferry pass")
    blog = made(tmp_path / "blog", {"b.md": NEW, **note})
    assert "pass.md" not in blog.posts()
