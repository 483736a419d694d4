import datetime as dt
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.posts.text import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    FrontMatter,
    split_front_matter,
)

UNREAD = "its front matter cannot be read: "
KEPT_BACK = "; a line of it keeps the post back"


def test_yaml_is_taken_off_and_every_scalar_stays_as_written() -> None:
    text = (
        "---\ntitle: 1.10\ndate: 2024-01-02\nat: 12:30\ndraft: no\nempty:\nnone: ~\n"
        "tags: [a, 7]\nnested: {x: y}\n---\nBody\n"
    )
    fields: dict[str, object] = {
        "title": "1.10",
        "date": "2024-01-02",
        "at": "12:30",
        "draft": "no",
        "empty": None,
        "none": None,
        "tags": ["a", "7"],
        "nested": {"x": "y"},
    }
    assert split_front_matter(text) == FrontMatter(fields, "Body\n", 11)


def test_toml_is_taken_off_with_its_own_types() -> None:
    text = '+++\ntitle = "T"\ndate = 2024-01-02\ndraft = true\n[extra]\nx = 1\n+++\n\nBody'
    fields: dict[str, object] = {
        "title": "T",
        "date": dt.date(2024, 1, 2),
        "draft": True,
        "extra": {"x": 1},
    }
    assert split_front_matter(text) == FrontMatter(fields, "\nBody", 8)


def test_an_object_of_javascript_is_read_where_yaml_can() -> None:
    text = '---js\n{\n  title: "First: js",\n  tags: [\'a\', "b"],\n}\n---\nBody'
    fields: dict[str, object] = {"title": "First: js", "tags": ["a", "b"]}
    assert split_front_matter(text) == FrontMatter(fields, "Body", 7)
    problem = f"{UNREAD}did not find expected ',' or '}}' (at line 4)"
    commented = '---javascript\n{\n  title: "T", // it\n  draft: true,\n}\n---\nBody'
    assert split_front_matter(commented) == FrontMatter(
        {"draft": "true"}, "Body", 7, f"{problem}{KEPT_BACK}"
    )


@pytest.mark.parametrize(
    "text",
    [
        "export const metadata = {\n  title: 'T: a',\n  date: \"2024-05-12\",\n}\n\n# H\n",
        "import A from './a'\n\nexport const meta = { title: 'T: a', date: '2024-05-12' };\nB\n",
    ],
)
def test_what_mdx_exports_are_fields_and_stay_in_the_text(text: str) -> None:
    assert split_front_matter(text) == FrontMatter({"title": "T: a", "date": "2024-05-12"}, text, 1)


@pytest.mark.parametrize(
    "text",
    [
        "export const metadata = {\n  ...base('a: b'),\n  title: `T`\n}\n",
        "export const metadata = { title: 'T'\n",
        "export const sizes = { title: 'T' }\n",
        "Words.\n\nexport const metadata = { title: 'T' }\n",
    ],
)
def test_other_exports_are_no_fields(text: str) -> None:
    assert split_front_matter(text) == FrontMatter({}, text, 1)


def test_json_is_taken_off() -> None:
    text = '{\n  "title": "T",\n  "tags": ["a"]\n}\n\nBody'
    assert split_front_matter(text) == FrontMatter({"title": "T", "tags": ["a"]}, "\nBody", 5)


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: T\n---\nBody",
        "---\ntitle: T\n...\nBody",
        "---  \ntitle: T\n---\t\nBody",
        "+++\ntitle = 'T'\n+++\nBody",
        '{"title":\n"T"\n}\nBody',
    ],
)
def test_each_form_of_fence_gives_the_same_post(text: str) -> None:
    assert split_front_matter(text) == FrontMatter({"title": "T"}, "Body", 4)


@pytest.mark.parametrize(
    ("text", "first_line"),
    [
        ('---json\n{"title": "T"}\n---\nBody', 4),
        ("---toml\ntitle = 'T'\n---\nBody", 4),
        (';;;\n"title": "T",\n;;;\nBody', 4),
        ("title: T\ntags:\n- a\n---\nBody", 5),
    ],
)
def test_eleventys_and_hexos_forms_are_read(text: str, first_line: int) -> None:
    front = split_front_matter(text)
    assert (front.fields["title"], front.body) == ("T", "Body")
    assert (front.first_line, front.problem) == (first_line, None)


def test_one_line_above_dashes_is_a_heading() -> None:
    assert split_front_matter("title: T\n---\nBody") == FrontMatter({}, "title: T\n---\nBody", 1)


