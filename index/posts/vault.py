"""What an Obsidian vault's own settings leave out of its search: excluded files, and templates.

Excluded are what `userIgnoreFilters` of `.obsidian/app.json` names, by the beginning of a path or
by a `/regular expression/`. That is not run: what has one of the words of which every match has one
is left out, and where no words are sure all of the vault, with the reason. A template is what any
setting of the vault or of its plugins calls one, a file or a folder.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

SETTINGS = ".obsidian"
EXCLUDED = "excluded"
"""A `HiddenReason`."""
MAX_BYTES = 1024 * 1024
"""Largest file of settings read; plugins keep other things in larger ones."""


class Exclusion(NamedTuple):
    """Paths that are left out."""

    word: str
    """In lower case."""
    is_beginning: bool = True
    """Whether they begin with it, else they hold it."""
    reason: str = EXCLUDED

    def covers(self, path: str) -> bool:
        """Whether it leaves out a path below the vault in lower case."""
        return path.startswith(self.word) if self.is_beginning else self.word in path


def read_exclusions(vault: Path) -> tuple[Exclusion, ...]:
    """Read the settings of a vault; those of a plugin that cannot be read say nothing."""
    settings = vault / SETTINGS
    files = sorted((*settings.glob("*.json"), *settings.glob("plugins/*/data.json")))
    read = {path: _read_json(path) for path in files}
    app = read.get(settings / "app.json", {})
    if app is None:
        return (Exclusion("", reason=f"{SETTINGS}/app.json, which may exclude it, cannot be read"),)
    filters = app.get("userIgnoreFilters")
    templates = [(read.get(settings / "templates.json") or {}).get("folder")]
    for value in read.values():
        templates += _list_templates(value)
    paths = [path.strip("/").casefold() for path in templates if isinstance(path, str)]
    names = [path.removesuffix(".md") for path in paths if path]
    return (
        *(each for text in filters or () for each in _read_filter(str(text))),
        *(Exclusion(f"{name}{end}") for name in names for end in ("/", ".md")),
    )


def _read_json(path: Path) -> dict[str, Any] | None:
    with suppress(OSError, ValueError, RecursionError):
        if path.is_file() and path.stat().st_size <= MAX_BYTES:
            value = json.loads(path.read_bytes())
            return value if isinstance(value, dict) else None
    return None


def _list_templates(settings: object) -> Iterator[object]:
    """Yield the values of the fields with `template` in their name, at any depth."""
    waiting = [settings]
    while waiting:
        item = waiting.pop()
        for name, value in item.items() if isinstance(item, dict) else ():
            waiting.append(value)
            if "template" in name.lower():
                yield from value if isinstance(value, list) else (value,)
        waiting += item if isinstance(item, list) else ()


_EXPRESSION = re.compile(r"/(.+)/[a-z]*")
_EDGE = re.compile(r"\((?:\^|\$|\\?/)(?:\|(?:\^|\$|\\?/))*\)")
"""Where a folder begins or ends: `(^|/)`."""
_UNSURE = re.compile(r"\(\?|\)[?*{]|\\[uxpk\d]")
"""What may exclude a word, may be left out, or is a letter by its number."""
_OPTIONAL = re.compile(r"(?:\\.|\[[^\[\]]*\]|[^\\])(?:[?*]|\{0?,\d*\})")
_SIGN = re.compile(r"\\[a-z]|\[[^\[\]]*\]|\{[^{}]*\}|\\(?=\W)|[\^$.+()\[\]{}]")


def _read_filter(text: str) -> Iterator[Exclusion]:
    expression = _EXPRESSION.fullmatch(text)
    if expression is None:
        if path := text.lstrip("/").casefold():
            yield Exclusion(path)
        return
    pattern = _EDGE.sub("", expression[1].casefold().replace("(?:", "("))
    parts = [_SIGN.sub("\n", part) for part in _OPTIONAL.sub("\n", pattern).split("|")]
    words = [max(part.split("\n"), key=len) for part in parts]
    if all(words) and not _UNSURE.search(pattern):
        yield from (Exclusion(word, is_beginning=False) for word in words)
    else:
        yield Exclusion(
            "", reason=f"the vault excludes {text}, which may be any file; name folders instead"
        )
