"""The nouns of the agent, frozen, and the two things it is given: a model and a source of tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant", "tool"]


class AgentError(Exception):
    """The agent cannot go on; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as a model is told of it."""

    name: str
    description: str
    schema: Mapping[str, Any]
    """JSON Schema of its arguments."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool that a model asks for."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call."""

    blocks: tuple[str, ...]
    """The text blocks of the answer; of a failure, its sentence."""
    is_error: bool = False

    @property
    def text(self) -> str:
        """The blocks as one text."""
        return "\n\n".join(self.blocks)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation."""

    role: Role
    text: str
    calls: tuple[Call, ...] = ()
    """Calls that the model asks for beside its text."""
    answers: Call | None = None
    """The call whose result a tool's message is."""
    result: ToolResult | None = None
    """The whole result of that call; `text` is the part that the model is shown."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's turn: calls to make, or else the answer."""

    text: str
    calls: tuple[Call, ...] = ()


class ChatModel(Protocol):
    """A chat model."""

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Reply:
        """Take the next turn. Raises AgentError."""
        ...


class ToolSource(Protocol):
    """A source of tools for the model."""

    async def tools(self) -> Sequence[Tool]:
        """List the tools. Raises AgentError."""
        ...

    async def call(self, call: Call) -> ToolResult:
        """Make one call; what the model could do better comes back as an error result.

        Raises AgentError where no further call can help.
        """
        ...
