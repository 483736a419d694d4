"""The options of the author's commands: what each is to do, read into one frozen request."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from blog_search_mcp.index.command_line import CommandLine, read_absolute, read_whole
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.server.settings import TOP_K_DEFAULT, TOP_K_MOST, AuthorRequest, Settings

AUDIT_KINDS: Final = {
    "broken-links": "links to the blog itself that lead nowhere",
    "broken-anchors": "links to a heading that the post has not",
    "orphans": "posts that no other post links to",
    "near-duplicates": "pairs of posts with mostly the same words",
    "descriptions": "descriptions missing, shared, or saying nothing of the post",
    "tags": "tags of one post, or in several spellings",
    "stale-drafts": "drafts left for half a year",
}
"""What is found, by `index.relations.audit.KINDS`, which takes NumPy to import."""


@dataclass(frozen=True, slots=True)
class AuthorCommand:
    """One command as the command line knows it."""

    help: str
    add_options: Callable[[argparse.ArgumentParser], None]


def _add_subject(parser: argparse.ArgumentParser) -> None:
    """Add what the commands about one text share."""
    parser.add_argument(
        "subject", metavar="DRAFT.md|-|SOURCE", help="a file, `-` for stdin, or a post's source"
    )
    parser.add_argument(
        "--limit",
        type=read_whole(1, TOP_K_MOST),
        default=TOP_K_DEFAULT,
        metavar="N",
        help=f"posts to name, at most {TOP_K_MOST} (default: {TOP_K_DEFAULT})",
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def _add_related(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--limit",
        type=read_whole(1, TOP_K_MOST),
        metavar="N",
        help=f"posts for each, at most {TOP_K_MOST} (default: {TOP_K_DEFAULT})",
    )
    parser.add_argument(
        "--out", type=read_absolute, metavar="FILE", help="the file to write (default: stdout)"
    )


def _add_links(parser: argparse.ArgumentParser) -> None:
    _add_subject(parser)
    parser.add_argument(
        "--reverse", action="store_true", help="links from posts to it instead of from it"
    )


def _add_audit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--limit",
        type=read_whole(0, 100_000),
        metavar="N",
        help="findings of each kind to print (default: 10)",
    )
    parser.add_argument(
        "--fail-on",
        nargs="+",
        choices=AUDIT_KINDS,
        metavar="KIND",
        help=f"exit with status 1 if there are findings of these: {', '.join(AUDIT_KINDS)}",
    )
    parser.add_argument("--json", action="store_true", help="print them as JSON")


def _add_timeline(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", help="plain words")
    parser.add_argument(
        "--limit",
        type=read_whole(1, 100),
        metavar="N",
        help=f"posts to name, at most 100 (default: {TOP_K_MOST})",
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON")


COMMANDS: Final[dict[str, AuthorCommand]] = {
    "audit": AuthorCommand("look over the blog: broken links, orphans, drafts left …", _add_audit),
    "similar": AuthorCommand("name the posts that say what a draft says", _add_subject),
    "related": AuthorCommand("write related posts as a data file for the site", _add_related),
    "links": AuthorCommand("suggest where a draft or post could link to other posts", _add_links),
    "timeline": AuthorCommand("print what the blog said on a subject, by year", _add_timeline),
}
"""By name, which is also that of the module beside this one with a function `run`."""


def add_author_commands(
    commands: argparse._SubParsersAction[CommandLine],
    add_shared: Callable[[argparse.ArgumentParser], None],
) -> None:
    """Add the commands, each with the options that all commands over an index share."""
    for name, command in COMMANDS.items():
        parser = commands.add_parser(name, help=command.help)
        command.add_options(parser)
        add_shared(parser)


def read_request(options: argparse.Namespace) -> AuthorRequest | None:
    """Return what an author's command is to do, `None` for another command."""
    if options.command not in COMMANDS:
        return None
    return AuthorRequest(
        command=options.command,
        subject=getattr(options, "subject", ""),
        limit=getattr(options, "limit", None),
        out=getattr(options, "out", None),
        is_reverse=getattr(options, "reverse", False),
        fails_on=tuple(getattr(options, "fail_on", None) or ()),
    )


def run_author_command(settings: Settings, request: AuthorRequest) -> int:
    """Run the command; returns the exit status, 1 if an error is printed."""
    from blog_search_mcp.server.cli.terminal import tell

    gc.disable()  # one look makes many objects and ends: collections find nothing to free
    module = import_module(f"blog_search_mcp.server.cli.author.{request.command}")
    try:
        status: int = module.run(settings, request)
    except BlogSearchError as error:
        tell(str(error), settings)
        return 1
    return status
