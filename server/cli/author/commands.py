"""The commands for whoever writes the posts."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import click

from blog_search_mcp.index.command_line import Read, json_option, read_absolute
from blog_search_mcp.server.cli.author import AUDIT_KINDS
from blog_search_mcp.server.cli.commands import (
    Command,
    limit_option,
    over_index,
    usage_log_option,
    words_argument,
)
from blog_search_mcp.server.settings import TOP_K_DEFAULT, TOP_K_MOST, Settings


@click.group(invoke_without_command=True)
@click.pass_context
def author(context: click.Context) -> None:
    """What those who write the posts need: drafts, links, the state of the blog, usage."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


subject_argument: Callable[[Command], Command] = click.argument(
    "subject", metavar="DRAFT.md|-|SOURCE"
)


@author.command()
@subject_argument
@limit_option(TOP_K_MOST, TOP_K_DEFAULT)
@json_option
@over_index
def similar(settings: Settings, subject: str, limit: int, as_json: bool) -> int:
    """Name the posts that say what a file, stdin (-) or a post says."""
    from blog_search_mcp.server.cli.author.similar import run

    return run(settings, subject, limit, as_json=as_json)


@author.command()
@subject_argument
@limit_option(TOP_K_MOST, TOP_K_DEFAULT)
@click.option("--reverse", is_flag=True, help="Links from posts to it instead of from it.")
@json_option
@over_index
def links(settings: Settings, subject: str, limit: int, reverse: bool, as_json: bool) -> int:
    """Suggest where a draft or post could link to other posts."""
    from blog_search_mcp.server.cli.author.links import run

    return run(settings, subject, limit, is_reverse=reverse, as_json=as_json)


@author.command()
@limit_option(TOP_K_MOST, TOP_K_DEFAULT)
@click.option(
    "--out",
    type=Read(read_absolute),
    metavar="FILE",
    help="The file to write.  [default: stdout]",
)
@over_index
def related(settings: Settings, limit: int, out: Path | None) -> int:
    """Write related posts as a data file for the site."""
    from blog_search_mcp.server.cli.author.related import run

    return run(settings, limit, out)


@author.command()
@limit_option(100_000, 10, least=0)
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(list(AUDIT_KINDS)),
    metavar="KIND",
    help="Exit with status 1 if there are findings of this kind; may be given again: "
    f"{', '.join(AUDIT_KINDS)}.",
)
@json_option
@over_index
def audit(settings: Settings, limit: int, fail_on: tuple[str, ...], as_json: bool) -> int:
    """Look over the blog: broken links, orphans, drafts that were left, and more."""
    from blog_search_mcp.server.cli.author.audit import run

    return run(settings, limit, fail_on, as_json=as_json)


@author.command()
@words_argument("subject")
@limit_option(100, TOP_K_MOST)
@json_option
@over_index
def timeline(settings: Settings, subject: str, limit: int, as_json: bool) -> int:
    """Print what the blog said on a subject, by year."""
    from blog_search_mcp.server.cli.author.timeline import run

    return run(settings, subject, limit, as_json=as_json)


def read_first_day(value: str) -> str:
    """Read an ISO day, or how many days ago (UTC, as the log). Raises ValueError."""
    ago = re.fullmatch(r"([0-9]{1,5})d", value)
    try:
        day = (
            datetime.now(UTC).date() - timedelta(int(ago[1])) if ago else date.fromisoformat(value)
        )
    except ValueError:
        rule = "is no day such as 2026-01-31, and no number of days such as 90d"
        raise ValueError(f"{value!r} {rule}") from None
    return day.isoformat()


@author.command()
@usage_log_option
@click.option(
    "--since",
    type=Read(read_first_day),
    metavar="DAY",
    help="Only calls of this day or later: YYYY-MM-DD, or 90d for the last 90 days.",
)
@json_option
@over_index
def usage(settings: Settings, since: str | None, as_json: bool) -> int:
    """Report on the usage log, and on what readers miss."""
    from blog_search_mcp.server.cli.usage_report import usage

    return usage(settings, since or "", as_json=as_json)
