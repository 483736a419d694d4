"""Requests to an embedding server: their limits, retries and errors.

A `Wire` is the protocol of one server. Texts are sent through httpx, since this module reads
replies more strictly than the clients of Ollama and OpenAI do. Redirects are not followed. Replies
are limited and validated. A server's text is shown without control characters and keys.
"""

import json
import logging
import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, TypeVar

import httpx
import numpy as np
from pydantic import Base64Bytes, BaseModel, Field, StrictFloat, ValidationError

from blog_search_mcp.index.embedders.endpoints import is_loopback
from blog_search_mcp.index.errors import MOST_DETAIL, EmbedderError, UsageError
from blog_search_mcp.index.text.display import to_line
from blog_search_mcp.index.types import Vectors

T = TypeVar("T")
log = logging.getLogger(__name__)
KEY_VARIABLE: Final = "EMBEDDER_API_KEY"
"""Environment variable of the bearer token. No other program uses it, so no foreign key is sent."""
OLLAMA_KEY_VARIABLE: Final = "OLLAMA_API_KEY"
"""Environment variable of the key in Ollama's own clients."""
MOST_REPLY_BYTES = 8_000_000
"""Maximum bytes of a reply and its head. 32 vectors of Ollama's largest width, 4,096, take 3 MB."""
MOST_REPLY_SECONDS = 30.0
"""Maximum seconds from a reply's first byte to its last: vectors are sent when all are ready."""


class FailureKind(Enum):
    """Kinds of failure. A value is two templates, filled with a Wire: what happened, the remedy."""

    DOWN = "{0.place} cannot be reached.", "{0.start}, or name its address with {0.setting}."
    SLOW = "{0.place} did not answer in time.", "Try again; if it stays so, restart it."
    BUSY = "{0.place} is busy: {detail}.", "Try again in a moment."
    FAILED = (
        "{0.place} failed: {detail}.",
        "Try again; if it stays so, restart or update it, and check {0.setting}.",
    )
    """The server crashed or broke off, or its reply is not of the expected form."""
    TOO_LONG = "{0.model} takes no text, however short: {detail}.", "Choose another model."
    MISSING = "{0.place} does not have the model {0.model}, or not whole.", "{0.fetch}."
    NOT_EMBEDDING = "{0.model} gives no embeddings: {detail}.", "Choose one that does, as bge-m3."
    REFUSED = "{0.place} refused the request: {detail}.", "Check {0.setting}."


RETRIES: Final = {FailureKind.DOWN: 6, FailureKind.BUSY: 8, FailureKind.FAILED: 3}
"""Maximum retries by kind, 0 for a kind not listed; a policy with fewer pauses allows fewer."""


class RequestFailed(EmbedderError):
    """One failed request."""

    pause: float = 0.0
    """Seconds that the server asks to wait before the next request; at most 60 count."""

    def __init__(self, kind: FailureKind, wire: "Wire", detail: str = "") -> None:
        self.kind = kind
        self.detail = clean_text(detail).rstrip(".") or "no reason given"
        what, remedy = kind.value
        hidden = what.format(wire, detail="its log has the reason")
        what = what.format(wire, detail=self.detail)
        super().__init__(what, remedy.format(wire), for_clients=hidden)


