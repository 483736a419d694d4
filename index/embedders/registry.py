"""Which embedder an ingest or a server uses.

An index can only be searched with the embedder that made its vectors, so an existing
index decides; only a new index leaves a choice, and there the posts' languages count. Nothing
here asks a server anything, but for the one check by `auto` and `ollama` at a new index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeGuard

from blog_search_mcp.index.commands import TO_INGEST
from blog_search_mcp.index.embedders.base import (
    DEFAULT_MODEL,
    Embedder,
    check_weights,
    rebuild_command,
)
from blog_search_mcp.index.embedders.ollama.models import (
    MULTILINGUAL_MODEL,
    choose_multilingual,
    find_model,
    full_name,
)
from blog_search_mcp.index.embedders.packaged import (
    MINILM,
    OTHER_SHARE,
    PACKAGED,
    OnnxEmbedder,
    choose_packaged,
    import_onnxruntime,
    load_session,
    share_not_english,
)
from blog_search_mcp.index.embedders.serving import ServedEmbedder, run_in_background
from blog_search_mcp.index.errors import EmbedderError, EmbedderMismatch, UsageError
from blog_search_mcp.index.types import EmbedderIdentity, name_embedder

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.client import Wire
    from blog_search_mcp.index.embedders.remote import RemoteEmbedder

AUTO: Final = "auto"
"""For a new index of an English blog Ollama if it answers, else a model in the package."""

KINDS: Final = (AUTO, "ollama", "openai", "embedded")
"""The words after --embedder."""

_SERVERS: Final = ("ollama", "openai")


def _is_remote(embedder: Embedder) -> TypeGuard[RemoteEmbedder]:
    """Whether a server embeds, told without NumPy: an ingest that changes nothing needs none."""
    return hasattr(embedder, "server_version")


def open_wire(kind: str, url: str) -> Wire[Any]:
    """Import what speaks to one of _SERVERS, which an index of the package's models never needs.

    Raises UsageError for an address that no Ollama could have.
    """
    if kind == "ollama":
        from blog_search_mcp.index.embedders.ollama.wire import OllamaWire

        return OllamaWire(url)
    from blog_search_mcp.index.embedders.openai import OpenAIWire

    return OpenAIWire(url)


CountLanguages: TypeAlias = Callable[[], Mapping[str, int]]
"""Count a folder's posts by language (`en`, `zh`)."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The embedder to use, and one sentence for people that says which and why."""

    embedder: Embedder
    reason: str
    is_asked: bool = False
    """Whether the model was named, so that no other need be advised."""

    def warnings(self) -> tuple[str, ...]:
        """Return sentences on what is wrong with the embedder's server; call after embedding."""
        return self.embedder.warnings() if _is_remote(self.embedder) else ()


def choose_embedder(
    kind: str,
    model: str | None,
    url: str,
    existing: EmbedderIdentity | None,
    count_languages: CountLanguages,
    prefixes: tuple[str, str] | None = None,
) -> Choice:
    """Choose for an ingest; `existing` is `None` for a new index and for a rebuild.

    Languages are counted only where they decide. `prefixes` (document, query) stand in for those
    of the model's card, for a named model behind a server. Raises EmbedderMismatch if the index was
    built with another embedder than the one asked for, UsageError for a model that a kind does
    not have.
    """
    if existing is not None:
        embedder = open_embedder(existing, url)
        _refuse_another(existing, kind, model, prefixes)
        return Choice(
            embedder, f"The index keeps its embedder, {existing.title}.", model is not None
        )
    if prefixes is not None and (model is None or kind not in _SERVERS):
        raise UsageError(
            "--document-prefix and --query-prefix are for a model behind a server: add --embedder "
            "and --model."
        )
    if model is not None:
        return _choose_named(kind, model, url, prefixes)
    if kind == "openai":
        raise UsageError("The openai embedder has no default model: add --model NAME.")
    choose = _choose_for_ollama if kind == "ollama" else partial(_choose_by_languages, kind)
    return choose(url, count_languages())


