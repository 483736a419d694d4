from hypothesis import given
from hypothesis import strategies as st

from ingest.plan import Plan, plan

POSTS = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("123"))


def test_every_case_at_once() -> None:
    before = {"gone.md": "1", "kept.md": "1", "edited.md": "1"}
    after = {"new.md": "1", "kept.md": "1", "edited.md": "2"}
    assert plan(before, after) == Plan(
        added=("new.md",), changed=("edited.md",), removed=("gone.md",), same=("kept.md",)
    )


def test_a_renamed_post_is_one_removed_and_one_added() -> None:
    assert plan({"a.md": "1"}, {"b.md": "1"}) == Plan(("b.md",), (), ("a.md",), ())


def test_sources_come_sorted() -> None:
    assert plan({}, {"b": "1", "a": "1", "c": "1"}).added == ("a", "b", "c")


@given(before=POSTS, after=POSTS)
def test_a_plan_applied_to_the_old_posts_gives_the_new_ones(
    before: dict[str, str], after: dict[str, str]
) -> None:
    made = plan(before, after)
    kept = {source: before[source] for source in made.same}
    assert kept | {source: after[source] for source in (*made.added, *made.changed)} == after
    assert sorted((*made.same, *made.changed, *made.removed)) == sorted(before)


@given(before=POSTS, after=POSTS)
def test_nothing_changes_exactly_when_the_posts_are_equal(
    before: dict[str, str], after: dict[str, str]
) -> None:
    assert plan(before, after).changes_nothing == (before == after)
