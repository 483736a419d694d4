"""Which kind of failure a reply of Ollama's is, in the words of its versions."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.embedders.ollama.client import classify_reply
from blog_search_mcp.index.embedders.remote.failures import FailureKind


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (400, "the input length exceeds the context length", FailureKind.TOO_LONG),
        (400, "input length exceeds maximum context length", FailureKind.TOO_LONG),
        (500, "input exceeds maximum context length", FailureKind.TOO_LONG),
        (400, "input after truncation exceeds maximum context length", FailureKind.TOO_LONG),
        (500, "this model does not support embeddings", FailureKind.NOT_EMBEDDING),
        (501, "This server does not support embeddings.", FailureKind.NOT_EMBEDDING),
        (404, 'model "nomic-embed-text" not found, try pulling it first', FailureKind.MISSING),
        (404, "404 page not found", FailureKind.REFUSED),
        (
            503,
            "server busy, please try again.  maximum pending requests exceeded",
            FailureKind.BUSY,
        ),
        (400, 'Post "http://127.0.0.1:36715/tokenize": EOF', FailureKind.CRASHED),
        (400, "read: connection reset by peer", FailureKind.CRASHED),
        (400, "unexpected EOF", FailureKind.CRASHED),
        (500, "llama runner process has terminated: signal: killed", FailureKind.CRASHED),
        (502, "<html>", FailureKind.CRASHED),
        (401, "unauthorized", FailureKind.REFUSED),
        (400, "invalid model name", FailureKind.REFUSED),
    ],
)
def test_an_answer_has_the_kind_its_status_and_words_tell(
    status: int, text: str, kind: FailureKind
) -> None:
    assert classify_reply(status, text) is kind
