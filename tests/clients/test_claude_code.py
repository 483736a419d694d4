"""Claude Code itself starts the entry that `install` wrote, without a network or a login."""

from pathlib import Path

import pytest

from blog_search_mcp.index.invocation import start_words
from tests.clients.run import MISSING, at_home, claude_code
from tests.support.blog import MakeBlog

CLAUDE = claude_code()


@pytest.mark.skipif(not CLAUDE, reason=f"BLOG_SEARCH_CLAUDE names no Claude Code, and {MISSING}")
def test_claude_code_connects_to_the_entry_that_install_wrote(
    blog: MakeBlog, tmp_path: Path
) -> None:
    index, program = blog({"soup.md": "# Soup\n\nBoil an onion.\n"}).index, start_words()[0]
    home = tmp_path / "home"
    home.mkdir()
    at_home(home, program, "install", "claude-code", "--index", str(index))
    listed = at_home(home, CLAUDE, "mcp", "list").splitlines()
    assert f"blog: {program} serve --index {index} - ✔ Connected" in listed
    at_home(home, program, "uninstall", "claude-code")
    assert "blog:" not in at_home(home, CLAUDE, "mcp", "list")
