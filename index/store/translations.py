"""Translations: which posts of a blog are the same post in other languages.

Generators recognise translations by their place: a suffix (`post.md`, `post.zh.md`), a folder
(`en/post.md`, `zh/post.md`, and perhaps `post.md` beside them) or Docusaurus's `i18n` folder; or
by a key in the front matter. One source alone cannot say whether `it/` is Italian or a topic,
and a group changes when a sibling comes or goes, so every generation is written with groups of
its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from blog_search_mcp.index.analysis.languages import UNDETERMINED, language_tag
from blog_search_mcp.index.types import Post

_LANDING = {"index", "_index", "readme"}
"""Names that every folder may have, so that two folders sharing one proves nothing."""

BESIDE = 2
"""Posts that must lie in the same places beside and below a folder named as a language, for the
ones beside to be in the default language: one alone may be a topic's namesake."""

_DOCUSAURUS = re.compile(r"(?:(.+)/)?i18n/([^/]+)/docusaurus-plugin-content-blog/(.+)")

Named = Mapping[str, str]
"""By source, the language that its place names; `""` for an unnamed default."""


@dataclass(frozen=True, slots=True)
class Translation:
    """One post of a group."""

    post: int
    source: str
    language: str
    """BCP 47 tag in lower case, different from every other one's in the group."""


class Translations:
    """The groups of one generation, by post id; a post without a translation has none."""

    def __init__(self, groups: Iterable[Sequence[Translation]]) -> None:
        """Take groups of two posts or more that have no post in common."""
        self.groups = {each.post: group for group in groups for each in group}
        """The whole group of a post, itself included."""
        self.others = {
            post: tuple(sorted((each.language, each.source) for each in group if each.post != post))
            for post, group in self.groups.items()
        }
        """Language and source of each other post of its group, in the languages' order."""


def find_translations(posts: Mapping[int, Post]) -> list[list[Translation]]:
    """Find the groups of two or more among all posts of a blog, by id."""
    ids = {post.source: number for number, post in posts.items()}
    spoken = {post.source: post.language for post in posts.values()}
    keyed = _by_key(posts.values())
    others = ids.keys() - {source for group in keyed for source in group}
    named = (*keyed, *(name_languages(group, spoken) for group in group_sources(others)))
    return [
        [Translation(ids[source], source, group[source]) for source in group] for group in named
    ]


def _by_key(posts: Iterable[Post]) -> list[dict[str, str]]:
    """Groups by the key their authors gave; of two in one language the first by its source."""
    families: dict[str, dict[str, str]] = {}
    for post in sorted(posts, key=lambda post: post.source):
        if post.translation_key and post.language:
            families.setdefault(post.translation_key, {}).setdefault(post.language, post.source)
    return [
        {source: language for language, source in family.items()}
        for family in families.values()
        if len(family) > 1
    ]


def group_sources(sources: Iterable[str]) -> list[Named]:
    """Find every group of two sources or more; a source is in one group at most."""
    ordered = sorted(sources)
    found: list[Named] = []
    taken: set[str] = set()
    for family in (*_by_name(ordered), *_by_folder(ordered)):
        group = {source: family[source] for source in family if source not in taken}
        if len(group) > 1:
            found.append(group)
            taken |= group.keys()
    return found


def name_languages(group: Named, spoken: Mapping[str, str]) -> dict[str, str]:
    """Return, by source, the language that its place names, else what it is `spoken` in.

    Two translations cannot be in one language: a place that names none gives way.
    """
    taken = set(group.values())
    return {
        source: language or (UNDETERMINED if spoken[source] in taken else spoken[source])
        for source, language in group.items()
    }


def _by_name(sources: Iterable[str]) -> Iterator[Named]:
    families: dict[str, dict[str, str]] = {}
    for source in sources:
        place, language = _without_language(source)
        families.setdefault(place, {}).setdefault(language, source)
    for family in families.values():
        yield {source: language for language, source in family.items()}


def _without_language(source: str) -> tuple[str, str]:
    """The place that translations share, and the language that sets this one apart."""
    match = _DOCUSAURUS.fullmatch(source)
    if match and (language := language_tag(match[2])):
        return "/".join(filter(None, (match[1], "blog", _stem(match[3])))), language
    stem = _stem(source)
    shorter, dot, suffix = stem.rpartition(".")
    language = language_tag(suffix) if dot and not shorter.endswith("/") else ""
    return (shorter, language) if shorter and language else (stem, "")


def _by_folder(sources: Sequence[str]) -> Iterator[Named]:
    """Families by a folder named as a language, outermost folders first."""
    families: dict[tuple[str, str], dict[str, str]] = {}
    for source in sources:
        for level, language, below in _language_folders(source):
            families.setdefault((level, below), {}).setdefault(language, source)
    for place, source in _beside(families, sources).items():
        families[place].setdefault("", source)
    siblings = {place: family for place, family in families.items() if len(family) > 1}
    proved = {level for level, below in siblings if below not in _LANDING}
    for level, below in sorted(siblings, key=lambda place: (place[0].count("/"), place)):
        if level in proved:
            family = siblings[level, below]
            yield {source: language for language, source in family.items()}


def _beside(
    families: Iterable[tuple[str, str]], sources: Sequence[str]
) -> dict[tuple[str, str], str]:
    """By place, the source in the default language, which has no folder of its own."""
    stems = {_stem(source): source for source in reversed(sources)}
    pairs = {place: stems["".join(place)] for place in families if "".join(place) in stems}
    shared = Counter(level for level, below in pairs if below not in _LANDING)
    return {place: source for place, source in pairs.items() if shared[place[0]] >= BESIDE}


def _language_folders(source: str) -> Iterator[tuple[str, str, str]]:
    """Each folder that may name a language: what is above it, the language, what is below."""
    parts = _stem(source).split("/")
    for depth, folder in enumerate(parts[:-1]):
        if language := language_tag(folder):
            level = "".join(f"{part}/" for part in parts[:depth])
            yield level, language, "/".join(parts[depth + 1 :])


def _stem(source: str) -> str:
    """A source without its ending; each has one."""
    return source.rpartition(".")[0]
