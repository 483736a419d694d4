"""The server as clients of both eras ask it, but for what is no tool call."""

import logging
import re
from importlib.metadata import version
from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError
from mcp.types import TextContent

from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.mcp.server import HOW, NO_INDEX, WHEN, build_server
from blog_search_mcp.server.settings import Settings
from tests.support.front import Blog, made
from tests.support.server_fixtures import FixedSearcher

ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
EACH_ERA = pytest.mark.parametrize("mode", ERAS)
SITE = 'title = "Plum"\nbaseURL = "https://plum.example/"\n[params]\ndescription = "On cooking."\n'
POSTS = {
    "../hugo.toml": SITE,
    "inference/kv.md": "---\ndate: 2025-03-04\ntags: [KV cache, llm]\n---\n"
    "A cache keeps keys and values for later.\n",
    "soup/onion.md": "---\ndate: 2024-01-01\ntags: [LLM]\n---\n"
    "Boil an onion and then add some salt to it.\n",
}
ABOUT = (
    "Search and read the blog “Plum” at https://plum.example: 2 posts, the newest of 2025-03-04. "
    "On cooking. Languages: en (2). Sections: inference (1), soup (1). "
    "Tags: llm (2), kv cache (1). Newest posts: “kv”, “onion”."
)


@pytest.fixture
def blog(tmp_path: Path) -> Blog:
    return made(tmp_path, POSTS)


@pytest.mark.anyio
@EACH_ERA
async def test_the_server_says_who_it_is_and_keeps_a_fault_of_its_own_in_the_log(
    mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with Client(build_server(FixedSearcher()), mode=mode) as client:
        info, able = client.server_info, client.server_capabilities
        assert info is not None
        assert (client.protocol_version, info.name) == (ERAS[mode], "blog_mcp")
        assert info.version == version("blog-search-mcp")
        assert able is not None
        assert able.tools is not None
        assert not able.tools.list_changed
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == ["search_blog", "read_chunk"]
        # A client that got text of a tool with an output schema would refuse it.
        assert [tool.output_schema for tool in listed.tools] == [None, None]
        loads = [tool.meta for tool in listed.tools]
        assert loads == [{"anthropic/alwaysLoad": True}] * 2
        with pytest.raises(MCPError) as refused:
            await client.call_tool("list_posts", {})
        with caplog.at_level(logging.ERROR):
            result = await client.call_tool("search_blog", {"query": "crash"})
    assert refused.value.code == -32602
    assert "search_blog and read_chunk" in refused.value.message
    [block] = result.content
    assert isinstance(block, TextContent)
    assert (result.is_error, "swordfish" in block.text) == (True, False)
    assert ["swordfish" in str(record.exc_text) for record in caplog.records] == [True]


def told(index: Path, mode: str = "auto") -> str:
    """What a client is told of the blog in the first reply."""

    async def connect() -> str:
        async with Client(build_server(engine_for(Settings(index))), mode=mode) as client:
            info = client.server_info
            assert info is not None
            assert (info.title in (client.instructions or "")) if info.title else info.icons
            return client.instructions or ""

    said = anyio.run(connect)
    assert len(said.encode()) < 2_048
    assert said.startswith(WHEN)
    assert said.endswith(HOW)
    return said


@EACH_ERA
def test_each_connection_is_told_of_the_index_of_that_moment(mode: str, blog: Blog) -> None:
    assert told(blog.index, mode) == f"{WHEN} {ABOUT} {HOW}"
    blog.write({"tea.md": "Tea is made of leaves and of hot water.\n"})
    blog.ingest()
    assert "3 posts" in told(blog.index, mode)


def test_without_an_index_a_client_is_told_so(tmp_path: Path) -> None:
    assert told(tmp_path / "none") == f"{WHEN} {NO_INDEX} {HOW}"


def test_names_of_a_large_blog_are_counted_and_begin_no_line(tmp_path: Path) -> None:
    posts = {
        f"{'部落格的分類' * 5}{n}/a.md": f'---\ntags: ["{"標籤" * 5}{n}", "a\\nb{n}"]\n---\nA.\n'
        for n in range(100)
    }
    said = told(made(tmp_path, posts).index)
    assert "100 posts" in said
    assert " more. " in said
    assert "\n" not in said


LONG = "很長的名字" * 40
WIDEST = {
    "../hugo.toml": f'title = "{LONG}"\nbaseURL = "https://{"a" * 60}.example/{"b" * 90}/"\n'
    f'[params]\ndescription = "{LONG}。"\n',
    **{
        f"{n}{LONG[:70]}/{m}.md": f"---\ndate: 2025-03-0{n + 1}\ntitle: {n}{LONG}\n"
        f'tags: ["{n}{LONG}", "{m}{LONG}"]\n---\n海象在冰上休息。\n'
        for n in range(9)
        for m in range(3)
    },
}
VAULT = {"../.obsidian/app.json": "{}", "Walrus post.md": "A walrus rests. #sea", "b.md": "Walrus"}


def test_instructions_have_room_for_the_longest_names(tmp_path: Path) -> None:
    assert len(told(made(tmp_path, WIDEST).index)) > len(HOW) + 400


@pytest.mark.parametrize("query", ["grep", "latest posts", '"a walrus flies"', "wlarus", "walrus"])
def test_a_vault_has_notes(tmp_path: Path, query: str) -> None:
    vault = made(tmp_path, VAULT)
    said = told(vault.index)
    assert "2 notes" in said
    assert "blog" not in said.replace("search_blog", "")
    for given in ({"top_k": 1}, {"tag": "none"}, {"section": "none"}, {"after": "2020"}):
        facts = vault.tool("search_blog", query=query, **given).facts
        notice = str(facts.get("notice", "")).replace("Walrus post.md", "")
        assert not {"post", "posts", "blog"} & {*re.findall(r"\w+", notice)}


@pytest.mark.parametrize("settings", [{}, {"../.obsidian/app.json": "{}", "../hugo.toml": SITE}])
def test_what_a_site_publishes_is_a_blog(tmp_path: Path, settings: dict[str, str]) -> None:
    assert "1 post" in told(made(tmp_path, {"a.md": "A walrus rests.\n", **settings}).index)
