"""docs/operating.md says of each of Ollama's models what the program knows of it."""

from __future__ import annotations

import re

from blog_search_mcp.index.embedders.cards import PREFIXES, find_card, is_english
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
HEADER = "| `ollama pull` | languages | tokens read | size | before a passage | before a query |"


def shown(document: str, query: str) -> list[str]:
    """The cells of a model's prefixes."""
    task, has_task, rest = query.partition("\n")
    return [cell(document), f"TASK`{rest}`" if has_task else cell(task)]


def cell(prefix: str) -> str:
    return f"`{prefix}`" if prefix else "–"


def test_the_table_of_models_is_that_of_the_program() -> None:
    table = PAGE.partition(f"\n{HEADER}\n")[2].partition("\n\n")[0].splitlines()[1:]
    cells = [
        [text.replace(r"\|", "|") for text in re.split(r"(?<!\\) \| ", line[2:-2])]
        for line in table
    ]
    for name, languages, _, _, *prefixes in cells:
        card = find_card(name)
        assert card is not None
        assert prefixes == shown(*PREFIXES[card])
        assert is_english(name) == (languages == "English")
