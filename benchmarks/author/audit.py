"""`python -m benchmarks.author audit INDEX…`: what the audit finds, against a crawl of the posts.

Precision: every link that is reported on a blog as it is, is looked up among all files below the
posts' folder and all addresses of posts, read by other code than that under test. Recall: posts are
renamed (their files, slugs and addresses, in memory), and every link that named one by its file or
address must be reported then, with that post as the nearest; headings likewise.
"""

from __future__ import annotations

import random
import re
import resource
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from urllib.parse import unquote, urlsplit

from benchmarks.author._blogs import open_reader, say
from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.posts.last_ingest import (
    ContentFolder,
    LastIngest,
    read_any_last_ingest,
    read_folder,
)
from blog_search_mcp.index.relations.addresses import Addresses
from blog_search_mcp.index.relations.audit import audit
from blog_search_mcp.index.relations.breaks import Break, find_breaks
from blog_search_mcp.index.relations.corpus import Corpus
from blog_search_mcp.index.types import Post

TODAY = date(2026, 11, 22)
SHARE = 0.2
"""Of the posts that others link to, how many are renamed."""


def main(arguments: Sequence[str]) -> int:
    """Print a block of figures for each index; returns the exit status."""
    for name in arguments:
        _measure(Path(name))
    return 0


def _measure(folder: Path) -> None:
    corpus = open_reader(folder).corpus()
    last = read_any_last_ingest(FolderStore(folder))
    assert last is not None
    sources = frozenset(post.source for post in corpus.posts.values())
    content = read_folder(last, sources)
    own = [
        (corpus.posts[post].source, each.link)
        for post, links in corpus.links.items()
        for each in links
        if corpus.addresses.is_own(each.link.href)
    ]
    breaks = find_breaks(corpus, content)
    say(f"\n{folder.name}: {len(corpus.posts):,} posts, {len(own):,} links to the blog's own site")
    there = [each for each in breaks if _is_there(corpus, last, each)]
    say(f"  as it is: {len(breaks)} reported, {len(there)} of them there after all")
    for each in (*there, *breaks[:40]):
        source, link = corpus.posts[each.post].source, each.link
        say(f"    {source}:{link.line} {link.href} ({each.reason})")
    for label, rename in (("a word more", _add_word), ("half of the words", _halve)):
        _measure_renaming(corpus, content, breaks, label, rename)
    _measure_headings(corpus, content, breaks)
    _measure_cost(folder, content)


def _is_there(corpus: Corpus, last: LastIngest, found: Break) -> bool:
    """Whether a crawl finds what a link is said to miss."""
    parts = urlsplit(found.link.href)
    path = unquote(parts.path).lower()
    if found.reason == "scheme":
        return (Path(last.content) / path).exists()
    if found.reason == "anchor":
        post = corpus.posts[found.nearest or 0]
        text = (Path(last.content) / post.source).read_text("utf-8", "replace").lower()
        return unquote(parts.fragment).lower() in re.sub(r"[^\w-]+", "-", text)
    stem = _stem(path)
    stems = {_stem(str(file).lower()) for file in Path(last.content).rglob("*") if file.is_file()}
    urls = {unquote(urlsplit(post.url or "").path).lower() for post in corpus.posts.values()}
    same = {url.strip("/").removesuffix(".html") for url in urls}
    is_url = not re.search(r"\.mdx?$", path) and not parts.scheme.strip("htps")
    return path.strip("/").removesuffix(".html") in same or (not is_url and stem in stems)


def _stem(path: str) -> str:
    *above, name = path.strip("/").split("/")
    name = re.sub(r"\.(?:mdx?|html?)$", "", name)
    return above[-1] if name in ("index", "_index") and above else name


def _add_word(name: str) -> str:
    return f"{name}-explained"


