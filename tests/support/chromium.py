"""The search page as a user sees it: a real server on a free port, opened in Chromium."""

from __future__ import annotations

import asyncio
import shutil
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import uvicorn

from blog_search_mcp.server.http.serve import build_app
from blog_search_mcp.server.settings import Address
from tests.support.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blog_search_mcp.server.engine import Engine

PATH = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
"""Path of Chromium or Chrome; empty if neither is installed."""
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def served(searcher: Engine, token: str = "") -> Iterator[str]:
    """Serve over HTTP as `serve --http` does; yield the server's URL without a path."""
    app = build_app(searcher, Address("127.0.0.1", 0, token))
    config = uvicorn.Config(app, port=0, ws="none", log_level="warning")
    server, socket = uvicorn.Server(config), config.bind_socket()
    running = threading.Thread(target=lambda: asyncio.run(server.serve([socket])))
    running.start()
    until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    finally:
        server.should_exit = True
        running.join()


@contextmanager
def chromium() -> Iterator[Any]:
    """Run Chromium with a temporary profile; yield Playwright's browser."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory(ignore_cleanup_errors=True) as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=PATH, args=list(FLAGS), env={"HOME": home, "TZ": "UTC"}
        )
        yield browser
        browser.close()


@dataclass
class Looker:
    """A page in a separate window, and everything that went wrong in it."""

    page: Any
    """Playwright's page."""
    url: str
    wrong: list[str] = field(default_factory=list)
    """Errors and warnings of the console, uncaught exceptions, and requests to other servers."""

    def listen(self) -> None:
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", self._asked)

    def _said(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.wrong.append(message.text)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(f"{self.url}/"):
            self.wrong.append(request.url)


@contextmanager
def looking(browser: Any, url: str, **options: Any) -> Iterator[Looker]:
    """Open a window, by default of 1200 by 860 pixels; `options` go to Playwright's context."""
    context = browser.new_context(**{"viewport": {"width": 1200, "height": 860}, **options})
    looker = Looker(context.new_page(), url)
    looker.listen()
    try:
        yield looker
    finally:
        context.close()
