"""The kinds of embedders, and which one an ingest or a server uses.

An index can only be searched with the embedder that made its vectors, so an existing
index decides; only a new index leaves a choice. Nothing here asks a server anything, but
for the one look of `auto` at a new index. A new kind is one module and one line in BACKENDS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from blog_search_mcp.index.embedders.base import LocalBackend, ServerBackend
from blog_search_mcp.index.embedders.fingerprint import check_weights
from blog_search_mcp.index.embedders.guarded import GuardedEmbedder, run_in_background
from blog_search_mcp.index.embedders.verified import VerifiedEmbedder
from blog_search_mcp.index.errors import EmbedderError, EmbedderMismatch, UsageError

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.types import EmbedderIdentity

Backend: TypeAlias = ServerBackend | LocalBackend


def _ollama() -> ServerBackend:
    from blog_search_mcp.index.embedders.ollama.embedder import BACKEND

    return BACKEND


def _embedded() -> LocalBackend:
    from blog_search_mcp.index.embedders.onnx import BACKEND

    return BACKEND


BACKENDS: Final[Mapping[str, Callable[[], Backend]]] = {"ollama": _ollama, "embedded": _embedded}
"""By the word after --embedder, which an identity keeps as its kind."""

AUTO: Final = "auto"
"""For a new index Ollama if it answers, else the model in the package."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The embedder to use, and one sentence for people that says which and why."""

    embedder: Embedder
    reason: str

    def warnings(self) -> tuple[str, ...]:
        """Return sentences on what is wrong with the embedder's server; call after embedding."""
        return self.embedder.warnings() if isinstance(self.embedder, VerifiedEmbedder) else ()

    def server_version(self) -> str:
        """Ask the embedder's server for its version; empty without one or if it is down."""
        embedder = self.embedder
        return embedder.server_version() if isinstance(embedder, VerifiedEmbedder) else ""


def choose_embedder(
    kind: str, model: str | None, url: str, existing: EmbedderIdentity | None
) -> Choice:
    """Choose for an ingest; `existing` is `None` for a new index and for a rebuild.

    Raises EmbedderMismatch if the index was built with another embedder than the one
    asked for, UsageError for a model that a kind does not have.
    """
    if existing is not None:
        _refuse_another(existing, kind, model)
        reason = f"The index keeps its embedder, {existing.name}."
        return Choice(open_embedder(existing, url), reason)
    if kind == AUTO and model is None:
        return _choose_at_hand(url)
    kind = _kind_of(model) if kind == AUTO else kind
    model = model or BACKENDS[kind]().default_model
    return Choice(_create(kind, model, url), f"Embedder: {kind} {model}, as asked.")


def open_embedder(identity: EmbedderIdentity, url: str) -> Embedder:
    """Return the embedder an index was built with, for the server at `url` if it has one.

    A server's model is compared at its first use, since the server may be down now.
    Raises EmbedderMismatch if this version of the package lacks the embedder.
    """
    backend = _backend_of(identity)
    if isinstance(backend, ServerBackend):
        return connect_embedder(backend, identity, url)
    embedder = backend.load(identity.model)
    rebuild = rebuild_command(identity.kind, identity.model)
    check_weights(identity, embedder.identity.digest, embedder.identity.dimension, rebuild)
    return embedder


def connect_embedder(
    backend: ServerBackend, identity: EmbedderIdentity, url: str
) -> VerifiedEmbedder:
    """Return the embedder of an index whose vectors come from a server; asks nothing yet."""
    prefixes = (identity.document_prefix, identity.query_prefix)
    live = backend.connect(identity.model, url, prefixes)
    return VerifiedEmbedder(live, identity, rebuild_command(identity.kind, identity.model))


def serve_embedder(identity: EmbedderIdentity, url: str) -> Embedder:
    """Return the embedder of an index for many queries: warming up, never waited for long.

    Raises EmbedderMismatch if this version of the package lacks it.
    """
    backend = _backend_of(identity)
    if isinstance(backend, ServerBackend):
        health = backend.health_check(identity.model, url)
        guarded = GuardedEmbedder(lambda: connect_embedder(backend, identity, url), health)
        guarded.warm_up()
        return guarded
    embedder = open_embedder(identity, url)
    run_in_background(lambda: embedder.embed_query("warm up"))
    return embedder


def runs_on_server(identity: EmbedderIdentity) -> bool:
    """Whether the vectors of an index come from a server beside this process."""
    return isinstance(_backend_of(identity), ServerBackend)


def rebuild_command(kind: str, model: str) -> str:
    """Write the command that makes an index anew with this embedder."""
    named = "" if model == BACKENDS[kind]().default_model else f" --model {model}"
    return f"python -m ingest CONTENT --rebuild --embedder {kind}{named}"


def _backend_of(identity: EmbedderIdentity) -> Backend:
    backend = BACKENDS[identity.kind]() if identity.kind in BACKENDS else None
    if backend is None or (
        isinstance(backend, LocalBackend) and identity.model not in backend.models
    ):
        raise EmbedderMismatch(
            f"The index was built with {identity.name}, which this version does not have. Build it "
            "anew: `python -m ingest CONTENT --rebuild`."
        )
    return backend


def _create(kind: str, model: str, url: str) -> Embedder:
    backend = BACKENDS[kind]()
    if isinstance(backend, ServerBackend):
        return VerifiedEmbedder(backend.connect(model, url, None))
    if model not in backend.models:
        raise UsageError(
            f"The {kind} embedder does not have the model {model}, only "
            f"{', '.join(backend.models)}. Leave --model out, or use --embedder ollama."
        )
    return backend.load(model)


def _choose_at_hand(url: str) -> Choice:
    """Choose Ollama if it answers and has its default model, else the model in the package."""
    ollama, embedded = _ollama(), _embedded()
    model = ollama.default_model
    health = ollama.health_check(model, url)
    try:
        lack = "" if health.check().digest else f"does not have {model}"
    except EmbedderError:
        lack = "does not answer"
    if not lack:
        why = f"Embedder: ollama {model}, since {health.place} has it."
        return Choice(VerifiedEmbedder(ollama.connect(model, url, None)), why)
    why = (
        f"Embedder: embedded {embedded.default_model}, since {health.place} {lack}. For {model}: "
        f"`{ollama.install_command} {model}`, then `{rebuild_command('ollama', model)}`."
    )
    return Choice(embedded.load(embedded.default_model), why)


def _kind_of(model: str | None) -> str:
    """Find whose model this is by its name; one that is not in the package is Ollama's."""
    return "embedded" if model in _embedded().models else "ollama"


def _refuse_another(existing: EmbedderIdentity, kind: str, model: str | None) -> None:
    backend = _backend_of(existing)
    full_name = backend.full_name if isinstance(backend, ServerBackend) else str
    same_model = model is None or full_name(model) == full_name(existing.model)
    if kind in (AUTO, existing.kind) and same_model:
        return
    kind = _kind_of(model) if kind == AUTO else kind
    rebuild = rebuild_command(kind, model or BACKENDS[kind]().default_model)
    raise EmbedderMismatch(
        f"This index was built with {existing.name}, and vectors of two embedders cannot be "
        f"compared. Leave --embedder and --model out to keep it, or build it anew: `{rebuild}`."
    )
