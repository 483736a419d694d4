"""What sections, data files and configurations pass down to posts.

Hugo gives what stands under `cascade` in a section's `_index.md` or in its configuration to every
page there that has no field of that name itself, the nearest section first
(https://gohugo.io/content-management/front-matter/#cascade-1); the section's own page counts as
one of them. Zola builds nothing below a section that is a draft. An ingest reads the sections
(`ingest.sections`) and records what they pass down, by which a server tells drafts too.

Where it is not sure whether a post is meant it is: one that is public by mistake cannot be called
back.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict

from blog_search_mcp.index.posts.metadata import (
    Fields,
    normalize_name,
    normalize_names,
    split_language,
)

Value: TypeAlias = str | dict[str, str]

ENVIRONMENT = "production"
"""That of `hugo` without options, which builds what is published."""


class Cascade(BaseModel):
    """Fields that one section passes down; two that are equal pass down the same."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fields: dict[str, Value]
    """By normalized names: those alone by which a post is public or not."""
    folder: str = ""
    """Of the section, as sources begin: with `/` at the end, `""` for the content folder."""
    is_final: bool = False
    """Whether a post's own fields of these names count for nothing."""
    language: str | None = None
    """That of the section's file by its name, `""` for a name without; `None` for all."""
    languages: tuple[str, ...] = ()
    """Those of all such files of the section."""
    target: dict[str, str] = {}
    """Patterns of `path`, `kind`, `environment` and `lang`, all of which a post must match."""
    collection: str | None = None
    """That of Jekyll's, by its folder, which a post must be of; `""` for pages, `None` for all."""
    prefix: str = ""
    """Put before a source makes it a path in the site."""
    root: str = ""
    """The part of that path which `path` does not begin with."""


def cascades_of(cascades: Iterable[Cascade], source: str) -> tuple[Cascade, ...]:
    """Return those that reach a post, in their order."""
    return tuple(cascade for cascade in cascades if _reaches(cascade, source))


def apply_cascades(fields: Fields, cascades: Sequence[Cascade]) -> Fields:
    """Put under a post's fields what the cascades that reach it pass down, the nearest first."""
    known = normalize_names(fields)
    for cascade in cascades:
        for name, value in cascade.fields.items():
            nearer = known.get(name)
            if cascade.is_final or name not in known:
                known[name] = value
            elif isinstance(value, dict) and isinstance(nearer, Mapping):
                inner = {normalize_name(str(key)): each for key, each in nearer.items()}
                known[name] = {**value, **inner}
    return known


def language_of_name(source: str) -> str:
    """Return the language in a file's name, `de` of `post.de.md`; `""` if there is none."""
    return split_language(posixpath.basename(source))[1]


def _reaches(cascade: Cascade, source: str) -> bool:
    if not source.startswith(cascade.folder):
        return False
    language = language_of_name(source)
    if cascade.language is not None and cascade.language != language:
        one_has_none = "" in (cascade.language, language)
        if language in cascade.languages or not one_has_none:
            return False
    folders = (cascade.prefix + source).split("/")[:-1]
    collection = next((folder for folder in folders if folder.startswith("_")), "")
    if cascade.collection not in (None, collection):
        return False
    path = _logical_path((cascade.prefix + source).removeprefix(cascade.root))
    is_section = posixpath.basename(source).startswith("_index.")
    values = {
        "path": path,
        "kind": "page" if not is_section else "section" if path != "/" else "home",
        "environment": ENVIRONMENT,
        "lang": language,
    }
    return all(
        _matches(pattern.lower(), values[name])
        for name, pattern in cascade.target.items()
        if values.get(name)
    )


def _logical_path(place: str) -> str:
    """Write a page's place as Hugo names it: `posts/My Post/index.de.md` is `/posts/my-post`."""
    folder, _, name = place.rpartition("/")
    stem, _ = split_language(name)
    parts = (folder, "" if stem in ("index", "_index") else stem)
    return "/" + "/".join(filter(None, parts)).lower().replace(" ", "-")


_SIGN = re.compile(r"\*+|[?{},]|\[[^\[\]]+\]|\\.|[^*?{},\[\\]+|.", re.DOTALL)
MOST_SIGNS = 500
"""Of a pattern; on a path of 200 characters that many take some ten milliseconds at worst."""


@lru_cache(maxsize=1000)
def _matches(pattern: str, text: str) -> bool:
    """Whether a pattern as https://github.com/gobwas/glob has them, with `/` parting, matches.

    One that cannot be read, and one of more than MOST_SIGNS, matches everything.
    """
    signs = _SIGN.findall(pattern)
    try:
        return len(signs) > MOST_SIGNS or len(text) in _reach(iter(signs), text, {0})
    except ValueError:
        return True


def _reach(
    signs: Iterator[str], text: str, starts: Set[int], *, in_braces: bool = False
) -> Set[int]:
    """Return the places to which signs lead from any of `starts`, in braces those up to their end.

    Raises ValueError for braces without one.
    """
    reached, ends = starts, set[int]()
    for sign in signs:
        if sign == "{":
            reached = _reach(signs, text, reached, in_braces=True)
        elif in_braces and sign == "}":
            return ends | reached
        elif in_braces and sign == ",":
            ends |= reached
            reached = starts
        else:
            reached = _step(sign, text, reached)
    if in_braces:
        raise ValueError("a brace is never closed")
    return reached


def _step(sign: str, text: str, starts: Set[int]) -> Set[int]:
    """Return the places behind what fits one sign at any of `starts`."""
    if sign.startswith("**"):
        return set(range(min(starts, default=len(text) + 1), len(text) + 1))
    if sign == "*":
        ends = set[int]()
        for at in range(len(text) + 1):
            if at in starts or (at - 1 in ends and text[at - 1] != "/"):
                ends.add(at)
        return ends
    if sign == "?":
        return {at + 1 for at in starts if text[at : at + 1] not in ("", "/")}
    if sign[0] == "[" and len(sign) > 1:
        return {at + 1 for at in starts if fnmatchcase(text[at : at + 1], sign)}
    word = sign.removeprefix("\\") or sign
    return {at + len(word) for at in starts if text.startswith(word, at)}
