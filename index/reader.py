"""The read face of the index: one opened generation, and an index that follows its newest one.

A generation's files are closed with the last reference to its reader, so that a request which
began before a switch ends undisturbed, however many switches there are meanwhile.

An ingest never changes a file in place, but something else may, and a mapped file that was cut
short ends the process with SIGBUS when its lost end is read (mmap(2)), which no library can catch.
So sizes and times are compared again before each request, which leaves the instant between that
and the read, and the time of a request itself, without a guard.
"""

from __future__ import annotations

import logging
import re
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from blog_search_mcp.index.embedders.base import Embedder
from blog_search_mcp.index.errors import IndexBroken, IndexProblem, UnknownChunk
from blog_search_mcp.index.search.ranking import Use
from blog_search_mcp.index.search.search import search
from blog_search_mcp.index.search.snapshot import open_snapshot
from blog_search_mcp.index.store.checksums import is_unmodified, verify, verify_file
from blog_search_mcp.index.store.generations import (
    current_number,
    earlier_numbers,
    lock_generation,
    read_manifest,
)
from blog_search_mcp.index.store.layout import GenerationFiles, Layout
from blog_search_mcp.index.store.listing import Listing
from blog_search_mcp.index.store.manifest import REBUILD, Manifest
from blog_search_mcp.index.store.statistics import describe_backlog, read_overview
from blog_search_mcp.index.types import (
    Answer,
    Chunk,
    EmbedderIdentity,
    Filters,
    Outline,
    Passage,
)

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.store.catalog import Catalog

LARGE = 1 << 20
"""Bytes from which on a file that checks itself is not hashed: smaller ones take a millisecond."""

CHECKS_ITSELF = re.compile(r"texts\.db|vectors/.*\.npy")
"""Files whose rows have checksums that are compared when they are read."""

LATER = 5.0
"""Seconds until a file whose status changed is hashed, so that requests have the machine."""

Stamp: TypeAlias = tuple[int, int, int, int]
"""Of a file: inode, size, and when its content and its status changed last, in nanoseconds."""

log = logging.getLogger(__name__)


class IndexReader:
    """Searches and reads one generation; immutable, and safe for concurrent requests."""

    def __init__(
        self,
        files: GenerationFiles,
        manifest: Manifest,
        embedder: Embedder,
        on_close: Callable[[], None],
    ) -> None:
        """Verify and open the generation's files. Raises IndexBroken."""
        self.manifest = manifest
        self._guard = Guard(files, manifest)
        self._snapshot = open_snapshot(files, embedder)
        self._finalize = weakref.finalize(self._snapshot, _close, self._snapshot.catalog, on_close)
        if self._snapshot.vectors.dimension != manifest.embedder.dimension:
            self.close()
            raise IndexBroken(f"The index's vectors are not its embedder's. {REBUILD}")
        try:
            overview = read_overview(files)
        except (OSError, ValueError) as error:
            self.close()
            raise IndexBroken(f"The index cannot be opened. {REBUILD}") from error
        notice = describe_backlog(overview.posts, overview.waiting)
        self.overview = replace(overview, notice=notice)

    def close(self) -> None:
        """Close the files at once; no other call may follow."""
        self._finalize()

    def search(
        self, query: str, filters: Filters, *, limit: int, offset: int, use: Use = Use.HYBRID
    ) -> Answer:
        """Find the hits from `offset` on, `limit` at most, best first. Raises IndexBroken."""
        self._guard.check()
        calibration = self.manifest.calibration
        answer = search(
            self._snapshot, query, filters, calibration, limit=limit, offset=offset, use=use
        )
        notices = filter(None, (answer.notice, self.overview.notice))
        return replace(answer, notice=" ".join(notices) or None)

    def read(self, source: str, chunk_index: int, neighbors: int) -> Passage:
        """Read the page around a chunk, with `neighbors` chunks more on each side of it.

        Raises UnknownPost, UnknownChunk or IndexBroken.
        """
        self._guard.check()
        post_id, post = self._snapshot.catalog.require_post(source)
        chunks = [*self._snapshot.catalog.chunks_of(post_id).values()]
        if not 0 <= chunk_index < len(chunks):
            raise UnknownChunk(source, chunk_index, len(chunks))
        page = fill_page([len(chunk.text.encode()) for chunk in chunks], chunk_index)
        first = max(0, page.start - neighbors)
        shown = tuple(chunks[first : page.stop + neighbors])
        return Passage(
            post=post,
            chunks=shown,
            asked=chunk_index,
            count=len(chunks),
            heading_before=_other_heading(chunks[first::-1], shown[0]),
            heading_after=_other_heading(chunks[shown[-1].index :], shown[-1]),
            translations=self._snapshot.translations.others.get(post_id, ()),
        )

    def outline(self, source: str) -> Outline:
        """List a post's chunks without their text. Raises UnknownPost or IndexBroken."""
        post_id, post = self._snapshot.catalog.require_post(source)
        others = self._snapshot.translations.others.get(post_id, ())
        return Outline(post, self.listing().parts(post_id), others)

    def corpora(self) -> Mapping[str, Corpus]:
        """Return the generation for analyses of the whole blog, under `""`. Raises IndexBroken."""
        self._guard.check()
        return {"": self._corpus}

    @cached_property
    def _corpus(self) -> Corpus:
        from blog_search_mcp.index.relations.corpus import Corpus

        return Corpus(self._snapshot)

    def listing(self) -> Listing:
        """Return lists of what the generation holds. Raises IndexBroken."""
        self._guard.check()
        return Listing(self._snapshot.catalog, self)


