from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.server.cli.install.clients import ClientFile
from blog_search_mcp.server.cli.install.entries import with_entry, without_entry
from blog_search_mcp.server.cli.install.settings_file import parse_settings, strip_comments

FILE = ClientFile("VS Code", Path("mcp.json"), "servers", comments=True)
ENTRY = {"command": "blog-server", "args": ["--index", "/ix"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "", '{\n  "servers": {\n    "blog": {\n      "x": 1\n    }\n  }\n}\n', id="no"
        ),
        pytest.param(
            "{}", '{\n  "servers": {\n    "blog": {\n      "x": 1\n    }\n  }\n}', id="{}"
        ),
        pytest.param(
            '{\n\t"servers": {}\n}',
            '{\n\t"servers": {\n\t\t"blog": {\n\t\t\t"x": 1\n\t\t}\n\t}\n}',
            id="tabs",
        ),
        pytest.param(
            '{\r\n    "a": "什",\r\n    "servers": {}\r\n}\r\n',
            '{\r\n    "a": "什",\r\n    "servers": {\r\n        "blog": {\r\n'
            '            "x": 1\r\n        }\r\n    }\r\n}\r\n',
            id="four spaces and the line ends of Windows",
        ),
        pytest.param(
            '{"a": "\\u4ec0\\ud83e", "servers": {}}',
            '{"a": "\\u4ec0\\ud83e", "servers": {"blog": {"x": 1}}}',
            id="one line and escapes",
        ),
    ],
)
def test_an_entry_is_added_in_the_layout_of_the_file(before: str, after: str) -> None:
    assert with_entry(before, FILE, "blog", {"x": 1}) == after


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"servers": []}', "what stands under 'servers' is not an object"),
        ('{"servers": {"blog": "text"}}', "what stands under 'blog' is not an object"),
        ('{"a": 1e400}', "Out of range float values are not JSON compliant"),
    ],
)
def test_a_file_that_a_rewrite_would_spoil_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        with_entry(text, FILE, "blog", ENTRY)


TEXTS = st.text(st.sampled_from('a"\\/*,:{}[] \t\n中'), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
GAPS = st.sampled_from(["", " ", "\n", "\n  ", "\r\n\t", " // it, is: {so}\n", "/* a, } */", "  "])


@st.composite
def handwritten_json(draw: st.DrawFn, value: Any) -> str:
    """The value as JSON with comments, gaps and trailing commas wherever they may be."""
    gap = draw(GAPS)
    if isinstance(value, dict):
        parts = [
            f"{draw(GAPS)}{json.dumps(key)}{draw(GAPS)}:{draw(handwritten_json(inner))}"
            for key, inner in value.items()
        ]
        return f"{gap}{{{_join(draw, parts)}}}{draw(GAPS)}"
    if isinstance(value, list):
        return f"{gap}[{_join(draw, [draw(handwritten_json(inner)) for inner in value])}]"
    return f"{gap}{json.dumps(value)}{draw(GAPS)}"


def _join(draw: st.DrawFn, parts: list[str]) -> str:
    last = draw(st.sampled_from(["", ","])) if parts else ""
    return ",".join(parts) + last + draw(GAPS)


@given(st.data(), st.dictionaries(TEXTS, VALUES, max_size=4))
def test_comments_and_trailing_commas_do_not_change_what_is_read(
    data: st.DataObject, value: dict[str, Any]
) -> None:
    text = data.draw(handwritten_json(value))
    stripped = strip_comments(text)
    assert parse_settings(stripped) == value
    assert [len(line) for line in stripped.split("\n")] == [len(line) for line in text.split("\n")]


@given(st.dictionaries(TEXTS, VALUES, min_size=1), st.sampled_from([2, 4, "\t", None]))
def test_what_was_added_is_removed_without_a_trace(
    others: dict[str, Any], indent: int | str | None
) -> None:
    text = json.dumps({"a": [], "servers": others}, indent=indent, ensure_ascii=False)
    added = with_entry(text, FILE, "blog", ENTRY)
    assert json.loads(added) == {"a": [], "servers": {**others, "blog": ENTRY}}
    assert with_entry(added, FILE, "blog", ENTRY) == added
    assert without_entry(added, FILE, "blog") == text
