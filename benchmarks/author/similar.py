"""How surely `find_similar` finds what a text says again, and how seldom it says so wrongly.

Nothing is judged by hand. Positives are made of the blog's own posts: translations with all that
is known of them hidden, posts published again with a quarter of their sentences left out, first
thirds, and first halves compared with a blog that has the second halves alone. Negatives are posts
compared with a blog without them, and posts of one series.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

import numpy as np

from benchmarks.author._blogs import (
    changed_blog,
    find_posts,
    measure_each,
    open_reader,
    say,
    say_command,
)
from benchmarks.options import count, folder
from benchmarks.quality.metrics import auroc
from blog_search_mcp.index.posts.text import decode, split_front_matter
from blog_search_mcp.index.relations.corpus import Corpus
from blog_search_mcp.index.relations.draft import (
    Draft,
    draft_of_post,
    embed_passages,
    read_draft,
)
from blog_search_mcp.index.relations.similarity.similar import Similarity, rank_similar

LIMIT = 50
"""Posts of a kind: a hit rate of .97 is then known to about .05."""
LEFT_OUT = 0.25
"""Share of the sentences that a post published again lacks."""
FIRST = 0.3
"""Share of a post's passages that a draft of its beginning has."""
LONGEST = 80
"""Passages of a draft; longer posts are left out, since each is embedded."""
HALVED = 4
"""Passages of a post at least, of which two are a half."""
TIMED = 20

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_BLOCK = re.compile(r"\n\s*\n")
_NO_PROSE = ("#", "|", "    ", "-", "*", "{", "<", "`", "~", ">", "1.")


class Vectored(NamedTuple):
    """A draft and the vectors of its passages."""

    draft: Draft
    vectors: np.ndarray[tuple[int, ...], np.dtype[np.float32]]


@dataclass(frozen=True)
class Blog:
    """One index and the posts that it was made of."""

    index: Path
    corpus: Corpus
    content: Path

    def read(self, post: int) -> str:
        """Read the file of a post."""
        return decode((self.content / self.corpus.posts[post].source).read_bytes()).text