def clean_text(text: str) -> str:
    """Return a server's text on one line without keys, cut at a word to MOST_DETAIL characters."""
    for name in (KEY_VARIABLE, OLLAMA_KEY_VARIABLE):
        if key := os.environ.get(name, "").strip():
            text = text.replace(key, "[key]")
    line = to_line(text)[: MOST_DETAIL + 1]
    return line if len(line) <= MOST_DETAIL else line.rpartition(" ")[0] or line


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Timeout of a reply, and the pause before each retry, in seconds."""

    timeout: float
    pauses: tuple[float, ...] = ()


FOR_DOCUMENTS: Final = RetryPolicy(300.0, pauses=(0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 16.0, 32.0))
"""Policy for documents. The timeout is Ollama's limit for the loading of a model. The pauses
outlast an update of Ollama, which takes seconds, and a limit of requests per minute."""
FOR_A_QUERY: Final = RetryPolicy(timeout=20.0)
"""Policy for a query, without retries. The timeout covers the longest cold start seen, 15 s."""
FOR_A_TRIAL: Final = RetryPolicy(timeout=10.0)
"""Policy for a trial of Ollama for a new index; loading a recently read model takes 1 s."""


class Wire(ABC):
    """Protocol of one server for one model. It has one HTTP client for each timeout in use."""

    kind: ClassVar[str]
    """Value of `EmbedderIdentity.kind`."""
    name: ClassVar[str]
    """Name of the server at the beginning of a sentence, such as `Ollama`."""
    setting: ClassVar[str]
    """Names, for messages, of the options and environment variables that set the address."""
    start: ClassVar[str] = "Start it"
    fetch: str
    """Instruction that puts `{model}` onto the server."""
    key_variable: str
    """Environment variable of the bearer token, `""` for none."""
    fields: Mapping[str, Any] = MappingProxyType({})
    """Fields of a request besides model and texts."""

    def __init__(self, url: str, model: str) -> None:
        self.url = url
        self.model = model
        self.place = f"{self.name} at {url.partition('?')[0]}"
        self.fetch = self.fetch.format(model=model)
        self._clients: dict[float, Any] = {}

    @property
    @abstractmethod
    def address(self) -> str:
        """URL for embedding requests. Raises UsageError for an invalid address."""

    def open_client(self, **options: Any) -> Any:
        """Return a client with these options of `httpx.Client`."""
        return httpx.Client(**options)

    def post(self, client: Any, body: Mapping[str, Any]) -> bytes:
        """Request vectors; return the reply's bytes."""
        return bytes(client.post(self.address, json=body).content)

    def embed(self, texts: list[str], dimension: int | None, policy: RetryPolicy) -> Vectors:
        """Return texts' unit rows in order, of width `dimension` if given. Raises EmbedderError."""
        body = {"model": self.model, "input": texts, **self.fields}

        def send(client: Any) -> Vectors:
            return read_vector_rows(self.post(client, body), len(texts), dimension)

        return self.request(send, policy)

    def describe(self, policy: RetryPolicy) -> tuple[str, str]:  # noqa: ARG002 - nothing to ask
        """Return server version and weights' digest, `""` if not reported. Raises EmbedderError."""
        return "", ""

    def request(self, send: Callable[[Any], T], policy: RetryPolicy, attempt: int = 0) -> T:
        """Send one request and retry it as the policy and RETRIES allow. Raises EmbedderError."""
        try:
            return send(self._connect(policy.timeout))
        except RequestFailed as error:
            failure = error
        except (ConnectionError, httpx.ConnectError, httpx.ConnectTimeout) as error:
            failure = RequestFailed(FailureKind.DOWN, self, str(error))
        except httpx.TimeoutException as error:
            failure = RequestFailed(FailureKind.SLOW, self, str(error))
        except (httpx.HTTPError, *_MALFORMED) as error:
            failure = RequestFailed(FailureKind.FAILED, self, str(error))
        if attempt >= min(RETRIES.get(failure.kind, 0), len(policy.pauses)):
            raise failure
        pause = max(policy.pauses[attempt], min(failure.pause, 60.0))
        if pause > policy.pauses[attempt]:
            log.warning("%s is busy and is asked again in %.0f s.", self.place, pause)
        time.sleep(pause)
        return self.request(send, policy, attempt + 1)

    def _connect(self, timeout: float) -> Any:
        """Return the client for requests of this timeout. Raises EmbedderError."""
        if timeout in self._clients:
            return self._clients[timeout]
        headers = {"Accept-Encoding": "identity", "User-Agent": "blog-search-mcp"}
        if key := os.environ.get(self.key_variable, "").strip().removeprefix("Bearer "):
            headers |= {"Authorization": f"Bearer {key}", "api-key": key}  # as Azure reads it
        try:
            trust_env = not is_loopback(self.address)  # a proxy is not for this machine
            self._clients[timeout] = self.open_client(
                timeout=httpx.Timeout(timeout, connect=3.0),  # some hosts drop packets
                limits=httpx.Limits(max_keepalive_connections=0),
                trust_env=trust_env,
                follow_redirects=False,
                verify=trust_env or self.address.startswith("https:"),  # certificates load slowly
                headers=headers,
                event_hooks={"request": [bound_answer], "response": [self._read_answer]},
            )
        except (ImportError, OSError, ValueError, UsageError) as error:
            what = f"{self.name}'s client cannot start"
            remedy = f"Correct {self.setting}, SSL_CERT_FILE or the proxy variables."
            raise EmbedderError(
                f"{what}: {str(error).rstrip('.')}.", remedy, for_clients=f"{what}."
            ) from error
        return self._clients[timeout]

    def _read_answer(self, response: httpx.Response) -> None:
        """Read a reply, as a response hook of httpx.

        Raises ValueError if it is compressed. Raises RequestFailed for a status of 300 or above,
        and for an error in the reply.
        """
        if response.headers.get("Content-Encoding", "").lower() not in ("", "identity"):
            raise ValueError("an answer that is compressed")
        status, text = response.status_code, response.read()[:100_000].decode(errors="replace")
        if status < 300 and '"error"' not in text:
            return
        error: Any = None
        with suppress(*_MALFORMED):  # `{"error": "…"}`, as Ollama says it, or OpenAI's form
            error = json.loads(text)["error"]
        fields = error if isinstance(error, dict) else {"message": error}
        if status < 300 and not error:
            return
        if status < 300:
            status = fields["code"] if fields.get("code") in range(400, 600) else 500
        target = response.headers.get("location")
        text = re.sub("<[^<>]*>", " ", text) if text.lstrip().startswith("<") else text
        reason = str(fields.get("message") or (f"redirected to {target}" if target else text))
        kind = classify_reply(status, f"{reason[:2_000]} {fields.get('code', '')}")
        failure = RequestFailed(kind, self, f"{reason or 'no reason given'} (status {status})")
        failure.pause = read_pause(response.headers.get("retry-after", ""))
        raise failure


