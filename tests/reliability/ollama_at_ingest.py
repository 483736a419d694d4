"""Faults of an Ollama while a new blog is ingested: most pass unseen, the others say what to do."""

from __future__ import annotations

from dataclasses import replace

from tests.support.faults.ollama_scripts import (
    Case,
    always,
    at_route,
    goes_down,
    in_second_batch,
    in_version,
    on,
    once,
    once_described,
    restarts,
    with_state,
    wrong_in_batches,
)
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
    exchanged,
    fails,
    hangs,
    is_too_large,
    nested,
    redirects,
    replies,
    reversed_rows,
    stalls,
    yields_nan,
    zeroes,
)

ELSEWHERE = "http://127.0.0.1:9/api/embed"
ROUTES = ("/api/tags", "/api/version", "/api/show")
TO = r"redirects to http://127\.0\.0\.1:9, where no text is sent"
PAGE = "<html><h1>Please log in</h1></html>"
EOF_WHILE_TOKENIZING = 'Post "http://127.0.0.1:36715/tokenize": EOF'
OTHER = replace(MODEL, digest="f" * 64)
NAMED = r"clocks.md, lines 1 to \d+.*: found by words alone, since a part of it has no vector"

PASSING = (
    Case("Ollama is busy", "503 once", once(busy)),
    Case("Ollama is busy for a while", "503 six times", once(*[busy] * 6)),
    Case("runner killed", "400 EOF once", once(crashes)),
    Case("runner killed while tokenizing", "400 EOF", once(fails(400, EOF_WHILE_TOKENIZING))),
    Case("runner killed, before 0.13.3", "500 EOF", in_version("0.12.5", once(crashes))),
    Case("connection to the runner lost", "400 reset", once(fails(400, "read: connection reset"))),
    Case("a proxy's bad gateway", "502 with HTML once", once(replies(502, PAGE))),
    Case("a proxy's time-out", "504 with HTML once", once(replies(504, PAGE))),
    Case("connection closed", "closed before the headers, once", once(closes)),
    Case("body cut", "closed in the middle of the body, once", once(breaks_off)),
    Case("JSON cut", "200 with half a JSON, once", once(replies(200, '{"embeddings": [[0.1'))),
    Case("no answer", "nothing before the headers, once", once(hangs)),
    Case("an answer that stops", "nothing after 100 bytes, once", once(stalls)),
    Case("NaN, since 0.30", "200 with a vector of zeros, once", once(yields_nan)),
    Case("NaN, before 0.30", "500, once", in_version("0.12.10", once(yields_nan))),
    Case("a vector missing", "one row less, once", once(alters(lambda rows: rows[1:]))),
    Case("short vectors", "32 numbers, once", once(alters(lambda r: [row[:32] for row in r]))),
    Case(
        "long vectors", "of length 2, once", once(alters(lambda r: [[2 * x for x in w] for w in r]))
    ),
    Case("no vectors", "[null], once", once(alters(lambda rows: [None] * len(rows)))),
    Case("an error as an answer", "200 with an error, once", once(replies(200, {"error": "odd"}))),
    Case("a welcome page", "200 with HTML, once", once(replies(200, PAGE))),
    Case("restart", "port closed, and open again", restarts),
    Case(
        "one after the other",
        "503, EOF, closed, zeros",
        once(busy, crashes, closes, alters(zeroes)),
    ),
    Case("lists in lists for /api/version", "200", at_route("/api/version", nested)),
    Case("no version told", "404 at /api/version", with_state(version=None)),
    Case("update in mid-run", "another version, the same vectors", once(becomes(version="0.33.1"))),
)
"""Nobody sees these, and nothing is lost."""

OF_A_TEXT = (
    Case("one text kills the runner", "400 EOF for it", on("poison", crashes), NAMED, 1),
    Case("one text gives NaN, since 0.30", "zeros for it", on("poison", yields_nan), NAMED, 1),
    Case(
        "one text gives NaN, before 0.30",
        "500 for it",
        on("poison", yields_nan, version="0.12.10"),
        NAMED,
        1,
    ),
    Case("one text is never answered", "hangs for it", on("poison", hangs), NAMED, 1),
    Case("two bad texts in a batch", "400 EOF for each", on("poison|scouts", crashes), NAMED, 2),
    Case(
        "a text longer than the context",
        "400 exceeds the context length",
        with_state(models=[replace(MODEL, context=40)]),
    ),
    Case(
        "the same before 0.13.3",
        "400 in the older words",
        with_state(models=[replace(MODEL, context=40)], version="0.12.10"),
    ),
    Case(
        "the same before 0.12.1",
        "400 in the oldest words",
        with_state(models=[replace(MODEL, context=40)], version="0.12.0"),
    ),
)
"""The run goes on; a passage that got no vector is named, and found by its words."""

