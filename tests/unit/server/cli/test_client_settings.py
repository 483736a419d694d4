"""What `install` and `uninstall` do to clients' settings, which hold servers of others too."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.commands import start_words
from blog_search_mcp.server.cli.client_settings import client_files, edit_text, parse_settings
from blog_search_mcp.server.settings import CLIENTS
from tests.support.front import command

SCRIPT = start_words()[0]
FILES = {
    "claude-desktop": (".config/Claude/claude_desktop_config.json", "mcpServers"),
    "claude-code": (".claude.json", "mcpServers"),
    "cursor": (".cursor/mcp.json", "mcpServers"),
    "vscode": (".config/Code/User/mcp.json", "servers"),
    "windsurf": (".codeium/windsurf/mcp_config.json", "mcpServers"),
    "zed": (".config/zed/settings.json", "context_servers"),
}
THEIRS = {"command": "npx", "args": ["-y", "other"], "env": {"KEY": "秘"}}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of Linux without a client, which is the current folder too."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cursor(home: Path) -> Path:
    (home / ".cursor").mkdir()
    return home / ".cursor/mcp.json"


def write(file: Path, **servers: object) -> None:
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")


def read(file: Path) -> dict[str, Any]:
    servers: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]
    return servers


def ours(index: str, program: str = "/opt/bin/blog-server") -> dict[str, object]:
    return {"command": program, "args": ["--index", index]}


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_gets_the_entry_and_keeps_what_it_had(home: Path, client: str) -> None:
    place, key = FILES[client]
    file = home / place
    file.parent.mkdir(parents=True, exist_ok=True)
    before = json.dumps({"theme": "dark", key: {"other": THEIRS}}, ensure_ascii=False, indent=4)
    file.write_text(before, encoding="utf-8")
    for _ in range(2):
        assert command("install", client, "--index", "ix").status == 0
        written = file.read_text(encoding="utf-8")
        kind = {"type": "stdio"} if client in {"claude-code", "vscode"} else {}
        entry = {**kind, "command": SCRIPT, "args": ["serve", "--index", str(home / "ix")]}
        kept = {"theme": "dark", key: {"other": THEIRS, "blog": entry}}
        assert written == json.dumps(kept, ensure_ascii=False, indent=4)
        backup = file.with_name(f"{file.name}.before-blog-search-mcp")
        assert backup.read_text(encoding="utf-8") == before
    assert command("uninstall", client).status == 0
    assert file.read_text(encoding="utf-8") == before


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_is_found_by_its_file_on_each_system(
    client: str, system: str, tmp_path: Path
) -> None:
    def used() -> list[str]:
        files = client_files(tmp_path, system, {"APPDATA": str(tmp_path / "Roaming")})
        return [word for word, file in files.items() if file.is_used]

    assert used() == []
    file = client_files(tmp_path, system, {"APPDATA": str(tmp_path / "Roaming")})[client].path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    assert used() == [client]


def test_without_a_file_one_is_made_and_what_the_index_lacks_is_told(home: Path) -> None:
    ran = command("install", "cursor", "--embedder-url", "http://box:11434", "--name", "my_blog-2")
    assert ran.status == 0
    assert "blog-search-mcp ingest CONTENT" in ran.err
    arguments = [
        "serve",
        "--index",
        str(home / ".blog-index"),
        "--embedder-url",
        "http://box:11434",
    ]
    assert read(home / ".cursor/mcp.json") == {"my_blog-2": {"command": SCRIPT, "args": arguments}}
    assert [path.name for path in (home / ".cursor").iterdir()] == ["mcp.json"]
    assert command("uninstall", "windsurf").status == 0
    assert not (home / ".codeium").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{\n  "mcpServers": {\n', "line 3 column 1"),
        (b'{\n  // mine\n  "mcpServers": {\n}', "line 4 column 2"),
        (b"[]", "not a JSON object"),
        (b'{"a": "caf\xe9"}', "position 10"),
        (b'{"mcpServers": [1]}', "mcpServers"),
        (b'{"mcpServers": {"blog": "text"}}', "blog"),
        (b'{"a": 1e400}', "JSON"),
        (b'{"a": "\\ud83e"}', "surrogates"),
        (b"[" * 100_000, "recursion"),
    ],
)
def test_a_file_that_cannot_be_used_is_left_as_it_is_and_named_with_the_place(
    cursor: Path, text: bytes, reason: str
) -> None:
    cursor.write_bytes(text)
    ran = command("install", "cursor")
    assert (ran.status, ran.out) == (1, "")
    assert str(cursor) in ran.err
    assert reason in ran.err
    assert cursor.read_bytes() == text
    assert [path.name for path in cursor.parent.iterdir()] == ["mcp.json"]


def make_pipe(file: Path) -> None:
    os.mkfifo(file)


def make_parent_a_file(file: Path) -> None:
    file.parent.rmdir()
    file.parent.write_text("a file", encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
@pytest.mark.parametrize("spoil", [make_pipe, make_parent_a_file])
@pytest.mark.parametrize("word", ["install", "uninstall"])
def test_what_is_no_file_is_a_sentence(
    cursor: Path, spoil: Callable[[Path], None], word: str
) -> None:
    spoil(cursor)
    ran = command(word, "cursor")
    assert (ran.status, len([line for line in ran.err.splitlines() if str(cursor) in line])) == (
        1,
        1,
    )


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
def test_a_server_that_only_names_this_program_is_never_changed(
    cursor: Path, program: str, words: list[str]
) -> None:
    entry = {"command": program, "args": words}
    write(cursor, files=entry)
    assert command("uninstall", "cursor").status == 0
    assert command("uninstall", "cursor", "--name", "files").status == 1
    assert command("install", "cursor", "--name", "files").status == 2
    assert read(cursor) == {"files": entry}


@pytest.mark.parametrize(("program", "words"), OURS)
def test_an_entry_that_starts_this_program_is_rewritten_and_taken_out(
    cursor: Path, home: Path, program: str, words: list[str]
) -> None:
    index = str(home / "ix")
    entry = {"command": program, "args": [*words, "--index", index], "env": {"A": "b"}}
    write(cursor, notes=entry)
    assert command("install", "cursor", "--index", index).status == 0
    now = {"command": SCRIPT, "args": ["serve", "--index", index], "env": {"A": "b"}}
    assert read(cursor) == {"notes": now}
    write(cursor, notes=entry)
    assert command("uninstall", "cursor").status == 0
    assert read(cursor) == {}


@pytest.mark.parametrize(
    ("there", "index", "name"),
    [
        ({}, "/b/blog/.blog-index", "blog"),
        ({"blog": "/b/blog/.blog-index"}, "/b/my notes/.blog-index", "blog-my-notes"),
        ({"blog": "/b/blog/.blog-index"}, "/b/.blog-index-travel", "blog-b-travel"),
        ({"blog": "/b/blog/.blog-index"}, "/文章/.blog-index", "blog-2"),
        ({"blog": "/b/x", "blog-my-notes": "/b/y"}, "/b/my notes/.blog-index", "blog-my-notes-2"),
        ({"mine": "/b/my notes/.blog-index"}, "/b/my notes/.blog-index", "mine"),
        ({"blog": None}, "/b/blog/.blog-index", "blog-blog"),
    ],
)
def test_an_index_keeps_its_entry_and_another_gets_one_of_its_own(
    cursor: Path, there: dict[str, str | None], index: str, name: str
) -> None:
    before = {each: ours(over) if over else THEIRS for each, over in there.items()}
    write(cursor, **before)
    assert command("install", "cursor", "--index", index).status == 0
    after = read(cursor)
    assert set(after) == {*before, name}
    assert index in after[name]["args"]
    assert {each: after[each] for each in before if each != name} == {
        each: fields for each, fields in before.items() if each != name
    }


def test_which_of_several_entries_goes_must_be_said(cursor: Path) -> None:
    write(cursor, blog=ours("/a"), notes=ours("/b"))
    ran = command("uninstall", "cursor")
    assert (ran.status, "notes" in ran.err) == (1, True)
    assert command("uninstall", "cursor", "--name", "notes").status == 0
    assert read(cursor) == {"blog": ours("/a")}


@pytest.mark.parametrize("client", ["vscode", "zed", "cursor"])
def test_a_file_with_comments_is_left_and_the_entry_is_shown_for_pasting(
    home: Path, client: str
) -> None:
    place, key = FILES[client]
    file = home / place
    file.parent.mkdir(parents=True)
    text = f'{{ // mine\n  "{key}": {{"other": {json.dumps(THEIRS)},}}}}'
    file.write_text(text, encoding="utf-8")
    shown = command("install", client, "--print").out
    ran = command("install", client)
    assert (ran.status, file.read_text(encoding="utf-8")) == (1, text)
    assert shown in ran.err
    entry = json.loads(shown[shown.index("{") :])[key]["blog"]
    file.write_text(text.replace('"other"', f'"blog": {json.dumps(entry)}, "other"', 1))
    assert command("install", client).status == 0
    assert command("uninstall", client).status == 1


def test_a_link_stays_a_link_and_its_target_keeps_its_permissions(cursor: Path, home: Path) -> None:
    target = home / "dotfiles.json"
    target.write_text("{}", encoding="utf-8")
    target.chmod(0o640)
    cursor.symlink_to(target)
    assert command("install", "cursor").status == 0
    assert cursor.readlink() == target
    assert list(read(target)) == ["blog"]
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("word", ["install", "uninstall"])
def test_what_the_client_wrote_in_the_meantime_is_kept(
    cursor: Path, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client writes once while the command brings its own file to the disk."""
    sync = os.fsync
    write(cursor, blog={"command": "blog-server", "args": []})

    def write_too(descriptor: int) -> None:
        if "files" not in read(cursor):
            write(cursor, files=THEIRS, **read(cursor))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", write_too)
    assert command(word, "cursor").status == 0
    assert read(cursor)["files"] == THEIRS


