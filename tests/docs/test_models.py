"""The table of models in docs/operating.md and the code's table say the same."""

import re

import pytest

from blog_search_mcp.index.embedders.known_models import PREFIXES, find_card, is_english
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
TASK, PASSAGES = re.findall(r"(?:TASK is the line|PASSAGES is) `([^`]+)`", PAGE)
CELLS = [re.split(r" (?<!\\)\| ", line[2:-2]) for line in PAGE.splitlines() if line[:3] == "| `"]
ROWS = [
    (name, cells[1], cells[4], cells[5])
    for cells in CELLS
    if len(cells) == 6
    for name in re.findall(r"`([^`:][^`]*)`", cells[0])
]


def read_prefix(cell: str) -> str:
    spelled = cell.replace("TASK", f"{TASK}\n").replace("PASSAGES", PASSAGES).replace("\\|", "|")
    return spelled.replace("`", "").replace("–", "")


@pytest.mark.parametrize(("name", "languages", "before_passage", "before_query"), ROWS)
def test_each_model_has_the_prefixes_and_languages_that_the_page_says(
    name: str, languages: str, before_passage: str, before_query: str
) -> None:
    card = find_card(name) or ""
    assert PREFIXES[card] == (read_prefix(before_passage), read_prefix(before_query))
    assert is_english(name) == (languages == "English")
    assert {find_card(row[0]) for row in ROWS} == {*PREFIXES}
