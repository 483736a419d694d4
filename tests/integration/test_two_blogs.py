"""Two blogs in one server, as clients of both eras meet them over stdio."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import (
    CallToolResult,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from blog_search_mcp.server.protocol.resources import POST_TEMPLATE
from blog_search_mcp.server.tools.registry import EXTENDED
from tests.support.paths import ROOT
from tests.support.served import KV, SOUP, indexed

if TYPE_CHECKING:
    from pathlib import Path

TECH = {
    "inference/kv.md": KV,
    "nets.md": "# Layers\n\nA network has layers, each of which adds something.\n",
}
FOOD = {"soup.md": SOUP, "bread.md": "# Bread\n\nKnead flour and water into a dough.\n"}


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("blogs")
    return [indexed(folder / "tech", TECH), indexed(folder / "food", FOOD)]


def server_over(indexes: list[Path], *options: str) -> StdioServerParameters:
    named = [word for index in indexes for word in ("--index", str(index))]
    arguments = ["-m", "blog_search_mcp.server", *named, *options]
    return StdioServerParameters(
        command=sys.executable, args=arguments, cwd=ROOT, env=dict(os.environ)
    )


def texts(result: CallToolResult) -> list[str]:
    return [block.text for block in result.content if isinstance(block, TextContent)]


async def sources(client: Client, **arguments: Any) -> list[str]:
    found = (await client.call_tool("search_blog", arguments)).structured_content
    assert found is not None
    return [hit["source"] for hit in found["results"]]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_one_server_searches_reads_and_lists_two_blogs(
    mode: str, indexes: list[Path]
) -> None:
    async with Client(server_over(indexes, "--toolset", "extended"), mode=mode) as client:
        assert client.instructions is not None
        assert "2 blogs: 4 posts" in client.instructions
        assert "Blogs: tech (2), food (2)." in client.instructions

        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        blog = {
            "type": "string",
            "enum": ["tech", "food"],
            "description": "This blog instead of all",
        }
        for tool in EXTENDED:
            expected = tool.input_schema
            if tool.name in {"search_blog", "list_posts"}:
                expected["properties"]["blog"] = blog
            assert tools[tool.name].input_schema == expected

        assert (await sources(client, query="What is a KV cache?"))[0] == "tech/inference/kv.md"
        assert (await sources(client, query="onion soup"))[0] == "food/soup.md"
        chosen = await sources(client, query="onion soup", blog="tech")
        assert all(source.startswith("tech/") for source in chosen)

        read = await client.call_tool("read_chunk", {"source": "food/soup.md", "chunk_index": 0})
        text, place = texts(read)
        assert "Boil an onion" in text
        assert "source: food/soup.md" in place
        [missing] = texts(
            await client.call_tool("read_chunk", {"source": "soup.md", "chunk_index": 0})
        )
        assert "Nearest: food/soup.md." in missing

        listed = (await client.call_tool("list_posts", {"blog": "food"})).structured_content
        assert listed is not None
        assert {post["source"] for post in listed["posts"]} == {"food/soup.md", "food/bread.md"}
        outline = await client.call_tool("get_outline", {"source": "tech/inference/kv.md"})
        assert "source: tech/inference/kv.md" in texts(outline)[0]

        uris = [resource.uri for resource in (await client.list_resources()).resources]
        assert "blog://post/tech/inference/kv.md" in uris
        [body, _place] = (await client.read_resource("blog://post/food/soup.md")).contents
        assert isinstance(body, TextResourceContents)
        assert "Boil an onion" in body.text
        completed = await client.complete(
            ResourceTemplateReference(uri=POST_TEMPLATE), {"name": "path", "value": "soup"}
        )
        assert completed.completion.values == ["food/soup.md"]


@pytest.mark.anyio
async def test_a_broken_index_among_two_is_told_of_and_the_other_answers(
    indexes: list[Path], tmp_path: Path
) -> None:
    torn = tmp_path / "torn"
    shutil.copytree(indexes[1], torn)
    for path in torn.joinpath("generations").rglob("*.*"):
        path.write_bytes(path.read_bytes()[:10])
    given = [indexes[0], torn, tmp_path / "missing"]
    async with Client(server_over(given, "--toolset", "extended")) as client:
        for tool, arguments in (("search_blog", {"query": "KV cache"}), ("list_posts", {})):
            found = (await client.call_tool(tool, arguments)).structured_content
            assert found is not None
            [first, *_] = found.get("results") or found["posts"]
            assert first["source"] == "tech/inference/kv.md"
            assert "torn: " in found["notice"]
            assert "missing: There is no index in missing/ yet." in found["notice"]
