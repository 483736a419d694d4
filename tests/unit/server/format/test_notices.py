"""What is said of a filter that names what no post has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.server.format.notices import explain_empty, explain_unknown, list_names
from tests.support.server_fixtures import OVERVIEW

BLOG = replace(
    OVERVIEW,
    posts=60,
    tags=(("kubernetes", 40), ("machine-learning", 9), ("推論", 3), ("learning", 2)),
    sections=(("llm", 30), ("llm/knowledge-cards", 12), ("ops", 30)),
)
TAGS = "The tags: kubernetes (40), machine-learning (9), 推論 (3), learning (2)."
SECTIONS = "The sections: llm (30), ops (30)."


@pytest.mark.parametrize(
    ("filters", "sentence"),
    [
        (Filters(), None),
        (Filters(tag="KUBERNETES", section="llm/"), None),
        (Filters(after="2030-01-01"), None),
        (
            Filters(tag="Kubernets"),
            f"No post has the tag 'Kubernets'. Nearest: kubernetes (40). {TAGS}",
        ),
        (
            Filters(tag="machine learning"),
            "No post has the tag 'machine learning'. "
            f"Nearest: machine-learning (9), learning (2). {TAGS}",
        ),
        (Filters(tag="論"), f"No post has the tag '論'. Nearest: 推論 (3). {TAGS}"),
        (Filters(tag="zebra"), f"No post has the tag 'zebra'. {TAGS}"),
        (
            Filters(section="knowledge-cards"),
            "No post has the section 'knowledge-cards'. "
            f"Nearest: llm/knowledge-cards (12). {SECTIONS}",
        ),
    ],
)
def test_a_name_that_no_post_has_is_told_with_the_nearest_and_the_commonest(
    filters: Filters, sentence: str | None
) -> None:
    assert explain_unknown(filters, BLOG) == sentence


def test_a_nearest_name_is_whole_so_that_it_can_be_asked_for() -> None:
    section = "inside-rust/all-hands-2026-retrospective/what-was-said-there"
    blog = replace(BLOG, sections=(("inside-rust", 9), (section, 1)))
    assert explain_unknown(Filters(section="what-was-said-there"), blog) == (
        f"No post has the section 'what-was-said-there'. Nearest: {section} (1). "
        "The sections: inside-rust (9)."
    )


def test_a_blog_without_tags_says_so() -> None:
    assert explain_unknown(Filters(tag="a"), replace(BLOG, tags=())) == (
        "No post has the tag 'a'. The blog has no tags."
    )


@pytest.mark.parametrize("filters", [Filters(after="2025-01-01"), Filters(before="2025-12-31")])
def test_a_blog_without_dates_says_so(filters: Filters) -> None:
    undated = replace(BLOG, first_day=None, last_day=None)
    assert explain_unknown(filters, undated) == (
        "No post of the blog has a date, so none passes after or before."
    )


def test_a_miss_names_the_languages_that_could_be_asked_in() -> None:
    miss = Answer(hits=(), confidence="low", total=0, offset=0)
    polyglot = replace(BLOG, languages=(("en", 50), ("de", 10)))
    assert explain_empty(miss, Filters(), polyglot) == (
        "No post matches this query. Try other words, or fewer and plainer ones. "
        "The blog's languages: en (50), de (10)."
    )


def test_names_that_do_not_fit_are_counted() -> None:
    assert list_names(BLOG.tags, 30) == "kubernetes (40) and 3 more"
