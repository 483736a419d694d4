from __future__ import annotations

import pytest

from blog_search_mcp.ingest.markdown.body import MarkdownBody


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("see [it](kelp.md#part) and [that](../newt.md 'title')", ("kelp.md#part", "../newt.md")),
        ("see [it](/posts/Kelp%20Forests/)", ("/posts/Kelp%20Forests/",)),
        (
            "see [it][k], [K] and <https://a.example>\n\n[K]: /kelp/",
            ("/kelp/", "https://a.example"),
        ),
        (
            "| a |\n|---|\n| [it](/kelp) |\n\n- [it](\n/kelp)\n\n# [Newts](/newts)",
            ("/kelp", "/newts"),
        ),
        ("see ![it](kelp.png) and `[it](kelp.md)`\n\n```\n[it](kelp.md)\n```", ()),
        ("see [it][gone]", ()),
        (f"[x](/kelp) {'[' * 3000}", ()),
        ("", ()),
    ],
)
def test_links_are_targets_as_written_in_order(text: str, targets: tuple[str, ...]) -> None:
    assert MarkdownBody(text).links == targets
