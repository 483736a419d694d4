"""List the files of a content folder that are posts, and what is left out with the reason.

The walk opens no post, so an incremental ingest can skip unchanged files by size and time, and a
server can tell that its index is behind (`index.posts.changes`). What the author leaves out is
not reported; anything else that cannot be indexed is. A linked file is a post if it leads to one
that the walk lists too, so that no link makes a file public that is not; linked folders are not
followed, so a walk always ends and no post appears twice.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from blog_search_mcp.index.errors import ContentError, PostChanging, UnreadablePost, UsageError
from blog_search_mcp.index.posts.ignores import Rules, compile_rules, decide
from blog_search_mcp.index.posts.vault import SETTINGS, Exclusion, read_exclusions
from blog_search_mcp.index.stores import Location

SUFFIXES = (".md", ".markdown", ".mdx", ".qmd")
"""What the name of a post ends in, in lower case."""

MAX_BYTES = 16 * 1024 * 1024
"""Largest file read as a post: about ten times the longest page met in real sites (1.3 MB)."""

LEAVES = "it is a link that leaves the content folder; copy the file into it"
LEFT_OUT = "it is a link to a file that is left out; copy the file to its place"

ATTEMPTS = 3
"""A saved file is whole the next time; one that others keep writing to is not worth more."""

IGNORE_FILE = ".blogignore"
MAX_IGNORE_CHARACTERS = 256 * 1024
MAX_IGNORE_LINES = 10_000
"""Each takes .1 ms to compile and .1 µs for every file of the folder."""

NOT_PUBLISHED = "not published"
"""The reason for a file that its site makes no page of; authors of sites know, so it is counted
and not listed."""

_SECTION = "_index."
_SECTION_ENDS = (".md", ".markdown", ".html")
_DATA = re.compile(r"_metadata\.ya?ml|\.meta\.ya?ml|_defaults\.ya?ml|.+\.11tydata\.[cm]?[jt]s")
"""Fields for all posts of a folder, of Quarto, Material for MkDocs, Bridgetown and Eleventy."""
_REPOSITORY = frozenset((".git", "package.json"))
"""One of these makes a folder that of a site's sources, not of its posts alone."""
_ABOUT_REPOSITORY = re.compile(
    r"(?:readme|changelog|contributing|code_of_conduct|license|licence|security)"
    r"(?:[._-][a-z]{2}(?:[-_][a-z]{2,4})?)?\.[a-z]+",
    re.IGNORECASE,
)
"""Files that GitHub asks for in a repository, also in another language: `README.zh.md`."""

_QUARTO = ".qmd"
_RENDERED = (".md", ".mdx")
"""What Quarto makes of a `.qmd` for Hugo and Docusaurus, beside it."""

LEVELS_ABOVE = 3
"""Folders above the content folder that may be those of its site or vault."""
_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
"""Those that the system knows: Windows has only the last."""


def read_file(path: Path) -> bytes:
    """Read a post's bytes; `path` is no link. Raises UnreadablePost, of which PostChanging."""
    for _ in range(ATTEMPTS):
        try:
            with open(path, "rb", opener=_open) as file:
                before = os.fstat(file.fileno())
                if obstacle := _find_obstacle(before):
                    raise UnreadablePost(obstacle)
                content = file.read(MAX_BYTES + 1)
                after = os.fstat(file.fileno())
        except OSError as error:
            raise UnreadablePost(_describe_failure(error)) from error
        is_same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
        if is_same and len(content) == after.st_size:
            return content
    raise PostChanging("it changed while it was read; run again when it is finished")


def _open(path: str, flags: int) -> int:
    for name in _FLAGS:
        flags |= getattr(os, name, 0)
    return os.open(path, flags)


def _find_obstacle(status: os.stat_result) -> str | None:
    """Return why a file of this status cannot be a post, `None` if it can."""
    if not stat.S_ISREG(status.st_mode):
        return "it is not a regular file; name it in a .blogignore"
    if status.st_size > MAX_BYTES:
        return f"it is larger than {MAX_BYTES // 1024**2} MB; split it, or name it in a .blogignore"
    return None


def _describe_failure(error: OSError | RuntimeError) -> str:
    """Describe it without the machine's paths."""
    return f"it cannot be read: {_name_failure(error)}; check the file and its permissions"


def _name_failure(error: OSError | RuntimeError) -> str:
    """Return the system's words for it; pathlib raises RuntimeError for a loop of links."""
    return str(error.strerror) if isinstance(error, OSError) else os.strerror(errno.ELOOP)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that is a post by its name; it has not been opened yet."""

    source: str
    """Path below the content folder, with `/`; spelled as on disk, neither folded nor composed."""
    location: str
    """Its `path`, of which a Path takes five times as much memory."""
    size: int
    """Bytes."""
    mtime_ns: int
    """Time of last change, nanoseconds since 1970."""
    target: str = ""
    """The `source` of the file that it is a link to; whether it is public goes by that one."""

    @property
    def origin(self) -> str:
        """The `source` by which it is public or not."""
        return self.target or self.source

    @property
    def path(self) -> Path:
        """Where its bytes are; of a linked file, where the link leads."""
        return Path(self.location)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is left out, and why."""

    source: str
    """Like `SourceFile.source`; bytes that are not UTF-8 are written as `\\xff`."""
    reason: str


