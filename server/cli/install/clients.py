"""Where MCP clients keep their entries of servers, on each system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from blog_search_mcp.server.settings import CLIENTS


@dataclass(frozen=True, slots=True)
class Machine:
    """What the paths of clients' settings depend on."""

    home: Path
    project: Path
    """The folder whose own settings count too: the one a person works in."""
    system: str
    """`sys.platform`."""
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ClientFile:
    """One file that may hold entries."""

    client: str
    path: Path
    key: str
    """The object of entries by name."""
    comments: bool = False
    """Whether the client allows comments and trailing commas."""
    typed: bool = False
    """Whether an entry needs `"type": "stdio"`."""
    everywhere: bool = True
    """Whether its entries count in every folder, and not in one project alone."""


def client_files(machine: Machine) -> tuple[ClientFile, ...]:
    """Return every file that a known client would read, once; few of them exist.

    In the home folder Cursor's file of the project is that of the user.
    """
    files = (*_user_files(machine), *_project_files(machine.project))
    return tuple({file.path: file for file in reversed(files)}.values())[::-1]


def own_file(machine: Machine, word: str) -> ClientFile:
    """Return the file whose entries count in every folder; `word` is a key of CLIENTS."""
    return next(file for file in _user_files(machine) if file.client == CLIENTS[word])


def find_clients(machine: Machine) -> tuple[str, ...]:
    """Return the words of CLIENTS that have been used here, by their files or folders."""
    return tuple(word for word in CLIENTS if _is_there(own_file(machine, word).path, machine.home))


def _is_there(file: Path, home: Path) -> bool:
    """Tell whether a client has its settings; Claude Code's lie in the home folder itself."""
    folder = home / ".claude" if file.parent == home else file.parent
    return file.exists() or folder.is_dir()


def _user_files(machine: Machine) -> tuple[ClientFile, ...]:
    home, settings = machine.home, _settings_folder(machine)
    claude = Path(machine.environment.get("CLAUDE_CONFIG_DIR") or home)
    return (
        ClientFile("Claude Desktop", settings / "Claude/claude_desktop_config.json", "mcpServers"),
        ClientFile("Claude Code", claude / ".claude.json", "mcpServers", typed=True),
        ClientFile("Cursor", home / ".cursor/mcp.json", "mcpServers"),
        ClientFile(
            "VS Code", settings / "Code/User/mcp.json", "servers", comments=True, typed=True
        ),
        ClientFile("Windsurf", home / ".codeium/windsurf/mcp_config.json", "mcpServers"),
        ClientFile("Zed", _zed_folder(machine) / "settings.json", "context_servers", comments=True),
    )


def _project_files(project: Path) -> tuple[ClientFile, ...]:
    files = (
        ClientFile("Claude Code", project / ".mcp.json", "mcpServers", typed=True),
        ClientFile("Cursor", project / ".cursor/mcp.json", "mcpServers"),
        ClientFile("VS Code", project / ".vscode/mcp.json", "servers", comments=True, typed=True),
    )
    return tuple(replace(file, everywhere=False) for file in files)


def _settings_folder(machine: Machine) -> Path:
    """Where desktop programs keep their settings."""
    if machine.system == "darwin":
        return machine.home / "Library/Application Support"
    if machine.system == "win32":
        return Path(machine.environment.get("APPDATA") or machine.home / "AppData/Roaming")
    return Path(machine.environment.get("XDG_CONFIG_HOME") or machine.home / ".config")


def _zed_folder(machine: Machine) -> Path:
    """Zed uses ~/.config on macOS too."""
    if machine.system == "win32":
        return _settings_folder(machine) / "Zed"
    if machine.system == "darwin":
        return machine.home / ".config/zed"
    return _settings_folder(machine) / "zed"
