"""What is embedded for a chunk: its post, its headings and a window of its words, as one text.

The title and the heading path come first: without them a passage does not say
what it is about, and English questions lose .02 of nDCG@10 (docs/quality.md,
`header=off`).
"""

from index.types import Chunk, Post


def embedding_text(post: Post, chunk: Chunk, window: str) -> str:
    """Title, heading path and `window`, a part of the chunk's plain text."""
    return "\n".join(filter(None, (post.title, " > ".join(chunk.headings), window)))
