"""Zola's rules: a file's place and its front matter in, the path of its page out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from blog_search_mcp.ingest.documents.address import Address
from blog_search_mcp.ingest.sites.slugs import readable, zola_slug

Slugs = Literal["on", "safe", "off"]
"""How names become parts of a path: spelled in ASCII, without forbidden signs, as they are."""

_DATED = re.compile(
    r"^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
    r"(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?\s?[_-](?P<slug>.+)$"
)
_FORBIDDEN = re.compile(r'[<>:"/\\|?*]')


@dataclass(frozen=True, slots=True)
class Zola:
    """What a site's configuration says about its paths."""

    content: str = "content"
    slugs: Slugs = "on"
    keep_dates: bool = False
    languages: tuple[str, ...] = ()
    """Those besides the default one."""
    default_language: str = "en"

    def path(self, place: str, address: Address) -> str | None:
        """Give the path of the file at `place` below the site's folder, `None` if unsure."""
        if not place.startswith(self.content + "/") or not place.endswith(".md"):
            return None
        folder, _, file = place[len(self.content) + 1 :].rpartition("/")
        found = self._name(file.removesuffix(".md"))
        if found is None:
            return None
        name, prefix = found
        path = self._path(folder, name, prefix, address)
        return path and readable(f"/{path.strip('/')}/" if path.strip("/") else "/")

    def unknown_tokens(self) -> tuple[str, ...]:
        """Zola has no patterns."""
        return ()

    def _name(self, stem: str) -> tuple[str, str] | None:
        """Take the language off a name; `None` if it is none of the site's."""
        name, dot, language = stem.partition(".")
        if not self.languages or not dot:
            return stem, ""
        if language == self.default_language:
            return stem, ""
        return (name, language + "/") if language in self.languages else None

    def _path(self, folder: str, name: str, prefix: str, address: Address) -> str | None:
        if name == "_index":
            return f"/{prefix}{folder}"
        if own := address.get("path"):
            return own
        if name == "index" and not folder:
            return f"/{prefix}"
        if name.partition(".")[0] == "index" and folder:
            above, _, last = folder.rpartition("/")
            folder, name = above, last if name == "index" else name
        slug = self._slug(address.get("slug") or self._undated(name))
        return slug and f"{prefix}{folder}/{slug}" if folder else slug and f"{prefix}{slug}"

    def _undated(self, name: str) -> str:
        dated = None if self.keep_dates else _DATED.match(name)
        return dated["slug"] if dated else name

    def _slug(self, text: str) -> str | None:
        if self.slugs == "on":
            return zola_slug(text)
        return text if self.slugs == "off" else _FORBIDDEN.sub("", text.rstrip(" ."))
