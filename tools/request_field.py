"""Fit the conditional random field that takes requests for posts apart.

The likelihood of a query's cuts is the exponential of their score (`index.analysis.request`), over
the sum of this for all possible cuts. Running sums of logarithms give that sum, and how likely each
single cut is. The penalty is L1, so that most weights are 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from blog_search_mcp.index.analysis.request import CUT_WINDOWS, WORD_WINDOWS, name_features

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

LEAST_PLACES = 3
"""Places that a feature must have."""

PENALTY = 0.35
"""L1 penalty of a weight, in log likelihoods of one query. At .25 there are half as many weights
again, and up to .05 more sentences are cut right; at .5 as many."""

STEPS = 120
"""Of the optimizer, which has not converged: 250 cut no more sentences right."""

IMPOSSIBLE = -1e9
"""Score of a cut where no word is."""

Cuts: TypeAlias = tuple[int, int]
"""As `find_cuts` returns."""

Windows: TypeAlias = Sequence[tuple[int, ...]]
"""As `name_features` takes."""


@dataclass(frozen=True, slots=True)
class Example:
    """A query, with where it is to be cut."""

    words: Sequence[str]
    cuts: Cuts
    weight: float


def fit_weights(examples: Sequence[Example]) -> dict[str, dict[str, float]]:
    """Fit the weights by feature of each part, those that are not 0."""
    field = RequestField(examples)
    size = field.size
    penalty = PENALTY / sum(example.weight for example in examples)

    def loss(split: Numbers) -> tuple[float, Numbers]:
        """L1 by two weights of at least 0 for each, of which one is subtracted."""
        value, slope = field.loss(split[:size] - split[size:])
        return value + penalty * float(split.sum()), np.concatenate([slope, -slope]) + penalty

    found = minimize(
        loss,
        np.zeros(2 * size),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * (2 * size),
        options={"maxiter": STEPS},
    )
    rounded = np.round(found.x[:size] - found.x[size:], 2)
    return field.name_weights(rounded)


class RequestField:
    """The conditional random field over the examples, for the optimizer.

    Arrays have a row for each example and a column for each word, or each cut in front of a word
    and behind the last one.
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        self.counts = np.array([len(each.words) for each in examples])
        self.rows, self.columns = len(examples), int(self.counts.max())
        self.share = np.array([[each.weight] for each in examples])
        self.share /= self.share.sum()
        self.first, self.last = np.array([each.cuts for each in examples]).T
        places = np.arange(self.columns)[None]
        self.is_word = places < self.counts[:, None]
        self.is_opening = places < self.first[:, None]
        self.is_ending = (places >= self.last[:, None]) & self.is_word
        words = [each.words for each in examples]
        self.word_names, self.by_word = self._tabulate(words, WORD_WINDOWS, 0, self.columns)
        self.cut_names, self.by_cut = self._tabulate(words, CUT_WINDOWS, 1, self.columns + 1)
        self.size = 2 * (len(self.word_names) + len(self.cut_names))

    def _tabulate(
        self, texts: Sequence[Sequence[str]], windows: Windows, first: int, columns: int
    ) -> tuple[list[str], csr_matrix]:
        """Which features each place has from the `first` on, of those that are frequent enough."""
        found = [
            (row * columns + place, name)
            for row, words in enumerate(texts)
            for place in range(first, len(words))
            for name in name_features(words, place, windows)
        ]
        counts = Counter(name for _, name in found)
        names = sorted(name for name, count in counts.items() if count >= LEAST_PLACES)
        numbers = {name: number for number, name in enumerate(names)}
        kept = [(place, numbers[name]) for place, name in found if name in numbers]
        shape = (self.rows * columns, len(names))
        return names, csr_matrix((np.ones(len(kept)), tuple(zip(*kept, strict=True))), shape)

    def _split(self, values: Numbers) -> list[Numbers]:
        words, cuts = len(self.word_names), len(self.cut_names)
        return np.split(values, [words, 2 * words, 2 * words + cuts])

    def name_weights(self, values: Numbers) -> dict[str, dict[str, float]]:
        """The weights that are not 0, by the fields of RequestModel."""
        parts = zip(
            ("in_opening", "in_ending", "after_opening", "before_ending"),
            (self.word_names, self.word_names, self.cut_names, self.cut_names),
            self._split(values),
            strict=True,
        )
        return {
            part: {name: float(weight) for name, weight in zip(names, own, strict=True) if weight}
            for part, names, own in parts
        }

    def loss(self, values: Numbers) -> tuple[float, Numbers]:
        """The mean negative log likelihood of the right cuts, and its gradient."""
        in_opening, in_ending, after_opening, before_ending = self._split(values)
        shape, rows = (self.rows, self.columns), np.arange(self.rows)
        nothing = np.zeros((self.rows, 1))
        opening = (self.by_word @ in_opening).reshape(shape) * self.is_word
        ending = (self.by_word @ in_ending).reshape(shape) * self.is_word
        starting = (self.by_cut @ after_opening).reshape(self.rows, -1)[:, :-1]
        stopping = (self.by_cut @ before_ending).reshape(self.rows, -1)[:, 1:]
        before = np.hstack([nothing, opening.cumsum(axis=1)[:, :-1]])
        behind = np.hstack([ending[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:], nothing])
        starts = np.where(self.is_word, before + starting, IMPOSSIBLE)
        ends = np.where(self.is_word, behind + stopping, IMPOSSIBLE)
        either = np.logaddexp.accumulate(starts, axis=1) + ends
        total = np.logaddexp.reduce(either, axis=1)[:, None]
        later = np.logaddexp.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
        start_odds, end_odds = np.exp(starts + later - total), np.exp(either - total)
        right = starts[rows, self.first] + ends[rows, self.last - 1]
        value = float((self.share[:, 0] * (total[:, 0] - right)).sum())
        is_opening = (1.0 - start_odds.cumsum(axis=1)) * self.is_word
        is_ending = np.hstack([nothing, end_odds.cumsum(axis=1)[:, :-1]]) * self.is_word
        cut_first, cut_last = np.hstack([start_odds, nothing]), np.hstack([nothing, end_odds])
        cut_first[rows, self.first] -= 1.0
        cut_last[rows, self.last] -= 1.0
        slopes = (
            self.by_word.T @ ((is_opening - self.is_opening) * self.share).ravel(),
            self.by_word.T @ ((is_ending - self.is_ending) * self.share).ravel(),
            self.by_cut.T @ (cut_first * self.share).ravel(),
            self.by_cut.T @ (cut_last * self.share).ravel(),
        )
        return value, np.concatenate(slopes)
