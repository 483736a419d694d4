"""Clients hear that the index changed, and nobody looks when nobody listens."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from anyio.to_thread import run_sync
from mcp import Client
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated

from blog_search_mcp.server.engine import Engine, IndexStatus
from blog_search_mcp.server.protocol import subscriptions
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.stdio.transport import serve
from tests.support.faults.server_process import META, line
from tests.support.server_fixtures import FixedSearcher

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.blog import Blog, MakeBlog

pytestmark = pytest.mark.anyio

POSTS = {"a.md": "One onion.\n", "b.md": "Two leeks.\n"}
FOLLOWED = ["blog://posts", "blog://post/a.md", "blog://chunk/b.md/0"]


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "PAUSE", 0.01)


def served(made: Blog) -> Any:
    live = made.follow()
    return build_server(Engine(lambda: live, IndexStatus(made.index)))


async def changed(made: Blog) -> None:
    made.write({"a.md": "One onion, salted.\n"})
    await run_sync(made.ingest)


async def test_a_client_of_the_newer_era_hears_of_what_it_asked_for(blog: MakeBlog) -> None:
    made = blog(POSTS)
    async with (
        Client(served(made)) as client,
        client.listen(resources_list_changed=True, resource_subscriptions=FOLLOWED) as heard,
    ):
        await changed(made)
        with anyio.fail_after(30):
            events = {await anext(heard) for _ in range(4)}
    assert events == {ResourcesListChanged(), *map(ResourceUpdated, FOLLOWED)}


async def test_an_index_that_appears_is_announced(blog: MakeBlog, tmp_path: Path) -> None:
    made = blog(POSTS)
    later = tmp_path / "later"
    server = build_server(Engine(made.follow, IndexStatus(later)))
    async with Client(server) as client, client.listen(resources_list_changed=True) as heard:
        await run_sync(made.index.rename, later)
        with anyio.fail_after(30):
            assert await anext(heard) == ResourcesListChanged()


class Looked(IndexStatus):
    """Counts how often it is looked at."""

    looks = 0

    def stamp(self) -> None:
        self.looks += 1
        return


async def test_nobody_looks_while_nobody_listens(tmp_path: Path) -> None:
    searcher, status = FixedSearcher(), Looked(tmp_path)
    searcher.status = status
    async with Client(build_server(searcher)) as client:
        before = status.looks  # the instructions look once
        await anyio.sleep(0.1)
        assert status.looks == before
        async with client.listen(resources_list_changed=True):
            with anyio.fail_after(30):
                while status.looks < before + 3:
                    await anyio.sleep(0.01)


def test_a_client_that_listens_and_leaves_is_answered_at_once() -> None:
    """Its stream ends with its result, so that the process need not wait for it."""
    asked = {"_meta": META, "notifications": {"resourcesListChanged": True}}
    requests = io.BytesIO(
        line(id=1, method="subscriptions/listen", params=asked)
        + line(id=2, method="tools/list", params={"_meta": META})
    )
    replies = io.BytesIO()

    async def within() -> None:
        with anyio.fail_after(5):  # less than the grace of `in_flight`
            await serve(build_server(FixedSearcher()), requests, replies, lambda _: None)

    anyio.run(within)
    said = [json.loads(reply) for reply in replies.getvalue().splitlines()]
    assert said[0]["method"] == "notifications/subscriptions/acknowledged"
    assert {reply["id"] for reply in said[1:]} == {1, 2}
