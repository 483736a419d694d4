"""The doctor: what it finds, how it says so, and the command that mends it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from index.embedder.base import EmbedderIdentity
from index.embedder.choose import choose
from index.embedder.ollama_client import Probe
from index.errors import EmbedderRefused
from ingest.pipeline import Job, ingest
from ingest.progress import NoProgress
from server.clients import Places
from server.doctor import clients, index, installed, ollama
from server.doctor.finding import Finding, as_json, as_lines, exit_status
from server.doctor.installed import Installed
from server.doctor.ollama import OllamaFacts
from server.doctor.run import examine
from server.scripts import command, script_path
from server.settings import Settings
from tests.ollama_standin import Model, running

if TYPE_CHECKING:
    from tests.blog import Blog, MakeBlog

ROOT = Path(__file__).parents[1]
NOW = datetime.now(UTC)
TODAY = NOW.date().isoformat()
SOUP = "# Soup\n\nBoil an onion.\n"
FINE = Finding("index", "ok", "It is there.")
SLOW = Finding("Ollama", "warning", "It is old.", "ollama --update")
GONE = Finding("posts", "problem", "They are gone.", "blog-ingest posts")


def test_a_finding_is_a_line_and_what_mends_it_the_next() -> None:
    assert as_lines([FINE, SLOW, GONE]) == [
        "ok       index   It is there.",
        "warning  Ollama  It is old.",
        "                 → ollama --update",
        "problem  posts   They are gone.",
        "                 → blog-ingest posts",
        "1 problem, 1 warning.",
    ]
    assert as_lines([FINE])[-1] == "All is well."


def test_json_has_the_same_findings_and_the_worst_state() -> None:
    told = json.loads(as_json([FINE, GONE, SLOW]))
    assert told["state"] == "problem"
    assert [Finding(**each) for each in told["findings"]] == [FINE, GONE, SLOW]


@pytest.mark.parametrize(
    ("findings", "status"), [([], 0), ([FINE], 0), ([FINE, SLOW], 0), ([GONE, FINE], 1)]
)
def test_only_a_problem_is_a_failure(findings: list[Finding], status: int) -> None:
    assert exit_status(findings) == status


def test_a_command_can_be_pasted_whatever_the_folder_is_called() -> None:
    words = shlex.split(command("blog-ingest", "my posts", "--index", "it's"))
    assert words == [str(Path(sys.executable).with_name("blog-ingest")), "my posts", *words[2:]]
    assert words[2:] == ["--index", "it's"]
    assert script_path("no-such-script") == "no-such-script"


THERE = Installed("3.12.1", ">=3.11", "0.1.0", {"mcp": "<3,>=2.3"}, {"mcp": "2.3.0"})


def test_versions_that_are_as_required_are_told() -> None:
    assert installed.findings(THERE) == [
        Finding("Python", "ok", "3.12.1."),
        Finding("packages", "ok", "blog-search-mcp 0.1.0 with mcp 2.3.0."),
    ]


@pytest.mark.parametrize(
    ("facts", "finding"),
    [
        (
            replace(THERE, python="3.10.2"),
            Finding(
                "Python",
                "problem",
                "3.10.2 is not >=3.11.",
                "make clean setup PYTHON=python3.12",
            ),
        ),
        (
            replace(THERE, found={"mcp": "1.9.0"}),
            Finding(
                "packages",
                "problem",
                "mcp 1.9.0 is not <3,>=2.3.",
                f'{sys.executable} -m pip install "mcp<3,>=2.3"',
            ),
        ),
        (
            replace(THERE, found={"mcp": None}),
            Finding(
                "packages",
                "problem",
                "mcp is missing.",
                f'{sys.executable} -m pip install "mcp<3,>=2.3"',
            ),
        ),
        (
            Installed("3.12.1", "", "", {}, {}),
            Finding(
                "packages",
                "warning",
                "blog-search-mcp is not installed in this Python, so versions are not compared.",
                f"{sys.executable} -m pip install -e .",
            ),
        ),
    ],
)
def test_a_version_that_does_not_fit_is_named(facts: Installed, finding: Finding) -> None:
    [wrong] = [each for each in installed.findings(facts) if each.state != "ok"]
    assert wrong == finding


def test_the_installed_packages_are_those_of_the_project() -> None:
    found = installed.gather()
    assert {"mcp", "faiss-cpu", "tantivy"} <= found.found.keys()
    assert not {"pytest", "mypy"} & found.found.keys()
    assert installed.missing(found) == []


def about_the_index(blog: Blog, content: Path | None = None) -> list[Finding]:
    return index.findings(index.gather(blog.index, content, TODAY), NOW + timedelta(hours=2.5))


def test_a_whole_index_is_told_with_its_numbers(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    found, posts = about_the_index(made)
    start, _, end = found.said.partition(" chunks, ")
    assert (found.subject, found.state, found.mend) == ("index", "ok", None)
    assert start == f"Generation 1 in {made.index}, whole: 1 posts, 1"
    assert end.endswith(" MB, made 2 hours ago with fake bag-of-words.")
    assert posts == Finding("posts", "ok", f"{made.content} is as the last ingest saw it.")


def test_stale_posts_are_named_with_the_ingest_that_takes_them_in(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    made.write({"tea.md": "Tea.\n", "soup.md": SOUP * 2})
    assert about_the_index(made)[1] == Finding(
        "posts",
        "warning",
        "2 posts have changed since the index was made 2 hours ago: soup.md, tea.md.",
        command("blog-ingest", made.content, "--index", made.index),
    )


def test_posts_that_are_gone_are_asked_for_and_found_where_they_are(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    moved = made.content.rename(made.content.with_name("moved"))
    gone = about_the_index(made)[1]
    assert (gone.state, gone.said) == ("warning", f"There is no content folder {made.content}.")
    assert gone.mend == command(
        "blog-server", "doctor", "--index", made.index, "--content", "CONTENT"
    )
    assert about_the_index(made, moved)[1].state == "ok"


def test_an_index_whose_ingest_left_no_note_asks_for_an_ingest(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    made.layout.seen.unlink()
    unknown = about_the_index(made)[1]
    assert unknown.state == "warning"
    assert unknown.mend == command("blog-ingest", "CONTENT", "--index", made.index)


def test_a_missing_index_is_a_problem_with_its_ingest(tmp_path: Path) -> None:
    facts = index.gather(tmp_path / "none", tmp_path / "posts", TODAY)
    assert index.findings(facts, NOW) == [
        Finding(
            "index",
            "problem",
            "There is no index in none/ yet.",
            command("blog-ingest", tmp_path / "posts", "--index", tmp_path / "none"),
        )
    ]


@pytest.mark.parametrize("name", ["vectors", "catalog", "manifest"])
def test_a_damaged_index_is_a_problem_with_its_rebuild(name: str, blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    with getattr(made.files, name).open("r+b") as file:
        file.write(b"\x00")
    [broken] = about_the_index(made)
    assert (broken.subject, broken.state) == ("index", "problem")
    assert broken.said.startswith("The index's ")
    assert broken.mend == command("blog-ingest", "CONTENT", "--index", made.index, "--rebuild")


def test_a_model_in_the_package_that_does_not_embed_is_a_problem(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog({"soup.md": SOUP})

    def refuse(*_: object) -> None:
        raise EmbedderRefused("The model is missing; install it again.")

    job = Job(made.content, made.index, lambda _: choose("embedded", None, None, None), made.today)
    ingest(replace(job, rebuild=True), NoProgress())
    monkeypatch.setattr("index.embedder.embedded.EmbeddedEmbedder.embed_query", refuse)
    assert about_the_index(made)[1] == Finding(
        "embedder", "problem", "The model is missing; install it again.", "make clean setup"
    )


NOMIC = EmbedderIdentity("ollama", "nomic-embed-text", Model().digest, 768)
REBUILD = "blog-ingest posts --rebuild"
URL = "http://127.0.0.1:11434"
HAS = Probe(True, True, "0.32.15", Model().digest)


@pytest.mark.parametrize(
    ("recorded", "probe", "state", "said", "mend"),
    [
        (NOMIC, HAS, "ok", "Ollama 0.32.15 at URL has nomic-embed-text (0a109f422b47).", None),
        (None, HAS, "ok", "Ollama 0.32.15 at URL has nomic-embed-text (0a109f422b47).", None),
        (
            NOMIC,
            Probe(False),
            "problem",
            "Nothing answers at URL; without it search is by words alone.",
            "ollama serve",
        ),
        (
            None,
            Probe(False),
            "warning",
            "Nothing answers at URL; the index does not use it.",
            "ollama serve",
        ),
        (
            NOMIC,
            Probe(True, False, "0.32.15"),
            "problem",
            "Ollama 0.32.15 at URL does not have the model nomic-embed-text.",
            "ollama pull nomic-embed-text",
        ),
        (
            NOMIC,
            replace(HAS, digest="f" * 64),
            "problem",
            "The index was built with other weights of nomic-embed-text (0a109f422b47), so search "
            "is by words alone.",
            REBUILD,
        ),
        (
            NOMIC,
            replace(HAS, version="0.20.1"),
            "warning",
            "Ollama 0.20.1 misreads capitals and accents for nomic-embed-text, so texts go to it "
            "in lower case and without accents.",
            "Update Ollama to 0.30 or later: https://ollama.com/download",
        ),
    ],
)
def test_what_an_ollama_lacks_is_told_with_its_mending(
    recorded: EmbedderIdentity | None, probe: Probe, state: str, said: str, mend: str | None
) -> None:
    found = ollama.findings(OllamaFacts(True, recorded, URL, probe), REBUILD)
    worst = max(found, key=lambda each: ("ok", "warning", "problem").index(each.state))
    told = (worst.state, worst.said.replace(URL, "URL"), worst.mend)
    assert told == (state, said, mend)


def test_an_ollama_that_nobody_asks_for_is_not_looked_at() -> None:
    facts = ollama.gather("", replace(NOMIC, kind="embedded"))
    assert facts.probe is None
    assert ollama.findings(facts, REBUILD) == [Finding("Ollama", "ok", "No index here needs it.")]


def test_a_running_ollama_is_asked_for_the_index_s_model() -> None:
    with running() as standin:
        facts = ollama.gather(standin.host, NOMIC)
        [found] = ollama.findings(facts, REBUILD)
    assert (
        found.said
        == f"Ollama 0.32.15 at http://{standin.host} has nomic-embed-text (0a109f422b47)."
    )


def test_an_address_that_cannot_be_meant_is_a_problem() -> None:
    [found] = ollama.findings(ollama.gather("ftp://box", NOMIC), REBUILD)
    assert found.state == "problem"
    assert found.said == "The Ollama host 'ftp://box' must begin with http:// or https://."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".cursor").mkdir(parents=True)
    return tmp_path / "home"


def about_clients(home: Path, entry: object, index: Path) -> list[Finding]:
    """What is found where Cursor has this entry, or this text for its whole file."""
    text = entry if isinstance(entry, str) else json.dumps({"mcpServers": {"blog": entry}})
    (home / ".cursor/mcp.json").write_text(text, encoding="utf-8")
    places = Places(home, home / "project", "linux", {"PATH": str(Path(sys.executable).parent)})
    return clients.findings(clients.gather(places), index)


SCRIPT = script_path("blog-server")


def test_an_entry_that_works_is_fine(home: Path, blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    entry = {"command": SCRIPT, "args": ["--index", str(made.index)]}
    assert about_clients(home, entry, made.index) == [
        Finding(
            "Cursor",
            "ok",
            f"The entry 'blog' in {home}/.cursor/mcp.json starts this server over {made.index}.",
        )
    ]


@pytest.mark.parametrize(
    ("entry", "state", "said", "mend"),
    [
        (
            {"command": "/gone/blog-server", "args": ["--index", "/ix"]},
            "problem",
            "starts /gone/blog-server, which is not there.",
            f"{SCRIPT} install cursor --index /ix --name blog",
        ),
        (
            {"command": "blog-server", "args": ["--index", "/ix"]},
            "warning",
            "starts blog-server, which the client may not find: it has a PATH of its own.",
            f"{SCRIPT} install cursor --index /ix --name blog",
        ),
        (
            {"command": SCRIPT},
            "warning",
            "names no index, so it is looked for in the client's own folder.",
            f"{SCRIPT} install cursor --index /mine --name blog",
        ),
        (
            {"command": SCRIPT, "args": ["--index", "ix"]},
            "warning",
            "names the index ix, which depends on the client's own folder.",
            f"{SCRIPT} install cursor --index /mine --name blog",
        ),
        (
            {"command": SCRIPT, "env": {"BLOG_INDEX": "/no/such"}},
            "problem",
            "names /no/such, which holds no index.",
            command("blog-ingest", "CONTENT", "--index", "/no/such"),
        ),
        (
            {"command": SCRIPT, "args": ["--index", "~nobody-of-this-name/ix"]},
            "warning",
            "names the index ~nobody-of-this-name/ix, which depends on the client's own folder.",
            f"{SCRIPT} install cursor --index /mine --name blog",
        ),
        (
            {"command": SCRIPT, "args": ["--index", "${workspaceFolder}/ix"]},
            "ok",
            "starts this server over ${workspaceFolder}/ix.",
            None,
        ),
    ],
)
def test_an_entry_that_does_not_work_is_told_with_what_to_write(
    entry: object, state: str, said: str, mend: str | None, home: Path
) -> None:
    [found] = about_clients(home, entry, Path("/mine"))
    where = f"The entry 'blog' in {home}/.cursor/mcp.json "
    assert found == Finding("Cursor", state, where + said, mend)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("entry", "mend"),
    [
        (
            {"command": "/gone/blog-server", "args": ["--index", "/ix"]},
            f'Set "command" to "{SCRIPT}" there.',
        ),
        ({"command": SCRIPT}, 'Set "args" to ["--index", "/mine"] there.'),
    ],
)
@pytest.mark.parametrize("name", [".claude.json", "project/.mcp.json"])
def test_an_entry_of_one_project_is_mended_by_hand(
    entry: object, mend: str, name: str, home: Path
) -> None:
    servers = {"mcpServers": {"blog": entry}}
    text = json.dumps({"projects": {"/p": servers}} if name == ".claude.json" else servers)
    (home / "project").mkdir()
    (home / name).write_text(text, encoding="utf-8")
    there = Places(home, home / "project", "linux", {})
    [found] = clients.findings(clients.gather(there), Path("/mine"))
    assert (found.subject, found.mend) == ("Claude Code", mend)


def test_a_settings_file_that_is_no_json_is_named_with_the_place(home: Path) -> None:
    broken, none = about_clients(home, '{"mcpServers": {}', Path("/mine"))
    path = home / ".cursor/mcp.json"
    assert (broken.subject, broken.state, broken.mend) == ("Cursor", "warning", f"Correct {path}.")
    assert broken.said.startswith(f"{path} cannot be used: ")
    assert "line 1 column 18" in broken.said
    assert none.subject == "clients"


def test_without_any_entry_the_command_that_adds_one_is_given(home: Path) -> None:
    assert about_clients(home, {"command": "/bin/other"}, Path("/mine")) == [
        Finding(
            "clients",
            "warning",
            "No client has an entry for this server; install knows "
            "claude-desktop, claude-code, cursor, vscode, windsurf, zed.",
            f"{SCRIPT} install claude-code --index /mine",
        )
    ]


def test_the_round_goes_from_python_to_the_clients(blog: MakeBlog, home: Path) -> None:
    made = blog({"soup.md": SOUP})
    found = examine(Settings(made.index, ""), Places(home, home, "linux", {}), NOW)
    subjects = [each.subject for each in found]
    assert subjects == ["Python", "packages", "index", "posts", "Ollama", "clients"]


def test_all_that_is_not_well_has_a_mending_and_nothing_else_has(
    blog: MakeBlog, home: Path
) -> None:
    made = blog({"soup.md": SOUP})
    made.content.rename(made.content.with_name("moved"))
    found = examine(Settings(made.index, "ftp://box"), Places(home, home, "linux", {}), NOW)
    assert len([each for each in found if each.mend]) == 3
    assert [each.state != "ok" for each in found] == [each.mend is not None for each in found]


MISSING = """
import sys
from importlib import metadata
version = metadata.version
def partly(name):
    if name == "numpy":
        raise metadata.PackageNotFoundError(name)
    return version(name)
