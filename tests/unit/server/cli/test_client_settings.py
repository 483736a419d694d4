"""What `install` and `uninstall` do to clients' settings, which hold servers of others too."""

import json
import os
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from blog_search_mcp.index.invocation import start_words
from blog_search_mcp.server.cli.client_settings import CLIENTS, find_clients
from tests.support.front import Ran, command, made

SCRIPT = start_words()[0]
FILES = {
    "claude-desktop": (".config/Claude/claude_desktop_config.json", "mcpServers"),
    "claude-code": (".claude.json", "mcpServers"),
    "cursor": (".cursor/mcp.json", "mcpServers"),
    "vscode": (".config/Code/User/mcp.json", "servers"),
    "windsurf": (".codeium/windsurf/mcp_config.json", "mcpServers"),
    "zed": (".config/zed/settings.json", "context_servers"),
    "gemini": (".gemini/settings.json", "mcpServers"),
}
THEIRS = {"command": "npx", "args": ["-y", "other"], "env": {"KEY": "秘"}}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("my notes"), {"tea.md": "# Tea\n\nSteep it.\n"}).index


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of Linux without a client, which is the current folder too."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cursor(home: Path) -> Path:
    (home / ".cursor").mkdir()
    return home / ".cursor/mcp.json"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_encoding_mark_line_ends_and_entries_of_others_stay(
    cursor: Path, index: Path, line_end: str, encoding: str
) -> None:
    others = {"other": THEIRS, "blog": None, "//": "mine", "": {"command": "x"}}
    text = json.dumps({"mcpServers": others}, ensure_ascii=False, indent="\t") + "\n"
    before = text.replace("\n", line_end).encode(encoding)
    cursor.write_bytes(before)
    assert install(index, "cursor").status == 0
    after = cursor.read_bytes().decode(encoding)
    assert ("serve" in after, "\n" in after.replace(line_end, "")) == (True, False)
    assert command("uninstall").status == 0
    assert cursor.read_bytes() == before


def install(index: Path, *words: str) -> Ran:
    return command("install", *words, "--index", str(index))


def write(file: Path, **servers: object) -> None:
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")


def read(file: Path) -> dict[str, Any]:
    servers: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]
    return servers


def ours(index: str) -> dict[str, object]:
    return {"command": "/opt/bin/blog-search-mcp", "args": ["serve", "--index", index]}


@pytest.mark.parametrize("client", FILES)
def test_every_client_gets_the_entry_and_keeps_what_it_had(
    home: Path, index: Path, client: str
) -> None:
    place, key = FILES[client]
    file = home / place
    file.parent.mkdir(parents=True, exist_ok=True)
    before = json.dumps({"theme": "dark", key: {"other": THEIRS}}, ensure_ascii=False, indent=4)
    file.write_text(before, encoding="utf-8")
    for _ in range(2):
        assert install(index, client).status == 0
        kind = {"type": "stdio"} if client in {"claude-code", "vscode"} else {}
        entry = {**kind, "command": SCRIPT, "args": ["serve", "--index", str(index)]}
        kept = {"theme": "dark", key: {"other": THEIRS, "blog": entry}}
        assert file.read_text(encoding="utf-8") == json.dumps(kept, ensure_ascii=False, indent=4)
        backup = file.with_name(f"{file.name}.before-blog-search-mcp")
        assert backup.read_text(encoding="utf-8") == before
    assert command("uninstall", client).status == 0
    assert file.read_text(encoding="utf-8") == before


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_is_found_by_its_file_on_each_system(
    client: str, system: str, tmp_path: Path
) -> None:
    clients = find_clients(tmp_path, system, {"APPDATA": str(tmp_path / "Roaming")})
    assert not any(each.is_used for each in clients.values())
    file = clients[client].path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    assert [word for word, each in clients.items() if each.is_used] == [client]


def test_claude_desktop_of_the_store_reads_the_file_in_its_package(tmp_path: Path) -> None:
    package = tmp_path / "L/Packages/Claude_9x/LocalCache/Roaming/Claude"
    package.mkdir(parents=True)
    desktop = find_clients(tmp_path, "win32", {"LOCALAPPDATA": f"{tmp_path}/L"})["claude-desktop"]
    assert (desktop.path.parent, desktop.is_used) == (package, True)


