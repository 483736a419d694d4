"""Faults of a server of `/v1/embeddings` at an ingest of a new blog, at the next and at a query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.reliability.ollama_at_ingest import ELSEWHERE, NAMED, PAGE, TO
from tests.reliability.ollama_later import WORDS_ONLY
from tests.support.faults.ollama_scripts import (
    Case,
    always,
    first,
    in_second_batch,
    on,
    once,
    once_described,
    with_state,
)
from tests.support.faults.ollama_stage import Stage
from tests.support.faults.openai_stage import SERVED, alters_rows
from tests.support.ollama.faults import (
    ENDED,
    Fault,
    becomes,
    breaks_off,
    closes,
    compressed,
    hangs,
    is_too_large,
    nested,
    redirects,
    replies,
    reversed_rows,
    stalls,
    zeroes,
)
from tests.support.openai_standin import alters_data, refuse

Rows = list[list[float]]


def fails(status: int, message: str) -> Fault:
    """Answer with an error of OpenAI's form."""
    return lambda _server, _answer: refuse(status, message)


def not_a_number(rows: Rows) -> Rows:
    """JSON has no NaN, yet Python's and other servers write it."""
    return [[float("nan"), *row[1:]] for row in rows]


def of_other_weights(rows: Rows) -> Rows:
    """Good unit vectors, always the same for a text, of a space of their own."""
    return [row[1:] + row[:1] for row in rows]


def narrow(rows: Rows) -> Rows:
    return [row[:32] for row in rows]


def a_vector_a_token(rows: Rows) -> list[list[list[float]]]:
    """What llama.cpp gives without pooling."""
    return [[row, row] for row in rows]


def reads_less(status: int, says: str) -> Callable[[Stage], None]:
    """A post with a passage of more tokens than the model takes."""

    def make(stage: Stage) -> None:
        words = " ".join(f"stitch {number} of the jumper" for number in range(60))
        stage.write({"long.md": f"# Knitting\n\n{words}.\n"})
        with_state(models=[replace(SERVED, context=150)], says_too_long=(status, says))(stage)

    return make


busy = fails(503, "Model is overloaded")
crashes = fails(500, "CUDA error: an illegal memory access was encountered")
OTHER_WEIGHTS = alters_rows(of_other_weights)
SHORT = replace(SERVED, dimension=32)

NO_VECTORS = (
    ("a vector missing", alters_data(lambda data: data[1:]), r"\d vectors for \d"),
    ("short vectors", alters_rows(narrow), "32 numbers instead of 64"),
    ("no vectors", alters_rows(lambda rows: [None] * len(rows)), "not one vector for a text"),
    ("a vector for each token", alters_rows(a_vector_a_token), "not one vector for a text"),
    ("vectors of zeros", alters_rows(zeroes), "a vector of zeros"),
    ("NaN in each vector", alters_rows(not_a_number), "not finite"),
    ("a welcome page", replies(200, PAGE), "something unexpected"),
    ("an error as an answer", replies(200, {"error": "odd"}), "something unexpected"),
    ("JSON cut", replies(200, '{"data": [{"embedding": [0.1'), "something unexpected"),
    ("a compressed bomb", compressed, "with a compressed body"),
    ("an answer without end", is_too_large, ENDED),
    ("lists in lists", nested, "something unexpected"),
)
"""Answers of status 200 in which there is no vector for each text, and what is said of them."""

DEAD = (
    ("busy", busy, "is busy"),
    ("too many requests", fails(429, "Rate limit reached"), "is busy"),
    ("a proxy's bad gateway", replies(502, PAGE), "is busy"),
    ("a proxy's time-out", replies(504, PAGE), "is busy"),
    ("the model crashed", crashes, "failed while embedding"),
    ("connection closed", closes, "failed while embedding"),
    ("body cut", breaks_off, "failed while embedding"),
    ("no answer", hangs, "did not answer in time"),
    ("an answer that stops", stalls, "did not answer in time"),
)
"""Ways to give no answer, and what is said if it stays so."""

