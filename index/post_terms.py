"""A post of a catalog in, its terms out: what the lexical index holds of it.

By ids and from the file, so that another process can do it; it imports neither FAISS nor
tantivy, which that process does not need.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from index.catalog import open_catalog
from index.lexical_documents import LexicalPost, PostTerms, terms_of


def post_terms(catalog: Path, post_id: int) -> PostTerms:
    """The terms of one post of a catalog that was committed after its links were followed."""
    return terms_of(_lexical_post(catalog, post_id))


def _lexical_post(path: Path, post_id: int) -> LexicalPost:
    with closing(open_catalog(path)) as catalog:
        chunks = catalog.chunks_of(post_id)
        return LexicalPost(
            post_id,
            catalog.posts([post_id])[post_id],
            tuple(catalog.chunk_ids([post_id])[post_id]),
            tuple(chunks),
            catalog.mentions_of(post_id),
        )
