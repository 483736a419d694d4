"""What the commands share: options, values, how one is run, and what prints."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

import click

from blog_search_mcp.index.invocation import PACKAGE
from blog_search_mcp.index.store.disk import DEFAULT_FOLDER
from blog_search_mcp.index.stores import Location, parse_index_address

FAILED, WRONG_USAGE = 1, 2
"""Exit statuses: it could not be done, and the command line cannot be meant."""


def read_absolute(text: str) -> Path:
    """Read a path and make it absolute, without `..`. Raises ValueError.

    A client hands over what a shell would have expanded: quotes, blanks, `$HOME`, `file://`, `~`.
    """
    if not os.path.lexists(text):  # else it is meant so
        text = re.sub(r"\$\{env:(\w+)\}", r"${\1}", text.strip(" \t\r\n\"'"))
        text = os.path.expandvars(text)
        if text.startswith("file://"):
            from urllib.request import url2pathname  # and http.client, in 20 ms of every start

            text = url2pathname(urlsplit(text).path)
    if not text:
        raise ValueError("it is empty; give a path")
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:  # nobody's home
        raise ValueError(str(error)) from error
    return path.resolve() if ".." in path.parts else path.absolute()


def read_index(text: str) -> Location:
    """Read where an index is: a folder or an address. Raises ValueError, also if not UTF-8."""
    text.encode()
    plain = text.strip(" \"'")
    address = None if plain.startswith("file://") else parse_index_address(plain)
    return address or read_absolute(text)


index_option = click.option(
    "--index",
    type=read_index,
    envvar="BLOG_INDEX",
    show_envvar=True,
    metavar="DIR",
    help=f"The index: a folder, or milvus://HOST:PORT/NAME.  [default: {DEFAULT_FOLDER}]",
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


_PICTURES: dict[int, int | str] = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"},
    **dict.fromkeys((*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
    **dict.fromkeys((0x61C, 0x200E, 0x200F), ""),
}
"""Unicode's pictures for control characters, and a mark for what has none: a post may hold them,
a terminal obeys them. Marks that turn the direction of writing make a line read as another; weak
ones, which posts in Hebrew have, are left out."""
_ESCAPES = {code: f"\\u{code:04x}" for code in _PICTURES if code > 31}
"""The same for JSON, whose other control characters are escaped already."""


def escape_controls(text: str) -> str:
    """Replace control characters by visible ones, so that a terminal obeys none."""
    return text.translate(_PICTURES)


def print_text(text: str) -> None:
    """Print text on stdout."""
    sys.stdout.write(f"{escape_controls(text)}\n")


def print_error(text: str) -> None:
    """Print text on stderr."""
    sys.stderr.write(f"{escape_controls(text)}\n")


def print_json(value: object) -> None:
    """Print JSON on stdout; Chinese stays itself."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2).translate(_ESCAPES) + "\n")


def run(program: click.Command, arguments: Sequence[str]) -> int:
    """Run a command and return its status; a mistake is told on stderr."""
    try:
        return int(program.main([*arguments], PACKAGE, standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show(shown := StringIO())
        print_error(shown.getvalue().rstrip())
        return error.exit_code
    except click.Abort:  # the end of stdin in the place of an answer
        return FAILED


def run_and_exit(program: click.Command) -> NoReturn:
    """Run the command of this process and end it with its status.

    Python's own teardown takes up to a quarter of a second once the libraries are loaded.
    """
    if isinstance(sys.stdout, TextIOWrapper):  # it may lack letters, and a path be no text
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = run(program, sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has seen enough
        status = FAILED
    os._exit(status)
