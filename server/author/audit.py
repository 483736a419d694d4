"""The audit of a blog: findings that its author may want to mend, each with its evidence.

A finding is a fact that the author can look up (a line, a file), never a similarity score.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache

from blog_search_mcp.index.text.tokenizer import name_key
from blog_search_mcp.index.types import Post
from blog_search_mcp.ingest.last_ingest import ContentFolder
from blog_search_mcp.ingest.posts.paths import parse_path, split_page
from blog_search_mcp.server.author.broken_links import Finding, find_breaks
from blog_search_mcp.server.author.corpus import Corpus
from blog_search_mcp.server.author.neighbors import find_nearest_rows
from blog_search_mcp.server.author.overlap import Wording, read_wording, share_runs

DUPLICATE_SHARE = 0.6
"""Minimum share of the shorter post's runs of words that the longer near-duplicate contains."""


def audit(
    corpus: Corpus, folder: ContentFolder, today: date
) -> tuple[dict[str, tuple[Finding, ...]], str]:
    """Return the findings by kind, in the order of display, and a notice of impossible checks."""
    links, anchors = find_breaks(corpus, folder)
    ordered = sorted(corpus.posts.items(), key=lambda item: item[1].source)
    ordered.sort(key=lambda item: item[1].date or "", reverse=True)
    posts = {number: post for number, post in ordered if not parse_path(post.source).is_list}
    findings = {
        "broken-links": links,
        "broken-anchors": anchors,
        "orphans": _find_orphans(corpus, posts),
        "near-duplicates": _find_repeats(corpus, posts),
        "tags": _judge_tags([post for _, post in ordered]),
        "stale-drafts": _find_stale_drafts(folder, today),
    }
    unjudged = "" if len(corpus.passages.posts) else "Without vectors no near-duplicates are found."
    notice = " ".join(filter(None, (folder.problem, _explain_unjudged(corpus), unjudged)))
    return {kind: tuple(of) for kind, of in findings.items()}, notice


def _explain_unjudged(corpus: Corpus) -> str:
    """Explain why links by site paths cannot be judged; `""` if they can or all have a target."""
    missed = (link.href for links in corpus.links.values() for link, to in links if not to)
    is_any = any(page and not page.netloc for page in map(split_page, missed))
    if corpus.addresses.is_known or not is_any:
        return ""
    reason = corpus.addresses.contradiction or "nobody knows where posts are published"
    return (
        "Links by a path of the site, such as /posts/name/, cannot be looked up: "
        f"{reason}; an ingest with --base-url and --permalink notes it."
    )


def _find_orphans(corpus: Corpus, posts: Mapping[int, Post]) -> Iterator[Finding]:
    """Yield each of `posts` (list pages are not among them) to which no other of them links."""
    reached = set[int]().union(*(corpus.linked.get(number, ()) for number in posts))
    for number, post in posts.items():
        if number not in reached:
            dated = f" of {post.date}" if post.date else ""
            yield Finding(post.source, 0, f"no other post links to “{post.title}”{dated}")


def _find_repeats(corpus: Corpus, posts: Mapping[int, Post]) -> Iterator[Finding]:
    """Yield the newer post of each near-duplicate pair, the pair with the largest share first.

    A pair has a post and one of its two nearest in meaning, no translation or text under 60 words.
    """

    @cache
    def read(number: int) -> Wording:
        chunks = corpus.snapshot.catalog.chunks_of(number).values()
        text = "\n".join(chunk.plain for chunk in chunks)
        return read_wording(text, corpus.posts[number].language)

    ids, repeats = corpus.passages.posts.tolist(), dict[tuple[str, str], float]()
    near, _ = find_nearest_rows(corpus.passages.directions, 2)
    for one, places in zip(ids, near.tolist(), strict=True):
        for other in (ids[place] for place in places):
            older, newer = sorted(
                (one, other), key=lambda n: (corpus.posts[n].date or "", corpus.posts[n].source)
            )
            shorter, longer = sorted((read(newer), read(older)), key=lambda text: len(text.runs))
            share = share_runs(shorter.runs, longer.runs)
            is_excluded = newer not in posts or newer in corpus.translations_of(older)
            if share >= DUPLICATE_SHARE and shorter.length >= 60 and not is_excluded:
                repeats[corpus.posts[newer].source, corpus.posts[older].source] = share
    for (source, twin), share in sorted(repeats.items(), key=lambda item: (-item[1], item[0])):
        shown = f"has {share:.0%} of the shorter one's words in common with {twin}"
        yield Finding(source, 0, shown, (twin,))


def _judge_tags(posts: Sequence[Post]) -> Iterator[Finding]:
    """Yield tags with several spellings (a plural counts as one), then tags of a single post."""
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
    before = (today - timedelta(days=180)).isoformat()
    drafts = [post for post in folder.left_out if post.reason == "draft" and post.day < before]
    for draft in sorted(drafts, key=lambda draft: (draft.day, draft.post.source)):
        yield Finding(draft.post.source, 0, f"draft “{draft.post.title}” of {draft.day}")
