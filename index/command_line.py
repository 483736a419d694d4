"""What the commands share: options, values, and how one is run. Each mistake is one sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from blog_search_mcp.index.commands import PACKAGE, command
from blog_search_mcp.index.store.disk import DEFAULT_FOLDER
from blog_search_mcp.index.stores import Location, parse_index_address

FAILED, WRONG_USAGE = 1, 2
"""Exit statuses: it could not be done, and the command line cannot be meant."""


def read_absolute(text: str) -> Path:
    """Read a path, `~` expanded, and make it absolute, without `..`. Raises ValueError."""
    if not text:
        raise ValueError("it is empty; give a path")
    try:
        path = Path(text).expanduser()
        return path.resolve() if ".." in path.parts else path.absolute()
    except (RuntimeError, OSError) as error:  # nobody's home, or the current folder was deleted
        raise ValueError(f"{error} Give the whole path") from error


def read_index(text: str) -> Location:
    """Read where an index is: a folder or an address. Raises ValueError, also if not UTF-8."""
    text.encode()
    return parse_index_address(text) or read_absolute(text)


def index_option(
    meaning: str = f"The index: a folder, or milvus://HOST:PORT/NAME.  [default: {DEFAULT_FOLDER}]",
) -> Callable[[Any], Any]:
    """Make the option `--index`, whose value is `None` where it is not given."""
    return click.option(
        "--index",
        type=read_index,
        envvar="BLOG_INDEX",
        show_envvar=True,
        metavar="DIR",
        help=meaning,
    )


embedder_url_option = click.option(
    "--embedder-url",
    default="",
    envvar=["EMBEDDER_URL", "OLLAMA_HOST"],
    show_envvar=True,
    metavar="URL",
    help="Where the embedder's server answers, if it has one; for openai with its /v1.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def run(program: click.Command, arguments: Sequence[str], name: str = PACKAGE) -> int:
    """Run a command and return its status; a mistake is a sentence on stderr."""
    try:
        status = program.main([*arguments], name, standalone_mode=False)
    except click.ClickException as error:
        sys.stderr.write(f"{_describe_mistake(error)}\n")
        return error.exit_code
    except click.Abort:  # the end of stdin in the place of an answer
        return FAILED
    return int(status or 0)


def _describe_mistake(error: click.ClickException) -> str:
    sentence = " ".join(error.format_message().split()).rstrip(".")
    end = "" if sentence.endswith(("?", "?)")) else "."
    context = error.ctx if isinstance(error, click.UsageError) else None
    words = context.command_path.split()[1:] if context else []
    return f"{sentence}{end} See `{command(*words, '--help')}`."


def run_and_exit(program: click.Command, name: str = PACKAGE) -> NoReturn:
    """Run the command of this process and end it with its status.

    Python's own teardown takes up to a quarter of a second once the libraries are loaded.
    """
    try:
        status = run(program, sys.argv[1:], name)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has seen enough
        status = FAILED
    os._exit(status)
