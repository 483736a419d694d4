"""`blog-server`: read the settings, then serve or run another command.

Only the standard library is imported before the command line is understood, and
the signals are taken first, so that they end even a process that is still importing.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

    from blog_search_mcp.server.cli.install.clients import Machine
    from blog_search_mcp.server.settings import Settings


_WAITING = (
    "This server waits for an MCP client, which starts it by itself. To ask in a terminal: "
    "`blog-server search --index INDEX QUESTION`. To add a blog to a client: `blog-server setup "
    "FOLDER`. Ctrl-C ends this."
)

SIGNALLED = 128
"""Plus the signal's number: the exit status that shells give to what a signal ended."""


def main() -> NoReturn:
    """Run one command and end the process with its status."""
    _end_on_signals(lambda number: SIGNALLED + number)
    from blog_search_mcp.index.command_line import run_command

    status = run_command(_run_as_asked)
    sys.stderr.flush()
    # Python's own teardown takes about 230 ms once the SDK's modules are loaded.
    os._exit(status)


def _end_on_signals(status: Callable[[int], int]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _frame: os._exit(status(number)))


def _run_as_asked() -> int:
    import logging

    from blog_search_mcp.server.cli.parser import read_settings

    settings = read_settings(sys.argv[1:], os.environ)
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(message)s"
    )
    return run(settings)


def run(settings: Settings) -> int:
    """Run the command of `settings`; returns the exit status."""
    match settings.command:
        case "doctor":
            from blog_search_mcp.server.cli.doctor.run import doctor

            return doctor(settings, _describe_machine())
        case "setup":
            from blog_search_mcp.server.cli.setup import set_up

            assert settings.setup is not None
            return set_up(settings, settings.setup, _describe_machine())
        case "install" | "uninstall":
            from blog_search_mcp.server.cli.install.run import configure_client

            assert settings.setup is not None
            return configure_client(settings, settings.setup, _describe_machine())
        case "ask":
            from blog_search_mcp.server.cli.ask import ask

            assert settings.question is not None
            return ask(settings, settings.question)
        case "search":
            from blog_search_mcp.server.cli.search import search

            assert settings.search is not None
            return search(settings, settings.search)
        case "usage":
            from blog_search_mcp.server.cli.usage_report import usage

            return usage(settings)
        case "similar" | "links" | "related" | "audit" | "timeline":
            from blog_search_mcp.server.cli.author.options import run_author_command

            assert settings.author is not None
            return run_author_command(settings, settings.author)
        case "serve":
            return _serve(settings)


def _serve(settings: Settings) -> int:
    _end_on_signals(lambda _number: 0)
    if not _can_watch(settings):
        return 1
    if settings.http is not None:
        from blog_search_mcp.server.http.serve import serve_http

        return serve_http(settings, settings.http)
    if sys.stdin is not None and sys.stdin.isatty():
        from blog_search_mcp.server.cli.terminal import tell

        tell(_WAITING, settings)
    gc.disable()  # until the index is open: collections among imports find nothing to free
    from blog_search_mcp.server.stdio.transport import serve_stdio

    return serve_stdio(settings)


def _can_watch(settings: Settings) -> bool:
    """Whether posts can be watched, or an earlier index served; tells why where they cannot."""
    folder = settings.watch
    if folder is None or (folder.is_dir() and os.access(folder, os.R_OK | os.X_OK)):
        return True
    from blog_search_mcp.index.errors import BlogSearchError
    from blog_search_mcp.index.posts.walk import refuse_inside
    from blog_search_mcp.index.stores import open_store
    from blog_search_mcp.server.cli.terminal import tell

    try:
        refuse_inside(folder, settings.index)
    except BlogSearchError as error:
        tell(str(error), settings)
    return open_store(settings.index).stamp() is not None


def _describe_machine() -> Machine:
    from pathlib import Path

    from blog_search_mcp.server.cli.install.clients import Machine

    return Machine(Path.home(), Path.cwd(), sys.platform, os.environ)


if __name__ == "__main__":
    main()
