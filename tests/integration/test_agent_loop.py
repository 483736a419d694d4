"""The agent's loop over its three sources of tools, with models that follow a script."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import StdioServerParameters

from blog_search_mcp.server.cli.doctor import estimate_tokens
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
from examples.agent.loop import CALLS, ENOUGH, STEPS, Answer, answer, within
from examples.agent.mcp_source import connected
from examples.agent.quoting import QuotingModel
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


def calls(tool: str, **arguments: object) -> Reply:
    return Reply("", (Call(tool, arguments),))


SEARCHES = calls("search_blog", query=QUESTION)


def reads_the_best(messages: Sequence[Message]) -> Reply:
    best = json.loads(messages[-1].text)["results"][0]
    return calls("read_chunk", source=best["source"], chunk_index=best["chunk_index"])


def says_what_it_read(messages: Sequence[Message]) -> Reply:
    return Reply(f"It is said there: {messages[-1].text}")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    options = ("--base-url", "https://blog.example", "--permalink", "/:section/:slug/")
    return indexed(tmp_path_factory.mktemp("blog"), POSTS, *options)


@pytest.fixture(scope="module")
def url(index: Path) -> Iterator[str]:
    with served(index) as address:
        yield address


@pytest.fixture(params=["local", "stdio", "http"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@asynccontextmanager
async def source_of(kind: str, index: Path, url: str) -> AsyncIterator[ToolSource]:
    if kind == "local":
        yield LocalSource(index, "")
        return
    arguments = ["-m", "blog_search_mcp.server", "--index", str(index)]
    stdio = StdioServerParameters(command=sys.executable, args=arguments, cwd=ROOT)
    async with connected(stdio if kind == "stdio" else url, "") as source:
        yield source


async def answered(kind: str, index: Path, url: str, model: ChatModel) -> Answer:
    async with source_of(kind, index, url) as source:
        return await answer(QUESTION, model, source)


@pytest.mark.anyio
async def test_a_source_lists_both_tools_with_what_they_need(
    kind: str, index: Path, url: str
) -> None:
    async with source_of(kind, index, url) as source:
        tools = {tool.name: tool for tool in await source.tools()}
    assert list(tools) == ["search_blog", "read_chunk"]
    assert tools["search_blog"].schema["required"] == ["query"]
    assert tools["read_chunk"].schema["required"] == ["source"]
    assert all(tool.description for tool in tools.values())


@pytest.mark.anyio
async def test_the_answer_names_the_link_of_what_was_read(kind: str, index: Path, url: str) -> None:
    model = Scripted(SEARCHES, reads_the_best, says_what_it_read)
    found = await answered(kind, index, url, model)
    [source] = found.sources
    assert source == Source("inference/kv.md", 0, "What is a KV cache?", KV_URL)
    assert "Its size grows with the length of the context." in found.text
    assert found.doubt is None


@pytest.mark.anyio
async def test_the_tools_errors_come_back_and_the_model_can_mend_them(
    kind: str, index: Path, url: str
) -> None:
    model = Scripted(
        calls("search_blog", query=""),
        calls("read_chunk", source="inference/kv", chunk_index=0),
        calls("look_up", word="cache"),
        calls("read_chunk", source="inference/kv.md"),
        Reply("It keeps keys and values."),
    )
    found = await answered(kind, index, url, model)
    said = [message.text for message in model.heard[-1][0] if message.role == "tool"]
    assert said[0] == "Error: query must not be blank, got ''."
    assert said[1].startswith(
        "Error: No post 'inference/kv' in the index. Nearest: inference/kv.md"
    )
    assert re.match("Error: .*look_up.*search_blog and read_chunk", said[2])
    assert [source.source for source in found.sources] == ["inference/kv.md"]
    assert found.doubt is None


@pytest.mark.anyio
async def test_what_the_blog_does_not_hold_is_said(kind: str, index: Path, url: str) -> None:
    model = Scripted(
        calls("search_blog", query="愛沙尼亞中世紀的稅制"),
        Reply("In 1346 the taxes rose."),
    )
    found = await answered(kind, index, url, model)
    assert (found.doubt, found.sources) == (LOW, ())


@pytest.mark.anyio
async def test_an_answer_out_of_the_models_own_head_is_said_to_be_that(
    index: Path, url: str
) -> None:
    found = await answered("local", index, url, Scripted(Reply("Caches are kept in caves.")))
    assert found == Answer("Caches are kept in caves.", (), NOTHING_READ)
    found = await answered("local", index, url, Scripted(SEARCHES, Reply("It grows in a cave.")))
    assert found == Answer("It grows in a cave.", (), NOTHING_READ)


@pytest.mark.anyio
async def test_without_an_index_the_answer_says_what_the_tools_said(
    tmp_path: Path, url: str
) -> None:
    model = Scripted(SEARCHES, Reply("I do not know."))
    found = await answered("local", tmp_path / "none", url, model)
    assert found.doubt == (
        f"{NOTHING_READ} The tools said: There is no index in none/ yet. Make one: "
        "`blog-search-mcp ingest CONTENT --index INDEX`."
    )


@pytest.mark.anyio
async def test_a_model_that_never_stops_searching_is_made_to_answer(index: Path, url: str) -> None:
    def for_ever(messages: Sequence[Message]) -> Reply:
        return Reply("Enough.") if messages[-1].text == ENOUGH else SEARCHES

    model = Scripted(for_ever)
    found = await answered("local", index, url, model)
    assert found.text == "Enough."
    assert [len(tools) for _, tools in model.heard] == [2] * STEPS + [0]


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
    told = [message for message in model.heard[-1][0] if message.role == "tool"]
    assert len(told) == 3
    assert all(estimate_tokens(message.text) < 2_550 for message in told)


@pytest.mark.anyio
async def test_calls_beyond_those_of_a_turn_are_answered_and_not_made(index: Path) -> None:
    many = Reply("", SEARCHES.calls * (CALLS + 2))
    made: list[Call] = []
    model = Scripted(many, Reply("Done."))
    await answer(QUESTION, model, LocalSource(index, ""), lambda call, _result: made.append(call))
    told = [message.text for message in model.heard[-1][0] if message.role == "tool"]
    assert made == list(SEARCHES.calls) * CALLS
    assert told[CALLS:] == [f"Not done: at most {CALLS} calls at a time."] * 2


@pytest.mark.anyio
async def test_a_model_that_says_nothing_is_an_error(index: Path, url: str) -> None:
    with pytest.raises(AgentError, match=r"The model answered with nothing\."):
        await answered("local", index, url, Scripted(Reply("  ")))


@pytest.mark.anyio
async def test_a_model_without_a_model_quotes_what_it_found(
    kind: str, index: Path, url: str
) -> None:
    found = await answered(kind, index, url, QuotingModel())
    assert found.text == (
        "What is a KV cache? says: A KV cache keeps the keys and values of earlier tokens, so that "
        "each new token costs one step of attention. ## Memory Its size grows with the length of "
        f"the context. ({KV_URL})"
    )


def test_a_result_is_cut_between_its_blocks() -> None:
    text = "\n\n".join(["A block of words."] * 100)
    assert within(text, 10_000) == text
    cut = within(text, 100)
    assert cut.startswith("A block of words.\n\nA block of words.")
    assert cut.endswith("\n\n[Cut here: read fewer neighbors at a time.]")
    assert estimate_tokens(cut) < 120
