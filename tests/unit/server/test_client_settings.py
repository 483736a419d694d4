"""What `install` and `uninstall` do to a client's settings, which hold servers of others too."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.front import command


@pytest.fixture
def cursor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Cursor's file of the user, in a home folder that has no other client."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".cursor").mkdir()
    return tmp_path / ".cursor/mcp.json"


def write(file: Path, **servers: dict[str, Any]) -> None:
    file.write_text(json.dumps({"mcpServers": servers}))


def read(file: Path) -> dict[str, Any]:
    servers: dict[str, Any] = json.loads(file.read_text())["mcpServers"]
    return servers


FOREIGN = [
    ("npx", ["-y", "mcp-files", "/home/ann/src/blog-search-mcp"]),
    ("uvx", ["mcp-files", "/home/ann/src/blog-search-mcp"]),
    ("uvx", ["--from", "blog-search-mcp", "mcp-files"]),
    ("pipx", ["run", "mcp-files", "blog-server"]),
    ("uv", ["run", "mcp-files", "blog-server"]),
    ("/usr/bin/python3", ["/home/ann/blog-server"]),
    ("python3", ["-m", "files", "--root", "/srv/blog-server"]),
]
OURS = [
    ("/opt/blog/.venv/bin/blog-server", []),
    ("/opt/blog/.venv/bin/blog-search-mcp", []),
    ("blog-server.exe", []),
    ("/usr/bin/uvx", ["blog-search-mcp@0.1.0"]),
    ("/usr/bin/uvx", ["--from", "/home/ann/blog-search", "blog-server"]),
    ("/usr/bin/uv", ["tool", "run", "--from", "blog-search-mcp", "blog-server"]),
    ("uv", ["--directory", "/home/ann/blog-search", "run", "blog-server"]),
    ("/usr/bin/pipx", ["run", "--spec", "/home/ann/blog-search", "blog-server"]),
    ("/usr/bin/python3", ["-m", "blog_search_mcp.server"]),
]


@pytest.mark.parametrize(("program", "words"), FOREIGN)
def test_a_server_that_only_names_this_program_is_never_taken_out(
    cursor: Path, program: str, words: list[str]
) -> None:
    entry = {"command": program, "args": words}
    write(cursor, files=entry)
    assert command("uninstall", "cursor").status == 0
    assert command("uninstall", "cursor", "--name", "files").status == 1
    assert command("install", "cursor", "--name", "files").status == 1
    assert read(cursor) == {"files": entry}


@pytest.mark.parametrize(("program", "words"), OURS)
def test_an_entry_that_starts_this_program_is_taken_out(
    cursor: Path, program: str, words: list[str]
) -> None:
    write(cursor, notes={"command": program, "args": [*words, "--index", "/srv/notes"]})
    assert command("uninstall", "cursor").status == 0
    assert read(cursor) == {}


@pytest.mark.parametrize("words", [("install", "cursor"), ("uninstall", "cursor")])
def test_what_the_client_wrote_in_the_meantime_is_kept(
    cursor: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client writes once while the command brings its own file to the disk."""
    ours, sync = {"command": "blog-server", "args": []}, os.fsync
    write(cursor, blog=ours)

    def write_too(descriptor: int) -> None:
        if "files" not in read(cursor):
            write(cursor, blog=ours, files={"command": "npx", "args": ["mcp-files"]})
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", write_too)
    assert command(*words).status == 0
    assert "files" in read(cursor)


@pytest.mark.parametrize(
    "words",
    [
        ("setup", "posts", "--embedder", "ollama", "--client", "cursor"),
        ("install", "cursor", "--embedder", "ollama"),
        ("install", "cursor", "--nam", "notes"),
        ("--ind", "notes", "install", "cursor"),
    ],
)
def test_the_beginning_of_an_option_is_no_option(cursor: Path, words: tuple[str, ...]) -> None:
    (cursor.parent.parent / "posts").mkdir()
    assert command(*words).status == 2
    assert not cursor.exists()
