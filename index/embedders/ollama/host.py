"""Resolve OLLAMA_HOST, in every form that Ollama takes, to one URL to connect to.

The rules are those of Ollama's own `envconfig.Host` and `ConnectableHost`, so that a
setting that works for `ollama list` works here. The Python client has rules of
its own (a port out of range raises, 0.0.0.0 stays), so it is given the result only.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from blog_search_mcp.index.errors import UsageError

DEFAULT_PORT: Final = "11434"
SCHEME_PORTS: Final = {"http": "80", "https": "443"}
"""An explicit scheme brings its own default port, as in Ollama."""

_HOST_AND_PORT = re.compile(r"(?:\[(?P<v6>[^\[\]]*)\]|(?P<name>[^:\[\]]*)):(?P<port>[^:]*)")
"""What Go's `net.SplitHostPort` splits; IPv6 needs brackets to have a port."""


_NAME = re.compile(r"(?!https?$)(?:[\w.-]*\w\.?)?")
"""A host's name, in any script; an underscore stands in names of Docker."""


def resolve_url(text: str) -> str:
    """Return `scheme://host:port[/path]` without a slash at the end.

    Empty means `http://127.0.0.1:11434`. A port that is no port gives the default one;
    addresses to listen on (0.0.0.0, ::, none) become the loopback to connect to.
    Raises UsageError for a scheme other than http and https, a name and password, which Ollama
    does not know, and what is no address at all.
    """
    trimmed = text.strip().strip("\"'").strip()
    if "@" in trimmed:
        raise UsageError(
            "The Ollama host holds a name or password, which Ollama does not ask for. Give the "
            "address alone, such as http://127.0.0.1:11434."
        )
    if trimmed == "ollama.com":
        return "https://ollama.com:443"
    scheme, found, rest = trimmed.partition("://")
    if not found:
        scheme, rest = "http", trimmed
    elif scheme not in SCHEME_PORTS:
        raise UsageError(f"The Ollama host {trimmed!r} must begin with http:// or https://.")
    default = SCHEME_PORTS[scheme] if found else DEFAULT_PORT
    authority, _, path = rest.partition("/")
    host, port = _split(authority, default)
    if not _is_host(host) or re.search(r"[?#\s]", rest) or rest.count("[") != rest.count("]"):
        raise UsageError(
            f"The Ollama host {trimmed!r} is no address. Give one such as http://127.0.0.1:11434."
        )
    return f"{scheme}://{_connectable(host)}:{port}/{path}".rstrip("/")


def is_loopback(url: str) -> bool:
    """Whether the URL's host is this machine: such requests must never go to a proxy."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _split(authority: str, default: str) -> tuple[str, str]:
    """Split host and port; the default port stands in for none and for a bad one."""
    match = _HOST_AND_PORT.fullmatch(authority)
    if match is None:
        return authority.strip("[]"), default
    port = match["port"]
    valid = port.isascii() and port.isdigit() and int(port) <= 65535
    return match["v6"] or match["name"] or "", port if valid else default


def _is_host(host: str) -> bool:
    """Whether it can be connected to: a name, an address, or nothing for this machine."""
    try:
        return bool(ip_address(host))
    except ValueError:
        return _NAME.fullmatch(host) is not None


def _connectable(host: str) -> str:
    """Write a host as a URL needs it, an address to listen on as its loopback."""
    try:
        address = ip_address(host)
    except ValueError:
        return host or "127.0.0.1"
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "[::1]"
    return str(address) if address.version == 4 else f"[{address}]"
