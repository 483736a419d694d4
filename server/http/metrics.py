"""What one server process counts, for Prometheus at `/metrics`.

No label holds what a client sent, but the names of tools and paths that this server has: who may
read the metrics learns how much is asked, and nothing of what.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.types import KEYWORDS_ONLY
from blog_search_mcp.server.engine import Searcher
from blog_search_mcp.server.tools.base import ToolReply

METRICS = "/metrics"
OTHER = "other"
"""The path of requests for none of the server's own."""
SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Upper ends of the buckets: a warm search takes 10 to 50 ms, an embedder may be waited for 2 s."""


class Metrics:
    """The counters of one server; safe for concurrent use."""

    def __init__(self, searcher: Searcher) -> None:
        """Count from zero; `searcher` is asked for its overview whenever the metrics are read."""
        self._searcher = searcher
        self._registry = registry = CollectorRegistry()
        disable_created_metrics()  # they double the series, and a restart shows without them
        ProcessCollector(registry=registry)
        self._requests = Histogram(
            "blog_http_request_seconds",
            "Time until an answer's head was sent",
            ("path", "status"),
            buckets=SECONDS,
            registry=registry,
        )
        self._calls = Histogram(
            "blog_tool_call_seconds",
            "Time of a tool's call over MCP",
            ("tool", "outcome"),
            buckets=SECONDS,
            registry=registry,
        )
        self._searches = Counter(
            "blog_searches",
            "Searches answered, over MCP and for the search page",
            ("confidence",),
            registry=registry,
        )
        self._keywords_only = Counter(
            "blog_searches_keywords_only",
            "Searches answered by words alone, since the embedder failed or vectors are damaged",
            registry=registry,
        )
        self._connections = Gauge(
            "blog_http_connections", "Connections that are open", registry=registry
        )
        self._index = {
            name: Gauge(f"blog_index_{name}", text, registry=registry)
            for name, text in (
                ("up", "1 if there is an index that can be used"),
                ("generation", "Number of the live generation, of several blogs their sum"),
                ("created_timestamp_seconds", "When its posts were read, of several the oldest"),
                ("posts", "Posts in the index"),
                ("chunks", "Chunks in the index"),
            )
        }

    def log_call(
        self, tool: str, _arguments: Mapping[str, Any], reply: ToolReply, seconds: float
    ) -> None:
        """Count a call that has been done."""
        outcome = "failed" if reply.is_error else "answered"
        self._calls.labels(tool, outcome).observe(seconds)
        if reply.answer is not None:
            self.count_search(reply.answer.confidence, reply.answer.notice)

    def count_search(self, confidence: str, notice: str | None) -> None:
        """Count one search by its answer's confidence and notice."""
        self._searches.labels(confidence).inc()
        if KEYWORDS_ONLY in (notice or ""):
            self._keywords_only.inc()

    def count_connections(self, number: Callable[[], int]) -> None:
        """Ask `number` how many connections are open whenever the metrics are read."""
        self._connections.set_function(number)

    def route(self) -> Route:
        """Return the route that answers with the metrics as text."""

        def metrics(_request: Request) -> Response:
            self._read_index()
            headers = {"Cache-Control": "no-store"}
            text = generate_latest(self._registry)
            return Response(text, headers=headers, media_type=CONTENT_TYPE_LATEST)

        return Route(METRICS, metrics, methods=["GET"])

    def around(self, app: ASGIApp, paths: frozenset[str]) -> ASGIApp:
        """Count the requests to `app`, refused ones too, by which of `paths` they are for."""

        async def measured(scope: Scope, receive: Receive, send: Send) -> None:
            began = time.perf_counter()

            async def send_and_count(message: Message) -> None:
                if message["type"] == "http.response.start":
                    path = scope["path"] if scope["path"] in paths else OTHER
                    counted = self._requests.labels(path, message["status"])
                    counted.observe(time.perf_counter() - began)
                await send(message)

            await app(scope, receive, send_and_count)

        return measured

    def _read_index(self) -> None:
        """Set what is known of the index, NaN while there is none."""
        try:
            overview = self._searcher.overview
        except BlogSearchError:
            values = (0.0, *(math.nan,) * 4)
        else:
            created = datetime.fromisoformat(overview.created).timestamp()
            values = (1.0, overview.generation, created, overview.posts, overview.chunks)
        for gauge, value in zip(self._index.values(), values, strict=True):
            gauge.set(value)
