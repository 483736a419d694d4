"""The pieces of a Unigram vocabulary, looked up on disk for a few texts.

The tokenizers library takes .35 s and 170 MB for the 179,000 pieces of the multilingual model.
How a text is cut depends on no other pieces than those that stand in it, so a tokenizer of these
alone cuts it likewise.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from blog_search_mcp.index.errors import EmbedderRefused

SPACE = "\u2581"
"""Stands before each word, and for a blank inside a piece (SentencePiece)."""

LONGEST = 16
"""Characters of the longest piece."""


def encode_by_table(path: Path, text: str) -> list[int]:
    """Return the ids of a text's pieces, by the table that `tools/export_e5.py` wrote.

    Takes .5 ms for a question and 30 ms for 2,000 characters. Raises EmbedderRefused if the table
    cannot be read.
    """
    from tokenizers import Tokenizer

    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as table:
            ((description,),) = table.execute("SELECT description FROM tokenizer")
            found = table.execute(
                "SELECT piece, id, score FROM pieces"
                " WHERE piece IN (SELECT value FROM json_each(?))",
                [json.dumps(sorted(_substrings(text)))],
            ).fetchall()
    except (sqlite3.Error, ValueError) as error:
        raise EmbedderRefused(
            f"The file {path.name} of {path.parent.name} in the installed package cannot be read "
            f"({error}); install it again."
        ) from error
    described = json.loads(description)
    unknown = described["model"]["unk_id"]
    described["model"]["unk_id"] = 0
    described["model"]["vocab"] += [(piece, score) for piece, _, score in found]
    numbers = [unknown, *(number for _, number, _ in found)]
    pieces = Tokenizer.from_str(json.dumps(described)).encode(text, add_special_tokens=False)
    return [numbers[place] for place in pieces.ids]


def _substrings(text: str) -> set[str]:
    """Return what may be a piece of a text."""
    words = (SPACE + word for word in text.split(" "))
    return {
        word[begin : begin + length]
        for word in words
        for begin in range(len(word))
        for length in range(1, min(LONGEST, len(word) - begin) + 1)
    }
