"""Pump every regular expression of the package: and print those slower than texts grow.

    python -m benchmarks.patterns [PART OF A NAME...]    all without one: some twenty minutes

A text leads up to a piece of the pattern, repeats a piece, and ends as nothing does. It is given as
the package does: by `match`, `fullmatch` or a search to its end. A process of its own is ended at a
limit, since `re` holds the interpreter's lock. Status 1 if a pattern grows.
"""

from __future__ import annotations

import ast
import multiprocessing
import pkgutil
import re
import sys
import time
from collections import deque
from collections.abc import Iterator
from importlib import import_module
from itertools import permutations, product
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any, TypeAlias

import blog_search_mcp

BOUNDED = {
    "server.author.overlap._TITLE_BREAK": (300, "a title"),
    "ingest.relations.series:35": (300, "a title, or a file's name"),
    "ingest.posts.metadata._JOINED": (2_000, "a field of front matter"),
    "ingest.posts.metadata._AROUND_NAME": (2_000, "a field of front matter"),
    "ingest.posts.walk._COPY": (255, "a file's name"),
    "ingest.posts.walk._MAYBE_COPY": (255, "a file's name"),
    "ingest.sites.known_generators._ZOLA_DATED": (255, "a file's name"),
    "index.store.catalog._SUFFIX": (1_000, "an argument of a tool"),
    "index.search.operators.QUOTED": (1_000, "a query"),
    "index.embedders.connection._TOO_LONG": (2_000, "a reply, as far as it is looked at"),
    "ingest.relations.translations._DOCUSAURUS": (4_096, "a path"),
}
"""Most characters of the texts that reach a pattern, and what these texts are."""

LIMIT = 5.0
"""Most seconds for one text."""
STEPS = ((1_000, 8_000, 0.0003), (25_000, 100_000, 0.2))
"""Characters of two texts, and seconds that the second must take for an attack to go on."""
GROWTH = 2.5
"""Least factor by which the seconds must outgrow the text for a pattern to count as slow."""
MOST_LEADS, MOST_PAIRS, LONGEST_UNIT = 8_000, 1_000, 40
"""Most pairs of a lead and a unit, most pairs of units, and most characters of a unit."""
ENDS = ("", "\0", "\n\0")
CHARACTERS = " \n\t0aA_-.,:;!/|\\\"'`(){}[]<>#*=%&@+~^$中é"
"""Characters to try: the first few that a character class contains stand for the class."""
METHODS = {"match": "match", "fullmatch": "fullmatch"} | dict.fromkeys(
    ("search", "sub", "split", "findall", "finditer"), "finditer"
)

Sources: TypeAlias = dict[re.Pattern[str], tuple[str, set[str]]]
"""Each pattern with the place where it is compiled and the methods called on it."""
Attack: TypeAlias = tuple[str, str, str]
"""A text in three parts: its lead, the unit that is repeated, and its end."""


def collect_sources() -> Sources:
    """List what the package compiles: when it is imported, when it is first asked, in a call."""
    compiled: list[tuple[re.Pattern[str], str]] = []
    real_compile, package = re.compile, blog_search_mcp

    def record(pattern: Any, flags: int = 0) -> Any:
        caller, made = sys._getframe(1), real_compile(pattern, flags)
        place = f"{caller.f_globals.get('__name__')}:{caller.f_lineno}"
        if place.startswith(package.__name__) and isinstance(pattern, str):
            compiled.append((made, place))
        return made

    vars(re)["compile"] = record
    walked = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    modules = [import_module(found.name) for found in walked if "__main__" not in found.name]
    for value in [value for module in modules for value in vars(module).values()]:
        asked = value.__annotations__ if hasattr(value, "cache_info") else {}
        if [*asked] == ["return"] and "Pattern" in str(asked["return"]):
            value()
    vars(re)["compile"] = real_compile
    uses = {(module.__name__, *use) for module in modules for use in _find_uses(module.__file__)}
    sources: Sources = {}
    for pattern, place in compiled:
        names = {(m.__name__, n) for m in modules for n, v in vars(m).items() if v is pattern}
        methods = {method for module, name, method in uses if (module, name) in names}
        place = ".".join(min(names)) if names else place
        inside = {
            method.removeprefix("re.") for module, _, method in uses if place.startswith(module)
        }
        sources.setdefault(pattern, (place, methods or inside or set(METHODS.values())))
    for module, text, method in uses:
        if method.startswith("re."):
            sources.setdefault(re.compile(text), (f"{module} {text}", {method[3:]}))
    return sources


def _find_uses(file: str | None) -> Iterator[tuple[str, str]]:
    """Yield the name of each pattern that a module uses, or its text, and the method called."""
    for node in ast.walk(ast.parse(Path(file or "").read_text(encoding="utf-8"))):
        match node:
            case ast.Call(ast.Attribute(ast.Name("re"), method), [ast.Constant(str(text)), *_]):
                if method in METHODS:
                    yield text, f"re.{METHODS[method]}"
            case ast.Attribute(value, method) if method in METHODS:
                yield getattr(value, "id", ""), METHODS[method]


