"""What became of the files of one ingest: outcomes in, one after the other, sums out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from index.errors import ContentError
from index.seen import Seen, SeenFile, content_path
from ingest.scan import SUFFIXES

if TYPE_CHECKING:
    from index.content_folder import Skipped
    from index.manifest import Manifest
    from ingest.job import Job
    from ingest.look import Look
    from ingest.outcome import Outcome


class Tally:
    """Counts as it goes."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._before = look.base.posts if look.base else {}
        self._due = dict(look.scan.untouched)
        self._skipped = list(look.scan.skipped)
        self.problems: list[str] = []
        self.removed: list[str] = list(look.gone)
        """Sources to take out that do not come in again."""
        self.added = 0
        self.changed = 0
        self.kept = len(look.scan.untouched)
        """Posts that stay as they were."""

    def count(self, outcome: Outcome) -> None:
        """Count what became of one more file."""
        source = outcome.source
        self._due[source] = outcome.due
        self.problems += outcome.problems
        if outcome.skipped is not None:
            self._skipped.append(outcome.skipped)
            self.removed += [source] if source in self._before else []
        elif outcome.new is None:
            self.kept += 1
        elif source in self._before:
            self.changed += 1
        else:
            self.added += 1

    def is_change(self, outcome: Outcome) -> bool:
        """Whether a file asks for something to be written."""
        return outcome.new is not None or (
            outcome.skipped is not None and outcome.source in self._before
        )

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What is left out, by source."""
        return tuple(sorted(self._skipped, key=lambda skip: skip.source))

    def refuse_none(self, job: Job) -> None:
        """Raise ContentError if no post would be left."""
        if not (self.kept or self.added or self.changed):
            raise ContentError(
                f"No post to index below {job.content} ({len(self._skipped)} files left out). "
                "Give the folder that holds the posts."
            )

    def seen(self, job: Job, manifest: Manifest) -> Seen:
        """What a server needs to tell later that the index is behind, and to renew it."""
        due = {} if job.include_drafts else self._due
        files = {
            source: SeenFile(size=file.size, mtime_ns=file.mtime_ns, due=due.get(source))
            for source, file in self._look.files.items()
        }
        return Seen(
            generation=manifest.generation,
            created=manifest.created,
            content=content_path(job.content),
            suffixes=SUFFIXES,
            files=files,
            asked=job.asked,
        )
