"""The passages of a blog, compared about the mean of their language."""

from __future__ import annotations

import numpy as np
import pytest

from blog_search_mcp.index.relations.similarity.passages import NOWHERE
from tests.support.blog import MakeBlog
from tests.support.fakes import vector_of

POSTS = {
    "walrus.md": "# Walrus\n\nThe walrus rests on the ice.\n",
    "soup.md": "# Soup\n\nThe soup boils over.\n",
    "soup.de.md": "# Suppe\n\nDie Suppe kocht.\n",
}


def test_each_post_comes_as_near_as_its_nearest_window(blog: MakeBlog) -> None:
    made = blog(POSTS)
    corpus = made.reader().corpus()
    passages = corpus.passages
    sources = [corpus.posts[post].source for post in passages.posts.tolist()]
    walrus = sources.index("walrus.md")
    mine = np.stack([vector_of("Walrus\nThe walrus rests on the ice."), np.zeros(64)])
    cosines = passages.compare(mine.astype(np.float32), "en")
    assert cosines.shape == (2, 3)
    by_post = passages.by_post(cosines)
    assert by_post[0].argmax() == walrus
    assert by_post[0, walrus] == pytest.approx(1.0, abs=1e-5)
    assert by_post[1] == pytest.approx(np.zeros(3), abs=1e-6)
    assert passages.compare_windows(passages.starts) == pytest.approx(
        passages.compare_windows(passages.starts).T, abs=1e-5
    )
    assert corpus.snapshot.table.posts_of(
        passages.chunks[passages.windows_of(walrus)]
    ).tolist() == [passages.posts[walrus]]


def test_the_nearest_post_elsewhere_is_of_another_family(blog: MakeBlog) -> None:
    made = blog(POSTS)
    corpus = made.reader().corpus()
    passages = corpus.passages
    sources = [corpus.posts[post].source for post in passages.posts.tolist()]
    soup, suppe, walrus = map(sources.index, ("soup.md", "soup.de.md", "walrus.md"))
    assert passages.families[soup] == passages.families[suppe] != passages.families[walrus]
    by_post = np.zeros((1, 3), dtype=np.float32)
    by_post[0, [soup, suppe, walrus]] = 0.9, 0.8, 0.3
    assert passages.best_elsewhere(by_post, np.array([soup])) == pytest.approx([0.3])
    passages.hide(by_post, {int(passages.posts[walrus])})
    assert passages.best_elsewhere(by_post, np.array([soup])) == pytest.approx([NOWHERE])


def test_a_blog_without_vectors_has_no_passages(blog: MakeBlog) -> None:
    made = blog({"♥.md": "♥ ♥ ♥\n"})
    passages = made.reader().corpus().passages
    cosines = passages.compare(np.ones((2, 64), dtype=np.float32), "en")
    assert passages.by_post(cosines).shape == (2, 0)
