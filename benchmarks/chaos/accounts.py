"""What became of each file of a folder after an ingest: files and reports in, outcomes out.

A post counts as found if the lexical leg alone finds it by a word that stands in its body: by
the marker word of the hard inputs where it has it, else by its rarest words. Where hundreds of
posts are made of the same two words, its file's name goes before the word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.index.reader import Reader
from blog_search_mcp.index.search.ranking import Use
from blog_search_mcp.index.types import Filters
from blog_search_mcp.ingest.documents.decode import decode
from blog_search_mcp.ingest.documents.frontmatter import split
from blog_search_mcp.ingest.plan import SUFFIXES
from blog_search_mcp.ingest.report import VISIBILITY

MARKER = "zebrafinch"
MOST_TRIES = 10
"""Words of a body that are looked for, rarest first; links' targets and tags are not words."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Account:
    """One file."""

    source: str
    """Its path below the folder."""
    outcome: str
    """In a few words, the same for all files of a kind."""
    is_known: bool = True
    """Whether nothing of it was lost in silence."""


def accounts(
    content: Path, reader: Reader, skipped: Iterable[Mapping[str, str]], warnings: Sequence[str]
) -> list[Account]:
    """Every file below `content`, posts or not."""
    files = {path.relative_to(content).as_posix(): path for path in _files(content)}
    reasons = {skip["source"]: skip["reason"] for skip in skipped}
    texts = {source: _text(path) for source, path in files.items() if _is_post(source)}
    common = Counter(word for text in texts.values() for word in set(_words(text)))
    made = []
    for source in sorted(files):
        if any(part.startswith(".") for part in source.split("/")):
            made.append(Account(source, "hidden by their names"))
        elif not _is_post(source):
            made.append(Account(source, "no posts by their names"))
        elif source in reasons:
            known = reasons[source] in VISIBILITY
            made.append(Account(source, f"{'' if known else 'unreadable: '}{reasons[source]}"))
        elif source not in reader.manifest.posts:
            made.append(Account(source, "lost", is_known=False))
        else:
            named = any(said.startswith(f"{source}:") for said in warnings)
            found = _found(source, texts[source], reader, common)
            made.append(
                Account(source, f"{found or 'lost'}{', oddity named' * named}", bool(found))
            )
    return made


def _files(content: Path) -> Iterator[Path]:
    return (path for path in content.rglob("*") if path.is_file())


def _is_post(source: str) -> bool:
    return source.lower().endswith(SUFFIXES)


def _text(path: Path) -> str:
    try:
        return split(decode(path.read_bytes()).text).body
    except UnreadablePost:
        return ""


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _found(source: str, text: str, reader: Reader, common: Counter[str]) -> str | None:
    """How the post is found, `None` if it is not."""
    if not reader.manifest.posts[source].chunks:
        return None if text.strip() else "without a body"
    if MARKER in text:
        return f"found by {MARKER}" if _finds(reader, MARKER, source) else None
    passage = reader.read(source, 0, 1_000_000)
    shown = _rarest(" ".join(chunk.plain for chunk in passage.chunks), common)
    if any(_finds(reader, word, source) for word in (*_rarest(text, common), *shown)):
        return "found by a word of theirs"
    if not shown:
        return "without words, but readable"
    name = Path(source).stem
    named = any(_finds(reader, f"{name} {word}", source) for word in shown)
    return "found by name and a word that hundreds share" if named else None


def _rarest(text: str, common: Counter[str]) -> list[str]:
    words = dict.fromkeys(_words(text))
    return sorted(words, key=lambda word: (common[word], -len(word)))[:MOST_TRIES]


def _finds(reader: Reader, word: str, source: str) -> bool:
    section = source.rpartition("/")[0] or None
    filters = Filters(section=section)
    answer = reader.search(word, filters, limit=2000, offset=0, use=Use.LEXICAL)
    return any(
        source == hit.post.source or source in (other for _, other in hit.translations)
        for hit in answer.hits
    )
