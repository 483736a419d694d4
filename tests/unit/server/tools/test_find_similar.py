"""`find_similar`: what it takes, what it answers with, and how long that may be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.server.tools.find_similar import ANSWER_BYTES, DRAFT_LENGTH, FIND_SIMILAR
from tests.support.blog import MakeBlog

ICE = (
    "Walruses haul out on drifting ice in summer, and they rest there between long dives "
    "for clams on the sea floor."
)
TEA = "The price of tea rises whenever ships are late in a stormy autumn of the far north."
POSTS = {
    "walrus.md": f"---\ntitle: Walrus\ndate: 2024-01-01\n---\n## On ice\n\n{ICE}\n",
    "soup.md": "---\ntitle: Soup\n---\nOnions simmer in butter until they are brown.\n",
}
WALRUS = {
    "source": "walrus.md",
    "title": "Walrus",
    "date": "2024-01-01",
    "kind": "same ground",
    "passages_met": 1,
    "meetings": [
        {
            "my_lines": "5-7",
            "my_heading": "Ice",
            "chunk_index": 0,
            "heading": "On ice",
            "says": ICE,
            "word_for_word": "100%",
        }
    ],
}


def test_a_draft_is_answered_with_where_it_meets_posts(blog: MakeBlog) -> None:
    made = blog(POSTS)
    text = f"# Notes\n\n{TEA}\n\n## Ice\n\n{ICE}\n"
    reply = FIND_SIMILAR.call(made.engine(), {"text": text})
    assert reply.facts == {
        "verdict": "1 passage meets what the blog has said.",
        "passages": 2,
        "said": 1,
        "posts": [WALRUS],
    }
    assert json.loads(reply.texts[0]) == reply.facts


def test_where_nothing_meets_the_nearest_posts_are_to_be_read(blog: MakeBlog) -> None:
    made = blog(POSTS)
    facts = FIND_SIMILAR.call(made.engine(), {"source": "soup.md"}).facts
    assert facts == {
        "verdict": "No passage meets one of a post. The nearest posts tell whether it is new.",
        "passages": 1,
        "said": 0,
        "posts": [],
        "nearest": [{"source": "walrus.md", "title": "Walrus", "date": "2024-01-01"}],
    }


def test_a_blog_without_another_post_has_nothing_like_it(blog: MakeBlog) -> None:
    made = blog({"soup.md": POSTS["soup.md"]})
    facts = FIND_SIMILAR.call(made.engine(), {"source": "soup.md"}).facts
    verdict = "Nothing like it on this blog."
    assert facts == {"verdict": verdict, "passages": 1, "said": 0, "posts": []}


def test_the_verdict_names_the_same_text(blog: MakeBlog) -> None:
    made = blog(POSTS)
    facts = FIND_SIMILAR.call(made.engine(), {"text": ICE}).facts
    assert facts is not None
    assert facts["verdict"] == (
        "1 passage meets what the blog has said. “Walrus” has mostly the same words."
    )


def test_an_answer_stays_small_by_showing_fewer_meetings(blog: MakeBlog) -> None:
    parts = [
        f"## Part {n}\n\n"
        + " ".join(f"word{n}{chr(97 + k)} stone{n}{chr(97 + k)}" for k in range(20))
        for n in range(6)
    ]
    text = "\n\n".join(parts)
    made = blog({f"{n}.md": f"---\ntitle: {'Very ' * 12}{n}\n---\n{text}\n" for n in range(5)})
    [answer] = FIND_SIMILAR.call(made.engine(), {"text": text}).texts
    assert len(answer.encode()) <= ANSWER_BYTES
    assert all(post["passages_met"] == 6 for post in json.loads(answer)["posts"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Give either text or source."),
        ({"text": "x", "source": "y"}, "Give either text or source."),
        ({"text": " "}, "text must not be blank, got ' '."),
        (
            {"text": "x" * (DRAFT_LENGTH + 1)},
            "text must be at most 50,000 characters, got 50,001.",
        ),
        ({"text": "x", "top_k": 0}, "top_k must be a whole number from 1 to 20, got 0."),
    ],
)
def test_other_arguments_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        FIND_SIMILAR.parse(given)
    assert str(refused.value) == said
