"""The state of a blog: each kind of finding, and what is none."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from blog_search_mcp.index.posts.last_ingest import ContentFolder, read_any_last_ingest, read_folder
from blog_search_mcp.index.relations.audit import KINDS, Audit, Finding, Kind, audit
from blog_search_mcp.server.cli.author import AUDIT_KINDS

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

TODAY = date(2026, 1, 15)


def audit_of(made: Blog) -> Audit:
    made.ingest()
    corpus = made.reader().corpus()
    sources = {post.source for post in corpus.posts.values()}
    folder = read_folder(read_any_last_ingest(made.store), sources)
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


def test_descriptions_are_missing_shared_the_title_or_about_something_else(blog: MakeBlog) -> None:
    made = blog(
        {
            "a.md": "---\ntitle: Alpha\ndescription: ALPHA!\n---\nWords.\n",
            "b.md": "---\ntitle: Beta\ndescription: The same here.\n---\nThe same words.\n",
            "c.md": "---\ntitle: Gamma\ndescription: the same here\n---\nThe same words.\n",
            "c.de.md": "---\ntitle: Gamma\ndescription: the same here\n---\nDie gleichen Worte.\n",
            "d.md": "---\ntitle: Delta\n---\nWords.\n",
            "e.md": "---\ntitle: Eta\ndescription: Walrus tusks seldom freeze.\n---\nOn indexes.\n",
            "f.md": "---\ntitle: Zeta\ndescription: About caches of keys.\n---\nCaching a key.\n",
            "g.md": "---\ntitle: 快取\ndescription: A cache of keys\n---\n模型的快取。\n",
            "h.md": "---\ntitle: 快取\ndescription: 海象的長牙很少結冰\n---\n模型會保留鍵值。\n",
            "i.md": "---\ntitle: 缓存\ndescription: 鍵值快取保留在記憶體\n---\n键值快取。\n",
        }
    )
    assert found(made, "descriptions") == [
        ("a.md", "the description is the title"),
        ("b.md", "the description “The same here.” is also that of c.de.md, c.md"),
        ("c.de.md", "the description “the same here” is also that of b.md"),
        ("c.md", "the description “the same here” is also that of b.md"),
        ("d.md", "has no description"),
        ("e.md", "no word of the description “Walrus tusks seldom freeze.” is in the post"),
        ("h.md", "no word of the description “海象的長牙很少結冰” is in the post"),
    ]
    assert found(blog({"a.md": "# A\n\nWords.\n", "b.md": "# B\n\nWords.\n"}), "descriptions") == [
        ("", "no post has a description")
    ]


def test_of_many_posts_with_one_description_few_are_named(blog: MakeBlog) -> None:
    shared = "---\ntitle: {0}\ndescription: All about walruses\n---\nOn walruses.\n"
    made = blog({f"{name}.md": shared.format(name.upper()) for name in "abcde"})
    detail = "the description “All about walruses” is also that of"
    assert audit_of(made).findings["descriptions"][1:3] == (
        Finding(
            "descriptions", "b.md", 0, f"{detail} a.md, c.md and 2 more", ("a.md", "c.md", "d.md")
        ),
        Finding(
            "descriptions", "c.md", 0, f"{detail} a.md, b.md and 2 more", ("a.md", "b.md", "d.md")
        ),
    )


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
    assert found(made, "stale-drafts") == [("old.md", "draft “Old”, dated 2024-01-01")]


def test_links_that_cannot_be_looked_up_are_counted(blog: MakeBlog) -> None:
    made = blog({"a.md": "# A\n\n[x](/blog/gone/) [y](/about/)\n"})
    assert audit_of(made).notice == (
        "2 links by a path of the site, such as /posts/name/, cannot be looked up, since nobody "
        "knows where posts are published; an ingest with --base-url and --permalink notes it."
    )


def test_links_are_not_judged_by_addresses_that_they_contradict(blog: MakeBlog) -> None:
    days = {f"2024-01-0{day}-tale-{day}.md": f"# Tale {day}\n\nIt sails.\n" for day in range(1, 5)}
    links = " ".join(f"[x](/2024/01/0{day}/tale-{day}/)" for day in range(1, 5))
    made = blog({**days, "a.md": f"# A\n\n{links} [y](/posts/gone/)\n"})
    report = made.ingest(base_url="https://a.org", permalink="/posts/:slug/")
    assert report.warnings == (
        "Of 4 posts that others link to, 4 are linked elsewhere than at the address made for them, "
        "as /2024/01/01/tale-1/ for https://a.org/posts/tale-1/. Say with --permalink how the site "
        "makes its addresses, or leave --base-url out to have none.",
    )
    state = audit(made.reader().corpus(), ContentFolder(frozenset()), TODAY)
    assert state.findings["broken-links"] == ()
    assert state.notice == (
        "5 links by a path of the site, such as /posts/name/, cannot be looked up, since the "
        "posts' links contradict their addresses: /2024/01/01/tale-1/ leads to "
        "https://a.org/posts/tale-1/; an ingest with --base-url and --permalink notes it."
    )


def test_without_the_folder_it_says_what_was_not_looked_at(blog: MakeBlog) -> None:
    made = blog({"a.md": "# A\n\n[x](gone.md)\n"})
    made.content.rename(made.content.with_name("moved"))
    corpus = made.reader().corpus()
    folder = read_folder(read_any_last_ingest(made.store), {"a.md"})
    state = audit(corpus, folder, TODAY)
    assert state.notice.startswith("The folder of the posts cannot be read")
    assert [each.line for each in state.findings["broken-links"]] == [3]
    assert "notes it" in read_folder(None, {"a.md"}).problem


def test_an_audit_is_made_once_until_the_folder_or_the_day_is_another(blog: MakeBlog) -> None:
    made = blog({"a.md": "# A\n"})
    corpus = made.reader().corpus()
    folder = ContentFolder(frozenset({"a.md"}))
    state = audit(corpus, folder, TODAY)
    assert audit(corpus, ContentFolder(frozenset({"a.md"})), TODAY) is state
    assert audit(corpus, folder, date(2026, 1, 16)) is not state
    assert audit(corpus, ContentFolder(frozenset({"a.md", "b.md"})), TODAY) is not state


def test_a_file_that_breaks_its_reader_is_passed_over(blog: MakeBlog) -> None:
    made = blog(
        {
            "a.md": "# A\n\nText.\n",
            "huge.md": f"+++\ntitle = 0x{'f' * 4000}\ndraft = true\n+++\nText.\n",
            "old.md": "---\ndraft: true\ndate: 2024-01-01\n---\n# Old\n",
        }
    )
    assert [source for source, _ in found(made, "stale-drafts")] == ["old.md"]
