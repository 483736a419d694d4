"""A draft: its front matter, its passages with their lines, and its links."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.index.relations.draft import read_draft
from blog_search_mcp.index.types import Link, Post

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
    assert [(each.headings, each.plain, each.first_line) for each in draft.passages] == [
        ((), "An opening word, see it.", 6),
        (("Sizes",), "First.\ncode", 8),
        (("Sizes", "Small"), "Small ones.", 16),
    ]


def test_a_long_section_is_cut_into_passages_that_hold_every_line() -> None:
    paragraphs = [f"Paragraph {number} has some words of its own." * 6 for number in range(9)]
    draft = read_draft("\n\n".join(paragraphs).encode(), "long.md")
    assert "\n\n".join(passage.text for passage in draft.passages) == "\n\n".join(paragraphs)
    assert len(draft.passages) == 5


def test_a_draft_that_breaks_its_reader_is_a_sentence() -> None:
    with pytest.raises(UnreadablePost, match=r"^Reading the draft fails \(ValueError: Exceeds"):
        read_draft(f"+++\ntitle = 0x{'f' * 4000}\n+++\nText.\n".encode(), "draft.md")
