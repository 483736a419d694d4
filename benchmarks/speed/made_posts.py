"""Make a blog of any size from a real one, by recombining its blocks.

Paragraphs, fences and lists stay whole, so that chunking, analysis and previews take a realistic
time. Some words of each paragraph are replaced by made-up words, of which a few are common and most
are rare. Otherwise a large blog would have the vocabulary of a small one, and a word would be in
every tenth post.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

SECTIONS, TAGS, DAYS = 24, 60, 4_700
CHUNKS_PER_POST = 6.9
"""Mean number of chunks per post, as in a blog of 3,500 posts and 24,000 chunks."""

_FIRST_DAY = date(2012, 1, 1)
_BLOCKS = (3, 5)
"""Minimum and maximum number of blocks in a section."""
_PARTS = (6, 20)
"""Minimum and maximum number of sections in a post."""
_REPLACED = 0.12
"""Share of a paragraph's lower-case words of four letters or more that are replaced."""
_SYLLABLES = ("ka", "lo", "mi", "ne", "ru", "sta", "ven", "tor", "pli", "gra", "dis", "qua")

_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_FRONT = re.compile(r"\A(---|\+\+\+)\n.*?\n\1\n", re.DOTALL)
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*$")
_WORD = re.compile(r"\b[a-z]{4,}\b")


@dataclass(frozen=True, slots=True)
class Material:
    """The distinct headings and blocks that posts are made of."""

    headings: tuple[str, ...]
    blocks: tuple[str, ...]


def material_of(content: Path) -> Material:
    """Read the headings and blocks of every Markdown file in `content`, sorted by path."""
    headings: list[str] = []
    blocks: list[str] = []
    for path in sorted((*content.rglob("*.md"), *content.rglob("*.mdx"))):
        for block in _blocks(_FRONT.sub("", path.read_text(encoding="utf-8", errors="replace"))):
            heading = _HEADING.match(block)
            headings += [heading[1]] if heading else []
            blocks += [] if heading else [block]
    return Material(tuple(dict.fromkeys(headings)), tuple(dict.fromkeys(blocks)))


def write_posts(folder: Path, material: Material, count: int) -> None:
    """Write `count` posts in `folder`. A post depends only on its number, not on `count`."""
    for number in range(count):
        source, text = _post(material, number, random.Random(number))
        (folder / source).parent.mkdir(parents=True, exist_ok=True)
        (folder / source).write_text(text, encoding="utf-8")


def _post(material: Material, number: int, chance: random.Random) -> tuple[str, str]:
    title = " ".join((chance.choice(material.headings), _made_up(chance))).replace('"', "'")
    tags = ", ".join(f"tag-{chance.randrange(TAGS)}" for _ in range(3))
    day = _FIRST_DAY + timedelta(chance.randrange(DAYS))
    head = f'---\ntitle: "{title}"\ndate: {day}\ntags: [{tags}]\n---\n'
    parts = (_part(material, chance) for _ in range(chance.randint(*_PARTS)))
    source = f"section-{chance.randrange(SECTIONS):02d}/post-{number:06d}.md"
    return source, f"{head}\n{''.join(parts)}"


def _part(material: Material, chance: random.Random) -> str:
    heading = f"## {chance.choice(material.headings)} {_made_up(chance)}"
    blocks = chance.choices(material.blocks, k=chance.randint(*_BLOCKS))
    return "\n\n".join((heading, *(_varied(block, chance) for block in blocks))) + "\n\n"


def _varied(block: str, chance: random.Random) -> str:
    if _FENCE.match(block):
        return block
    return _WORD.sub(
        lambda word: _made_up(chance) if chance.random() < _REPLACED else word[0], block
    )


def _made_up(chance: random.Random) -> str:
    """Return a random made-up word; shorter words are more common."""
    rank = int(chance.paretovariate(0.6)) % 1_000_000
    syllables: list[str] = []
    while rank or not syllables:
        rank, place = divmod(rank, len(_SYLLABLES))
        syllables.append(_SYLLABLES[place])
    return "".join(syllables)


def _blocks(text: str) -> Iterator[str]:
    """Yield headings, and runs of lines without blank ones. A fence is one block."""
    gathered: list[str] = []
    fence = ""
    for line in [*text.split("\n"), ""]:
        is_heading = bool(_HEADING.match(line))
        if not fence and (is_heading or not line.strip()):
            yield from ["\n".join(gathered)] * any(map(str.strip, gathered))
            yield from [line] * is_heading
            gathered = []
            continue
        if _FENCE.match(line):
            fence = "" if fence and line.startswith(fence) else fence or line[:3]
        gathered.append(line)
