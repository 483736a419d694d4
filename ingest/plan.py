"""Plan an ingest: compare the content folder with the index's live generation.

A file with the size and times of the last ingest is rarely opened (`_is_unchanged` has the
exceptions). The digests of the files that are read show whether they changed (`ingest.prepare`).
"""

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePath

from blog_search_mcp.index.embedders.registry import Choice, CountLanguages
from blog_search_mcp.index.errors import refuse_post
from blog_search_mcp.index.store.manifest import BuildFingerprint, IndexedPost, Manifest
from blog_search_mcp.index.stores import Location, open_store
from blog_search_mcp.index.types import ANALYSIS, EmbedderIdentity
from blog_search_mcp.ingest.foreign_files import read_file
from blog_search_mcp.ingest.last_ingest import IngestOptions, LastIngest, read_last_ingest
from blog_search_mcp.ingest.posts.cascades import Cascade, find_cascades
from blog_search_mcp.ingest.posts.walk import NOT_PUBLISHED, Skipped, SourceFile, walk
from blog_search_mcp.ingest.sections import read_cascades
from blog_search_mcp.ingest.sites.site import Site, find_site
from blog_search_mcp.ingest.workers import WorkerPool


@dataclass(frozen=True, slots=True)
class Job:
    """Settings of one ingest."""

    content: Path
    index: Location
    choose: Callable[[EmbedderIdentity | None, CountLanguages], Choice]
    """Function that chooses the embedder. Its arguments are the current embedder's identity (`None`
    without an index) and a function that counts posts by language."""
    now: datetime
    """Zoned time; posts that are not public at this time are skipped."""
    options: IngestOptions = field(default_factory=IngestOptions)
    rebuild: bool = False
    embeds: bool = True
    """Whether posts get vectors; without vectors there is only keyword search."""
    on_searchable: Callable[[], object] = lambda: None
    """Function called at most once: when keyword search works and vectors are still missing."""
    processes: int | None = None
    """Maximum processes that read posts; `None` for one per processor, at most four."""


IN_CLOUD = "it is not on this machine, since its cloud keeps it; download it"
CHUNKING = 4
"""Version of chunking (`ingest.posts.chunks`). Raise it if an unchanged post gets other chunks."""
READING = 31
"""Version of parsing. Raise it if an unchanged file gets other metadata or another plain text."""


@dataclass(frozen=True, slots=True)
class FileToRead:
    """File of the walk, with its entry in the plan's `base`, if any."""

    file: SourceFile
    before: IndexedPost | None
    cascades: tuple[Cascade, ...] = ()
    """Fields that sections pass down to it, the nearest section first."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Work of one ingest."""

    live_number: int
    """Number of the live generation; 0 without one, for a rebuild, or if its format is outdated."""
    base: Manifest | None
    """Manifest of the generation to start from; `None` to build the index anew."""
    build: BuildFingerprint
    site: Site
    choice: Choice
    created: str
    """Time of the walk through the folder: UTC, ISO 8601 to the second."""
    files: Mapping[str, SourceFile]
    """Every file of the walk, by source; files that the walk left out are in `skipped` only."""
    to_read: tuple[FileToRead, ...]
    unchanged: Mapping[str, str | None]
    """Expiry of each post that stays as it is (`None` if it never expires), by source."""
    skipped: tuple[Skipped, ...]
    cascades: tuple[Cascade, ...] = ()
    """Fields that the folder's sections pass down."""
    others: Mapping[str, int] = field(default_factory=dict)
    """Number of text files, by suffix, that would be pages of the site if they were Markdown."""

    @property
    def removed(self) -> tuple[str, ...]:
        """Sources in the index whose files are gone."""
        return tuple(sorted(self.base.posts.keys() - self.files.keys())) if self.base else ()


