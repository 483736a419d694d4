"""What the doctor tells of an index, its posts, its embedder and the entries of clients."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from blog_search_mcp.index.invocation import PACKAGE, start_words
from tests.support.front import Blog, Ran, made
from tests.support.ollama_standin import Model, OllamaStandIn, running
from tests.support.ports import free_port

POSTS = {"soup.md": "# Soup\n\nBoil an onion.\n"}
SCRIPT = start_words()[0]


@pytest.fixture
def blog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Blog:
    """A blog with a space in its folder's name, on a machine without clients."""
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return made(tmp_path / "my blog", POSTS)


def told(ran: Ran, subject: str) -> tuple[str, str]:
    """The state of a subject, and what is said of it."""
    [(state, text)] = re.findall(rf"^(\w+) +{subject} +(.*)$", ran.out, re.MULTILINE)
    return state, text


def test_a_sound_index_has_no_fault(blog: Blog) -> None:
    ran = blog.command("doctor")
    assert ran.status == 0
    assert {told(ran, name)[0] for name in ("index", "embedder", "posts", "tools")} == {"ok"}


@pytest.mark.parametrize(
    ("damaged", "subject", "state"),
    [
        (None, "posts", "warning"),
        ("manifest.json", "index", "problem"),
        ("chunks.db", "index", "problem"),
        ("vectors/000001.faiss", "index", "problem"),
    ],
)
def test_the_command_that_it_gives_mends_what_it_tells(
    blog: Blog, damaged: str | None, subject: str, state: str
) -> None:
    if damaged is None:
        blog.write({"tea.md": "Tea.\n", "soup.md": "# Soup\n\nBoil two onions.\n"})
    else:
        [path] = blog.index.glob(f"generations/*/{damaged}")
        path.write_bytes(b"\x00" + path.read_bytes()[1:])
    ran = blog.command("doctor")
    said, text = told(ran, subject)
    assert (said, ran.status) == (state, int(state == "problem"))
    [command] = re.findall("`([^`]+)`", text)
    program, name, *words = shlex.split(command)
    assert (Path(program).name, name) == (PACKAGE, "ingest")
    assert words[:3] == [str(blog.content), "--index", str(blog.index)]
    assert blog.ingest(*words[3:]).status == 0
    mended = blog.command("doctor")
    assert (told(mended, "index")[0], told(mended, "posts")[0]) == ("ok", "ok")


def test_posts_that_were_moved_and_a_missing_index_are_told(blog: Blog) -> None:
    moved = Blog(blog.content.rename(blog.content.with_name("moved")), blog.index)
    state, text = told(moved.command("doctor"), "posts")
    assert (state, f"setup {moved.content} --index" in text.replace("'", "")) == ("warning", True)
    assert moved.ingest().status == 0
    assert told(moved.command("doctor"), "posts")[0] == "ok"
    state, text = told(Blog(blog.content, blog.index / "none").command("doctor"), "index")
    assert (state, "blog-search-mcp setup" in text) == ("problem", True)


@pytest.mark.parametrize(
    ("server", "state", "words"),
    [
        (OllamaStandIn(), "ok", "nomic-embed-text"),
        (OllamaStandIn(models=[]), "problem", "ollama pull nomic-embed-text"),
        (OllamaStandIn(models=[Model(digest="f" * 64)]), "problem", "--rebuild"),
        (None, "problem", "ollama serve"),
    ],
)
def test_what_the_index_s_ollama_lacks_is_told(
    tmp_path: Path, server: OllamaStandIn | None, state: str, words: str
) -> None:
    with running() as whole:
        options = ("--embedder", "ollama", "--embedder-url", whole.host)
        blog = made(tmp_path / "of Ollama", POSTS, *options)
    if server is None:
        ran = blog.command("doctor", "--embedder-url", f"127.0.0.1:{free_port()}")
    else:
        with running(server):
            ran = blog.command("doctor", "--embedder-url", server.host)
    said, text = told(ran, "embedder")
    assert (said, words in text) == (state, True)


@pytest.mark.parametrize(
    ("entry", "state", "words"),
    [
        ({"command": SCRIPT, "args": ["serve", "--index", "INDEX"]}, "ok", ""),
        (
            {"command": "/gone/blog-search-mcp", "args": ["--index", "/ix"]},
            "problem",
            "install cursor --index /ix --name blog",
        ),
        ({"command": SCRIPT}, "warning", "install cursor"),
        ({"command": SCRIPT, "args": ["--index", "ix"]}, "warning", "install cursor"),
        ({"command": SCRIPT, "args": ["--index", "/no/such"]}, "problem", "--index /no/such"),
        (
            {"command": SCRIPT, "args": ["serve", "--index", "INDEX", "--watch", "/no/posts"]},
            "warning",
            "setup ",
        ),
        (
            {"url": "http://127.0.0.1:9/mcp", "headers": {"X-Installed-By": "blog-search-mcp"}},
            "ok",
            "127.0.0.1:9",
        ),
        ("{", "warning", "JSON"),
    ],
)
def test_an_entry_that_does_not_work_is_told_with_the_command_that_mends_it(
    blog: Blog, entry: object, state: str, words: str
) -> None:
    Path(".cursor").mkdir()
    text = json.dumps({"mcpServers": {"blog": entry}}) if isinstance(entry, dict) else str(entry)
    Path(".cursor/mcp.json").write_text(text.replace("INDEX", str(blog.index)), encoding="utf-8")
    said, text = told(blog.command("doctor"), "Cursor")
    assert (said, words in text) == (state, True)


def test_the_definitions_of_the_tools_stay_within_their_budget(blog: Blog) -> None:
    _, text = told(blog.command("doctor"), "tools")
    tokens = [int(count.replace(",", "")) for count in re.findall(r"[0-9,]*[0-9]", text)]
    budgets = [540, 890, 1_000]
    assert all(200 < count <= most for count, most in zip(tokens, budgets, strict=True))
