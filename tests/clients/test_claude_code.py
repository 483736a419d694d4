"""Claude Code itself: it starts the entry that `install` wrote, and finds both tools in order.

It needs neither a network nor a login.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.commands import start_words
from tests.clients.run import MISSING, at_home, claude_code, claude_says

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.blog import MakeBlog

CLAUDE = claude_code()

pytestmark = pytest.mark.skipif(
    not CLAUDE, reason=f"BLOG_SEARCH_CLAUDE names no binary of Claude Code, and {MISSING}"
)


def test_claude_code_connects_to_the_entry_that_install_wrote(
    blog: MakeBlog, tmp_path: Path
) -> None:
    index = blog({"soup.md": "# Soup\n\nBoil an onion.\n"}).index
    home = tmp_path / "home"
    home.mkdir()
    assert claude_says(home, index) == "✔ Connected"
    at_home(home, [start_words()[0], "uninstall", "claude-code"])
    assert "blog:" not in at_home(home, [CLAUDE, "mcp", "list"])
