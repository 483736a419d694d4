"""Links suggested for a draft, and for the posts that should link to it."""

from __future__ import annotations

import math

import pytest

from blog_search_mcp.index.relations.corpus import Corpus
from blog_search_mcp.index.relations.draft import draft_of_post, embed_passages, read_draft
from blog_search_mcp.index.relations.linking.features import FEATURES, find_evidence
from blog_search_mcp.index.relations.linking.prose import find_prose
from blog_search_mcp.index.relations.linking.suggest import (
    Suggestion,
    linkable_posts,
    suggest_backlinks,
    suggest_links,
)
from tests.support.blog import MakeBlog

POSTS = {
    "cache.md": "---\ntitle: Sizing a walrus cache\ndate: 2024-01-01\n---\n"
    "The walrus cache keeps keys.\n\n## Evicting keys slowly\n\nOld keys go first.\n",
    "soup.md": "---\ntitle: Onion soup\n---\nBoil the onion.\n",
    "soup.de.md": "---\ntitle: Zwiebelsuppe\n---\nDie Zwiebel und das Wasser kochen.\n",
    "bread.md": "---\ntitle: Bread\n---\nEat bread with onion soup, or with butter.\n",
    "butter.md": "---\ntitle: Churning butter\n---\nButter is churned.\n",
}
DRAFT = """\
---
title: A dinner
---
# About onion soup

See `onion soup` and [butter](butter.md): churning butter is work.

We had onion
soup and bread.
"""


@pytest.fixture
def corpus(blog: MakeBlog) -> Corpus:
    made = blog(POSTS)
    return made.reader().corpus()


def shown(found: list[Suggestion]) -> list[tuple[str, int, str, str]]:
    return [(s.target.source, s.line, s.words, s.why) for s in found]


def test_words_of_prose_that_name_a_post_are_suggested(corpus: Corpus) -> None:
    draft = read_draft(DRAFT.encode(), "dinner.md")
    found = suggest_links(corpus, draft, embed_passages(corpus, draft), 5)
    assert sorted(shown(found)) == [
        ("bread.md", 9, "bread", "title"),
        ("soup.md", 8, "onion\nsoup", "title"),
    ]


def test_of_posts_alike_the_first_by_source_is_linked_to_however_they_came(
    blog: MakeBlog,
) -> None:
    text = "# Walrus cache\n\nThe walrus cache keeps keys.\n"
    made = blog({"b.md": text, "soup.md": POSTS["soup.md"]})
    made.write({"a.md": text})
    made.ingest()
    corpus = made.reader().corpus()
    draft = read_draft(b"We sized the walrus cache.\n", "dinner.md")
    found = suggest_links(corpus, draft, embed_passages(corpus, draft), 1)
    assert [each.target.source for each in found] == ["a.md"]


def test_a_draft_is_compared_by_words_where_it_has_no_vectors(corpus: Corpus) -> None:
    draft = read_draft(DRAFT.encode(), "dinner.md")
    found = suggest_links(corpus, draft, None, 1)
    assert shown(found) == [("soup.md", 8, "onion\nsoup", "title")]
    assert found[0].chunk is None


def test_a_draft_of_a_post_never_links_to_it_or_its_translations(corpus: Corpus) -> None:
    text = b"---\ntitle: Onion Soup!\n---\nOnion soup, a Zwiebelsuppe.\n"
    assert suggest_links(corpus, read_draft(text, "new.md"), None, 5) == []
    same = read_draft(b"# Soup\n\nOnion soup, a Zwiebelsuppe.\n", "soup.md")
    assert suggest_links(corpus, same, None, 5) == []


def test_a_text_about_nothing_of_the_blog_gets_no_suggestion(corpus: Corpus) -> None:
    draft = read_draft(b"# Mountains\n\nGranite rises slowly over the valley.\n", "m.md")
    assert suggest_links(corpus, draft, embed_passages(corpus, draft), 5) == []


def test_a_rare_word_that_a_post_repeats_stands_for_it(blog: MakeBlog) -> None:
    made = blog(
        {
            "layers.md": "---\ntitle: Working together\n---\n" + "We use FOSS with care. " * 5,
            **{
                f"{n}.md": f"---\ntitle: Story {n}\n---\nA walrus swam {n} miles.\n"
                for n in range(9)
            },
        }
    )
    corpus = made.reader().corpus()
    draft = read_draft(b"---\ntitle: News\n---\nLicences matter: FOSS has them.\n", "new.md")
    found = suggest_links(corpus, draft, embed_passages(corpus, draft), 1)
    assert shown(found) == [("layers.md", 4, "FOSS", "subject")]


