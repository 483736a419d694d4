"""The tests' embedder as one of the kinds, since the doctor opens an index by its manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.embedders.registry import open_embedder
from blog_search_mcp.server.cli.doctor import index
from tests.support.fakes import IDENTITY, FakeEmbedder

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.types import EmbedderIdentity


@pytest.fixture(autouse=True)
def _fake_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_any(identity: EmbedderIdentity, url: str) -> Embedder:
        is_fake = identity.kind == IDENTITY.kind
        return FakeEmbedder() if is_fake else open_embedder(identity, url)

    monkeypatch.setattr(index, "open_embedder", open_any)
