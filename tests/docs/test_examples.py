"""The worked examples of the pages: each says what it prints today."""

from __future__ import annotations

import os
import shutil

import pytest

from tools.example_answers import LINES_OF_TEXT, answer_of
from tools.example_blocks import Sent, Typed, examples_in, with_outputs
from tools.examples import PAGES, outdated
from tools.sandbox import ROOT, Sandbox

pytestmark = pytest.mark.slow  # runs every command of a page


PAGE = """
```console
$ one \\
  more
said
$ two
```

```sh
$ not run
```

````json request
{"method": "m", "params": {}}
````

````text answer
```
old
```
````
"""


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    if os.name == "nt" or shutil.which("curl") is None:
        pytest.skip("the examples are typed into a POSIX shell that has curl")
    return Sandbox(tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize("name", PAGES)
def test_every_example_says_what_it_prints_today(name: str, sandbox: Sandbox) -> None:
    found = outdated((ROOT / name).read_text(encoding="utf-8"), sandbox)
    said = "\n".join(f"- {example.printed}\n+ {now}" for example, now in found)
    assert not found, f"If that is right: python -m tools.examples\n{said}"


def test_commands_and_requests_are_examples_and_other_fences_are_not() -> None:
    typed, sent = examples_in(PAGE)
    assert typed == Typed(
        ("one \\\n  more", "two"), "$ one \\\n  more\nsaid\n$ two\n", PAGE.index("$ one")
    )
    assert sent == Sent({"method": "m", "params": {}}, "```\nold\n```\n", PAGE.index("```\nold"))


def test_outputs_take_the_place_of_what_the_page_said() -> None:
    typed, sent = examples_in(PAGE)
    renewed = with_outputs(PAGE, [(typed, "$ two\nnow\n"), (sent, "new\n")])
    assert [each.printed for each in examples_in(renewed)] == ["$ two\nnow\n", "new\n"]
    assert with_outputs(PAGE, [(each, each.printed) for each in (typed, sent)]) == PAGE


def test_a_request_without_an_answer_is_no_example() -> None:
    with pytest.raises(ValueError, match="no answer follows"):
        list(examples_in('```json request\n{"method": "m"}\n```\n```sh\nls\n```\n'))


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ({"error": {"code": -32602}}, '{\n  "error": {\n    "code": -32602\n  }\n}\n'),
        ({"result": {"structuredContent": {"tags": ["a", "b"]}}}, '{\n  "tags": ["a", "b"]\n}\n'),
        ({"result": {"content": [{"text": "A text."}, {"text": "a.md"}]}}, "A text.\n\na.md\n"),
        ({"result": {"contents": [{"text": '{"n":1}'}]}}, '{\n  "n": 1\n}\n'),
        ({"result": {"messages": [{"content": {"text": "Do."}}]}}, "Do.\n"),
        ({"result": {"values": ["a"], "_meta": 1}}, '{\n  "values": ["a"]\n}\n'),
    ],
)
def test_an_answer_is_shown_as_a_client_shows_it(reply: dict[str, object], shown: str) -> None:
    assert answer_of(reply) == shown


def test_a_long_answer_is_cut_and_where_it_stands_is_not() -> None:
    text = "\n".join(map(str, range(LINES_OF_TEXT + 2)))
    shown = answer_of({"result": {"content": [{"text": text}, {"text": "a.md"}]}}).splitlines()
    assert shown == [*map(str, range(LINES_OF_TEXT)), "[… 2 more lines …]", "", "a.md"]
