"""The agent's model over Ollama's wire, and its command line: the stand-in answers for Ollama."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG
from examples.agent.conversation import AgentError, Call, Message, Reply, Tool, ToolResult
from examples.agent.local_source import READ, SEARCH
from examples.agent.ollama_chat import CONTEXT, DEFAULT_MODEL, OllamaChat
from tests.support.ollama.model import Model
from tests.support.ollama_standin import Body, Fault, OllamaStandIn, closes, fails, replies, running
from tests.support.paths import ROOT
from tests.support.python import output_of, run_python
from tests.support.served import POSTS, indexed, served

CHATS = Model(f"{DEFAULT_MODEL}:latest", capabilities=("completion", "tools", "thinking"))
QUESTION = "How does the size of a KV cache grow?"


def ollama(**state: Any) -> OllamaStandIn:
    return OllamaStandIn(**{"models": [Model(), CHATS]} | state)


def searches_reads_answers(messages: Sequence[Body], _tools: Sequence[Body]) -> Body:
    """What a model does that can: each turn a function of what it was sent."""
    last = messages[-1]
    if last["role"] == "user":
        arguments = {"query": last["content"], "top_k": 3}
        return {
            "thinking": "I should search.",
            "tool_calls": [{"name": "search_blog", "arguments": arguments}],
        }
    if last["tool_name"] == "search_blog":
        best = json.loads(last["content"])["results"][0]
        arguments = {name: best[name] for name in ("source", "chunk_index")}
        return {
            "content": "I read it.",
            "tool_calls": [{"name": "read_chunk", "arguments": arguments}],
        }
    return {"content": f"With the context: \x1b[31m{last['content'].splitlines()[0]}"}


def test_a_conversation_goes_out_as_ollama_takes_it() -> None:
    call = Call("read_chunk", {"source": "kv.md", "chunk_index": 0})
    result = ToolResult(("text", "title: KV"))
    conversation = [
        Message("system", "Answer."),
        Message("user", QUESTION),
        Message("assistant", "I look.", (call,)),
        Message("tool", result.text, answers=call, result=result),
    ]
    with running(ollama()) as standin:
        reply = OllamaChat(DEFAULT_MODEL, standin.host).chat(conversation, [READ])
    assert reply == Reply("Yes.")
    [body] = standin.chatted
    arguments = {"source": "kv.md", "chunk_index": 0}
    assert body["messages"] == [
        {"role": "system", "content": "Answer."},
        {"role": "user", "content": QUESTION},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [{"function": {"name": "read_chunk", "arguments": arguments}}],
        },
        {"role": "tool", "content": "text\n\ntitle: KV", "tool_name": "read_chunk"},
    ]
    assert (body["model"], body["stream"]) == (DEFAULT_MODEL, False)
    assert body["options"] == {"num_ctx": CONTEXT, "temperature": 0}
    [tool] = body["tools"]
    assert tool["function"]["name"] == "read_chunk"
    assert set(tool["function"]["parameters"]["properties"]) == set(READ.schema["properties"])


def test_the_calls_of_a_model_come_back_and_its_thinking_does_not() -> None:
    with running(ollama(says=searches_reads_answers)) as standin:
        model = OllamaChat(DEFAULT_MODEL, standin.host)
        reply = model.chat([Message("user", QUESTION)], [SEARCH])
    assert reply == Reply("", (Call("search_blog", {"query": QUESTION, "top_k": 3}),))


def test_the_servers_own_definitions_are_taken_by_the_client() -> None:
    tool = Tool(SEARCH_BLOG.name, SEARCH_BLOG.description, SEARCH_BLOG.input_schema)
    with running(ollama()) as standin:
        OllamaChat(DEFAULT_MODEL, standin.host).chat([Message("user", QUESTION)], [tool])
    [body] = standin.chatted
    properties = body["tools"][0]["function"]["parameters"]["properties"]
    assert properties["response_format"]["enum"] == ["json", "markdown"]


DOWN = (
    "Ollama at http://{host} cannot be reached. Start it (`ollama serve` or the app), or name its "
    "address with --embedder-url or OLLAMA_HOST."
)
MISSING = (
    "Ollama at http://{host} does not have the model qwen3. Run `ollama pull qwen3`, or name "
    "another by --model."
)
NO_TOOLS = "qwen3 cannot call tools. Name a chat model that can, such as --model qwen3."
FAILED = "Ollama at http://{host} failed: {why}. Try again; if it stays so, restart Ollama."


def said(standin: OllamaStandIn, model: str = DEFAULT_MODEL) -> str:
    """What the failure of one turn says, with `{host}` for the stand-in's own."""
    with pytest.raises(AgentError) as raised:
        OllamaChat(model, standin.host).chat([Message("user", QUESTION)], [SEARCH])
    return str(raised.value).replace(standin.host, "{host}")


