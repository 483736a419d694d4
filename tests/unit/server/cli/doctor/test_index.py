"""What the doctor finds of an index and its embedder."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.commands import command
from blog_search_mcp.index.embedders.registry import choose_embedder
from blog_search_mcp.index.errors import EmbedderRefused
from blog_search_mcp.index.store.generations import switch
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import Progress
from blog_search_mcp.server.cli.doctor.index import check_index
from blog_search_mcp.server.cli.doctor.results import CheckResult

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

NOW = datetime.now(UTC)
SOUP = "# Soup\n\nBoil an onion.\n"


def about_the_index(blog: Blog, content: Path | None = None) -> list[CheckResult]:
    return check_index(blog.index, content, NOW + timedelta(hours=2.5)).results


def test_a_whole_index_is_told_with_its_numbers(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    found, posts = about_the_index(made)
    start, _, end = found.text.partition(" chunk, ")
    assert (found.subject, found.state, found.remedy) == ("index", "ok", None)
    assert start == f"{made.index} is whole: 1 post, 1"
    assert end.endswith(" MB, made 2 hours ago with fake bag-of-words.")
    assert posts == CheckResult(
        "posts", "ok", f"Nothing in {made.content} has changed since the last ingest."
    )


def test_posts_that_wait_for_their_vectors_are_counted(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    manifest = made.manifest
    waiting = replace(manifest.posts["soup.md"], waiting=1)
    switch(made.layout, manifest.model_copy(update={"posts": {"soup.md": waiting}}))
    assert about_the_index(made)[0].text.endswith(
        " with fake bag-of-words. Still being indexed: 0 of 1 posts are known by meaning so far, "
        "the others by words alone."
    )


def test_stale_posts_are_named_with_the_ingest_that_takes_them_in(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    made.write({"tea.md": "Tea.\n", "soup.md": SOUP * 2})
    assert about_the_index(made)[1] == CheckResult(
        "posts",
        "warning",
        "2 posts have changed since the index was made 2 hours ago: soup.md, tea.md.",
        command("ingest", made.content, "--index", made.index),
    )


def test_posts_that_are_gone_are_asked_for_and_found_where_they_are(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    moved = made.content.rename(made.content.with_name("moved"))
    gone = about_the_index(made)[1]
    assert (gone.state, gone.text) == ("warning", f"There is no content folder {made.content}.")
    assert gone.remedy == command("ingest", "CONTENT", "--index", made.index)
    assert about_the_index(made, moved)[1].state == "ok"


def test_an_index_whose_ingest_left_no_note_asks_for_an_ingest(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    made.layout.last_ingest.unlink()
    unknown = about_the_index(made)[1]
    assert unknown.state == "warning"
    assert unknown.remedy == command("ingest", "CONTENT", "--index", made.index)


def test_a_missing_index_is_a_problem_with_its_ingest(tmp_path: Path) -> None:
    assert check_index(tmp_path / "none", tmp_path / "posts", NOW).results == [
        CheckResult(
            "index",
            "problem",
            "There is no index in none/ yet.",
            command("ingest", tmp_path / "posts", "--index", tmp_path / "none"),
        )
    ]


@pytest.mark.parametrize("name", ["vectors/000001.npy", "chunks.db", "manifest.json"])
def test_a_damaged_index_is_a_problem_with_its_rebuild(name: str, blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    with (made.files.folder / name).open("r+b") as file:
        file.write(b"\x00")
    [broken] = about_the_index(made)
    assert (broken.subject, broken.state) == ("index", "problem")
    assert broken.text.startswith("The index's ")
    assert broken.remedy == command("ingest", made.content, "--index", made.index, "--rebuild")


def test_a_model_in_the_package_that_does_not_embed_is_a_problem(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog({"soup.md": SOUP})

    def refuse(*_: object) -> None:
        raise EmbedderRefused("The model is missing; install it again.")

    job = Job(
        made.content,
        made.index,
        partial(choose_embedder, "embedded", "all-MiniLM-L6-v2", ""),
        made.now,
    )
    ingest(replace(job, rebuild=True), Progress())
    monkeypatch.setattr("blog_search_mcp.index.embedders.packaged.OnnxEmbedder.embed_query", refuse)
    failed = about_the_index(made)[1]
    said = ("embedder", "problem", "The model is missing; install it again.")
    assert (failed.subject, failed.state, failed.text) == said


def test_a_file_that_an_ingest_deletes_meanwhile_is_no_failure(
    kept_blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = kept_blog({"a.md": "A post.\n"})
    passing, stat = made.index / "embeddings.db-wal", Path.stat
    passing.write_bytes(b"x")

    def stat_once(path: Path, **how: bool) -> object:
        found = stat(path, **how)
        if path == passing:
            passing.unlink()
        return found

    monkeypatch.setattr(Path, "stat", stat_once)
    assert made.store.measure()