def test_no_entry_is_made_for_a_file_where_the_index_should_be(cursor: Path, home: Path) -> None:
    (home / "f").write_text("", encoding="utf-8")
    assert command("install", "cursor", "--index", "f").status == 1
    assert not cursor.exists()


def test_without_a_console_script_the_entry_starts_the_module(
    cursor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/no/bin/python")
    assert command("install", "cursor").status == 0
    entry = read(cursor)["blog"]
    assert [entry["command"], *entry["args"][:3]] == [
        *("/no/bin/python", "-m", "blog_search_mcp", "serve")
    ]
    assert command("uninstall", "cursor").status == 0
    assert read(cursor) == {}


TEXTS = st.text(st.sampled_from('a"\\/*,:{}[] \t\n中'), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
GAPS = st.sampled_from(["", " ", "\n", "\n  ", "\r\n\t", " // it, is: {so}\n", "/* a, } */", "  "])


@st.composite
def handwritten_json(draw: st.DrawFn, value: Any) -> str:
    """The value as JSON with comments, gaps and trailing commas wherever they may be."""
    if isinstance(value, dict):
        parts = [
            f"{draw(GAPS)}{json.dumps(key)}{draw(GAPS)}:{draw(handwritten_json(inner))}"
            for key, inner in value.items()
        ]
        return f"{draw(GAPS)}{{{_join(draw, parts)}}}{draw(GAPS)}"
    if isinstance(value, list):
        return f"{draw(GAPS)}[{_join(draw, [draw(handwritten_json(inner)) for inner in value])}]"
    return f"{draw(GAPS)}{json.dumps(value)}{draw(GAPS)}"


def _join(draw: st.DrawFn, parts: list[str]) -> str:
    last = draw(st.sampled_from(["", ","])) if parts else ""
    return ",".join(parts) + last + draw(GAPS)


@given(st.data(), st.dictionaries(TEXTS, VALUES, max_size=4))
def test_comments_and_trailing_commas_do_not_change_what_is_read(
    data: st.DataObject, value: dict[str, Any]
) -> None:
    assert parse_settings(data.draw(handwritten_json(value))) == value


@given(st.dictionaries(TEXTS, VALUES, min_size=1), st.sampled_from([2, 4, "\t"]))
def test_what_was_added_is_removed_without_a_trace(
    others: dict[str, Any], indent: int | str
) -> None:
    file = client_files(Path("/home/me"), "linux", {})["vscode"]
    entry = {"command": "blog-server", "args": ["--index", "/ix"]}
    text = json.dumps({"a": 1, "servers": others}, indent=indent, ensure_ascii=False)
    added = edit_text(text, file, "blog", entry)
    assert json.loads(added) == {"a": 1, "servers": {**others, "blog": entry}}
    assert edit_text(added, file, "blog", entry) == added
    assert edit_text(added, file, "blog", None) == text
