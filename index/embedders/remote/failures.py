"""Failures of one request to an embedding server: sorted into kinds, and worded for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from blog_search_mcp.index.errors import EmbedderError

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


@dataclass(frozen=True, slots=True)
class Wording:
    """How failures of one sort of server are told."""

    name: str
    """Of the server, as a sentence begins with it: `Ollama`."""
    sentences: Mapping[Kind, tuple[type[EmbedderError], str]]
    """By kind the error and its sentence; `{place}`, `{model}` and `{detail}` are filled in."""

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
        sentence = self.sentences[failure.kind][1].partition(". ")[0]
        return sentence.format(place=self.name_place(url), model="", detail=failure.detail) + "."

    def make_error(self, failure: RequestFailed, url: str, model: str) -> EmbedderError:
        """Say what happened at `url` with `model`, and what to do next."""
        error, sentence = self.sentences[failure.kind]
        place = self.name_place(url)
        is_ours = failure.kind in (Kind.NO_VECTOR, Kind.REDIRECTED)
        detail = failure.detail if is_ours else "its log has the reason"
        return error(
            sentence.format(place=place, model=model, detail=failure.detail),
            for_clients=sentence.format(place=place, model=model, detail=detail),
        )
