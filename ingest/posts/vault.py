"""Read which files a vault's settings exclude; Obsidian's templates are excluded too.

Logseq lists starts of paths under `:hidden` in `logseq/config.edn`. Obsidian lists starts of paths
and `/regular expressions/` under `userIgnoreFilters` in `.obsidian/app.json`. No expression is run.
One with only plain words, `^`, `$`, `.*` and `(^|/)` excludes all paths that have its longest word.
Any other expression excludes the whole vault, and the reason names the expression.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.ingest.foreign_files import decode_settings, read_if_there

OBSIDIAN = ".obsidian"
LOGSEQ = "logseq"
_TEMPLATES = (
    ("templates.json", "folder"),
    ("daily-notes.json", "template"),
    ("plugins/templater-obsidian/data.json", "templates_folder"),
)
"""Settings files, each with the field that names a template or a folder of templates."""
_LOGSEQ_HIDDEN = re.compile(r"^[^;\n]*:hidden\s*\[([^\[\]]*)\]", re.MULTILINE)
_EXPRESSION = re.compile(r"/(.+)/[a-z]*")
_EDGE = re.compile(r"\(\^\|\\?/\)|^\^|\$$|\.\*")
"""Parts of an expression that stand for the start of a path or folder, its end, or any text."""
_PLAIN_WORDS = re.compile(r"(?:[\w\s/&'@,;~!#%-]|\\[/.-])+")


class Vault(NamedTuple):
    """A vault and the files that it excludes."""

    folder: Path
    words: tuple[str, ...] = ()
    """Excluded parts of paths, case-folded; a line break stands for the start of the path."""
    doubt: str = ""
    """Reason why the whole vault is left out, `""` if it is not."""

    def exclude(self, post: Path) -> str | None:
        """Return the reason why a post of the vault is left out, `None` if it is not."""
        path = f"\n{post.relative_to(self.folder).as_posix().casefold()}"
        return "excluded" if any(word in path for word in self.words) else self.doubt or None


def read_vault(folder: Path) -> Vault | None:
    """Read a vault's settings; `None` for another folder. Invalid template settings are ignored."""
    app, name = _read_json(folder, "app.json"), f"{LOGSEQ}/config.edn"
    if not ((folder / OBSIDIAN).exists() or (folder / name).exists()):
        return None
    if app is None:
        return Vault(folder, doubt=f"{OBSIDIAN}/app.json, which may exclude it, cannot be read")
    try:
        logseq = decode_settings(read_if_there(folder, name) or b"")
    except (UnreadablePost, UnicodeError) as error:
        return Vault(folder, doubt=f"{name} may exclude it, and {error}")
    templates = (str((_read_json(folder, name) or {}).get(key, "")) for name, key in _TEMPLATES)
    names = [path.strip("/").casefold().removesuffix(".md") for path in templates]
    words = [f"\n{name}{end}" for name in names if name for end in ("/", ".md")]
    for text in map(str, app.get("userIgnoreFilters") or ()):
        if (expression := _EXPRESSION.fullmatch(text)) is None:
            words += [f"\n{text.lstrip('/').casefold()}"] if text.strip("/") else []
        elif _PLAIN_WORDS.fullmatch(parts := _EDGE.sub("\n", expression[1].casefold())):
            words.append(max(parts.replace("\\", "").split("\n"), key=len))
        else:
            doubt = f"the vault excludes {text}, which may be any file; name folders instead"
            return Vault(folder, doubt=doubt)
    hidden = re.findall(r'"/?([^"]+)"', " ".join(_LOGSEQ_HIDDEN.findall(logseq)))
    return Vault(folder, (*words, *(f"\n{path.casefold()}" for path in hidden)))


def _read_json(folder: Path, name: str) -> dict[str, Any] | None:
    """Read a mapping from Obsidian's folder: empty if there is no file, `None` if it is invalid."""
    try:
        data = read_if_there(folder, f"{OBSIDIAN}/{name}")
        value = {} if data is None else json.loads(data)
    except (UnreadablePost, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