metadata.version = partly
for name in ("numpy", "faiss", "pydantic"):
    sys.modules[name] = None
from server.__main__ import main
main()
"""


def run_doctor(home: Path, *start: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOME": str(home), "USERPROFILE": str(home)}
    return subprocess.run(
        [sys.executable, *start, "doctor", "--index", str(home / "none"), "--json"],
        cwd=ROOT,
        env={**environment, "XDG_CONFIG_HOME": str(home)},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


def test_the_command_prints_json_and_fails_without_an_index(home: Path) -> None:
    ran = run_doctor(home, "-m", "server")
    assert (ran.returncode, ran.stderr) == (1, "")
    told = json.loads(ran.stdout)
    states = [each["state"] for each in told["findings"] if each["subject"] == "index"]
    assert (told["state"], states) == ("problem", ["problem"])


def test_a_missing_package_is_a_finding_and_no_traceback(home: Path) -> None:
    ran = run_doctor(home, "-c", MISSING)
    assert (ran.returncode, ran.stderr) == (1, "")
    said = [each["said"] for each in json.loads(ran.stdout)["findings"]]
    assert said[1:] == ["numpy is missing."]


def test_a_folder_whose_name_is_no_text_is_told_all_the_same(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    folder.mkdir()
    ran = run_doctor(folder, "-m", "server")
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "caf\\udce9" in ran.stdout
