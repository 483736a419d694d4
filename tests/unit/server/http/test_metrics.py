"""What is counted for Prometheus, who may read it, and that it tells nothing of what is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from blog_search_mcp.index.errors import IndexMissing
from blog_search_mcp.index.types import KEYWORDS_ONLY
from blog_search_mcp.server.http.app import STREAMS, build_app
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.settings import ANYONE, Access, Address
from tests.support.server_fixtures import FixedSearcher

if TYPE_CHECKING:
    from blog_search_mcp.index.store.statistics import Overview
    from blog_search_mcp.index.types import Answer, Filters
    from blog_search_mcp.server.http.metrics import Metrics

pytest.importorskip("prometheus_client")

HERE = Address("127.0.0.1", 8765)
TOKEN = "0123456789abcdef"
ACCEPT = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class WithoutMeaning(FixedSearcher):
    def search(self, query: str, filters: Filters, *, limit: int, offset: int) -> Answer:
        answer = super().search(query, filters, limit=limit, offset=offset)
        notice = f"tech: {KEYWORDS_ONLY} Ollama does not answer."
        return replace(answer, confidence="low", notice=notice)


class Empty(FixedSearcher):
    @property
    def overview(self) -> Overview:
        raise IndexMissing("There is no index yet.")


def client_of(searcher: FixedSearcher, access: Access = ANYONE) -> tuple[TestClient, Metrics]:
    from blog_search_mcp.server.http.metrics import Metrics

    metrics = Metrics(searcher)
    server = build_server(searcher, None, [metrics], STREAMS)
    app = build_app(searcher, HERE, access, server, metrics)
    return TestClient(app, "http://localhost", client=("127.0.0.1", 50000)), metrics


def call(client: TestClient, tool: str, **arguments: object) -> None:
    headers = {**ACCEPT, "Mcp-Method": "tools/call", "Mcp-Name": tool}
    params = {"name": tool, "arguments": arguments, "_meta": META}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    assert client.post("/mcp", json=body, headers=headers).status_code == 200


def values(client: TestClient) -> dict[str, float]:
    """Give what is counted, without the buckets and what Python tells of the process."""
    lines = client.get("/metrics").text.splitlines()
    pairs = (line.rpartition(" ") for line in lines if line.startswith("blog_"))
    return {
        name: float(value)
        for name, _, value in pairs
        if "_bucket" not in name and "_sum" not in name
    }


def test_calls_and_searches_are_counted_by_tool_outcome_and_confidence() -> None:
    client, metrics = client_of(FixedSearcher())
    metrics.count_connections(lambda: 3)
    with client:
        call(client, "search_blog", query="cache")
        call(client, "search_blog", query="crash")
        call(client, "read_chunk", source="notes.md", chunk_index=0)
        client.post("/api/search", json={"query": "cache"})
        client.get("/secret-query")
        assert values(client) == {
            'blog_tool_call_seconds_count{outcome="answered",tool="search_blog"}': 1,
            'blog_tool_call_seconds_count{outcome="failed",tool="search_blog"}': 1,
            'blog_tool_call_seconds_count{outcome="answered",tool="read_chunk"}': 1,
            'blog_searches_total{confidence="medium"}': 2,
            "blog_searches_keywords_only_total": 0,
            'blog_http_request_seconds_count{path="/mcp",status="200"}': 3,
            'blog_http_request_seconds_count{path="/api/search",status="200"}': 1,
            'blog_http_request_seconds_count{path="other",status="404"}': 1,
            "blog_http_connections": 3,
            "blog_index_up": 1,
            "blog_index_generation": 7,
            "blog_index_created_timestamp_seconds": 1768471200,
            "blog_index_posts": 2,
            "blog_index_chunks": 3,
        }


def test_a_search_by_words_alone_is_counted_as_that() -> None:
    client, _ = client_of(WithoutMeaning())
    with client:
        call(client, "search_blog", query="cache")
        client.post("/api/search", json={"query": "cache"})
        counted = values(client)
    assert counted["blog_searches_keywords_only_total"] == 2
    assert counted['blog_searches_total{confidence="low"}'] == 2


def test_no_metric_holds_what_was_asked_or_what_it_found() -> None:
    client, _ = client_of(FixedSearcher())
    with client:
        call(client, "search_blog", query="swordfish", tag="swordfish")
        call(client, "read_chunk", source="swordfish.md", chunk_index=0)
        client.get("/swordfish?query=swordfish")
        text = client.get("/metrics").text
    assert [word for word in ("swordfish", "notes.md", "kv-cache") if word in text] == []


def test_without_an_index_it_says_so_and_knows_no_numbers() -> None:
    client, _ = client_of(Empty())
    with client:
        counted = values(client)
    assert counted["blog_index_up"] == 0
    assert counted["blog_index_posts"] != counted["blog_index_posts"]


def test_the_metrics_are_guarded_as_the_posts_are() -> None:
    client, _ = client_of(FixedSearcher(), Access(TOKEN))
    with client:
        asked: list[dict[str, str]] = [
            {},
            {"Authorization": f"Bearer {TOKEN}"},
            {"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"},
            {"Authorization": f"Bearer {TOKEN}", "Origin": "https://evil.example"},
        ]
        codes = [client.get("/metrics", headers=headers).status_code for headers in asked]
    assert codes == [401, 200, 421, 403]


def test_unless_asked_for_there_are_none() -> None:
    with TestClient(build_app(FixedSearcher(), HERE, ANYONE), "http://localhost") as client:
        assert client.get("/metrics").status_code == 404
