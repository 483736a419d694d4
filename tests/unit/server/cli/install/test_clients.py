"""Clients that are found on a machine, by the files and folders that they leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from blog_search_mcp.server.cli.install.clients import Machine, find_clients, own_file
from blog_search_mcp.server.settings import CLIENTS


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_a_client_is_found_by_its_file(client: str, system: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path, tmp_path, system, {"APPDATA": str(tmp_path / "Roaming")})
    assert find_clients(machine) == ()
    file = own_file(machine, client).path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    assert find_clients(machine) == (client,)


@pytest.mark.parametrize(
    ("folder", "client"),
    [
        (".claude", "claude-code"),
        (".cursor", "cursor"),
        (".codeium/windsurf", "windsurf"),
        (".config/Claude", "claude-desktop"),
        (".config/Code/User", "vscode"),
        (".config/zed", "zed"),
    ],
)
def test_a_client_without_entries_is_found_by_its_folder(
    folder: str, client: str, tmp_path: Path
) -> None:
    (tmp_path / folder).mkdir(parents=True)
    assert find_clients(Machine(tmp_path, tmp_path, "linux", {})) == (client,)