def test_a_long_name_is_cut_at_a_word_and_refused(cursor: Path, index: Path) -> None:
    folder = index.parent / "notes on everything in the universe and more" / "index"
    shutil.copytree(index, folder)
    write(cursor, blog=THEIRS)
    assert install(folder, "cursor").status == 0
    assert {*read(cursor)} == {"blog", "blog-notes-on-everything-in-the"}
    assert install(folder, "cursor", "--name", "n" * 41).status != 0


def test_without_a_file_one_is_made(home: Path, index: Path) -> None:
    url = "http://box:11434"
    assert install(index, "cursor", "--embedder-url", url, "--name", "mine-2").status == 0
    arguments = ["serve", "--index", str(index), "--embedder-url", url]
    assert read(home / ".cursor/mcp.json") == {"mine-2": {"command": SCRIPT, "args": arguments}}
    assert [path.name for path in (home / ".cursor").iterdir()] == ["mcp.json"]
    assert command("uninstall", "windsurf").status == 0
    assert not (home / ".codeium").exists()


@pytest.mark.parametrize(
    "text",
    [
        b'{\n  "mcpServers": {\n',
        b'{\n  // mine\n  "mcpServers": {}\n}',
        b"[]",
        b'{"a": "caf\xe9"}',
        b'{"mcpServers": {}}\xc2\xa0',
        b'{"mcpServers": [1]}',
        b"[" * 100_000,
    ],
)
def test_a_file_that_cannot_be_used_is_left_and_the_entry_is_shown_for_pasting(
    cursor: Path, index: Path, text: bytes
) -> None:
    cursor.write_bytes(text)
    ran, shown = install(index, "cursor"), install(index, "cursor", "--print")
    assert (ran.status, ran.out, shown.status) == (1, "", 0)
    assert str(cursor) in ran.err
    entry = json.loads(shown.out[shown.out.index("{") :])
    assert entry["mcpServers"]["blog"]["args"] == ["serve", "--index", str(index)]
    assert shown.out in ran.err
    assert command("uninstall", "cursor").status == 1
    assert cursor.read_bytes() == text
    assert [path.name for path in cursor.parent.iterdir()] == ["mcp.json"]


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("npx", ["-y", "mcp-files", "/home/ann/src/blog-search-mcp"]),
        ("uvx", ["--from", "blog-search-mcp", "mcp-files"]),
        ("uv", ["run", "mcp-git", "--repository", "blog-search-mcp"]),
        ("/usr/bin/python3", ["/home/ann/blog-search-mcp"]),
        ("python3", ["-m", "files", "--root", "/srv/blog-search-mcp"]),
        ("python3", ["files.py", "-m", "blog_search_mcp"]),
        ("npx", ["-y", "mcp-log", "blog-search-mcp", "serve"]),
        ("uvx", ["mcp-log", "--of", "blog-search-mcp", "serve"]),
        ("docker", ["run", "blog-search-mcp", "serve"]),
    ],
)
def test_a_server_that_only_names_this_program_is_never_changed(
    cursor: Path, index: Path, program: str, words: list[str]
) -> None:
    entry = {"command": program, "args": words}
    write(cursor, files=entry)
    assert command("uninstall", "cursor").status == 0
    assert command("uninstall", "cursor", "--name", "files").status == 1
    assert install(index, "cursor", "--name", "files").status == 2
    assert read(cursor) == {"files": entry}


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("/opt/blog/.venv/bin/blog-search-mcp", []),
        ("blog-search-mcp.exe", ["serve"]),
        ("/opt/blog/bin/blog-server", []),
        ("/usr/bin/uvx", ["blog-search-mcp@0.1.0", "serve"]),
        ("/usr/bin/uvx", ["--from", "/home/ann/blog-search", "blog-search-mcp", "serve"]),
        ("pipx", ["run", "--spec", "/home/ann/blog-search", "blog-search-mcp", "serve"]),
        ("/usr/bin/python3", ["-m", "blog_search_mcp", "serve"]),
    ],
)
def test_an_entry_that_starts_this_program_is_rewritten_and_taken_out(
    cursor: Path, index: Path, program: str, words: list[str]
) -> None:
    entry = {"command": program, "args": [*words, "--index", str(index)], "env": {"A": "b"}}
    write(cursor, notes=entry)
    assert install(index, "cursor").status == 0
    now = {"command": SCRIPT, "args": ["serve", "--index", str(index)], "env": {"A": "b"}}
    assert read(cursor) == {"notes": now}
    assert command("uninstall", "cursor").status == 0
    assert read(cursor) == {}


