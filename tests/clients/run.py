"""Runs one real client against a server: how it connects comes in, what it reports goes out.

The clients are no dependencies of the project: `make clients` installs them into `.clients`,
or BLOG_SEARCH_CLIENTS names another folder that holds them.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from blog_search_mcp.index.commands import start_words

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = Path(os.environ.get("BLOG_SEARCH_CLIENTS") or ROOT / ".clients")
INSTALLED = (FOLDER / "installed").exists()
MISSING = f"{FOLDER.name} holds no clients; install them with `make clients`"
TIMEOUT = 180
"""Seconds for one run; a client takes one to five on a quiet machine."""

SDK = "@modelcontextprotocol/sdk"
SDK_2 = "@modelcontextprotocol/client"
ERAS = ("legacy", "auto", "modern")

Transport = Literal["stdio", "HTTP"]
Connection = Mapping[str, Any]
"""A command with its arguments, or an address."""


@dataclass(frozen=True, slots=True)
class Way:
    """A client and how it connects."""

    client: str
    """The package's name."""
    transport: Transport
    era: str = ""
    """How it chooses the protocol's version, where it can be told."""


WAYS = (
    Way("langchain-mcp-adapters", "stdio"),
    Way("langchain-mcp-adapters", "HTTP"),
    Way("pydantic-ai-slim", "stdio"),
    Way("pydantic-ai-slim", "HTTP"),
    Way(SDK, "stdio"),
    Way(SDK, "HTTP"),
    *(Way(SDK_2, transport, era) for transport in ("stdio", "HTTP") for era in ERAS),
)
"""Every client that is a library; each lists the tools and calls both."""


ONION_SOUP: Mapping[str, str] = {"query": "onion soup"}


def report(
    way: Way, connection: Connection, search: Mapping[str, str] = ONION_SOUP
) -> dict[str, Any]:
    """Run one of WAYS; returns the tools listed, the best hit, its text, and the protocol's
    version where the client tells it."""
    given, asked = json.dumps(dict(connection)), json.dumps(dict(search))
    if way.client.startswith("@"):
        script = str(HERE / "typescript_client.mjs")
        command = ["node", script, str(FOLDER), way.client, given, asked, way.era]
    else:
        name = way.client.partition("-")[0]
        command = [str(FOLDER / "venv/bin/python"), str(HERE / f"{name}_client.py"), given, asked]
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", timeout=TIMEOUT, cwd=FOLDER
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@dataclass(frozen=True, slots=True)
class Inspected:
    """What Inspector's command line printed."""

    status: int
    result: dict[str, Any]
    complaints: str
    """What it wrote on stderr."""


def inspect(connection: Connection, era: str, method: str, *options: str) -> Inspected:
    """Run one method by Inspector's command line."""
    target = [connection["command"], *connection["args"]] if "command" in connection else []
    http = [connection["url"], "--transport", "http"] if "url" in connection else []
    asked = ["--method", method, "--protocol-era", era, *options]
    done = subprocess.run(
        [str(FOLDER / "node_modules/.bin/mcp-inspector"), "--cli", *target, *http, *asked],
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT,
        cwd=FOLDER,
        env={**os.environ, "HOME": str(FOLDER)},
    )
    result = json.loads(done.stdout) if done.stdout.strip() else {}
    return Inspected(done.returncode, result.get("result", result), done.stderr)


def claude_code() -> str:
    """Where Claude Code's binary is; empty without one."""
    installed = FOLDER / "node_modules/.bin/claude"
    return os.environ.get("BLOG_SEARCH_CLAUDE") or (str(installed) if installed.exists() else "")


def claude_says(home: Path, index: Path) -> str:
    """What Claude Code says of the entry that `install` writes into this home."""
    server = start_words()[0]
    at_home(home, [server, "install", "claude-code", "--index", str(index)])
    listed = at_home(home, [claude_code(), "mcp", "list"])
    [line] = [line for line in listed.splitlines() if line.startswith("blog:")]
    command, _, status = line.removeprefix("blog: ").rpartition(" - ")
    assert command == f"{server} serve --index {index}"
    return status


def at_home(home: Path, command: Sequence[str]) -> str:
    """What a command prints that has this home and nothing of the caller's own settings."""
    environment = {
        "HOME": str(home),
        "PATH": os.defpath,
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    done = subprocess.run(
        command,
        cwd=home,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=TIMEOUT,
    )
    return done.stdout
