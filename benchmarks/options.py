"""What both command lines share: where the index goes, which embedder, where to report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.blog import Embedding, index_folder
from blog_search_mcp.index.errors import BlogSearchError, UsageError

FAILED, WRONG_USAGE = 1, 2


def add_shared(parser: argparse.ArgumentParser, environment: Mapping[str, str]) -> None:
    """Add CONTENT and the options every measurement takes."""
    parser.add_argument("content", type=folder, metavar="CONTENT", help="the folder of posts")
    parser.add_argument(
        "--index",
        type=Path,
        metavar="DIR",
        help="where to make the index without descriptions (default: in the user's cache)",
    )
    parser.add_argument(
        "--embedder",
        choices=("auto", "ollama", "embedded"),
        default="embedded",
        help="(default embedded)",
    )
    parser.add_argument("--model", metavar="NAME", help="a model of Ollama's")
    parser.add_argument(
        "--embedder-url",
        default=environment.get("OLLAMA_HOST", ""),
        metavar="URL",
        help="where Ollama answers (OLLAMA_HOST)",
    )
    parser.add_argument("--rebuild", action="store_true", help="make the index anew")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.set_defaults(cache=cache_folder(environment))


def folder(value: str) -> Path:
    """A path, whose `~` the shell may have left to us."""
    return Path(value).expanduser()


def count(value: str) -> int:
    """A whole number from 1."""
    if not (value.isascii() and value.isdigit() and int(value)):
        raise argparse.ArgumentTypeError(f"{value!r} is not a whole number from 1.")
    return int(value)


def cache_folder(environment: Mapping[str, str]) -> Path:
    """The user's cache, as the XDG base directories have it, or its usual place."""
    cache = environment.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "blog-search-mcp" / "benchmarks"


def embedding_of(options: argparse.Namespace) -> Embedding:
    """Which embedder was asked for."""
    return Embedding(options.embedder, options.model, options.embedder_url)


def index_of(options: argparse.Namespace) -> Path:
    """Where the index goes, absolute."""
    given: Path | None = options.index
    if given is not None:
        return given.expanduser().absolute()
    return index_folder(options.cache, options.content, embedding_of(options))


def failure(error: BlogSearchError) -> int:
    """Say what happened on stderr; the exit status."""
    sys.stderr.write(f"{error}\n")
    return WRONG_USAGE if isinstance(error, UsageError) else FAILED