@pytest.mark.parametrize(
    ("there", "name"),
    [
        ({}, "blog"),
        ({"blog": "/b/blog/.blog-index"}, "blog-my_notes-index"),
        ({"blog": "/b/x", "blog-my_notes-index": "/b/y"}, "blog-my_notes-index-2"),
        ({"mine": "INDEX"}, "mine"),
        ({"blog": None}, "blog-my_notes-index"),
    ],
)
def test_an_index_keeps_its_entry_and_another_gets_one_of_its_own(
    cursor: Path, tmp_path: Path, index: Path, there: dict[str, str | None], name: str
) -> None:
    linked = tmp_path / "my_notes"
    linked.symlink_to(index.parent)
    over = {each: str(index) if path == "INDEX" else path for each, path in there.items()}
    before = {each: ours(path) if path else THEIRS for each, path in over.items()}
    write(cursor, **before)
    assert install(linked / "index", "cursor").status == 0
    after = read(cursor)
    assert set(after) == {*before, name}
    assert str(linked / "index") in after[name]["args"]
    kept = {each: fields for each, fields in before.items() if each != name}
    assert {each: after[each] for each in kept} == kept


def test_a_named_entry_or_all_of_ours_go(cursor: Path) -> None:
    write(cursor, blog=ours("/a"), notes=ours("/b"), files=THEIRS)
    assert command("uninstall", "cursor", "--name", "notes").status == 0
    assert read(cursor) == {"blog": ours("/a"), "files": THEIRS}
    ran = command("uninstall")
    assert (ran.status, "/a" in ran.out) == (0, True)
    assert read(cursor) == {"files": THEIRS}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_link_stays_a_link_and_its_target_keeps_its_permissions(
    cursor: Path, home: Path, index: Path
) -> None:
    target = home / "dotfiles.json"
    target.write_text("{}", encoding="utf-8")
    target.chmod(0o640)
    cursor.symlink_to(target)
    assert install(index, "cursor").status == 0
    assert cursor.readlink() == target
    assert list(read(target)) == ["blog"]
    assert target.stat().st_mode & 0o777 == 0o640


def test_no_entry_is_made_without_an_index_and_how_to_make_one_is_told(
    cursor: Path, home: Path
) -> None:
    ran = command("install", "cursor", "--index", "none")
    assert (ran.status, f"setup CONTENT --index {home / 'none'}" in ran.err) == (1, True)
    assert not cursor.exists()


URL = "http://192.168.1.5:8765"
TOKEN = "0123456789abcdef"


@pytest.mark.parametrize("client", sorted(FILES.keys() - {"claude-desktop"}))
def test_a_teams_server_is_reached_by_its_address_and_its_token(
    home: Path, index: Path, client: str
) -> None:
    place, key = FILES[client]
    file, field = home / place, {"windsurf": "serverUrl", "gemini": "httpUrl"}.get(client, "url")
    kind = {"type": "http"} if client in {"claude-code", "vscode"} else {}
    headers = {"X-Installed-By": "blog-search-mcp", "Authorization": f"Bearer {TOKEN}"}
    fields = {**kind, field: f"{URL}/mcp", "headers": headers}
    assert install(index, client).status == 0
    assert command("install", client, "--url", URL).status == 2
    for _ in range(2):
        ran = command("install", client, "--url", URL, env={"BLOG_SERVER_TOKEN": TOKEN})
        assert ran.status == 0
    entries = json.loads(file.read_text(encoding="utf-8"))[key]
    assert entries.pop("blog-192-168-1-5") == fields
    assert list(entries) == ["blog"]
    assert command("uninstall").status == 0
    assert json.loads(file.read_text(encoding="utf-8")) == {key: {}}
    assert index.is_dir()
    assert command("install", "claude-desktop", "--url", "http://127.0.0.1").status == 2


OTHERS = {
    "blogger": {"url": "https://blogger.example.com/mcp", "headers": {"Authorization": "Bearer a"}},
    "blog-wordpress": {"url": "https://wp.example.com/mcp"},
    "blog": {"url": "https://blog.example.com/mcp", "headers": {"X-Installed-By": "them"}},
}


def test_an_address_of_others_stays_and_all_of_ours_go_in_one_change(cursor: Path) -> None:
    write(cursor, **OTHERS, a=ours("/a"), b=ours("/b"))
    assert command("install", "cursor", "--url", "http://[::1]:1").status == 0
    assert command("install", "cursor", "--url", "http://[::1]:1", "--name", "blog").status == 2
    before = cursor.read_bytes()
    assert command("uninstall", "cursor").status == 0
    assert read(cursor) == OTHERS
    assert cursor.with_name("mcp.json.before-blog-search-mcp").read_bytes() == before
    assert command("uninstall", "cursor", "--name", "blogger").status == 1
    assert command("uninstall").status == 0
    assert read(cursor) == OTHERS


