"""Which embedder to use: what was asked and what the index was built with in, one embedder out.

An index answers only to the embedder that made its vectors, so an existing index
decides, whatever else is at hand today; only a new index has a choice. Nothing here
talks to Ollama, but for the short probe of `auto` without an index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from blog_search_mcp.index.embedders.fingerprint import rebuild_with
from blog_search_mcp.index.embedders.guarded import in_background
from blog_search_mcp.index.embedders.ollama.client import probe
from blog_search_mcp.index.embedders.ollama.embedder import OllamaEmbedder
from blog_search_mcp.index.embedders.ollama.host import base_url
from blog_search_mcp.index.embedders.ollama.models import DEFAULT_MODEL, full_name
from blog_search_mcp.index.embedders.onnx import IDENTITY, EmbeddedEmbedder, of_package
from blog_search_mcp.index.embedders.pinned import PinnedEmbedder
from blog_search_mcp.index.errors import EmbedderMismatch, UsageError

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.types import EmbedderIdentity

Asked: TypeAlias = Literal["auto", "ollama", "embedded"]


@dataclass(frozen=True, slots=True)
class Choice:
    """The embedder to use, and one sentence for people that says which and why."""

    embedder: Embedder
    reason: str

    def warnings(self) -> tuple[str, ...]:
        """Sentences on what is wrong with the embedder's server; to be asked after embedding."""
        if isinstance(self.embedder, PinnedEmbedder):
            return self.embedder.warnings()
        return ()

    def version_now(self) -> str:
        """The version of the embedder's server at this moment; empty without one."""
        if isinstance(self.embedder, PinnedEmbedder):
            return self.embedder.version_now()
        return ""


def choose(
    asked: Asked, model: str | None, host: str | None, existing: EmbedderIdentity | None
) -> Choice:
    """Choose for an ingest; `existing` is `None` for a new index and for a rebuild.

    Raises EmbedderMismatch if the index was built with another embedder than the
    one asked for, UsageError for a model that the embedded embedder does not have.
    """
    if existing is not None:
        _refuse_another(existing, asked, model)
        return Choice(
            embedder_of(existing, host), f"The index keeps its embedder, {existing.name}."
        )
    if asked == "embedded":
        return _embedded(model)
    wanted = model or DEFAULT_MODEL
    if asked == "ollama":
        return Choice(_fresh(wanted, host), f"Embedder: ollama {wanted}, as asked.")
    return _best_at_hand(wanted, host)


def embedder_of(identity: EmbedderIdentity, host: str | None) -> Embedder:
    """Return the embedder an index was built with. Raises EmbedderMismatch if it is gone.

    Ollama's model is compared at its first use, since Ollama may be down now.
    """
    if identity.kind == IDENTITY.kind:
        return of_package(identity)
    return ollama_of(identity, host)


def ollama_of(identity: EmbedderIdentity, host: str | None) -> PinnedEmbedder:
    """Return the embedder of an index that was built with Ollama; asks it nothing yet."""
    live = OllamaEmbedder(
        identity.model,
        host,
        prefixes=(identity.document_prefix, identity.query_prefix),
        normalisation=identity.normalisation,
    )
    return PinnedEmbedder(live, identity)


def _embedded(model: str | None) -> Choice:
    if model not in (None, IDENTITY.model):
        raise UsageError(
            f"The embedded embedder has one model, {IDENTITY.model}, and not {model}. Leave "
            "--model out, or use --embedder ollama."
        )
    return Choice(EmbeddedEmbedder(), f"Embedder: {IDENTITY.name}, as asked. {_how_to_get()}")


def _fresh(model: str, host: str | None) -> Embedder:
    return PinnedEmbedder(OllamaEmbedder(model, host))


def _best_at_hand(model: str, host: str | None) -> Choice:
    """Ollama if it answers and has the model, else the embedder in the package."""
    found = probe(host, model)
    if found.has_model:
        why = f"Embedder: ollama {model}, since Ollama at {base_url(host)} has it."
        return Choice(_fresh(model, host), why)
    lack = f"does not have {model}" if found.reachable else "does not answer"
    why = f"Embedder: {IDENTITY.name}, since Ollama at {base_url(host)} {lack}."
    return Choice(EmbeddedEmbedder(), f"{why} {_how_to_get(model)}")


def _how_to_get(model: str = DEFAULT_MODEL) -> str:
    return f"For {model}: `ollama pull {model}`, then `{rebuild_with('ollama', model)}`."


def _refuse_another(existing: EmbedderIdentity, asked: Asked, model: str | None) -> None:
    same_kind = asked in ("auto", existing.kind)
    same_model = model is None or full_name(model) == full_name(existing.model)
    if same_kind and same_model:
        return
    named_kind = IDENTITY.kind if model == IDENTITY.model else "ollama"
    kind = named_kind if asked == "auto" else asked
    raise EmbedderMismatch(
        f"This index was built with {existing.name}, and vectors of two embedders cannot be "
        f"compared. Leave --embedder and --model out to keep it, or build it anew: "
        f"`{rebuild_with(kind, model)}`."
    )


def serving_embedder(identity: EmbedderIdentity, host: str | None) -> Embedder:
    """Return it for `host` in any form of OLLAMA_HOST. Raises EmbedderMismatch if it is gone."""
    if identity.kind != "ollama":
        embedder = of_package(identity) if identity.kind == IDENTITY.kind else _of(identity, host)
        in_background(lambda: embedder.embed_query("warm up"))
        return embedder
    from blog_search_mcp.index.embedders.guarded import GuardedEmbedder
    from blog_search_mcp.index.embedders.ollama.client import Lookout

    guarded = GuardedEmbedder(lambda: ollama_of(identity, host), Lookout(identity.model, host))
    guarded.warm_up()
    return guarded


def _of(identity: EmbedderIdentity, host: str | None) -> Embedder:

    return embedder_of(identity, host)