@dataclass(frozen=True, slots=True)
class SectionFile:
    """A file that may say something about other posts of its folder."""

    source: str
    """Like `SourceFile.source`."""
    path: Path
    """Where it is listed; it may be a link."""


@dataclass(frozen=True, slots=True)
class Walk:
    """What a content folder holds; each sorted by source."""

    files: tuple[SourceFile, ...]
    skipped: tuple[Skipped, ...]
    sections: tuple[SectionFile, ...] = ()
    """Also of those that a `.blogignore` names, which keeps them out of the index alone."""


class _Folder(NamedTuple):
    path: Path
    prefix: str
    """`""` for the content folder, else its source with a `/` at the end."""
    ignores: tuple[tuple[str, Rules], ...]
    """Prefix and rules of each `.blogignore` that applies to it from outside, outermost first."""
    vaults: tuple[tuple[Path, tuple[Exclusion, ...]], ...]
    """Those that it is in, and what they leave out."""


def walk(content: Path, suffixes: tuple[str, ...]) -> Walk:
    """List the files below `content` whose names end in one of `suffixes`, in any case.

    Raises ContentError if `content` is no readable folder or a `.blogignore` cannot be read.
    """
    root = _resolve_root(content)
    is_vault = (root / SETTINGS).is_dir()
    above = (folder for folder in root.parents[:LEVELS_ABOVE] if (folder / SETTINGS).is_dir())
    vaults = tuple((folder, read_exclusions(folder)) for folder in above)
    files: list[SourceFile] = []
    skipped: list[Skipped] = []
    sections: list[SectionFile] = []
    folders = [_Folder(root, "", (), vaults)]
    while folders:
        for item in _list_folder(root, folders.pop(), suffixes, is_vault=is_vault):
            match item:
                case _Folder():
                    folders.append(item)
                case SourceFile():
                    files.append(item)
                case Skipped():
                    skipped.append(item)
                case SectionFile():
                    sections.append(item)
    real = {file.source for file in files if not file.target}
    skipped += [Skipped(file.source, LEFT_OUT) for file in files if file.origin not in real]
    files = [file for file in files if file.origin in real]
    return Walk(
        tuple(sorted(files, key=lambda file: file.source)),
        tuple(sorted(skipped, key=lambda skip: skip.source)),
        tuple(sorted(sections, key=lambda section: section.source)),
    )


def refuse_inside(content: Path, index: Location) -> None:
    """Raise UsageError if posts lie in the index folder, or ContentError if there are none.

    An ingest deletes folders there that look like generations of its own. Tantivy takes UTF-8
    alone for a path.
    """
    if not isinstance(index, Path):
        _resolve_root(content)
        return
    if os.fsencode(index).decode("utf-8", "replace") != str(index):
        raise UsageError(
            "The path of the index is not UTF-8, which it must be. Name another folder with "
            "--index DIR."
        )
    if _resolve_root(content).is_relative_to(os.path.realpath(index)):
        advice = "Give the index a folder of its own: --index DIR."
        raise UsageError(
            f"The content folder {content} lies in the index folder. {advice}",
            for_clients=f"The content folder lies in the index folder. {advice}",
        )


def _resolve_root(content: Path) -> Path:
    advice = "Give the folder that holds the posts."
    try:
        root = content.resolve(strict=True)
        with os.scandir(root):
            return root
    except FileNotFoundError as error:
        raise ContentError(
            f"There is no content folder {content}. {advice}",
            for_clients="The content folder is not there.",
        ) from error
    except NotADirectoryError as error:
        raise ContentError(
            f"{content} is a file, not a folder. {advice}",
            for_clients="The content folder is a file.",
        ) from error
    except (OSError, RuntimeError) as error:
        raise ContentError(
            f"The content folder {content} cannot be read: {_name_failure(error)}. Check its "
            "permissions.",
            for_clients="The content folder cannot be read. Check its permissions.",
        ) from error


