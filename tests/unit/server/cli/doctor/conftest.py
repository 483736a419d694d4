"""The tests' embedder as one of the kinds, since the doctor opens an index by its manifest."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.embedders.base import LocalBackend
from blog_search_mcp.index.embedders.registry import BACKENDS
from tests.support.fakes import IDENTITY, FakeEmbedder


@pytest.fixture(autouse=True)
def _fake_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = LocalBackend(IDENTITY.model, (IDENTITY.model,), lambda _model: FakeEmbedder())
    monkeypatch.setitem(BACKENDS, IDENTITY.kind, lambda: fake)
