"""`python -m benchmarks.golden`: answer judged questions, and score the answers of any program.

`answer BLOGS` asks the questions of benchmarks/questions over the blogs in the folder BLOGS (see
its README for their sources) and prints a line of JSON for each answer. `--by` chooses a baseline
instead of this program. `score FILE…` prints a table of the measures of files with answers, which
any program can write. `notes NOTES GOLDEN` asks a golden set of obsidian-hybrid-search.
"""

import argparse
import os
import sys
from collections.abc import Iterator

from benchmarks.golden.answers import ASK, answer
from benchmarks.golden.notes import measure_notes
from benchmarks.golden.scores import MEASURES, QUESTIONS, read_answers, score
from benchmarks.options import cache_folder, folder, report_failure, table
from benchmarks.quality.blogs import Embedding, index_posts, read_questions
from blog_search_mcp import BlogSearchError
from blog_search_mcp.index.errors import UsageError


def main() -> int:
    """Run a command; return the exit status."""
    options = _parser().parse_args()
    try:
        for line in options.run(options):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    except BlogSearchError as error:
        return report_failure(error)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.golden", description=__doc__)
    commands = parser.add_subparsers(required=True)
    answers = commands.add_parser("answer", help="answer the questions over blogs")
    answers.add_argument("blogs", type=folder, metavar="BLOGS", help="a folder of blogs' folders")
    answers.add_argument("--by", choices=[*ASK], default="program")
    answers.set_defaults(run=_answer)
    scores = commands.add_parser("score", help="score files of answers")
    scores.add_argument("files", type=folder, nargs="+", metavar="FILE")
    scores.set_defaults(run=_score)
    notes = commands.add_parser("notes", help="ask a golden set over a folder of notes")
    notes.add_argument("notes", type=folder, metavar="NOTES")
    notes.add_argument("golden", type=folder, metavar="GOLDEN")
    notes.add_argument("--model", help="a packaged model; by default the one that suits the notes")
    notes.set_defaults(run=lambda given: measure_notes(given.notes, given.golden, given.model))
    for command in (answers, scores):
        command.add_argument("--questions", type=folder, default=QUESTIONS)
    return parser


def _answer(options: argparse.Namespace) -> Iterator[str]:
    """Yield an answer as JSON for each question on a blog in the folder. Raises BlogSearchError."""
    blogs, questions = options.blogs, [*read_questions(options.questions)]
    names = [name for name in dict.fromkeys(q.blog for q in questions) if (blogs / name).is_dir()]
    if not names:
        raise UsageError(f"{blogs} holds no blog of benchmarks/questions.")
    for name in names:
        content = blogs / name / "posts" if (blogs / name / "posts").is_dir() else blogs / name
        engine = index_posts(content, cache_folder(os.environ) / f"golden-{name}", Embedding())
        for question in questions:
            if question.blog == name:
                yield answer(engine, question, options.by).model_dump_json()


def _score(options: argparse.Namespace) -> Iterator[str]:
    """Yield one table with the measures of each file, over the blogs that it has answers for."""
    rows = []
    for file in options.files:
        answers = read_answers(file)
        questions = [*read_questions(options.questions, *{blog for blog, _ in answers})]
        for language, number, measures in score(questions, answers):
            cells = map(_format, MEASURES, measures)
            rows.append([file.stem, language, str(number), *cells])
    header = ("answers", "language", "questions", *MEASURES)
    yield table(header, rows, range(2, len(header)))


def _format(measure: str, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if measure == "tokens" else f"{value:.3f}"


if __name__ == "__main__":
    sys.exit(main())
