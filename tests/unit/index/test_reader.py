"""Which chunks of a post share a page."""

import pytest

from blog_search_mcp.index.reader import PAGE_BYTES, fill_page

PAGES = {
    "alone": ([PAGE_BYTES], 0, 0, range(1)),
    "too long": ([1, PAGE_BYTES + 1, 1], 1, 1, range(1, 2)),
    "all": ([1, 1, 1], 1, 1, range(3)),
    "both sides": ([PAGE_BYTES // 3] * 5, 2, 2, range(1, 4)),
    "next first": ([PAGE_BYTES // 2] * 3, 1, 1, range(1, 3)),
    "last": ([PAGE_BYTES // 2] * 3, 2, 2, range(1, 3)),
    "before": ([1, 1, 1, PAGE_BYTES], 2, 2, range(3)),
    "behind": ([PAGE_BYTES, 1, 1, 1], 1, 1, range(1, 4)),
    "section": ([PAGE_BYTES // 2] * 4, 2, 1, range(1, 3)),
    "long section": ([PAGE_BYTES // 2] * 4, 3, 1, range(2, 4)),
}


@pytest.mark.parametrize(("sizes", "asked", "start", "page"), PAGES.values(), ids=PAGES)
def test_a_page_grows_by_whole_chunks_behind_and_before(
    sizes: list[int], asked: int, start: int, page: range
) -> None:
    assert fill_page(sizes, asked, start) == page
