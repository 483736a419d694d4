"""Paths of posts' files and addresses of pages taken apart, to find how posts relate."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

MARKDOWN = re.compile(r"\.(?:md|mdx|markdown|qmd)$", re.IGNORECASE)
"""What the name of a post's file ends in."""
INDEXES = ("index", "_index", "readme")
"""Names of files, without their ending, that stand for their folder."""
FILE = re.compile(r"\.(?!html?$|mdx?$|markdown$)[a-z]\w{0,5}$")
"""What the folded name of a file that is no page ends in."""
_DAY = re.compile(r"^(?:\d{4}([-_])\d{1,2}\1\d{1,2}|(?:19|20)\d{6})(?:[-_ ]+|$)")


@dataclass(frozen=True, slots=True)
class PostPath:
    """The path of a file, or one that leads to it; a file of INDEXES stands for its folder."""

    folder: str
    """What the page lies in, without a slash around it; `""` at the top."""
    name: str
    """Of the page, without the ending of Markdown; `""` for the page of the whole blog."""
    index: str = ""
    """Which of INDEXES the file is, if it is one."""

    @property
    def page(self) -> str:
        """The folder and the name."""
        return f"{self.folder}/{self.name}" if self.folder else self.name

    @property
    def undated(self) -> str:
        """The name without the day that it begins with, if anything is left."""
        return _DAY.sub("", self.name) or self.name

    @property
    def is_list(self) -> bool:
        """Whether the file lists others, of a folder or of the whole blog, and is no post."""
        return self.index in INDEXES[1:] or (bool(self.index) and not self.name)


def parse_path(path: str) -> PostPath:
    """Take a path apart that is written with `/`."""
    stem = MARKDOWN.sub("", path.strip("/"))
    folder, _, name = stem.rpartition("/")
    if name.casefold() not in INDEXES:
        return PostPath(folder, name)
    above, _, last = folder.rpartition("/")
    return PostPath(above, last, name.casefold())


def host_of(parts: SplitResult) -> str:
    """Return the name of the host of an address, without `www.`."""
    return parts.netloc.casefold().removeprefix("www.")


def page_of(path: str) -> str:
    """Return what the addresses of one page have in common, decoded, without slashes around it."""
    stem = MARKDOWN.sub("", re.sub("/{2,}", "/", unquote(path)).casefold().strip("/"))
    stem = re.sub(r"\.html?$", "", stem)
    folder, _, name = stem.rpartition("/")
    return folder if name in INDEXES else stem


def folder_shape(page: str) -> str:
    """Return what a page lies in, with each digit as `0`: `blog/0000/00`."""
    return re.sub(r"\d", "0", page.rpartition("/")[0])


def split_address(address: str) -> SplitResult | None:
    """Split an address; `None` for one with half of a bracket, or another host by its letters."""
    try:
        return urlsplit(address.strip())
    except ValueError:
        return None


def split_page(href: str) -> SplitResult | None:
    """Split an address that may be that of a post: a whole one, or a path from the top."""
    parts = split_address(href)
    if parts is None or not parts.path.strip("/") or FILE.search(parts.path.casefold()):
        return None
    is_path = not parts.scheme and not parts.netloc and parts.path.startswith("/")
    is_page = is_path and not MARKDOWN.search(parts.path)
    return parts if is_page or (parts.scheme in ("http", "https") and parts.netloc) else None
