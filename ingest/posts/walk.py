"""List the posts among the files of a content folder, and the files left out with their reasons.

The walk opens no post, so an incremental ingest can skip unchanged files by size and times, and a
server can tell that its index is outdated (`ingest.last_ingest`). Files left out are reported, but
not hidden ones, packages, caches and files that a `.blogignore` names. Symbolic links are not
followed: a link could expose a private file or make the walk endless.
"""

import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from blog_search_mcp.index.errors import ContentError, UnreadablePost, UsageError
from blog_search_mcp.index.invocation import TO_SETUP, Message
from blog_search_mcp.index.stores import Location
from blog_search_mcp.ingest.foreign_files import decode_settings, describe_os_error, read_file
from blog_search_mcp.ingest.posts.ignore_rules import Rules, compile_rules, decide
from blog_search_mcp.ingest.posts.paths import NAMES, PATTERNS, parse_file
from blog_search_mcp.ingest.posts.vault import LOGSEQ, OBSIDIAN, Vault, read_vault

SUFFIXES = (".md", ".markdown", ".mdx", ".qmd", ".mdown", ".mkd", ".mkdn", ".mkdown", ".markdn")
"""Suffixes of posts' files, in lower case."""
_OTHER_TEXTS = re.compile(PATTERNS["other texts"], re.IGNORECASE)
"""Names of text files, other than Markdown, that generators publish or editors write notes in."""
IGNORE_FILE = ".blogignore"
NOT_PUBLISHED = "not published"
"""Reason for a file that the site makes no page of. Authors expect it, so in reports only copies
(other versions of a neighbor) come after these files."""
_PLACEHOLDER = re.compile(r"\.(.+)\.icloud|(.+)\.(?:nextcloud|owncloud|cloud)")
"""Placeholders that iCloud, Nextcloud, ownCloud and odrive leave for files in the cloud."""
_COPY = re.compile(PATTERNS["copy"], re.IGNORECASE)
"""Names that Syncthing, Dropbox, Nextcloud, Obsidian Sync, Seafile, Google Drive, Resilio and merge
tools for Git give to the other version of a file that two machines changed."""
_MAYBE_COPY = re.compile(PATTERNS["maybe a copy"], re.IGNORECASE)
"""Names that iCloud, OneDrive (with the machine), Google Drive and file managers give to copies.
Posts have them too, so `ingest.prepare` compares the texts to decide."""
_COPY_FOLDER = re.compile(r"(?:.*/)?(?:logseq/(?:bak|version-files)|[#@$]recycle(?:\.bin)?)/", re.I)
"""Folders in which Logseq and file servers keep changed or deleted files, which count as copies."""
_SECTION_ENDS = (".md", ".markdown", ".html")
_DATA = re.compile(
    r"_(?:meta)?data\.(?:ya?ml|json|[jt]s)|(?:\.meta|_defaults)\.ya?ml|.+\.11tydata\.[cm]?[jt]s"
)
"""Names of files with fields for posts: Quarto, Lume, Material for MkDocs, Bridgetown, Eleventy."""
_PACKAGES = tuple(NAMES["packages"].split())
"""Ends of the paths of folders in which package managers install packages."""
_FOLDER_MARKS = frozenset(("pyvenv.cfg", "conda-meta", "autoload.php", "CACHEDIR.TAG"))
"""Names that mark a folder of packages (Python, Conda, Composer) or a cache (Cargo, pytest)."""
_REPOSITORY = frozenset((".git", "package.json"))
"""Names that mark the folder they lie in as a repository, not a mere folder of posts."""
_ABOUT_REPOSITORY = re.compile(PATTERNS["about a repository"], re.IGNORECASE)
"""Names of files about a repository that GitHub recommends, in any language: `README.zh.md`."""
LEVELS_ABOVE = 3
"""Number of folders above the content folder that are searched for its site or vault."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """File that is named like a post; it has not been opened yet."""

    source: str
    """Path below the content folder, with `/`; case and Unicode form are as on disk."""
    content: Path
    """The content folder, with links resolved."""
    size: int
    """Bytes."""
    mtime_ns: int
    """Time of the last change in nanoseconds since 1970."""
    ctime_ns: int = 0
    """Time of the last inode change, which programs cannot set; on Windows the creation time."""
    is_away: bool = False
    """Whether the file is a placeholder for one in the cloud."""
    copy_of: str = ""
    """Source of the neighbor that the file seems to be a copy of, by its name; else `""`."""
    is_note: bool = False
    """Whether the file is in a vault."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is left out, and why."""

    source: str
    """Like `SourceFile.source`; bytes that are not UTF-8 are written as `\\xff`."""
    reason: str


