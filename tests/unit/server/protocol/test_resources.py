"""Resources, prompts and completion over a real index, as clients of both eras ask for them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp.types import (
    PromptReference,
    ReadResourceResult,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.protocol import resources
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.protocol.resources import CHUNK_TEMPLATE, POST_TEMPLATE
from blog_search_mcp.server.settings import Settings, ToolsetName
from blog_search_mcp.server.tools.registry import TOOLSETS
from tests.support.front import Blog, made

NOT_FOUND = {"auto": -32602, "legacy": -32002}
EACH_ERA = pytest.mark.parametrize("mode", NOT_FOUND)
KV = """---
title: What is a KV cache?
date: 2025-03-04
tags: [Inference, memory]
---
A KV cache keeps the keys and values of earlier tokens.

## Memory

Its size grows with the length of the context.
"""
PARAGRAPHS = [f"Paragraph {number} is about the tide of that day." for number in range(900)]
POSTS = {
    "inference/kv.md": KV,
    "notes/快取 筆記.md": "---\ndate: 2024-01-01\ntags: [memory]\n---\n快取會保留鍵與值。\n",
    "soup.md": "# Onion soup\n\nBoil an onion in water and add salt.\n",
    "tides.md": "# Tides\n\n" + "\n\n".join(PARAGRAPHS) + "\n",
}
URIS = [
    "blog://posts",
    "blog://post/inference/kv.md",
    "blog://post/notes/%E5%BF%AB%E5%8F%96%20%E7%AD%86%E8%A8%98.md",
    "blog://post/soup.md",
    "blog://post/tides.md",
]


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), POSTS)


def ask(
    index: Path,
    mode: str,
    work: Callable[[Client], Awaitable[Any]],
    toolset: ToolsetName = "core",
) -> Any:
    """Return what `work` does with a client of this era."""

    async def connect() -> Any:
        server = build_server(engine_for(Settings(index)), TOOLSETS[toolset])
        async with Client(server, mode=mode) as client:
            return await work(client)

    return anyio.run(connect)


def read(index: Path, uri: str, mode: str = "auto") -> list[str]:
    """The texts of a resource."""
    result: ReadResourceResult = ask(index, mode, lambda client: client.read_resource(uri))
    blocks = [block for block in result.contents if isinstance(block, TextResourceContents)]
    assert len(blocks) == len(result.contents)
    return [block.text for block in blocks]


def refused(index: Path, mode: str, work: Callable[[Client], Awaitable[Any]]) -> MCPError:
    async def attempt(client: Client) -> MCPError:
        with pytest.raises(MCPError) as raised:
            await work(client)
        return raised.value

    error: MCPError = ask(index, mode, attempt)
    return error


@EACH_ERA
def test_every_post_is_a_resource_and_reads_whole_as_in_the_index(mode: str, blog: Blog) -> None:
    listed = ask(blog.index, mode, lambda client: client.list_resources()).resources
    assert [resource.uri for resource in listed] == URIS
    text, place = read(blog.index, URIS[1], mode)
    assert text == KV.partition("---\n")[2].partition("---\n")[2].rstrip()
    assert "source: inference/kv.md" in place
    assert read(blog.index, URIS[2], mode)[0] == "快取會保留鍵與值。"
    whole = read(blog.index, URIS[4], mode)[0]
    assert [line for line in PARAGRAPHS if line not in whole] == []
    chunk, place = read(blog.index, "blog://chunk/inference/kv.md/0", mode)
    assert chunk.startswith("A KV cache")
    assert "chunk_index 0" in place
    templates = ask(blog.index, mode, lambda client: client.list_resource_templates())
    assert [each.uri_template for each in templates.resource_templates] == [
        POST_TEMPLATE,
        CHUNK_TEMPLATE,
    ]


def test_both_lists_are_paged_and_a_cursor_outlives_an_ingest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "PAGE", 3)
    blog = made(tmp_path, POSTS)
    page = json.loads(read(blog.index, "blog://posts")[0])
    assert page["posts"][0] == {
        "source": "inference/kv.md",
        "title": "What is a KV cache?",
        "date": "2025-03-04",
        "tags": ["Inference", "memory"],
    }
    rest = json.loads(read(blog.index, page["next"])[0])
    assert [post["source"] for post in rest["posts"]] == ["tides.md"]
    assert (rest["total"], "next" in rest) == (4, False)

    async def page_on(client: Client) -> list[str]:
        first = await client.list_resources()
        blog.write({"today.md": "---\ndate: 2025-12-31\n---\nNew today, and first in the list.\n"})
        blog.ingest()
        last = await client.list_resources(cursor=first.next_cursor)
        return [each.name for each in (*first.resources, *last.resources)]

    assert ask(blog.index, "auto", page_on) == ["posts", *POSTS]


@EACH_ERA
@pytest.mark.parametrize(
    "uri",
    [
        "blog://post/none.md",
        "blog://post/",
        "blog://post/../secret.md",
        "blog://post/%2e%2e/secret.md",
        "blog://chunk/soup.md/9",
        "blog://chunk/soup.md/00",
        "blog://posts?offset=x",
        "file:///etc/passwd",
        "",
    ],
)
def test_an_unknown_resource_has_its_era_s_code(mode: str, uri: str, blog: Blog) -> None:
    error = refused(blog.index, mode, lambda client: client.read_resource(uri))
    assert (error.code, error.data) == (NOT_FOUND[mode], {"uri": uri})


@EACH_ERA
@pytest.mark.parametrize("cursor", ["", "x", "W10=", "½"])
def test_a_cursor_that_is_none_of_ours_is_refused(mode: str, cursor: str, blog: Blog) -> None:
    error = refused(blog.index, mode, lambda client: client.list_resources(cursor=cursor))
    assert error.code == -32602


@EACH_ERA
def test_without_an_index_there_is_nothing_to_list_and_a_sentence_to_read(
    mode: str, tmp_path: Path
) -> None:
    listed = ask(tmp_path, mode, lambda client: client.list_resources()).resources
    assert [each.uri for each in listed] == ["blog://posts"]
    error = refused(tmp_path, mode, lambda client: client.read_resource("blog://posts"))
    assert (error.code, "no index" in error.message) == (-32603, True)


POST, CHUNK = (
    ResourceTemplateReference(uri=POST_TEMPLATE),
    ResourceTemplateReference(uri=CHUNK_TEMPLATE),
)


@EACH_ERA
@pytest.mark.parametrize(
    ("reference", "argument", "typed", "given", "expected"),
    [
        (POST, "path", "inf", {}, ["inference/kv.md"]),
        (POST, "path", "ONION", {}, ["soup.md"]),
        (CHUNK, "path", "快取", {}, ["notes/快取 筆記.md"]),
        (CHUNK, "path", "%", {}, []),
        (CHUNK, "index", "", {"path": "soup.md"}, ["0"]),
        (CHUNK, "index", "", {"path": "none.md"}, []),
        ("what_changed", "topic", "", {}, ["memory", "inference", "notes"]),
        ("what_changed", "topic", "INF", {}, ["inference"]),
        ("compare_posts", "b", "cache", {}, ["inference/kv.md"]),
        ("answer_from_blog", "question", "what", {}, []),
    ],
)
def test_an_argument_is_completed_as_a_person_types(
    mode: str, reference: Any, argument: str, typed: str, given: Any, expected: Any, blog: Blog
) -> None:
    named = PromptReference(name=reference) if isinstance(reference, str) else reference
    value = {"name": argument, "value": typed}
    result = ask(
        blog.index, mode, lambda client: client.complete(named, value, context_arguments=given)
    )
    assert result.completion.values == expected
    assert (result.completion.total, result.completion.has_more) == (len(expected), False)


def test_no_more_than_a_hundred_completions_are_sent(tmp_path: Path) -> None:
    blog = made(tmp_path, {f"p{number:03}.md": f"Word{number} here.\n" for number in range(101)})
    value = {"name": "path", "value": "p"}
    result = ask(blog.index, "auto", lambda client: client.complete(POST, value)).completion
    assert (len(result.values), result.total, result.has_more) == (100, 101, True)


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        (ResourceTemplateReference(uri="blog://else/{x}"), "x"),
        (POST, "index"),
        (PromptReference(name="none"), "a"),
        (PromptReference(name="compare_posts"), "c"),
    ],
)
def test_what_cannot_be_completed_is_refused(reference: Any, name: str, blog: Blog) -> None:
    value = {"name": name, "value": ""}
    error = refused(blog.index, "auto", lambda client: client.complete(reference, value))
    assert error.code == -32602


@EACH_ERA
@pytest.mark.parametrize("toolset", ["core", "author"])
def test_prompts_say_what_to_do_with_what_was_given(
    mode: str, toolset: ToolsetName, blog: Blog
) -> None:
    authors = {"before_i_publish", "what_to_write_next"}

    async def fill_in_all(client: Client) -> set[str]:
        listed = (await client.list_prompts()).prompts
        for prompt in listed:
            given = {each.name: f"<{each.name} {{x}}>" for each in prompt.arguments or ()}
            [message] = (await client.get_prompt(prompt.name, given)).messages
            assert isinstance(message.content, TextContent)
            named = "find_similar" if prompt.name in authors else "read_chunk"
            assert all(value in message.content.text for value in (*given.values(), named))
        return {prompt.name for prompt in listed}

    names = ask(blog.index, mode, fill_in_all, toolset)
    assert {"answer_from_blog", "compare_posts", "what_changed"} <= names
    assert (authors <= names) is (toolset == "author")


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("none", {}),
        ("compare_posts", {"a": "x"}),
        ("what_changed", {"topic": " "}),
        ("what_changed", {"subject": "x"}),
        ("answer_from_blog", {"question": "x" * 1_001}),
    ],
)
def test_a_prompt_that_cannot_be_meant_is_refused(
    name: str, given: dict[str, str], blog: Blog
) -> None:
    error = refused(blog.index, "auto", lambda client: client.get_prompt(name, given))
    assert error.code == -32602
