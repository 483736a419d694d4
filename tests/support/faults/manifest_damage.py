"""Manifests that are whole but wrong, as data: a manifest's text in, another text out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from blog_search_mcp.index.store.manifest import FORMAT

Change = Callable[[dict[str, Any]], object]


def resealed(text: str, change: Change) -> str:
    """The manifest with `change` made to its content and a checksum that is right."""
    outer = json.loads(text)
    change(outer["content"])
    canonical = json.dumps(outer["content"], sort_keys=True, separators=(",", ":"))
    checksum = hashlib.sha256(canonical.encode()).hexdigest()
    return f'{{"format": {outer["format"]}, "checksum": "{checksum}", "content": {canonical}}}'


def restamped(manifest: Path) -> str:
    """The manifest of a copy that says that the copy's files are unmodified."""

    def restamp(content: dict[str, Any]) -> None:
        for name, checksum in content["files"].items():
            status = (manifest.parent / name).stat()
            checksum["stamp"] = [status.st_ino, checksum["size"], status.st_mtime_ns]

    return resealed(manifest.read_text("utf-8"), restamp)


def _files(content: dict[str, Any], name: str) -> None:
    content["files"][name] = next(iter(content["files"].values()))


def _post(content: dict[str, Any], **values: object) -> None:
    next(iter(content["posts"].values())).update(values)


IMPOSSIBLE: Mapping[str, Change] = MappingProxyType(
    {
        "a negative count of chunks": lambda it: _post(it, chunks=-1),
        "a negative size of a post": lambda it: _post(it, size=-1),
        "a digest that is a number": lambda it: _post(it, digest=7),
        "a post of another shape": lambda it: it["posts"].update({"x.md": []}),
        "posts in a list": lambda it: it.update(posts=[]),
        "a count of half a chunk": lambda it: it.update(superseded=0.5),
        "an endless count": lambda it: it.update(superseded=float("inf")),
        "a generation in words": lambda it: it.update(generation="1"),
        "a generation that is true": lambda it: it.update(generation=True),
        "a date that is none": lambda it: it.update(created="yesterday"),
        "a date without a zone": lambda it: it.update(created="2026-01-15T08:00:00"),
        "no embedder": lambda it: it.update(embedder=None),
        "an embedder without a dimension": lambda it: it["embedder"].pop("dimension"),
        "a dimension below one": lambda it: it["embedder"].update(dimension=0),
        "a calibration that is no number": lambda it: it.update(
            calibration={
                "heading_found": float("nan"),
                "absent_found": 0.0,
                "heading_similarity": 0.5,
                "heading_cosine": 0.5,
                "absent_cosine": 0.0,
                "foreign_cosine": 0.0,
                "east_asian": 0.0,
                "chunks": 1,
            }
        ),
        "a field nobody knows": lambda it: it.update(surprise=1),
        "a field gone": lambda it: it.pop("build"),
        "a file above the folder": lambda it: _files(it, "../../../etc/passwd"),
        "a file by its absolute path": lambda it: _files(it, "/etc/passwd"),
        "a file of another system": lambda it: _files(it, "C:\\x"),
        "a file with a NUL in its name": lambda it: _files(it, "a\0b"),
        "a file without a name": lambda it: _files(it, ""),
        "a file of negative size": lambda it: it["files"]["chunks.db"].update(size=-1),
        "text in half a character": lambda it: it["build"].update(x="\ud800"),
    }
)
"""Content that no ingest writes, under a checksum that holds."""

FORMATS: Mapping[str, object] = MappingProxyType(
    {"a newer format": 99, "an older format": 1, "a format in words": "two", "no format": None}
)

TEXTS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "not JSON": lambda _text: "nonsense",
        "another JSON": lambda _text: "[]",
        "a number of 5,000 digits": lambda _text: '{"format": ' + "9" * 5000 + "}",
        "100,000 brackets": lambda _text: "[" * 100_000,
        "100,000 brackets in its content": lambda _text: (
            f'{{"format": {FORMAT}, "checksum": "", "content": '
            + "[" * 100_000
            + "]" * 100_000
            + "}"
        ),
        "half of it": lambda text: text[: len(text) // 2],
        "twice": lambda text: text + text,
    }
)


def of_format(text: str, number: object) -> str:
    """The manifest as another version of the program would number it."""
    return json.dumps({**json.loads(text), "format": number})