@dataclass(frozen=True, slots=True)
class Walk:
    """Files of a content folder; each field is sorted by source."""

    files: tuple[SourceFile, ...]
    skipped: tuple[Skipped, ...]
    others: tuple[str, ...] = ()
    """Sources of texts that are not read because they are not Markdown."""
    sections: tuple[str, ...] = ()
    """Sources of files whose fields may apply to other posts of the folder. A `.blogignore` does
    not remove files from this list, only from the index."""


class _Folder(NamedTuple):
    content: Path
    vaults: tuple[Vault, ...]
    """Vaults that the folder is in."""
    has_parts: bool
    """Whether files whose names begin with `_` are parts of posts."""
    source: str = ""
    """`""` for the content folder, else its source with a `/` at the end."""
    ignores: tuple[tuple[str, Rules], ...] = ()
    """Source and rules of each enclosing folder with a `.blogignore`, the outermost first."""
    only: str = ""
    """Source of the only file to look for; `""` for all."""


def walk(content: Path, only: str = "") -> Walk:
    """List the files below `content` that are named like posts, or only the file at `only`.

    Raises ContentError if `content` is no readable folder or a `.blogignore` cannot be read.
    """
    root = _resolve_root(content)
    vaults = tuple(filter(None, map(read_vault, root.parents[:LEVELS_ABOVE])))
    has_parts = not (root / OBSIDIAN).is_dir()
    items: list[SourceFile | Skipped | str] = []
    for folder in (folders := [_Folder(root, vaults, has_parts, only=only)]):  # which grows
        items += _list_folder(folder, folders)
    items.sort(key=lambda item: item if isinstance(item, str) else item.source)
    return Walk(
        tuple(item for item in items if isinstance(item, SourceFile)),
        tuple(item for item in items if isinstance(item, Skipped) and item.reason),
        tuple(item.source for item in items if isinstance(item, Skipped) and not item.reason),
        tuple(item for item in items if isinstance(item, str)),
    )


def refuse_content_inside(content: Path, index: Location) -> None:
    """Raise UsageError if `content` is in the index folder, ContentError if it is unreadable.

    An ingest deletes folders in the index folder that look like its generations.
    """
    root = _resolve_root(content)
    if isinstance(index, Path) and root.is_relative_to(os.path.realpath(index)):
        advice = "Give the index a folder of its own: --index DIR."
        raise UsageError(
            f"The content folder {content} lies in the index folder. {advice}",
            for_clients=f"The content folder lies in the index folder. {advice}",
        )


def _resolve_root(content: Path) -> Path:
    try:
        root = content.resolve(strict=True)
        with os.scandir(root):
            return root
    except (OSError, RuntimeError) as error:  # RuntimeError for a loop of links
        from difflib import get_close_matches

        reason = getattr(error, "strerror", None) or "a link leads to itself"
        folders = [folder.name for folder in content.parent.glob("*/")]
        near = "".join(
            f" Did you mean {name}?" for name in get_close_matches(content.name, folders, 1)
        )
        raise ContentError(
            f"The content folder {content} cannot be read: {reason}. Give the folder that holds "
            f"the posts.{near}",
            for_clients=Message(
                f"The content folder cannot be read: {reason}. If it was moved: ", TO_SETUP, "."
            ),
        ) from error


def _list_folder(folder: _Folder, folders: list[_Folder]) -> Iterator[SourceFile | Skipped | str]:
    """Yield the files of a folder, and add its subfolders to `folders`.

    A `str` is the source of a section or data file; `Skipped` without a reason is another text.
    """
    path = folder.content / folder.source
    try:
        with os.scandir(path) as entries:
            beside = {entry.name: entry for entry in entries}
    except OSError as error:
        yield Skipped(folder.source.rstrip("/"), describe_os_error(error))
        return
    if IGNORE_FILE in beside:
        folder = folder._replace(ignores=(*folder.ignores, _read_ignore_file(folder)))
    if folder.source and not _FOLDER_MARKS.isdisjoint(beside):
        return
    if not beside.keys().isdisjoint((OBSIDIAN, LOGSEQ)) and (vault := read_vault(path)):
        folder = folder._replace(vaults=(*folder.vaults, vault))
    for entry in beside.values():
        if folder.only and not f"{folder.only}/".startswith(f"{folder.source}{entry.name}/"):
            continue
        away = _PLACEHOLDER.fullmatch(entry.name)
        name = (away[1] or away[2]) if away else entry.name
        if away and name in beside:
            continue
        source = folder.source + name
        is_folder = Path(entry.path).is_dir() if entry.is_symlink() else entry.is_dir()
        is_post = not is_folder and name.lower().endswith(SUFFIXES)
        is_other = not is_folder and not away and _OTHER_TEXTS.fullmatch(name) is not None
        if not is_folder and (is_section(name) or is_data(path, name, beside)):
            yield source
        is_read = is_folder or is_other or is_post
        if not is_read or _is_ignored(name, f"{source}/" if is_folder else source, folder.ignores):
            continue
        printable = os.fsencode(source).decode("utf-8", "backslashreplace")
        if is_other:
            yield Skipped(printable, "")
        elif printable != source:
            yield Skipped(printable, "its name is not valid UTF-8; rename it")
        elif is_post and (reason := _find_reason(folder, name, beside)):
            yield Skipped(source, reason)
        elif entry.is_symlink():
            yield Skipped(source, "links are not followed; put the posts themselves in the folder")
        elif is_folder:
            folders.append(folder._replace(source=f"{source}/"))
        else:
            original = _find_original(_MAYBE_COPY, name, beside)
            original = original and folder.source + original
            yield _make_source(folder, entry, source, is_away=bool(away), copy_of=original)


