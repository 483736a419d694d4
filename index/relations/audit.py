"""The state of a blog: what its author would want to mend, each finding with its evidence.

A finding is a fact that can be looked up (this line, that file), never a number of likeness. What
cannot be known is not reported.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from blog_search_mcp.index.analysis.tokenizer import name_key
from blog_search_mcp.index.relations.breaks import Break, count_unjudged, find_breaks
from blog_search_mcp.index.relations.passages import nearest
from blog_search_mcp.index.relations.paths import parse_path
from blog_search_mcp.index.relations.similarity.wording import Runs, Wording, read_wording

if TYPE_CHECKING:
    from blog_search_mcp.index.posts.left_out import ContentFolder
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.types import Chunk, Post

Kind: TypeAlias = Literal[
    "broken-links",
    "broken-anchors",
    "orphans",
    "near-duplicates",
    "descriptions",
    "tags",
    "stale-drafts",
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

STALE = timedelta(days=180)
"""Age from which on a draft counts as left."""
SAME = 0.6
"""Least share of the shorter post's runs of words that stand in a near-duplicate."""
FEWEST = 60
"""Words that the shorter post has at least."""
NEAR = 2
"""Posts nearest in meaning that each post is compared with, since likeness decides nothing."""
NAMED = 3
"""Posts that have a description too and are named: a site may give one to all."""


_Texts: TypeAlias = "Sequence[tuple[Chunk, Wording]]"
"""The passages of a post with their words."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend."""

    kind: Kind
    source: str
    """The post or draft; empty for what concerns the blog as a whole."""
    line: int
    """Of the file, from 1; 0 for the post as a whole."""
    detail: str
    """In a sentence without a full stop."""
    others: tuple[str, ...] = ()
    """Sources of posts that it names, the nearest target or the twin first."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The state of one blog."""

    posts: int
    findings: Mapping[Kind, tuple[Finding, ...]]
    """Of each of KINDS, in the order in which they are shown."""
    notice: str = ""
    """What could not be looked at, in a sentence, else empty."""


def audit(corpus: Corpus, folder: ContentFolder, today: date) -> Audit:
    """Look at a whole blog."""
    breaks = sorted(find_breaks(corpus, folder), key=lambda each: corpus.posts[each.post].source)
    every = sorted(corpus.posts.values(), key=lambda post: post.source)
    every.sort(key=lambda post: post.date or "", reverse=True)
    posts = [post for post in every if not parse_path(post.source).is_list]
    findings: dict[Kind, Iterable[Finding]] = {
        "broken-links": (_describe(corpus, each) for each in breaks if each.reason != "anchor"),
        "broken-anchors": (_describe(corpus, each) for each in breaks if each.reason == "anchor"),
        "orphans": _find_orphans(corpus, posts),
        "near-duplicates": _find_repeats(corpus, {post.source for post in posts}),
        "descriptions": _judge_descriptions(corpus, every, posts),
        "tags": _judge_tags(every),
        "stale-drafts": _find_stale_drafts(folder, today),
    }
    notice = " ".join(filter(None, (folder.problem, _say_unjudged(corpus))))
    return Audit(len(every), {kind: tuple(findings[kind]) for kind in KINDS}, notice)


def _say_unjudged(corpus: Corpus) -> str:
    """Say how many links by a path of the site nobody can judge, `""` if there are none."""
    count = count_unjudged(corpus)
    if not count:
        return ""
    links = "One link by a path" if count == 1 else f"{count:,} links by a path"
    reason = "nobody knows where posts are published"
    if wrong := corpus.addresses.contradiction:
        reason = f"the posts' links contradict their addresses: {wrong.href} leads to {wrong.url}"
    return (
        f"{links} of the site, such as /posts/name/, cannot be looked up, since {reason}; an "
        "ingest with --base-url and --permalink notes it."
    )


def _describe(corpus: Corpus, broken: Break) -> Finding:
    post = corpus.posts[broken.post]
    nearest = corpus.posts[broken.nearest].source if broken.nearest is not None else ""
    href = broken.link.href
    match broken.reason:
        case "draft":
            detail = f"{href} leads to {broken.draft}, which is not published"
        case "scheme":
            detail = f"{href} lacks its https:// and leads nowhere"
        case "anchor":
            detail = f"{href} names an anchor that {nearest} has not"
        case "missing":
            detail = f"{href} leads nowhere" + (f"; nearest: {nearest}" if nearest else "")
    kind: Kind = "broken-anchors" if broken.reason == "anchor" else "broken-links"
    return Finding(kind, post.source, broken.link.line, detail, (nearest,) if nearest else ())


def _find_orphans(corpus: Corpus, posts: Sequence[Post]) -> Iterator[Finding]:
    """Find posts that no other post links to; links of a list do not count."""
    sources = {post.source for post in posts}
    linking = (of for of in corpus.linked if corpus.posts[of].source in sources)
    reached = {corpus.posts[to].source for of in linking for to in corpus.linked[of]}
    for post in posts:
        if post.source not in reached:
            dated = f" of {post.date}" if post.date else ""
            detail = f"no other post links to “{post.title}”{dated}"
            yield Finding("orphans", post.source, 0, detail)


