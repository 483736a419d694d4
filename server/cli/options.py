"""The options of every command, in the order in which `COMMAND --help` lists them."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias, get_args

import click

from blog_search_mcp.index.embedders.known_models import KINDS
from blog_search_mcp.index.store.disk import DEFAULT_FOLDER
from blog_search_mcp.server.cli.client_settings import CLIENTS
from blog_search_mcp.server.settings import (
    DEFAULT_ADDRESS,
    STOP_WITH_STDIN,
    TOP_K_DEFAULT,
    TOP_K_MOST,
    ToolsetName,
    parse_address,
    parse_url,
    read_absolute,
    read_index,
)

Work: TypeAlias = Callable[..., int | None]
"""Function of a command, which returns the exit status; `None` stands for 0."""
AUDIT_KINDS: Final = (
    *("broken-links", "broken-anchors", "orphans", "near-duplicates"),
    *("tags", "stale-drafts"),
)
"""Kinds of findings, in the order of `server.author.audit`. That module is not imported here, since
it imports NumPy, which most commands do not need."""


def _option(usage: str, text: str, *parameter: str, **attributes: Any) -> click.Option:
    """Make an option; `usage` is its name and metavar (`--index DIR`), `text` is its help."""
    name, _, metavar = usage.partition(" ")
    attributes |= {"help": text, "metavar": metavar or None, "show_envvar": "envvar" in attributes}
    return click.Option([name, *parameter], **attributes)


def _limit(most: int, default: int, each: str = "", least: int = 1) -> click.Option:
    number, text = click.IntRange(least, most), f"How many to print{each}, at most {most:,}."
    return _option("--limit", text, type=number, default=default, show_default=True)


def _index(place: str) -> click.Option:
    text = f"The index: a folder, or milvus://HOST:PORT/NAME.  [default: {DEFAULT_FOLDER} {place}]"
    return _option("--index DIR", text, type=read_index, envvar="BLOG_INDEX")


_EMBEDDER_URL = _option(
    "--embedder-url URL",
    "URL of Ollama, or of an embedding server's /v1.",
    default="",
    envvar=["EMBEDDER_URL", "OLLAMA_HOST"],
)
_OVER_INDEX = (_index("here or above, else the one in a client's entry"), _EMBEDDER_URL)
_EMBEDDER = (
    _option(
        "--embedder",
        "auto keeps the index's embedder. A new index uses Ollama if that has nomic-embed-text and "
        "the posts are in English, else embedded (packaged). openai: any /v1/embeddings server.",
        type=click.Choice(KINDS),
        default="auto",
        show_default=True,
    ),
    _option(
        "--model NAME",
        "The embedding model.  [default: the index's; for a new index one that suits the posts' "
        "languages]",
    ),
)
_POSTS_OPTIONS = (
    _option(
        "--base-url URL",
        "Where the blog is published.  [default: as last time, else the site's configuration]",
    ),
    _option(
        "--permalink PATTERN",
        "How links are made: hugo, jekyll, hexo, zola, mkdocs or quarto; a pattern such as "
        "/:year/:slug/; or a generator's pattern such as jekyll:/:year/:title/.  "
        "[default: as last time, else the site's configuration]",
    ),
    _option(
        "--include-drafts/--no-drafts",
        "Index drafts, hidden, future and expired posts too.  [default: as last time, else no]",
        default=None,
    ),
    _option("--rebuild", "Rebuild the index; embeddings are kept.", is_flag=True),
)
_JSON = _option("--json", "Print JSON.", "as_json", is_flag=True)
_FILTERS = (
    _option("--section", "Only posts in this folder of the blog."),
    _option("--tag", "Only posts with this tag."),
    _option("--author", "Only posts by this author."),
    _option("--after", "Only posts since YYYY-MM-DD, YYYY-MM or YYYY."),
    _option("--before", "Only posts until YYYY-MM-DD, YYYY-MM or YYYY."),
)
_LIMIT = _limit(TOP_K_MOST, TOP_K_DEFAULT)
_TOKEN_FILE = _option(
    "--token-file FILE", "File with the HTTP token. Or put the token itself in BLOG_SERVER_TOKEN."
)
_NAME = _option(
    "--name", "Name of the entry.  [default: blog, or blog-FOLDER for a further index]", default=""
)
OPTIONS: Final = {
    "setup": (
        _option(
            "--client CLIENT",
            "The client to add this server to.  [default: all that are found]",
            type=click.Choice(list(CLIENTS)),
        ),
        *(_NAME, _index("beside the posts"), _EMBEDDER_URL, *_EMBEDDER, *_POSTS_OPTIONS),
    ),
    "ingest": (
        *(_index("here; without CONTENT also above"), *_EMBEDDER, _EMBEDDER_URL),
        *(*_POSTS_OPTIONS, _JSON),
        click.Option([STOP_WITH_STDIN], is_flag=True, hidden=True),
    ),
    "serve": (
        _option(
            "--http [HOST:PORT]",
            f"Serve HTTP at /mcp instead of stdio, by default on {DEFAULT_ADDRESS}.",
            type=parse_address,
            is_flag=False,
            flag_value=DEFAULT_ADDRESS,
        ),
        _TOKEN_FILE,
        _option(
            "--allow-host NAME",
            "Also answer HTTP requests to this host name; may be repeated.",
            multiple=True,
            type=str.lower,
        ),
        _option(
            "--toolset",
            "core searches and reads; extended also lists and outlines posts; author also compares "
            "a draft with the posts and suggests links.",
            type=click.Choice(get_args(ToolsetName)),
            default="core",
            show_default=True,
        ),
        _option(
            "--watch CONTENT",
            "Ingest this folder of posts at the start and whenever it changes.",
            type=read_absolute,
        ),
        # entries written by version 0.1 may have this option
        click.Option(["--usage-log"], hidden=True, expose_value=False),
        click.Option(["--wait"], is_flag=True, hidden=True),  # for the one question of `ask`
        *(_index("beside the posts of --watch, else here or above"), _EMBEDDER_URL),
    ),
    "search": (*(*_FILTERS, _LIMIT), *(_JSON, *_OVER_INDEX)),
    "ask": _OVER_INDEX,
    "read": (_JSON, *_OVER_INDEX),
    "list": (*_FILTERS, _limit(100, 20), _JSON, *_OVER_INDEX),
    "install": (
        _NAME,
        _option("--print", "Only print the entry and its file's path.", "prints", is_flag=True),
        _option("--url URL", "Write an entry for the HTTP server at this address.", type=parse_url),
        *(_TOKEN_FILE, *_OVER_INDEX),
    ),
    "uninstall": (
        _option("--name", "Only the entry of this name.  [default: all its entries]", default=""),
    ),
    "doctor": _OVER_INDEX,
    "similar": (_LIMIT, _JSON, *_OVER_INDEX),
    "links": (
        _LIMIT,
        _option("--reverse", "Suggest links from other posts to this one instead.", is_flag=True),
        *(_JSON, *_OVER_INDEX),
    ),
    "related": (_limit(TOP_K_MOST, TOP_K_DEFAULT, " for each post"), *_OVER_INDEX),
    "audit": (
        _limit(100_000, 10, " of each kind", least=0),
        _option(
            "--fail-on KIND",
            "Exit with status 1 if there are findings of this kind; may be repeated: "
            f"{', '.join(AUDIT_KINDS)}.",
            multiple=True,
            type=click.Choice(AUDIT_KINDS),
        ),
        *(_JSON, *_OVER_INDEX),
    ),
}
"""Options by command. Commands of the group `author` and those outside have different names."""


def make_command(name: str, **attributes: Any) -> Callable[[Work], click.Command]:
    """Return a decorator that makes a function the command `name`, with the options in OPTIONS."""
    return click.command(name, params=[*OPTIONS[name]], **attributes)
