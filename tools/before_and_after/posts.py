"""The posts of the trials: drawn by a fixed seed, so that each tree has the same."""

from __future__ import annotations

import random
from pathlib import Path

MARK = "walked"
"""A word of every passage, by which those are known from texts that only try an embedder out."""

NOUNS = (
    "onion soup leek pear cider loaf dough swarm hive clock spring river stone bridge ferry "
    "sail harbour lamp candle kite meadow orchard saddle anvil kettle ladder barrel basket "
    "needle thread button ribbon mirror window garden hammer chisel lantern compass feather"
)
WORDS = NOUNS.split()


def post(number: int, edition: int = 0) -> str:
    """Return a post of three passages, with words of its number and edition."""
    rng = random.Random(f"{number} {edition}")
    parts = (f"## Part {part}\n\n{_paragraph(rng)}\n" for part in (1, 2, 3))
    title = f"# Of the {WORDS[number % len(WORDS)]} and the {rng.choice(WORDS)}"
    return f"{title}\n\n" + "\n".join(parts)


def write(content: Path, numbers: range, edition: int = 0) -> None:
    """Write these posts."""
    content.mkdir(exist_ok=True)
    for number in numbers:
        (content / f"{number}.md").write_text(post(number, edition), encoding="utf-8")


def _paragraph(rng: random.Random) -> str:
    return " ".join(
        f"We {MARK} with the {one} to the {other}, and it was the {third} that we had in mind."
        for one, other, third in (rng.choices(WORDS, k=3) for _ in range(4))
    )
