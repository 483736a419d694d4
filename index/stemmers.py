"""Snowball's algorithms, one at a time: a name in, a stemmer out.

The package imports all of its 33 algorithms when it is imported, which takes 50 ms of the first
search after a start, and a blog needs those of the languages it is written in. So each is loaded
from the package's folder by itself, beside a package that is empty.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Protocol

_ALONE = "snowballstemmer_one_by_one"


class Stemmer(Protocol):
    """One algorithm; not safe for concurrent use."""

    def stemWord(self, word: str, /) -> str:  # noqa: N802 - the library's own name
        """Return the stem of a word in lower case."""
        ...


def stemmer(algorithm: str) -> Stemmer:
    """Return a new one, such as of `english`; by the whole package if it is not kept as in 3.x."""
    try:
        module = import_module(f"{_package()}.{algorithm}_stemmer")
        found: Stemmer = vars(module)[f"{algorithm.title().replace('_', '')}Stemmer"]()
    except (ImportError, KeyError):
        import snowballstemmer

        return snowballstemmer.stemmer(algorithm)  # type: ignore[no-any-return]
    return found


@cache
def _package() -> str:
    spec = find_spec("snowballstemmer")
    assert spec is not None
    alone = ModuleType(_ALONE)
    alone.__path__ = list(spec.submodule_search_locations or ())
    sys.modules[_ALONE] = alone
    return _ALONE
