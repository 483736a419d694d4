"""A chat model of Ollama's: the conversation goes out over /api/chat, the model's turn comes in.

The client is the one that embeds queries, with its timeouts, and without a proxy on the way to
this machine. What Ollama or the client raise leaves as a sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blog_search_mcp.index.embedders.client import FailureKind, RequestFailed, RetryPolicy
from blog_search_mcp.index.embedders.ollama.wire import OllamaWire
from blog_search_mcp.index.errors import BlogSearchError
from examples.agent.conversation import AgentError, Call, Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ollama import ChatResponse

    from examples.agent.conversation import Message, Tool

DEFAULT_MODEL = "qwen3"
"""A model that calls tools and reads Chinese; any other that can call tools will do."""
CONTEXT = 16_384
"""Tokens. Ollama's own default is 4,096 on most machines, and what is beyond it is dropped from
the beginning of the conversation without a word."""
READ = 600.0
"""Seconds: a model that must be loaded and thinks on a slow machine takes minutes."""
KEEP_ALIVE = "10m"


class OllamaChat:
    """One model of one Ollama."""

    def __init__(self, model: str, host: str) -> None:
        """Take the model's name and the address in any form of OLLAMA_HOST. Raises AgentError."""
        self._model = model
        try:
            self._wire = OllamaWire(host)
            self._host = self._wire.url
            self._client = self._wire.prepare(RetryPolicy(READ, {}))
        except BlogSearchError as error:
            raise AgentError(str(error)) from error

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Reply:
        """Have the model take the next turn. Raises AgentError."""
        try:
            response: ChatResponse = self._client.chat(
                model=self._model,
                messages=[_written(message) for message in messages],
                tools=[_offered(tool) for tool in tools],
                options={"num_ctx": CONTEXT, "temperature": 0},
                keep_alive=KEEP_ALIVE,
            )
        except Exception as error:
            failure = self._wire.translate(error)
            if failure is None:
                raise
            raise AgentError(sentence(failure, self._host, self._model)) from error
        message = response.message
        calls = (call.function for call in message.tool_calls or ())
        return Reply(message.content or "", tuple(Call(c.name, dict(c.arguments)) for c in calls))


def sentence(failure: RequestFailed, host: str, model: str) -> str:
    """Say what happened and what to do."""
    if "does not support" in failure.detail:
        return f"{model} cannot call tools. Name a chat model that can, such as --model qwen3."
    match failure.kind:
        case FailureKind.DOWN:
            return (
                f"Ollama at {host} cannot be reached. Start it (`ollama serve` or the app), or "
                "name its address with --embedder-url or OLLAMA_HOST."
            )
        case FailureKind.SLOW:
            return f"Ollama at {host} did not answer in time. Name a smaller model by --model."
        case FailureKind.MISSING:
            return (
                f"Ollama at {host} does not have the model {model}. Run `ollama pull {model}`, or "
                "name another by --model."
            )
        case FailureKind.BUSY:
            return f"Ollama at {host} is busy. Try again in a moment."
    return f"Ollama at {host} failed: {failure.detail}. Try again; if it stays so, restart Ollama."


def _written(message: Message) -> dict[str, Any]:
    """Write a message as /api/chat takes it."""
    written: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        calls = [{"name": call.tool, "arguments": call.arguments} for call in message.calls]
        written["tool_calls"] = [{"function": function} for function in calls]
    if message.answers is not None:
        written["tool_name"] = message.answers.tool
    return written


def _offered(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}
