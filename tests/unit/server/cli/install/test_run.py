"""`install` and `uninstall`: each client's own file on each system, and all else as it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from blog_search_mcp.index.commands import command, start_words
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.server.cli.install.clients import ClientFile, Machine, own_file
from blog_search_mcp.server.cli.install.run import add_entry, remove_entry
from blog_search_mcp.server.cli.terminal import tell
from blog_search_mcp.server.settings import CLIENTS, Settings
from tests.support.paths import ROOT

SCRIPT = start_words()[0]
INDEX = Path("/srv/文 章/.blog-index")
SYSTEMS = ("linux", "darwin", "win32")
THEIRS = {"other": {"command": "npx", "args": ["-y", "other"], "env": {"KEY": "秘"}}}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def machine(home: Path, system: str = "linux") -> Machine:
    return Machine(home, home / "project", system, {"APPDATA": str(home / "Roaming")})


def run(
    home: Path,
    client: str,
    *,
    system: str = "linux",
    settings: Settings | None = None,
    name: str = "blog",
    removes: bool = False,
    prints: bool = False,
) -> int:
    chosen = settings or Settings(INDEX, "")
    here = machine(home, system)
    if removes:
        return remove_entry(here, client, name, None)
    try:
        return add_entry(chosen, here, client, name, prints=prints)
    except BlogSearchError as error:
        tell(str(error), chosen)
        return 1


def entry(file: ClientFile, *arguments: str) -> dict[str, object]:
    """What is to be written where no more than the index was given."""
    kind = {"type": "stdio"} if file.client in {"Claude Code", "VS Code"} else {}
    return {**kind, "command": SCRIPT, "args": ["serve", "--index", str(INDEX), *arguments]}


def their_text(file: ClientFile) -> str:
    """A file as people have it, with entries of other servers."""
    return json.dumps({"theme": "dark", file.key: THEIRS}, ensure_ascii=False, indent=4)


def put(file: ClientFile, text: str) -> None:
    file.path.parent.mkdir(parents=True, exist_ok=True)
    file.path.write_bytes(text.encode())


def backup(file: ClientFile) -> Path:
    return file.path.with_name(file.path.name + ".before-blog-search-mcp")


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_gets_the_entry_and_keeps_what_it_had(
    client: str, system: str, home: Path
) -> None:
    file = own_file(machine(home, system), client)
    before = their_text(file)
    put(file, before)
    assert run(home, client, system=system) == 0
    written = file.path.read_text(encoding="utf-8")
    kept = {"theme": "dark", file.key: {**THEIRS, "blog": entry(file)}}
    assert written == json.dumps(kept, ensure_ascii=False, indent=4)
    assert backup(file).read_text(encoding="utf-8") == before


@pytest.mark.parametrize("client", CLIENTS)
def test_twice_gives_the_same_bytes_and_keeps_the_backup(
    client: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = own_file(machine(home), client)
    put(file, their_text(file))
    assert run(home, client) == 0
    first = (file.path.read_bytes(), file.path.stat().st_mtime_ns)
    capsys.readouterr()
    assert run(home, client) == 0
    assert (file.path.read_bytes(), file.path.stat().st_mtime_ns) == first
    assert backup(file).read_text(encoding="utf-8") == their_text(file)
    output = f"The entry 'blog' in {file.path} is as it should be; nothing was written.\n"
    assert capsys.readouterr().out == output


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("client", CLIENTS)
def test_uninstall_leaves_the_file_as_it_was(client: str, system: str, home: Path) -> None:
    file = own_file(machine(home, system), client)
    put(file, their_text(file))
    assert run(home, client, system=system) == 0
    assert run(home, client, system=system, removes=True) == 0
    assert file.path.read_text(encoding="utf-8") == their_text(file)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_without_a_file_gets_one_and_no_backup(
    client: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = own_file(machine(home), client)
    assert run(home, client) == 0
    written = json.dumps({file.key: {"blog": entry(file)}}, ensure_ascii=False, indent=2) + "\n"
    assert file.path.read_text(encoding="utf-8") == written
    assert [path.name for path in file.path.parent.iterdir()] == [file.path.name]
    make = command("ingest", "CONTENT", "--index", INDEX)
    said = capsys.readouterr()
    written = f"Wrote the entry 'blog' to {file.path}. Restart {CLIENTS[client]} to use it.\n"
    assert (said.out, f"`{make}`" in said.err) == (written, True)


@pytest.mark.parametrize("removes", [False, True], ids=["install", "uninstall"])
@pytest.mark.parametrize(
    ("client", "text", "reason"),
    [
        ("cursor", '{\n  "mcpServers": {,}\n}', "line 2 column 18"),
        ("cursor", '{"mcpServers": {}} // mine', "line 1 column 20"),
        ("vscode", '{\n  // mine\n  "servers": {\n}', "line 4 column 2"),
        ("vscode", "[]", "it is not a JSON object"),
        ("claude-desktop", '{"a": "caf\udce9"}', "can't decode byte 0xe9 in position 10"),
        ("claude-code", "[" * 100_000, "recursion"),
    ],
)
def test_a_broken_file_is_left_as_it_is_and_named_with_the_place(
    client: str,
    text: str,
    reason: str,
    removes: bool,
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = own_file(machine(home), client)
    broken = text.encode(errors="surrogateescape")
    put(file, "")
    file.path.write_bytes(broken)
    assert run(home, client, removes=removes) == 1
    assert file.path.read_bytes() == broken
    assert not backup(file).exists()
    output = capsys.readouterr().err
    assert output.startswith(f"{file.path} cannot be used and was left as it is: ")
    assert reason in output
    assert output.endswith(". Correct it and run this again.\n")


@pytest.mark.parametrize(
    ("text", "key"), [('{"mcpServers": {"blog": "text"}}', "blog"), ('{"mcpServers": [1]}', "mcpS")]
)
def test_what_stands_in_the_place_of_an_object_is_neither_changed_nor_taken_out(
    text: str, key: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = own_file(machine(home), "windsurf")
    put(file, text)
    assert run(home, "windsurf") == 1
    assert f"left as it is: what stands under '{key}" in capsys.readouterr().err
    assert run(home, "windsurf", removes=True) == 0
    assert file.path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("removes", [False, True], ids=["install", "uninstall"])
def test_an_entry_of_another_server_is_neither_changed_nor_taken_out(
    removes: bool, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = own_file(machine(home), "cursor")
    put(file, json.dumps({"mcpServers": THEIRS}))
    assert run(home, "cursor", name="other", removes=removes) == 1
    assert json.loads(file.path.read_text(encoding="utf-8")) == {"mcpServers": THEIRS}
    assert capsys.readouterr().err == (
        f"The entry 'other' in {file.path} starts another server. "
        "Give ours another name with --name.\n"
    )


def test_an_entry_of_ours_is_corrected_and_keeps_what_a_person_added(home: Path) -> None:
    file = own_file(machine(home), "zed")
    before = {"command": "blog-server", "args": [], "env": {"A": "b"}}
    put(file, json.dumps({"context_servers": {"blog": before}}))
    assert run(home, "zed") == 0
    written = json.loads(file.path.read_text(encoding="utf-8"))
    assert written == {"context_servers": {"blog": {**entry(file), "env": {"A": "b"}}}}


@pytest.mark.parametrize("client", ["vscode", "zed"])
def test_a_file_with_comments_is_left_as_it_is_and_the_entry_is_shown_for_pasting(
    client: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = own_file(machine(home), client)
    text = their_text(file).replace("{\n", "{ // mine, all\n", 1)
    put(file, text)
    run(home, client, prints=True)
    shown = capsys.readouterr().out
    assert run(home, client) == 1
    assert file.path.read_text(encoding="utf-8") == text
    reason = (
        f"{file.path} has comments or trailing commas, which a rewrite would lose, so it was "
        "left as it is. "
    )
    assert capsys.readouterr().err == f"{reason}Add the entry by hand. {shown}"

    pasted = text.replace(
        f'"{file.key}": {{', f'"{file.key}": {{"blog": {json.dumps(entry(file))},'
    )
    put(file, pasted)
    assert run(home, client) == 0
    assert run(home, client, removes=True) == 1
    assert file.path.read_text(encoding="utf-8") == pasted
    assert capsys.readouterr().err == f"{reason}Remove the entry 'blog' by hand.\n"


def test_a_project_of_claude_code_with_an_entry_of_this_name_is_another_matter(home: Path) -> None:
    file = own_file(machine(home), "claude-code")
    projects = {"/p": {"mcpServers": {"blog": {"command": "other"}}}}
    put(file, json.dumps({"projects": projects}))
    assert run(home, "claude-code") == 0
    written = json.loads(file.path.read_text(encoding="utf-8"))
    assert written == {"projects": projects, "mcpServers": {"blog": entry(file)}}


def test_an_embedder_url_and_the_posts_go_into_the_entry(home: Path) -> None:
    file = own_file(machine(home), "cursor")
    settings = Settings(INDEX, "http://box:11434", watch=Path("/posts"))
    assert run(home, "cursor", settings=settings, name="my_blog-2") == 0
    arguments = ("--embedder-url", "http://box:11434", "--watch", "/posts")
    written = json.loads(file.path.read_text(encoding="utf-8"))
    assert written == {"mcpServers": {"my_blog-2": entry(file, *arguments)}}


@pytest.mark.parametrize("prints", [False, True], ids=["install", "print"])
def test_no_entry_is_made_for_a_file_where_the_index_should_be(
    prints: bool, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home.parent / "f").write_text("", encoding="utf-8")
    settings = Settings(home.parent / "f", "")
    assert run(home, "cursor", settings=settings, prints=prints) == 1
    assert not own_file(machine(home), "cursor").path.exists()
    assert capsys.readouterr() == (
        "",
        "f is a file, and the index needs a folder there. Name another folder with --index DIR, "
        "or move the file away.\n",
    )


def test_uninstall_without_an_entry_or_a_file_says_so(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = own_file(machine(home), "cursor")
    assert run(home, "cursor", removes=True) == 0
    output = f"There is no entry 'blog' in {file.path}; nothing was written.\n"
    assert (capsys.readouterr().out, file.path.parent.exists()) == (output, False)


def test_a_linked_file_stays_a_link_and_its_target_keeps_its_permissions(home: Path) -> None:
    file = own_file(machine(home), "cursor")
    target = home / "dotfiles" / "cursor.json"
    target.parent.mkdir(parents=True)
    target.write_text("{}", encoding="utf-8")
    target.chmod(0o640)
    file.path.parent.mkdir(parents=True)
    file.path.symlink_to(target)
    assert run(home, "cursor") == 0
    assert file.path.readlink() == target
    assert json.loads(target.read_text(encoding="utf-8")) == {"mcpServers": {"blog": entry(file)}}
    modes = [path.stat().st_mode & 0o777 for path in (target, backup(file))]
    assert modes == [0o640, 0o640]
    assert [path.name for path in target.parent.iterdir()] == ["cursor.json"]


def test_the_mark_that_windows_editors_begin_a_file_with_stays(home: Path) -> None:
    file = own_file(machine(home), "cursor")
    put(file, '\ufeff{\r\n  "mcpServers": {}\r\n}\r\n')
    assert run(home, "cursor") == 0
    written = file.path.read_bytes()
    assert written.startswith(b'\xef\xbb\xbf{\r\n  "mcpServers": {\r\n    "blog": {\r\n')
    assert written.count(b"\n") == written.count(b"\r\n")


def test_a_place_that_cannot_be_written_is_said_in_a_sentence(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.mkdir()
    (home / ".cursor").write_text("a file", encoding="utf-8")
    assert run(home, "cursor") == 1
    assert capsys.readouterr().err == (
        f"{home}/.cursor/mcp.json cannot be changed: Not a directory. "
        "Correct that and run this again.\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
@pytest.mark.parametrize("removes", [False, True])
def test_a_pipe_in_the_place_of_the_file_is_said_in_a_sentence(
    removes: bool, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".cursor").mkdir(parents=True)
    os.mkfifo(home / ".cursor" / "mcp.json")
    assert run(home, "cursor", removes=removes, name="") == 1
    assert capsys.readouterr().err == (
        f"{home}/.cursor/mcp.json cannot be changed: Not a regular file. "
        "Correct that and run this again.\n"
    )


def test_without_a_console_script_the_entry_starts_the_module(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = str(home / "bin" / "python")
    monkeypatch.setattr(sys, "executable", python)
    assert run(home, "cursor") == 0
    written = json.loads(own_file(machine(home), "cursor").path.read_text(encoding="utf-8"))
    assert written["mcpServers"]["blog"] == {
        "command": python,
        "args": ["-m", "blog_search_mcp", "serve", "--index", str(INDEX)],
    }
    assert run(home, "cursor", removes=True) == 0


@pytest.mark.parametrize("client", CLIENTS)
def test_print_shows_the_entry_and_its_place_and_writes_nothing(
    client: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = own_file(machine(home), client)
    assert run(home, client, prints=True) == 0
    place, shown = capsys.readouterr().out.split(":\n", 1)
    assert place == f"In {file.path}"
    read, _ = json.JSONDecoder().raw_decode(shown.strip())
    assert read == {file.key: {"blog": entry(file)}}
    assert not home.exists()


def test_the_command_itself_writes_into_the_home_it_is_given(home: Path) -> None:
    environment = {**os.environ, "HOME": str(home), "USERPROFILE": str(home)}
    ran = subprocess.run(
        [SCRIPT, "install", "cursor", "--index", "ix"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    written = json.loads((home / ".cursor/mcp.json").read_text(encoding="utf-8"))
    index = ["serve", "--index", str(ROOT / "ix")]
    assert written == {"mcpServers": {"blog": {"command": SCRIPT, "args": index}}}
