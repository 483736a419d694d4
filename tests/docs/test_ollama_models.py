"""docs/operating.md says of each of Ollama's models what the program knows of it."""

from __future__ import annotations

import re

from blog_search_mcp.index.embedders.ollama.models import KNOWN_MODELS, KnownModel
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
HEADER = "| `ollama pull` | languages | tokens read | size | before a passage | before a query |"


def row(known: KnownModel) -> list[str]:
    """Give the cells of a model's row but for its languages' number."""
    task, found, rest = known.query_prefix.partition("\n")
    query = f"TASK`{rest}`" if found else cell(task)
    passage = cell(known.document_prefix)
    return [f"`{known.name}`", str(known.context), known.size, passage, query]


def cell(prefix: str) -> str:
    return f"`{prefix}`" if prefix else "–"


def test_the_table_of_models_is_that_of_the_program() -> None:
    table = PAGE.partition(f"\n{HEADER}\n")[2].partition("\n\n")[0].splitlines()[1:]
    cells = [
        [text.replace(r"\|", "|") for text in re.split(r"(?<!\\) \| ", line[2:-2])]
        for line in table
    ]
    assert [[name, *rest] for name, _, *rest in cells] == [row(known) for known in KNOWN_MODELS]
    english = [name.strip("`") for name, languages, *_ in cells if languages == "English"]
    assert english == [known.name for known in KNOWN_MODELS if not known.is_multilingual]


def test_the_task_that_the_table_shortens_is_spelt_out() -> None:
    tasks = {k.query_prefix.partition("\n")[0] for k in KNOWN_MODELS if "\n" in k.query_prefix}
    assert tasks == set(re.findall(r"TASK is the line `([^`]+)`", PAGE))
