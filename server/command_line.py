"""What a person may type after `blog-server`: the environment's defaults in, a parser out.

What was meant by it is `settings`; that of serving over HTTP and of `search` have modules of
their own.
"""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from server.clients import CLIENTS
from server.http_settings import add_http
from server.search_settings import add_search

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_INDEX = ".blog-index"
DEFAULT_NAME = "blog"
"""Of the entry in a client's settings."""


def command_line(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    """Make the parser of `blog-server`; `environment` has the defaults."""
    parser = argparse.ArgumentParser(
        prog="blog-server",
        description="Serve a blog's index to MCP clients, over stdio by default.",
    )
    _add_shared(
        parser,
        index=environment.get("BLOG_INDEX") or DEFAULT_INDEX,
        ollama_host=environment.get("OLLAMA_HOST", ""),
        content="",
    )
    _add_serving(parser, environment)
    _add_commands(parser.add_subparsers(metavar="COMMAND"))
    return parser


def _add_serving(parser: argparse.ArgumentParser, environment: Mapping[str, str]) -> None:
    add_http(parser)
    parser.add_argument(
        "--toolset",
        choices=["core", "extended"],
        default="core",
        help="extended adds list_posts and get_outline to search_blog and read_chunk",
    )
    parser.add_argument(
        "--watch",
        metavar="CONTENT",
        help="ingest this folder of posts now and whenever it changes while serving",
    )
    _add_usage_log(parser, environment.get("BLOG_USAGE_LOG", ""))


def _add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    ask = commands.add_parser("ask", help="search through a real MCP client and print the best hit")
    ask.add_argument("question", help="what to look for, in plain words")
    _add_again(ask)
    _add_again(add_search(commands))
    doctor = commands.add_parser("doctor", help="look at everything and say how to mend it")
    doctor.add_argument("--json", action="store_true", help="print the findings as JSON")
    doctor.set_defaults(doctor=True)
    _add_again(doctor)
    install = commands.add_parser("install", help="write this server into a client's settings")
    _add_client(install, removes=False)
    install.add_argument(
        "--print", dest="prints", action="store_true", help="show the entry and its place instead"
    )
    _add_again(install)
    uninstall = commands.add_parser("uninstall", help="take it out of a client's settings")
    _add_client(uninstall, removes=True)
    tokens = commands.add_parser("tokens", help="print what the tools cost a model")
    tokens.set_defaults(tokens=True)
    _add_again(tokens)
    usage = commands.add_parser("usage", help="report on the usage log")
    usage.set_defaults(usage=True)
    _add_usage_log(usage, argparse.SUPPRESS)


def _add_again(command: argparse.ArgumentParser) -> None:
    """Let the shared options follow a command's word, too."""
    _add_shared(command, index=argparse.SUPPRESS, ollama_host=argparse.SUPPRESS)


def entry_name(value: str) -> str:
    """Read a name that every client takes. Raises ArgumentTypeError for others."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value):
        raise argparse.ArgumentTypeError(
            f"{value!r} is no name for an entry; use up to 64 letters, digits, - and _."
        )
    return value


def _add_client(parser: argparse.ArgumentParser, removes: bool) -> None:
    parser.set_defaults(removes=removes, prints=False)
    parser.add_argument("client", choices=CLIENTS, help=", ".join(CLIENTS), metavar="CLIENT")
    parser.add_argument(
        "--name",
        default=DEFAULT_NAME,
        type=entry_name,
        help=f"the entry's name there (default {DEFAULT_NAME})",
    )


def _add_usage_log(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--usage-log",
        default=default,
        metavar="FILE",
        help="note each call of a tool in this local file (BLOG_USAGE_LOG; default: none)",
    )


def _add_shared(
    parser: argparse.ArgumentParser, index: str, ollama_host: str, content: str = argparse.SUPPRESS
) -> None:
    parser.add_argument(
        "--index",
        default=index,
        metavar="DIR",
        help=f"the index folder (BLOG_INDEX; default {DEFAULT_INDEX})",
    )
    parser.add_argument(
        "--ollama-host",
        default=ollama_host,
        metavar="URL",
        help="where Ollama answers, if the index was built with it (OLLAMA_HOST)",
    )
    parser.add_argument(
        "--content",
        default=content,
        metavar="DIR",
        help="the posts' folder, if it was moved since the ingest; only looked at for changes",
    )
