"""The state of a blog: what its author would want to mend, each finding with its evidence.

A finding is a fact that can be looked up (this line, that file), never a number of likeness. What
cannot be known is not reported.
"""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Final, Literal, TypeAlias, get_args

from blog_search_mcp.index.analysis.tokenizer import name_key
from blog_search_mcp.index.posts.last_ingest import ContentFolder
from blog_search_mcp.index.relations.breaks import Break, count_unjudged, find_breaks
from blog_search_mcp.index.relations.corpus import Corpus
from blog_search_mcp.index.relations.passages import nearest
from blog_search_mcp.index.relations.paths import parse_path
from blog_search_mcp.index.relations.similarity.wording import Wording, read_wording, share_runs
from blog_search_mcp.index.types import Post

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


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend."""

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
    count, wrong = count_unjudged(corpus), corpus.addresses.contradiction
    if not count:
        return ""
    reason = "nobody knows where posts are published"
    if wrong:
        reason = f"the posts' links contradict their addresses: {wrong.href} leads to {wrong.url}"
    return (
        f"Links by a path of the site, such as /posts/name/, cannot be looked up ({count:,}): "
        f"{reason}; an ingest with --base-url and --permalink notes it."
    )


def _describe(corpus: Corpus, broken: Break) -> Finding:
    told = {
        "missing": "leads nowhere" + (f"; nearest: {broken.nearest}" if broken.nearest else ""),
        "anchor": f"names an anchor that {broken.nearest} has not",
        "draft": f"leads to {broken.draft}, which is not published",
    }
    detail = f"{broken.link.href} {told[broken.reason]}"
    others = (broken.nearest,) if broken.nearest else ()
    return Finding(corpus.posts[broken.post].source, broken.link.line, detail, others)


def _find_orphans(corpus: Corpus, posts: Sequence[Post]) -> Iterator[Finding]:
    """Find posts that no other post links to; links of a list do not count."""
    sources = {post.source for post in posts}
    linking = (of for of in corpus.linked if corpus.posts[of].source in sources)
    reached = {corpus.posts[to].source for of in linking for to in corpus.linked[of]}
    for post in posts:
        if post.source not in reached:
            dated = f" of {post.date}" if post.date else ""
            detail = f"no other post links to “{post.title}”{dated}"
            yield Finding(post.source, 0, detail)


def _find_repeats(corpus: Corpus, sources: Set[str]) -> Iterator[Finding]:
    """Find posts that have most of their words in common with one, of the nearest two in meaning.

    The newer is named, if it is one of `sources`; the pairs with the largest share come first.
    """

    @cache
    def read(number: int) -> Wording:
        chunks = corpus.snapshot.catalog.chunks_of(number).values()
        return read_wording("\n".join(each.plain for each in chunks), posts[number].language)

    blog, posts = corpus.passages, corpus.posts
    places, _ = nearest(blog.directions, NEAR)
    near = zip(blog.posts.tolist(), blog.posts[places].tolist(), strict=True)
    pairs = {frozenset((one, other)) for one, others in near for other in others}
    repeats: list[tuple[float, str, str]] = []
    for pair in pairs:
        older, newer = sorted(pair, key=lambda n: (posts[n].date or "", posts[n].source))
        shorter, longer = sorted((read(newer), read(older)), key=lambda text: len(text.runs))
        share, source = share_runs(shorter.runs, longer.runs), posts[newer].source
        is_apart = newer in corpus.translations_of(older) or source not in sources
        if share >= SAME and shorter.length >= FEWEST and not is_apart:
            repeats.append((-share, source, posts[older].source))
    for share, source, twin in sorted(repeats):
        shown = f"has {-share:.0%} of the shorter one's words in common with {twin}"
        yield Finding(source, 0, shown, (twin,))


def _judge_descriptions(
    corpus: Corpus, every: Sequence[Post], posts: Sequence[Post]
) -> Iterator[Finding]:
    """Find descriptions that are missing, the title, or shared by several posts."""
    same: defaultdict[str, list[str]] = defaultdict(list)
    for post in every:
        if post.description:
            same[name_key(post.description)].append(post.source)
    if not same and posts:
        yield Finding("", 0, "no post has a description")
        return
    groups = corpus.snapshot.translations.groups.values()
    own = {each.source: {other.source for other in group} for group in groups for each in group}
    for post in posts:
        key = name_key(post.description)
        twins = [each for each in same[key] if each not in own.get(post.source, {post.source})]
        if not post.description:
            yield Finding(post.source, 0, "has no description")
        elif key == name_key(post.title):
            yield Finding(post.source, 0, "the description is the title")
        elif key and twins:
            shown = textwrap.shorten(post.description, 60, placeholder="…")
            more = f" and {len(twins) - 2:,} more" if len(twins) > 2 else ""
            detail = f"the description “{shown}” is also that of {', '.join(twins[:2])}{more}"
            yield Finding(post.source, 0, detail, tuple(twins[:2]))


def _judge_tags(posts: Sequence[Post]) -> Iterator[Finding]:
    """Find tags that are spelled in several ways, then those of one post."""
    counts = Counter(tag for post in posts for tag in post.tags)
    users = {tag: post.source for post in posts for tag in post.tags}
    keys = {tag: name_key(tag) or tag for tag in counts}
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for tag, key in sorted(keys.items()):
        is_plural = len(key) > 4 and key[-1] == "s" and key[:-1] in keys.values()
        groups[key[:-1] if is_plural else key].append(tag)
    for tags in sorted(tags for tags in groups.values() if len(tags) > 1):
        ordered = sorted(tags, key=lambda tag: (-counts[tag], tag))
        shown = ", ".join(f"“{tag}” ({counts[tag]})" for tag in ordered)
        sources = tuple(dict.fromkeys(users[tag] for tag in reversed(ordered)))
        yield Finding(sources[0], 0, f"one tag in several spellings: {shown}", sources)
    for tag in sorted(tags[0] for tags in groups.values() if len(tags) == 1):
        if counts[tag] == 1:
            yield Finding(users[tag], 0, f"only this post has the tag “{tag}”")


def _find_stale_drafts(folder: ContentFolder, today: date) -> Iterator[Finding]:
    """Find drafts that were left, the one left longest first."""
    before = (today - STALE).isoformat()
    drafts = [each for each in folder.left_out if each.reason == "draft" and each.day < before]
    for draft in sorted(drafts, key=lambda draft: (draft.day, draft.post.source)):
        since = f"dated {draft.day}" if draft.is_written else f"last changed on {draft.day}"
        yield Finding(draft.post.source, 0, f"draft “{draft.post.title}”, {since}")
