"""Serve until the client or a signal ends it."""

from __future__ import annotations

import gc
import logging
import os
import sys
from pathlib import Path

from blog_search_mcp.index.commands import PACKAGE
from blog_search_mcp.index.errors import ContentError
from blog_search_mcp.index.signals import end_on_signals
from blog_search_mcp.server.cli.terminal import tell
from blog_search_mcp.server.settings import Access, Address, Settings

_WAITING = (
    "This server waits for an MCP client, which starts it by itself. To ask in a terminal: "
    f"`{PACKAGE} search --index INDEX QUESTION`. To add a blog to a client: `{PACKAGE} setup "
    "FOLDER`. Ctrl-C ends this."
)


def serve(settings: Settings, address: Address | None, access: Access) -> int:
    """Serve over HTTP at `address`, without one over stdio; return the exit status."""
    end_on_signals(status=0)
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(message)s"
    )
    if settings.watch is not None:
        _check_posts(settings, settings.watch)
    if address is not None:
        from blog_search_mcp.server.http.serve import serve_http

        return serve_http(settings, address, access)
    if sys.stdin is not None and sys.stdin.isatty():
        tell(_WAITING, settings)
    gc.disable()  # until the index is open: collections among imports find nothing to free
    from blog_search_mcp.server.stdio.transport import serve_stdio

    return serve_stdio(settings)


def _check_posts(settings: Settings, folder: Path) -> None:
    """Tell why a folder cannot be watched. Raises ContentError if there is no index to serve."""
    if folder.is_dir() and os.access(folder, os.R_OK | os.X_OK):
        return
    from blog_search_mcp.index.posts.walk import refuse_inside
    from blog_search_mcp.index.stores import open_store

    try:
        refuse_inside(folder, settings.index)
    except ContentError as error:
        if open_store(settings.index).stamp() is None:
            raise
        tell(str(error), settings)