def advise_other_model(identity: EmbedderIdentity, posts: Mapping[str, int]) -> str:
    """Name the model of the package that fits the posts of an index better, and how to get it.

    `posts` are counted by language. Empty if none does: every model of Ollama's fits, but one
    that knows English alone where the posts are in other languages.
    """
    model = choose_packaged(posts)
    fits = identity.model not in PACKAGED or identity.model == model.identity.model
    if runs_on_server(identity):
        known = find_model(identity.model)
        fits = known is None or known.is_multilingual or model is MINILM
    if fits:
        return ""
    return (
        f"{_describe_languages(posts)}, so a new index would get {model.identity.model}: "
        f"`{rebuild_command(model.identity.kind)}`."
    )


def open_embedder(identity: EmbedderIdentity, url: str) -> Embedder:
    """Return the embedder an index was built with, for the server at `url` if it has one.

    A server's model is compared at its first use, since the server may be down now.
    Raises EmbedderMismatch if this version of the package lacks the embedder.
    """
    if runs_on_server(identity):
        from blog_search_mcp.index.embedders.remote import RemoteEmbedder

        return RemoteEmbedder(open_wire(identity.kind, url), identity.model, recorded=identity)
    model = PACKAGED.get(identity.model)
    if model is None or identity.kind != model.identity.kind:
        raise EmbedderMismatch(
            f"The index was built with {identity.title}, which this version does not have. "
            f"Build it anew: `{TO_INGEST} --rebuild`."
        )
    check_weights(identity, model.identity.digest, model.identity.dimension)
    return OnnxEmbedder(model)


def serve_embedder(identity: EmbedderIdentity, url: str) -> Embedder:
    """Return the embedder of an index for many queries: warming up, never waited for long.

    Raises EmbedderMismatch if this version of the package lacks it.
    """
    embedder = open_embedder(identity, url)
    if _is_remote(embedder):
        served = ServedEmbedder(embedder)
        served.warm_up()
        return served
    run_in_background(lambda: embedder.embed_query("warm up"), awaited=True)
    return embedder


def preload(name: str) -> None:
    """Begin to load the embedder of this name (`EmbedderIdentity.name`) if it is of the package.

    Its graph takes a processor for as long as FAISS and tantivy take another to be imported, but
    needs onnxruntime first.
    """
    for model in PACKAGED.values():
        if model.identity.name == name:
            import_onnxruntime()
            run_in_background(partial(load_session, model.identity.model), awaited=True)


def runs_on_server(identity: EmbedderIdentity) -> bool:
    """Whether the vectors of an index come from a server beside this process."""
    return identity.kind in _SERVERS


def _choose_named(kind: str, model: str, url: str, prefixes: tuple[str, str] | None) -> Choice:
    """Choose the model that was named. Raises UsageError if the package does not have it."""
    kind = _kind_of(kind, model)
    reason = f"Embedder: {name_embedder(kind, model)}, as asked."
    if kind in _SERVERS:
        from blog_search_mcp.index.embedders.remote import RemoteEmbedder

        embedder = RemoteEmbedder(open_wire(kind, url), model, prefixes)
        return Choice(embedder, reason, is_asked=True)
    if model not in PACKAGED:
        raise UsageError(
            f"The {kind} embedder does not have the model {model}, only {' and '.join(PACKAGED)}. "
            "Leave --model out, or use --embedder ollama."
        )
    return Choice(OnnxEmbedder(PACKAGED[model]), reason, is_asked=True)


def _choose_by_languages(kind: str, url: str, posts: Mapping[str, int]) -> Choice:
    """Choose for `auto` and `embedded`: E5 for what is not in English, else as it comes."""
    model = choose_packaged(posts)
    if kind == AUTO and model is MINILM:
        return _choose_at_hand(url)
    reason = f"Embedder: {model.identity.title}. {_describe_languages(posts)}."
    if kind == AUTO:
        reason += f" {_pull_and_rebuild(MULTILINGUAL_MODEL)}."
    return Choice(OnnxEmbedder(model), reason)