@pytest.mark.parametrize(
    ("block", "fields"),
    [
        ("title: a: b\ndraft: true", {"draft": "true"}),
        ("title: x\n  'draft' : True # not yet", {"draft": "True"}),
        ("title = 'x'\ndraft = true", {"draft": "true"}),
        ("A sentence that is long: x\ndraft: yes", {"draft": "yes"}),
        ("- title: x\npublished: false", {"published": "false"}),
        ("title: x\ndraft:true", {"draft": "true"}),
        ("title: a: b\ndate: 2999-01-01", {"date": "2999-01-01"}),
    ],
)
def test_of_broken_front_matter_what_keeps_a_post_back_is_read(
    block: str, fields: dict[str, object]
) -> None:
    front = split_front_matter(f"---\n{block}\n---\nBody")
    assert (front.fields, front.body) == (fields, "Body")
    assert (front.problem or "").startswith(UNREAD)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("---\ntitle: T\ndraft: true\n\nBody", "it is never closed"),
        ('{\n"draft": true,\n"title": oops\n}\n', "Expecting value: line 3 column 10 (char 26)"),
    ],
)
def test_front_matter_without_an_end_may_make_a_draft(text: str, reason: str) -> None:
    assert split_front_matter(text) == FrontMatter(
        {"draft": "true"}, text, 1, UNREAD + reason + KEPT_BACK
    )


@pytest.mark.parametrize("line", ["draft: false", "my draft: true", "a draft"])
def test_what_does_not_say_draft_makes_none(line: str) -> None:
    assert split_front_matter(f"---\ntitle: a: b\n{line}\n---\nBody").fields == {}


def test_blank_space_may_stand_before_the_block() -> None:
    assert split_front_matter("\n \n---\ntitle: T\n---\nBody") == FrontMatter(
        {"title": "T"}, "Body", 6
    )


@pytest.mark.parametrize("block", ["---\ntitle: T\n---", "+++\ntitle = 'T'\n+++"])
def test_comments_may_stand_before_the_block(block: str) -> None:
    text = f"<!-- Licence: MIT\n-- > -->\n\n<!-- lint off -->\n{block}\nBody"
    assert split_front_matter(text) == FrontMatter({"title": "T"}, "Body", 8)


@pytest.mark.parametrize("begun", ["<!-- a -->", "<!-- a"])
def test_a_thematic_break_behind_a_comment_opens_nothing(begun: str) -> None:
    text = f"{begun}\n---\nA sentence.\n\n---\nBody"
    assert split_front_matter(text) == FrontMatter({}, text, 1)


def test_a_post_without_front_matter_is_all_body() -> None:
    assert split_front_matter("# Title\n\n---\nx: y\n---\n") == FrontMatter(
        {}, "# Title\n\n---\nx: y\n---\n", 1
    )


@pytest.mark.parametrize("text", ["---\n---\nBody", "+++\n+++\nBody"])
def test_an_empty_block_is_taken_off(text: str) -> None:
    assert split_front_matter(text) == FrontMatter({}, "Body", 3)


def test_front_matter_may_be_all_there_is() -> None:
    assert split_front_matter("---\ntitle: T\n---") == FrontMatter({"title": "T"}, "", 3)


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nA paragraph between two breaks: with a colon.\n\n---\n\nMore.\n",
        "---\njust text\n---\nBody",
        "---\n- a\n- b\n---\nBody",
        "---\n# A heading\n---\nBody",
        "---\n*text* that is no YAML: at all: really\n---\nBody",
        "---\n\nOnly a break.\n",
        "----\ntitle: T\n----\nBody",
        "---js\nprocess.exit()\n---\nBody",
        "{{< figure >}}\n",
        '{"a": 1} is how JSON begins\n',
    ],
)
def test_what_only_looks_like_front_matter_stays_text(text: str) -> None:
    assert split_front_matter(text) == FrontMatter({}, text, 1)


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        (
            "title: Rust: the good parts",
            "mapping values are not allowed in this context (at line 2)",
        ),
        ("title: @home", "found character that cannot start any token (at line 2)"),
        ("a: 1\nself: &x [*x]", "it is nested too deeply"),
        ("title: {{ .Name }}", "found unhashable key (at line 2)"),
        ('title: "\x07"', "it holds a character YAML does not allow"),
        ("x: " + "[" * 60_000 + "]" * 60_000, "it is nested too deeply"),
        ("x: " + "a" * MAX_CHARACTERS, "it is longer than 262144 characters"),
    ],
)
def test_broken_yaml_costs_the_metadata_and_not_the_text(block: str, reason: str) -> None:
    line = block.count("\n") + 4
    assert split_front_matter(f"---\n{block}\n---\nBody") == FrontMatter(
        {}, "Body", line, UNREAD + reason
    )


