"""The calibration of a generation that was just written: its files in, its medians out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from index.calibration import calibrate, is_stale, sample
from index.errors import IndexBroken
from index.find import find_by_both
from index.legs import Legs, open_legs
from index.unwritable import unwritable

if TYPE_CHECKING:
    from index.confidence import Calibration
    from index.embedder.base import Embedder
    from index.layout import GenerationFiles
    from index.manifest import Manifest

SAMPLE_CHARACTERS = 100_000
"""Of the blog's text, by which its script is told."""


def calibrated(
    files: GenerationFiles, embedder: Embedder, base: Manifest | None, chunks: int
) -> Calibration | None:
    """The base's calibration while the blog is much the same, else a new one.

    `chunks` are those of the generation. Raises IndexProblem if what was just written cannot be
    opened, or EmbedderError.
    """
    known = base.calibration if base else None
    if known is not None and not is_stale(known, chunks):
        return known
    try:
        legs = open_legs(files, embedder)
    except IndexBroken as error:  # just written, and not as it was meant
        raise unwritable(error) from error
    try:
        return _new(legs)
    finally:
        legs.close()


def _new(legs: Legs) -> Calibration:
    titles = [post.title for post in legs.catalog.every_post().values()]
    asked = sample(legs.catalog.headings(), titles)
    blog = legs.catalog.sample(SAMPLE_CHARACTERS)
    return calibrate(asked, lambda text: find_by_both(legs, text), blog, legs.catalog.count())
