"""What can become of an answer to /api/embed: the right answer in, what goes out instead.

A fault is given to the stand-in for its coming requests (`faults`) or for texts (`on_text`).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from tests.support.ollama_standin import OllamaStandIn

Row: TypeAlias = list[float] | None


@dataclass(frozen=True, slots=True)
class Answer:
    """Status and body; a str goes out as text, bytes as they are, everything else as JSON."""

    status: int
    body: Any
    cut: int | None = None
    """Bytes of the body after which nothing more comes; `None` for all of it."""
    hangs: bool = False
    """Whether what was cut off is kept waiting for, instead of the connection being closed."""
    headers: Mapping[str, str] | None = None


Fault: TypeAlias = "Callable[[OllamaStandIn, Answer], Answer | None]"
"""`None` closes the connection unanswered."""

BUSY_TEXT = "server busy, please try again.  maximum pending requests exceeded"
EOF_TEXT = 'do embedding request: Post "http://127.0.0.1:36715/v1/embeddings": EOF'
NAN_TEXT = "failed to encode response: json: unsupported value: NaN"


def fails(status: int, error: str) -> Fault:
    """Answer with an error of Ollama's form."""
    return lambda _server, _answer: Answer(status, {"error": error})


def replies(status: int, body: Any) -> Fault:
    """Answer with a text or JSON that is not Ollama's, as a proxy does."""
    return lambda _server, _answer: Answer(status, body)


def redirects(status: int, location: str) -> Fault:
    """Point elsewhere, as a proxy or a portal does."""
    return lambda _server, _answer: Answer(status, "", headers={"Location": location})


def compressed(_server: OllamaStandIn, _answer: Answer) -> Answer:
    """200 MB of blanks in 200 kB that nobody asked to have compressed."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    begin = packer.compress(b'{"embeddings": ') + packer.flush(zlib.Z_FULL_FLUSH)
    blanks = packer.compress(b" " * 1_000_000) + packer.flush(zlib.Z_FULL_FLUSH)
    body = begin + 200 * blanks + packer.compress(b"[]}") + packer.flush()
    return Answer(200, body, headers={"Content-Encoding": "deflate"})


def is_too_large(_server: OllamaStandIn, _answer: Answer) -> Answer:
    """An answer that goes on and on."""
    return Answer(200, b'{"embeddings": ' + b" " * 20_000_000 + b"[]}")


ENDED = r"(?:more than 8 MB|did not answer in time)"
"""What is said of an answer without end: its bytes and its time are bounded, and a busy machine
reaches the latter first."""


def nested(_server: OllamaStandIn, _answer: Answer) -> Answer:
    """Lists in lists, deeper than Python counts."""
    return Answer(200, b"[" * 200_000 + b"]" * 200_000)


def alters(change: Callable[[list[Any]], list[Any]]) -> Fault:
    """Answer 200 with the vectors changed; an error stays as it is."""

    def altered(_server: OllamaStandIn, answer: Answer) -> Answer:
        if answer.status != 200:
            return answer
        rows = change(answer.body["embeddings"])
        return Answer(200, {**answer.body, "embeddings": rows})

    return altered


def zeroes(rows: list[list[float]]) -> list[Row]:
    return [[0.0] * len(row) for row in rows]


def reversed_rows(rows: list[list[float]]) -> list[list[float]]:
    return rows[::-1]


def exchanged(one: int, other: int) -> Callable[[list[list[float]]], list[list[float]]]:
    """Two rows in each other's place, where there are so many."""

    def exchange(rows: list[list[float]]) -> list[list[float]]:
        if len(rows) > max(one, other):
            rows[one], rows[other] = rows[other], rows[one]
        return rows

    return exchange


def busy(_server: OllamaStandIn, _answer: Answer) -> Answer:
    return Answer(503, {"error": BUSY_TEXT})


def crashes(server: OllamaStandIn, _answer: Answer) -> Answer:
    """The runner died: a 400 since 0.13.3, a 500 before."""
    return Answer(400 if server.since(0, 13, 3) else 500, {"error": EOF_TEXT})


def yields_nan(server: OllamaStandIn, answer: Answer) -> Answer | None:
    """The model made NaN: since 0.30 a vector of zeros, before it an error."""
    if server.since(0, 30):
        return alters(zeroes)(server, answer)
    return Answer(500, {"error": NAN_TEXT})


def hangs(server: OllamaStandIn, answer: Answer) -> Answer | None:
    """Keep the request waiting until the server stops."""
    server.released.wait()
    return answer


def closes(_server: OllamaStandIn, _answer: Answer) -> Answer | None:
    """Close the connection without an answer."""
    return None


def breaks_off(_server: OllamaStandIn, answer: Answer) -> Answer:
    """Close the connection in the middle of the body."""
    return Answer(answer.status, answer.body, cut=100)


def stalls(_server: OllamaStandIn, answer: Answer) -> Answer:
    """Send a part of the body and keep the rest until the server stops."""
    return Answer(answer.status, answer.body, cut=100, hangs=True)


def becomes(**changes: Any) -> Fault:
    """Answer, and be another from then on: `becomes(version="0.33.1")`."""

    def changed(server: OllamaStandIn, answer: Answer) -> Answer:
        for name, value in changes.items():
            setattr(server, name, value)
        return answer

    return changed