def make_plan(
    job: Job, live: Manifest | None, embedder: EmbedderIdentity | None, workers: WorkerPool
) -> Plan:
    """Compare the folder with the `live` generation. Raises ContentError or UsageError."""
    created = datetime.now(UTC).isoformat(timespec="seconds")
    walked = walk(job.content)
    site = find_site(job.content, job.options.base_url, job.options.permalink)
    site = site.with_sources(file.source for file in walked.files)
    published = [f for f in walked.files if site.publishes(f.source) and not f.is_away]
    choice = job.choose(embedder, partial(sample_languages, published, workers, site))
    build: BuildFingerprint = {
        "analysis": ANALYSIS,
        "chunking": CHUNKING,
        "reading": READING,
        "include_drafts": job.options.include_drafts,
        "site": site.digest,  # covers the base URL and the permalink of the options
    }
    base = live if live and live.build == build else None
    last = read_last_ingest(open_store(job.index), base.generation) if base else None
    if last is not None and last.created > created:
        last = None  # with its clock ahead, that ingest may have published a future post
    cascades = read_cascades(job.content, walked, site.generator, job.now)
    to_read, unchanged, skipped = [], {}, list(walked.skipped)
    for file in walked.files:
        before = base.posts.get(file.source) if base else None
        read = FileToRead(file, before, find_cascades(cascades, file.source))
        if not site.publishes(file.source):
            skipped.append(Skipped(file.source, NOT_PUBLISHED))
        elif before is not None and _is_unchanged(last, read, job.now):
            unchanged[file.source] = before.expires
        elif file.is_away:
            skipped.append(Skipped(file.source, IN_CLOUD))
        else:
            to_read.append(read)
    return Plan(
        live_number=live.generation if live else 0,
        base=base,
        build=build,
        site=site,
        choice=choice,
        created=created,
        files={file.source: file for file in walked.files},
        to_read=tuple(to_read),
        unchanged=unchanged,
        skipped=tuple(skipped),
        cascades=cascades,
        others=Counter(PurePath(file).suffix for file in walked.others if _publishes(site, file)),
    )


def _publishes(site: Site, source: str) -> bool:
    """Whether the file would be a page of the site if it were Markdown."""
    parts = PurePath(source).parts
    is_part = any(part[0] == "_" and part != "_posts" for part in parts)
    return not is_part and site.publishes(str(PurePath(source).with_suffix(".md").as_posix()))


MAX_SAMPLE = 100
"""Posts sampled. With 2 % of a blog in another language, 1 sample in 30,000 has 10 % or more."""
SAMPLED_BYTES = 3_000
"""Bytes read from the start of a post to find its language."""


def sample_languages(files: Iterable[SourceFile], workers: WorkerPool, site: Site) -> Counter[str]:
    """Count a sample of posts by language (`en`, `zh-tw`), as declared, else as detected.

    The key `""` counts posts of unknown language. Posts are sampled by a hash of the source, since
    neighbors are often translations of each other. Unreadable files are skipped, and reported when
    they are read for the index.
    """
    sample = sorted(files, key=lambda file: zlib.crc32(file.source.encode("utf-8", "replace")))
    find = partial(_find_language_of_file, site=site)
    languages = workers.map(find, sample[:MAX_SAMPLE], _pass_over)
    return Counter(language for language in languages if language is not None)


def _find_language_of_file(file: SourceFile, site: Site) -> str | None:
    from blog_search_mcp.ingest.posts.document import find_language, read_document

    with refuse_post("reading it"):
        document = read_document(read_file(file.content, file.source)[:SAMPLED_BYTES], file.source)
        tag = document.post.language or site.find_language(file.source)[0]
        return tag or find_language(document, site.language)


def _pass_over(_file: SourceFile, _reason: str) -> None: ...


def _is_unchanged(last: LastIngest | None, read: FileToRead, now: datetime) -> bool:
    """Whether a file need not be read: it and its cascades are as before, and it is not expired."""
    file, expires = read.file, read.before.expires if read.before else None
    state = last.files.get(file.source) if last else None
    if last is None or state is None or not (state.settled or file.is_away) or file.copy_of:
        return False
    before = state.size, state.mtime_ns, state.ctime_ns
    is_same = file.is_away or before == (file.size, file.mtime_ns, file.ctime_ns)
    is_expired = expires is not None and datetime.fromisoformat(expires) <= now
    return is_same and not is_expired and find_cascades(last.cascades, file.source) == read.cascades
