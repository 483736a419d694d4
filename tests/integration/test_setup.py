"""`blog-search-mcp setup` in a fresh home: from a folder of posts to an entry that answers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from blog_search_mcp.index.commands import start_words
from tests.support.python import run_python

POSTS = {
    "kv.md": "---\ntitle: KV cache\n---\nA KV cache keeps the keys and values of tokens.\n",
    "soup.md": "---\ntitle: Onion soup\n---\nBoil an onion slowly, for an hour.\n",
}


ONE_PIPE = """
import os, sys
os.dup2(1, 2)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""Runs Python with its arguments, what it writes on stderr going where its output goes."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    write(folder / "blog" / "posts", POSTS)
    return folder


def write(folder: Path, posts: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    for source, text in posts.items():
        (folder / source).write_text(text, encoding="utf-8")


def setup(home: Path, *arguments: object, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command as a person does who has nothing but this home."""
    return in_home(home, "-m", "blog_search_mcp", *arguments, given=given)


def in_home(home: Path, *arguments: object, given: str = "") -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    environment = kept | {"HOME": str(home), "USERPROFILE": str(home)}
    return run_python(*arguments, cwd=home, env=environment, given=given)


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
    assert done.returncode == 0
    assert cursor_entries(home) == {"blog": entry(index, posts)}
    wrote, ask, terminal = done.stdout.splitlines()
    assert wrote == f"Wrote the entry 'blog' to {home}/.cursor/mcp.json. Restart Cursor to use it."
    assert ask.startswith("Ask Cursor, for instance: What does my blog say about ")
    assert f"search --index {index} -- " in terminal
    assert "2 posts, 2 chunks: 2 added" in done.stderr

    before = (home / ".cursor/mcp.json").stat().st_mtime_ns
    again = setup(home, "setup", "blog/posts")
    assert again.returncode == 0
    assert "is as it should be; nothing was written." in again.stdout
    assert again.stdout.splitlines()[1:] == [ask, terminal]
    assert "2 posts, 2 chunks: nothing changed" in again.stderr
    assert (home / ".cursor/mcp.json").stat().st_mtime_ns == before


def test_a_pipe_has_the_entry_before_the_ingest_ends(home: Path) -> None:
    (home / ".cursor").mkdir()
    told = in_home(home, "-c", ONE_PIPE, "-m", "blog_search_mcp", "setup", "blog/posts")
    lines = [line.partition(" ")[0] for line in told.stdout.splitlines()]
    assert lines.index("Wrote") < lines.index("2")


def test_a_second_blog_gets_an_index_and_an_entry_of_its_own(home: Path) -> None:
    (home / ".cursor").mkdir()
    assert setup(home, "setup", "blog/posts").returncode == 0
    shutil.copytree(home / "blog/posts", home / "blog/drafts")
    write(home / "notes/posts", POSTS)
    assert setup(home, "setup", "blog/drafts").returncode == 0
    assert setup(home, "setup", "notes/posts").returncode == 0
    both = {
        "blog": entry(home / "blog/.blog-index", home / "blog/posts"),
        "blog-drafts": entry(home / "blog/.blog-index-drafts", home / "blog/drafts"),
        "blog-notes": entry(home / "notes/.blog-index", home / "notes/posts"),
    }
    assert cursor_entries(home) == both
    several = setup(home, "uninstall", "cursor")
    assert (several.returncode, several.stdout) == (1, "")
    assert several.stderr == (
        "Several entries are meant: 'blog', 'blog-drafts', 'blog-notes'. Say which with --name.\n"
    )
    assert setup(home, "uninstall", "cursor", "--index", "notes/.blog-index").returncode == 0
    assert setup(home, "uninstall", "cursor", "--name", "blog").returncode == 0
    assert setup(home, "uninstall", "cursor").returncode == 0
    assert cursor_entries(home) == {}


def test_without_a_terminal_several_clients_are_a_sentence(home: Path) -> None:
    for folder in (".cursor", ".claude"):
        (home / folder).mkdir()
    asked = setup(home, "setup", "blog/posts")
    assert (asked.returncode, asked.stdout) == (1, "")
    assert asked.stderr == (
        "There are several clients here: claude-code, cursor. Say which with --client, or take all "
        "with --client all.\n"
    )
    assert not (home / "blog/.blog-index").exists()
    assert setup(home, "setup", "blog/posts", "--client", "cursor").returncode == 0
    assert not (home / ".claude.json").exists()
    assert setup(home, "setup", "blog/posts", "--client", "all").returncode == 0
    assert (home / ".claude.json").exists()


def test_without_a_client_the_entry_is_printed(home: Path) -> None:
    done = setup(home, "setup", "blog/posts")
    assert done.returncode == 0
    assert done.stdout.startswith("No client was found here; ")
    shown = done.stdout[done.stdout.index("{") : done.stdout.rindex("}") + 1]
    index, posts = home / "blog/.blog-index", home / "blog/posts"
    assert json.loads(shown) == {"mcpServers": {"blog": entry(index, posts)}}


def test_without_a_client_no_entry_is_printed_for_an_ingest_that_failed(home: Path) -> None:
    (home / "empty").mkdir()
    done = setup(home, "setup", "empty")
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert str(home / "empty") in done.stderr


@pytest.mark.parametrize("folder", ["blog/nowhere", "empty"])
def test_a_folder_without_posts_is_a_sentence_and_leaves_no_entry(home: Path, folder: str) -> None:
    (home / ".cursor").mkdir()
    (home / "empty").mkdir()
    done = setup(home, "setup", folder)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert str(home / folder) in done.stderr
    file = home / ".cursor/mcp.json"
    assert not file.exists() or cursor_entries(home) == {}


STOPPED = "Stopped; the index is whole and finished embeddings are kept. Run again to go on.\n"
needs_mask = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no mask of signals")


def stop_while_the_ingest_loads_python(
    home: Path, signals: str
) -> subprocess.CompletedProcess[str]:
    """Run setup with an ingest that does so before it takes signals."""
    (home / ".cursor").mkdir()
    (home / "sitecustomize.py").write_text(
        f"import os, signal, sys\nif 'blog_search_mcp.ingest' in sys.orig_argv:\n    {signals}\n",
        encoding="utf-8",
    )
    program = "import os, sys; os.environ['PYTHONPATH'] = os.getcwd(); sys.argv[1:1] = ['setup']\n"
    program += "from blog_search_mcp.__main__ import main; main()"
    return in_home(home, "-c", program, "blog/posts", "--client", "cursor")


@needs_mask
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_stop_while_the_ingest_loads_python_is_one_sentence(
    home: Path, name: str, status: int
) -> None:
    ran = stop_while_the_ingest_loads_python(home, f"os.kill(os.getpid(), signal.{name})")
    assert (ran.returncode, ran.stderr) == (status, STOPPED)
    assert list(cursor_entries(home)) == ["blog"]


@needs_mask
def test_an_ingest_that_a_second_signal_ends_was_stopped_and_has_not_failed(home: Path) -> None:
    free = "signal.pthread_sigmask(signal.SIG_SETMASK, [])"
    ran = stop_while_the_ingest_loads_python(home, f"{free}; os.kill(os.getpid(), signal.SIGTERM)")
    assert (ran.returncode, ran.stderr) == (143, "")
    assert list(cursor_entries(home)) == ["blog"]


@needs_mask
def test_a_signal_just_after_the_ingest_began_stops_it_too(home: Path) -> None:
    (home / ".cursor").mkdir()
    program = (
        "import os, signal, subprocess, sys\n"
        "class Popen(subprocess.Popen):\n"
        "    def __init__(self, *arguments, **options):\n"
        "        super().__init__(*arguments, **options)\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "subprocess.Popen = Popen\n"
        "sys.argv[1:1] = ['setup']\n"
        "from blog_search_mcp.__main__ import main; main()"
    )
    ran = in_home(home, "-c", program, "blog/posts", "--client", "cursor")
    assert (ran.returncode, ran.stderr) == (143, STOPPED)


@needs_mask
def test_a_signal_while_a_client_s_file_is_replaced_leaves_nothing_beside_it(home: Path) -> None:
    program = (
        "import os, pathlib, signal\n"
        "from blog_search_mcp.index.signals import end_on_signals\n"
        "from blog_search_mcp.server.cli.files import replace_file\n"
        "end_on_signals()\n"
        "stop = lambda _: os.kill(os.getpid(), signal.SIGTERM)\n"
        "replace_file(pathlib.Path('blog/a.json'), b'whole', stop)\n"
    )
    assert in_home(home, "-c", program).returncode == 143
    assert sorted(path.name for path in (home / "blog").iterdir()) == ["a.json", "posts"]
    assert (home / "blog/a.json").read_bytes() == b"whole"


def test_signals_are_taken_as_before_once_the_ingest_has_ended(home: Path) -> None:
    (home / ".cursor").mkdir()
    program = (
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from blog_search_mcp.server.cli import setup\n"
        "from blog_search_mcp.cli import program\n"
        "from blog_search_mcp.index.command_line import run\n"
        "setup._first_question = lambda *_: str(signal.getsignal(signal.SIGINT))\n"
        "run(program, ['setup', 'blog/posts', '--client', 'cursor'])\n"
    )
    ran = in_home(home, "-c", program)
    assert (ran.returncode, "default_int_handler" in ran.stdout) == (0, True), ran.stderr
