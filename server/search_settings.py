"""The command line of `search`: what it may be given, and what was meant by it.

Values are held to the rules of `search_blog`, and refused in the same words.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from server.arguments import (
    OFFSET_MOST,
    TOP_K_DEFAULT,
    TOP_K_MOST,
    SearchArguments,
    search_arguments,
    whole,
)

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

FILTERS = ("section", "tag", "after", "before")


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What `search` is to do."""

    asked: SearchArguments
    reads: bool = False
    """Whether the passage of the one hit is printed instead of the list."""
    why: bool = False
    """Whether each hit says why it is there."""


def add_search(commands: argparse._SubParsersAction[ArgumentParser]) -> ArgumentParser:
    """Add the command to those of `blog-server`, and return it."""
    parser = commands.add_parser("search", help="search the index and print the hits")
    parser.add_argument("query", help="plain words, an identifier or an error message")
    parser.add_argument("--section", help="only posts in this folder of the blog")
    parser.add_argument("--tag", help="only posts with this tag")
    parser.add_argument("--after", metavar="DAY", help="only posts of this day or later")
    parser.add_argument("--before", metavar="DAY", help="only posts of this day or earlier")
    parser.add_argument(
        "--limit",
        type=int,
        default=TOP_K_DEFAULT,
        metavar="N",
        help=f"hits to print, 1 to {TOP_K_MOST} (default {TOP_K_DEFAULT})",
    )
    parser.add_argument(
        "--offset", type=int, default=0, metavar="N", help="hits to leave out before them"
    )
    parser.add_argument("--read", type=int, metavar="N", help="print the passage of the Nth hit")
    parser.add_argument("--why", action="store_true", help="say of each hit why it is there")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    return parser


def request_of(options: Namespace) -> SearchRequest | None:
    """Return what was meant, `None` for another command. Raises UsageError."""
    if "query" not in options:
        return None
    given: dict[str, Any] = {name: getattr(options, name) for name in FILTERS}
    return SearchRequest(
        search_arguments({"query": options.query, **given, **_page(options)}),
        reads=options.read is not None,
        why=options.why,
    )


def _page(options: Namespace) -> dict[str, int]:
    """Return which hits; the Nth alone is the page of one after N - 1 hits."""
    given = {f"--{name}": getattr(options, name) for name in ("limit", "offset", "read")}
    if options.read is not None:
        return {"top_k": 1, "offset": whole(given, "--read", 1, OFFSET_MOST) - 1}
    return {
        "top_k": whole(given, "--limit", 1, TOP_K_MOST),
        "offset": whole(given, "--offset", 0, OFFSET_MOST),
    }
