"""A draft, and the posts related to a post."""

from blog_search_mcp.server.author.corpus import Corpus
from blog_search_mcp.server.author.draft import read_draft
from blog_search_mcp.server.author.similar import find_related
from tests.support.blog import MakeBlog


def test_a_long_section_is_cut_into_passages_that_hold_every_line() -> None:
    paragraphs = [f"Paragraph {number} has some words of its own." * 6 for number in range(9)]
    draft = read_draft("\n\n".join(paragraphs).encode(), "long.md")
    assert "\n\n".join(passage.text for passage in draft.passages) == "\n\n".join(paragraphs)
    assert len(draft.passages) > 1


FOOD = "---\ntitle: {0}\ndate: {1}\n---\nSoup with bread and {0}.\n"


def test_parts_of_the_series_translations_and_linked_posts_are_not_related(blog: MakeBlog) -> None:
    posts = {
        "whale.md": "# Whale\n\nThe whale dives into the sea.\n",
        "seal.md": "# Seal\n\nThe seal dives into the sea.\n",
        "1.md": FOOD.format("Leek (1)", "2024-01-01"),
        "2.md": FOOD.format("Leek (2)", "2024-01-01"),
        "linked.md": FOOD.format("Leek", "2024-01-02"),
        "kept.md": FOOD.format("Leek", "2023-01-02") + "See [it](linked.md).\n",
        "kept.de.md": FOOD.format("Leek", "2023-01-02\nlang: de"),
    }
    corpus = Corpus(blog(posts).reader().snapshot)
    related = {
        corpus.posts[number].source: [corpus.posts[other].source for other in others]
        for number, others in find_related(corpus, 5).items()
    }
    assert "2.md" not in related["1.md"]
    assert "linked.md" not in related["kept.md"]
    assert "kept.md" in related["linked.md"]
    assert all("kept.de.md" not in others for others in related.values())
