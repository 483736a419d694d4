"""Faults of an Ollama once there is an index: at the next ingest, and while it is asked."""

from __future__ import annotations

from dataclasses import replace

from tests.reliability.ollama_at_ingest import ELSEWHERE, PAGE, TO
from tests.support.faults.ollama_scripts import Case, always, at_route, first, on, with_state
from tests.support.faults.ollama_stage import MODEL, Stage
from tests.support.ollama.faults import (
    ENDED,
    alters,
    becomes,
    breaks_off,
    busy,
    closes,
    compressed,
    crashes,
    fails,
    hangs,
    is_too_large,
    nested,
    redirects,
    replies,
    stalls,
    yields_nan,
    zeroes,
)

OTHER = replace(MODEL, digest="f" * 64)
SMALL = replace(MODEL, dimension=32)
WORDS_ONLY = "Keyword matches only, without search by meaning: "

AT_THE_NEXT_INGEST = (
    Case("update between two ingests", "another version", with_state(version="0.33.1")),
    Case(
        "update that loses capitals",
        "another version, whose canaries differ",
        with_state(version="0.33.1", reads_capitals=False),
        r"built with Ollama 0\.32\.15, and Ollama 0\.33\.1 gives other vectors",
        needs_rebuild=True,
    ),
    Case(
        "model pulled anew between two ingests",
        "another digest",
        with_state(models=[OTHER]),
        "built with other weights of Ollama's nomic-embed-text",
        needs_rebuild=True,
    ),
    Case(
        "model of another dimension",
        "32 numbers instead of 64",
        with_state(models=[SMALL]),
        "built with other weights",
        needs_rebuild=True,
    ),
    Case("down at the next ingest", "nothing listens", Stage.stop, "cannot be reached"),
    Case("model deleted between two ingests", "404", with_state(models=[]), "Run `ollama pull"),
    Case(
        "an older version between two ingests",
        "0.20.0, which misreads capitals",
        with_state(version="0.20.0", reads_capitals=False),
        "gives other vectors",
    ),
)
"""The index stays what it was, or becomes what it should be; nothing in between."""

AT_A_QUERY = (
    Case("busy while asked", "503 once", first(busy)),
    Case("runner dead while idle", "400 EOF once", first(crashes)),
    Case("NaN for a query", "zeros once", first(yields_nan)),
    Case("restart while asked", "closed before the headers, once", first(closes)),
    Case(
        "update while serving",
        "another version, the same vectors",
        first(becomes(version="0.33.1")),
    ),
    Case("down while serving", "nothing listens", Stage.stop, WORDS_ONLY + ".* cannot be reached"),
    Case("busy for good while asked", "503 always", always(busy), WORDS_ONLY + ".* is busy"),
    Case("runner dies at each query", "400 EOF always", always(crashes), WORDS_ONLY + ".*failed"),
    Case("no answer to a query", "hangs", always(hangs), WORDS_ONLY + ".*not answer in time"),
    Case(
        "half an answer to a query", "stalls", always(stalls), WORDS_ONLY + ".*not answer in time"
    ),
    Case("answers cut", "closed in each body", always(breaks_off), WORDS_ONLY + ".*failed"),
    Case("zeros for each query", "200", always(alters(zeroes)), WORDS_ONLY + ".*a vector of zeros"),
    Case(
        "NaN, before 0.30, for each query",
        "500",
        on("cider", fails(500, "NaN")),
        WORDS_ONLY + ".*failed",
    ),
    Case(
        "short vectors for each query",
        "32 numbers",
        always(alters(lambda r: [r[0][:32]])),
        WORDS_ONLY + ".*32 numbers instead of 64",
    ),
    Case(
        "two vectors for a query",
        "a row too many",
        always(alters(lambda r: r * 2)),
        WORDS_ONLY + ".*2 vectors for 1 texts",
    ),
    Case("a proxy's page for a query", "502 always", always(replies(502, PAGE)), WORDS_ONLY),
    Case("access lost while serving", "403, empty", always(replies(403, "")), WORDS_ONLY),
    Case(
        "no answer to the look after a query",
        "hangs at /api/version",
        at_route("/api/version", hangs),
        WORDS_ONLY + ".*not answer in time",
    ),
    Case("a redirect of a query", "307", always(redirects(307, ELSEWHERE)), WORDS_ONLY + ".*" + TO),
    Case(
        "a redirect of the look before a query",
        "308 at /api/tags",
        at_route("/api/tags", redirects(308, ELSEWHERE)),
        WORDS_ONLY + ".*" + TO,
    ),
    *[
        Case(
            f"{what} {where}",
            "200",
            always(fault) if where == "for a query" else at_route("/api/tags", fault),
            f"{WORDS_ONLY}.*{seen}",
        )
        for where in ("for a query", "for the look before a query")
        for what, fault, seen in (
            ("a compressed bomb", compressed, "with a compressed body"),
            ("an answer without end", is_too_large, ENDED),
            ("lists in lists", nested, "something unexpected"),
        )
    ],
    Case("model deleted while serving", "404", with_state(models=[]), WORDS_ONLY + ".*ollama pull"),
    Case(
        "model pulled anew while serving",
        "another digest",
        with_state(models=[OTHER]),
        WORDS_ONLY + ".*other weights.*--rebuild",
    ),
    Case(
        "update while serving that loses capitals",
        "another version and other vectors",
        with_state(version="0.33.1", reads_capitals=False),
        WORDS_ONLY + ".*other vectors.*--rebuild",
    ),
)
"""The reader gets an answer by words at least, with a notice, and the next answer whole."""
