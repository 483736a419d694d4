"""The state of a blog: each kind of finding, and what is none."""

from datetime import date

import pytest

from blog_search_mcp.ingest.last_ingest import ContentFolder, read_folder, read_last_ingest
from blog_search_mcp.server.author.audit import audit
from blog_search_mcp.server.author.broken_links import Finding
from blog_search_mcp.server.author.corpus import Corpus
from tests.support.blog import Blog, MakeBlog

TODAY = date(2026, 1, 15)


def audit_of(made: Blog) -> tuple[dict[str, tuple[Finding, ...]], str]:
    made.ingest()
    corpus = Corpus(made.reader().snapshot)
    sources = {post.source for post in corpus.posts.values()}
    folder = read_folder(read_last_ingest(made.store), sources)
    return audit(corpus, folder, TODAY)


WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog")
PARAGRAPHS = [" ".join(f"{word}{number}" for word in WORDS) for number in range(24)]


def write(head: str, *paragraphs: str) -> str:
    """Write a post; lines of its front matter are divided by semicolons."""
    return "\n".join(["---", *head.split("; "), "---", *("\n" + each for each in paragraphs)])


ORPHANS = {
    "_index.md": "# All\n\n[a](a.md), [b](b.md), [c](c.md)\n",
    "a.md": write("title: A; date: 2024-01-01", "Words of a."),
    "b.md": write("title: B; date: 2024-01-02", "Words of b, as of [a](a.md)."),
    "c.md": write("title: C; date: 2024-01-03", "See [itself](c.md) and words."),
    "notes/README.md": "# Notes\n\n[b](../b.md)\n",
}
TAGS = {
    "0.md": write("title: T; tags: [Rust, rust-docs, error, 資料庫]", "Words."),
    "1.md": write("title: U; tags: [rust, rustdocs, errors, 资料库]", "Words."),
    "2.md": write("title: V; tags: [rust, C++, c, boss, bos]", "Words."),
    "3.md": write("title: W; tags: [C++, c, boss, bos, alone]", "Words."),
}
REPEATS = {
    "old.md": write("title: Foxes; date: 2023-01-01", *PARAGRAPHS[:12]),
    "new.md": write("title: More foxes; date: 2024-01-01", *(["All else."] * 3), *PARAGRAPHS[:8]),
    "far.md": write("title: Walruses; date: 2024-01-01", "Nothing of this stands elsewhere."),
    "a.en.md": write("title: Dogs; translationKey: dog; lang: en", *PARAGRAPHS[12:]),
    "a.de.md": write("title: Hunde; translationKey: dog; lang: de", *PARAGRAPHS[12:]),
    "b.md": write("title: Short", *PARAGRAPHS[:2]),
    "c.md": write("title: Short again", *PARAGRAPHS[:2]),
}
DRAFTS = {
    "a.md": "# A\n\nWords.\n",
    "old.md": write("title: Old; date: 2024-01-01; draft: true", "Words."),
    "kept.md": write("date: 2024-01-01; lastmod: 2026-01-01; draft: true", "Words."),
    "new.md": write("title: New; draft: true", "Words."),
    "unlisted.md": write("date: 2024-01-01; unlisted: true", "Words."),
    "later.md": write("date: 2027-01-01", "Words."),
}


@pytest.mark.parametrize(
    ("posts", "kind", "findings"),
    [
        (ORPHANS, "orphans", [("c.md", 0, ()), ("b.md", 0, ())]),
        (
            TAGS,
            "tags",
            [
                ("0.md", 0, ("0.md", "2.md")),
                ("1.md", 0, ("1.md", "0.md")),
                ("1.md", 0, ("1.md", "0.md")),
                ("1.md", 0, ("1.md", "0.md")),
                ("3.md", 0, ()),
            ],
        ),
        (REPEATS, "near-duplicates", [("new.md", 0, ("old.md",))]),
        (DRAFTS, "stale-drafts", [("old.md", 0, ())]),
    ],
)
def test_what_is_to_be_mended_is_found(
    blog: MakeBlog,
    posts: dict[str, str],
    kind: str,
    findings: list[tuple[str, int, tuple[str, ...]]],
) -> None:
    state, _ = audit_of(blog(posts))
    assert [(each.source, each.line, each.others) for each in state[kind]] == findings


def test_links_that_cannot_be_looked_up_are_told(blog: MakeBlog) -> None:
    made = blog({"a.md": "# A\n\n[x](/blog/gone/) [y](/about/)\n"})
    assert "/posts/name/" in audit_of(made)[1]


def test_links_are_not_judged_by_addresses_that_they_contradict(blog: MakeBlog) -> None:
    days = {f"2024-01-0{day}-tale-{day}.md": f"# Tale {day}\n\nIt sails.\n" for day in range(1, 5)}
    links = " ".join(f"[x](/2024/01/0{day}/tale-{day}/)" for day in range(1, 5))
    made = blog({**days, "a.md": f"# A\n\n{links} [y](/posts/gone/)\n"})
    [warning] = made.ingest(base_url="https://a.org", permalink="/posts/:slug/").warnings
    assert "/2024/01/01/tale-1/ for https://a.org/posts/tale-1/" in warning
    findings, notice = audit(Corpus(made.reader().snapshot), ContentFolder(frozenset()), TODAY)
    assert findings["broken-links"] == ()
    assert "/2024/01/01/tale-1/ for https://a.org/posts/tale-1/" in notice


def test_without_the_folder_it_says_what_was_not_looked_at(blog: MakeBlog) -> None:
    made = blog({"a.md": "# A\n\n[x](gone.md)\n"})
    made.content.rename(made.content.with_name("moved"))
    folder = read_folder(read_last_ingest(made.store), {"a.md"})
    findings, notice = audit(Corpus(made.reader().snapshot), folder, TODAY)
    assert notice == folder.problem != ""
    assert [each.line for each in findings["broken-links"]] == [3]
