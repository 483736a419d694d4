"""Check that the server of an index's embedder, other than Ollama, embeds as it did."""

from __future__ import annotations

from blog_search_mcp.index.embedders.registry import connect_embedder
from blog_search_mcp.index.errors import EmbedderError, EmbedderMismatch
from blog_search_mcp.index.types import EmbedderIdentity
from blog_search_mcp.server.cli.doctor.findings import Finding

TOPIC = "embedding server"


def check_embedding_server(url: str, embedder: EmbedderIdentity) -> list[Finding]:
    """Embed a query with the server at `url`, or several with commas between them."""
    try:
        connect_embedder(embedder, url).embed_query("test")
    except (EmbedderError, EmbedderMismatch) as error:
        text, _, remedy = str(error).partition(". ")
        lack = "Until then search is by words alone."
        return [Finding(TOPIC, "problem", f"{text}. {lack}", remedy)]
    return [Finding(TOPIC, "ok", f"{url} embeds with {embedder.model} as at the ingest.")]
