"""Servers that speak OpenAI's `/v1/embeddings` (vLLM, TEI, llama.cpp, LM Studio), by plain HTTP.

OpenAI's own client asks for base64 unless told not to, which servers that ignore the wish answer
with numbers and other servers with a quarter of the width (BerriAI/litellm#42426); here numbers
are asked for, and both are read. Strings alone are sent: LM Studio and Ollama refuse token arrays.
Such a server names neither version nor weights, so the vectors of the fingerprint texts have to
tell them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import httpx

from blog_search_mcp.index.embedders.connection import KEY_VARIABLE, Wire
from blog_search_mcp.index.embedders.endpoints import resolve_openai


class OpenAIWire(Wire):
    """One server, by an address in any form of `resolve_openai`; another one fails at first use."""

    kind = "openai"
    name = "The embedding server"
    setting = f"--embedder-url or EMBEDDER_URL, and {KEY_VARIABLE} if it asks for a key"
    fetch = "Start it with that model, or name one that it has with --model"
    optional = MappingProxyType({"encoding_format": "float"})

    def connect(self, timeout: float) -> httpx.Client:
        """Set up an HTTP client with the key, if there is one."""
        options = self.options(resolve_openai(self.url), timeout)
        options["headers"]["User-Agent"] = "blog-search-mcp"
        if key := os.environ.get(KEY_VARIABLE, "").strip().removeprefix("Bearer "):
            options["headers"]["Authorization"] = f"Bearer {key}"
        return httpx.Client(**options)

    def post(self, client: httpx.Client, body: Mapping[str, Any]) -> bytes:
        """Request vectors."""
        return client.post(resolve_openai(self.url), json=body).content
