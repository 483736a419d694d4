"""How much two texts have in common word for word, and by rarity."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.relations.similarity.wording import (
    Rarity,
    join_wordings,
    read_wording,
    share_runs,
)
from tests.support.blog import MakeBlog

RABBITS = "Rabbits eat the grass of the meadow in the early morning."


@pytest.mark.parametrize(
    ("theirs", "share"),
    [
        ([RABBITS], 1.0),
        (["So rabbits eat the grass.", "Of the meadow in the early hours."], 4 / 8),
        (["The morning, the meadow, the grass: eat, rabbits!"], 0.0),
        ([], 0.0),
    ],
)
def test_the_same_wording_is_counted_by_runs_of_four_words(theirs: list[str], share: float) -> None:
    mine = read_wording(RABBITS, "en")
    runs = {run for each in theirs for run in read_wording(each, "en").runs}
    assert share_runs(mine, runs) == share


def test_a_text_shorter_than_a_run_has_nothing_word_for_word() -> None:
    mine = read_wording("Three words only", "en")
    assert share_runs(mine, read_wording(RABBITS, "en").runs) == 0.0


def test_the_words_of_parts_are_one_text() -> None:
    parts = [read_wording(each, "en") for each in ("One two.", "Three four.")]
    assert join_wordings(parts) == read_wording("One two. Three four.", "en")


def test_rare_words_tell_a_text_and_find_its_sentence(blog: MakeBlog) -> None:
    made = blog(
        {f"{n}.md": f"# Post {n}\n\nThe blog says the usual.\n" for n in range(4)}
        | {"walrus.md": "# Walrus\n\nThe blog says walrus.\n"}
    )
    rarity = Rarity(made.reader().corpus().snapshot)
    mine = read_wording("The blog says walrus unknownword.", "en")
    assert rarity.of("walrus") > rarity.of("blog")
    assert rarity.prominent_words([mine]).words[0].exact == "walrus"
    assert "unknownword" not in rarity.prominent_words([mine]).text
    text = "The blog is here. A walrus came! The end."
    assert rarity.find_sentence(text, "en", mine) == "A walrus came!"
    assert rarity.find_sentence(text, "en", read_wording("海象", "zh")) == "The blog is here."
    assert rarity.find_sentence("", "en", mine) == ""
