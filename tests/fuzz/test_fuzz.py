"""What holds for any input."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.server.tool import MAX_TEXT
from tests.fuzz.targets import TARGETS

MARKS = (
    *("---\n", "+++\n", ";;;\n", "title: ", "draft: true\n", "- ", "{", "}", "[", "]", "(", ")"),
    *("# ", "## ", "\n", "\n\n", "```", "~~~", "    ", "> ", "| a |\n", "|---|\n", "<div>", "<!--"),
    *("{{< x >}}", "{% raw %}", "{% highlight %}\n", "{% endhighlight %}\n", "<A b={c}>", "$$"),
    *('"', "'", "\\", "*", "^", "~", ":", ";", "%", "_", "/", "\x00", "--"),
    *(" AND ", " OR ", " TO ", "word", "cache.IndexFlat", "it's", "e\u0301", "👩\u200d👧", "快取"),
    *("ﷺ", "\u202e", "ש", "。"),
    *("\ufeff", "\ud800", "\udfff", "1", "2025-01-02", "&a ", "*a", "!!python/name:os ", "|\n"),
)
INPUTS = st.binary(max_size=200) | st.lists(
    st.sampled_from(MARKS) | st.text(st.characters(), max_size=6), max_size=40
).map(lambda parts: "".join(parts).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=60)
@given(data=INPUTS)
def test_a_step_keeps_its_word_for_any_input(name: str, data: bytes) -> None:
    TARGETS[name](data)


@pytest.mark.parametrize("repeated", [*'a快\u0301"(*\\\0\ud800ש', "a:", "AND ", "~1 ", "👩\u200d"])
def test_a_query_as_long_as_may_be_is_answered_and_a_longer_one_told(repeated: str) -> None:
    for length in (MAX_TEXT, 10 * MAX_TEXT):
        query = (repeated * length)[:length]
        TARGETS["query"](query.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("name", ["post", "words", "rendering", "analyser"])
@pytest.mark.parametrize(
    "repeated", ["[", "> ", "- a\n", "`a", "*a_", "---\n", "{{<", "\u0301", "ﷺ"]
)
def test_a_long_run_of_anything_is_read(name: str, repeated: str) -> None:
    TARGETS[name](repeated.encode() * 2000)
