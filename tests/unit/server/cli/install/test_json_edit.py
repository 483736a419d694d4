"""Edits of a client's JSON text: what is asked for changes, and not one other character."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.server.cli.install.json_edit import (
    strict,
    with_value,
    without_comments,
    without_member,
)

PATH = ("servers", "blog")
ENTRY = {"command": "/b", "args": ["--index", "/ix"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", '{\n  "servers": {\n    "blog": 1\n  }\n}\n', id="nothing"),
        pytest.param(" \n", '{\n  "servers": {\n    "blog": 1\n  }\n}\n', id="white space"),
        pytest.param(
            "// mine", '// mine\n{\n  "servers": {\n    "blog": 1\n  }\n}\n', id="a comment alone"
        ),
        pytest.param("{}", '{\n  "servers": {\n    "blog": 1\n  }\n}', id="an empty object"),
        pytest.param(
            '{\n\t"servers": {}\n}',
            '{\n\t"servers": {\n\t\t"blog": 1\n\t}\n}',
            id="tabs",
        ),
        pytest.param(
            '{\r\n    "servers": {\r\n        "a": 2\r\n    }\r\n}\r\n',
            '{\r\n    "servers": {\r\n        "a": 2,\r\n        "blog": 1\r\n    }\r\n}\r\n',
            id="four spaces and the line ends of Windows",
        ),
        pytest.param(
            '{\n  "servers": {\n    "a": 2, // two\n  }, /* end */\n}',
            '{\n  "servers": {\n    "a": 2, // two\n    "blog": 1,\n  }, /* end */\n}',
            id="a comma at the end stays the custom",
        ),
        pytest.param(
            '{\n  "servers": {\n    "a": 2 // two, three\n    /* four */\n  }\n}',
            '{\n  "servers": {\n    "a": 2, // two, three\n    /* four */\n    "blog": 1\n  }\n}',
            id="comments after the last",
        ),
        pytest.param(
            '{\n  "servers": {\n    // none yet\n  }\n}',
            '{\n  "servers": {\n    // none yet\n    "blog": 1\n  }\n}',
            id="a comment in an empty object",
        ),
        pytest.param('{"servers":{"a":2}}', '{"servers":{"a":2, "blog": 1}}', id="all in one line"),
        pytest.param(
            '{"servers":{"a":2 /* x */,}}',
            '{"servers":{"a":2 /* x */, "blog": 1,}}',
            id="all in one line with a comma at the end",
        ),
        pytest.param(
            '{\n  "servers": {\n    "a": 2}}',
            '{\n  "servers": {\n    "a": 2,\n    "blog": 1\n  }}',
            id="braces in a line of the last",
        ),
        pytest.param(
            '{\n  "servers": {\n    "blog": {"x": 0} // mine\n  }\n}',
            '{\n  "servers": {\n    "blog": 1 // mine\n  }\n}',
            id="another value",
        ),
        pytest.param(
            '{"servers": {"blog": 2}, "servers": {"blog": 3}}',
            '{"servers": {"blog": 2}, "servers": {"blog": 1}}',
            id="a key that stands twice: the last counts",
        ),
    ],
)
def test_a_value_is_set_and_all_else_stays(before: str, after: str) -> None:
    assert with_value(before, PATH, 1) == after
    assert with_value(after, PATH, 1) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            '{\n  "servers": {\n    "blog": 1\n  }\n}', '{\n  "servers": {}\n}', id="alone"
        ),
        pytest.param(
            '{\n  "servers": {\n    "blog": 1, // mine\n    "a": 2\n  }\n}',
            '{\n  "servers": {\n    // mine\n    "a": 2\n  }\n}',
            id="its comment stays",
        ),
        pytest.param(
            '{\n  "servers": {\n    "a": 2, // two\n    "blog": 1 // mine\n  }\n}',
            '{\n  "servers": {\n    "a": 2 // two\n    // mine\n  }\n}',
            id="a comment before and one behind",
        ),
        pytest.param(
            '{"servers": {"blog": 1, "a": 2}}', '{"servers": { "a": 2}}', id="first in one line"
        ),
        pytest.param(
            '{"servers": {"blog": 1 /* , */, "a": 2}}',
            '{"servers": { /* , */ "a": 2}}',
            id="a comma in a comment",
        ),
        pytest.param(
            '{"servers": {/* none */ "blog": 1}}',
            '{"servers": {/* none */}}',
            id="a comment is left alone",
        ),
        pytest.param('{"other": {"blog": 1}}', '{"other": {"blog": 1}}', id="another place"),
        pytest.param('{"servers": {"a": 2}}', '{"servers": {"a": 2}}', id="not there"),
        pytest.param("", "", id="nothing"),
        pytest.param("// mine\n", "// mine\n", id="a comment alone"),
    ],
)
def test_a_member_is_taken_out_and_all_else_stays(before: str, after: str) -> None:
    assert without_member(before, PATH) == after


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[]", "line 1 column 1"),
        ('{\n  "servers": []\n}', "line 2 column 14"),
        ('{\n  // mine\n  "servers": null\n}', "line 3 column 14"),
    ],
)
def test_what_is_no_object_is_refused_with_its_place(text: str, place: str) -> None:
    said = f"^what stands at {place} is not an object$"
    with pytest.raises(ValueError, match=said):
        with_value(text, PATH, 1)
    with pytest.raises(ValueError, match=said):
        without_member(text, PATH)


TEXTS = st.text(st.sampled_from('a"\\/*,:{}[] \t\n中'), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
SERVERS = st.dictionaries(TEXTS, VALUES, max_size=3)
GAPS = st.sampled_from(["", " ", "\n", "\n  ", "\r\n\t", " // it, is: {so}\n", "/* a, } */", "  "])


@st.composite
def written_by_hand(draw: st.DrawFn, value: Any) -> str:
    """The value as JSON with comments, gaps and commas at the end wherever they may be."""
    gap = draw(GAPS)
    if isinstance(value, dict):
        parts = [
            f"{draw(GAPS)}{json.dumps(key)}{draw(GAPS)}:{draw(written_by_hand(inner))}"
            for key, inner in value.items()
        ]
        return f"{gap}{{{_joined(draw, parts)}}}{draw(GAPS)}"
    if isinstance(value, list):
        return f"{gap}[{_joined(draw, [draw(written_by_hand(inner)) for inner in value])}]"
    return f"{gap}{json.dumps(value)}{draw(GAPS)}"


def _joined(draw: st.DrawFn, parts: list[str]) -> str:
    last = draw(st.sampled_from(["", ","])) if parts else ""
    return ",".join(parts) + last + draw(GAPS)


@given(st.data(), SERVERS, SERVERS)
def test_whatever_was_written_by_hand_is_kept_by_both_edits(
    data: st.DataObject, others: dict[str, Any], rest: dict[str, Any]
) -> None:
    theirs = {**rest, "servers": others}
    text = data.draw(written_by_hand(theirs))
    changed = with_value(text, PATH, ENTRY)
    assert json.loads(strict(changed)) == {**theirs, "servers": {**others, "blog": ENTRY}}
    assert with_value(changed, PATH, ENTRY) == changed
    assert comments(changed) == comments(text)
    undone = without_member(changed, PATH)
    assert json.loads(strict(undone)) == theirs
    assert comments(undone) == comments(text)


def comments(text: str) -> list[str]:
    """The characters of the comments, without white space."""
    pairs = zip(text, without_comments(text), strict=True)
    return [written for written, left in pairs if written != left and written.strip()]


@given(st.dictionaries(TEXTS, VALUES, min_size=1), st.sampled_from([2, 4, "\t", None]))
def test_what_was_added_is_taken_out_without_a_trace(
    others: dict[str, Any], indent: int | str | None
) -> None:
    text = json.dumps({"a": [], "servers": others}, indent=indent)
    assert without_member(with_value(text, PATH, ENTRY), PATH) == text
