"""A model without a model: it searches for the question, reads the best hit and quotes it.

For those who have no Ollama and want to see the loop at work, and for the tests: its turns are
a pure function of the conversation.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from examples.agent.conversation import Call, Reply
from examples.agent.evidence import sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from examples.agent.conversation import Message, Tool

NAME = "quote"
"""Name of the model on the command line."""
QUOTED = 200
"""Most characters of a passage that are quoted."""


class QuotingModel:
    """Quotes; it understands nothing."""

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Reply:  # noqa: ARG002
        """Search, then read, then quote."""
        question = next(message.text for message in messages if message.role == "user")
        last = messages[-1]
        if last.answers is None or last.result is None:
            return Reply("", (Call("search_blog", {"query": question, "top_k": 3}),))
        if last.result.is_error:
            return Reply(f"The blog could not be asked: {last.result.text}")
        if last.answers.tool == "search_blog":
            return _read_best(last)
        [*_, source] = sources(messages)
        text = textwrap.shorten(last.result.blocks[0], QUOTED, placeholder="…")
        return Reply(f"{source.title} says: {text} ({source.url or source.source})")


def _read_best(found: Message) -> Reply:
    best = re.search(r"^1\. (.+? #\d+)", found.text, re.MULTILINE)
    if not best:
        return Reply("The blog has nothing on this.")
    return Reply("", (Call("read_chunk", {"source": best[1]}),))
