"""Addresses of embedding servers: turn what a person wrote into the URL to connect to."""

import re
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from blog_search_mcp.index.errors import UsageError

OLLAMA_PORT: Final = 11434
_SCHEME_PORTS: Final = {"http": 80, "https": 443}
"""Default port of an explicit scheme, as in Ollama."""
_LOOPBACKS: Final = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}
"""Address to connect to, by the address that a server listens on."""
_OLLAMA_ROUTE: Final = re.compile(
    r"/(?:api|v1)(?:/(?:embed(?:ding)?s?|chat(?:/completions)?|generate|tags|ps|models|version))?$"
)
_OTHER_ROUTE: Final = re.compile(r"/(?:embed(?:ding)?|(?:chat/)?completions|responses|models)$")
"""Routes of servers that people paste after the address."""
_AZURE: Final = re.compile(r"\.(openai|cognitiveservices|services\.ai)\.azure\.com$")
"""Hosts of Azure. Their addresses are often shown without the path of the API, `/openai/v1`."""


def resolve_ollama(text: str) -> str:
    """Return `scheme://host:port[/path]` for a form of OLLAMA_HOST, by the rules of Ollama itself.

    Empty text means `http://127.0.0.1:11434`. A route of Ollama at the end is removed. Raises
    UsageError, which does not repeat the text.
    """
    parts, host, path = _split(text, "http://127.0.0.1:11434", needs_host=False)
    default = _SCHEME_PORTS[parts.scheme] if "://" in text else OLLAMA_PORT
    return f"{parts.scheme}://{host}:{parts.port or default}{_OLLAMA_ROUTE.sub('', path)}"


def resolve_openai(text: str) -> str:
    """Return the URL of `/embeddings`, below `/v1` (Azure: `/openai/v1`) if there is no path.

    A path that ends with `/embeddings` stays, as does a query, which Azure needs. A known route at
    the end is replaced, Ollama's own by `/v1/embeddings`. Raises UsageError, which omits the text.
    """
    parts, host, path = _split(text, "http://127.0.0.1:8000/v1", needs_host=True)
    path = re.sub(r"^/api(/(?!v\d)\w+)?$|/api/embed(?:dings)?$", "/v1/embeddings", path)
    if _AZURE.search(host) and path in ("", "/openai", "/models"):
        path = "/models/embeddings" if path == "/models" and parts.query else "/openai/v1"
    if not path.endswith("/embeddings"):
        path = f"{_OTHER_ROUTE.sub('', path) or '/v1'}/embeddings"
    path += f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{path}"


def _split(text: str, example: str, *, needs_host: bool) -> tuple[SplitResult, str, str]:
    """Split an address (`http` by default); return parts, host and path. Raises UsageError."""
    text = text.strip("\"'`“”<> \t\r\n").removeprefix("//")
    with suppress(ValueError):
        text = f"[{IPv6Address(text)}]"
    with suppress(ValueError):
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host = parts.hostname or ""
        is_host = re.fullmatch(r"[\w.:%-]+", host) if host or needs_host else True
        is_address = parts.scheme in _SCHEME_PORTS and parts.port != 0 and is_host
        if is_address and not re.search(r"[\s#@,]" if needs_host else r"[\s?#@,]", text):
            host = _LOOPBACKS.get(host, host)
            path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
            return parts, f"[{host}]" if ":" in host else host, path
    raise UsageError(
        "The embedding server's address is missing or cannot be used. Correct --embedder-url, "
        f"EMBEDDER_URL or OLLAMA_HOST: one address such as {example}, without a password."
    )


def is_loopback(url: str) -> bool:
    """Whether the URL's host is this machine, so that requests must never use a proxy."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