def _halve(name: str) -> str:
    words = re.split("([-_. ]+)", name)
    return "".join(words[: max(1, len(words) // 2)]) + "-anew"


def _measure_renaming(
    corpus: Corpus,
    content: ContentFolder,
    before: Sequence[Break],
    label: str,
    rename: object,
) -> None:
    assert callable(rename)
    linked = {target for targets in corpus.linked.values() for target in targets}
    chosen = _choose({each for each in linked if not _is_section(corpus.posts[each])})
    posts = {
        number: _rename(post, rename) if number in chosen else post
        for number, post in corpus.posts.items()
    }
    renamed = _with(corpus, posts)
    new = frozenset(posts[number].source for number in chosen)
    old = frozenset(corpus.posts[number].source for number in chosen)
    found = find_breaks(renamed, replace(content, files=(content.files - old) | new))
    reported = {(each.post, each.link): each.nearest for each in found}
    expected = {
        (post, each.link): each.target.post
        for post, links in corpus.links.items()
        for each in links
        if each.target
        and each.target.post in chosen
        and (renamed.posts[post] is corpus.posts[post] or not each.link.href.startswith("#"))
        and _names_post(each.link.href, corpus.posts[each.target.post])
    }
    missed = [key for key in expected if key not in reported]
    known = {(each.post, each.link) for each in before}
    extra = [key for key in reported if key not in expected and key not in known]
    right = sum(reported[key] == expected[key] for key in expected if key in reported)
    count = len(expected)
    say(
        f"  {len(chosen)} posts renamed ({label}): {count - len(missed)} of {count} broken links "
        f"found, {right} with the right post, {len(extra)} others reported"
    )
    for post, link in (*missed[:15], *extra[:15]):
        kind = "missed" if (post, link) in expected else "other"
        say(f"    {kind}: {corpus.posts[post].source}:{link.line} {link.href}")


def _choose(numbers: set[int]) -> frozenset[int]:
    ordered = sorted(numbers)
    return frozenset(random.Random(7).sample(ordered, round(SHARE * len(ordered))))


def _is_section(post: Post) -> bool:
    """Whether posts may lie below it: its folder goes on to be there when it is renamed."""
    return bool(re.search(r"(?:^|/)_?index\.\w+$", post.source)) and post.url is not None


def _names_post(href: str, post: Post) -> bool:
    """Whether a link names a post by its file, slug or address, which a renaming changes."""
    name = _name(unquote(urlsplit(href).path))
    paths = (post.source, unquote(urlsplit(post.url or "").path), *post.aliases)
    names = {_name(path) for path in paths}
    undated = {re.sub(r"^\d{4}-\d{1,2}-\d{1,2}-", "", each) for each in names}
    return bool(name) and name in {*names, *undated, _name(post.slug)}


def _name(path: str) -> str:
    return re.sub(r"[^\w]+", "-", _stem(path.lower()))


def _rename(post: Post, rename: object) -> Post:
    assert callable(rename)
    folder, _, file = post.source.rpartition("/")
    stem, _, suffix = file.rpartition(".")
    if stem in ("index", "_index"):
        above, _, last = folder.rpartition("/")
        source = "/".join(filter(None, (above, rename(last), file)))
    else:
        source = "/".join(filter(None, (folder, f"{rename(stem)}.{suffix}")))
    url = post.url
    if url:
        above, _, last = url.rstrip("/").rpartition("/")
        url = f"{above}/{rename(last)}" + ("/" if url.endswith("/") else "")
    slug = rename(post.slug) if post.slug else ""
    aliases = tuple(alias for alias in post.aliases if "/" not in alias)
    return replace(post, source=source, url=url, slug=slug, aliases=aliases)


def _with(corpus: Corpus, posts: Mapping[int, Post]) -> Corpus:
    """Return the corpus of a blog whose posts have other names."""
    other = Corpus(corpus.snapshot)
    addresses = Addresses(posts, corpus.snapshot.catalog.links())
    vars(other).update(posts=posts, addresses=addresses, anchors=corpus.anchors)
    return other


def _measure_headings(corpus: Corpus, content: ContentFolder, before: Sequence[Break]) -> None:
    leading = [
        (post, each.link, each.target)
        for post, links in corpus.links.items()
        for each in links
        if each.target and each.target.anchor in corpus.anchors.get(each.target.post, ())
    ]
    anchors = {
        post: tuple("other-" + each for each in known) for post, known in corpus.anchors.items()
    }
    other = Corpus(corpus.snapshot)
    vars(other).update(posts=corpus.posts, addresses=corpus.addresses, anchors=anchors)
    found = {(each.post, each.link) for each in find_breaks(other, content)}
    missed = [(post, link) for post, link, _ in leading if (post, link) not in found]
    say(
        f"  all headings renamed: {len(leading) - len(missed)} of {len(leading)} broken anchors "
        f"found ({sum(each.reason == 'anchor' for each in before)} before)"
    )
    for post, link in missed[:10]:
        say(f"    missed: {corpus.posts[post].source}:{link.line} {link.href}")


def _measure_cost(folder: Path, content: ContentFolder) -> None:
    corpus = open_reader(folder).corpus()
    before = resource.getrusage(resource.RUSAGE_SELF)
    started = time.perf_counter()
    state = audit(corpus, content, TODAY)
    took = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_SELF)
    more = (after.ru_maxrss - before.ru_maxrss) / 1024
    say(f"  the whole audit: {took:.1f} s, {after.ru_utime - before.ru_utime:.1f} s of a processor")
    say(f"  memory: {after.ru_maxrss / 1024:.0f} MB at most, {more:.0f} MB more than before")
    say("  " + ", ".join(f"{kind} {len(found)}" for kind, found in state.findings.items()))
