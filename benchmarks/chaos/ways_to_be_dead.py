"""The ways of being dead that are made while serving, and what a reader may be told of each."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.chaos.dead_ollamas import LOADING


@dataclass(frozen=True, slots=True)
class Way:
    """One way of being dead."""

    name: str
    """As `dead` knows it."""
    what: str
    made: str
    says: tuple[str, ...]
    """One of these stands in every sentence; an empty one: meaning may be back by itself."""


STUCK = ("is still loading", "did not answer in time")
GONE = ("does not answer", "did not answer in time", "cannot be reached")
WAYS = (
    Way("refused", "Ollama is stopped", "nobody listens on its port", ("cannot be reached",)),
    Way("silent", "Ollama never answers", "connections are taken, nothing is said", GONE),
    Way("blackhole", "Ollama's host is gone", "connects vanish in a full queue", GONE),
    Way("hangs", "an embedding hangs", "every embedding waits for ever", STUCK),
    Way("half", "an embedding hangs in its body", "half of every embedding comes", STUCK),
    Way("busy", "Ollama is busy", "503 to every embedding", ("is busy", *STUCK)),
    Way("gateway", "a proxy without Ollama", "502 and HTML to everything", ("502", *STUCK)),
    Way("502", "embeddings fail", "502 and HTML to every embedding", ("502", *STUCK)),
    Way("deleted", "the model is deleted", "it is not listed any more", ("`ollama pull ",)),
    Way("changed", "the model is another", "its digest changes", ("other weights",)),
    Way("killed", "Ollama is killed", "kill -9 while it embeds a query", (*STUCK, *GONE)),
    Way("loading", "the model is being loaded", f"it takes {LOADING:.0f} s", ("", *STUCK)),
)
