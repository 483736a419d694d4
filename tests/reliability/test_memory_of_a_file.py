"""What a file of some ten kilobytes costs an ingest, whatever its author repeats by alias."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.front import Blog
from tests.support.python import output_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the peak is told by /proc")

INGEST = """
import re, sys
from pathlib import Path
from tests.support.front import Blog
print(Blog(Path(sys.argv[1]), Path(sys.argv[2])).ingest().status)
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""
MOST = 350_000
"""KB; of a blog of two sentences it is 210,000."""

BASIS = f"basis: &basis {'🌾 sown in March, ' * 800}"
REPEATED = f"[{', '.join(['*basis'] * 4000)}]"
LAYERS = "\n".join(
    f"layer{n}: &layer{n} [{', '.join([f'*layer{n - 1}'] * 30)}]" for n in range(2, 9)
)

FILES = {
    "a title": {"field.md": f"---\n{BASIS}\ntitle: {REPEATED}\n---\nBarley on the hill."},
    "tags": {"field.md": f"---\n{BASIS}\ntags: {REPEATED}\n---\nBarley on the hill."},
    "lists of lists": {
        "field.md": f"---\nlayer1: &layer1 [{'rye, ' * 500}]\n{LAYERS}\naliases: *layer8\n---\n"
        "Barley on the hill."
    },
    "a cascade": {
        "_index.md": f"---\n{BASIS}\ncascade: {{status: {REPEATED}}}\n---\n",
        "field.md": "Barley on the hill.",
    },
    "a configuration": {
        "hugo.yaml": f"{BASIS}\nbaseURL: https://farm.example\ncascade: {{status: {REPEATED}}}\n",
        "content/field.md": "Barley on the hill.",
    },
}


@pytest.mark.parametrize("what", FILES)
def test_a_text_repeated_by_alias_costs_no_memory(what: str, tmp_path: Path) -> None:
    blog = Blog(tmp_path / "content", tmp_path / "index")
    blog.write(FILES[what])
    status, peak = output_of(INGEST, blog.content, blog.index).split()
    assert (status, int(peak) < MOST) == ("0", True)
    assert [source.rpartition("/")[2] for source in blog.sources("barley hill")] == ["field.md"]