OF_BATCHES = (
    Case(
        "shuffled",
        "rows in reverse",
        once_described(alters(reversed_rows)),
        "mixes up the vect",
    ),
    Case(
        "rows 1 and 3 exchanged",
        "in every batch",
        once_described(alters(exchanged(1, 3))),
        "texts go to it one by one",
    ),
    Case(
        "other vectors in a batch than alone",
        "every row of a batch turned round",
        once_described(alters(wrong_in_batches)),
        "texts go to it one by one",
    ),
)
"""What can be helped is helped, and a warning says so."""

OF_THE_RUN = (
    Case("down from the start", "nothing listens", Stage.stop, r"cannot be reached\. Start it"),
    Case("down in mid-run", "port closed at the second batch", goes_down, "cannot be reached"),
    Case("model not pulled", "404", with_state(models=[]), "Run `ollama pull nomic-embed-text`"),
    Case(
        "model deleted in mid-run",
        "404 from the second batch on",
        in_second_batch(becomes(models=[])),
        "Run `ollama pull nomic-embed-text`",
    ),
    Case(
        "a chat model",
        "501",
        with_state(models=[replace(MODEL, capabilities=("completion",))]),
        "Choose an embedding model",
    ),
    Case(
        "every text gives NaN", "zeros always", once_described(alters(zeroes)), "a vector of zeros"
    ),
    Case("busy for good", "503 always", always(busy), "is busy. Try again in a moment"),
    Case("never answers", "hangs always", always(hangs), "did not answer in time"),
    Case("stops in every answer", "stalls in each body", always(stalls), "did not answer in time"),
    Case("runner dies each time", "400 EOF always", always(crashes), "failed while embedding"),
    Case(
        "too little memory",
        "500 always",
        always(fails(500, "model requires more system memory (9 GiB) than is available (2 GiB)")),
        "more system memory",
    ),
    Case(
        "model file damaged",
        "500 always",
        always(fails(500, 'tensor "blk.0.attn_k.weight" offset+size exceeds file size')),
        "exceeds file size",
    ),
    Case(
        "a page in Ollama's place",
        "200 HTML always",
        always(replies(200, PAGE)),
        "something unexpected",
    ),
    *[
        Case(f"a redirect ({status})", "of every text", always(redirects(status, ELSEWHERE)), TO)
        for status in (301, 302, 303, 307, 308)
    ],
    *[
        Case(f"a redirect of {path}", "307", at_route(path, redirects(307, ELSEWHERE)), TO)
        for path in ROUTES
    ],
    Case(
        "a redirect to its own start page",
        "302 always",
        always(redirects(302, "/login")),
        r"redirects to http://127\.0\.0\.1:\d+, where no text is sent",
    ),
    Case("a compressed bomb", "200 MB in 200 kB", always(compressed), "with a compressed body"),
    Case("an answer without end", "20 MB of blanks", always(is_too_large), ENDED),
    Case("lists in lists", "200,000 deep", always(nested), "something unexpected"),
    *[
        Case(f"{what} for {path}", "200", at_route(path, fault), seen)
        for path in ("/api/tags", "/api/show")
        for what, fault, seen in (
            ("a compressed bomb", compressed, "with a compressed body"),
            ("an answer without end", is_too_large, ENDED),
            ("lists in lists", nested, "something unexpected"),
        )
    ],
    Case("no access", "401 always", always(fails(401, "unauthorized")), "refused the request"),
    Case("origin refused", "403, empty, always", always(replies(403, "")), "no reason given"),
    Case(
        "a page for /api/tags",
        "200 HTML",
        at_route("/api/tags", replies(200, PAGE)),
        "something unexpected",
    ),
    Case("no answer at /api/show", "hangs", at_route("/api/show", hangs), "not answer in time"),
    Case(
        "model pulled anew in mid-run",
        "another digest after the second batch",
        in_second_batch(becomes(models=[OTHER])),
        "other weights of Ollama's nomic-embed-text",
    ),
    Case(
        "update in mid-run that loses capitals",
        "another version and other vectors",
        once(becomes(version="0.33.1", reads_capitals=False)),
        "gives other vectors for nomic-embed-text",
    ),
)
"""The run ends with one sentence; what was embedded is kept for the next."""

AT_INGEST = (*PASSING, *OF_A_TEXT, *OF_BATCHES, *OF_THE_RUN)
