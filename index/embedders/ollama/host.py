"""Resolve OLLAMA_HOST, in every form that Ollama takes, to one URL to connect to.

The rules are those of Ollama's own `envconfig.Host` and `ConnectableHost`, so that a
setting that works for `ollama list` works here. The Python client has rules of
its own (0.0.0.0 stays), so it is given the result only. It reads OLLAMA_HOST all the same when it
is imported and raises at a port out of range, which is therefore refused here.
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

_CORRECT: Final = (
    "Correct OLLAMA_HOST or --embedder-url: an address such as http://127.0.0.1:11434."
)

_NAME = re.compile(r"(?!https?$)(?:[\w.-]*\w\.?)?")
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
    elif scheme not in SCHEME_PORTS:
        raise UsageError(
            f"The address of Ollama, {trimmed}, begins with neither http:// nor https://. "
            f"{_CORRECT}",
            for_clients=f"The address of Ollama cannot be used. {_CORRECT}",
        )
    default = SCHEME_PORTS[scheme] if found else DEFAULT_PORT
    authority, _, path = rest.partition("/")
    host, port = _split(authority, default)
    if not _is_host(host) or re.search(r"[?#\s]", rest) or rest.count("[") != rest.count("]"):
        raise UsageError(
            f"{trimmed!r} is no address that Ollama could have. {_CORRECT}",
            for_clients=f"The address of Ollama cannot be used. {_CORRECT}",
        )
    if not _is_port(port):
        raise UsageError(
            f"The address of Ollama, {trimmed}, has the port {port}, which is no number from 1 to "
            f"65535. {_CORRECT}"
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
    """Split host and port; the default port stands in for none."""
    match = _HOST_AND_PORT.fullmatch(authority)
    if match is None:
        return authority.strip("[]"), default
    return match["v6"] or match["name"] or "", match["port"] or default


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text) <= 65535


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
