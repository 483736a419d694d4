"""The example agent: its loop, its three sources of tools, its two models and its command line."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest
from mcp import StdioServerParameters

from examples.agent.__main__ import main
from examples.agent.conversation import (
    AgentError,
    Call,
    ChatModel,
    Message,
    Reply,
    Tool,
    ToolResult,
    ToolSource,
)
from examples.agent.evidence import LOW, NOTHING_READ, Source
from examples.agent.local_source import LocalSource
from examples.agent.loop import CALLS, ENOUGH, STEPS, Answer, answer
from examples.agent.mcp_source import connected
from examples.agent.ollama_chat import DEFAULT_MODEL
from examples.agent.quoting import QuotingModel
from tests.support import front
from tests.support.front import Ran
from tests.support.ollama_standin import Body, Fault, Model, OllamaStandIn, closes, fails, running
from tests.support.paths import ROOT
from tests.support.served import POSTS, indexed, served

KV_URL = "https://blog.example/inference/kv/"
QUESTION = "How does the size of a KV cache grow?"

Turn = Callable[[Sequence[Message]], Reply]


class Scripted:
    """A model whose turns are given: each a function of the conversation so far."""

    def __init__(self, *turns: Turn | Reply) -> None:
        self.turns = turns
        self.heard: list[tuple[tuple[Message, ...], tuple[Tool, ...]]] = []

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Reply:
        self.heard.append((tuple(messages), tuple(tools)))
        taken = sum(message.role == "assistant" for message in messages)
        turn = self.turns[min(taken, len(self.turns) - 1)]
        return turn if isinstance(turn, Reply) else turn(messages)

    def told(self) -> list[str]:
        """What the tools' messages said in the end."""
        return [message.text for message in self.heard[-1][0] if message.role == "tool"]


def calls(tool: str, **arguments: object) -> Reply:
    return Reply("", (Call(tool, arguments),))


SEARCHES = calls("search_blog", query=QUESTION)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    options = ("--base-url", "https://blog.example", "--permalink", "/:section/:slug/")
    return indexed(tmp_path_factory.mktemp("blog"), POSTS, *options)


@pytest.fixture(scope="module")
def url(index: Path) -> Iterator[str]:
    with served(index) as address:
        yield address


@asynccontextmanager
async def source_of(kind: str, index: Path, url: str) -> AsyncIterator[ToolSource]:
    if kind == "local":
        yield LocalSource(index, "")
        return
    arguments = ["-m", "blog_search_mcp", "serve", "--index", str(index)]
    stdio = StdioServerParameters(command=sys.executable, args=arguments, cwd=ROOT)
    async with connected(stdio if kind == "stdio" else url, "") as source:
        yield source


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["local", "stdio", "http"])
async def test_each_source_of_tools_does(kind: str, index: Path, url: str) -> None:
    mends = Scripted(
        calls("search_blog", query=""),
        calls("read_chunk", source="inference/kvs", chunk_index=0),
        calls("look_up", word="cache"),
        calls("read_chunk", source="inference/kv.md"),
        Reply("It keeps keys and values."),
    )
    asks_in_vain = Scripted(calls("search_blog", query="愛沙尼亞中世紀的稅制"), Reply("In 1346."))
    async with source_of(kind, index, url) as source:
        assert [tool.name for tool in await source.tools()] == ["search_blog", "read_chunk"]
        quoted = await answer(QUESTION, QuotingModel(), source)
        mended = await answer(QUESTION, mends, source)
        nothing = await answer(QUESTION, asks_in_vain, source)
    assert quoted.sources == (Source("inference/kv.md", 0, "What is a KV cache?", KV_URL),)
    assert KV_URL in quoted.text
    assert [text.startswith("Error: ") for text in mends.told()] == [True, True, True, False]
    assert "inference/kv.md" in mends.told()[1]
    assert (quoted.doubt, mended.doubt) == (None, None)
    assert (nothing.doubt, nothing.sources) == (LOW, ())


async def answered(index: Path, model: ChatModel) -> Answer:
    return await answer(QUESTION, model, LocalSource(index, ""))


@pytest.mark.anyio
async def test_an_answer_out_of_the_models_own_head_is_said_to_be_that(
    index: Path, tmp_path: Path
) -> None:
    caves = Reply("Caches are kept in caves.")
    assert await answered(index, Scripted(caves)) == Answer(caves.text, (), NOTHING_READ)
    assert (await answered(index, Scripted(SEARCHES, caves))).doubt == NOTHING_READ
    with pytest.raises(AgentError, match="blog-search-mcp setup"):
        await answered(tmp_path / "none", Scripted(SEARCHES, caves))
    with pytest.raises(AgentError, match="nothing"):
        await answered(index, Scripted(Reply("  ")))


