"""Claude Code itself: it starts the entry that `install` wrote, and finds both tools in order.

Runs where BLOG_SEARCH_CLAUDE names its binary; it needs neither a network nor a login.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from server.scripts import script_path

if TYPE_CHECKING:
    from pathlib import Path

    from tests.blog import MakeBlog

CLAUDE = os.environ.get("BLOG_SEARCH_CLAUDE", "")

pytestmark = pytest.mark.skipif(
    not CLAUDE, reason="BLOG_SEARCH_CLAUDE names no binary of Claude Code"
)


def run(home: Path, *command: str) -> str:
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
        timeout=120,
    )
    return done.stdout


def test_claude_code_connects_to_the_entry_that_install_wrote(
    blog: MakeBlog, tmp_path: Path
) -> None:
    index, server = (
        blog({"soup.md": "# Soup\n\nBoil an onion.\n"}).index,
        script_path("blog-server"),
    )
    home = tmp_path / "home"
    home.mkdir()
    run(home, server, "install", "claude-code", "--index", str(index))
    listed = run(home, CLAUDE, "mcp", "list")
    [line] = [line for line in listed.splitlines() if line.startswith("blog:")]
    assert line == f"blog: {server} --index {index} - ✔ Connected"
    run(home, server, "uninstall", "claude-code")
    assert "blog:" not in run(home, CLAUDE, "mcp", "list")