def main(arguments: Sequence[str]) -> int:
    """Measure each index and print a table; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.author similar")
    parser.add_argument("indexes", nargs="+", type=folder, metavar="INDEX")
    parser.add_argument("--limit", type=count, default=LIMIT, help=f"posts of a kind ({LIMIT})")
    parser.add_argument("--only-time", action="store_true", help="measure the time alone")
    options = parser.parse_args(arguments)
    say_command("similar", arguments)
    return measure_each(
        options.indexes, lambda index: measure_blog(index, options.limit, options.only_time)
    )


def measure_blog(path: Path, limit: int, only_time: bool) -> None:
    """Print what one index reaches. Raises BlogSearchError."""
    blog = Blog(path, open_reader(path).corpus(), find_posts(path))
    name = path.name if path.name not in ("idx", "index") else path.parent.name
    say(
        f"\n{name}: {len(blog.corpus.posts)} posts, {len(blog.corpus.snapshot.table.chunks)} chunks"
    )
    posts = sorted(blog.corpus.posts)
    measure_time(blog, random.Random(1).sample(posts, min(len(posts), TIMED)))
    if only_time:
        return
    translated = [post for post in posts if blog.corpus.translations_of(post)]
    if translated:
        chosen = random.Random(1).sample(translated, min(len(translated), 2 * limit))
        measure_translations(blog, chosen)
    chosen = random.Random(1).sample(posts, min(len(posts), limit))
    measure_again(
        blog, [post for post in chosen if blog.corpus.snapshot.table.chunks_of([post]).size]
    )
    measure_series(blog, limit)
    measure_halves(blog, chosen)


def measure_time(blog: Blog, posts: Sequence[int]) -> None:
    """Print what a comparison takes without embedding: the first of a process, and others."""
    took: list[tuple[float, float]] = []
    for post in posts:
        vectored = as_outsider(blog, post)
        started = time.perf_counter(), time.process_time()
        rank_similar(blog.corpus, *vectored, 5, {post})
        took.append((time.perf_counter() - started[0], time.process_time() - started[1]))
    for name, (first, *rest) in zip(("time", "processor"), zip(*took, strict=True), strict=True):
        ordered = sorted(rest)
        say(
            f"  {name} without embedding: first {1000 * first:.0f} ms, then median "
            f"{1000 * median(ordered):.0f} ms, 90 % below "
            f"{1000 * ordered[int(0.9 * len(ordered))]:.0f} ms"
        )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    say(f"  memory of the process at most {memory:.0f} MB")


def as_outsider(blog: Blog, post: int) -> Vectored:
    """Take a post as a draft of which nothing is known but its text."""
    draft = draft_of_post(blog.corpus, blog.corpus.posts[post].source)
    return Vectored(forget(draft), embed_passages(blog.corpus, draft))


def forget(draft: Draft) -> Draft:
    """Return the draft without what its place and front matter say of it."""
    post = replace(draft.post, source="", url=None, canonical_url="", translation_key="")
    return replace(draft, post=post, post_id=None)


def first_of(found: Similarity) -> str:
    """Return the source that stands first, whether or not anything meets."""
    posts = [each.post for each in found.posts] or list(found.nearest)
    return posts[0].source if posts else ""


def measure_translations(blog: Blog, posts: Sequence[int]) -> None:
    """Print how often a translation is first, of all of them and of one with the others hidden."""
    corpus, hits, pairs, named = blog.corpus, [], [], []
    for post in posts:
        others = corpus.translations_of(post)
        sources = {corpus.posts[each].source for each in others}
        vectored = as_outsider(blog, post)
        hits.append(first_of(rank_similar(corpus, *vectored, 5, {post})) in sources)
        kept = random.Random(post).choice(sorted(others))
        found = rank_similar(corpus, *vectored, 5, {post} | (others - {kept}))
        pairs.append(first_of(found) == corpus.posts[kept].source)
        named.append(
            any(
                each.kind == "translation" and each.post.source == corpus.posts[kept].source
                for each in found.posts
            )
        )
    say(
        f"  translations ({len(hits)}): first {mean(hits):.3f}; one, with all others hidden: first "
        f"{mean(pairs):.3f}, called a translation {mean(named):.2f}"
    )


def measure_again(blog: Blog, posts: Sequence[int]) -> None:
    """Print what is found of posts published again, of their beginnings, and of other posts."""
    found: dict[str, list[tuple[int, Similarity]]] = {"again": [], "first": [], "other": []}
    for post in posts:
        text = blog.read(post)
        again, whole = (vectorize(blog, each) for each in (publish_again(text, post), text))
        if not again.draft.passages or len(whole.draft.passages) > LONGEST:
            continue
        some = max(1, round(FIRST * len(whole.draft.passages)))
        start = Vectored(
            replace(whole.draft, passages=whole.draft.passages[:some]), whole.vectors[:some]
        )
        hidden = {post, *blog.corpus.translations_of(post)}
        others = hidden - {post}
        found["again"].append((post, rank_similar(blog.corpus, *again, 5, others)))
        found["first"].append((post, rank_similar(blog.corpus, *start, 5, others)))
        found["other"].append((post, rank_similar(blog.corpus, *whole, 5, hidden)))
    negatives = [said_share(each) for _, each in found["other"]]
    for kind, title in (
        ("again", f"published again, {LEFT_OUT:.0%} of the sentences left out"),
        ("first", f"the first {FIRST:.0%}"),
    ):
        pairs = found[kind]
        hit = mean(first_of(each) == blog.corpus.posts[post].source for post, each in pairs)
        same = mean(
            any(one.kind == "same text" and one.post.source == first_of(each) for one in each.posts)
            for _, each in pairs
        )
        said = [said_share(each) for _, each in pairs]
        say(
            f"  {title} ({len(pairs)}): first {hit:.3f}, called the same text {same:.2f}, "
            f"said {mean(said):.2f} of it, AUC {auroc(said, negatives):.3f}"
        )
    other = [each for _, each in found["other"]]
    say(
        f"  posts that the blog lacks ({len(other)}): nothing like it "
        f"{mean(not each.posts for each in other):.2f}, said {mean(negatives):.2f} of it; of 100, "
        f"half or more said {100 * mean(share >= 0.5 for share in negatives):.0f}, "
        f"called the same text {100 * mean(map(has_same_text, other)):.0f}"
    )


def vectorize(blog: Blog, text: str) -> Vectored:
    """Read and embed a text of which nothing else is known."""
    draft = forget(read_draft(text.encode(), "draft.md"))
    return Vectored(draft, embed_passages(blog.corpus, draft))


def publish_again(text: str, seed: int) -> str:
    """Leave out sentences, change the places of others, and write new front matter."""
    chance = random.Random(seed)
    body = split_front_matter(text).body
    blocks = filter(None, (shorten_block(each, chance) for each in _BLOCK.split(body)))
    return "---\ntitle: Moved here\ndate: 2030-01-01\n---\n\n" + "\n\n".join(blocks)


def shorten_block(block: str, chance: random.Random) -> str:
    """Leave out a share of the sentences of a paragraph, of other blocks the whole one."""
    if block.startswith(_NO_PROSE) or "```" in block:
        return block if chance.random() > LEFT_OUT else ""
    kept = [each for each in _SENTENCE.split(block) if each and chance.random() > LEFT_OUT]
    if len(kept) > 1:
        place = chance.randrange(len(kept) - 1)
        kept[place], kept[place + 1] = kept[place + 1], kept[place]
    return " ".join(kept)


def said_share(found: Similarity) -> float:
    """Return how much of the text is said already."""
    return found.said / len(found.passages) if found.passages else 0.0


def has_same_text(found: Similarity) -> bool:
    """Whether any post is called the same text."""
    return any(each.kind == "same text" for each in found.posts)


def measure_series(blog: Blog, limit: int) -> None:
    """Print how often a neighbour in a series is called the same text, which it is not."""
    corpus = blog.corpus
    series = {post: {part.post for part in each.parts} for post, each in corpus.series.items()}
    posts = random.Random(1).sample(sorted(series), min(len(series), limit))
    called = []
    for post in posts:
        found = rank_similar(corpus, *as_outsider(blog, post), 20, {post})
        sources = {corpus.posts[each].source for each in series[post]}
        called += [each.kind == "same text" and each.post.source in sources for each in found.posts]
    if posts:
        say(f"  series ({len(posts)} posts): {sum(called)} neighbours called the same text")


def measure_halves(blog: Blog, posts: Sequence[int]) -> None:
    """Print how often a first half finds its second half in a blog without first halves."""
    catalog = blog.corpus.snapshot.catalog
    posts = [post for post in posts if len(catalog.chunks_of(post)) >= HALVED]
    if not posts:
        say(f"  first half finds the second (0): no post has {HALVED} passages")
        return

    def cut(content: Path) -> dict[str, Vectored]:
        return dict(cut_posts(blog, posts, content))

    with changed_blog(blog.index, blog.corpus, cut) as (reader, halves):
        corpus = reader.corpus()
        hits = []
        for source, vectored in halves.items():
            post, _ = corpus.snapshot.catalog.require_post(source)
            found = rank_similar(corpus, *vectored, 5, corpus.translations_of(post))
            hits.append(first_of(found) == source)
        say(f"  first half finds the second ({len(hits)}): first {mean(hits):.2f}")


def cut_posts(blog: Blog, posts: Sequence[int], content: Path) -> Iterator[tuple[str, Vectored]]:
    """Leave the second halves of posts in their files, and yield the first halves."""
    for post in posts:
        chunks = [*blog.corpus.snapshot.catalog.chunks_of(post).values()]
        half = len(chunks) // 2
        file = content / blog.corpus.posts[post].source
        lines = decode(file.read_bytes()).text.split("\n")
        front = lines[: chunks[0].first_line - 1]
        rest = lines[chunks[half].first_line - 1 :]
        file.write_text("\n".join([*front, *rest]), encoding="utf-8")
        draft = draft_of_post(blog.corpus, blog.corpus.posts[post].source)
        vectors = embed_passages(blog.corpus, draft)[:half]
        cut = replace(forget(draft), passages=draft.passages[:half])
        yield blog.corpus.posts[post].source, Vectored(cut, vectors)