class Guard:
    """Verifies the files of one generation when it is opened, and notices when one changes."""

    def __init__(self, files: GenerationFiles, manifest: Manifest) -> None:
        """Verify every file but large ones that check themselves. Raises IndexBroken."""
        self._files = files
        self._checksums = manifest.files
        self._paths = {name: files.folder / name for name in manifest.files}
        self._stamps = self._read_stamps()
        self._damage: IndexBroken | None = None
        as_read = [
            name
            for name, checksum in manifest.files.items()
            if checksum.size >= LARGE
            and CHECKS_ITSELF.fullmatch(name)
            and is_unmodified(self._paths[name], checksum)
        ]
        verify(files, manifest, as_read)

    def check(self) -> None:
        """Raise IndexBroken if a file is no longer what was opened.

        A file that is gone is none of the changed: a generation that is no longer kept stays
        readable for those who opened it. One that was only touched is verified again; one that
        was linked to, or whose time was set back, a little later.
        """
        if self._damage is not None:
            raise self._damage
        stamps = self._read_stamps()
        changed = [name for name, stamp in stamps.items() if self._stamps.get(name) != stamp]
        for name in changed:
            if self._stamps.get(name, ())[:3] != stamps[name][:3]:
                verify_file(self._files, name, self._checksums[name])
        self._stamps |= stamps
        self._verify_later(changed)

    def _verify_later(self, names: Sequence[str]) -> None:
        """Have these files hashed LATER in another thread."""
        if names:
            timer = threading.Timer(LATER, self._verify_in_background, [names])
            timer.daemon = True
            timer.start()

    def _verify_in_background(self, names: Sequence[str]) -> None:
        """Hash the files; one that is gone by now was needed by nobody."""
        try:
            for name in names:
                if self._paths[name].exists():
                    verify_file(self._files, name, self._checksums[name])
        except IndexBroken as error:
            log.warning("%s", error)
            self._damage = error

    def _read_stamps(self) -> dict[str, Stamp]:
        stamps = {}
        for name, path in self._paths.items():
            with suppress(OSError):
                stamps[name] = _read_stamp(path)
        return stamps


def _read_stamp(path: Path) -> Stamp:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _close(catalog: Catalog, on_close: Callable[[], None]) -> None:
    catalog.close()
    on_close()


PAGE = 5_000
"""Bytes of UTF-8 that a chunk is read with the chunks around it up to: about 1,000 tokens, twice a
chunk. Of questions whose post is known, on four English blogs and two Chinese ones, the best chunk
alone holds the evidence for .66 and .67, its page for .84 and .82 (4,000 bytes: .80 and .79; 6,000:
.88 and .86), at .48 and .48, .99 and 1.15 thousand tokens. Chunks of twice the size hold as much
but find posts worse (hit@1 by words of three blogs in four falls by .025 to .06)."""