def test_broken_toml_costs_the_metadata_and_not_the_text() -> None:
    problem = UNREAD + "Invalid value (at line 2, column 9)"
    assert split_front_matter("+++\ntitle = T\n+++\nBody") == FrontMatter({}, "Body", 4, problem)


@pytest.mark.parametrize("text", ["---\ntitle: T\n\nBody", "+++\ntitle = 'T'\n\nBody"])
def test_a_block_that_is_never_closed_stays_text_and_is_reported(text: str) -> None:
    assert split_front_matter(text) == FrontMatter({}, text, 1, UNREAD + "it is never closed")


def test_broken_json_stays_text_and_is_reported() -> None:
    text = '{\n"title": oops\n}\nBody'
    problem = UNREAD + "Expecting value: line 2 column 10 (char 11)"
    assert split_front_matter(text) == FrontMatter({}, text, 1, problem)


def test_deeply_nested_json_and_toml_are_refused() -> None:
    deep = "[" * 50_000 + "]" * 50_000
    problem = UNREAD + "it is nested too deeply"
    json_text = '{"a": ' + deep + "}\nBody"
    assert split_front_matter(json_text) == FrontMatter({}, json_text, 1, problem)
    assert split_front_matter(f"+++\na = {deep}\n+++\nBody") == FrontMatter({}, "Body", 4, problem)


@pytest.mark.parametrize("part", ["a", '"a b"', "'a'", "a ", "b-_1"])
@pytest.mark.parametrize("line", ["{} = 1", "[{}]", "x = {{ {} = 1 }}"])
def test_a_toml_key_of_too_many_parts_is_refused(part: str, line: str) -> None:
    problem = UNREAD + "it is nested too deeply"
    deep = line.format(".".join([part] * (MAX_DEPTH + 1)))
    assert split_front_matter(f"+++\n{deep}\n+++\nBody") == FrontMatter({}, "Body", 4, problem)
    read = line.format(".".join([part] * MAX_DEPTH))
    assert split_front_matter(f"+++\n{read}\n+++\nBody").problem is None


def test_nesting_up_to_the_limit_is_read() -> None:
    fields = split_front_matter(
        f"---\nx: {'[' * (MAX_DEPTH - 1)}{']' * (MAX_DEPTH - 1)}\n---\n"
    ).fields
    depth, value = 0, fields["x"]
    while isinstance(value, list) and value:
        depth, value = depth + 1, value[0]
    assert depth == MAX_DEPTH - 2


def test_a_repeated_key_counts_as_its_last() -> None:
    assert split_front_matter("---\ntitle: one\ntitle: two\n---\n").fields == {"title": "two"}


def test_tags_of_a_programming_language_build_nothing(tmp_path: Path) -> None:
    target = tmp_path / "pwned"
    text = f'---\ntitle: !!python/object/apply:os.system ["touch {target}"]\n---\nBody'
    assert split_front_matter(text) == FrontMatter({"title": [f"touch {target}"]}, "Body", 4)
    assert not target.exists()


def test_keys_that_are_no_strings_become_strings() -> None:
    assert split_front_matter("---\n~: x\n7: y\n---\n").fields == {"None": "x", "7": "y"}


def test_yaml_inside_a_block_scalar_does_not_end_the_block() -> None:
    text = "---\nsummary: |\n  one\n  ---\n  two\n---\nBody"
    assert split_front_matter(text) == FrontMatter({"summary": "one\n---\ntwo\n"}, "Body", 7)


LINE = st.sampled_from(["---", "+++", "...", "", "a: b", "a = 1", "- x", "text", "{", " --- "])


@given(st.lists(LINE, max_size=9), st.booleans())
@settings(max_examples=100)
def test_the_body_is_the_file_from_its_first_line_on(lines: list[str], ends: bool) -> None:
    text = "\n".join(lines) + ("\n" if ends else "")
    front = split_front_matter(text)
    assert text.endswith(front.body)
    if front.body:
        assert front.body == "\n".join(text.split("\n")[front.first_line - 1 :])
    if not front.fields and front.problem is None:
        dropped = text.removesuffix(front.body)
        assert dropped.strip("-+. \n") == ""
