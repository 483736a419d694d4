"""`python -m benchmarks.answers write BIN FILE --blogs DIR… --work DIR`, then `compare OLD NEW`.

Write the answers of one version of the program to a file, then compare them with another version's.
BIN is the `bin` folder of a checkout's environment; only its program, tools and Python interface
are used. A blog is a folder in a DIR that has `posts/`. Queries are its titles and headings, and
`--questions` as for `benchmarks.quality`. Vectors stay in `--work` for the other version.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from subprocess import check_output, run
from typing import Any

from benchmarks.answers.compare import compare
from benchmarks.quality.blogs import read_questions
from benchmarks.quality.metrics import DEPTH
from benchmarks.speed.server import server

Ask = Callable[..., Any]
"""Function that sends a request and returns its result, or the whole message of an error."""
Asked = tuple[str, str, Sequence[str]]
"""A query: kind, text, and sources of its right posts."""

PERMALINKS = {
    "18f-blog": "jekyll",
    "golang-blog": "/blog/:filename/",
    "hexo-site": "hexo",
    "pingcap-docs-zhcn": "mkdocs",
    "rust-blog": "zola",
    "seaoak-hexo-ja": "hexo",
    "simonw-til": "quarto",
    "swift-blog": "jekyll:/blog/:title/",
}
"""Value of `--permalink` by blog, so that every generator is tried. Other blogs get `hugo`."""
QUERIES, SUGGESTED, DRAFTS = 100, 60, 30
"""Maximum number per blog: of titles and of headings, of posts for author's tools, of drafts."""
DRAFT_LENGTH = 50_000
"""Maximum characters of a draft for `suggest_links`."""
PROGRAM = "blog-search-mcp"

DUMP = """
import json, sys
from blog_search_mcp import BlogSearchError, open_index
with open_index(sys.argv[1]) as index:
    offset = 0
    while page := index.posts(limit=100, offset=offset):
        offset += len(page)
        for post in page:
            try:
                chunks = index.read(post.source, 0, neighbors=1_000_000).chunks
            except BlogSearchError:  # a post without words
                chunks = ()
            print(json.dumps([post.source, post.url, post.title, post.date, post.tags, [
                [c.headings + c.inner_headings, c.anchor, c.first_line, c.last_line, c.text]
                for c in chunks]]))
"""
"""Program that prints a JSON line for each post with its chunks."""

_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(([^()\s]*)[^()]*\)")


def write(options: argparse.Namespace) -> int:
    """Write the answers on all blogs. The file is rewritten after each blog."""
    answers: dict[str, Any] = {}
    for blog in sorted(path.parent for folder in options.blogs for path in folder.glob("*/posts")):
        if blog.name in (options.only or [blog.name]):
            bin_, index = options.bin.absolute(), options.work.absolute() / blog.name
            ingest(bin_, blog / "posts", index)
            found = read_questions(options.questions, blog.name) if options.questions else ()
            asked = [(each.asked.kind, each.query, each.asked.right) for each in found]
            answers[blog.name] = answer(bin_, index, asked)
            options.file.write_text(json.dumps(answers, ensure_ascii=False), encoding="utf-8")
    return 0


def ingest(bin_: Path, content: Path, index: Path) -> None:
    """Rebuild the index of the posts; known vectors are reused."""
    options = ["--permalink", PERMALINKS.get(index.name, "hugo"), "--rebuild"]
    options += ["--base-url", "https://blog.example", "--embedder", "embedded"]
    run([bin_ / PROGRAM, "ingest", content, "--index", index, *options], check=True)


def answer(bin_: Path, index: Path, asked: Iterable[Asked]) -> dict[str, Any]:
    """Return the posts of an index, replies of each tool, and the hits of all queries."""
    dumped = check_output([bin_ / "python", "-P", "-c", DUMP, index], encoding="utf-8")
    posts = {source: facts for source, *facts in map(json.loads, dumped.splitlines())}
    some = [{"source": source} for source in order_by_hash(posts)[:SUGGESTED]]
    title = posts[some[0]["source"]][1]
    calls: dict[str, Sequence[dict[str, str]]] = {
        "search_blog": [{"query": title}, {"query": title, "response_format": "json"}],
        "read_chunk": some[:1],
        "list_posts": [{}],
        "get_outline": some[:1],
        "find_similar": some,
        "suggest_links": some,
    }
    replies = {}
    for toolset in ("core", "extended", "author"):
        command = (bin_ / PROGRAM, "serve", "--index", index, "--toolset", toolset)
        with server([*map(str, command)], {}) as started:
            ask, client = started.request, {"name": "answers", "version": "1"}
            ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
            started.send("notifications/initialized", {})
            replies[toolset] = ask("tools/list")
            for tool in replies[toolset]["tools"]:
                for given in calls.pop(tool["name"], ()):
                    reply = ask("tools/call", name=tool["name"], arguments=given)
                    replies[f"{tool['name']} {given}"] = reply
            if toolset == "author":
                queries = [search(ask, *each) for each in (*asked, *make_queries(posts))]
                queries += [search(ask, "link", *each) for each in make_drafts(posts)]
    return {"posts": posts, "replies": replies, "queries": queries}


