"""How a text becomes the pieces that a model of the package reads."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.embedders.packaged import E5, MINILM, PACKAGED


def test_the_readmes_text_has_the_readmes_pieces() -> None:
    assert E5.encode("passage: hello world") == [35447, 12, 25666, 31, 7174]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "Full width"),
        ("e\u0301te\u0301", "été"),
        ("ﬁle", "file"),
        ("one\n\ntwo\t three", "one two three"),
        ("  hello \n", "hello"),
        ("half \ud83d pair", "half ? pair"),
    ],
)
def test_what_looks_alike_has_the_same_pieces(text: str, same: str) -> None:
    assert E5.encode(text) == E5.encode(same)


def test_an_identity_decides_prefixes_and_weights() -> None:
    named = [(each.identity.document_prefix, each.identity.query_prefix) for each in (MINILM, E5)]
    assert named == [("", ""), ("passage: ", "query: ")]
    assert [PACKAGED[each.identity.model] for each in (MINILM, E5)] == [MINILM, E5]
