"""The embedder of an index as a server asks it, already warming up in the background.

A model that must be loaded first would cost the first query seconds; nothing waits here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from index.embedder.background import in_background
from index.embedder.embedded import IDENTITY, of_package

if TYPE_CHECKING:
    from index.embedder.base import Embedder, EmbedderIdentity


def serving_embedder(identity: EmbedderIdentity, host: str | None) -> Embedder:
    """Return it for `host` in any form of OLLAMA_HOST. Raises EmbedderMismatch if it is gone."""
    if identity.kind != "ollama":
        embedder = of_package(identity) if identity.kind == IDENTITY.kind else _of(identity, host)
        in_background(lambda: embedder.embed_query("warm up"))
        return embedder
    from index.embedder.choose import ollama_of
    from index.embedder.guard import GuardedEmbedder
    from index.embedder.ollama_look import Lookout

    guarded = GuardedEmbedder(lambda: ollama_of(identity, host), Lookout(identity.model, host))
    guarded.warm_up()
    return guarded


def _of(identity: EmbedderIdentity, host: str | None) -> Embedder:
    from index.embedder.choose import embedder_of

    return embedder_of(identity, host)