def bound_answer(request: httpx.Request) -> None:
    """Limit the seconds and bytes of a reply with its head, as a request hook of httpx.

    The timeout counts from the connection to the last byte, MOST_REPLY_SECONDS from the first byte.
    """

    def bound_stream(event: str, facts: Mapping[str, Any]) -> None:
        if not event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            return
        stream, read, size = facts["return_value"], facts["return_value"].read, 0
        end = time.monotonic() + request.extensions["timeout"]["read"]

        def read_bounded(most: int, **_: object) -> bytes:
            nonlocal size, end
            part: bytes = read(most, max(end - time.monotonic(), 0.001))
            end = end if size else min(end, time.monotonic() + MOST_REPLY_SECONDS)
            if (size := size + len(part)) > MOST_REPLY_BYTES:
                raise ValueError(f"an answer of more than {MOST_REPLY_BYTES / 1e6:.0f} MB")
            return part

        stream.read = read_bounded

    request.extensions["trace"] = bound_stream


def read_pause(retry_after: str) -> float:
    """Return the seconds in Retry-After, or until its HTTP date (below 0 if past); else 0."""
    if re.fullmatch(r"\d+(\.\d+)?", retry_after):
        return float(retry_after)
    with suppress(ValueError, OverflowError):
        return parsedate_to_datetime(retry_after).timestamp() - time.time()
    return 0.0


_TOO_LONG = re.compile(
    r"context length|context size|context window|too long|too large|too many (?:input )?tokens"
    r"|input length|max\w*.{0,20}(?:tokens|length)|less than \d+ tokens|batch size"
    r"|exceeds?\b.{0,40}(?:token|batch|limit|length)",
    re.IGNORECASE,
)
"""Errors of vLLM (400), TEI (413), llama.cpp (500) and Ollama (400) for a text that is too long."""
_CRASH = re.compile(r"\bEOF\b|connection (?:reset|refused)|do embedding req")
"""Errors of Ollama (400) when the process that runs the model has died."""


