"""`python -m benchmarks.quality CONTENT…`: measure how well each kind of query finds its post.

Queries are derived from the posts; `--questions` adds readers' questions. If there are several
blogs, each is also asked questions and headings of the others, which it cannot answer. Prints a
Markdown table for each blog on stdout.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping

from benchmarks.options import cache_folder, count, describe_run, folder, report_failure, table
from benchmarks.quality.blogs import JUDGED, LIMIT, Blog, Embedding, read_blog
from benchmarks.quality.metrics import MEASURES, average, measure
from blog_search_mcp import BlogSearchError
from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.search.ranking import load_ranking_model

HEADER = ("kind", "queries", *MEASURES)


def main() -> int:
    """Measure every blog; return the exit status."""
    options = _parser(os.environ).parse_args()
    embedding = Embedding(options.embedder, options.model, options.embedder_url)
    try:
        blogs = [
            read_blog(content, options.questions, options.limit, options.cache, embedding)
            for content in options.content
        ]
        for part in _report(blogs, options.limit):
            sys.stdout.write(f"{part}\n\n")
            sys.stdout.flush()
    except BlogSearchError as error:
        return report_failure(error)
    return 0


def _report(blogs: list[Blog], limit: int) -> Iterator[str]:
    """Yield a description of the run, then the table of each blog. Raises UsageError."""
    yield describe_run("benchmarks.quality")
    fitted = {blog.name for blog in blogs} & {*load_ranking_model().fitted_on}
    if fitted:
        yield f"Weights were fitted on {', '.join(sorted(fitted))}."
    for blog in blogs:
        queries = [*blog.queries]
        if not any(query.right for query in queries):
            raise UsageError(f"{blog.name} gives no query: its posts have no titles of their own.")
        if queries[0].kind != JUDGED:
            queries += blog.ask_elsewhere(blogs, limit)
        sys.stderr.write(f"{blog.name}: {len(queries)} queries\n")
        yield f"**{blog.name}: {len(blog.posts)} posts**"
        rows = [
            [kind, str(len(measured)), *map(_write_share, average(measured))]
            for kind, measured in measure(blog.engine, queries).items()
        ]
        yield table(HEADER, rows, range(1, len(HEADER)))


def _write_share(share: float | None) -> str:
    """Write a share as `.925`, a number of tokens as `412`, and `None` as a dash."""
    if share is None:
        return "–"
    return f"{share:.0f}" if share > 1 else f"{share:.3f}".replace("0.", ".", 1)


def _parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.quality", description=__doc__)
    add = parser.add_argument
    content = "a folder of posts, or a judged collection"
    add("content", nargs="+", type=folder, metavar="CONTENT", help=content)
    questions = "readers' questions: a file of JSON lines, or a folder of files named after blogs"
    add("--questions", type=folder, metavar="FILE", help=questions)
    add("--limit", type=count, default=LIMIT, metavar="N", help="queries of a kind at most")
    kinds = ("auto", "ollama", "embedded")
    add("--embedder", choices=kinds, default="embedded", help="(default embedded)")
    add("--model", metavar="NAME", help="a packaged model, or one of Ollama's")
    host = environment.get("OLLAMA_HOST", "")
    add("--embedder-url", default=host, metavar="URL", help="where Ollama answers (OLLAMA_HOST)")
    parser.set_defaults(cache=cache_folder(environment))
    return parser


if __name__ == "__main__":
    sys.exit(main())
