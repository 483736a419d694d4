"""The model in the package that a blog gets by its languages, and what becomes of it later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.embedders.packaged import E5, MINILM
from blog_search_mcp.index.embedders.registry import choose_embedder, open_embedder
from blog_search_mcp.index.errors import EmbedderMismatch
from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.reader import Index
from blog_search_mcp.index.types import Filters
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import Progress

if TYPE_CHECKING:
    from blog_search_mcp.index.types import EmbedderIdentity

CHINESE = {
    "cache.md": "# 快取\n\n這是讓模型不必每次都從頭計算的記憶體，我們用它來省時間。\n",
    "bread.md": "# 麵包\n\n這是我們在家裡用酸種做的麵包，因為它的味道比較好。\n",
}
ENGLISH = {
    "soup.md": "# Soup\n\nThis is the soup that we make of an onion and of what is there.\n",
}
ADVICE = (
    "67% of the posts are not in English, so a new index would get multilingual-e5-small: "
    "`blog-search-mcp ingest CONTENT --index INDEX --rebuild --embedder embedded`."
)


@dataclass
class Site:
    """A folder of posts whose index is made by a model of the package."""

    folder: Path

    def write(self, posts: Mapping[str, str]) -> None:
        for source, text in posts.items():
            (self.folder / source).write_text(text, encoding="utf-8")

    def ingest(self, model: str | None = None, *, rebuild: bool = False) -> str:
        """Bring the index up to date; what is said about the embedder."""
        choose = partial(choose_embedder, "embedded", model, "")
        now = datetime(2026, 1, 15, tzinfo=UTC)
        job = Job(self.folder, self.index, choose, now, rebuild=rebuild, processes=0)
        return ingest(job, Progress()).embedder_reason

    @property
    def index(self) -> Path:
        return self.folder.parent / "index"

    @property
    def identity(self) -> EmbedderIdentity:
        store = FolderStore(self.index)
        return store.read_manifest(store.current_number()).embedder

    def find(self, query: str) -> list[str]:
        """Sources that the query finds the best first."""
        index = Index(self.index, lambda identity: open_embedder(identity, ""))
        answer = index.reader().search(query, Filters(), limit=9, offset=0)
        return [hit.post.source for hit in answer.hits]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "posts").mkdir()
    return Site(tmp_path / "posts")


def test_a_chinese_blog_gets_the_multilingual_model_and_keeps_it(site: Site) -> None:
    site.write(CHINESE)
    assert site.ingest() == (
        "Embedder: the packaged model multilingual-e5-small. The posts are not in English."
    )
    assert site.identity == E5.identity
    assert site.find("how to bake sourdough")[0] == "bread.md"
    assert site.find("what saves the model from computing it all again?")[0] == "cache.md"
    site.write(ENGLISH)
    assert (
        site.ingest() == "The index keeps its embedder, the packaged model multilingual-e5-small."
    )
    with pytest.raises(EmbedderMismatch, match="--embedder embedded --model all-MiniLM-L6-v2`"):
        site.ingest(MINILM.identity.model)


def test_an_index_keeps_its_model_until_it_is_made_anew(site: Site) -> None:
    site.write(ENGLISH)
    first = site.ingest()
    assert first == "Embedder: the packaged model all-MiniLM-L6-v2. The posts are in English."
    site.write(CHINESE)
    kept = "The index keeps its embedder, the packaged model all-MiniLM-L6-v2."
    assert site.ingest() == f"{kept} {ADVICE}"
    assert site.ingest() == f"{kept} {ADVICE}"
    assert site.ingest(MINILM.identity.model) == kept
    assert site.identity == MINILM.identity
    site.ingest(rebuild=True)
    assert site.identity == E5.identity
