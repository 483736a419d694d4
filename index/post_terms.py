"""A post of a catalog in, its terms out: what the lexical index holds of it.

By ids and from the file, so that another process can do it; it imports neither FAISS nor
tantivy, which that process does not need.
"""

from __future__ import annotations

from contextlib import closing

from index.catalog import open_catalog
from index.layout import GenerationFiles
from index.lexical_documents import LexicalPost, PostTerms, terms_of


def post_terms(files: GenerationFiles, post_id: int) -> PostTerms:
    """The terms of one post; the catalog was committed after its links were followed."""
    return terms_of(_lexical_post(files, post_id))


def _lexical_post(files: GenerationFiles, post_id: int) -> LexicalPost:
    with closing(open_catalog(files)) as catalog:
        chunks = catalog.chunks_of(post_id)
        return LexicalPost(
            post_id,
            catalog.posts([post_id])[post_id],
            tuple(catalog.chunk_ids([post_id])[post_id]),
            tuple(chunks),
            catalog.mentions_of(post_id),
        )
