"""The command line and the environment, read once, as one frozen value.

Everything below takes a `Settings`; nothing else in `server` looks at either.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from index.errors import UsageError
from server.command_line import DEFAULT_NAME, command_line
from server.http_settings import ANYONE, Access, Address, access_of
from server.search_settings import SearchRequest, request_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class ClientSetup:
    """What `install` or `uninstall` is to do with one client's entry."""

    client: str
    """A word of CLIENTS."""
    name: str = DEFAULT_NAME
    removes: bool = False
    """Set for `uninstall`."""
    prints: bool = False
    """Whether the entry is shown instead of written."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What one run was asked to do."""

    index: Path
    """The index folder, absolute; it need not exist."""
    ollama_host: str
    """As given, in any form Ollama itself takes; empty for Ollama's own default."""
    http: Address | None = None
    """`None` serves over stdin and stdout."""
    access: Access = ANYONE
    """Who may ask over HTTP."""
    content: Path | None = None
    """The posts' folder, absolute, if it is not where the last ingest found it."""
    watch: Path | None = None
    """The posts' folder, absolute, to keep the index up to date with while serving."""
    question: str | None = None
    """Set for `ask`: put this question to a server of our own and print the answer."""
    doctor: bool = False
    """Set for `doctor`: look at everything that serving needs and say what is wrong."""
    extended: bool = False
    """Whether clients are offered `list_posts` and `get_outline` too."""
    usage_log: Path | None = None
    """The file that calls are noted in, absolute; `None` notes nothing."""
    usage: bool = False
    """Set for `usage`: report on the usage log."""
    tokens: bool = False
    """Set for `tokens`: print what the tools cost a model."""
    json: bool = False
    """Whether `doctor` and `search` print JSON."""
    search: SearchRequest | None = None
    """Set for `search`: print the hits, or the passage of one."""
    setup: ClientSetup | None = None
    """Set for `install` and `uninstall`."""


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """Read this run's settings; exits with status 2 and a sentence if they cannot be meant."""
    parser = command_line(environment)
    options = parser.parse_args(arguments)
    try:
        access = access_of(options, environment)
        search = request_of(options)
    except UsageError as error:
        parser.error(str(error))
    return Settings(
        index=Path(options.index).expanduser().absolute(),
        ollama_host=options.ollama_host,
        http=options.http,
        access=access,
        content=Path(options.content).expanduser().absolute() if options.content else None,
        watch=Path(options.watch).expanduser().absolute() if options.watch else None,
        question=getattr(options, "question", None),
        doctor=getattr(options, "doctor", False),
        extended=options.toolset == "extended",
        usage_log=Path(options.usage_log).expanduser().absolute() if options.usage_log else None,
        usage=getattr(options, "usage", False),
        tokens=getattr(options, "tokens", False),
        json=getattr(options, "json", False),
        setup=_client_setup(options),
        search=search,
    )


def _client_setup(options: argparse.Namespace) -> ClientSetup | None:
    if "client" not in options:
        return None
    return ClientSetup(options.client, options.name, options.removes, options.prints)
