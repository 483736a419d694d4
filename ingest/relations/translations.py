"""Group posts of a blog that are the same post in other languages.

Authors mark translations with a key in the front matter, or by place: a suffix (`post.md`,
`post.zh.md`), a folder (`en/post.md`, `zh/post.md`, and perhaps `post.md` beside them) or
Docusaurus's `i18n`. The post must also be in the place's language, as declared or by its text,
because `it/` and `be/` are often topics. If most texts below one folder (or with suffixes) are in
their place's language, a post of no known language counts too, and so does an untranslated copy. If
these texts confirm MIN_LANGUAGES, any post counts. Each change of posts makes all groups anew.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from blog_search_mcp.index.text.languages import UNDETERMINED, is_spoken, read_tag
from blog_search_mcp.index.types import Post, Translation

_DOCUSAURUS = re.compile(
    r"((?:.+/)?)i18n/([^/]+)/docusaurus-plugin-content-(blog|docs|pages)(?:-[^/]+)?/(?:current/)?(.+)"
)
_LANGUAGE_SUFFIX = re.compile(r"(.*?[^/])[._-]([^\W\d_]{2,10}(?:[-_][^\W\d_]{2,4})?)")
Family = dict[str, str]
"""Source of the post by language tag."""
MIN_LANGUAGES = 3
"""Minimum languages that texts confirm in the folders of a level. Then all these folders count as
languages: on one site, most posts in `zh-tw/` and `th/` are still English."""


class _Sign(NamedTuple):
    """A language in the path of a post."""

    depth: int
    """Number of folders above the language's folder; -1 for a suffix, which counts first."""
    level: str
    """Path above the language's folder; `.` for a suffix."""
    place: str
    """Path without the language, where the post in the site's first language may be."""
    tag: str


def find_translations(posts: Mapping[int, Post]) -> list[list[Translation]]:
    """Group all posts of a blog, given by ID, by translation; a group has at least two posts.

    A post is in at most one group. If two have the same key and language, the first source counts.
    """
    ids = {post.source: number for number, post in posts.items()}
    by_source = {source: posts[ids[source]] for source in sorted(ids)}
    groups, of_source, by_key = list[Family](), dict[str, Family](), defaultdict[str, Family](dict)
    for source, post in by_source.items():
        if post.translation_key and post.language:
            by_key[post.translation_key].setdefault(post.language, source)
    for family in (*by_key.values(), *_by_place(by_source)):
        group = next((of_source[s] for s in family.values() if s in of_source), Family())
        others = {
            language: source
            for language, source in family.items()
            if source not in of_source and language not in group
        }
        if len(others) + len(group) > 1:
            groups += [] if group else [group]
            group |= others
            of_source |= dict.fromkeys(group.values(), group)
    return [
        [Translation(ids[source], source, language) for language, source in group.items()]
        for group in groups
    ]


def _by_place(posts: dict[str, Post]) -> Iterator[Family]:
    """Yield families by suffixes, then by folders, outermost first; `posts` are in source order."""
    stems = {_find_place(source): post for source, post in reversed(posts.items())}
    signs = [(sign, post) for place, post in reversed(stems.items()) for sign in _read_signs(place)]
    votes, tags = Counter[str](), defaultdict[str, set[str]](set)
    families, unsaid = defaultdict[tuple[int, str, str], Family](dict), list[tuple[_Sign, Post]]()
    for sign, post in signs:
        is_shown = post.language not in ("", UNDETERMINED)
        if is_spoken(sign.tag, post.language):
            families[sign[:3]].setdefault(sign.tag, post.source)
            tags[sign.level].add(sign.tag)
        else:
            unsaid.append((sign, post))
        votes[sign.level] += is_shown * (1 if is_spoken(sign.tag, post.language) else -1)
    for sign, post in unsaid:
        family, beside = families[sign[:3]], stems.get(sign.place, post)
        is_copy = post is not beside and post.title == beside.title
        is_copy |= post.title in {posts[source].title for source in family.values()}
        is_usual = post.language in ("", UNDETERMINED) or len(tags[sign.level]) >= MIN_LANGUAGES
        if votes[sign.level] > 0 and (is_copy or is_usual):
            family.setdefault(sign.tag, post.source)
    for (_, _, place), family in families.items():
        if (first := stems.get(place)) and first.language not in family:
            family[first.language or UNDETERMINED] = first.source
    for _, family in sorted(families.items()):
        yield dict(sorted(family.items()))


def _find_place(source: str) -> str:
    """Return a source without suffix; a folder of Docusaurus becomes a language suffix."""
    stem = source.rpartition(".")[0]
    if not (match := _DOCUSAURUS.fullmatch(stem)):
        return stem
    above, language, kind, below = match.groups()
    return f"{above}{'src/' * (kind == 'pages')}{kind}/{below}.{language}"


def _read_signs(place: str) -> Iterator[_Sign]:
    """Yield a sign for the suffix and for each folder, if its name is a language tag."""
    if (match := _LANGUAGE_SUFFIX.fullmatch(place)) and (tag := read_tag(match[2])):
        yield _Sign(-1, ".", match[1], tag)
    folders = place.split("/")
    for depth, folder in enumerate(folders[:-1]):
        if tag := read_tag(folder):
            level = "".join(f"{folder}/" for folder in folders[:depth])
            yield _Sign(depth, level, level + "/".join(folders[depth + 1 :]), tag)
