"""Failures of one request to an embedding server: sorted into kinds, and worded for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from blog_search_mcp.index.errors import (
    EmbedderError,
    EmbedderRefused,
    EmbedderUnavailable,
    ModelMissing,
)

DETAIL_LIMIT: Final = 200
"""Characters of a foreign message worth repeating; a proxy's HTML page is longer."""


class Kind(Enum):
    """One kind for each thing the caller would do differently."""

    DOWN = auto()
    SLOW = auto()
    BUSY = auto()
    CRASHED = auto()
    TOO_LONG = auto()
    MISSING = auto()
    NOT_EMBEDDING = auto()
    NO_VECTOR = auto()
    MIXED_UP = auto()
    """Always handled by asking for the texts one by one."""
    UNSTEADY = auto()
    REDIRECTED = auto()
    REFUSED = auto()


class RequestFailed(Exception):
    """One failed request; it leaves an embedder as an EmbedderError."""

    def __init__(self, kind: Kind, detail: str = "") -> None:
        super().__init__(f"{kind.name}: {detail}")
        self.kind = kind
        self.detail = " ".join(detail.split())[:DETAIL_LIMIT]


_SENTENCES: Final[Mapping[Kind, tuple[type[EmbedderError], str]]] = {
    Kind.DOWN: (
        EmbedderUnavailable,
        "{place} cannot be reached. Start it, or name its address with {setting}.",
    ),
    Kind.SLOW: (
        EmbedderUnavailable,
        "{place} did not answer in time. Try again; if it stays so, restart it.",
    ),
    Kind.BUSY: (EmbedderUnavailable, "{place} is busy. Try again in a moment."),
    Kind.CRASHED: (
        EmbedderUnavailable,
        "{place} failed while embedding: {detail}. Try again; if it stays so, restart it.",
    ),
    Kind.TOO_LONG: (
        EmbedderRefused,
        "{model} refuses even a single character as too long. Choose another model.",
    ),
    Kind.MISSING: (
        ModelMissing,
        "{place} does not have the model {model}. Start it with that model, or name one that it "
        "has with --model.",
    ),
    Kind.NOT_EMBEDDING: (
        EmbedderRefused,
        "{model} gives no embeddings. Name an embedding model with --model.",
    ),
    Kind.NO_VECTOR: (
        EmbedderRefused,
        "{place} answered with {detail}. Try again; if it stays so, restart or update it.",
    ),
    Kind.MIXED_UP: (EmbedderRefused, "{place} mixes up the vectors of a batch. Update it."),
    Kind.UNSTEADY: (
        EmbedderRefused,
        "{place} gives one text different vectors. Restart or update it, then run again.",
    ),
    Kind.REDIRECTED: (
        EmbedderRefused,
        "{place} redirects to {detail}, where no text is sent. If that is your server, name its "
        "address with {setting}.",
    ),
    Kind.REFUSED: (
        EmbedderRefused,
        "{place} refused the request: {detail}. Check {setting}, and what its log says.",
    ),
}


@dataclass(frozen=True, slots=True)
class Wording:
    """How failures of one sort of server are told."""

    name: str
    """Of the server, as a sentence begins with it: `Ollama`."""
    setting: str
    """The option and the variable that name its address."""
    own: Mapping[Kind, str] = field(default_factory=dict)
    """Sentences that differ from those of other servers; `{place}`, `{model}`, `{detail}` and
    `{setting}` are filled in."""

    def name_place(self, url: str) -> str:
        """Name the server at this address."""
        return f"{self.name} at {url}"

    def describe_text(self, failure: RequestFailed) -> str:
        """Say why one text has no vector: `Ollama failed on it: EOF (status 400)`."""
        match failure.kind:
            case Kind.SLOW:
                return f"{self.name} did not answer in time for it"
            case Kind.NO_VECTOR:
                return f"{self.name} answered with {failure.detail}"
            case _:
                return f"{self.name} failed on it: {failure.detail}"

    def describe(self, failure: RequestFailed, url: str) -> str:
        """Say what happened at `url`, in a sentence without advice."""
        sentence = self._sentence(failure.kind).partition(". ")[0]
        return self._fill(sentence, url, "", failure.detail) + "."

    def make_error(self, failure: RequestFailed, url: str, model: str) -> EmbedderError:
        """Say what happened at `url` with `model`, and what to do next."""
        error, sentence = _SENTENCES[failure.kind][0], self._sentence(failure.kind)
        is_ours = failure.kind in (Kind.NO_VECTOR, Kind.REDIRECTED)
        detail = failure.detail if is_ours else "its log has the reason"
        return error(
            self._fill(sentence, url, model, failure.detail),
            for_clients=self._fill(sentence, url, model, detail),
        )

    def _sentence(self, kind: Kind) -> str:
        return self.own.get(kind, _SENTENCES[kind][1])

    def _fill(self, sentence: str, url: str, model: str, detail: str) -> str:
        place = self.name_place(url)
        return sentence.format(place=place, model=model, detail=detail, setting=self.setting)
