"""The state of a blog: each kind of finding, and what is none."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from blog_search_mcp.index.posts.last_ingest import read_any_last_ingest
from blog_search_mcp.index.posts.left_out import ContentFolder, read_folder
from blog_search_mcp.index.relations.audit import KINDS, Audit, Finding, Kind, audit
from blog_search_mcp.server.cli.author import AUDIT_KINDS

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

TODAY = date(2026, 1, 15)


def audit_of(made: Blog, include_drafts: bool = False) -> Audit:
    made.ingest(include_drafts=include_drafts)
    corpus = made.reader().corpus()
    sources = {post.source for post in corpus.posts.values()}
    folder = read_folder(read_any_last_ingest(made.store), None, sources, TODAY)
    return audit(corpus, folder, TODAY)


def found(made: Blog, kind: Kind) -> list[tuple[str, str]]:
    return [(each.source, each.detail) for each in audit_of(made).findings[kind]]


def test_the_command_line_knows_every_kind() -> None:
    assert tuple(AUDIT_KINDS) == KINDS


def test_a_broken_link_is_named_with_its_line_and_the_nearest_post(blog: MakeBlog) -> None:
    made = blog(
        {
            "a.md": "# A\n\nSee [it](kv-cash.md).\n",
            "kv-cache.md": "# KV\n\nThe cache. See [a](a.md), [b](draft.md).\n",
            "draft.md": "---\ndraft: true\n---\n# Not yet\n",
        }
    )
    assert audit_of(made).findings["broken-links"] == (
        Finding(
            "broken-links",
            "a.md",
            3,
            "kv-cash.md leads nowhere; nearest: kv-cache.md",
            ("kv-cache.md",),
        ),
        Finding(
            "broken-links", "kv-cache.md", 3, "draft.md leads to draft.md, which is not published"
        ),
    )


def test_orphans_are_posts_without_a_link_to_them_the_newest_first(blog: MakeBlog) -> None:
    made = blog(
        {
            "_index.md": "# All\n\n[a](a.md), [b](b.md), [c](c.md)\n",
            "a.md": "---\ntitle: A\ndate: 2024-01-01\n---\nWords of a.\n",
            "b.md": "---\ntitle: B\ndate: 2024-01-02\n---\nWords of b, as of [a](a.md).\n",
            "c.md": "---\ntitle: C\ndate: 2024-01-03\n---\nSee [itself](c.md) and words.\n",
            "notes/README.md": "# Notes\n\n[b](../b.md)\n",
        }
    )
    assert found(made, "orphans") == [
        ("c.md", "no other post links to “C” of 2024-01-03"),
        ("b.md", "no other post links to “B” of 2024-01-02"),
    ]


def test_descriptions_are_missing_shared_or_the_title(blog: MakeBlog) -> None:
    made = blog(
        {
            "a.md": "---\ntitle: Alpha\ndescription: ALPHA!\n---\nWords.\n",
            "b.md": "---\ntitle: Beta\ndescription: The same here.\n---\nThe same words.\n",
            "c.md": "---\ntitle: Gamma\ndescription: the same here\n---\nThe same words.\n",
            "c.de.md": "---\ntitle: Gamma\ndescription: the same here\n---\nDie gleichen Worte.\n",
            "d.md": "---\ntitle: Delta\n---\nWords.\n",
        }
    )
    assert found(made, "descriptions") == [
        ("a.md", "the description is the title"),
        ("b.md", "the description “The same here.” is also that of c.de.md, c.md"),
        ("c.de.md", "the description “the same here” is also that of b.md"),
        ("c.md", "the description “the same here” is also that of b.md"),
        ("d.md", "has no description"),
    ]
    assert found(blog({"a.md": "# A\n\nWords.\n", "b.md": "# B\n\nWords.\n"}), "descriptions") == [
        ("", "no post has a description")
    ]


def test_tags_are_spelled_twice_or_used_once(blog: MakeBlog) -> None:
    tags = (
        "Rust, rust-docs, error, 資料庫",
        "rust, rustdocs, errors, 资料库",
        "rust, C++, c, boss, bos",
        "C++, c, boss, bos, alone",
    )
    made = blog(
        {
            f"{number}.md": f"---\ntitle: T{number}\ntags: [{given}]\n---\nWords.\n"
            for number, given in enumerate(tags)
        }
    )
    assert found(made, "tags") == [
        ("0.md", "one tag in several spellings: “rust” (2), “Rust” (1)"),
        ("1.md", "one tag in several spellings: “error” (1), “errors” (1)"),
        ("1.md", "one tag in several spellings: “rust-docs” (1), “rustdocs” (1)"),
        ("1.md", "one tag in several spellings: “資料庫” (1), “资料库” (1)"),
        ("3.md", "only this post has the tag “alone”"),
    ]


def test_drafts_are_left_by_their_own_date_else_by_that_of_the_file(blog: MakeBlog) -> None:
    made = blog(
        {
            "a.md": "# A\n\nWords.\n",
            "old.md": "---\ntitle: Old\ndate: 2024-01-01\ndraft: true\n---\nWords.\n",
            "kept.md": "---\ndate: 2024-01-01\nlastmod: 2026-01-01\ndraft: true\n---\nWords.\n",
            "new.md": "---\ntitle: New\ndraft: true\n---\nWords.\n",
            "unlisted.md": "---\ndate: 2024-01-01\nunlisted: true\n---\nWords.\n",
            "later.md": "---\ndate: 2027-01-01\n---\nWords.\n",
        }
    )
    expected = [("old.md", "draft “Old”, dated 2024-01-01")]
    assert found(made, "stale-drafts") == expected
    again = audit_of(made, include_drafts=True).findings["stale-drafts"]
    assert [(each.source, each.detail) for each in again] == expected


def test_links_that_cannot_be_looked_up_are_counted(blog: MakeBlog) -> None:
    made = blog({"a.md": "# A\n\n[x](/blog/gone/) [y](/about/)\n"})
    assert audit_of(made).notice.startswith("2 links by a path of the site")


def test_links_are_not_judged_by_addresses_that_they_contradict(blog: MakeBlog) -> None:
    days = {f"2024-01-0{day}-tale-{day}.md": f"# Tale {day}\n\nIt sails.\n" for day in range(1, 5)}
    links = " ".join(f"[x](/2024/01/0{day}/tale-{day}/)" for day in range(1, 5))
    made = blog({**days, "a.md": f"# A\n\n{links} [y](/posts/gone/)\n"})
    [warning] = made.ingest(base_url="https://a.org", permalink="/posts/:slug/").warnings
    assert "/2024/01/01/tale-1/ for https://a.org/posts/tale-1/" in warning
    state = audit(made.reader().corpus(), ContentFolder(frozenset()), TODAY)
    assert state.findings["broken-links"] == ()
    assert "/2024/01/01/tale-1/ leads to https://a.org/posts/tale-1/" in state.notice


def test_without_the_folder_it_says_what_was_not_looked_at(blog: MakeBlog) -> None:
    made = blog({"a.md": "# A\n\n[x](gone.md)\n"})
    made.content.rename(made.content.with_name("moved"))
    corpus = made.reader().corpus()
    folder = read_folder(read_any_last_ingest(made.store), None, {"a.md"}, TODAY)
    state = audit(corpus, folder, TODAY)
    assert state.notice.startswith("The folder of the posts cannot be read")
    assert [each.line for each in state.findings["broken-links"]] == [3]
    moved = read_folder(
        read_any_last_ingest(made.store), made.content.with_name("moved"), {"a.md"}, TODAY
    )
    assert moved.problem == ""
    assert moved.files == {"a.md"}
    assert "notes it" in read_folder(None, None, {"a.md"}, TODAY).problem


WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog")
PARAGRAPHS = [" ".join(f"{word}{number}" for word in WORDS) for number in range(12)]


def write(title: str, day: str, paragraphs: list[str], more: str = "") -> str:
    body = "\n\n".join(paragraphs)
    return f"---\ntitle: {title}\ndate: {day}\n{more}---\n{body}\n"


def repeats_of(blog: MakeBlog, posts: dict[str, str]) -> list[tuple[str, str, str]]:
    findings = audit_of(blog(posts)).findings["near-duplicates"]
    return [(each.source, each.others[0], each.detail) for each in findings]


def test_posts_with_mostly_the_same_words_are_found_with_the_passages(blog: MakeBlog) -> None:
    other = ["Nothing of this stands in any other post, however long one looks for it."] * 3
    posts = {
        "old.md": write("Foxes", "2023-01-01", PARAGRAPHS),
        "new.md": write("More foxes", "2024-01-01", [*other, *PARAGRAPHS[:8]]),
        "far.md": write("Walruses", "2024-01-01", other),
    }
    assert repeats_of(blog, posts) == [
        (
            "new.md",
            "old.md",
            "93% of its words stand in old.md too; lines 5 to 25 are lines 5 to 27 there",
        )
    ]


def test_a_cross_post_is_named_as_such(blog: MakeBlog) -> None:
    canonical = "canonical_url: https://example.com/foxes\n"
    posts = {
        "old.md": write("Foxes", "2023-01-01", PARAGRAPHS),
        "new.md": write("Foxes", "2024-01-01", PARAGRAPHS, canonical),
    }
    [(_, _, detail)] = repeats_of(blog, posts)
    assert detail.endswith("; new.md names https://example.com/foxes as its original")


def test_translations_and_short_posts_are_no_repeats(blog: MakeBlog) -> None:
    key = "translationKey: fox\n"
    posts = {
        "a.en.md": write("Foxes", "2023-01-01", PARAGRAPHS, key),
        "a.de.md": write("Foxes", "2023-01-01", PARAGRAPHS, key),
        "b.md": write("Short", "2023-01-01", PARAGRAPHS[:2]),
        "c.md": write("Short again", "2023-01-01", PARAGRAPHS[:2]),
    }
    assert repeats_of(blog, posts) == []
