"""Which posts cover the same ground as a text, and where both meet."""

import pytest

from blog_search_mcp.server.author.corpus import Corpus
from blog_search_mcp.server.author.draft import draft_of_post, read_draft
from blog_search_mcp.server.author.similar import Similarity, find_similar
from tests.support.blog import Blog, MakeBlog

ICE = (
    "Walruses haul out on drifting ice in summer, and they rest there between long dives "
    "for clams on the sea floor."
)
TUSKS = (
    "Tusks help a walrus to climb onto a floe, to keep a breathing hole open, and to settle "
    "quarrels about the best place."
)
SOUP = (
    "Onions simmer slowly in butter until they are brown, then broth and bread make a soup "
    "that warms a cold evening."
)
TRAINS = (
    "Night trains cross the mountains while passengers sleep, and breakfast is served before "
    "the terminus comes into view."
)
POSTS = {
    "walrus.md": "---\ntitle: Walrus\ndate: 2024-01-01\n---\n"
    f"## Ice\n\n{ICE}\n\n## Tusks\n\n{TUSKS}\n",
    "soup.md": f"---\ntitle: Soup\ndate: 2024-02-01\n---\n{SOUP}\n",
    "trains.md": f"---\ntitle: Trains\ndate: 2024-03-01\n---\n{TRAINS}\n",
}


def compare(made: Blog, text: str, source: str = "", limit: int = 5) -> Similarity:
    return find_similar(Corpus(made.reader().snapshot), read_draft(text.encode(), source), limit)


def make(blog: MakeBlog, **more: str) -> Blog:
    return blog(POSTS | {f"{name}.md": text for name, text in more.items()})


def test_passages_that_a_post_holds_word_for_word_meet_it(blog: MakeBlog) -> None:
    new = "Quite another thing is the price of tea in the harbour towns of the far north."
    found = compare(make(blog), f"# New\n\n{new}\n\n## Old\n\n{TUSKS}\n")
    [post] = found.posts
    [meeting] = post.meetings
    assert (post.post.source, post.kind) == ("walrus.md", "same ground")
    assert (meeting.passage, meeting.same_words) == (1, 1.0)
    assert meeting.chunk.index == 0
    assert TUSKS in meeting.says
    assert (len(found.passages), found.said, found.notice) == (2, 1, "")
    assert (found.passages[1].headings, found.passages[1].first_line) == (("Old",), 5)


def test_of_posts_that_meet_the_same_passages_the_newer_is_first(blog: MakeBlog) -> None:
    made = make(blog, again=POSTS["walrus.md"].replace("2024-01-01", "2025-01-01"))
    found = compare(made, f"# New\n\n{TUSKS}\n\n{ICE}\n")
    assert [each.post.source for each in found.posts] == ["again.md", "walrus.md"]
    assert [each.post.source for each in compare(made, TUSKS, limit=1).posts] == ["again.md"]


def test_a_post_and_its_translations_are_not_listed_for_itself(blog: MakeBlog) -> None:
    made = blog(POSTS | {"walrus.de.md": f"---\nlang: de\n---\n# Walross\n\n{ICE}\n\n{TUSKS}\n"})
    corpus = Corpus(made.reader().snapshot)
    found = find_similar(corpus, draft_of_post(corpus, "walrus.md"), 5)
    assert (found.posts, [each.source for each in found.translations]) == ((), ["walrus.de.md"])
    edited = compare(made, f"# Walrus\n\n{ICE}\n", "walrus.md")
    assert (edited.posts, [each.source for each in edited.translations]) == ((), ["walrus.de.md"])


def test_of_translations_one_is_listed_and_names_the_others(blog: MakeBlog) -> None:
    made = blog(POSTS | {"walrus.de.md": f"---\nlang: de\n---\n# Walross\n\n{ICE}\n"})
    [post] = compare(made, f"# New\n\n{ICE}\n\n{TUSKS}\n").posts
    assert (post.post.source, post.translations) == ("walrus.md", (("de", "walrus.de.md"),))


def test_a_draft_in_another_language_that_meets_in_order_is_a_translation(blog: MakeBlog) -> None:
    made = make(blog)
    english = f"---\ntitle: Walrus\nlang: fr\n---\n## Ice\n\n{ICE}\n\n## Tusks\n\n{TUSKS}\n"
    [post, *_] = compare(made, english).posts
    assert (post.post.source, post.kind) == ("walrus.md", "translation")


@pytest.mark.parametrize("text", ["", "---\ntitle: Only front matter\n---\n"])
def test_a_text_without_passages_meets_nothing(blog: MakeBlog, text: str) -> None:
    found = compare(make(blog), text)
    assert (found.posts, found.nearest, found.passages, found.said) == ((), (), (), 0)