@pytest.mark.parametrize("kind", ["comment", "pipe"])
def test_a_file_that_cannot_be_read_is_named_and_stops_no_other_client(
    cursor: Path, home: Path, kind: str
) -> None:
    if kind == "comment":
        cursor.write_text("{ // mine\n}", encoding="utf-8")
    else:
        os.mkfifo(cursor)
    other = home / FILES["gemini"][0]
    other.parent.mkdir()
    write(other, blog=ours("/a"))
    ran = command("uninstall")
    assert (ran.status, str(cursor) in ran.err, "/a" in ran.out) == (1, True, True)
    assert read(other) == {}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('"a": 1e999, "b": [1.10, -0.0, 1E5], "c": 0.1000000000000000055511151231257827', 0),
        ('"a": "1.10 \\" : 2.50", "b": 12345678901234567890.10', 0),
        ('"a": 1, "a": 2', 1),
        ('"a": {"b": {"x": 1, "x": 1}}', 1),
        *((text.replace("?", "\ue000"), 1) for text in ('"a": "?"', '"?": 1', '"a": ["? "]')),
        ('"a": "\\ue000"', 1),
        ('"mcpServers": {"x": {"command": "a"}, "x": {"command": "b"}}', 1),
    ],
)
def test_what_else_stands_in_a_file_stays_as_it_is_written_or_the_file_is_left(
    cursor: Path, index: Path, text: str, status: int
) -> None:
    cursor.write_text(f"{{\n  {text}\n}}", encoding="utf-8")
    assert install(index, "cursor").status == status
    assert "".join(text.split()) in "".join(cursor.read_text(encoding="utf-8").split())
    assert ("serve" in cursor.read_text(encoding="utf-8")) == (status == 0)


def test_a_file_that_another_program_changes_meanwhile_is_left_as_that_wrote_it(
    cursor: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(cursor)
    monkeypatch.setattr("shutil.copymode", lambda *_: write(cursor, other=THEIRS))
    assert install(index, "cursor").status == 1
    assert read(cursor) == {"other": THEIRS}


def test_the_table_of_codex_is_written_and_all_else_stays(home: Path, index: Path) -> None:
    file = home / ".codex/config.toml"
    file.parent.mkdir()
    before = '# mine\nmodel = "m"\n\n[mcp_servers.other] # his\nargs = [\n  "[x]",\n]\n'
    file.write_text(before, encoding="utf-8")
    for _ in range(2):
        assert install(index, "codex").status == 0
    text = file.read_text(encoding="utf-8")
    assert text.startswith(before)
    entry = {"command": SCRIPT, "args": ["serve", "--index", str(index)]}
    assert tomllib.loads(text)["mcp_servers"]["blog"] == entry
    file.write_text(f"{text}enabled = false\nenv.A = 'b'\n\n[tui]\na = 1\n", encoding="utf-8")
    assert command("install", "codex", "--name", "blog", "--url", "http://localhost:1").status == 0
    headers = {"X-Installed-By": "blog-search-mcp"}
    kept = {"enabled": False, "url": "http://localhost:1/mcp", "http_headers": headers}
    assert tomllib.loads(file.read_text(encoding="utf-8"))["mcp_servers"]["blog"] == kept
    assert command("uninstall", "codex").status == 0
    assert file.read_text(encoding="utf-8").startswith(before)
    assert tomllib.loads(file.read_text(encoding="utf-8"))["tui"] == {"a": 1}
    for end in ("", "# of tui\n", "\n# of tui\n[tui]\nb = true\nat = 07:32:00\n"):
        own = f"[ mcp_servers . blog ]\ncommand = 'blog-server'\n\n{end}".replace("\n", "\r\n")
        crlf = before.replace("\n", "\r\n") + "\r\n"
        file.write_bytes((crlf + own).encode())
        assert (install(index, "codex").status, command("uninstall", "codex").status) == (0, 0)
        assert file.read_bytes().decode().startswith(crlf[:-2])
        assert file.read_bytes().decode().endswith(end.replace("\n", "\r\n"))
    unusual = "mcp_servers = { blog = { command = 'blog-search-mcp' } }\n"
    for text in ("[", unusual):
        file.write_text(text, encoding="utf-8")
        assert (install(index, "codex").status, file.read_text(encoding="utf-8")) == (1, text)