def _find_reason(folder: _Folder, name: str, beside: Collection[str]) -> str | None:
    """Return why a file named like a post is left out, `None` if it is not.

    `_name` is a part of posts (Docusaurus, Quarto, Jekyll, Hexo, Nuxt Content), except `_index` or
    if `content` is an Obsidian vault. A repository's README is no post, nor a `.qmd` by its `.md`.
    """
    if _COPY_FOLDER.match(folder.source) or _find_original(_COPY, name, beside):
        return "copy"
    is_part = folder.has_parts and name[0] == "_" and not parse_file(name).index
    is_repository = not folder.source and not _REPOSITORY.isdisjoint(beside)
    stem, _, ending = name.rpartition(".")
    is_rendered = ending.lower() == "qmd" and any(f"{stem}{x}" in beside for x in (".md", ".mdx"))
    path = folder.content / folder.source / name
    is_none = is_part or is_rendered or (is_repository and _ABOUT_REPOSITORY.fullmatch(name))
    reasons = (*(vault.exclude(path) for vault in folder.vaults), NOT_PUBLISHED if is_none else "")
    return next(filter(None, reasons), None)


def _find_original(copies: re.Pattern[str], name: str, beside: Collection[str]) -> str:
    """Return the name of the neighbor that `name` seems to be a copy of, else `""`."""
    stem, dot, ending = name.rpartition(".")
    copy = copies.fullmatch(stem)
    originals = (f"{part}{dot}{ending}" for part in (copy.groups() if copy else ()) if part)
    return next(filter(beside.__contains__, originals), "")


def _read_ignore_file(folder: _Folder) -> tuple[str, Rules]:
    """Read the `.blogignore` of a folder.

    Raises ContentError if it cannot be read, since posts that the author meant to keep out could be
    published without it.
    """
    try:
        data = read_file(folder.content, folder.source + IGNORE_FILE)
        return folder.source, _compile(data)
    except (UnreadablePost, ValueError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeError) else str(error)
        raise ContentError(
            f"{folder.source}{IGNORE_FILE} cannot be used: {reason}. Correct or delete it."
        ) from error


@lru_cache(maxsize=16)
def _compile(data: bytes) -> Rules:
    return compile_rules(decode_settings(data).splitlines())


def is_section(name: str) -> bool:
    """Return whether a file of this name describes all pages of its folder to Hugo or Zola."""
    return name.endswith(_SECTION_ENDS) and parse_file(name).index == "_index"


def is_data(folder: Path, name: str, beside: Collection[str]) -> bool:
    """Whether a file has fields for the posts of `folder`, or for the post with its stem."""
    if _DATA.fullmatch(name) or not name.endswith((".json", ".meta")):
        return _DATA.fullmatch(name) is not None
    stem = name.removesuffix(".meta").removesuffix(".json").removesuffix(".11tydata")
    return stem == folder.name or any(f"{stem}{end}" in beside for end in _SECTION_ENDS)


def _is_ignored(name: str, path: str, ignores: tuple[tuple[str, Rules], ...]) -> bool:
    """Whether a path is left out without a report; the innermost of `ignores` decides first."""
    if name.startswith(".") or f"/{path}".endswith(_PACKAGES):
        return True
    decisions = (decide(rules, path[len(prefix) :]) for prefix, rules in reversed(ignores))
    return next((decision for decision in decisions if decision is not None), False)


def _make_source(
    folder: _Folder, entry: os.DirEntry[str], source: str, *, is_away: bool, copy_of: str
) -> SourceFile | Skipped:
    try:
        status = entry.stat()
    except OSError as error:
        return Skipped(source, describe_os_error(error))
    if not stat.S_ISREG(status.st_mode):
        return Skipped(source, "it is not a regular file; name it in a .blogignore")
    stamp = status.st_size, status.st_mtime_ns, status.st_ctime_ns
    return SourceFile(source, folder.content, *stamp, is_away, copy_of, bool(folder.vaults))
