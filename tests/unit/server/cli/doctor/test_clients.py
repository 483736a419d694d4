"""What the doctor finds of the clients' entries."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.commands import command, start_words
from blog_search_mcp.server.cli.doctor.clients import check_clients
from blog_search_mcp.server.cli.doctor.results import CheckResult
from blog_search_mcp.server.cli.install.clients import Machine

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

SOUP = "# Soup\n\nBoil an onion.\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".cursor").mkdir(parents=True)
    return tmp_path / "home"


def about_clients(home: Path, entry: object, index: Path) -> list[CheckResult]:
    """What is found where Cursor has this entry, or this text for its whole file."""
    text = entry if isinstance(entry, str) else json.dumps({"mcpServers": {"blog": entry}})
    (home / ".cursor/mcp.json").write_text(text, encoding="utf-8")
    machine = Machine(home, home / "project", "linux", {"PATH": str(Path(sys.executable).parent)})
    return check_clients(machine, index)


SCRIPT = start_words()[0]


def test_an_entry_that_works_is_fine(home: Path, blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    entry = {"command": SCRIPT, "args": ["--index", str(made.index)]}
    assert about_clients(home, entry, made.index) == [
        CheckResult(
            "Cursor",
            "ok",
            f"The entry 'blog' in {home}/.cursor/mcp.json starts this server over {made.index}.",
        )
    ]


@pytest.mark.parametrize(
    ("entry", "state", "text", "remedy"),
    [
        (
            {"command": "/gone/blog-server", "args": ["--index", "/ix"]},
            "problem",
            "starts /gone/blog-server, which is not there.",
            command("install", "cursor", "--index", "/ix", "--name", "blog"),
        ),
        (
            {"command": "blog-search-mcp", "args": ["--index", "/ix"]},
            "warning",
            "starts blog-search-mcp, which the client may not find: it has a PATH of its own.",
            command("install", "cursor", "--index", "/ix", "--name", "blog"),
        ),
        (
            {"command": SCRIPT},
            "warning",
            "names no index, so it is looked for in the client's own folder.",
            command("install", "cursor", "--index", "/mine", "--name", "blog"),
        ),
        (
            {"command": SCRIPT, "args": ["--index", "ix"]},
            "warning",
            "names the index ix, which depends on the client's own folder.",
            command("install", "cursor", "--index", "/mine", "--name", "blog"),
        ),
        (
            {"command": SCRIPT, "env": {"BLOG_INDEX": "/no/such"}},
            "problem",
            "names /no/such, which holds no index.",
            command("ingest", "CONTENT", "--index", "/no/such"),
        ),
        (
            {"command": SCRIPT, "args": ["--index", "~nobody-of-this-name/ix"]},
            "warning",
            "names the index ~nobody-of-this-name/ix, which depends on the client's own folder.",
            command("install", "cursor", "--index", "/mine", "--name", "blog"),
        ),
        (
            {"command": SCRIPT, "args": ["--index", "${workspaceFolder}/ix"]},
            "ok",
            "starts this server over ${workspaceFolder}/ix.",
            None,
        ),
    ],
)
def test_an_entry_that_does_not_work_is_told_with_what_to_write(
    entry: object, state: str, text: str, remedy: str | None, home: Path
) -> None:
    [found] = about_clients(home, entry, Path("/mine"))
    where = f"The entry 'blog' in {home}/.cursor/mcp.json "
    assert found == CheckResult("Cursor", state, where + text, remedy)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("entry", "remedy"),
    [
        (
            {"command": "/gone/blog-server", "args": ["--index", "/ix"]},
            f'Set "command" to "{SCRIPT}" there.',
        ),
        ({"command": SCRIPT}, 'Set "args" to ["--index", "/mine"] there.'),
    ],
)
@pytest.mark.parametrize("name", [".claude.json", "project/.mcp.json"])
def test_an_entry_of_one_project_is_mended_by_hand(
    entry: object, remedy: str, name: str, home: Path
) -> None:
    servers = {"mcpServers": {"blog": entry}}
    text = json.dumps({"projects": {"/p": servers}} if name == ".claude.json" else servers)
    (home / "project").mkdir()
    (home / name).write_text(text, encoding="utf-8")
    there = Machine(home, home / "project", "linux", {})
    [found] = check_clients(there, Path("/mine"))
    assert (found.subject, found.remedy) == ("Claude Code", remedy)


def test_a_settings_file_that_is_no_json_is_named_with_the_place(home: Path) -> None:
    broken, none = about_clients(home, '{"mcpServers": {}', Path("/mine"))
    path = home / ".cursor/mcp.json"
    assert (broken.subject, broken.state, broken.remedy) == (
        "Cursor",
        "warning",
        f"Correct {path}.",
    )
    assert broken.text.startswith(f"{path} cannot be used: ")
    assert "line 1 column 18" in broken.text
    assert none.subject == "clients"


def test_without_any_entry_the_command_that_adds_one_is_given(home: Path) -> None:
    assert about_clients(home, {"command": "/bin/other"}, Path("/mine")) == [
        CheckResult(
            "clients",
            "warning",
            "No client has an entry for this server; install knows "
            "claude-desktop, claude-code, cursor, vscode, windsurf, zed.",
            command("install", "claude-code", "--index", "/mine"),
        )
    ]


def test_in_the_home_folder_an_entry_is_looked_at_once(home: Path, blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    entry = {"command": SCRIPT, "args": ["--index", str(made.index)]}
    [found] = about_clients(home, entry, made.index)
    machine = Machine(home, home, "linux", {"PATH": str(Path(sys.executable).parent)})
    assert check_clients(machine, made.index) == [found]
