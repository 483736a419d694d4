"""Resolve OLLAMA_HOST, in every form that Ollama takes, to one URL to connect to.

The rules are those of Ollama's own `envconfig.Host` and `ConnectableHost`, so that a setting that
works for `ollama list` works here. The Python client has rules of its own (0.0.0.0 stays), so it is
given the result only.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from blog_search_mcp.index.errors import UsageError

DEFAULT_PORT: Final = 11434
SCHEME_PORTS: Final = {"http": 80, "https": 443}
"""An explicit scheme brings its own default port, as in Ollama."""

_CORRECT: Final = (
    "Correct OLLAMA_HOST or --embedder-url: an address such as http://127.0.0.1:11434."
)

_NAME = re.compile(r"(?:[\w.-]*\w\.?)?")
"""A host's name, in any script; an underscore stands in names of Docker."""


def resolve_url(text: str) -> str:
    """Return `scheme://host:port[/path]` without a slash at the end.

    Empty means `http://127.0.0.1:11434`; addresses to listen on (0.0.0.0, ::, none) become the
    loopback to connect to. Raises UsageError for a scheme other than http and https, a name and
    password, which Ollama does not know, a port out of range, and what is no address at all.
    """
    trimmed = text.strip().strip("\"'").strip()
    if "@" in trimmed:
        raise UsageError(
            "The address of Ollama holds a name or password, which Ollama does not ask for. "
            f"{_CORRECT}"
        )
    if trimmed == "ollama.com":
        return "https://ollama.com:443"
    scheme, found, rest = trimmed.partition("://")
    if not found:
        scheme, rest = "http", trimmed
    try:
        host, port, path = _split(rest)
        default = SCHEME_PORTS[scheme] if found else DEFAULT_PORT
    except (ValueError, LookupError):
        raise UsageError(
            f"{trimmed!r} is no address that Ollama could have. {_CORRECT}",
            for_clients=f"The address of Ollama cannot be used. {_CORRECT}",
        ) from None
    return f"{scheme}://{host}:{port or default}{path}".rstrip("/")


def _split(address: str) -> tuple[str, int | None, str]:
    """Return the host to connect to, the port if there is one, and the path.

    Raises ValueError for what is no address.
    """
    authority, slash, path = address.partition("/")
    if authority.count(":") > 1 and "[" not in authority:
        authority = f"[{authority}]"  # IPv6 needs brackets to have a port
    parts = urlsplit(f"http://{authority}{slash}{path}")
    if parts.query or parts.fragment or parts.port == 0 or re.search(r"[\s?#]", address):
        raise ValueError(address)
    return _connectable(parts.hostname or ""), parts.port, parts.path


def _connectable(host: str) -> str:
    """Write a host as a URL needs it, an address to listen on as its loopback."""
    try:
        address = ip_address(host)
    except ValueError:
        if not _NAME.fullmatch(host):
            raise
        return host or "127.0.0.1"
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "[::1]"
    return str(address) if address.version == 4 else f"[{address}]"
