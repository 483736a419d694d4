"""Inspector's command line over the whole surface: a connection comes in, what it saw goes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.clients.run import inspect

if TYPE_CHECKING:
    from tests.clients.run import Connection

LISTS = {
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "prompts": "prompts/list",
}


@dataclass(frozen=True, slots=True)
class Surface:
    """What one era shows."""

    counts: Mapping[str, int]
    """Of each list, how many."""
    complaints: str
    """Of --strict; empty if it has none."""
    text: str
    """Of the best hit for an onion soup."""


def surface_of(connection: Connection, era: str) -> Surface:
    """List everything, read a resource, fill in a prompt, and call both tools."""
    tools, complaints = strict(connection, era)
    counts = {"tools": len(tools)}
    for name, method in LISTS.items():
        counts[name] = len(_right(connection, era, method)[name])
    _right(connection, era, "resources/read", "--uri", "blog://post/soup.md")
    prompt = ("--prompt-name", "answer_from_blog", "--prompt-args", "question=How?")
    _right(connection, era, "prompts/get", *prompt)
    search = ("--tool-name", "search_blog", "--tool-arg", "query=onion soup")
    best = _right(connection, era, "tools/call", *search)["structuredContent"]["results"][0]
    read = (f"source={best['source']}", f"chunk_index={best['chunk_index']}")
    called = ("--tool-name", "read_chunk", "--tool-arg", *read)
    text = _right(connection, era, "tools/call", *called)["content"][0]["text"]
    return Surface(counts, complaints, text)


def strict(connection: Connection, era: str) -> tuple[list[str], str]:
    """The tools' names, and what --strict complains of on stderr; fails on its errors."""
    listed = inspect(connection, era, "tools/list", "--strict", "--format", "json")
    assert listed.status == 0, listed.complaints
    return [tool["name"] for tool in listed.result["tools"]], listed.complaints.strip()


def _right(connection: Connection, era: str, method: str, *options: str) -> dict[str, Any]:
    seen = inspect(connection, era, method, *options, "--format", "json", "--quiet")
    assert seen.status == 0, seen.complaints
    return seen.result
