"""Docstrings behind constants and fields name the thing first."""

import ast
import re
from itertools import pairwise

from tests.support.paths import ROOT

FRAGMENT = re.compile(r"(Of|By|With|In|What|Which|Whose|Where|The same|From|Than|As|On|At|For)\s")


def test_docstrings_behind_constants_and_fields_begin_with_what_they_describe() -> None:
    rooms = [ROOT / name for name in ("index", "ingest", "server")]
    files = [file for room in rooms for file in room.rglob("*.py")]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))]
    bodies = [getattr(node, "body", None) for node in nodes]
    behind = [
        ast.literal_eval(after.value)
        for body in bodies
        if isinstance(body, list)
        for before, after in pairwise(body)
        if isinstance(before, ast.Assign | ast.AnnAssign) and isinstance(after, ast.Expr)
        if isinstance(after.value, ast.Constant)
    ]
    assert behind
    assert [text for text in behind if FRAGMENT.match(text)] == []
