"""`blog-search-mcp setup` in a fresh home: from a folder of posts to an entry that answers."""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from blog_search_mcp.index.errors import EmbedderError
from blog_search_mcp.index.invocation import start_words
from blog_search_mcp.ingest import embed as embedding
from tests.support.front import Ran, command
from tests.support.served import write

POSTS = {
    "kv.md": "---\ntitle: KV cache\n---\nA KV cache keeps the keys and values of tokens.\n",
    "soup.md": "---\ntitle: Onion soup\n---\nBoil an onion slowly, for an hour.\n",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    write(folder / "blog" / "posts", POSTS)
    return folder


def setup(home: Path, *arguments: str, typed: str = "") -> Ran:
    """Run the command as a person does who has nothing but this home."""
    with (
        chdir(home),
        mock.patch.dict(os.environ, environment(home), clear=True),
        mock.patch("sys.stdin", io.StringIO(typed)),
    ):
        return command(*arguments)


def environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return kept | {"HOME": str(home), "USERPROFILE": str(home)}


def cursor_entries(home: Path) -> dict[str, Any]:
    text = (home / ".cursor/mcp.json").read_text(encoding="utf-8")
    return dict(json.loads(text)["mcpServers"])


def entry(index: Path, posts: Path) -> dict[str, object]:
    program, *words = start_words()
    arguments = [*words, "serve", "--index", str(index), "--watch", str(posts)]
    return {"command": program, "args": arguments}


def test_one_command_makes_the_index_the_entry_and_a_question(home: Path) -> None:
    (home / ".cursor").mkdir()
    posts, index = home / "blog/posts", home / "blog/.blog-index"
    done = setup(home, "setup", "~/blog/posts")
    assert done.status == 0
    assert cursor_entries(home) == {"blog": entry(index, posts)}
    *_, question, search = done.out.splitlines()
    assert "KV cache" in question or "Onion soup" in question
    assert "2 posts" in done.err
    words = shlex.split(search[search.index("search ") :])
    assert "1. " in command(*words).out

    before = (home / ".cursor/mcp.json").stat().st_mtime_ns
    again = setup(home, "setup", "blog/posts")
    assert again.status == 0
    assert "nothing changed" in again.err
    assert (home / ".cursor/mcp.json").stat().st_mtime_ns == before


def test_the_question_to_try_is_on_a_post_with_a_title_in_its_language(home: Path) -> None:
    daily = {f"2026-01-0{day}.md": f"# 2026-01-0{day}\n\nA walk.\n" for day in range(1, 4)}
    write(home / "notes", daily | {"a.md": "# 快取與記憶體\n\n這是我寫的關於快取的文章。\n"})
    question = setup(home, "setup", "notes").out.splitlines()[-2]
    assert ("「快取與記憶體」" in question, "2026" in question) == (True, False)


def test_a_folder_that_is_missing_in_a_site_is_told_with_the_one_that_is_there(home: Path) -> None:
    write(
        home / "site",
        {"hugo.toml": "baseURL = 'https://x.example'\n", "content/a.md": "# A\n\nText.\n"},
    )
    ran = setup(home, "setup", "site/articles")
    assert (ran.status, str(home / "site/content") in ran.err) == (2, True)


@pytest.mark.parametrize("words_first", [1, 500])
def test_clients_are_told_once_words_can_be_searched(
    words_first: int, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".cursor").mkdir()
    monkeypatch.setattr(embedding, "MAX_INLINE_WINDOWS", words_first)
    fails = mock.Mock(side_effect=EmbedderError("The model is gone."))
    monkeypatch.setattr(embedding.EmbeddingQueue, "embed_backlog", fails)
    assert setup(home, "setup", "blog/posts").status == 1
    assert [*cursor_entries(home)] == ["blog"]


def test_a_second_blog_gets_an_index_and_an_entry_of_its_own(home: Path) -> None:
    (home / ".cursor").mkdir()
    assert setup(home, "setup", "blog/posts").status == 0
    shutil.copytree(home / "blog/posts", home / "blog/drafts")
    write(home / "notes/posts", POSTS)
    assert setup(home, "setup", "blog/drafts").status == 0
    assert setup(home, "setup", "notes/posts").status == 0
    both = {
        "blog": entry(home / "blog/.blog-index", home / "blog/posts"),
        "blog-blog-drafts": entry(home / "blog/.blog-index-drafts", home / "blog/drafts"),
        "blog-notes": entry(home / "notes/.blog-index", home / "notes/posts"),
    }
    assert cursor_entries(home) == both


def test_every_client_that_is_found_is_told_unless_one_is_named(home: Path) -> None:
    for folder in (".cursor", ".claude"):
        (home / folder).mkdir()
    assert setup(home, "setup", "blog/posts", "--client", "cursor").status == 0
    assert (list(cursor_entries(home)), (home / ".claude.json").exists()) == (["blog"], False)
    assert setup(home, "setup", "blog/posts").status == 0
    assert (home / ".claude.json").exists()


def test_without_a_client_the_entry_is_printed(home: Path) -> None:
    done = setup(home, "setup", "blog/posts")
    assert done.status == 0
    assert done.out.startswith("No client was found here; ")
    shown = done.out[done.out.index("{") : done.out.rindex("}") + 1]
    index, posts = home / "blog/.blog-index", home / "blog/posts"
    assert json.loads(shown) == {"mcpServers": {"blog": entry(index, posts)}}


@pytest.mark.parametrize("folder", ["blog/nowhere", "empty"])
def test_a_folder_without_posts_is_a_sentence_and_leaves_no_entry(home: Path, folder: str) -> None:
    (home / ".cursor").mkdir()
    (home / "empty").mkdir()
    done = setup(home, "setup", folder)
    assert done.status == 1
    assert len(done.err.splitlines()) == 1
    assert str(home / folder) in done.err
    assert not (home / ".cursor/mcp.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a signal of Unix")
def test_a_stop_ends_the_ingest_before_there_is_an_entry(home: Path) -> None:
    (home / ".cursor").mkdir()
    posts = {f"{n}.md": f"# Post {n}\n\n{'A walrus rests on ice. ' * n}\n" for n in range(400)}
    write(home / "many", posts)
    with subprocess.Popen(
        [sys.executable, "-m", "blog_search_mcp", "setup", "many"],
        cwd=home,
        env=environment(home),
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    ) as ran:
        assert ran.stderr is not None
        assert ran.stderr.readline().startswith("indexing")
        os.killpg(ran.pid, signal.SIGINT)
        told = ran.stderr.read()
    assert ran.returncode == 128 + signal.SIGINT
    assert "run again" in told.lower()
    assert not (home / ".cursor/mcp.json").exists()


def test_posts_that_were_moved_keep_their_index_and_their_entry(home: Path) -> None:
    (home / ".cursor").mkdir()
    assert setup(home, "setup", "blog/posts", "--base-url", "https://x.org/", "--permalink", "hugo")
    (home / "blog/posts").rename(home / "blog/articles")
    done = setup(home, "setup", "blog/articles")
    assert "nothing changed" in done.err
    index = home / "blog/.blog-index"
    assert cursor_entries(home) == {"blog": entry(index, home / "blog/articles")}
    found = setup(home, "search", "--json", "--index", str(index), "--", "KV cache").out
    assert json.loads(found)["hits"][0]["url"].startswith("https://x.org/")


def test_an_index_that_came_with_the_posts_is_taken_over_by_command_alone(home: Path) -> None:
    assert setup(home, "setup", "blog/posts").status == 0
    shutil.copytree(home / "blog", home / "clone")
    shutil.rmtree(home / "blog")
    index = home / "clone/.blog-index"
    before = (index / "last_ingest.json").read_bytes()
    ran = setup(home, "setup", "clone/posts")
    said = f"setup {home / 'clone/posts'} --index {index}"
    assert (ran.status, ran.err.count("\n"), said in ran.err) == (1, 1, True)
    assert (index / "last_ingest.json").read_bytes() == before
    assert setup(home, "setup", "clone/posts", "--index", str(index)).status == 0
    assert setup(home, "setup", "clone/posts").status == 0


def test_entries_that_are_written_at_the_same_time_are_all_kept(home: Path) -> None:
    (home / ".cursor").mkdir()
    assert setup(home, "ingest", "blog/posts", "--index", "0/index").status == 0
    for number in range(1, 6):
        shutil.copytree(home / "0", home / str(number))
    words = (sys.executable, "-m", "blog_search_mcp", "install", "cursor", "--index")
    started = [
        subprocess.Popen(
            [*words, home / str(number) / "index"], env=environment(home), stdout=subprocess.DEVNULL
        )
        for number in range(6)
    ]
    assert [each.wait() for each in started] == [0] * 6
    assert len(cursor_entries(home)) == 6


def test_of_a_whole_site_the_posts_are_taken_and_the_index_lies_in_it(home: Path) -> None:
    (home / ".cursor").mkdir()
    site = home / "site"
    write(site / "content/posts", POSTS)
    (site / "hugo.toml").write_text('baseURL = "https://x.org/"\n', encoding="utf-8")
    assert setup(home, "setup", "site").status == 0
    assert cursor_entries(home) == {"blog": entry(site / ".blog-index", site / "content")}
    assert setup(home, "setup", "~", typed="n\n").status == 1
    assert not (home.parent / ".blog-index").exists()
