"""Serve until the client or a signal ends it."""

from __future__ import annotations

import gc
import logging
import sys

from blog_search_mcp.index.commands import PACKAGE
from blog_search_mcp.index.signals import end_on_signals
from blog_search_mcp.index.stores import open_store
from blog_search_mcp.server.cli.terminal import tell
from blog_search_mcp.server.settings import Access, Address, Settings


def serve(settings: Settings, address: Address | None, access: Access) -> int:
    """Serve over HTTP at `address`, without one over stdio; return the exit status.

    Raises ContentError for a folder that cannot be watched where there is no index to serve.
    """
    end_on_signals(status=0)
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(message)s"
    )
    if settings.watch is not None and open_store(settings.index).stamp() is None:
        from blog_search_mcp.index.posts.walk import refuse_inside

        refuse_inside(settings.watch, settings.index)
    if address is not None:
        from blog_search_mcp.server.http.serve import serve_http

        return serve_http(settings, address, access)
    if sys.stdin is not None and sys.stdin.isatty():
        waiting = "This server waits for an MCP client, which starts it by itself"
        tell(f"{waiting} (`{PACKAGE} setup FOLDER`). Ctrl-C ends this.", settings)
    gc.disable()  # until the index is open: collections among imports find nothing to free
    from blog_search_mcp.server.stdio.transport import serve_stdio

    return serve_stdio(settings)