def _choose_for_ollama(url: str, posts: Mapping[str, int]) -> Choice:
    """Choose for `ollama` without a model: the default for English.

    For other languages it is what Ollama has that knows them, else the default if Ollama has
    that, else the model to pull.
    """
    from blog_search_mcp.index.embedders.ollama.wire import OllamaWire
    from blog_search_mcp.index.embedders.remote import RemoteEmbedder

    wire, model = OllamaWire(url), DEFAULT_MODEL
    reason = f"Embedder: Ollama's {model}, as asked."
    if choose_packaged(posts) is not MINILM:
        installed, languages = wire.list_installed(), _describe_languages(posts)
        chosen = choose_multilingual(installed)
        if chosen is None and full_name(model) in installed:
            better = _pull_and_rebuild(MULTILINGUAL_MODEL)
            reason += f" {languages}, and it reads English alone. {better}."
        else:
            model = chosen or MULTILINGUAL_MODEL
            reason = f"Embedder: Ollama's {model}. {languages}."
    return Choice(RemoteEmbedder(wire, model), reason, is_asked=True)


def _choose_at_hand(url: str) -> Choice:
    """Choose Ollama if it answers and has its default model, else MiniLM."""
    from blog_search_mcp.index.embedders.ollama.wire import OllamaWire
    from blog_search_mcp.index.embedders.remote import RemoteEmbedder

    wire, model = OllamaWire(url), DEFAULT_MODEL
    try:
        lack = "" if wire.peek(model).digest else f"does not have {model}"
    except EmbedderError:
        lack = "does not answer"
    if not lack:
        reason = f"Embedder: Ollama's {model}, since {wire.place} has it."
        return Choice(RemoteEmbedder(wire, model), reason)
    reason = (
        f"Embedder: {MINILM.identity.title}, since {wire.place} {lack}. {_pull_and_rebuild(model)}."
    )
    return Choice(OnnxEmbedder(MINILM), reason)


def _pull_and_rebuild(model: str) -> str:
    rebuild = rebuild_command("ollama", model)
    return f"To use Ollama's {model} instead: `ollama pull {model}`, then `{rebuild}`"


def _describe_languages(posts: Mapping[str, int]) -> str:
    """Describe in which languages posts are, without a full stop."""
    share = share_not_english(posts)
    if share < OTHER_SHARE:
        is_known = any(tag.partition("-")[0] == "en" for tag in posts)
        return "The posts are in English" if is_known else "The posts show no language"
    some = f"{share:.0%} of the posts" if share < 0.995 else "The posts"
    return f"{some} are not in English"


def _kind_of(kind: str, model: str | None) -> str:
    """Fill in the kind that was not asked for; a model that is not in the package is Ollama's."""
    if kind == AUTO:
        return "embedded" if model in PACKAGED else "ollama"
    return kind


def _refuse_another(
    existing: EmbedderIdentity, kind: str, model: str | None, prefixes: tuple[str, str] | None
) -> None:
    same_model = model is None or full_name(model) == full_name(existing.model)
    own = (existing.document_prefix, existing.query_prefix)
    if kind in (AUTO, existing.kind) and same_model and prefixes in (None, own):
        return
    if same_model and prefixes not in (None, own):
        kept, options = "other prefixes", "--document-prefix and --query-prefix"
    else:
        kept, options = existing.title, "--embedder and --model"
    raise EmbedderMismatch(
        f"This index was built with {kept}, and vectors of two embedders cannot be "
        f"compared. Leave {options} out to keep it, or build it anew: "
        f"`{rebuild_command(_kind_of(kind, model), model)}`."
    )
