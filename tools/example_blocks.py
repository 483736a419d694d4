"""The worked examples of a Markdown page: text comes in, blocks with their place in it go out.

An example is a fence of `console`, whose lines after `$ ` are commands with what they print below
them, or a fence of `json request`, followed by a fence with its answer. Other fences are left
alone, so that a page may also show what no test can run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

PROMPT = "$ "
_FENCE = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Typed:
    """A fence of commands."""

    commands: tuple[str, ...]
    printed: str
    """The whole fence's text: each command after its prompt, then what it printed."""
    start: int
    """Where the text begins in the page, in characters."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request to the server and the fence below it."""

    request: dict[str, Any]
    """`method` and `params`, without an id."""
    printed: str
    """The answer's text, as shown."""
    start: int
    """Where that begins in the page, in characters."""


Example = Typed | Sent


def examples_in(page: str) -> Iterator[Example]:
    """Give the page's examples in order. Raises ValueError for a request without an answer."""
    fences = list(_FENCE.finditer(page))
    for fence, after in zip(fences, [*fences[1:], None], strict=True):
        if fence[2] == "console":
            yield Typed(_commands(fence[3]), fence[3], fence.start(3))
        elif fence[2] == "json request":
            if after is None or not after[2].endswith(" answer"):
                raise ValueError(f"no answer follows the request {fence[3].strip()}")
            yield Sent(json.loads(fence[3]), after[3], after.start(3))


def with_outputs(page: str, outputs: list[tuple[Example, str]]) -> str:
    """Give the page with what each example printed in place of what it says."""
    for example, printed in sorted(outputs, key=lambda pair: -pair[0].start):
        end = example.start + len(example.printed)
        page = page[: example.start] + printed + page[end:]
    return page


def _commands(text: str) -> tuple[str, ...]:
    """Read the commands; one that ends in a backslash goes on in the next line."""
    joined = text.replace("\\\n", "\\\0")
    lines = (line for line in joined.splitlines() if line.startswith(PROMPT))
    return tuple(line.removeprefix(PROMPT).replace("\\\0", "\\\n") for line in lines)