def test_posts_that_should_link_to_a_draft_are_named(corpus: Corpus) -> None:
    draft = read_draft(b"# Butter\n\nIt keeps in the cold.\n", "new.md")
    found = suggest_backlinks(corpus, draft, embed_passages(corpus, draft), 5)
    assert sorted((s.post.source, s.line, s.words) for s in found) == [
        ("bread.md", 4, "butter"),
        ("butter.md", 4, "Butter"),
    ]
    assert {s.target.source for s in found} == {"new.md"}


def test_posts_that_should_link_to_a_post_leave_out_those_that_do(blog: MakeBlog) -> None:
    made = blog(POSTS | {"tea.md": "# Tea\n\nSee [soup](soup.md): onion soup is no tea.\n"})
    corpus = made.reader().corpus()
    soup = draft_of_post(corpus, "soup.md")
    found = suggest_backlinks(corpus, soup, embed_passages(corpus, soup), 5)
    assert [(s.post.source, s.line, s.words) for s in found] == [("bread.md", 4, "onion soup")]


def test_a_draft_gets_links_to_posts_that_have_a_title_alone(blog: MakeBlog) -> None:
    made = blog({"soup.md": "---\ntitle: Onion soup\n---\n"})
    corpus = made.reader().corpus()
    draft = read_draft(b"# Oven\n\nOnion soup is kept warm in it.\n", "new.md")
    found = suggest_links(corpus, draft, embed_passages(corpus, draft), 5)
    assert [(s.target.source, s.words) for s in found] == [("soup.md", "Onion soup")]


@pytest.mark.parametrize(
    ("language", "linked"),
    [("zh-cn", {"zh-cn"}), ("zh-hk", {"zh-cn", "zh-tw"}), ("ja", {"en", "zh-cn", "zh-tw"})],
)
def test_of_translations_those_nearest_to_the_language_of_a_draft_may_be_linked_to(
    language: str, linked: set[str], blog: MakeBlog
) -> None:
    said = {"en": "Sizing a cache", "zh-cn": "缓存有多大", "zh-tw": "快取有多大"}
    made = blog({f"{tag}/cache.md": f"# {title}\n\n{title}.\n" for tag, title in said.items()})
    corpus = made.reader().corpus()
    draft = read_draft(b"# Draft\n\nWords.\n", "new.md")
    found = linkable_posts(corpus, draft, language)
    assert {corpus.posts[post].section for post in found} == linked


def test_a_post_without_a_date_is_as_near_in_time_as_the_others_are_on_the_average(
    blog: MakeBlog,
) -> None:
    days = {"a.md": "2025-01-01", "b.md": "2024-01-02"}
    dated = {name: f"---\ntitle: {name}\ndate: {day}\n---\nWords.\n" for name, day in days.items()}
    made = blog({**dated, "manual.md": "# Manual\n\nWords.\n"})
    corpus = made.reader().corpus()
    draft = read_draft(b"---\ndate: 2025-01-01\n---\nOther words.\n", "new.md")
    prose = find_prose(draft.passages, "en")
    evidence = find_evidence(corpus, draft, prose, None, corpus.posts.keys())
    recent = evidence.features[:, FEATURES.index("recent")].tolist()
    sources = [corpus.posts[post].source for post in evidence.posts.tolist()]
    known = dict(zip(sources, recent, strict=True))
    expected = {"a.md": 1.0, "b.md": 1 / math.e, "manual.md": (1 + 1 / math.e) / 2}
    assert known == pytest.approx(expected)


def test_words_of_a_long_title_are_not_taken_for_those_of_a_heading(blog: MakeBlog) -> None:
    title = "Walrus ferry ledger, anchor compass, lantern harbour, voyage storm"
    others = {f"{n}.md": f"# Story {n}\n\nIt ends on page {n}.\n" for n in range(30)}
    made = blog({"long.md": f"# {title}\n\nIt sails.\n\n## In government\n\nIt floats.\n"} | others)
    corpus = made.reader().corpus()
    draft = read_draft(b"# News\n\nThe walrus ferry sails.\n", "new.md")
    [found] = suggest_links(corpus, draft, embed_passages(corpus, draft), 5)
    assert (found.words, found.why, found.anchor) == ("walrus ferry", "title", "")
