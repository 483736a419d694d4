"""A score taken apart is the score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.why import POSTS, SHARES, main, table, why
from blog_search_mcp.index.search.confidence import HELD, HIGH, HIGH_BY_WORDS, LOW, LOW_BY_WORDS
from blog_search_mcp.index.search.ranking import WEIGHTS, score_posts
from blog_search_mcp.index.search.search import find
from blog_search_mcp.index.search.snapshot import open_legs
from blog_search_mcp.index.search.snippets import WIDTH
from tools.sandbox import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.blog import MakeBlog

PAGE = (ROOT / "docs" / "how-search-works.md").read_text(encoding="utf-8")
BLOG = {
    "a.md": "---\ntitle: Caches\ndescription: What a cache keeps.\n---\nA cache keeps keys.\n",
    "b.md": "# Keys\n\nA key opens a door. See [what a cache keeps](a.md).\n",
    "c.md": "# Doors\n\nA door of oak.\n",
}


@pytest.mark.parametrize("text", ["cache keys", "what keeps the key of a door?", "oak"])
def test_weights_times_shares_are_the_scores(blog: MakeBlog, text: str) -> None:
    made = blog(BLOG)
    legs = open_legs(made.files, made.embedder)
    found = find(legs, text)
    taken = why(found.findings, found.query)
    assert taken.scores == score_posts(found.findings, found.query)
    assert list(taken.scores.values()) == sorted(taken.scores.values(), reverse=True)
    for post, shares in taken.shares.items():
        total = sum(taken.weights[name] * share for name, share in shares.items())
        assert total / sum(taken.weights.values()) == pytest.approx(taken.scores[post])
    legs.close()


def test_the_table_has_the_weights_and_the_first_posts(blog: MakeBlog) -> None:
    made = blog({f"{number}.md": f"# Oak {number}\n\nAn oak.\n" for number in range(POSTS + 1)})
    legs = open_legs(made.files, made.embedder)
    found = find(legs, "oak")
    rows = table(why(found.findings, found.query), {n: f"{n}.md" for n in range(9)})
    assert rows[0].split() == [*SHARES, "score"]
    assert [row.split()[0] for row in rows[1:2]] == ["weight"]
    assert len(rows) == 2 + POSTS
    legs.close()


def test_without_an_index_it_says_how_to_make_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["oak", "--index", str(tmp_path)]) == 1
    assert "python -m ingest CONTENT" in capsys.readouterr().err


def test_the_page_names_the_constants_there_are() -> None:
    shares = PAGE.partition("\n## From the legs to a score\n")[2]
    for name in SHARES:
        row = shares.partition(f"\n| {name} | ")[2].partition("\n")[0]
        assert row.split(" | ")[1].split()[0] == f"{getattr(WEIGHTS, name):g}"
    assert WEIGHTS.gate == 4.0, "the page says fourth power"
    assert f"at least {HIGH} of what half of the blog's own headings reach" in PAGE
    assert f"or {HIGH_BY_WORDS:g} where words alone" in PAGE
    assert f"below {LOW} of that, or below {LOW_BY_WORDS} where words" in PAGE
    assert f"at least {HELD} of the query's words" in PAGE
    assert f"about {WIDTH} columns" in PAGE
