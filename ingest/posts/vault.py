"""Read which files a vault's settings exclude; Obsidian's templates are excluded too.

Logseq lists starts of paths under `:hidden` in `logseq/config.edn`. Obsidian lists starts of paths
and `/regular expressions/` under `userIgnoreFilters` in `.obsidian/app.json`. They run in Rust's
linear-time engine. If it rejects one, as `(?!x)`, the whole vault is left out, and the reason names
all expressions. The settings of Obsidian and of its plugins name templates or their folder.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pydantic_core import SchemaError

from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.ingest.foreign_files import decode_settings, read_if_there
from blog_search_mcp.ingest.posts.ignore_rules import compile_expressions

OBSIDIAN = ".obsidian"
LOGSEQ = "logseq"
_TEMPLATE = re.compile(r'(?i)"(?:(?=\w*template)\w++|(folder))"\s*:\s*("(?:[^"\\\n]|\\.)+")')
"""Setting with the path of a template or template folder; `folder` only in `templates.json`."""
_LOGSEQ_HIDDEN = re.compile(r"^[^;\n]*:hidden\s*\[([^\[\]]*)\]", re.MULTILINE)
_EXPRESSION = re.compile(r"/.+/[a-z]*")


class Vault(NamedTuple):
    """A vault and the files that it excludes."""

    folder: Path
    starts: tuple[str, ...] = ()
    """Starts of excluded paths, case-folded."""
    is_met: Callable[[str], bool] = bool
    """Whether an expression excludes a path. The default excludes all, for a vault with `doubt`."""
    doubt: str = ""
    """Reason why the whole vault is left out, `""` if it is not."""

    def exclude(self, post: Path) -> str | None:
        """Return the reason why a post of the vault is left out, `None` if it is not."""
        path = post.relative_to(self.folder).as_posix()
        is_excluded = path.casefold().startswith(self.starts) or self.is_met(path)
        return self.doubt or ("excluded" if is_excluded else None)


def read_vault(folder: Path) -> Vault | None:
    """Read a vault, else `None`. Invalid settings exclude it all; those of templates do not."""
    app, edn = f"{OBSIDIAN}/app.json", f"{LOGSEQ}/config.edn"
    if not ((folder / OBSIDIAN).exists() or (folder / edn).exists()):
        return None
    try:
        settings = json.loads(decode_settings(read_if_there(folder, app) or b"{}"))
        listed = [*map(str, settings.get("userIgnoreFilters") or ())]
    except (UnreadablePost, ValueError, RecursionError, AttributeError, TypeError):
        return Vault(folder, doubt=f"{app}, which may exclude it, cannot be read")
    try:
        logseq = decode_settings(read_if_there(folder, edn) or b"")
    except (UnreadablePost, UnicodeError) as error:
        return Vault(folder, doubt=f"{edn} may exclude it, and {error}")
    expressions = [text for text in listed if _EXPRESSION.fullmatch(text)]
    starts = [text.lstrip("/") for text in listed if text not in expressions]
    starts += re.findall(r'"/?([^"]+)"', " ".join(_LOGSEQ_HIDDEN.findall(logseq)))
    names = [path.strip("/").removesuffix(".md") for path in _list_templates(folder)]
    starts += [f"{name}{end}" for name in names if name for end in ("/", ".md")]
    try:
        is_met = compile_expressions(f"(?i:{text[1 : text.rindex('/')]})" for text in expressions)
    except SchemaError:
        named = ", ".join(expressions)
        doubt = f"the vault excludes {named}, which may be any file; name folders instead"
        return Vault(folder, doubt=doubt)
    return Vault(folder, tuple(text.casefold() for text in starts if text), is_met)


def _list_templates(folder: Path) -> Iterator[str]:
    home = folder / OBSIDIAN
    for path in sorted((*home.glob("*.json"), *home.glob("plugins/*/data.json"))):
        with suppress(UnreadablePost, ValueError):
            data = read_if_there(folder, path.relative_to(folder).as_posix())
            for is_folder, value in _TEMPLATE.findall(decode_settings(data or b"")):
                if not is_folder or path.name == "templates.json":
                    yield json.loads(value)