def fill_page(sizes: Sequence[int], asked: int) -> range:
    """The chunks to read with the one at `asked`, given the sizes of all: what PAGE has room for.

    They are taken in turn from behind it and from before it, and from one side alone once the
    other has none that fits.
    """
    first = last = asked
    room = PAGE - sizes[asked]
    while True:
        after = last + 1 < len(sizes) and sizes[last + 1] <= room
        before = first > 0 and sizes[first - 1] <= room
        if after and (not before or last - asked <= asked - first):
            last += 1
            room -= sizes[last]
        elif before:
            first -= 1
            room -= sizes[first]
        else:
            return range(first, last + 1)


def _other_heading(chunks: list[Chunk], than: Chunk) -> str | None:
    """The innermost heading of the first chunk that stands under another one."""
    for chunk in chunks:
        if chunk.headings and chunk.headings != than.headings:
            return chunk.headings[-1]
    return None


class Index:
    """Follows the generations of one index folder; safe for concurrent use."""

    def __init__(self, folder: Path, embedder_for: Callable[[EmbedderIdentity], Embedder]) -> None:
        """Take the folder, which need not exist; `embedder_for` makes the embedder of an index."""
        self._layout = Layout(folder)
        self._embedder_for = embedder_for
        self._opening = threading.Lock()
        self._opened: tuple[Stamp | None, IndexReader] | None = None
        self._embedder: Embedder | None = None
        self.notice: str | None = None
        """Why `reader` returns an older generation than the current one, if it does."""

    def reader(self) -> IndexReader:
        """Return the current generation, opened; if it cannot be, one before it.

        That is the one that is open, or else the newest that is whole. Raises IndexMissing,
        IndexBroken or IndexFormatUnknown if there is none.
        """
        try:
            reader = self._newest()
        except IndexProblem as error:
            earlier = self._open_earlier()
            if earlier is None:
                raise
            self.notice = (
                f"This is from the index of {earlier.manifest.created}, "
                f"since the newest cannot be used. {error.for_clients}"
            )
            return earlier
        self.notice = None
        return reader

    def close(self) -> None:
        """Drop the open generation; a later call opens the current one."""
        with self._opening:
            self._opened = None

    def _newest(self) -> IndexReader:
        """Open the current generation, unless CURRENT is the file that led to the open one."""
        stamp: Stamp | None = None
        with suppress(OSError):
            stamp = _read_stamp(self._layout.current)
        reader = self._opened_for(stamp)
        if reader is None:
            with self._opening:
                reader = self._opened_for(stamp) or self._open_newest()
                self._opened = stamp, reader
        return reader

    def _opened_for(self, stamp: Stamp | None) -> IndexReader | None:
        opened = self._opened
        return opened[1] if opened and stamp and opened[0] == stamp else None

    def _open_newest(self) -> IndexReader:
        """Open the generation that CURRENT names before and after it is opened.

        One that is no longer named afterwards may have been deleted before it was locked.
        """
        while True:
            number = current_number(self._layout)
            try:
                reader = self._open(number)
            except IndexProblem:
                if current_number(self._layout) == number:
                    raise
            else:
                if current_number(self._layout) == number:
                    return reader

    def _open_earlier(self) -> IndexReader | None:
        with self._opening:
            if self._opened is not None:
                return self._opened[1]
            with suppress(IndexProblem, OSError):
                for number in earlier_numbers(self._layout):
                    with suppress(IndexProblem):
                        self._opened = None, self._open(number)
                        return self._opened[1]
            return None

    def _open(self, number: int) -> IndexReader:
        with ExitStack() as failed:
            unlock = lock_generation(self._layout, number)
            failed.callback(unlock)
            files = self._layout.generation(number)
            manifest = read_manifest(self._layout, number)
            if self._embedder is None or self._embedder.identity != manifest.embedder:
                self._embedder = self._embedder_for(manifest.embedder)
            reader = IndexReader(files, manifest, self._embedder, unlock)
            failed.pop_all()
            return reader
