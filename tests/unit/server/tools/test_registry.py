"""Which tools are offered."""

from __future__ import annotations

import pytest
from mcp import Client, MCPError

from blog_search_mcp.server.protocol.app import build_server
from tests.support.server_fixtures import FixedSearcher


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
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_no_client_is_told_to_wait_for_other_tools(mode: str) -> None:
    async with Client(build_server(FixedSearcher()), mode=mode) as client:
        assert client.server_capabilities is not None
        assert client.server_capabilities.tools is not None
        assert not client.server_capabilities.tools.list_changed
