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


class Vault(NamedTuple):
    """A vault, and what it leaves out by paths below it in lower case."""

    folder: Path
    beginnings: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Anywhere in a path."""
    doubt: str = ""
    """Why all of it is left out; empty if it is not."""

    def exclude(self, post: Path) -> str | None:
        """Return why a post of the vault is left out, `None` if it is not."""
        path = post.relative_to(self.folder).as_posix().casefold()
        is_excluded = path.startswith(self.beginnings) or any(word in path for word in self.words)
        return EXCLUDED if is_excluded else self.doubt or None


def read_vault(folder: Path) -> Vault:
    """Read the settings of a vault; those of a plugin that cannot be read say nothing."""
    settings = folder / SETTINGS
    plugins = (*settings.glob("*.json"), *settings.glob("plugins/*/data.json"))
    read = {path: _read_json(path) for path in plugins}
    app = read.get(settings / "app.json", {})
    if app is None:
        return Vault(folder, doubt=f"{SETTINGS}/app.json, which may exclude it, cannot be read")
    templates = [(read.get(settings / "templates.json") or {}).get("folder")]
    for value in read.values():
        templates += _list_templates(value)
    paths = [path.strip("/").casefold() for path in templates if isinstance(path, str)]
    names = [path.removesuffix(".md") for path in paths if path]
    beginnings = [f"{name}{end}" for name in names for end in ("/", ".md")]
    words: list[str] = []
    for text in map(str, app.get("userIgnoreFilters") or ()):
        if (expression := _EXPRESSION.fullmatch(text)) is None:
            beginnings += filter(None, [text.lstrip("/").casefold()])
        elif needed := _find_words(expression[1].casefold()):
            words += needed
        else:
            doubt = f"the vault excludes {text}, which may be any file; name folders instead"
            return Vault(folder, doubt=doubt)
    return Vault(folder, tuple(beginnings), tuple(words))


def _read_json(path: Path) -> dict[str, Any] | None:
    with suppress(OSError, ValueError, RecursionError):
        value = json.loads(path.read_bytes()) if path.stat().st_size <= MAX_BYTES else None
        return value if isinstance(value, dict) else None
    return None


def _list_templates(settings: object) -> Iterator[object]:
    """Yield the values of the fields with `template` in their name, at any depth."""
    if isinstance(settings, list):
        for item in settings:
            yield from _list_templates(item)
    for name, value in settings.items() if isinstance(settings, dict) else ():
        if "template" in name.lower():
            yield from value if isinstance(value, list) else (value,)
        yield from _list_templates(value)


_EXPRESSION = re.compile(r"/(.+)/[a-z]*")
_EDGE = re.compile(r"\((?:\^|\$|\\?/)(?:\|(?:\^|\$|\\?/))*\)")
"""Where a folder begins or ends: `(^|/)`."""
_UNSURE = re.compile(r"\(\?|\)[?*{]|\\[uxpk\d]")
"""What may exclude a word, may be left out, or is a letter by its number."""
_OPTIONAL = re.compile(r"(?:\\.|\[[^\[\]]*\]|[^\\])(?:[?*]|\{0?,\d*\})")
_SIGN = re.compile(r"\\[a-z]|\[[^\[\]]*\]|\{[^{}]*\}|\\(?=\W)|[\^$.+()\[\]{}]")


def _find_words(expression: str) -> list[str]:
    """Return words of which every match has one, none where that is not sure."""
    pattern = _EDGE.sub("", expression.replace("(?:", "("))
    parts = [_SIGN.sub("\n", part) for part in _OPTIONAL.sub("\n", pattern).split("|")]
    words = [max(part.split("\n"), key=len) for part in parts]
    return words if all(words) and not _UNSURE.search(pattern) else []
