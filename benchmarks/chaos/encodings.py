"""Posts in other encodings beside the same posts in UTF-8: files in, how each was read out."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from blog_search_mcp.ingest.documents.decode import decode
from blog_search_mcp.ingest.documents.frontmatter import split

ORIGINAL = "utf8-bom"
"""Of each post, the file that the others are compared with."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One file and what was read."""

    name: str
    outcome: str
    is_right: bool


def readings(folder: Path, warnings: Sequence[str]) -> list[Reading]:
    """Every file of the folder; `warnings` are those of the ingest."""
    return [_reading(path, warnings) for path in sorted(folder.glob("*.md"))]


def _reading(path: Path, warnings: Sequence[str]) -> Reading:
    post = path.stem.partition("-")[0]
    original = (path.parent / f"{post}-{ORIGINAL}.md").read_bytes().decode("utf-8-sig")
    wanted, text = original.replace("\r", ""), decode(path.read_bytes()).text
    named = any(said.startswith(f"encodings/{path.name}: ") for said in warnings)
    parts = _differences(text, wanted)
    outcomes = {
        "read exactly": text == wanted,
        "read exactly but for how accents are composed": _composed(text) == _composed(wanted),
        "read exactly but for its line ends": _unbroken(text) == _unbroken(wanted),
        "read exactly, on its one line": _unbroken(text) == _unbroken(split(wanted).body),
        "read up to where it was cut": wanted.startswith(text),
        "read with `?` as written for what the encoding lacks": {own for own, _ in parts} == {"?"},
        "read but for one character, which is named": named and len(parts) == 1,
        "read with one character too many, which is named": named
        and text.replace("\ufffd", "") == wanted,
    }
    right = next((outcome for outcome, is_so in outcomes.items() if is_so), None)
    return Reading(path.name, right or "misread", right is not None)


def _differences(text: str, wanted: str) -> list[tuple[str, str]]:
    """The characters that differ, place by place; none if the lengths do."""
    if len(text) != len(wanted):
        return []
    return [pair for pair in zip(text, wanted, strict=True) if pair[0] != pair[1]]


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _unbroken(text: str) -> str:
    return "".join(text.split())
