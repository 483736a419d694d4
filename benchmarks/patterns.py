"""Try to freeze every regular expression of the package, and print those that a text can freeze.

    python -m benchmarks.patterns [PART OF A NAME...]    by default all, in about twenty minutes

A text is a match up to a part of the pattern, then a repeated part, then an end that matches
nothing. The exit status is 1 if the time of any pattern grows much faster than the text.
"""

import ast
import inspect
import multiprocessing
import pkgutil
import re
import signal
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import permutations, product
from multiprocessing.connection import Connection
from random import Random
from re import _compiler, _parser  # type: ignore[attr-defined]
from time import process_time
from timeit import timeit
from typing import Any
from unittest import mock

import blog_search_mcp

BOUNDED = {
    "server.author.overlap._TITLE_BREAK": (300, "a title"),
    "ingest.posts.metadata._JOINED": (2_000, "a field of front matter"),
    "ingest.posts.metadata._AROUND_NAME": (2_000, "a field of front matter"),
    "ingest.posts.walk._COPY": (255, "a file's name"),
    "ingest.posts.walk._MAYBE_COPY": (255, "a file's name"),
    "index.store.catalog._PATH_SUFFIX": (1_000, "an argument of a tool"),
    "index.search.operators.QUOTED": (1_000, "a query"),
    "index.search.requests": (1_000, "a query"),
    "index.embedders.connection._TOO_LONG": (2_000, "a reply, as far as it is looked at"),
    "ingest.relations.translations._DOCUSAURUS": (4_096, "a path"),
}
"""Maximum characters of the texts that a pattern gets, and a name of these texts, by pattern or
module."""
SEARCHED = {"ingest.posts.chunks._SENTENCE"}
"""Patterns that are only searched for, by a variable with another name."""
LIMIT = 5.0
"""Maximum seconds of processor time for one text."""
STEPS = ((1_000, 8_000, 0.0003), (25_000, 100_000, 0.2))
"""Characters of a short and a long text, and minimum seconds of a slow pattern for the long one.
The second step is for patterns that are slow in the first."""
GROWTH = 2.5
"""Minimum growth of the time, divided by the growth of the text, for a slow pattern."""
MOST_ATTACKS, LONGEST_UNIT = 10_000, 40
"""Maximum texts per pattern, drawn at random, and maximum characters of a repeated pair."""
ENDS = ("", "\0", "\n\0")
CHARACTERS = " \n\t0aA_-.,:;!/|\\\"'`(){}[]<>#*=%&@+~^$中é"
"""Characters to try besides those of the pattern. A class tries its first and last three."""
METHODS = {"match": "match", "fullmatch": "fullmatch"} | dict.fromkeys(
    ("search", "sub", "split", "findall", "finditer"), "findall"
)
"""Method to call for each method that the package uses. `findall` reads a text to its end."""


def collect_patterns() -> Iterator[tuple[str, re.Pattern[str], set[str]]]:
    """Import the package; yield the name, pattern and called METHODS of each compiled pattern."""
    places, called = dict[Any, str](), defaultdict[Any, set[str]](set)
    compile_pattern, package = re.compile, blog_search_mcp.__name__

    def record(pattern: Any, flags: int = 0) -> Any:
        made, caller = compile_pattern(pattern, flags), sys._getframe(1)
        place = f"{caller.f_globals['__name__']}:{caller.f_lineno}"
        if place.startswith(package) and isinstance(pattern, str):
            places.setdefault(made, place)
        return made

    with mock.patch.object(re, "compile", record):
        found = pkgutil.walk_packages(blog_search_mcp.__path__, f"{package}.")
        modules = [import_module(each.name) for each in found if "__main__" not in each.name]
    for module in modules:
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and ":" in places.get(value, ""):
                places[value] = f"{module.__name__}.{name}"
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            match node:
                case ast.Call(ast.Attribute(ast.Name("re"), method), [ast.Constant(str(text)), *_]):
                    if method in METHODS:
                        places.setdefault(re.compile(text), f"{module.__name__} {text}")
                        called[re.compile(text)].add(METHODS[method])
                case ast.Attribute(ast.Name(name), method) if method in METHODS:
                    called[vars(module).get(name)].add(METHODS[method])
    for pattern, place in places.items():
        name = place.removeprefix(f"{package}.")
        some = {"findall"} if name in SEARCHED else {*METHODS.values()}
        yield name, pattern, called[pattern] or some