REFUSALS = (
    ("no access", fails(401, "Incorrect API key provided"), "EMBEDDER_API_KEY"),
    ("forbidden", replies(403, ""), "no reason given"),
    ("another model's server", fails(404, "The model `m` does not exist"), "not have the model"),
    ("a chat model", fails(501, "not supported"), "gives no embeddings"),
    ("an address of something else", replies(404, "404 page not found"), "refused the request"),
    (
        "a redirect to its own start page",
        redirects(302, "/login"),
        r"redirects to http://127\.0\.0\.1:\d+, where no text is sent",
    ),
    *[
        (f"a redirect ({status})", redirects(status, ELSEWHERE), TO)
        for status in (301, 302, 303, 307, 308)
    ],
)
"""Answers that stay so, and what is said of them."""

AT_INGEST = (
    *[Case(f"{what}, once", "", once(fault)) for what, fault, _ in (*DEAD, *NO_VECTORS[:-3])],
    Case(
        "entries in another order",
        "with their numbers",
        once_described(alters_data(lambda data: data[::-1])),
    ),
    Case("vectors of another length", "17", with_state(length=17.0)),
    Case("few texts at a time", "413", with_state(most_texts=4)),
    Case("one text is failed on", "500 for it", on("poison", crashes), NAMED, 1),
    *[
        Case(
            f"a text longer than the context ({status})",
            says,
            reads_less(status, says),
        )
        for status, says in (
            (400, "This model's maximum context length is {context} tokens"),
            (413, "`inputs` must have less than {context} tokens"),
            (500, "input is too large to process. increase the physical batch size"),
        )
    ],
    Case("shuffled", "", once_described(alters_rows(reversed_rows)), "texts go to it one by one"),
    Case("down from the start", "nothing listens", Stage.stop, r"cannot be reached\. Start it"),
    Case("model not there", "404", with_state(models=[]), "does not have the model"),
    Case("key refused", "401", with_state(key="secret"), "EMBEDDER_API_KEY"),
    *[
        Case(f"{what}, always", "", always(fault), seen)
        for what, fault, seen in (*DEAD, *NO_VECTORS, *REFUSALS)
        if what not in ("short vectors", "a vector missing")
    ],
    Case(
        "other weights in mid-run",
        "from the second batch on",
        in_second_batch(OTHER_WEIGHTS),
        "gives other vectors for nomic-embed-text",
    ),
    Case(
        "an update in mid-run that loses capitals",
        "after the first answer of the second batch",
        in_second_batch(becomes(reads_capitals=False)),
        "gives other vectors for nomic-embed-text",
    ),
)
"""A new blog: most pass unseen, or the run ends with a sentence and the next one goes on."""

AT_THE_NEXT_INGEST = (
    Case(
        "other weights between two ingests",
        "other vectors under the same name",
        with_state(reads_capitals=False),
        "gives other vectors for nomic-embed-text",
        needs_rebuild=True,
    ),
    Case(
        "other weights at the next ingest, and then the ones before",
        "",
        always(OTHER_WEIGHTS),
        "gives other vectors for nomic-embed-text",
    ),
    Case(
        "model of another dimension",
        "32 numbers instead of 64",
        with_state(models=[SHORT]),
        "built with other weights",
        needs_rebuild=True,
    ),
    Case("down at the next ingest", "nothing listens", Stage.stop, "cannot be reached"),
)
"""The index stays what it was, or becomes what it should be; nothing in between."""

AT_A_QUERY = (
    Case("busy while asked, once", "", first(busy)),
    Case("down while serving", "nothing listens", Stage.stop, WORDS_ONLY + ".* cannot be reached"),
    Case(
        "model gone while serving",
        "404",
        with_state(models=[]),
        WORDS_ONLY + ".*not have the model",
    ),
    Case(
        "key refused while serving",
        "401",
        with_state(key="secret"),
        WORDS_ONLY + ".*EMBEDDER_API_KEY",
    ),
    Case("no answer to a query", "hangs", always(hangs), WORDS_ONLY + ".*not answer in time"),
    Case(
        "other weights while serving",
        "other vectors under the same name",
        always(OTHER_WEIGHTS),
        WORDS_ONLY + ".*gives other vectors.*--rebuild",
    ),
    Case(
        "an update while serving that loses capitals",
        "other vectors under the same name",
        with_state(reads_capitals=False),
        WORDS_ONLY + ".*gives other vectors.*--rebuild",
    ),
    Case(
        "model of another dimension while serving",
        "32 numbers",
        with_state(models=[SHORT]),
        WORDS_ONLY + ".*built with other weights",
    ),
)
"""The reader gets an answer by words at least, with a notice, and the next answer whole."""
