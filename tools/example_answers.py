"""What the examples of a page print: examples come in, their outputs go out in the same order.

Commands run one after the other in a sandbox that is new for each fence; one that ends in `&`
is a server, which serves until the fence ends. Requests go to a server of the readers' tools, or
of the author's where those are meant.
"""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from blog_search_mcp.server.tools.registry import AUTHOR, EXTENDED
from tools.example_blocks import PROMPT, Example, Sent, Typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.sandbox import Sandbox

LINES = 20
"""Lines of an answer in JSON that are shown: a hit and what stands after it."""
LINES_OF_TEXT = 10
"""Lines of a text that are shown; where it stands follows whole."""
_WORDS = re.compile(r'(?<=\[)\s+"[^"]*"(,\s+"[^"]*")*\s+(?=\])')
SERVER = "blog-search-mcp serve --toolset {toolset}"
_OF_AUTHORS = {tool.name for tool in AUTHOR} - {tool.name for tool in EXTENDED}
_OF_AUTHORS |= {"before_i_publish", "what_to_write_next"}
"""Names of tools and prompts that the author's set alone has."""
_HELLO: dict[str, Any] = {
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "examples", "version": "1"},
    },
}


def outputs_of(examples: Sequence[Example], sandbox: Sandbox) -> list[str]:
    """Give what each example prints, with its commands if it has any."""
    sandbox.renew()
    sent = [each for each in examples if isinstance(each, Sent)]
    replies = {}
    for toolset in ("extended", "author"):
        of_set = [each for each in sent if _set_of(each) == toolset]
        replies[toolset] = iter(_replies(of_set, toolset, sandbox))
    return [
        _typed(each, sandbox)
        if isinstance(each, Typed)
        else answer_of(next(replies[_set_of(each)]))
        for each in examples
    ]


def _set_of(example: Sent) -> str:
    """Name the toolset whose server takes the request."""
    named = example.request.get("params", {}).get("name")
    return "author" if named in _OF_AUTHORS else "extended"


def answer_of(reply: dict[str, Any]) -> str:
    """Give what a client shows of a reply: its text, or its facts where it has any."""
    if "error" in reply:
        return _json({"error": reply["error"]})
    result = reply["result"]
    if "structuredContent" in result:
        return _json(result["structuredContent"])
    messages = [message["content"] for message in result.get("messages", ())]
    parts = result.get("content") or result.get("contents") or messages
    if not parts:
        return _json({name: value for name, value in result.items() if name != "_meta"})
    first, *rest = (part["text"] for part in parts)
    shown = _json(json.loads(first)) if first.startswith("{") else _cut(first, LINES_OF_TEXT)
    return "\n".join([shown, *(f"{text}\n" for text in rest)])


def _typed(example: Typed, sandbox: Sandbox) -> str:
    sandbox.renew()
    printed = ""
    with ExitStack() as servers:
        for command in example.commands:
            printed += f"{PROMPT}{command}\n"
            if command.endswith("&"):
                servers.enter_context(sandbox.serving(command.removesuffix("&").rstrip()))
            else:
                said = sandbox.run(command)
                printed += said if said.endswith("\n") or not said else f"{said}\n"
    return printed


def _replies(sent: Sequence[Sent], toolset: str, sandbox: Sandbox) -> list[dict[str, Any]]:
    if not sent:
        return []
    requests = [{"id": number, **each.request} for number, each in enumerate(sent, 1)]
    messages: list[dict[str, Any]] = [
        {"id": 0, **_HELLO},
        {"method": "notifications/initialized"},
        *requests,
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    said = sandbox.run(SERVER.format(toolset=toolset), lines.encode())
    heard = map(json.loads, said.splitlines())
    by_id = {message.get("id"): message for message in heard}
    return [by_id[request["id"]] for request in requests]


def _json(facts: dict[str, Any]) -> str:
    """Write JSON with a fact on a line, and a list of words on one."""
    text = json.dumps(facts, ensure_ascii=False, indent=2)
    return _cut(_WORDS.sub(lambda found: re.sub(r"\s*\n\s*", " ", found[0]).strip(), text), LINES)


def _cut(text: str, limit: int) -> str:
    lines = text.splitlines()
    left = len(lines) - limit
    more = [f"[… {left} more lines …]"] if left > 1 else lines[limit:]
    return "\n".join([*lines[:limit], *more]) + "\n"
