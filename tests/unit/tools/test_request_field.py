"""The fit of how requests for posts are cut; it needs scipy, which only the fit installs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

pytest.importorskip("scipy", reason="scipy is not installed: pip install --group fit")

from blog_search_mcp.index.analysis.request import RequestModel, find_cuts
from tools.request_field import Example, RequestField, fit_weights

SUBJECTS = ["kv cache", "red fox", "blue whale", "old tin", "wet sand", "dry ice"]


def make_examples() -> list[Example]:
    requests = [
        example
        for subject in SUBJECTS
        for example in (
            Example(f"posts about {subject}".split(), (2, 4), 9.0),
            Example(f"did we write {subject} yet".split(), (3, 5), 9.0),
        )
    ]
    return [*requests, *(Example(subject.split(), (0, 2), 9.0) for subject in SUBJECTS)]


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    field = RequestField(make_examples())
    values = np.sin(np.arange(field.size, dtype=np.float64))
    _, slope = field.loss(values)
    step = 1e-6
    for place in range(0, field.size, 3):
        ahead, behind = values.copy(), values.copy()
        ahead[place] += step
        behind[place] -= step
        expected = (field.loss(ahead)[0] - field.loss(behind)[0]) / (2 * step)
        assert slope[place] == pytest.approx(expected, abs=1e-7)


def test_without_weights_each_cut_is_as_likely_as_another() -> None:
    examples = make_examples()
    field = RequestField(examples)
    cuts = [len(list(combinations(range(len(each.words) + 1), 2))) for each in examples]
    assert field.loss(np.zeros(field.size))[0] == pytest.approx(np.log(cuts).mean())


def test_a_sentence_that_was_fitted_is_cut_about_another_subject() -> None:
    words = frozenset(["posts", "about", "did", "we", "write", "yet"])
    masked = [
        Example([word if word in words else "?" for word in each.words], each.cuts, each.weight)
        for each in make_examples()
    ]
    model = RequestModel(
        command="", commit="", fitted_on=(), words=words, least_odds=0.0, **fit_weights(masked)
    )
    assert find_cuts(["posts", "about", "green", "tea", "leaves"], model) == (2, 5)
    assert find_cuts(["did", "we", "write", "haiku", "poems", "yet"], model) == (3, 5)
    assert find_cuts(["green", "tea"], model) == (0, 2)
