"""Run `python -m ingest`, the command `ingest` alone; a stop has its sentence from the start."""

from typing import NoReturn

from blog_search_mcp.index.signals import end_on_signals
from blog_search_mcp.ingest import STOPPED


def main() -> NoReturn:
    """Run one ingest and end the process with its status."""
    end_on_signals(STOPPED)
    from blog_search_mcp.index.command_line import run_and_exit
    from blog_search_mcp.ingest.cli import ingest

    run_and_exit(ingest, "blog-search-mcp ingest")


if __name__ == "__main__":
    main()