def classify_reply(status: int, text: str) -> FailureKind:
    """Classify an error by its HTTP status, 300 or above, and its text with its code, if any."""
    is_large = status == 429 and "too large" in text  # more tokens than a minute's limit
    if status == 413 or is_large or (status in (400, 422, 500) and _TOO_LONG.search(text)):
        return FailureKind.TOO_LONG
    if status == 501 or "does not support embeddings" in text:
        return FailureKind.NOT_EMBEDDING
    is_broken = re.search("invalid file magic|exceeds file size", text)  # Ollama's model file
    if (status == 404 and re.search("(?i)model|deployment", text)) or is_broken:
        return FailureKind.MISSING
    if "insufficient_quota" in text:  # OpenAI's code if credit is used up
        return FailureKind.REFUSED
    if status == 500 and "timed out waiting" in text:  # for a model to load, after 5 minutes
        return FailureKind.SLOW
    if status in (408, 425, 429, 502, 503, 504, 529):
        return FailureKind.BUSY
    return FailureKind.FAILED if status >= 500 or _CRASH.search(text) else FailureKind.REFUSED


_MALFORMED = (ValueError, LookupError, TypeError, RecursionError)
"""Exceptions that a reply of an unexpected form causes."""
_Row = Annotated[list[StrictFloat], Field(fail_fast=True, max_length=100_000)]


class _Entry(BaseModel):
    embedding: _Row | Base64Bytes | Annotated[list[_Row], Field(min_length=1, max_length=1)]
    index: int | None = None


class _Reply(BaseModel):
    embeddings: list[_Row] = Field([], fail_fast=True, max_length=100)
    data: list[_Entry] = Field([], fail_fast=True, max_length=100)


def read_vector_rows(answer: bytes, count: int, dimension: int | None) -> Vectors:
    """Return `count` vectors from a reply in Ollama's or OpenAI's form, as unit rows.

    The reply may be an array without an object around it. A vector may be base64, or the only item
    of an array. Indexes, if any, start at 0 or 1. Raises ValueError for another form or count, for
    widths that differ, are below 2 or are not `dimension` (if given), and for a vector of zeros or
    with a number that is not finite.
    """
    answer = answer.lstrip(b"\xef\xbb\xbf \t\r\n")
    if answer.startswith(b"["):
        field = b"data" if answer[1:].lstrip().startswith(b"{") else b"embeddings"
        answer = b'{"%b":%b}' % (field, answer)
    try:
        reply = _Reply.model_validate_json(answer)
    except ValidationError:
        reply = None
    if not (reply and (reply.data or reply.embeddings)):
        raise ValueError(f"no list of vectors, but {answer[:80]!r}, of another form")
    entries = sorted(reply.data, key=lambda entry: entry.index or 0)
    is_numbered = any(entry.index is not None for entry in entries)
    places = [entry.index or 0 for entry in entries]
    if is_numbered and places not in ([*range(count)], [*range(1, count + 1)]):
        raise ValueError("vectors that are not numbered one by one")
    sent: list[Any] = [*reply.embeddings, *(entry.embedding for entry in entries)]
    rows = [np.frombuffer(row, "<f4") if isinstance(row, bytes) else row for row in sent]
    rows = [row[0] if len(row) == 1 and isinstance(row[0], list) else row for row in rows]
    widths = sorted({len(row) for row in rows})
    if len(rows) != count or len(widths) != 1 or widths[0] < 2 or dimension not in (None, *widths):
        raise ValueError(f"{len(rows)} vectors of {widths[:3]} numbers to {count} texts")
    with np.errstate(over="ignore"):
        matrix: Vectors = np.asarray(rows, dtype=np.float32)
        norms: Vectors = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not (np.isfinite(norms) & (norms > 0)).all():
        raise ValueError("a vector of zeros, or with a number that is not finite")
    return matrix / norms
