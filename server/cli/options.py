"""The options of every command, in one table; `COMMAND --help` lists them in its order."""

from __future__ import annotations

from typing import Any, Final, get_args

import click

from blog_search_mcp.index.embedders.known_models import KINDS
from blog_search_mcp.index.store.disk import DEFAULT_FOLDER
from blog_search_mcp.server.cli.client_settings import CLIENTS
from blog_search_mcp.server.settings import (
    DEFAULT_ADDRESS,
    TOP_K_DEFAULT,
    TOP_K_MOST,
    ToolsetName,
    parse_address,
    parse_url,
    read_absolute,
    read_index,
)

AUDIT_KINDS: Final = (
    *("broken-links", "broken-anchors", "orphans", "near-duplicates"),
    *("descriptions", "tags", "stale-drafts"),
)
"""Kinds of findings in the order of `server.author.audit`, which imports NumPy and is not imported
here for that reason."""


def _option(*names: str, **attributes: Any) -> click.Option:
    return click.Option(names, **attributes)


def _limit(most: int, default: int, least: int = 1) -> click.Option:
    number, text = click.IntRange(least, most), f"How many to print, at most {most:,}."
    return _option("--limit", type=number, default=default, show_default=True, help=text)


_INDEX = _option(
    "--index",
    type=read_index,
    envvar="BLOG_INDEX",
    show_envvar=True,
    metavar="DIR",
    help=f"The index: a folder, or milvus://HOST:PORT/NAME.  [default: {DEFAULT_FOLDER}]",
)
_EMBEDDER_URL = _option(
    "--embedder-url",
    default="",
    envvar=["EMBEDDER_URL", "OLLAMA_HOST"],
    show_envvar=True,
    metavar="URL",
    help="Where the embedder's server answers, if it has one; for openai with its /v1.",
)
_EMBEDDER = (
    _option(
        "--embedder",
        type=click.Choice(KINDS),
        default="auto",
        show_default=True,
        help="auto keeps the index's embedder; a new index gets Ollama if it embeds and the posts "
        "are in English, else a model of the package; openai is any server with /v1/embeddings.",
    ),
    _option(
        "--model",
        metavar="NAME",
        help="A model of the embedder's.  [default: Ollama's nomic-embed-text, or in the package "
        "the one for the posts' languages]",
    ),
)
_PREFIXES = (
    _option(
        "--document-prefix",
        metavar="TEXT",
        help="What a server's model wants before each text.  [default: as its card says]",
    ),
    _option("--query-prefix", metavar="TEXT", help="What it wants before each query, likewise."),
)
_POSTS = (
    _option(
        "--base-url",
        metavar="URL",
        help="Where the blog is published.  "
        "[default: as before, or as its site's configuration says]",
    ),
    _option(
        "--permalink",
        metavar="PATTERN",
        help="hugo, jekyll, hexo, zola, mkdocs, quarto, a pattern, or both as "
        "jekyll:/:year/:title/.  [default: as before, or as its site's configuration says]",
    ),
    _option(
        "--include-drafts/--no-drafts",
        default=None,
        help="Index drafts, future-dated and expired posts too.  [default: as before, or not]",
    ),
    _option("--rebuild", is_flag=True, help="Make the index anew, from the posts and the cache."),
)
_JSON = _option("--json", "as_json", is_flag=True, help="Print JSON.")
_FILTERS = (
    _option("--section", help="Only posts in this folder of the blog."),
    _option("--tag", help="Only posts with this tag."),
    _option("--author", help="Only posts by this author."),
    _option("--after", help="Only posts of this day or later."),
    _option("--before", help="Only posts of this day or earlier."),
)
_LIMIT = _limit(TOP_K_MOST, TOP_K_DEFAULT)
_USAGE_LOG = _option(
    "--usage-log",
    type=read_absolute,
    envvar="BLOG_USAGE_LOG",
    show_envvar=True,
    metavar="FILE",
    help="The local file in which each call of a tool is noted.",
)
_TOKEN_FILE = _option(
    "--token-file", metavar="FILE", help="The token of HTTP clients, or set BLOG_SERVER_TOKEN."
)
_NAME = _option(
    "--name", default="", help="The entry's name.  [default: blog, or with the blog's folder]"
)

OPTIONS: Final = {
    "setup": (
        _option(
            "--client",
            type=click.Choice(list(CLIENTS)),
            metavar="CLIENT",
            help="The client to tell.  [default: all that are found]",
        ),
        *(_NAME, _INDEX, _EMBEDDER_URL, *_EMBEDDER, *_POSTS),
    ),
    "ingest": (
        *(_INDEX, *_EMBEDDER, _EMBEDDER_URL, *_PREFIXES, *_POSTS, _JSON),
        _option("--stop-with-stdin", is_flag=True, hidden=True),
    ),
    "serve": (
        _option(
            "--http",
            type=parse_address,
            is_flag=False,
            flag_value=DEFAULT_ADDRESS,
            metavar="[HOST:PORT]",
            help=f"Serve streamable HTTP at /mcp instead, by default on {DEFAULT_ADDRESS}.",
        ),
        _TOKEN_FILE,
        _option(
            "--allow-host",
            multiple=True,
            type=str.lower,
            metavar="NAME",
            help="Answer HTTP requests to this name of the machine too; may be given again.",
        ),
        _option(
            "--toolset",
            type=click.Choice(get_args(ToolsetName)),
            default="core",
            show_default=True,
            help="core searches and reads; extended also lists and outlines posts, author helps to "
            "write.",
        ),
        _option(
            "--watch",
            type=read_absolute,
            metavar="CONTENT",
            help="Ingest this folder of posts whenever it changes; the index is by default beside "
            "it.",
        ),
        _USAGE_LOG,
        _option("--wait", is_flag=True, hidden=True),  # for the one question of `ask`
        *(_INDEX, _EMBEDDER_URL),
    ),
    "search": (
        *(*_FILTERS, _LIMIT),
        _option("--why", is_flag=True, help="Say of each hit why it is there."),
        *(_JSON, _INDEX, _EMBEDDER_URL),
    ),
    "ask": (_INDEX, _EMBEDDER_URL),
    "read": (_INDEX, _EMBEDDER_URL),
    "list": (*_FILTERS, _limit(100, 20), _INDEX, _EMBEDDER_URL),
    "install": (
        _NAME,
        _option("--print", "prints", is_flag=True, help="Show the entry and its place instead."),
        _option(
            "--url", type=parse_url, metavar="URL", help="Reach the server at this address instead."
        ),
        *(_TOKEN_FILE, _INDEX, _EMBEDDER_URL),
    ),
    "uninstall": (_NAME,),
    "doctor": (_INDEX, _EMBEDDER_URL),
    "similar": (_LIMIT, _JSON, _INDEX, _EMBEDDER_URL),
    "links": (
        _LIMIT,
        _option("--reverse", is_flag=True, help="Links from posts to it instead of from it."),
        *(_JSON, _INDEX, _EMBEDDER_URL),
    ),
    "related": (_LIMIT, _INDEX, _EMBEDDER_URL),
    "audit": (
        _limit(100_000, 10, least=0),
        _option(
            "--fail-on",
            multiple=True,
            type=click.Choice(AUDIT_KINDS),
            metavar="KIND",
            help="Exit with status 1 if there are findings of this kind; may be given again: "
            f"{', '.join(AUDIT_KINDS)}.",
        ),
        *(_JSON, _INDEX, _EMBEDDER_URL),
    ),
    "usage": (_USAGE_LOG, _JSON, _INDEX, _EMBEDDER_URL),
}
"""The options of each command by its name; those of the group `author` have names of their own."""
