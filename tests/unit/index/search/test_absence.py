"""Of words that no post has the answer is no surer, and shows none that no post writes."""

import re

import pytest

from tests.support.front import Blog, made

POSTS = {
    "stove.md": "# Stove\n\nThe chimney draws well, once a Sweeper was there in spring.\n",
    "soot.md": "# Soot\n\nSoot in the wood shed is swept by the sweeper with a broom.\n",
    "ash.md": "# Ash\n\nOur sweeper takes ash to the garden.\n",
}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("absence"), POSTS)


@pytest.mark.parametrize(
    ("query", "confidence", "named"),
    [
        ("sweepex", "low", ["sweepex"]),
        ("What is a sweepex?", "low", ["sweepex"]),
        ("What is a sweepre?", "normal", ["sweepre", "sweeper"]),
        ("sweepre", "normal", ["sweepre", "sweeper"]),
        ("sweeeper and chimmney", "normal", ["sweeeper", "sweeper", "chimmney", "chimney"]),
        ("sweepers", "normal", []),
        ("sooty and broomx", "low", ["sooty", "broomx"]),
        ("What is a sweper?", "normal", ["sweper", "sweeper"]),
        ("chmney", "low", ["chmney", "chimney"]),
        ("drawedx", "low", ["drawedx"]),
        ("stoveyear", "low", ["stoveyear"]),
        ("woodshed", "normal", []),
        ("a marble, a mortar, a brick, a tile for soot", "normal", ["marble", "mortar", "brick"]),
        ("violin, piano, opera, guitar", "low", ["violin", "piano", "opera"]),
    ],
)
def test_words_that_no_post_has_are_named_and_none_is_made_up_or_makes_an_answer_sure(
    blog: Blog, query: str, confidence: str, named: list[str]
) -> None:
    facts = blog.tool("search_blog", query=query).facts
    words = re.findall('"(.+?)"', facts.get("notice", ""))
    assert (facts["confidence"], words) == (confidence, named)
