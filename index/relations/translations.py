"""Translations: which posts of a blog are the same post in other languages.

Generators recognise translations by their place: a suffix (`post.md`, `post.zh.md`), a folder
(`en/post.md`, `zh/post.md`, and perhaps `post.md` beside them) or Docusaurus's `i18n` folder; or
by a key in the front matter. One source alone cannot say whether `it/` is Italian or a topic,
and a group changes when a sibling comes or goes, so every generation is written with groups of
its own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from blog_search_mcp.index.analysis.languages import UNDETERMINED, language_tag
from blog_search_mcp.index.relations.paths import INDEXES
from blog_search_mcp.index.types import Post, Translation

BESIDE = 2
"""Posts that must lie in the same places beside and below a folder named as a language, for the
ones beside to be in the default language: one alone may be a topic's namesake."""

_DOCUSAURUS = re.compile(r"(?:(.+)/)?i18n/([^/]+)/docusaurus-plugin-content-blog/(.+)")

Group = Mapping[str, str]
"""By source, the language that its place names; `""` for an unnamed default."""
Family = Mapping[str, str]
"""The same by language."""


def find_translations(posts: Mapping[int, Post]) -> list[list[Translation]]:
    """Find the groups of two or more among all posts of a blog, by id."""
    ids = {post.source: number for number, post in posts.items()}
    spoken = {post.source: post.language for post in posts.values()}
    groups = _apart(_by_key(posts.values()))
    others = ids.keys() - {source for group in groups for source in group}
    groups += [name_languages(group, spoken) for group in group_sources(others)]
    return [
        [Translation(ids[source], source, group[source]) for source in group] for group in groups
    ]


def group_sources(sources: Iterable[str]) -> list[Group]:
    """Find every group of two sources or more; a source is in one group at most."""
    ordered = sorted(sources)
    return _apart((*_by_name(ordered), *_by_folder(ordered)))


def name_languages(group: Group, spoken: Mapping[str, str]) -> Group:
    """Return, by source, the language that its place names, else what it is `spoken` in.

    Two translations cannot be in one language: a place that names none gives way.
    """
    taken = set(group.values())
    return {
        source: language or (UNDETERMINED if spoken[source] in taken else spoken[source])
        for source, language in group.items()
    }


def _apart(families: Iterable[Family]) -> list[Group]:
    """Return the families of two or more, each without what is in an earlier one."""
    groups: list[Group] = []
    taken: set[str] = set()
    for family in families:
        group = {source: language for language, source in family.items() if source not in taken}
        if len(group) > 1:
            groups.append(group)
            taken |= group.keys()
    return groups


def _by_key(posts: Iterable[Post]) -> Collection[Family]:
    """Group by the key that authors gave; of two in one language the first by its source."""
    keyed = sorted((p.source, p.translation_key, p.language) for p in posts if p.translation_key)
    return _collect((key, language, source) for source, key, language in keyed if language)


def _by_name(sources: Iterable[str]) -> Collection[Family]:
    return _collect((*_without_language(source), source) for source in sources)


def _collect(named: Iterable[tuple[str, str, str]]) -> Collection[Family]:
    """Collect families from the place or key, the language and the source of each post."""
    families: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for place, language, source in named:
        families[place].setdefault(language, source)
    return families.values()


def _without_language(source: str) -> tuple[str, str]:
    """Return the place that translations share, and the language that sets this one apart."""
    match = _DOCUSAURUS.fullmatch(source)
    if match and (language := language_tag(match[2])):
        return "/".join(filter(None, (match[1], "blog", _stem(match[3])))), language
    stem = _stem(source)
    shorter, dot, suffix = stem.rpartition(".")
    language = language_tag(suffix) if dot and not shorter.endswith("/") else ""
    return (shorter, language) if shorter and language else (stem, "")


def _by_folder(sources: Sequence[str]) -> Iterator[Family]:
    """Yield families by a folder named as a language, outermost folders first.

    The default language may have none and lie beside the folders.
    """
    families: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for source in sources:
        for level, language, below in _language_folders(source):
            families[level, below].setdefault(language, source)
    stems = {_stem(source): source for source in reversed(sources)}
    beside = {place: stems[place[0] + place[1]] for place in families if "".join(place) in stems}
    shared = Counter(level for level, below in beside if below not in INDEXES)
    for (level, below), source in beside.items():
        if shared[level] >= BESIDE:
            families[level, below].setdefault("", source)
    siblings = {place: family for place, family in families.items() if len(family) > 1}
    proved = {level for level, below in siblings if below not in INDEXES}
    for level, below in sorted(siblings, key=lambda place: (place[0].count("/"), place)):
        if level in proved:
            yield siblings[level, below]


def _language_folders(source: str) -> Iterator[tuple[str, str, str]]:
    """Yield each folder that may name a language: what is above it, the language, what is below."""
    parts = _stem(source).split("/")
    for depth, folder in enumerate(parts[:-1]):
        if language := language_tag(folder):
            level = "".join(f"{part}/" for part in parts[:depth])
            yield level, language, "/".join(parts[depth + 1 :])


def _stem(source: str) -> str:
    """Return a source without its ending; each has one."""
    return source.rpartition(".")[0]
