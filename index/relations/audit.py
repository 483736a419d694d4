"""The state of a blog: what its author would want to mend, each finding with its evidence.

A finding is a fact that can be looked up (this line, that file), never a number of likeness. What
cannot be known is not reported.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from blog_search_mcp.index.analysis.tokenizer import name_key
from blog_search_mcp.index.relations.breaks import Break, count_unjudged, find_breaks
from blog_search_mcp.index.relations.repeats import Texts, find_repeats, read_texts

if TYPE_CHECKING:
    from blog_search_mcp.index.posts.last_ingest import ContentFolder
    from blog_search_mcp.index.relations.corpus import Corpus
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
NAMED = 3
"""Posts that have a description too and are named: a site may give one to all."""


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
    """Look at a whole blog, once for each opened generation, folder and day."""
    return corpus.keep("audit", (folder, today), lambda: _audit(corpus, folder, today))


def _audit(corpus: Corpus, folder: ContentFolder, today: date) -> Audit:
    breaks = sorted(
        find_breaks(corpus, folder), key=lambda each: corpus.posts[each.post].source
    )  # stable: by line within a post
    posts = sorted(corpus.posts.values(), key=lambda post: (_newest_first(post), post.source))
    texts = read_texts(corpus)
    findings: dict[Kind, Iterable[Finding]] = {
        "broken-links": (_describe(corpus, each) for each in breaks if each.reason != "anchor"),
        "broken-anchors": (_describe(corpus, each) for each in breaks if each.reason == "anchor"),
        "orphans": _find_orphans(corpus),
        "near-duplicates": (
            Finding("near-duplicates", each.newer, each.lines[0], each.detail, (each.older,))
            for each in find_repeats(corpus, texts)
            if not _NO_POST.search(each.newer)
        ),
        "descriptions": _judge_descriptions(corpus, posts, texts),
        "tags": _judge_tags(posts),
        "stale-drafts": _find_stale_drafts(folder, today),
    }
    notice = " ".join(filter(None, (folder.problem, _say_unjudged(corpus))))
    return Audit(len(posts), {kind: tuple(findings[kind]) for kind in KINDS}, notice)


def _say_unjudged(corpus: Corpus) -> str:
    """Say how many links by a path of the site nobody can judge, `""` if there are none."""
    count = count_unjudged(corpus)
    links = "One link by a path" if count == 1 else f"{count:,} links by a path"
    found = corpus.addresses.contradiction
    reason = (
        f"the posts' links contradict their addresses: {found.href} leads to {found.url}"
        if found
        else "nobody knows where posts are published"
    )
    said = (
        f"{links} of the site, such as /posts/name/, cannot be looked up, since {reason}; an "
        "ingest with --base-url and --permalink notes it."
    )
    return said if count else ""


def _newest_first(post: Post) -> int:
    return -date.fromisoformat(post.date).toordinal() if post.date else 0


def _describe(corpus: Corpus, found: Break) -> Finding:
    post = corpus.posts[found.post]
    nearest = corpus.posts[found.nearest].source if found.nearest is not None else ""
    href = found.link.href
    match found.reason:
        case "draft":
            detail = f"{href} leads to {found.draft}, which is not published"
        case "scheme":
            detail = f"{href} lacks its https:// and leads nowhere"
        case "anchor":
            detail = f"{href} names an anchor that {nearest} has not"
        case "missing":
            detail = f"{href} leads nowhere" + (f"; nearest: {nearest}" if nearest else "")
    kind: Kind = "broken-anchors" if found.reason == "anchor" else "broken-links"
    return Finding(kind, post.source, found.link.line, detail, (nearest,) if nearest else ())


_NO_POST = re.compile(r"(?:^|/)(?:_index|readme)\.\w+$|^index\.\w+$", re.IGNORECASE)
"""Files of lists: of a section, of a folder, of the site."""


def _find_orphans(corpus: Corpus) -> Iterator[Finding]:
    """Find posts that no other post links to, the newest first; a list is no post."""
    posts = {
        number: post for number, post in corpus.posts.items() if not _NO_POST.search(post.source)
    }
    reached = frozenset(
        to for of, targets in corpus.linked.items() if of in posts for to in targets
    )
    alone = [post for number, post in posts.items() if number not in reached]
    for post in sorted(alone, key=lambda post: (_newest_first(post), post.source)):
        dated = f" of {post.date}" if post.date else ""
        yield Finding("orphans", post.source, 0, f"no other post links to “{post.title}”{dated}")


def _judge_descriptions(corpus: Corpus, posts: Sequence[Post], texts: Texts) -> Iterator[Finding]:
    """Find descriptions that are missing, shared by several posts, or say nothing of theirs."""
    described = [post for post in posts if post.description]
    pages = [post for post in posts if not _NO_POST.search(post.source)]
    if not described:
        if pages:
            yield Finding("descriptions", "", 0, "no post has a description")
        return
    numbers = {post.source: number for number, post in corpus.posts.items()}
    same: defaultdict[str, dict[int, None]] = defaultdict(dict)
    for post in described:
        same[name_key(post.description)][numbers[post.source]] = None
    for post in pages:
        key = name_key(post.description)
        if not post.description:
            yield Finding("descriptions", post.source, 0, "has no description")
        elif key == name_key(post.title):
            yield Finding("descriptions", post.source, 0, "the description is the title")
        else:
            number = numbers[post.source]
            own = {number} | corpus.translations_of(number)
            twins = (corpus.posts[each].source for each in same[key] if each not in own)
            named = tuple(islice(twins, NAMED))
            if key and named:
                left = len(same[key]) - sum(each in same[key] for each in own) - 2
                shown = ", ".join(named[:2]) + (f" and {left:,} more" if left > 0 else "")
                detail = f"the description “{_cut(post.description)}” is also that of {shown}"
                yield Finding("descriptions", post.source, 0, detail, named)
            elif number in texts.apart:
                detail = f"no word of the description “{_cut(post.description)}” is in the post"
                yield Finding("descriptions", post.source, 0, detail)


def _judge_tags(posts: Sequence[Post]) -> Iterator[Finding]:
    """Find tags that are spelled in several ways, then those of one post."""
    counts = Counter(tag for post in posts for tag in post.tags)
    users = {tag: post.source for post in posts for tag in post.tags}
    spelled: defaultdict[str, list[str]] = defaultdict(list)
    for tag in sorted(counts):
        spelled[name_key(tag) or tag].append(tag)
    keys = {key: _singular(key) for key in spelled}
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for key in spelled:
        groups[keys[key] if keys[key] in spelled else key] += spelled[key]
    twice = {tag for tags in groups.values() if len(tags) > 1 for tag in tags}
    for tags in sorted(groups.values()):
        if len(tags) > 1:
            ordered = sorted(tags, key=lambda tag: (-counts[tag], tag))
            shown = ", ".join(f"“{tag}” ({counts[tag]})" for tag in ordered)
            sources = tuple(dict.fromkeys(users[tag] for tag in reversed(ordered)))
            yield Finding("tags", sources[0], 0, f"one tag in several spellings: {shown}", sources)
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


def _cut(words: str) -> str:
    return words if len(words) <= 60 else f"{words[:59].rstrip()}…"
