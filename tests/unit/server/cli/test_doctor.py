"""What the doctor tells of an index, its posts, its embedder and the entries of clients."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from blog_search_mcp.index.commands import PACKAGE, start_words
from tests.support.front import Blog, Ran, made
from tests.support.ollama_standin import Model, OllamaStandIn, fails, running
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


def change_posts(blog: Blog) -> None:
    blog.write({"tea.md": "Tea.\n", "soup.md": "# Soup\n\nBoil two onions.\n"})


def forget_the_last_ingest(blog: Blog) -> None:
    (blog.index / "last_ingest.json").unlink()


def damage(name: str) -> Callable[[Blog], None]:
    def damage_file(blog: Blog) -> None:
        [path] = blog.index.glob(f"generations/*/{name}")
        path.write_bytes(b"\x00" + path.read_bytes()[1:])

    return damage_file


@pytest.mark.parametrize(
    ("change", "subject", "state"),
    [
        (change_posts, "posts", "warning"),
        (damage("manifest.json"), "index", "problem"),
        (damage("chunks.db"), "index", "problem"),
        (damage("vectors/000001.rows"), "index", "problem"),
    ],
)
def test_the_command_that_it_gives_mends_what_it_tells(
    blog: Blog, change: Callable[[Blog], None], subject: str, state: str
) -> None:
    change(blog)
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


def test_changed_posts_are_named(blog: Blog) -> None:
    change_posts(blog)
    _, text = told(blog.command("doctor"), "posts")
    assert {name for name in ("tea.md", "soup.md") if name in text} == {"tea.md", "soup.md"}


def test_posts_that_were_moved_are_asked_for_until_they_are_ingested(blog: Blog) -> None:
    moved = Blog(blog.content.rename(blog.content.with_name("moved")), blog.index)
    state, text = told(moved.command("doctor"), "posts")
    assert state == "warning"
    assert "blog-search-mcp ingest CONTENT" in text
    assert moved.ingest().status == 0
    assert told(moved.command("doctor"), "posts")[0] == "ok"


def test_an_ingest_is_asked_for_where_nothing_is_known_of_the_last(blog: Blog) -> None:
    forget_the_last_ingest(blog)
    state, text = told(blog.command("doctor"), "posts")
    assert state == "warning"
    assert "blog-search-mcp ingest" in text


def test_a_missing_index_is_a_problem(blog: Blog) -> None:
    ran = Blog(blog.content, blog.index.with_name("none")).command("doctor")
    state, text = told(ran, "index")
    assert (ran.status, state) == (1, "problem")
    assert "blog-search-mcp ingest" in text


@pytest.mark.parametrize(
    ("server", "state", "words"),
    [
        (OllamaStandIn(), "ok", "nomic-embed-text"),
        (OllamaStandIn(models=[]), "problem", "ollama pull nomic-embed-text"),
        (OllamaStandIn(models=[Model(digest="f" * 64)]), "problem", "--rebuild"),
        (OllamaStandIn(version="0.20.1"), "warning", "capitals"),
        (OllamaStandIn(on_text={"": fails(500, "EOF")}), "problem", "by words alone"),
        (None, "problem", "ollama serve"),
    ],
)
def test_what_the_index_s_ollama_lacks_is_told(
    tmp_path: Path, blog: Blog, server: OllamaStandIn | None, state: str, words: str
) -> None:
    with running() as whole:
        options = ("--embedder", "ollama", "--embedder-url", whole.host)
        of_ollama = made(tmp_path / "of Ollama", POSTS, *options)
    if server is None:
        ran = of_ollama.command("doctor", "--embedder-url", f"127.0.0.1:{free_port()}")
    else:
        with running(server):
            ran = of_ollama.command("doctor", "--embedder-url", server.host)
    said, text = told(ran, "embedder")
    assert said == state
    assert words in text
    assert blog.command("doctor", "--embedder-url", "127.0.0.1:1").status == 0


def write_entry(path: str, entry: object) -> None:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"mcpServers": {"blog": entry}}), encoding="utf-8")


@pytest.mark.parametrize(
    ("entry", "state", "words"),
    [
        ({"command": SCRIPT, "args": ["--index", "INDEX"]}, "ok", ""),
        (
            {"command": "/gone/blog-search-mcp", "args": ["--index", "/ix"]},
            "problem",
            "install cursor --index /ix --name blog",
        ),
        (
            {"command": "blog-search-mcp", "args": ["--index", "/ix"]},
            "warning|problem",
            "--name blog",
        ),
        ({"command": SCRIPT}, "warning", "install cursor"),
        ({"command": SCRIPT, "args": ["--index", "ix"]}, "warning", "install cursor"),
        ({"command": SCRIPT, "args": ["--index", "~nobody-here/ix"]}, "warning", "install cursor"),
        ({"command": SCRIPT, "env": {"BLOG_INDEX": "/no/such"}}, "problem", "--index /no/such"),
    ],
)
def test_an_entry_that_does_not_work_is_told_with_the_command_that_mends_it(
    blog: Blog, entry: dict[str, object], state: str, words: str
) -> None:
    arguments = entry.get("args")
    if isinstance(arguments, list) and arguments[-1] == "INDEX":
        entry = entry | {"args": ["--index", str(blog.index)]}
    write_entry(".cursor/mcp.json", entry)
    said, text = told(blog.command("doctor"), "Cursor")
    assert said in state.split("|")
    assert words in text


def test_a_settings_file_that_is_no_json_is_named_with_the_place(blog: Blog) -> None:
    Path(".cursor").mkdir()
    Path(".cursor/mcp.json").write_text('{"mcpServers": {}', encoding="utf-8")
    state, text = told(blog.command("doctor"), "Cursor")
    assert state == "warning"
    assert "line 1 column 18" in text


def test_the_definitions_of_the_tools_stay_within_their_budget(blog: Blog) -> None:
    _, text = told(blog.command("doctor"), "tools")
    tokens = [int(count.replace(",", "")) for count in re.findall(r"[0-9,]*[0-9]", text)]
    budgets = [540, 890, 1_000]
    assert len(tokens) == len(budgets)
    assert all(200 < count <= most for count, most in zip(tokens, budgets, strict=True))