def _list_folder(
    root: Path, folder: _Folder, suffixes: tuple[str, ...], *, is_vault: bool
) -> Iterator[SourceFile | Skipped | SectionFile | _Folder]:
    try:
        with os.scandir(folder.path) as entries:
            names = list(entries)
    except OSError as error:
        yield Skipped(folder.prefix.rstrip("/"), _describe_failure(error))
        return
    rendered = {entry.name for entry in names}
    about_repository = not folder.prefix and not rendered.isdisjoint(_REPOSITORY)
    ignores = folder.ignores
    if IGNORE_FILE in rendered:
        ignores += (_read_ignore_file(root, folder),)
    vaults = folder.vaults
    if SETTINGS in rendered:
        vaults += ((folder.path, read_exclusions(folder.path)),)
    for entry in names:
        source = folder.prefix + entry.name
        try:
            is_folder = entry.is_dir()
        except OSError:
            is_folder = False
        if not is_folder and (is_section(entry.name) or is_data(folder.path, entry.name, rendered)):
            yield SectionFile(source, Path(entry.path))
        if not (is_folder or entry.name.lower().endswith(suffixes)):
            continue
        if entry.name.lower().endswith(_QUARTO) and not rendered.isdisjoint(
            entry.name[: -len(_QUARTO)] + end for end in _RENDERED
        ):
            continue
        if _is_ignored(entry.name, f"{source}/" if is_folder else source, ignores):
            continue
        printable = os.fsencode(source).decode("utf-8", "backslashreplace")
        if printable != source:
            yield Skipped(printable, "its name is not valid UTF-8; rename it")
        elif not is_folder and (
            (_is_part(entry.name) and not is_vault)
            or (about_repository and _ABOUT_REPOSITORY.fullmatch(entry.name))
        ):
            yield Skipped(source, NOT_PUBLISHED)
        elif vaults and not is_folder and (reason := _find_exclusion(Path(entry.path), vaults)):
            yield Skipped(source, reason)
        elif not is_folder:
            yield _check_file(root, entry, source)
        elif entry.is_symlink():
            yield Skipped(source, "linked folders are not followed; put the posts in the folder")
        else:
            yield _Folder(Path(entry.path), f"{source}/", ignores, vaults)


def _find_exclusion(
    post: Path, vaults: tuple[tuple[Path, tuple[Exclusion, ...]], ...]
) -> str | None:
    """Return why the settings of a vault leave a post out, `None` if none does."""
    for vault, exclusions in vaults:
        path = post.relative_to(vault).as_posix().casefold()
        for exclusion in exclusions:
            if exclusion.covers(path):
                return exclusion.reason
    return None


def _read_ignore_file(root: Path, folder: _Folder) -> tuple[str, Rules]:
    """Read the `.blogignore` of a folder, in any encoding that a post may have.

    Raises ContentError if it cannot be read: going on without it could publish what the author
    meant to keep out.
    """
    path = folder.path / IGNORE_FILE
    try:
        if path.is_symlink():
            path = path.resolve(strict=True)
            if not path.is_relative_to(root):
                raise UnreadablePost(LEAVES)
        from blog_search_mcp.index.posts.text import decode  # slow, and few blogs need it

        decoded = decode(read_file(path))
        if len(decoded.text) > MAX_IGNORE_CHARACTERS or decoded.text.count("\n") > MAX_IGNORE_LINES:
            raise ValueError(
                f"it has more than {MAX_IGNORE_LINES:,} lines or {MAX_IGNORE_CHARACTERS:,} "
                "characters; name folders instead of files"
            )
        if decoded.repaired:
            raise ValueError(
                f"{decoded.repaired} of its characters cannot be read; save it as UTF-8"
            )
        return folder.prefix, compile_rules(decoded.text.splitlines())
    except (UnreadablePost, OSError, RuntimeError, ValueError, re.error) as error:
        reason = _describe_failure(error) if isinstance(error, OSError | RuntimeError) else error
        raise ContentError(
            f"{folder.prefix}{IGNORE_FILE} cannot be used: {reason}. Correct or delete it."
        ) from error


def is_section(name: str) -> bool:
    """Whether a file of this name tells Hugo or Zola about all pages of its folder."""
    return name.startswith(_SECTION) and name.endswith(_SECTION_ENDS)


def is_data(folder: Path, name: str, beside: Collection[str]) -> bool:
    """Whether a file has fields for the posts of `folder`, or for the one of its name beside it."""
    if not name.endswith(".json"):
        return _DATA.fullmatch(name) is not None
    stem = name.removesuffix(".json").removesuffix(".11tydata")
    return stem == folder.name or any(f"{stem}{end}" in beside for end in _SECTION_ENDS)


def _is_part(name: str) -> bool:
    """Whether a file is included by posts, or is a template of them, and is none itself.

    So Docusaurus (`exclude` of its blog), Quarto, Jekyll, Hexo and Nuxt Content read a name that
    begins with `_`; Hugo and Zola write so what stands above the list of a section.
    """
    return name.startswith("_") and not name.startswith(_SECTION)


def _is_ignored(name: str, path: str, ignores: tuple[tuple[str, Rules], ...]) -> bool:
    """Whether the author leaves it out; `ignores` are those that apply, outermost first."""
    if name.startswith(".") or name == "node_modules":
        return True
    decisions = (decide(rules, path[len(prefix) :]) for prefix, rules in reversed(ignores))
    return next((decision for decision in decisions if decision is not None), False)


def _check_file(root: Path, entry: os.DirEntry[str], source: str) -> SourceFile | Skipped:
    try:
        path, target = Path(entry.path), ""
        if entry.is_symlink():
            path = path.resolve(strict=True)
            if not path.is_relative_to(root):
                return Skipped(source, LEAVES)
            target = path.relative_to(root).as_posix()
        status = path.stat()
        if obstacle := _find_obstacle(status):
            return Skipped(source, obstacle)
        if not os.access(path, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, RuntimeError) as error:
        return Skipped(source, _describe_failure(error))
    return SourceFile(source, str(path), status.st_size, status.st_mtime_ns, target)
