"""Parse the paths of posts' files and the URLs of pages; read tables of names and patterns.

Only this module decides which file stands for its folder, which day and language a file's name has,
and which folder and name a page has.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from blog_search_mcp.index.text.languages import language_tag, read_tag


def _read_named_rows(name: str) -> dict[str, str]:
    """Return the rows of a data file in this folder, as texts by name; a tab separates the two.

    A line that begins with a tab continues a pattern, with blanks a list; with `#` it is a remark.
    """
    text = Path(__file__).with_name(name).read_text("utf-8")
    rows = text.replace("\n\t", "").replace("\n   ", " ").splitlines()
    return dict(row.split("\t") for row in rows if row[:1] != "#")


NAMES, PATTERNS = _read_named_rows("field_names.txt"), _read_named_rows("patterns.txt")
"""Lists of words (fields, folders, months, encodings) and regular expressions, by a row's name."""
MARKDOWN = re.compile(r"\.(?:mdx?|m(?:ark)?down|qmd|mk(?:d|dn|down)|markdn)$", re.IGNORECASE)
"""Suffix of a post's file."""
INDEX = re.compile("index|_index|readme", re.IGNORECASE)
"""Names of files, without suffix, that stand for their folder in links and on GitHub."""
BUNDLE = re.compile("index|_index")
"""Names of files that stand for their folder in Hugo and Zola, in lower case only."""
MKDOCS_INDEX = re.compile("index|README")
"""Names of files that stand for their folder in MkDocs."""
FILE = re.compile(r"\.(?!html?$|mdx?$|markdown$|mdown$|mkdn?$|mkdown$|markdn$)[a-z]\w{0,5}$")
"""Lower-case suffix of a file that is no page."""
_DAY = re.compile(
    r"(?P<day>\d{4}([-_])\d{1,2}\2\d{1,2}|(?:19|20)\d{6})(?:(?<=\d{8})(?:\d{4}|\d{6}))?(?:[-_ ]+|$)"
)
"""Day at the start of a file's name, perhaps with a time; below, as each generator reads it."""
HUGO_DAY = re.compile(r"(?P<day>\d{4}-\d{2}-\d{2})(?:[-_ ]+|$)")
JEKYLL_DAY = re.compile(r"(?P<day>\d{2,4}-\d{1,2}-\d{1,2})-")
ZOLA_DAY = re.compile(r"(?P<day>\d{4}-[01]\d-[0-3]\d)(?:T\d\d:[^_]+?)?\s?[_-](?=.)")
_DAY_IN_PATH = re.compile(
    r"(?:^|/)(\d{4})(?:([-_])(\d{1,2})\2(\d{1,2})|/(\d\d)[/-](\d\d))(?!\d)"
    r"|(?:^|/)((?:19|20)\d\d)(\d\d)(\d\d)(?:\d{4}|\d{6})?(?=[-_ .]|/)"
)


@dataclass(frozen=True, slots=True)
class PostPath:
    """Path of a page; a file that stands for its folder has the folder's path."""

    folder: str
    """Folder of the page, without outer slashes; `""` at the top."""
    name: str
    """Name of the page, without the suffix of Markdown; `""` for the page of the whole blog."""
    index: str = ""
    """Name of the file, in lower case, if it stands for its folder; else `""`."""

    @property
    def page(self) -> str:
        """Path of the page: folder and name."""
        return f"{self.folder}/{self.name}" if self.folder else self.name

    @property
    def undated(self) -> str:
        """Name without a day at its start; a name that is only a day stays."""
        return split_day(self.name)[1] or self.name

    @property
    def is_list(self) -> bool:
        """Whether the file lists the posts of a folder or the blog and is no post itself."""
        return self.index in ("_index", "readme") or (bool(self.index) and not self.name)


def parse_path(path: str, indexes: re.Pattern[str] = INDEX) -> PostPath:
    """Parse a path with `/`; files named like `indexes` stand for their folder."""
    stem = MARKDOWN.sub("", path.strip("/"))
    folder, _, name = stem.rpartition("/")
    if not indexes.fullmatch(name):
        return PostPath(folder, name)
    above, _, last = folder.rpartition("/")
    return PostPath(above, last, name.lower())


def parse_file(source: str) -> PostPath:
    """Parse the path of a post's file; a language before the suffix is not part of the name.

    If the file stands for its folder, any text counts as a language: `index.cn.md`.
    """
    folder, _, name = source.rpartition("/")
    first = name.partition(".")[0]
    stem = first if BUNDLE.fullmatch(first) else split_language(name)[0]
    return parse_path(f"{folder}/{stem}", BUNDLE)


def split_day(name: str, form: re.Pattern[str] = _DAY) -> tuple[str, str]:
    """Split a file's name into the day at its start (`""` if there is none) and the rest."""
    match = form.match(name)
    return (match["day"], name[match.end() :]) if match else ("", name)


def date_in_path(path: str) -> date | None:
    """Return the date in a path: `2019/05/14/post`, `_posts/2019-05-14-post.md`, `20190514 a`."""
    match = _DAY_IN_PATH.search(path)
    with suppress(ValueError):
        return date(*map(int, filter(str.isdigit, filter(None, match.groups())))) if match else None
    return None


def split_language(name: str) -> tuple[str, str]:
    """Split a file's name into stem and language (or `""`): `post.de.md` into `post` and `de`."""
    stem = name.rpartition(".")[0]
    shorter, _, suffix = stem.rpartition(".")
    language = language_tag(suffix) if shorter else ""
    return (shorter, language) if language else (stem, "")


def spelled_languages(source: str) -> Iterator[str]:
    """Yield the language tags in a file's name, then those of its folders, outermost first."""
    *folders, name = source.split("/")
    return filter(None, (split_language(name)[1], *map(read_tag, folders)))


def host_of(parts: SplitResult) -> str:
    """Return the host of an address with its port, in lower case and without `www.`."""
    return parts.netloc.casefold().removeprefix("www.")


def page_of(path: str) -> str:
    """Return a URL's path decoded and case-folded, without suffix, `/index` and outer slashes."""
    stem = MARKDOWN.sub("", re.sub("/{2,}", "/", unquote(path)).casefold().strip("/"))
    return parse_path(re.sub(r"\.html?$", "", stem)).page


def folder_shape(page: str) -> str:
    """Return the folder of a page with each digit as `0`: `blog/0000/00`."""
    return re.sub(r"\d", "0", page.rpartition("/")[0])


def split_address(address: str) -> SplitResult | None:
    """Split an address; return `None` if it is invalid, such as one with a single bracket."""
    try:
        return urlsplit(address.strip())
    except ValueError:
        return None


def split_page(href: str) -> SplitResult | None:
    """Split a URL, or a path from the site's root, that may be a post's; else return `None`."""
    parts = split_address(href)
    if parts is None or not parts.path.strip("/") or FILE.search(parts.path.casefold()):
        return None
    is_path = not parts.scheme and not parts.netloc and parts.path.startswith("/")
    is_page = is_path and not MARKDOWN.search(parts.path)
    return parts if is_page or (parts.scheme in ("http", "https") and parts.netloc) else None
