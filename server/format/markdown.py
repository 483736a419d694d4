"""The same page of hits as Markdown, for a person or a client that shows text as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blog_search_mcp.server.format.results import one_line

if TYPE_CHECKING:
    from blog_search_mcp.server.format.results import Result, Results


def as_markdown(results: Results) -> str:
    """Write how sure the answer is, a numbered list of hits, the notice and the way on."""
    first = results.offset + 1
    hits = [_hit(number, result) for number, result in enumerate(results.results, first)]
    above = [f"Confidence: {results.confidence}."] if hits else []
    return "\n\n".join([*above, *hits, *_below(results)])


def _hit(number: int, result: Result) -> str:
    place = f" › {one_line(result.heading)}" if result.heading else ""
    facts = [
        f"`{one_line(result.source)}` chunk_index {result.chunk_index}",
        f"lines {result.lines}",
        *([result.date] if result.date else []),
        f"score {result.score:.3f}",
        *(f"also in {code}: `{source}`" for code, source in (result.translations or {}).items()),
    ]
    head = f"{number}. **{one_line(result.title)}**{place}"
    link = f"\n   <{result.url}>" if result.url else ""
    return f"{head}\n   {' · '.join(facts)}{link}\n   > {one_line(result.preview)}"


def _below(results: Results) -> list[str]:
    lines = [results.notice] if results.notice else []
    if results.next_offset is not None:
        lines.append(
            f"Hits {results.offset + 1} to {results.next_offset} of {results.total}; "
            f"more with offset={results.next_offset}."
        )
    return lines
