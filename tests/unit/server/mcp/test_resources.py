"""Resources and prompts over a real index, as clients of both eras ask for them."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import pytest
from mcp import Client, MCPError
from mcp.types import ResourceTemplateReference, TextContent, TextResourceContents

from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.mcp.resources import TEMPLATE
from blog_search_mcp.server.mcp.server import build_server
from blog_search_mcp.server.settings import Settings, ToolsetName
from tests.support.front import Blog, made

EACH_ERA = pytest.mark.parametrize("mode", ["auto", "legacy"])
TEXT = "A KV cache keeps the keys.\n\n## Memory\n\nIts size grows with the context."
PARAGRAPHS = [f"የዚያን ቀን ማዕበል በተመለከተ አንቀጽ {number} ነው።" for number in range(900)]
"""In letters that no model of the package knows, so nothing has to be embedded."""
POSTS = {
    "inference/kv.md": "---\ntitle: What is a KV cache?\ndate: 2025-03-04\n"
    f"tags: [Inference, memory]\n---\n{TEXT}\n",
    "notes/快取 筆記.md": "---\ndate: 2024-01-01\ntags: [memory]\n---\n快取會保留鍵與值。\n",
    "soup.md": "# Onion soup\n\nBoil an onion in water and add salt.\n",
    "tides.md": "# Tides\n\n" + "\n\n".join(PARAGRAPHS) + "\n",
}
URIS = [f"blog://post/{quote(source)}" for source in POSTS]
POST = ResourceTemplateReference(uri=TEMPLATE.uri_template)
Work = Callable[[Client], Awaitable[Any]]


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), POSTS)


def ask(index: Path, mode: str, work: Work, toolset: ToolsetName = "core") -> Any:
    """Return what `work` does with a client of this era."""

    async def connect() -> Any:
        server = build_server(engine_for(Settings(index)), toolset)
        async with Client(server, mode=mode) as client:
            return await work(client)

    return anyio.run(connect)


def read(index: Path, uri: str, mode: str = "auto") -> list[str]:
    """The texts of a resource."""
    result = ask(index, mode, lambda client: client.read_resource(uri))
    return [block.text for block in result.contents if isinstance(block, TextResourceContents)]


def refused(index: Path, mode: str, work: Work) -> MCPError:
    async def attempt(client: Client) -> MCPError:
        with pytest.raises(MCPError) as raised:
            await work(client)
        return raised.value

    error: MCPError = ask(index, mode, attempt)
    return error


@pytest.mark.parametrize(
    ("front_matter", "query", "text"),
    [
        (
            "title: The new office\ndescription: We move to Utrecht.",
            "Utrecht",
            "We move to Utrecht.",
        ),
        ("title: The new office\nsummary: We move.", "the new office", "We move."),
        ("title: Utrecht\naliases: [The new office]", "new office", "Utrecht"),
        ("title: Utrecht\ndescription: We move.\n---\n<!-- soon", "Utrecht", "We move."),
    ],
)
def test_a_post_of_front_matter_alone_is_listed_found_and_read(
    tmp_path: Path, front_matter: str, query: str, text: str
) -> None:
    bare = {"title.md": "---\ntitle: Utrecht\n---\n", "b.md": "Bread is baked.\n"}
    blog = made(tmp_path, {**bare, "office.md": f"---\n{front_matter}\n---\n"})
    listed = ask(blog.index, "auto", lambda client: client.list_resources()).resources
    assert {each.name for each in listed} == blog.posts().keys() == {"b.md", "office.md"}
    assert (blog.report["posts"], blog.report["chunks"]) == (2, 2)
    assert blog.sources(query)[:1] == ["office.md"]
    assert blog.tool("read_chunk", source="office.md").text.startswith(f"{text}\ntitle:")
    assert read(blog.index, "blog://post/office.md")[0] == text


@EACH_ERA
def test_every_post_is_a_resource_and_reads_whole_as_in_the_index(mode: str, blog: Blog) -> None:
    listed = ask(blog.index, mode, lambda client: client.list_resources()).resources
    assert [resource.uri for resource in listed] == URIS
    text, place = read(blog.index, URIS[0], mode)
    assert (text, "source: inference/kv.md" in place) == (TEXT, True)
    assert read(blog.index, URIS[1], mode)[0] == "快取會保留鍵與值。"
    whole = read(blog.index, URIS[3], mode)[0]
    assert [line for line in PARAGRAPHS if line not in whole] == []
    templates = ask(blog.index, mode, lambda client: client.list_resource_templates())
    uris = [each.uri_template for each in templates.resource_templates]
    assert uris == [TEMPLATE.uri_template]


@EACH_ERA
@pytest.mark.parametrize(
    "uri",
    [
        "blog://post/none.md",
        "blog://post/../secret.md",
        "blog://post/%2e%2e/secret.md",
        "blog://posts",
        "blog://post/",
        "file:///etc/passwd",
        "",
    ],
)
def test_an_unknown_resource_has_its_era_s_code(mode: str, uri: str, blog: Blog) -> None:
    error = refused(blog.index, mode, lambda client: client.read_resource(uri))
    code = {"auto": -32602, "legacy": -32002}[mode]
    assert (error.code, error.data) == (code, {"uri": uri})


NOTHING = {"name": "x", "value": ""}
REFUSED: dict[str, Work] = {
    "a cursor": lambda client: client.list_resources(cursor="W10="),
    "no cursor": lambda client: client.list_resources(cursor=""),
    "a prompt": lambda client: client.get_prompt("none", {}),
    "too little": lambda client: client.get_prompt("what_changed", {}),
    "a blank": lambda client: client.get_prompt("what_changed", {"topic": " "}),
    "too much": lambda client: client.get_prompt("what_changed", {"topic": "x", "b": "x"}),
}


@EACH_ERA
@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_meant_is_refused(mode: str, what: str, blog: Blog) -> None:
    assert refused(blog.index, mode, REFUSED[what]).code == -32602


@EACH_ERA
def test_without_an_index_there_is_nothing_to_list_and_a_sentence_to_read(
    mode: str, tmp_path: Path
) -> None:
    listed = ask(tmp_path, mode, lambda client: client.list_resources()).resources
    assert listed == []
    error = refused(tmp_path, mode, lambda client: client.read_resource(URIS[0]))
    assert (error.code, "no index" in error.message) == (-32603, True)


def test_a_cursor_stays_valid_while_posts_are_added(tmp_path: Path) -> None:
    names = [f"p{number:03}.md" for number in range(101)]
    blog = made(tmp_path, dict.fromkeys(names, "ማዕበል\n"))

    async def page_on(client: Client) -> list[str]:
        first = await client.list_resources()
        blog.write({"p000a.md": "New, and before the cursor.\n"})
        blog.ingest()
        last = await client.list_resources(cursor=first.next_cursor)
        return [each.name for each in (*first.resources, *last.resources)]

    assert ask(blog.index, "auto", page_on) == names


@EACH_ERA
@pytest.mark.parametrize("toolset", ["core", "author"])
def test_prompts_say_what_to_do_with_what_was_given(
    mode: str, toolset: ToolsetName, blog: Blog
) -> None:
    async def fill_in_all(client: Client) -> set[str]:
        listed = (await client.list_prompts()).prompts
        for prompt in listed:
            given = {each.name: f"<{each.name} {{x}}>" for each in prompt.arguments or ()}
            [message] = (await client.get_prompt(prompt.name, given)).messages
            assert isinstance(message.content, TextContent)
            assert all(value in message.content.text for value in given.values())
        return {prompt.name for prompt in listed}

    names = ask(blog.index, mode, fill_in_all, toolset)
    assert {"answer_from_blog", "what_changed"} <= names
    assert ({"before_i_publish", "what_to_write_next"} <= names) is (toolset == "author")
