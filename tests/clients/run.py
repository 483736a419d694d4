"""Runs one real client against a server: how it connects comes in, what it reports goes out.

The clients are no dependencies of the project: `make clients` installs them into `.clients`,
or BLOG_SEARCH_CLIENTS names another folder that holds them.
"""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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

Connection = Mapping[str, Any]
"""A command with its arguments, or an address."""


ONION_SOUP: Mapping[str, str] = {"query": "onion soup", "response_format": "json"}
CLIENTS = ("langchain-mcp-adapters", "pydantic-ai-slim", SDK, *(f"{SDK_2} {era}" for era in ERAS))
"""Every client that is a library, and how it chooses the protocol's version, if it can be told."""


def report(client: str, connection: Connection) -> dict[str, Any]:
    """Run one of CLIENTS: the tools listed, the best hit for an onion soup, and its text."""
    given, asked = json.dumps(dict(connection)), json.dumps(dict(ONION_SOUP))
    package, _, era = client.partition(" ")
    if package.startswith("@"):
        command = ["node", str(HERE / "typescript_client.mjs"), str(FOLDER), package]
        command += [given, asked, era]
    else:
        script = str(HERE / f"{package.partition('-')[0]}_client.py")
        command = [str(FOLDER / "venv/bin/python"), script, given, asked]
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", timeout=TIMEOUT, cwd=FOLDER
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def inspect(
    connection: Connection, era: str, method: str, *options: str
) -> tuple[dict[str, Any], str]:
    """Run one method by Inspector's command line; what it found, and what it complains of."""
    target = [connection["command"], *connection["args"]] if "command" in connection else []
    http = [connection["url"], "--transport", "http"] if "url" in connection else []
    asked = ["--method", method, "--protocol-era", era, "--format", "json", *options]
    done = subprocess.run(
        [str(FOLDER / "node_modules/.bin/mcp-inspector"), "--cli", *target, *http, *asked],
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT,
        cwd=FOLDER,
        env={**os.environ, "HOME": str(FOLDER)},
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    return result.get("result", result), done.stderr.strip()


def claude_code() -> str:
    """Where Claude Code's binary is; empty without one."""
    installed = FOLDER / "node_modules/.bin/claude"
    return os.environ.get("BLOG_SEARCH_CLAUDE") or (str(installed) if installed.exists() else "")


def at_home(home: Path, *command: str) -> str:
    """What a command prints that has this home and nothing of the caller's own settings."""
    off = ("DISABLE_AUTOUPDATER", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC")
    done = subprocess.run(
        command,
        cwd=home,
        env={"HOME": str(home), "PATH": os.defpath, **dict.fromkeys(off, "1")},
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=TIMEOUT,
    )
    return done.stdout
