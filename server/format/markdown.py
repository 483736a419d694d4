"""A page of hits as Markdown, for a person or a client that shows text as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blog_search_mcp.server.format.results import one_line

if TYPE_CHECKING:
    from blog_search_mcp.server.format.results import HitFacts, PageFacts


def render_markdown(page: PageFacts) -> str:
    """Write the confidence, a numbered list of hits, the notice and how to read on."""
    hits = [_hit(number, hit) for number, hit in enumerate(page.results, page.offset + 1)]
    above = [f"Confidence: {page.confidence}."] if hits else []
    below = [page.notice] if page.notice else []
    if page.next_offset is not None:
        below.append(
            f"Hits {page.offset + 1} to {page.next_offset} of {page.total}; "
            f"more with offset={page.next_offset}."
        )
    return "\n\n".join([*above, *hits, *below])


def _hit(number: int, hit: HitFacts) -> str:
    heading = f" › {one_line(hit.heading)}" if hit.heading else ""
    facts = [
        f"`{one_line(hit.source)}` chunk_index {hit.chunk_index}",
        f"lines {hit.lines}",
        *([hit.date] if hit.date else []),
        f"score {hit.score:.3f}",
        *(f"also in {code}: `{source}`" for code, source in hit.translations.items()),
    ]
    head = f"{number}. **{one_line(hit.title)}**{heading}"
    link = f"\n   <{hit.url}>" if hit.url else ""
    return f"{head}\n   {' · '.join(facts)}{link}\n   > {one_line(hit.preview)}"