def _find_repeats(corpus: Corpus, sources: Set[str]) -> list[Finding]:
    """Find posts that have most of their words in common with one, of the nearest two in meaning.

    The newer is named, if it is one of `sources`; the pairs with the largest share come first.
    """

    @cache
    def read(number: int) -> _Texts:
        chunks = corpus.snapshot.catalog.chunks_of(number).values()
        language = corpus.posts[number].language
        return [(chunk, read_wording(chunk.plain, language)) for chunk in chunks]

    blog, posts = corpus.passages, corpus.posts
    places, _ = nearest(blog.directions, NEAR)
    near = zip(blog.posts.tolist(), blog.posts[places].tolist(), strict=True)
    pairs = {frozenset((one, other)) for one, others in near for other in others}
    repeats: list[tuple[float, Finding]] = []
    for pair in pairs:
        older, newer = sorted(pair, key=lambda n: (posts[n].date or "", posts[n].source))
        if newer not in corpus.translations_of(older) and posts[newer].source in sources:
            repeats += _compare(posts[newer], posts[older], read(newer), read(older))
    repeats.sort(key=lambda repeat: (-repeat[0], repeat[1].source, repeat[1].others))
    return [finding for _, finding in repeats]


def _compare(
    post: Post, twin: Post, late: _Texts, early: _Texts
) -> Iterator[tuple[float, Finding]]:
    """Yield the share of the shorter post's runs of words in the other, if it is most of them."""
    runs, others = (frozenset().union(*(words.runs for _, words in each)) for each in (late, early))
    common: Runs = runs & others
    share = len(common) / max(1, min(len(runs), len(others)))
    shorter = min(sum(len(words.stems) for _, words in each) for each in (late, early))
    if shorter < FEWEST or share < SAME:
        return
    mine, said = max(late, key=lambda each: len(each[1].runs & common))
    theirs, _ = max(early, key=lambda each: len(each[1].runs & said.runs))
    detail = (
        f"{share:.0%} of its words stand in {twin.source} too"
        if len(runs) <= len(others)
        else f"{share:.0%} of the words of {twin.source} stand in it too"
    )
    here, there = (f"{each.first_line} to {each.last_line}" for each in (mine, theirs))
    detail += f"; lines {here} are lines {there} there"
    if named := next((each for each in (post, twin) if each.canonical_url), None):
        detail += f"; {named.source} names {named.canonical_url} as its original"
    yield share, Finding("near-duplicates", post.source, mine.first_line, detail, (twin.source,))


def _judge_descriptions(
    corpus: Corpus, every: Sequence[Post], posts: Sequence[Post]
) -> Iterator[Finding]:
    """Find descriptions that are missing, the title, or shared by several posts."""
    same: defaultdict[str, list[str]] = defaultdict(list)
    for post in every:
        if post.description:
            same[name_key(post.description)].append(post.source)
    if not same and posts:
        yield Finding("descriptions", "", 0, "no post has a description")
        return
    translations = corpus.snapshot.translations
    own = {
        each.source: {other.source for other in group}
        for group in translations.groups.values()
        for each in group
    }
    for post in posts:
        key, shown = name_key(post.description), post.description
        twins = [each for each in same[key] if each not in own.get(post.source, {post.source})]
        if not post.description:
            yield Finding("descriptions", post.source, 0, "has no description")
        elif key == name_key(post.title):
            yield Finding("descriptions", post.source, 0, "the description is the title")
        elif key and twins:
            shown = shown if len(shown) <= 60 else f"{shown[:59].rstrip()}…"
            more = f" and {len(twins) - 2:,} more" if len(twins) > 2 else ""
            detail = f"the description “{shown}” is also that of {', '.join(twins[:2])}{more}"
            yield Finding("descriptions", post.source, 0, detail, tuple(twins[:NAMED]))


def _judge_tags(posts: Sequence[Post]) -> Iterator[Finding]:
    """Find tags that are spelled in several ways, then those of one post."""
    counts = Counter(tag for post in posts for tag in post.tags)
    users = {tag: post.source for post in posts for tag in post.tags}
    keys = {name_key(tag) or tag for tag in counts}
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for tag in sorted(counts):
        key = name_key(tag) or tag
        groups[singular if (singular := _singular(key)) in keys else key].append(tag)
    spelled = sorted(tags for tags in groups.values() if len(tags) > 1)
    for tags in spelled:
        ordered = sorted(tags, key=lambda tag: (-counts[tag], tag))
        shown = ", ".join(f"“{tag}” ({counts[tag]})" for tag in ordered)
        sources = tuple(dict.fromkeys(users[tag] for tag in reversed(ordered)))
        yield Finding("tags", sources[0], 0, f"one tag in several spellings: {shown}", sources)
    twice = {tag for tags in spelled for tag in tags}
    for tag in sorted(counts.keys() - twice):
        if counts[tag] == 1:
            yield Finding("tags", users[tag], 0, f"only this post has the tag “{tag}”")


def _singular(key: str) -> str:
    """Return the singular of an English tag that may be a plural, else the tag."""
    if len(key) < 5 or not key.isascii() or not key.endswith("s") or key.endswith("ss"):
        return key
    if key.endswith("ies"):
        return f"{key[:-3]}y"
    return key[:-2] if re.search(r"(?:ss|sh|ch|x)es$", key) else key[:-1]


def _find_stale_drafts(folder: ContentFolder, today: date) -> Iterator[Finding]:
    """Find drafts that were left, the one left longest first."""
    before = (today - STALE).isoformat()
    drafts = [each for each in folder.left_out if each.reason == "draft" and each.day < before]
    for draft in sorted(drafts, key=lambda draft: (draft.day, draft.post.source)):
        since = f"dated {draft.day}" if draft.is_written else f"last changed on {draft.day}"
        yield Finding("stale-drafts", draft.post.source, 0, f"draft “{draft.post.title}”, {since}")
