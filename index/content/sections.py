"""What sections pass down to the posts below them.

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
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict

from blog_search_mcp.index.content.walk import MAX_STARS
from blog_search_mcp.index.documents.metadata import Fields, normalize_names, split_language

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
            if cascade.is_final or name not in known:
                known[name] = value
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


_SIGN = re.compile(r"\*\*+|\*|\?|\[!?[^\]]+\]|\\?.", re.DOTALL)
_SIGNS = {"*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")", ",": "|"}


@lru_cache(maxsize=1000)
def _matches(pattern: str, text: str) -> bool:
    """Whether a pattern as https://github.com/gobwas/glob has them, with `/` parting, matches.

    One that cannot be read, and one of more than MAX_STARS stars, matches everything.
    """
    inner = pattern[1:-1]
    if pattern[:1] + pattern[-1:] == "{}" and not re.search(r"[{}\\\[]", inner):
        return any(_matches(each, text) for each in inner.split(","))
    if len(re.findall(r"\*+", pattern)) > MAX_STARS:
        return True
    try:
        return re.fullmatch(_translate(pattern), text) is not None
    except re.error:
        return True


def _translate(pattern: str) -> str:
    in_braces = "{" in pattern
    parts = []
    for sign in _SIGN.findall(pattern):
        if sign.startswith("**"):
            parts.append(".*")
        elif sign[0] == "[" and len(sign) > 1:
            parts.append(sign.replace("[!", "[^").replace("\\", "\\\\"))
        elif sign in _SIGNS and (in_braces or sign != ","):
            parts.append(_SIGNS[sign])
        else:
            parts.append(re.escape(sign.removeprefix("\\") or sign))
    return "".join(parts)