@pytest.mark.anyio
async def test_a_model_that_never_stops_searching_is_made_to_answer(index: Path) -> None:
    def for_ever(messages: Sequence[Message]) -> Reply:
        return Reply("Enough.") if messages[-1].text == ENOUGH else SEARCHES

    model = Scripted(for_ever)
    assert (await answered(index, model)).text == "Enough."
    assert [len(tools) for _, tools in model.heard] == [2] * STEPS + [0]
    model = Scripted(Reply("", SEARCHES.calls * (CALLS + 2)), Reply("Done."))
    await answered(index, model)
    assert len(set(model.told()[CALLS:])) == 1
    assert len(model.told()) == CALLS + 2


@pytest.mark.anyio
async def test_results_that_fill_the_models_context_end_the_search() -> None:
    class Long:
        """A source whose every result is long."""

        async def tools(self) -> Sequence[Tool]:
            return ()

        async def call(self, _call: Call) -> ToolResult:
            return ToolResult(("A long line.\n\n" * 9_999,))

    model = Scripted(SEARCHES, SEARCHES, SEARCHES, Reply("It is long."))
    assert (await answer(QUESTION, model, Long())).text == "It is long."
    assert [len(text) / 4 < 2_550 for text in model.told()] == [True] * 3


def searches_reads_answers(messages: Sequence[Body]) -> Body:
    """What a model does that can: each turn a function of what it was sent."""
    last = messages[-1]
    if last["role"] == "user":
        called = {"name": "search_blog", "arguments": {"query": last["content"], "top_k": 3}}
    elif last["tool_name"] == "search_blog":
        place = last["content"].partition("\n1. ")[2].split(" · ")[0]
        arguments = {"source": place}
        called = {"name": "read_chunk", "arguments": arguments}
    else:
        return {"content": f"With the context: \x1b[31m{last['content'].splitlines()[0]}"}
    return {"thinking": "So be it.", "tool_calls": [{"function": called}]}


CHATS = Model(f"{DEFAULT_MODEL}:latest", capabilities=("completion", "tools"))


def asked(*arguments: str, **environment: str) -> Ran:
    """Run its command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with (
        front.environment(environment),
        mock.patch.object(sys, "argv", ["agent", *arguments]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            status = main()
        except SystemExit as refused:
            status = int(refused.code or 0)
    return Ran(status, out.getvalue(), err.getvalue())


@pytest.mark.parametrize("tools", [["--local"], ["--mcp", "stdio"]])
def test_the_command_answers_with_what_was_read_and_shows_no_control_character(
    tools: list[str], index: Path
) -> None:
    with running(OllamaStandIn([CHATS], says=searches_reads_answers)) as ollama:
        done = asked(QUESTION, *tools, "--index", str(index), OLLAMA_HOST=ollama.host)
    assert done.status == 0, done.err
    assert "\\x1b[31mA KV cache keeps the keys" in done.out
    assert KV_URL in done.out
    assert [line.partition("(")[0] for line in done.err.splitlines()] == [
        "search_blog",
        "read_chunk",
    ]
    bodies = ollama.asked("/api/chat")
    assert [len(body["tools"]) for body in bodies] == [2, 2, 2]
    assert bodies[-1]["messages"][-1]["tool_name"] == "read_chunk"


@pytest.mark.parametrize(
    ("models", "faults", "said"),
    [
        ([], {}, "ollama pull qwen3"),
        ([Model("qwen3:latest", capabilities=("completion",))], {}, "does not support tools"),
        ([CHATS], {"/api/chat": fails(503, "server busy")}, "is busy"),
        ([CHATS], {"/api/chat": closes}, "restart or update it"),
    ],
)
def test_what_ollama_cannot_do_is_a_sentence(
    models: list[Model], faults: dict[str, Fault], said: str, index: Path
) -> None:
    with running(OllamaStandIn(models, elsewhere=faults)) as ollama:
        done = asked(QUESTION, "--local", "--index", str(index), "--embedder-url", ollama.host)
    assert (done.status, done.out, "Traceback" in done.err) == (1, "", False)
    assert said in done.err


def test_what_cannot_be_reached_is_a_sentence(index: Path) -> None:
    for options, status, said in (
        ("--embedder-url 127.0.0.1:9", 1, "ollama serve"),
        ("--mcp http://127.0.0.1:9/mcp --model quote", 1, "BLOG_SERVER_TOKEN"),
        ("--mcp server", 2, "'server'"),
    ):
        done = asked(QUESTION, "--index", str(index), *options.split())
        assert (done.status, done.out, said in done.err) == (status, "", True)


def test_a_server_that_wants_a_token_is_given_it(index: Path) -> None:
    environment = {"BLOG_SERVER_TOKEN": "an-example-token-0123456789"}
    with served(index, environment={**os.environ, **environment}) as url:
        without = asked(QUESTION, "--mcp", url, "--model", "quote")
        with_it = asked(QUESTION, "--mcp", url, "--model", "quote", **environment)
    assert (without.status, "BLOG_SERVER_TOKEN" in without.err) == (1, True)
    assert (with_it.status, KV_URL in with_it.out) == (0, True)
