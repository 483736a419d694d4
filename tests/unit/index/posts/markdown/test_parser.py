from __future__ import annotations

from blog_search_mcp.index.posts.markdown.parser import find_definitions, parse_inline


def test_definitions_are_found_wherever_they_stand_and_the_first_counts() -> None:
    markdown = (
        "Text [a][Long Label].\n[long   label]: /one 'Title'\n\n   [b]:\n   <two>\n"
        "[Long label]: /other\n[^1]: A note.\n    [code]: /code\n"
    )
    found = find_definitions(markdown)
    assert {label: link["href"] for label, link in found.items()} == {
        "LONG LABEL": "/one",
        "B": "two",
    }
    tokens = parse_inline("[a][long label] and [b]", found)
    assert [token.attrGet("href") for token in tokens if token.type == "link_open"] == [
        "/one",
        "two",
    ]