def order_by_hash(texts: Iterable[str]) -> list[str]:
    """Sort texts by hash, so that new texts hardly change a sample of the first."""
    return sorted(texts, key=lambda text: sha256(text.encode()).digest())


def make_queries(posts: dict[str, Any]) -> Iterator[Asked]:
    """Yield titles and headings as queries. The posts that have them are right."""
    right: dict[str, dict[str, list[str]]] = {"title": {}, "heading": {}}
    for source, (_, title, *_, chunks) in posts.items():
        right["title"].setdefault(title, []).append(source)
        for heading in {name for names, *_ in chunks for name in names} - {title}:
            right["heading"].setdefault(heading, []).append(source)
    for kind, sources in right.items():
        yield from ((kind, text, sources[text]) for text in order_by_hash(sources)[:QUERIES])


def make_drafts(posts: dict[str, Any]) -> list[tuple[str, list[str], str]]:
    """Return, for posts with links to posts: the text without links, the targets, the source."""
    by_name = {name_of(source): source for source in posts}
    drafts = []
    for source in order_by_hash(posts):
        text = "\n\n".join(chunk[-1] for chunk in posts[source][-1])
        linked = {by_name.get(name_of(target)) for _, target in _LINK.findall(text)}
        if right := sorted(filter(None, linked - {source})):
            drafts.append((_LINK.sub(r"\1", text)[:DRAFT_LENGTH], right, source))
    return drafts[:DRAFTS]


def name_of(address: str) -> str:
    """Return the last part of a post's path or URL, without date and suffix."""
    path = re.sub(r"(/_?index)?\.(mdx?|html)$", "", re.split("[?#]", address)[0].rstrip("/"))
    return re.sub(r"^\d{4}-\d\d-\d\d-", "", path.rpartition("/")[2])


def search(
    ask: Ask, kind: str, text: str, right: Sequence[str], source: str = ""
) -> dict[str, Any]:
    """Search for `text`; with a `source`, suggest links for it as a draft, without that post."""
    tool, argument = ("suggest_links", "text") if source else ("search_blog", "query")
    asked = {argument: text, "top_k": DEPTH}
    asked |= {} if source else {"response_format": "json"}
    reply = ask("tools/call", name=tool, arguments=asked)
    facts = reply.get("structuredContent", {})
    hits = [
        (hit["source"], hit.get("chunk_index"), round(hit.get("score", 0), 3))
        for hit in facts.get("links" if source else "results", ())
        if hit["source"] != source
    ]
    answer = {"confidence": facts.get("confidence"), "hits": hits}
    return {"kind": kind, "query": source or text, "right": right, **answer}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or compare; return the exit status."""
    parser = argparse.ArgumentParser(prog="benchmarks.answers", description=__doc__)
    commands = parser.add_subparsers(required=True, dest="command")
    add = commands.add_parser("write", help="write what a version answers").add_argument
    add("bin", type=Path, metavar="BIN")
    add("file", type=Path, metavar="FILE")
    add("--blogs", type=Path, nargs="+", required=True, metavar="DIR")
    add("--questions", type=Path, metavar="DIR")
    add("--only", nargs="+", metavar="NAME", help="of these blogs")
    add("--work", type=Path, required=True, metavar="DIR", help="where the indexes are made")
    add = commands.add_parser("compare", help="exit with 1 if answers differ").add_argument
    add("old", type=Path, metavar="OLD")
    add("new", type=Path, metavar="NEW")
    add("--ranks", action="store_true", help="exit with 1 only if ranks or addresses are worse")
    add("--show", type=int, default=0, metavar="N", help="print N differences of each sort")
    options = parser.parse_args(arguments)
    if options.command == "write":
        return write(options)
    return compare(options.old, options.new, options.show, by_rank=options.ranks)


if __name__ == "__main__":
    sys.exit(main())
