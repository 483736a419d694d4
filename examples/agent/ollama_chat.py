"""A chat model of Ollama's: the conversation goes out over /api/chat, the model's turn comes in.

The wire is the one that embeds queries: without a proxy on the way to this machine, and with a
sentence for whatever Ollama or the client raise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blog_search_mcp.index.embedders.connection import RetryPolicy
from blog_search_mcp.index.embedders.ollama import OllamaWire
from blog_search_mcp.index.errors import BlogSearchError
from examples.agent.conversation import AgentError, Call, Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ollama import ChatResponse, Client

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
        try:
            self._wire = OllamaWire(host, model)
        except BlogSearchError as error:
            raise AgentError(str(error)) from error

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Reply:
        """Have the model take the next turn. Raises AgentError."""

        def send(client: Client) -> ChatResponse:
            response: ChatResponse = client.chat(
                model=self._wire.model,
                messages=[_written(message) for message in messages],
                tools=[_offered(tool) for tool in tools],
                options={"num_ctx": CONTEXT, "temperature": 0},
                keep_alive=KEEP_ALIVE,
            )
            return response

        try:
            message = self._wire.request(send, RetryPolicy(READ, ())).message
        except BlogSearchError as error:
            raise AgentError(str(error)) from error
        calls = (call.function for call in message.tool_calls or ())
        return Reply(message.content or "", tuple(Call(c.name, dict(c.arguments)) for c in calls))


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
