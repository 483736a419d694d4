"""Clients' settings files: where they are, and which entries in them start this server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blog_search_mcp.server.cli.install.clients import ClientFile, Places, client_files, own_file
from blog_search_mcp.server.cli.install.entries import Entry, read_entries
from blog_search_mcp.server.settings import CLIENTS

STRICT = ClientFile("Cursor", Path("mcp.json"), "mcpServers")
LOOSE = ClientFile("VS Code", Path("mcp.json"), "servers", comments=True)
HOME, PROJECT = Path("/home/me"), Path("/project")


def paths(system: str, environment: dict[str, str]) -> dict[str, list[str]]:
    """By client, its files below HOME and below PROJECT."""
    found: dict[str, list[str]] = {}
    for file in client_files(Places(HOME, PROJECT, system, environment)):
        found.setdefault(file.client, []).append(file.path.as_posix())
    return found


COMMON = {
    "Claude Code": ["/home/me/.claude.json", "/project/.mcp.json"],
    "Cursor": ["/home/me/.cursor/mcp.json", "/project/.cursor/mcp.json"],
    "Windsurf": ["/home/me/.codeium/windsurf/mcp_config.json"],
}


@pytest.mark.parametrize(
    ("system", "environment", "own"),
    [
        (
            "linux",
            {},
            {
                "Claude Desktop": ["/home/me/.config/Claude/claude_desktop_config.json"],
                "VS Code": ["/home/me/.config/Code/User/mcp.json", "/project/.vscode/mcp.json"],
                "Zed": ["/home/me/.config/zed/settings.json"],
            },
        ),
        (
            "linux",
            {"XDG_CONFIG_HOME": "/set"},
            {
                "Claude Desktop": ["/set/Claude/claude_desktop_config.json"],
                "VS Code": ["/set/Code/User/mcp.json", "/project/.vscode/mcp.json"],
                "Zed": ["/set/zed/settings.json"],
            },
        ),
        (
            "darwin",
            {"XDG_CONFIG_HOME": "/set"},
            {
                "Claude Desktop": [
                    "/home/me/Library/Application Support/Claude/claude_desktop_config.json"
                ],
                "VS Code": [
                    "/home/me/Library/Application Support/Code/User/mcp.json",
                    "/project/.vscode/mcp.json",
                ],
                "Zed": ["/home/me/.config/zed/settings.json"],
            },
        ),
        (
            "win32",
            {"APPDATA": "/roaming"},
            {
                "Claude Desktop": ["/roaming/Claude/claude_desktop_config.json"],
                "VS Code": ["/roaming/Code/User/mcp.json", "/project/.vscode/mcp.json"],
                "Zed": ["/roaming/Zed/settings.json"],
            },
        ),
    ],
)
def test_each_client_keeps_its_servers_where_its_system_has_settings(
    system: str, environment: dict[str, str], own: dict[str, list[str]]
) -> None:
    assert paths(system, environment) == COMMON | own


def test_claude_code_keeps_its_entries_in_a_folder_of_ones_own_choice() -> None:
    there = Places(HOME, PROJECT, "linux", {"CLAUDE_CONFIG_DIR": "/claude"})
    assert own_file(there, "claude-code").path == Path("/claude/.claude.json")


@pytest.mark.parametrize("word", CLIENTS)
def test_a_clients_own_file_counts_in_every_folder(word: str) -> None:
    there = Places(HOME, PROJECT, "linux", {})
    file = own_file(there, word)
    assert (file.client, file.everywhere, file in client_files(there)) == (
        CLIENTS[word],
        True,
        True,
    )
    assert not file.path.is_relative_to(PROJECT)


def test_an_entry_is_read_whole() -> None:
    entry = {"command": "/bin/blog-server", "args": ["--index", "/ix"], "env": {"A": "b"}}
    text = json.dumps({"mcpServers": {"blog": entry, "odd": "text"}, "theme": "dark"})
    assert read_entries(STRICT, text) == (
        Entry("blog", "/bin/blog-server", ("--index", "/ix"), {"A": "b"}),
    )


def test_an_entry_as_zed_had_it_once_is_read_too() -> None:
    started = {"path": "/bin/blog-server", "args": ["--index", "/ix"], "env": {"A": "b"}}
    text = json.dumps({"mcpServers": {"blog": {"command": started, "settings": {}}}})
    assert read_entries(STRICT, text) == (
        Entry("blog", "/bin/blog-server", ("--index", "/ix"), {"A": "b"}),
    )


def test_the_entries_of_each_project_are_read_too() -> None:
    blog = {"mcpServers": {"blog": {"command": "b"}}}
    text = json.dumps({"mcpServers": {"all": {"command": "a"}}, "projects": {"/p": blog}})
    read = [(entry.name, entry.project) for entry in read_entries(STRICT, text)]
    assert read == [("all", ""), ("blog", "/p")]


@pytest.mark.parametrize("text", ["", " \n", "{}", '{"mcpServers": []}', '{"mcpServers": null}'])
def test_a_file_without_entries_has_none(text: str) -> None:
    assert read_entries(STRICT, text) == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{\n  "mcpServers": {,}\n}', "line 2 column 18"),
        ('{"mcpServers": {}} // mine', "line 1 column 20"),
        ("[]", "it is not a JSON object"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_entries(STRICT, text)


def test_comments_are_read_over_where_the_client_allows_them() -> None:
    text = """{
  // mine, "all" of it
  "servers": {/* two
    lines */ "blog": {"command": "/a//b", "args": ["/*", "x,}", "\\"//",],},
  },
}"""
    assert read_entries(LOOSE, text) == (Entry("blog", "/a//b", ("/*", "x,}", '"//')),)


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        (Entry("b", "/venv/bin/blog-server"), True),
        (Entry("b", "C:/venv/Scripts/blog-server.exe"), True),
        (Entry("b", "/venv/bin/python", ("-m", "blog_search_mcp.server", "--index", "/ix")), True),
        (Entry("b", "uv", ("run", "--directory", "/x", "blog-server")), True),
        (Entry("b", "uvx", ("blog-search-mcp@0.1.0", "--index", "/ix")), True),
        (Entry("b", "uvx", ("blog-search-mcp==0.1.0",)), True),
        (Entry("b", "npx", ("blog-search-mcp-of-another",)), False),
        (Entry("blog-server", "/bin/other", ("-m", "http.server")), False),
        (Entry("b", "npx", ("-m", "x", "server")), False),
    ],
)
def test_an_entry_of_ours_is_known_by_what_it_starts(entry: Entry, ours: bool) -> None:
    assert entry.is_ours is ours


@pytest.mark.parametrize(
    ("arguments", "environment", "index"),
    [
        ((), {}, ""),
        (("--index", "/a"), {}, "/a"),
        (("--index=/a",), {}, "/a"),
        ((), {"BLOG_INDEX": "/b"}, "/b"),
        (("--index", "/a"), {"BLOG_INDEX": "/b"}, "/a"),
        (("--index",), {}, ""),
    ],
)
def test_the_index_of_an_entry_is_what_the_server_would_take(
    arguments: tuple[str, ...], environment: dict[str, str], index: str
) -> None:
    assert Entry("b", "blog-server", arguments, environment).index == index
