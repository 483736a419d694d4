from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.errors import UnknownPost
from blog_search_mcp.server.tools import get_outline as outline_module
from blog_search_mcp.server.tools.get_outline import GET_OUTLINE

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

SOUP = """---
title: Onion soup
date: 2025-03-04
tags: [soup, winter]
description: A soup of onions.
---
Boil an onion in water and add some salt.

## Stock

Bones simmer for hours until the stock is dark.

### Cooling

Let the stock cool down before it is put away.
"""


def outline(made: Blog, source: str) -> str:
    [text] = GET_OUTLINE.call(made.engine(), {"source": source}).texts
    return text


def test_an_outline_has_a_line_for_each_section(blog: MakeBlog) -> None:
    long = SOUP.replace("Bones", "They simmer.\n\n" * 300).replace("Let", "Wait.\n\n" * 300)
    text = outline(blog({"a.md": long}), "a.md")
    head, body = text.split("\n\n")
    lines = [line.split("  ") for line in body.splitlines()]
    assert head.splitlines() == [
        "title: Onion soup",
        "source: a.md",
        "date: 2025-03-04",
        "tags: soup, winter",
        "description: A soup of onions.",
        f"chunks: {int(lines[-1][0].split('-')[-1]) + 1}",
    ]
    assert [heading for _, heading, _ in lines] == ["(beginning)", "Stock", "Stock > Cooling"]
    assert lines[0][0] == "0"
    assert lines[1][0].startswith("1-")
    assert lines[0][2] == "lines 7-7"


def test_sections_that_share_a_chunk_are_named_on_its_line(blog: MakeBlog) -> None:
    text = outline(blog({"a.md": SOUP}), "a.md")
    assert text.endswith("\n\n0  (beginning); Stock; Cooling  lines 7-15")


def test_an_outline_that_is_too_long_says_what_is_left(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outline_module, "ANSWER", 0)
    monkeypatch.setattr(outline_module, "NOTE", 0)
    text = outline(blog({"bread.md": "# Bread\n\nBake it.\n"}), "bread.md")
    assert text.endswith("\n\n[Sections left out: 1]")


def test_as_many_sections_are_shown_as_the_answer_holds(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog({"a.md": "# A\n\n" + "\n\n".join(f"## B\n\n{'x ' * 900}" for _ in range(4))})
    whole = outline(made, "a.md")
    head, body = whole.split("\n\n")
    monkeypatch.setattr(outline_module, "NOTE", 0)
    for room in range(len(body) + 2):
        monkeypatch.setattr(outline_module, "ANSWER", len(head) + room)
        shown = outline(made, "a.md").removeprefix(f"{head}\n\n")
        kept = [line for line in shown.split("\n") if line and not line.startswith("[")]
        assert len("\n".join(kept)) <= room
        left = body.count("\n") + 1 - len(kept)
        assert shown == "\n".join([*kept, *([f"[Sections left out: {left}]"] if left else [])])
        assert not left or len("\n".join(body.split("\n")[: len(kept) + 1])) > room


def test_an_outline_of_no_post_names_the_nearest(blog: MakeBlog) -> None:
    with pytest.raises(UnknownPost, match=r"Nearest: soup/onion\.md"):
        outline(blog({"soup/onion.md": SOUP}), "onion.md")
