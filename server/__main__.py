"""Run `python -m server`, the command `serve` alone."""

from __future__ import annotations

from typing import NoReturn

from blog_search_mcp.index.signals import end_on_signals


def main() -> NoReturn:
    """Serve, and end the process with the status."""
    end_on_signals(status=0)
    from blog_search_mcp.index.command_line import run_and_exit
    from blog_search_mcp.server.cli.commands import serve

    run_and_exit(serve, "blog-search-mcp serve")


if __name__ == "__main__":
    main()
