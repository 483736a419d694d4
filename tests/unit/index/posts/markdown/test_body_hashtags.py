from __future__ import annotations

import pytest

from blog_search_mcp.index.posts.markdown.body import Body


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("#one text #two/three #one", ("one", "two/three")),
        ("中文，#標籤 與 #另一個", ("標籤", "另一個")),
        ("# Heading #in-heading", ("in-heading",)),
        ("`#code` ``a #b``\n\n```\n#include x\n```\n\n    #indented", ()),
        ("#-annotated strings, the route #/settings, _#_", ()),
        ("[a](#b) [c][d] a#b ##no #2024 #fff #1a2b3c #", ()),
        ("[d]: #anchor\n\n## Named { #id }", ()),
        ("{{< x #y >}} %% #z %%", ()),
        ("#" + "long" * 20, ()),
    ],
)
def test_hashtags_are_words_behind_a_mark(body: str, expected: tuple[str, ...]) -> None:
    assert Body(body).hashtags == expected
