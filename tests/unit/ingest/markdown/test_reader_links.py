from __future__ import annotations

import pytest

from blog_search_mcp.ingest.markdown.reader import MarkdownBody


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


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("#one text #two/three #one", ("one", "two/three")),
        ("中文，#標籤 與 #另一個", ("標籤", "另一個")),
        ("# Heading #in-heading", ("in-heading",)),
        ("`#code` ``a #b``\n\n```\n#include x\n```\n\n    #indented", ()),
        ("[a](#b) [c][d] a#b ##no #2024 #fff #1a2b3c #", ()),
        ("[d]: #anchor\n\n## Named { #id }", ()),
        ("{{< x #y >}} %% #z %%", ()),
        ("#" + "long" * 20, ()),
    ],
)
def test_hashtags_are_words_behind_a_mark(body: str, expected: tuple[str, ...]) -> None:
    assert MarkdownBody(body).hashtags == expected
