"""What the commands share: options, values, and how one is run. Each mistake is one sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn, TextIO, TypeVar

import click

from blog_search_mcp.index.commands import PACKAGE, command
from blog_search_mcp.index.errors import describe_exhaustion
from blog_search_mcp.index.store.disk import DEFAULT_FOLDER
from blog_search_mcp.index.stores import Location, parse_index_address

FAILED, WRONG_USAGE = 1, 2
"""Exit statuses: it could not be done, and the command line cannot be meant."""

ValueT = TypeVar("ValueT", covariant=True)


class Read(click.ParamType[ValueT]):
    """A value that a function reads from text; its ValueError says what is wrong."""

    name = "value"

    def __init__(self, read: Callable[[str], ValueT]) -> None:
        self._read = read

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> ValueT:
        """Read the text, or fail with the sentence of the function."""
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        """Take a variable whole: a path may have spaces."""
        return [rv]


def read_path(text: str) -> Path:
    """Read a path as a shell does, `~` expanded. Raises ValueError."""
    if not text:
        raise ValueError("it is empty; give a path")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        message = f"the home folder in {text} is not known; give the whole path"
        raise ValueError(message) from error


def read_absolute(text: str) -> Path:
    """Read a path and make it absolute, without `..`. Raises ValueError."""
    path = read_path(text)
    try:
        return path.resolve() if ".." in path.parts else path.absolute()
    except OSError as error:
        raise ValueError("the current folder was deleted; change to another one") from error


def read_index(text: str) -> Location:
    """Read where an index is: a folder as `read_absolute` does, or an address.

    Raises ValueError.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = "its path is not UTF-8, which it must be; name another folder"
        raise ValueError(message) from error
    return parse_index_address(text) or read_absolute(text)


def _take_one(
    _context: click.Context, _option: click.Parameter, given: tuple[Location, ...]
) -> Location | None:
    if len(given) > 1:
        raise click.BadParameter(
            "it can be given once, since a server has one index; a second blog is an entry of its "
            "own"
        )
    return given[0] if given else None


def index_option(
    variable: str | None = "BLOG_INDEX",
    meaning: str = f"The index: a folder, or milvus://HOST:PORT/NAME.  [default: {DEFAULT_FOLDER}]",
) -> Callable[[Any], Any]:
    """Make the option `--index`, whose value is `None` where it is not given."""
    return click.option(
        "--index",
        type=Read(read_index),
        multiple=True,
        callback=_take_one,
        envvar=variable,
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
    if context is None:
        return sentence + end
    _, *words = context.command_path.split()
    [*_, option] = context.help_option_names
    return f"{sentence}{end} See `{command(*words, option)}`."


def run_and_exit(program: click.Command, name: str = PACKAGE) -> NoReturn:
    """Run the command of this process and end it with its status.

    Python's own teardown takes up to a quarter of a second once the libraries are loaded.
    """
    status = run_guarded(lambda: run(program, sys.argv[1:], name))
    sys.stderr.flush()
    os._exit(status)


class OutputLost(Exception):
    """Stdout cannot be written; the message says why, empty where its reader has left."""


class _Output(FileIO):
    """A standard stream that can be lost: then nothing more is written to it."""

    def __init__(self, descriptor: int, *, is_needed: bool) -> None:
        """`is_needed` raises OutputLost at the first failure; others are no reason to stop."""
        super().__init__(descriptor, "w", closefd=False)
        self._is_needed = is_needed
        self._is_lost = False

    def write(self, data: Any, /) -> int:
        """Write to the stream, or drop what a lost one cannot take."""
        try:
            return len(data) if self._is_lost else super().write(data)
        except OSError as error:
            self._is_lost = True
            if self._is_needed:
                has_reader = not isinstance(error, BrokenPipeError)
                raise OutputLost(str(error.strerror) if has_reader else "") from error
            return len(data)


def _guard(stream: TextIO | None, *, is_needed: bool) -> TextIO:
    if stream is None:  # the shell closed it
        return Path(os.devnull).open("w", encoding="utf-8")
    return TextIOWrapper(
        BufferedWriter(_Output(stream.fileno(), is_needed=is_needed)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=not is_needed or stream.isatty(),
    )


def run_guarded(work: Callable[[], int]) -> int:
    """Do `work` and return its status, 1 and a sentence if there is not the memory for it.

    Its output may go to a full disk or a closed pipe.
    """
    sys.stdout = _guard(sys.stdout, is_needed=True)
    sys.stderr = _guard(sys.stderr, is_needed=False)
    try:
        try:
            status = work()
        except SystemExit as ended:
            status = int(ended.code or 0)
        sys.stdout.flush()
    except OutputLost as error:
        if str(error):
            sys.stderr.write(f"The output could not be written: {error}.\n")
        return FAILED
    except BaseException as error:  # what Rust raises is no Exception
        exhausted = describe_exhaustion(error)
        if exhausted is None:
            raise
        sys.stderr.write(f"{exhausted}\n")
        return FAILED
    return status
