"""Resources, prompts and completion over a real index, as clients of both eras ask for them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client, MCPError
from mcp.types import (
    PromptReference,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from blog_search_mcp.index.store.disk import Layout
from blog_search_mcp.server.engine import Engine, IndexStatus
from blog_search_mcp.server.protocol import resources
from blog_search_mcp.server.protocol.app import build_server
from blog_search_mcp.server.protocol.resources import CHUNK_TEMPLATE, POST_TEMPLATE
from blog_search_mcp.server.tools.registry import TOOLSETS
from tests.support.server_fixtures import FixedSearcher

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from pathlib import Path

    from mcp.types import ReadResourceResult

    from blog_search_mcp.server.settings import ToolsetName
    from tests.support.blog import Blog, MakeBlog

pytestmark = pytest.mark.anyio

ERAS = pytest.mark.parametrize("mode", ["auto", "legacy"])
NOT_FOUND = {"auto": -32602, "legacy": -32002}
KV = """---
title: What is a KV cache?
date: 2025-03-04
tags: [Inference, memory]
---
A KV cache keeps the keys and values of earlier tokens.

## Memory

Its size grows with the length of the context.
"""
POSTS = {
    "inference/kv.md": KV,
    "notes/快取 筆記.md": "---\ndate: 2024-01-01\ntags: [memory]\n---\n快取會保留鍵與值。\n",
    "soup.md": "# Onion soup\n\nBoil an onion in water and add salt.\n",
}


def client(made: Blog, mode: str) -> Client:
    return Client(build_server(made.engine()), mode=mode)


def texts(result: ReadResourceResult) -> list[str]:
    blocks = [block for block in result.contents if isinstance(block, TextResourceContents)]
    assert len(blocks) == len(result.contents)
    return [block.text for block in blocks]


async def refusal(call: Awaitable[Any]) -> tuple[int, str]:
    with pytest.raises(MCPError) as refused:
        await call
    return refused.value.code, refused.value.message


@ERAS
async def test_every_post_is_a_resource_and_reads_as_in_the_index(
    mode: str, kept_blog: MakeBlog
) -> None:
    made = kept_blog(POSTS)
    async with client(made, mode) as connected:
        listed = (await connected.list_resources()).resources
        assert [resource.uri for resource in listed] == [
            "blog://posts",
            "blog://post/inference/kv.md",
            "blog://post/notes/%E5%BF%AB%E5%8F%96%20%E7%AD%86%E8%A8%98.md",
            "blog://post/soup.md",
        ]
        text, place = texts(await connected.read_resource(listed[1].uri))
        assert text.startswith("A KV cache keeps the keys and values of earlier tokens.")
        assert text.endswith("Its size grows with the length of the context.")
        assert "title: What is a KV cache?\nsource: inference/kv.md" in place
        assert texts(await connected.read_resource(listed[2].uri))[0] == "快取會保留鍵與值。"


@ERAS
async def test_the_list_of_posts_is_a_resource_of_its_own(mode: str, kept_blog: MakeBlog) -> None:
    async with client(kept_blog(POSTS), mode) as connected:
        [text] = texts(await connected.read_resource("blog://posts"))
        assert json.loads(text) == {
            "posts": [
                {
                    "source": "inference/kv.md",
                    "title": "What is a KV cache?",
                    "date": "2025-03-04",
                    "tags": ["Inference", "memory"],
                },
                {
                    "source": "notes/快取 筆記.md",
                    "title": "快取 筆記",
                    "date": "2024-01-01",
                    "tags": ["memory"],
                },
                {"source": "soup.md", "title": "Onion soup"},
            ],
            "total": 3,
        }


@ERAS
async def test_both_lists_are_paged(
    mode: str, kept_blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "PAGE", 2)
    async with client(kept_blog(POSTS), mode) as connected:
        first = await connected.list_resources()
        assert [each.name for each in first.resources] == [
            "posts",
            "inference/kv.md",
            "notes/快取 筆記.md",
        ]
        last = await connected.list_resources(cursor=first.next_cursor)
        assert ([each.name for each in last.resources], last.next_cursor) == (["soup.md"], None)

        page = json.loads(texts(await connected.read_resource("blog://posts"))[0])
        assert (len(page["posts"]), page["next"]) == (2, "blog://posts?offset=2")
        rest = json.loads(texts(await connected.read_resource(page["next"]))[0])
        assert [post["source"] for post in rest["posts"]] == ["soup.md"]
        assert "next" not in rest


@ERAS
async def test_a_cursor_outlives_an_ingest(
    mode: str, blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "PAGE", 2)
    made = blog(POSTS)
    live = made.follow()
    server = build_server(Engine(lambda: live, IndexStatus(made.index)))
    async with Client(server, mode=mode) as connected:
        first = await connected.list_resources()
        made.write({"today.md": "---\ndate: 2025-12-31\n---\nNew today, and first in the list.\n"})
        made.ingest()
        last = await connected.list_resources(cursor=first.next_cursor)
        assert [each.name for each in last.resources] == ["soup.md"]


@ERAS
async def test_a_chunk_is_read_by_its_template(mode: str, kept_blog: MakeBlog) -> None:
    async with client(kept_blog(POSTS), mode) as connected:
        listed = await connected.list_resource_templates()
        assert [each.uri_template for each in listed.resource_templates] == [
            "blog://post/{+path}",
            "blog://chunk/{+path}/{index}",
        ]
        text, place = texts(await connected.read_resource("blog://chunk/inference/kv.md/0"))
        assert text.startswith("A KV cache")
        assert "chunk_index 0" in place


@ERAS
@pytest.mark.parametrize(
    "uri",
    [
        "blog://post/none.md",
        "blog://post/",
        "blog://post/../secret.md",
        "blog://post/%2e%2e/secret.md",
        "blog://chunk/soup.md/9",
        "blog://chunk/soup.md/00",
        "blog://chunk/soup.md/-1",
        "blog://chunk/soup.md",
        "blog://posts?offset=x",
        "blog://postscript",
        "file:///etc/passwd",
        "",
    ],
)
async def test_an_unknown_resource_has_its_era_s_code(
    mode: str, uri: str, kept_blog: MakeBlog
) -> None:
    async with client(kept_blog(POSTS), mode) as connected:
        with pytest.raises(MCPError) as refused:
            await connected.read_resource(uri)
    assert refused.value.code == NOT_FOUND[mode]
    assert refused.value.message == f"Unknown resource {uri!r}; see resources/list."
    assert refused.value.data == {"uri": uri}


@ERAS
@pytest.mark.parametrize("cursor", ["", "x", "W10=", "½"])
async def test_a_cursor_that_is_none_of_ours_is_refused(
    mode: str, cursor: str, kept_blog: MakeBlog
) -> None:
    async with client(kept_blog(POSTS), mode) as connected:
        code, message = await refusal(connected.list_resources(cursor=cursor))
    assert (code, message) == (-32602, "Unknown cursor; use a nextCursor as it was given.")


@ERAS
async def test_without_an_index_there_is_nothing_to_list_and_a_sentence_to_read(
    mode: str, tmp_path: Path
) -> None:
    async with Client(build_server(FixedSearcher()), mode=mode) as connected:
        assert [each.uri for each in (await connected.list_resources()).resources] == [
            "blog://posts"
        ]
        assert await refusal(connected.read_resource("blog://posts")) == (
            -32603,
            "There is no index yet.",
        )
        assert not Layout(tmp_path).current.exists()


@ERAS
@pytest.mark.parametrize(
    ("template", "argument", "typed", "given", "expected"),
    [
        (POST_TEMPLATE, "path", "inf", {}, ["inference/kv.md"]),
        (POST_TEMPLATE, "path", "kv", {}, ["inference/kv.md"]),
        (POST_TEMPLATE, "path", "ONION", {}, ["soup.md"]),
        (CHUNK_TEMPLATE, "path", "快取", {}, ["notes/快取 筆記.md"]),
        (CHUNK_TEMPLATE, "path", "%", {}, []),
        (CHUNK_TEMPLATE, "index", "", {"path": "soup.md"}, ["0"]),
        (CHUNK_TEMPLATE, "index", "", {"path": "none.md"}, []),
    ],
)
async def test_a_template_is_completed_as_a_person_types(
    mode: str,
    template: str,
    argument: str,
    typed: str,
    given: dict[str, str],
    expected: list[str],
    kept_blog: MakeBlog,
) -> None:
    async with client(kept_blog(POSTS), mode) as connected:
        result = await connected.complete(
            ResourceTemplateReference(uri=template),
            {"name": argument, "value": typed},
            context_arguments=given,
        )
    assert result.completion.values == expected
    assert (result.completion.total, result.completion.has_more) == (len(expected), False)


@ERAS
@pytest.mark.parametrize(
    ("prompt", "argument", "typed", "expected"),
    [
        ("what_changed", "topic", "", ["memory", "inference", "notes"]),
        ("what_changed", "topic", "INF", ["inference"]),
        ("compare_posts", "b", "cache", ["inference/kv.md"]),
        ("answer_from_blog", "question", "what", []),
    ],
)
async def test_a_prompt_is_completed_with_posts_tags_and_sections(
    mode: str, prompt: str, argument: str, typed: str, expected: list[str], kept_blog: MakeBlog
) -> None:
    async with client(kept_blog(POSTS), mode) as connected:
        result = await connected.complete(
            PromptReference(name=prompt), {"name": argument, "value": typed}
        )
    assert result.completion.values == expected


async def test_no_more_than_a_hundred_completions_are_sent(blog: MakeBlog) -> None:
    made = blog({f"p{number:03}.md": f"Word{number} here.\n" for number in range(101)})
    async with client(made, "auto") as connected:
        completion = (
            await connected.complete(
                ResourceTemplateReference(uri=POST_TEMPLATE), {"name": "path", "value": "p"}
            )
        ).completion
    assert (len(completion.values), completion.total, completion.has_more) == (100, 101, True)


@ERAS
async def test_what_cannot_be_completed_is_refused(mode: str, kept_blog: MakeBlog) -> None:
    async with client(kept_blog(POSTS), mode) as connected:
        for reference, name in (
            (ResourceTemplateReference(uri="blog://else/{x}"), "x"),
            (ResourceTemplateReference(uri=POST_TEMPLATE), "index"),
            (PromptReference(name="none"), "a"),
            (PromptReference(name="compare_posts"), "c"),
        ):
            asked = connected.complete(reference, {"name": name, "value": ""})
            assert (await refusal(asked))[0] == -32602


@ERAS
@pytest.mark.parametrize("toolset", ["core", "extended", "author"])
async def test_prompts_say_what_to_do_with_what_was_given(mode: str, toolset: ToolsetName) -> None:
    server = build_server(FixedSearcher(), TOOLSETS[toolset])
    authors = ["before_i_publish", "what_to_write_next"] if toolset == "author" else []
    async with Client(server, mode=mode) as connected:
        listed = (await connected.list_prompts()).prompts
        assert [prompt.name for prompt in listed] == [
            "answer_from_blog",
            "compare_posts",
            "what_changed",
            *authors,
        ]
        for prompt in listed:
            given = {each.name: f"<{each.name} {{x}}>" for each in prompt.arguments or ()}
            [message] = (await connected.get_prompt(prompt.name, given)).messages
            assert isinstance(message.content, TextContent)
            assert all(value in message.content.text for value in given.values())
            named = "find_similar" if prompt.name in authors else "read_chunk"
            assert named in message.content.text
            assert len(message.content.text) < 850


@ERAS
@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        (
            "none",
            {},
            "Unknown prompt 'none'; there is answer_from_blog, compare_posts, what_changed.",
        ),
        ("compare_posts", {"a": "x"}, "compare_posts needs b, which is missing or blank."),
        ("what_changed", {"topic": " "}, "what_changed needs topic, which is missing or blank."),
        (
            "what_changed",
            {"subject": "x"},
            "what_changed has no argument 'subject'; it takes topic.",
        ),
        (
            "answer_from_blog",
            {"question": "x" * 1_001},
            "question must be at most 1,000 characters.",
        ),
    ],
)
async def test_a_prompt_that_cannot_be_meant_is_refused(
    mode: str, name: str, given: dict[str, str], sentence: str
) -> None:
    async with Client(build_server(FixedSearcher()), mode=mode) as connected:
        assert await refusal(connected.get_prompt(name, given)) == (-32602, sentence)


async def test_a_long_post_comes_whole(blog: MakeBlog) -> None:
    """It is for a person, who cannot call a tool for the rest."""
    paragraphs = [f"Paragraph {number} is about the tide of that day." for number in range(900)]
    made = blog({"long.md": "# Tides\n\n" + "\n\n".join(paragraphs) + "\n"})
    async with client(made, "auto") as connected:
        read = await connected.read_resource("blog://post/long.md")
    text = read.contents[0]
    assert isinstance(text, TextResourceContents)
    assert [line for line in paragraphs if line not in text.text] == []
    assert text.text.rstrip().endswith(paragraphs[-1])
