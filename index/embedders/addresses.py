"""Addresses of embedding servers: what a person wrote in, the URL to connect to out."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from blog_search_mcp.index.errors import UsageError

OLLAMA_PORT: Final = 11434

_SCHEME_PORTS: Final = {"http": 80, "https": 443}
"""An explicit scheme brings its own default port, as in Ollama."""

_LOOPBACKS: Final = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}
"""What to connect to where Ollama is told to listen."""


def resolve_ollama(text: str) -> str:
    """Return `scheme://host:port[/path]` for a form of OLLAMA_HOST, by the rules of Ollama itself.

    Empty means `http://127.0.0.1:11434`. Raises UsageError, which does not repeat the text.
    """
    trimmed = text.strip().strip("\"'").strip()
    parts = _split(trimmed, "http://127.0.0.1:11434", needs_host=False)
    host = _LOOPBACKS.get(parts.hostname or "", parts.hostname)
    host = f"[{host}]" if ":" in str(host) else host
    default = _SCHEME_PORTS[parts.scheme] if "://" in trimmed else OLLAMA_PORT
    return f"{parts.scheme}://{host}:{parts.port or default}{parts.path}".rstrip("/")


def resolve_openai(text: str) -> str:
    """Return the address that `/embeddings` is appended to; one without a path gets `/v1`.

    Raises UsageError, which does not repeat the text.
    """
    parts = _split(text.strip().rstrip("/"), "http://127.0.0.1:8000/v1", needs_host=True)
    return f"{parts.scheme}://{parts.netloc}{parts.path or '/v1'}"


def _split(text: str, example: str, *, needs_host: bool) -> SplitResult:
    """Take an address apart, by default one of http. Raises UsageError, which has the example."""
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        is_address = parts.scheme in _SCHEME_PORTS and parts.port != 0
        is_address &= bool(parts.hostname) or not needs_host
    except ValueError:
        is_address = False
    if not is_address or re.search(r"[\s?#@,]", text):
        raise UsageError(
            "The embedding server's address is missing or cannot be used. Correct --embedder-url, "
            f"EMBEDDER_URL or OLLAMA_HOST: one address such as {example}, without a password."
        )
    return parts


def is_loopback(url: str) -> bool:
    """Whether the URL's host is this machine: such requests must never go to a proxy."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