def test_an_ollama_that_is_down_is_a_sentence() -> None:
    with running() as standin:
        pass
    assert said(standin) == DOWN


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        ([], MISSING),
        ([Model("qwen3:latest", capabilities=("completion",))], NO_TOOLS),
        ([Model("qwen3:latest")], NO_TOOLS),
    ],
)
def test_a_model_that_is_not_there_or_cannot_call_tools_is_a_sentence(
    models: list[Model], sentence: str
) -> None:
    with running(OllamaStandIn(models)) as standin:
        assert said(standin) == sentence


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (fails(503, "server busy"), "Ollama at http://{host} is busy. Try again in a moment."),
        (
            fails(500, "llama runner process has terminated"),
            FAILED.replace("{why}", "llama runner process has terminated (status 500)"),
        ),
        (closes, FAILED.replace("{why}", "Server disconnected without sending a response.")),
        (
            replies(200, "<html>a proxy</html>"),
            FAILED.replace("{why}", "something that is not Ollama's answer"),
        ),
        (
            replies(200, {"error": "odd"}),
            FAILED.replace("{why}", "something that is not Ollama's answer"),
        ),
    ],
)
def test_what_ollama_cannot_do_is_a_sentence(fault: Fault, sentence: str) -> None:
    with running(ollama(elsewhere={"/api/chat": fault})) as standin:
        assert said(standin) == sentence


def test_a_host_that_cannot_be_meant_is_a_sentence() -> None:
    with pytest.raises(AgentError, match="begins with neither http:// nor https://"):
        OllamaChat(DEFAULT_MODEL, "ftp://box")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("blog"), POSTS)


def asked(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return run_python("-m", "examples.agent", *arguments, env=kept | environment)


@pytest.mark.parametrize("tools", [["--local"], ["--mcp", "stdio"]])
def test_the_command_answers_with_what_was_read_and_shows_no_control_character(
    tools: list[str], index: Path
) -> None:
    with running(ollama(says=searches_reads_answers)) as standin:
        done = asked(QUESTION, *tools, "--index", str(index), OLLAMA_HOST=standin.host)
    assert done.stdout == (
        "With the context: \\x1b[31mA KV cache keeps the keys and values of earlier tokens, so "
        "that each new token\n\nRead:\n- What is a KV cache?: inference/kv.md (chunk 0)\n"
    )
    assert done.stderr.splitlines() == [
        f"search_blog(query={QUESTION!r}, top_k=3)",
        "read_chunk(source='inference/kv.md', chunk_index=0)",
    ]
    assert done.returncode == 0


def test_the_command_says_why_it_cannot_answer_and_fails(index: Path) -> None:
    with running() as standin:
        pass
    done = asked(QUESTION, "--index", str(index), "--embedder-url", standin.host)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{DOWN.format(host=standin.host)}\n"


def test_an_answer_that_is_not_the_blogs_is_status_1(index: Path) -> None:
    done = asked("愛沙尼亞中世紀的稅制", "--local", "--index", str(index), "--model", "quote")
    assert done.returncode == 1
    assert "The blog may hold nothing on this: every search came back with low" in done.stdout


def test_a_server_that_wants_a_token_is_given_it(index: Path) -> None:
    token = "an-example-token-0123456789"
    environment = {**os.environ, "BLOG_SERVER_TOKEN": token}
    with served(index, environment=environment) as url:
        without = asked(QUESTION, "--mcp", url, "--model", "quote")
        with_it = asked(QUESTION, "--mcp", url, "--model", "quote", BLOG_SERVER_TOKEN=token)
    assert (without.returncode, without.stdout) == (1, "")
    assert without.stderr.startswith(f"No MCP server answers at {url}: ")
    assert without.stderr.endswith(" If it wants a token, set BLOG_SERVER_TOKEN.\n")
    assert (with_it.returncode, with_it.stdout.splitlines()[-1]) == (
        0,
        "- What is a KV cache?: inference/kv.md (chunk 0)",
    )


def test_a_server_that_is_not_there_is_a_sentence(index: Path) -> None:
    done = asked(QUESTION, "--mcp", "http://127.0.0.1:9/mcp", "--model", "quote")
    assert done.stderr == (
        "No MCP server answers at http://127.0.0.1:9/mcp: All connection attempts failed. "
        "If it wants a token, set BLOG_SERVER_TOKEN.\n"
    )
    done = asked(QUESTION, "--mcp", "server", "--index", str(index))
    assert done.returncode == 2
    assert "'server' is neither stdio nor an address with http://." in done.stderr


def test_the_local_source_has_no_need_of_mcp() -> None:
    code = "import sys, examples.agent.local_source, examples.agent.loop"
    assert output_of(f"{code}; print('mcp' in sys.modules)") == "False\n"


def test_the_readmes_example_is_what_its_command_prints(tmp_path: Path) -> None:
    readme = (ROOT / "examples" / "agent" / "README.md").read_text(encoding="utf-8")
    example = re.search(r"```console\n\$ (.+?)\n\$ (.+?)\n(.+?)^```$", readme, re.S | re.M)
    assert example is not None
    ingesting, asking, printed = example.groups()
    folder = str(tmp_path / "index")
    for command in (ingesting, asking):
        words = [folder if word == "/tmp/example" else word for word in shlex.split(command)]
        done = run_python(*words[1:])
        assert done.returncode == 0, done.stderr
    assert done.stderr + done.stdout == printed
