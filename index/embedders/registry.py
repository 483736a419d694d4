"""Choose the embedder of an ingest or a server.

An index can only be searched with the embedder that made its vectors, so an existing index decides.
For a new index the options decide, else the posts' languages. A choice asks no server, except that
`auto` tries Ollama with one text for a new English index.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from blog_search_mcp.index.embedders.embedder import (
    DEFAULT_MODEL,
    Embedder,
    rebuild_command,
    run_in_background,
)
from blog_search_mcp.index.embedders.known_models import (
    KINDS,
    MULTILINGUAL_MODEL,
    full_name,
    is_english,
)
from blog_search_mcp.index.embedders.packaged import (
    MINILM,
    PACKAGED,
    choose_packaged,
    import_onnxruntime,
    load_session,
    share_not_english,
)
from blog_search_mcp.index.errors import EmbedderError, EmbedderMismatch, UsageError
from blog_search_mcp.index.invocation import TO_REBUILD, Message
from blog_search_mcp.index.types import EmbedderIdentity, name_embedder

AUTO: Final = "auto"
"""Value of --embedder that keeps an index's embedder and tries Ollama for a new English index."""
_SERVERS: Final = ("ollama", "openai")
CountLanguages: TypeAlias = Callable[[], Mapping[str, int]]
"""Function that counts a folder's posts by language (`en`, `zh`)."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen embedder, and a sentence that names it with the reason."""

    embedder: Embedder
    reason: str
    is_asked: bool = False
    """Whether the user named the model, or for a new index Ollama, so that no other is advised."""


def choose_embedder(
    kind: str,
    model: str | None,
    url: str,
    existing: EmbedderIdentity | None,
    count_languages: CountLanguages,
) -> Choice:
    """Choose for an ingest; `existing` is `None` for a new index and for a rebuild.

    Languages are counted only if they decide. Raises EmbedderMismatch if the index was built with
    another embedder than requested, and UsageError for options that do not fit together.
    """
    if kind not in KINDS:
        raise UsageError(f"There is no embedder {kind!r}; there are {', '.join(KINDS)}.")
    if kind == AUTO and not (existing or model) and url.rstrip("/").endswith("/v1"):
        raise UsageError(f"{url} is for --embedder openai, which needs --model NAME too.")
    owner = kind
    if kind == AUTO and model is not None:  # a model that is not in the package is Ollama's
        owner = "embedded" if model in PACKAGED else "ollama"
    if existing is not None:
        is_same = full_name(model or existing.model) == full_name(existing.model)
        if kind not in (AUTO, existing.kind) or not is_same:
            keep = "Leave --embedder and --model out to keep it, or build it anew: "
            raise EmbedderMismatch(
                f"This index was built with {existing.title}, and vectors of two embedders cannot "
                "be compared.",
                (keep, rebuild_command(owner, model), "."),
            )
        reason = f"The index keeps its embedder, {existing.title}."
        return Choice(open_embedder(existing, url), reason, model is not None)
    on_server = owner in _SERVERS
    needs_server = kind == "openai" or model not in (None, *PACKAGED)
    if needs_server and (model is None or not on_server):
        raise UsageError(
            f"The packaged models are {' and '.join(PACKAGED)}. Another one needs --model NAME "
            "of a model behind a server, by --embedder ollama or --embedder openai."
        )
    if model is None:
        return _choose_by_languages(kind, url, count_languages())
    reason = f"Embedder: {name_embedder(owner, model)}, as asked."
    embedder = open_remote(owner, url, model) if on_server else PACKAGED[model]
    return Choice(embedder, reason, is_asked=True)


def advise_other_model(identity: EmbedderIdentity, posts: Mapping[str, int]) -> str:
    """Return advice if a packaged model fits the languages of `posts` better, else `""`."""
    better, is_packaged = choose_packaged(posts), identity.kind not in _SERVERS
    fits = better is MINILM or not is_english(identity.model)
    if identity == better.identity or (fits and not is_packaged):
        return ""
    rebuild = rebuild_command(better.identity.kind)
    advice = f"{_describe_languages(posts)}; {better.identity.model} fits better: "
    return Message(advice, rebuild, ".")


def open_embedder(identity: EmbedderIdentity, url: str, *, waits: bool = True) -> Embedder:
    """Return the embedder that built an index; `url` is the address of its server, if it has one.

    Without `waits`, the embedder is for many queries: a thread begins to load the model now, and no
    query waits long for a server. This function itself waits for no server, which may be down.
    Raises EmbedderMismatch if this version of the package lacks the embedder, and UsageError.
    """
    if identity.kind in _SERVERS:
        if waits:
            return open_remote(identity.kind, url, identity.model, recorded=identity)
        from blog_search_mcp.index.embedders.guard import ServedEmbedder

        return ServedEmbedder(identity, url)
    model = PACKAGED.get(identity.model)
    if model is None or identity != model.identity:
        raise EmbedderMismatch(
            f"The index was built with {identity.title}, which this version does not have.",
            ("Build it anew: ", TO_REBUILD, "."),
        )
    if not waits:
        run_in_background(lambda: model.embed_query("warm up"), awaited=True)
    return model


def open_remote(
    kind: str, url: str, model: str, recorded: EmbedderIdentity | None = None
) -> Embedder:
    """Return a RemoteEmbedder; it is imported here, since packaged models do not need it."""
    from blog_search_mcp.index.embedders.remote import RemoteEmbedder

    return RemoteEmbedder(kind, url, model, recorded)


def preload(name: str) -> None:
    """Begin to load the packaged embedder with this `EmbedderIdentity.name`, if there is one.

    onnxruntime is imported first. Then a thread loads the model while the caller imports FAISS and
    tantivy.
    """
    for model in PACKAGED.values():
        if model.identity.name == name:
            import_onnxruntime()
            run_in_background(partial(load_session, model.identity.model), awaited=True)


def _choose_by_languages(kind: str, url: str, posts: Mapping[str, int]) -> Choice:
    """Choose a packaged model or one of Ollama's for the posts' languages.

    `ollama` takes Ollama's; so does `auto` if the posts are English and Ollama answers in time.
    """
    packaged, why = choose_packaged(posts), f" {_describe_languages(posts)}."
    wanted = DEFAULT_MODEL if packaged is MINILM else MULTILINGUAL_MODEL
    if kind == "ollama":
        reason = f"Embedder: Ollama's {wanted}, as asked.{why}"
        return Choice(open_remote(kind, url, wanted), reason, is_asked=True)
    if kind == AUTO and packaged is MINILM:
        from blog_search_mcp.index.embedders.connection import FOR_A_TRIAL, FailureKind
        from blog_search_mcp.index.embedders.ollama import OllamaWire

        try:
            OllamaWire(url, wanted).embed(["one text"], None, FOR_A_TRIAL)
        except EmbedderError as error:
            if getattr(error, "kind", None) not in (FailureKind.DOWN, FailureKind.MISSING):
                why += f" {error}"
        else:
            reason = f"Embedder: Ollama's {wanted}, since Ollama has it."
            return Choice(open_remote("ollama", url, wanted), reason)
    reason = f"Embedder: {packaged.identity.title}.{why}"
    if kind == AUTO:
        pull = f" For Ollama's {wanted} instead: `ollama pull {wanted}`, then "
        reason = Message(reason, pull, rebuild_command("ollama", wanted), ".")
    return Choice(packaged, reason)


def _describe_languages(posts: Mapping[str, int]) -> str:
    return f"{share_not_english(posts):.0%} of the posts are in another language than English"
