"""Which tools are offered, and how a connected client learns of others."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import anyio
import pytest
from mcp import Client, MCPError
from mcp.client.subscriptions import ToolsListChanged

from blog_search_mcp.server.protocol import subscriptions
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.tools.registry import Toolset
from tests.support.server_fixtures import FixedSearcher
from tests.support.wire import HANDSHAKE, wire

if TYPE_CHECKING:
    from pathlib import Path

CORE = ["search_blog", "read_chunk"]
EXTENDED = [*CORE, "list_posts", "get_outline"]


@pytest.mark.anyio
async def test_a_tool_that_is_not_offered_is_unknown() -> None:
    server = build_server(FixedSearcher())
    async with Client(server) as client:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("list_posts", {})
    assert (refused.value.code, refused.value.message) == (
        -32602,
        "Unknown tool 'list_posts'; this server has search_blog and read_chunk.",
    )


@pytest.mark.anyio
async def test_a_client_that_listens_hears_of_the_other_tools(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subscriptions, "PAUSE", 0.01)
    toolset = Toolset()
    async with (
        Client(build_server(FixedSearcher(), toolset)) as client,
        client.listen(tools_list_changed=True) as heard,
    ):
        assert [tool.name for tool in (await client.list_tools()).tools] == CORE
        toolset.switch()
        with anyio.fail_after(30):
            assert await anext(heard) == ToolsListChanged()
        assert [tool.name for tool in (await client.list_tools()).tools] == EXTENDED


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="there are no signals to send here")
def test_a_signal_switches_the_tools_of_a_connected_client(tmp_path: Path) -> None:
    with wire(tmp_path, "-m", "blog_search_mcp.server", "--toolset", "extended") as server:
        opened = server.ask(1, "initialize", HANDSHAKE)
        assert opened["result"]["capabilities"]["tools"] == {"listChanged": True}
        server.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        listed = server.ask(2, "tools/list", {})["result"]["tools"]
        assert [tool["name"] for tool in listed] == EXTENDED
        server.process.send_signal(signal.SIGUSR1)
        assert server.reply()["method"] == "notifications/tools/list_changed"
        listed = server.ask(3, "tools/list", {})["result"]["tools"]
        assert [tool["name"] for tool in listed] == CORE
        assert server.rest() == (b"", b"")
