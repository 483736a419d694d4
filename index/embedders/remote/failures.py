"""Failures of one request to an embedding server: sorted into kinds, and worded for people."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, TypeAlias

from blog_search_mcp.index.analysis.lines import to_line
from blog_search_mcp.index.errors import EmbedderError, EmbedderRefused, EmbedderUnavailable

DETAIL_LIMIT: Final = 200
"""Characters of a foreign message worth repeating; a proxy's HTML page is longer."""

KEY_VARIABLE: Final = "EMBEDDER_API_KEY"
"""Environment variable of the bearer token; of no other program, so that no key goes astray."""
_KEYS: Final = (KEY_VARIABLE, "OLLAMA_API_KEY")
"""Those whose values a server is sent, the last by Ollama's client, and may repeat."""


def clean_text(text: str) -> str:
    """Make a line to print of a server's text: no control characters, no key, DETAIL_LIMIT."""
    for name in _KEYS:
        if key := os.environ.get(name, "").strip():
            text = text.replace(key, "[key]")
    return to_line(text)[:DETAIL_LIMIT]


class FailureKind(Enum):
    """One kind for each thing the caller would do differently."""

    DOWN = auto()
    SLOW = auto()
    BUSY = auto()
    CRASHED = auto()
    TOO_LONG = auto()
    MISSING = auto()
    NOT_EMBEDDING = auto()
    NO_VECTOR = auto()
    REDIRECTED = auto()
    REFUSED = auto()


class RequestFailed(Exception):
    """One failed request; it leaves an embedder as an EmbedderError."""

    def __init__(self, kind: FailureKind, detail: str = "") -> None:
        self.kind = kind
        self.detail = clean_text(detail)
        super().__init__(f"{kind.name}: {self.detail}")


Sentences: TypeAlias = Mapping[FailureKind, tuple[type[EmbedderError], str]]
"""By kind the error and its sentence; what stands in braces is filled in."""

_SHARED: Final[Sentences] = {
    FailureKind.SLOW: (
        EmbedderUnavailable,
        "{place} did not answer in time. Try again; if it stays so, restart {it}.",
    ),
    FailureKind.BUSY: (EmbedderUnavailable, "{place} is busy. Try again in a moment."),
    FailureKind.CRASHED: (
        EmbedderUnavailable,
        "{place} failed while embedding: {detail}. Try again; if it stays so, restart {it}.",
    ),
    FailureKind.TOO_LONG: (
        EmbedderRefused,
        "{model} refuses even a single character as too long. Choose another model.",
    ),
    FailureKind.REDIRECTED: (
        EmbedderRefused,
        "{place} redirects to {detail}, where no text is sent. If that is your {sort}, name its "
        "address with {setting}.",
    ),
}


@dataclass(frozen=True, slots=True)
class FailureMessages:
    """The messages for failures of one sort of server."""

    name: str
    """Of the server, as a sentence begins with it: `Ollama`."""
    it: str
    """Of the server, in a sentence that has named it before."""
    sort: str
    """What kind of server it is, as a sentence names it."""
    setting: str
    """What sets its address."""
    own: Sentences
    """For the kinds whose message is not the same for every server."""

    def name_place(self, url: str) -> str:
        """Name the server at this address."""
        return f"{self.name} at {url}"

    def describe_text(self, failure: RequestFailed) -> str:
        """Describe why one text has no vector: `Ollama failed on it: EOF (status 400)`."""
        match failure.kind:
            case FailureKind.SLOW:
                return f"{self.name} did not answer in time for it"
            case FailureKind.NO_VECTOR:
                return f"{self.name} answered with {failure.detail}"
            case _:
                return f"{self.name} failed on it: {failure.detail}"

    def describe(self, failure: RequestFailed, url: str) -> str:
        """Describe what happened at `url`, in a sentence without advice."""
        _, sentence = self._of_kind(failure.kind)
        return self._fill(sentence.partition(". ")[0], url, "", failure.detail) + "."

    def make_error(self, failure: RequestFailed, url: str, model: str) -> EmbedderError:
        """Describe what happened at `url` with `model`, and what to do next."""
        error, sentence = self._of_kind(failure.kind)
        is_ours = failure.kind in (FailureKind.NO_VECTOR, FailureKind.REDIRECTED)
        detail = failure.detail if is_ours else "its log has the reason"
        return error(
            self._fill(sentence, url, model, failure.detail),
            for_clients=self._fill(sentence, url, model, detail),
        )

    def _of_kind(self, kind: FailureKind) -> tuple[type[EmbedderError], str]:
        return self.own.get(kind) or _SHARED[kind]

    def _fill(self, sentence: str, url: str, model: str, detail: str) -> str:
        place, it, sort, setting = self.name_place(url), self.it, self.sort, self.setting
        return sentence.format(
            place=place, model=model, detail=detail, it=it, sort=sort, setting=setting
        )
