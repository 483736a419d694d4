from benchmarks.quality.report import Report, format_report
from benchmarks.quality.targets import Result, check_targets
from benchmarks.quality.types import AbsenceRow, Estimate, FusionRow, Measurement, Row


def row(kind: str, hit_at_1: float, hit_at_5: float, retriever: str = "hybrid") -> Row:
    return Row(kind, retriever, 10, hit_at_1, hit_at_5, 0.9, 0.9, 0.4, 0.5, 0.9, 800, 0.04)


MEASURED = Measurement(
    language="en",
    posts=172,
    chunks=890,
    embedder="embedded all-MiniLM-L6-v2",
    rows=(row("title", 0.99, 1.0), row("title", 0.5, 0.6, "dense"), row("question", 0.9, 1.0)),
    fusion=(
        FusionRow("title", "lexical", Estimate(-0.002, -0.01, 0.01)),
        FusionRow("question", "dense", Estimate(-0.02, -0.05, 0.01)),
    ),
    absence=(AbsenceRow("off topic", 100, 0.93, 0.99),),
)


def test_every_target_is_checked_that_was_measured() -> None:
    results = check_targets({"swift-blog": MEASURED})
    assert results == [
        Result("swift-blog", "title, hit@1", 0.985, 0.99),
        Result("swift-blog", "question, hit@1", 0.92, 0.9),
        Result("swift-blog", "question, hit@5", 1.0, 1.0),
        Result("swift-blog", "question, evidence in the first hit", 0.75, 0.5),
        Result("swift-blog", "question, evidence in any of five", 0.92, 0.9),
        Result("swift-blog", "question, low, its post among five", 0.03, 0.04, at_most=True),
        Result("swift-blog", "off topic, low", 0.9, 0.93),
        Result(
            "swift-blog",
            "question, the worst of 2: hybrid less dense, nDCG@10",
            -0.005,
            -0.02,
            signed=True,
        ),
    ]
    assert [result.met for result in results] == [True, False, True, *[False] * 3, True, False]


def test_a_report_says_which_blogs_constants_were_chosen_on() -> None:
    blogs = {"rust-blog": MEASURED, "swift-blog": MEASURED}
    written = format_report(Report("abc", "python", blogs, check_targets(blogs)))
    assert "Constants were chosen on swift-blog, and not on rust-blog." in written
    assert "| rust-blog | no | title, hit@1 | ≥ .985 | .990 | met |" in written
    assert "| swift-blog | yes | off topic, low | ≥ .900 | .930 | met |" in written


def test_a_report_has_a_line_a_kind_with_what_either_retriever_reaches_alone() -> None:
    written = format_report(Report("abc", "python", {"swift-blog": MEASURED}))
    assert (
        "| title | 10 | .990 | 1.000 | .900 | .900 | – | .900 | -.002 [-.010, +.010] "
        "| .400 | .500 | .900 | 800 | .040 |"
    ) in written.splitlines()
    assert "**swift-blog: 172 posts, 890 chunks, embedded all-MiniLM-L6-v2**" in written