class Pieces:
    """Texts that match parts of a pattern, and texts that lead up to its repeated parts."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern, self._groups = pattern, dict[int, str]()
        self._leads, self._units = {""}, set[str]()
        for self._has_ahead in (False, True):
            self._units.add(self._fit(_parser.parse(pattern.pattern, pattern.flags), ""))

    def list_attacks(self) -> list[tuple[str, str, str]]:
        """Return at most MOST_ATTACKS texts, each as beginning, repeated unit and end."""
        units = sorted(filter(None, self._units | self._leads))
        pairs = [one + two for one, two in permutations([*units, "\n"], 2)]
        short = [pair for pair in pairs if len(pair) <= LONGEST_UNIT]
        attacks = [*product(sorted(self._leads), units, ENDS), *product([""], short, ENDS)]
        return Random(0).sample(attacks, min(len(attacks), MOST_ATTACKS))

    def _fit(self, tree: Any, before: str) -> str:
        """Return a text that matches after `before`, with `_has_ahead` also for lookaheads."""
        text = ""
        for kind, value in tree:
            lead, part = before + text, ""
            match str(kind):
                case "LITERAL":
                    part = chr(value)
                case "NOT_LITERAL" | "ANY" | "IN":
                    part = self._choose(_parser.SubPattern(tree.state, [(kind, value)]))
                case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                    unit = self._fit(value[2], lead)
                    self._leads |= {lead, lead + unit}
                    self._units.add(unit)
                    part = unit * int(value[0])
                case "BRANCH":
                    part, *others = [self._fit(choice, lead) for choice in value[1]]
                    self._units.update(others)
                case "SUBPATTERN":
                    self._groups[value[0]] = part = self._fit(value[-1], lead)
                case "ATOMIC_GROUP":
                    part = self._fit(value, lead)
                case "GROUPREF":
                    part = self._groups.get(value, "")
                case "ASSERT" | "ASSERT_NOT":
                    seen = self._fit(value[-1], lead)
                    self._units.add(seen)
                    if str(kind) == "ASSERT" and (value[0] < 0 or (self._has_ahead and lead)):
                        part = seen
            self._units.add(part)
            text += part
        return text

    def _choose(self, one: Any) -> str:
        """Return a matching character, else `x`; add up to six matching ones to the units."""
        fits = _compiler.compile(one, self._pattern.flags).fullmatch
        members = [each for each in dict.fromkeys(CHARACTERS + self._pattern.pattern) if fits(each)]
        self._units.update(members[:3], members[-3:])
        return members[0] if members else "x"


def find_slow(pattern: re.Pattern[str], methods: set[str], most: int) -> str:
    """Return the first attack of at most `most` characters that is slow, else `""`.

    A child process tries the attacks. The system kills it at LIMIT, since `re` holds Python's lock.
    """
    ours, theirs = multiprocessing.Pipe(duplex=False)
    given = (pattern, methods, most, theirs)
    child = multiprocessing.get_context("fork").Process(target=_try_attacks, args=given)
    child.start()
    theirs.close()
    last = ""
    with suppress(EOFError):
        while True:
            last = ours.recv()
    child.join()
    return last if child.exitcode else ""


def _try_attacks(pattern: re.Pattern[str], methods: set[str], most: int, sent: Connection) -> None:
    """Send each attack, then try it; exit with status 1 at the first slow one."""
    for method, (lead, unit, end) in product(sorted(methods), Pieces(pattern).list_attacks()):
        sent.send(f"{method} {lead!r} + {unit!r} * n + {end!r}")
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        for *sizes, least in STEPS:
            short, long = (min(size, most) for size in sizes)
            texts = (lead + unit * (size // len(unit)) + end for size in (short, long))
            calls = (partial(getattr(pattern, method), text) for text in texts)
            before, after = (timeit(call, timer=process_time, number=1) for call in calls)
            if after < max(least, GROWTH * before * long / short):
                break
        else:
            sys.exit(1)


def main() -> int:
    """Print the slow patterns. Return the exit status."""
    tried = slow = 0
    for name, pattern, methods in collect_patterns():
        if any(part in name for part in sys.argv[1:] or [""]):
            bounds = (bound for start, bound in BOUNDED.items() if name.startswith(start))
            most, texts = next(bounds, (STEPS[-1][1], ""))
            said = find_slow(pattern, methods, most)
            if told := said or (texts and f"bounded at {most:,} characters: {texts}"):
                print(f"{name[:60]:60} {told}", flush=True)  # noqa: T201
            tried, slow = tried + 1, slow + bool(said)
    sys.stdout.write(f"Of {tried} patterns {slow} take longer than their texts grow.\n")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
