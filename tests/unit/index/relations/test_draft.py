"""A draft: its front matter, its passages with their lines, and its links."""

from __future__ import annotations

from blog_search_mcp.index.relations.draft import read_draft
from blog_search_mcp.index.types import Chunk, Link, Post

TEXT = """\
---
title: On caches
date: 2024-05-06
tags: [llm]
---
An *opening* word, see [it](../it.md).

## Sizes

First.

```
code
```

### Small

Small ones.
"""


def test_a_draft_is_read_with_its_metadata_passages_and_links() -> None:
    draft = read_draft(TEXT.encode(), "drafts/caches.md")
    assert draft.post == Post(
        "drafts/caches.md", "On caches", "2024-05-06", ("llm",), language="en"
    )
    assert draft.links == (Link("../it.md", "it", 6),)
    assert draft.passages == (
        Chunk(
            "drafts/caches.md",
            0,
            "An *opening* word, see [it](../it.md).",
            "An opening word, see it.",
            (),
            6,
            6,
        ),
        Chunk(
            "drafts/caches.md",
            1,
            "## Sizes\n\nFirst.\n\n```\ncode\n```",
            "First.\ncode",
            ("Sizes",),
            8,
            14,
        ),
        Chunk(
            "drafts/caches.md",
            2,
            "### Small\n\nSmall ones.",
            "Small ones.",
            ("Sizes", "Small"),
            16,
            18,
        ),
    )


def test_a_draft_without_front_matter_has_the_title_of_its_first_heading() -> None:
    draft = read_draft(b"# The *title*\n\nWords.\n", "-")
    assert draft.post.title == "The title"
    assert [passage.plain for passage in draft.passages] == ["Words."]


def test_a_long_section_is_cut_into_passages_that_hold_every_line() -> None:
    paragraphs = [f"Paragraph {number} has some words of its own." * 6 for number in range(9)]
    draft = read_draft("\n\n".join(paragraphs).encode(), "long.md")
    assert "\n\n".join(passage.text for passage in draft.passages) == "\n\n".join(paragraphs)
    assert len(draft.passages) == 5


def test_an_empty_draft_has_no_passage() -> None:
    assert read_draft(b"", "empty.md").passages == ()
