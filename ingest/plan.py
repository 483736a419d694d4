"""Plan an ingest: walk the content folder and compare it with the live generation.

A file whose size and times are those at which an ingest read it is not opened. Whether another one
really changed is decided by its digest when it is read (`ingest.prepare`).
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
from blog_search_mcp.ingest.posts.cascades import Cascade, cascades_of
from blog_search_mcp.ingest.posts.walk import NOT_PUBLISHED, Skipped, SourceFile, walk
from blog_search_mcp.ingest.sections import read_cascades
from blog_search_mcp.ingest.sites.site import Site, find_site
from blog_search_mcp.ingest.workers import WorkerPool


@dataclass(frozen=True, slots=True)
class Job:
    """The settings of one ingest, made at the command line and passed whole."""

    content: Path
    index: Location
    choose: Callable[[EmbedderIdentity | None, CountLanguages], Choice]
    """Choose the embedder, given that of the existing index, `None` without one, and what counts
    the folder's posts by language."""
    now: datetime
    """The instant at which posts are public or not, with a zone."""
    options: IngestOptions = field(default_factory=IngestOptions)
    rebuild: bool = False
    embeds: bool = True
    """Whether posts get vectors; without them they are found by words alone."""
    on_searchable: Callable[[], object] = lambda: None
    """Called once where posts can be searched by words and their vectors take longer."""
    processes: int | None = None
    """Upper limit of processes that read posts; `None` for one a processor, at most four."""


IN_CLOUD = "it is not on this machine, since its cloud keeps it; download it"

CHUNKING = 4
"""Raise it when the same post would be split into other chunks (`ingest.posts.chunks`)."""

READING = 25
"""Raise it when the same file would give other metadata or another plain text."""


@dataclass(frozen=True, slots=True)
class FileToRead:
    """A file that must be opened, and its entry in the live generation, if any."""

    file: SourceFile
    before: IndexedPost | None
    cascades: tuple[Cascade, ...] = ()
    """What the sections that it lies in pass down to it, the nearest first."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What one ingest has to do."""

    live: int
    """Number of the live generation, 0 if there is none."""
    base: Manifest | None
    """The generation to start from; `None` if the index is made anew."""
    build: BuildFingerprint
    site: Site
    choice: Choice
    created: str
    """When the folder was walked: UTC, ISO 8601 to the second."""
    files: Mapping[str, SourceFile]
    """Every file by source."""
    to_read: tuple[FileToRead, ...]
    unchanged: Mapping[str, str | None]
    """Posts that stay as they are, each with the instant from which it is expired."""
    skipped: tuple[Skipped, ...]
    cascades: tuple[Cascade, ...] = ()
    """What all sections pass down."""
    others: Mapping[str, int] = field(default_factory=dict)
    """Number of texts that are not read, by the ending of their names."""

    @property
    def removed(self) -> tuple[str, ...]:
        """Sources in the index whose files are gone."""
        return tuple(sorted(self.base.posts.keys() - self.files.keys())) if self.base else ()


def make_plan(
    job: Job, live: Manifest | None, embedder: EmbedderIdentity | None, workers: WorkerPool
) -> Plan:
    """Compare the folder with `live`, the live generation. Raises ContentError or UsageError."""
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
        "site": site.digest,  # with the base URL and the permalink of the options
    }
    base = live if live and live.build == build else None
    last = read_last_ingest(open_store(job.index), base.generation) if base else None
    if last is not None and last.created > created:
        last = None  # a clock that was ahead may have published a post of the future
    cascades = read_cascades(job.content, walked.sections, site.generator)
    to_read, unchanged, skipped = [], {}, list(walked.skipped)
    for file in walked.files:
        before = base.posts.get(file.source) if base else None
        read = FileToRead(file, before, cascades_of(cascades, file.source))
        if not site.publishes(file.source):
            skipped.append(Skipped(file.source, NOT_PUBLISHED))
        elif before is not None and _is_unchanged(last, read, job.now):
            unchanged[file.source] = before.expires
        elif file.is_away:
            skipped.append(Skipped(file.source, IN_CLOUD))
        else:
            to_read.append(read)
    return Plan(
        live=live.generation if live else 0,
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
        others=Counter(PurePath(file).suffix for file in walked.others if _is_text(site, file)),
    )


def _is_text(site: Site, source: str) -> bool:
    """Whether the site would make a page of a file if it could read it, and not a part of pages."""
    parts = PurePath(source).parts
    is_part = any(part[0] == "_" and part != "_posts" for part in parts)
    return not is_part and site.publishes(str(PurePath(source).with_suffix(".md").as_posix()))


MAX_SAMPLE = 100
"""Of a blog with a fiftieth of its posts in another language, one sample in thirty thousand shows a
tenth."""
SAMPLED_BYTES = 3_000
"""Bytes of a post that are read for its language."""


def sample_languages(files: Iterable[SourceFile], workers: WorkerPool, site: Site) -> Counter[str]:
    """Count posts by language (`en`, `zh-tw`), by their authors' word or else by their text.

    Those that show none count as `""`. The sample is by a hash of the source, since neighbours are
    often translations of each other. A file that cannot be read is passed over, whatever it raises:
    what is wrong with it is said when it is read for the index.
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
        return tag or find_language(document)


def _pass_over(_file: SourceFile, _reason: str) -> None: ...


def _is_unchanged(last: LastIngest | None, read: FileToRead, now: datetime) -> bool:
    """Whether reading a file again would give what the index has of it, by the last ingest."""
    file, expires = read.file, read.before.expires if read.before else None
    state = last.files.get(file.source) if last else None
    if last is None or state is None or not (state.settled or file.is_away) or file.copy_of:
        return False
    before = state.size, state.mtime_ns, state.ctime_ns
    is_same = file.is_away or before == (file.size, file.mtime_ns, file.ctime_ns)
    is_expired = expires is not None and datetime.fromisoformat(expires) <= now
    return is_same and not is_expired and cascades_of(last.cascades, file.source) == read.cascades
