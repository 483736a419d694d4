"""Which kind of failure a reply of Ollama's is, in the words of its versions."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.embedders.ollama.client import classify_reply
from blog_search_mcp.index.embedders.remote.failures import Kind


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (400, "the input length exceeds the context length", Kind.TOO_LONG),
        (400, "input length exceeds maximum context length", Kind.TOO_LONG),
        (500, "input exceeds maximum context length", Kind.TOO_LONG),
        (400, "input after truncation exceeds maximum context length", Kind.TOO_LONG),
        (500, "this model does not support embeddings", Kind.NOT_EMBEDDING),
        (501, "This server does not support embeddings.", Kind.NOT_EMBEDDING),
        (404, 'model "nomic-embed-text" not found, try pulling it first', Kind.MISSING),
        (404, "404 page not found", Kind.REFUSED),
        (503, "server busy, please try again.  maximum pending requests exceeded", Kind.BUSY),
        (400, 'Post "http://127.0.0.1:36715/tokenize": EOF', Kind.CRASHED),
        (400, "read: connection reset by peer", Kind.CRASHED),
        (400, "unexpected EOF", Kind.CRASHED),
        (500, "llama runner process has terminated: signal: killed", Kind.CRASHED),
        (502, "<html>", Kind.CRASHED),
        (401, "unauthorized", Kind.REFUSED),
        (400, "invalid model name", Kind.REFUSED),
    ],
)
def test_an_answer_has_the_kind_its_status_and_words_tell(
    status: int, text: str, kind: Kind
) -> None:
    assert classify_reply(status, text) is kind
