"""What the command lines of both programs share: every mistake is one sentence on stderr."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn, TextIO

from blog_search_mcp.index.errors import describe_exhaustion
from blog_search_mcp.index.stores import Location, parse_index_address

FAILED, WRONG_USAGE = 1, 2
"""Exit statuses: it could not be done, and the command line cannot be meant."""


_REQUIRED, _NO_VALUE = "the following arguments are required: ", " needs a value after it"


class CommandLine(argparse.ArgumentParser):
    """A parser that answers a mistake with a sentence and the nearest word that it knows."""

    def __init__(self, **options: Any) -> None:
        """Take argparse's options; the beginning of an option's name never stands for it."""
        super().__init__(allow_abbrev=False, **options)

    def add_version(self) -> None:
        """Add `--version`."""
        self.add_argument("--version", action=_PrintVersion)

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse all arguments; exits with status 2 and a sentence if that cannot be done."""
        known = tuple(self._all_options())
        for word in arguments:
            name = word.partition("=")[0]
            if name == "--":
                break
            if name.startswith("--") and name not in known:
                self.error(f"There is no option {name}.{_nearest(name, known)}")
        options, left = self.parse_known_args(arguments)
        if left and left[0] in self._option_string_actions:
            self.error(f"{left[0]} must stand before the command.")
        if left:
            self.error(f"{' '.join(left)} is not expected here; put what has spaces in quotes.")
        return options

    def error(self, message: str) -> NoReturn:
        """End the process with status 2 and `message` as a sentence, without the usage."""
        from blog_search_mcp.index.commands import command

        message = message.removeprefix("argument ").replace(": expected one argument", _NO_VALUE)
        if message.startswith(_REQUIRED):
            message = f"{message.removeprefix(_REQUIRED)} is missing"
        sentence = message.rstrip(".")
        end = "" if sentence.endswith("?") else "."
        more = command(*self.prog.split(), "--help")
        self.exit(WRONG_USAGE, f"{sentence}{end} See `{more}`.\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = tuple(map(str, action.choices or ()))
        if choices and value not in choices:
            words = f"{value!r} is none of {', '.join(choices)}.{_nearest(str(value), choices)}"
            raise argparse.ArgumentError(action, words)

    def _all_options(self) -> Iterator[str]:
        yield from self._option_string_actions
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for parser in action.choices.values():
                    yield from parser._option_string_actions


class _PrintVersion(argparse.Action):
    """Prints the version of the distribution, which is looked up only then."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        said = "print the version and exit"
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=said)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """End the process with status 0."""
        from importlib import metadata

        from blog_search_mcp.index.commands import PACKAGE

        sys.stdout.write(f"{PACKAGE} {metadata.version(PACKAGE)}\n")
        parser.exit()


def _nearest(word: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    return "".join(f" Did you mean {match}?" for match in get_close_matches(word, known, 1, 0.8))


def read_path(text: str) -> Path:
    """Read a path as a shell does, `~` expanded. Raises ArgumentTypeError."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty; give a path")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        message = f"the home folder in {text} is not known; give the whole path"
        raise argparse.ArgumentTypeError(message) from error


def read_absolute(text: str) -> Path:
    """Read a path and make it absolute, without `..`. Raises ArgumentTypeError."""
    path = read_path(text)
    try:
        return path.resolve() if ".." in path.parts else path.absolute()
    except OSError as error:
        message = "the current folder was deleted; change to another one"
        raise argparse.ArgumentTypeError(message) from error


def read_whole(least: int, most: int) -> Callable[[str], int]:
    """Make the reader of a number of that range, for argparse."""

    def read(value: str) -> int:
        if value.isdecimal() and least <= int(value) <= most:
            return int(value)
        rule = f"must be a whole number from {least} to {most:,}"
        raise argparse.ArgumentTypeError(f"{rule}, got {value}.")

    return read


def read_index(text: str) -> Location:
    """Read where an index is: a folder as `read_absolute` does, or an address.

    Raises ArgumentTypeError.
    """
    try:
        text.encode()
        return parse_index_address(text) or read_absolute(text)
    except UnicodeEncodeError as error:
        message = "its path is not UTF-8, which it must be; name another folder"
        raise argparse.ArgumentTypeError(message) from error
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


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


@contextmanager
def block_interrupts(*more: signal.Signals) -> Iterator[None]:
    """Block SIGINT and `more` here, and for processes that are started here, until they unblock it.

    Ctrl-C reaches each of them, and one that still loads Python prints a traceback. Windows has no
    such mask.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, *more])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def run_command(command: Callable[[], int]) -> int:
    """Run a command and return its status, 1 and a sentence if there is not the memory for it.

    Its output may go to a full disk or a closed pipe.
    """
    sys.stdout = _guard(sys.stdout, is_needed=True)
    sys.stderr = _guard(sys.stderr, is_needed=False)
    try:
        try:
            status = command()
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