class Pieces:
    """Texts that fit a pattern's parts, without and with its lookaheads; leads; characters."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._flags, self._groups = pattern.flags, dict[int, str]()
        self.leads, self.units, self.characters = {""}, set[str](), set[str]()
        tree = _parser.parse(pattern.pattern, pattern.flags)
        for self._looks in (False, True):
            self.units.add(self._fit(tree, ""))

    def list_attacks(self) -> list[Attack]:
        """Pair what leads with what repeats, and what repeats with one another."""
        units = sorted(filter(None, self.units | self.leads | self.characters))
        letters = ["".join(pair) for pair in permutations(sorted(self.characters), 2)]
        pairs = [one + two for one, two in permutations(units, 2) if len(one + two) <= LONGEST_UNIT]
        lines = [f"{unit}\n" for unit in units]
        led = list(product(sorted(self.leads), [*units, *_draw(letters, 100)], ENDS))
        alone = [*lines, *_draw(pairs, MOST_PAIRS)]
        return [*_draw(led, MOST_LEADS), *product([""], alone, ENDS)]

    def _fit(self, tree: Any, before: str) -> str:
        """Return a text that fits; `before` leads up to it."""
        text = ""
        for kind, value in tree:
            text += self._fit_one(str(kind), value, before + text, tree.state)
        return text

    def _fit_one(self, kind: str, value: Any, before: str, state: Any) -> str:
        match kind:
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                one = _parser.SubPattern(state, [(getattr(_parser, kind), value)])
                fits = _compiler.compile(one, self._flags).fullmatch
                listed = value if kind == "IN" else [(kind, value)]
                firsts = [inner[0] if isinstance(inner, tuple) else inner for _, inner in listed]
                own = [chr(first) for first in firsts if first]
                members = [char for char in dict.fromkeys([*own, *CHARACTERS]) if fits(char)][:4]
                self.characters |= set(members)
                return members[0] if members else "x"
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                text = self._fit(value[2], before)
                self.leads |= {before, before + text}
                self.units.add(text)
                return text * int(value[0])
            case "BRANCH":
                texts = [self._fit(choice, before) for choice in value[1]]
                self.units |= set(texts)
                return texts[0]
            case "SUBPATTERN" | "ASSERT" | "ASSERT_NOT":
                text = self._fit(value[-1], before)
                self.units.add(text)
                if kind == "SUBPATTERN":
                    self._groups[value[0]] = text
                is_met = kind == "ASSERT" and (value[0] < 0 or (self._looks and before))
                return text if is_met or kind == "SUBPATTERN" else ""
            case "ATOMIC_GROUP":
                return self._fit(value, before)
        return self._groups.get(value, "") if kind == "GROUPREF" else ""


def _draw(items: list[Any], most: int) -> list[Any]:
    return items if len(items) <= most else Random(0).sample(items, most)


def pump(pattern: re.Pattern[str], methods: set[str], most: int, results: Connection) -> None:
    """Send each attack before it runs, and again with its seconds if it grows."""
    for method, attack in product(sorted(methods), Pieces(pattern).list_attacks()):
        for first, second, least in STEPS:
            results.send((method, attack, 0.0))
            sizes = min(first, most), min(second, most)
            before, after = (time_use(pattern, method, attack, size) for size in sizes)
            if after < least or after < GROWTH * before * sizes[1] / sizes[0]:
                break
        else:
            results.send((method, attack, after))


def time_use(pattern: re.Pattern[str], method: str, attack: Attack, size: int) -> float:
    """Return the seconds of a processor that a text of so many characters takes."""
    lead, unit, end = attack
    text = lead + unit * (size // len(unit)) + end
    started = time.process_time()
    found = getattr(pattern, method)(text)
    if method == "finditer":
        deque(found, maxlen=0)
    return time.process_time() - started


def find_worst(pattern: re.Pattern[str], methods: set[str], most: int) -> str:
    """Pump a pattern in a process of its own; say what grows, nothing if nothing does."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    given = (pattern, methods, most, theirs)
    child = multiprocessing.get_context("fork").Process(target=pump, args=given)
    child.start()
    theirs.close()
    worst, said = 0.0, ""
    try:
        while ours.poll(LIMIT):
            method, (lead, unit, end), seconds = ours.recv()
            last = f"{method} {lead!r} + {unit!r} * n + {end!r}"
            if seconds > worst:
                worst, said = seconds, f"{seconds:.1f} s: {last}"
        said = f"ended: {last}"
    except EOFError:
        pass
    child.kill()
    child.join()
    return said


def main() -> int:
    """Print what grows. Returns the exit status."""
    pumped = growing = 0
    for pattern, (place, methods) in collect_sources().items():
        name = place.removeprefix(f"{blog_search_mcp.__name__}.")
        most, texts = BOUNDED.get(name, (STEPS[-1][1], ""))
        if any(part in name for part in sys.argv[1:] or [""]):
            said = find_worst(pattern, methods, most)
            bound = f"bounded at {most:,} characters: {texts}" if texts else ""
            if said or bound:
                sys.stdout.write(f"{name[:60]:60} {said or bound}\n")
                sys.stdout.flush()
            pumped, growing = pumped + 1, growing + bool(said)
    sys.stdout.write(f"Of {pumped} patterns {growing} take longer than their texts grow.\n")
    return 1 if growing else 0


if __name__ == "__main__":
    sys.exit(main())
