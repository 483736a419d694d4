"""Evidence of an answer: a conversation comes in, its sources and doubts go out.

Read off what the tools returned and not off what the model wrote: a link in the list of sources
was opened, whatever the answer says.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from examples.agent.conversation import Call, Message, ToolResult

NOTHING_READ = "No passage of the blog was read for this answer: do not take it for the blog's."
LOW = "The blog may hold nothing on this: every search came back with low confidence."

_CONFIDENCE = re.compile(r"Confidence: (\w+)\.")


@dataclass(frozen=True, slots=True)
class Source:
    """One passage that was read."""

    source: str
    """The post's path in the blog."""
    chunk_index: int
    title: str
    url: str | None
    """URL of the passage on the published blog, `None` if it is not known."""


def sources(messages: Sequence[Message]) -> tuple[Source, ...]:
    """The passages that were read, in order, without repeats."""
    return tuple(dict.fromkeys(_read(messages)))


def doubt(messages: Sequence[Message]) -> str | None:
    """Return why the answer is not the blog's, `None` if nothing speaks against it."""
    found = set(confidences(messages))
    if found and found <= {"low", "none"}:
        return LOW
    if sources(messages):
        return None
    failures = [result.text for _, result in _results(messages) if result.is_error]
    return f"{NOTHING_READ} The tools said: {failures[-1]}" if failures else NOTHING_READ


def confidences(messages: Sequence[Message]) -> list[str]:
    """Return the confidence of each search, in order; `none` for one without hits."""
    return [
        _confidence(result)
        for call, result in _results(messages)
        if call.tool == "search_blog" and not result.is_error
    ]


def _read(messages: Sequence[Message]) -> Iterator[Source]:
    for call, result in _results(messages):
        if call.tool == "read_chunk" and not result.is_error:
            place = dict(line.partition(": ")[::2] for line in result.blocks[-1].splitlines())
            index = int(place["chunk_index"].split()[0])
            yield Source(place["source"], index, place["title"], place.get("url"))


def _confidence(result: ToolResult) -> str:
    written = _CONFIDENCE.match(result.text)
    return written[1] if written else "none"


def _results(messages: Sequence[Message]) -> Iterator[tuple[Call, ToolResult]]:
    for message in messages:
        if message.answers is not None and message.result is not None:
            yield message.answers, message.result
