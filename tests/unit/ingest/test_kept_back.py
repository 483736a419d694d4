"""What an author keeps back is not served: by a field, a folder, a clock or a vault."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.front import Blog, made

WORDS = "The ferry leaves at noon.\n"
OPEN = {"open.md": f"# Timetable\n\n{WORDS}"}


def reasons(report: Mapping[str, Any]) -> dict[str, str]:
    """Why each file is left out, by source."""
    return {skip["source"]: skip["reason"] for skip in report["skipped"]}


def front(*lines: str) -> str:
    return "\n".join(("---", "title: Harbour", *lines, "---", WORDS))


HIDDEN = {
    "draft": [
        *("draft: 1", "Draft: 'Yes'", "isDraft: true", "is_draft: true", "draft: on # yet"),
        *("published: false", "isPublished: no", "publish: false", "dg-publish: false"),
        *("private: true", "is-private: true", "public: false", "secret: yes", "internal: true"),
        *("status: draft", "status: Hidden", "state: draft", "post_status: private"),
        *("workflow: [draft, later]", "visibility: private", "visibility: members", "access: paid"),
        *("permalink: false", "render: false", "_build: {render: never}", "headless: true"),
        *("build: {render: link}", "ignorePublish: true", "published: draft", "unpublished: true"),
        *("params: {draft: true}", "eleventyComputed: {permalink: false}"),
        *("hidden: true\ndraft: true", "password: x\ndraft: true", "workInProgress: true"),
        *("privacy: Privé, brouillon", "nopublish: true", "publicationStatus: 草稿"),
        *("Status: skip", "ignorePost: true", "moderation-state: Draft", "audience: only_paid"),
        *("disabled: true", "visible: PRIVATE", "Brouillon: oui", "公開: false", "url: false"),
    ],
    "hidden": [
        *("unlisted: true", "hidden: true", "hide: true", "noindex: true", "noIndex: yes"),
        *("head: [[meta, {name: robots, content: noindex}]]", "robots: [none]", "hide: [search]"),
        *("seo: {noindex: true}", "search: false", "search: {exclude: true}", "nosearch: true"),
        *("search_exclude: true", "exclude_from_search: true", "skipSearch: true"),
        *("searchHidden: true", "hiddenFromSearch: true", "searchable: false", "pagefind: false"),
        *("in_search_index: false", "extra: {in_search_index: false}", "sitemap: false"),
        *("exclude_from_lunr: true", "algoliaExclude: true", "excludeFromSitemap: yes"),
        *("omit-from-llms: true", "show_in_search: false", "metaRobots: 'noindex, follow'"),
        *("eleventyExcludeFromCollections: true", "build: {list: never}", "visible: false"),
        *("search: exclude", "hideInList: true", "unlist: yes"),
    ],
    "redirect": ["redirect: /blog/other", "redirect_to: https://x.org/"],
    "locked": [
        *("password: plum", "password: [plum, pear]", "encrypted: true", "locked: true"),
        *("protected: yes", "passwordProtected: true", "unlisted: true\npassword: plum"),
        *("access: {site.login: true}", "access: {site: {login: true}}", "is_premium: true"),
        *("authRequired: true", "密码: plum"),
    ],
}
SHOWN = [
    *("draft: false", "draft:", "isDraft: 'no'", "published: true", "published: 2020-01-01"),
    *("status: published", "status: done", "visibility: public", "hide: [navigation, toc]"),
    *("permalink: /no/", "permalink: none", "search: {boost: 2}", "sitemap: {priority: 0.5}"),
    *("search: {exclude: false}", "sitemap: {changefreq: never, priority: 0}"),
    *("robots: index, follow", "password: ''", "encrypted: false", "noindex: false", "index: 0"),
    *("unpublish: 2999-01-01", "ignore: false", "draft: nein", "show_from: 2020-02-03"),
    *("hiddenInHomeList: true", "build: {list: always, render: always}", "tags: [draft, private]"),
    *("date: 0001-01-01", "date: 9999-12-31\npublishDate: 2020-01-01", "expires: 9999-12-31"),
]
FIELDS = [(line, reason) for reason, lines in HIDDEN.items() for line in lines]
FIELDS += [(line, "") for line in SHOWN]


@pytest.fixture(scope="module")
def by_field(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], set[str]]:
    """Why posts with each of these fields are left out, and which are in the index."""
    posts = {f"{number}.md": front(line) for number, (line, _) in enumerate(FIELDS)}
    blog = made(tmp_path_factory.mktemp("fields"), posts)
    return reasons(blog.report), set(blog.posts())


@pytest.mark.parametrize(("number", "line", "reason"), [(n, *row) for n, row in enumerate(FIELDS)])
def test_a_field_that_keeps_a_post_back_keeps_it_out_of_the_index(
    by_field: tuple[dict[str, str], set[str]], number: int, line: str, reason: str
) -> None:
    left_out, found = by_field
    assert left_out.get(f"{number}.md", "") == reason, line
    assert (f"{number}.md" in found) is (not reason)


HUGO = {"hugo.toml": 'baseURL = "https://ferry.example/"\n'}
JEKYLL = "url: https://ferry.example\n"
MKDOCS = "site_url: https://ferry.example\nsite_name: F\n"
QUARTO = {"_quarto.yml": "project: {type: website}\nwebsite: {site-url: https://ferry.example}\n"}
ELEVENTY = {".eleventy.js": "module.exports = {};\n"}
JOPLIN = "id: 0a1b2c3d4e5f60718293a4b5c6d7e8f9\nparent_id: \n"
TAGGED = "---\ntags: [diary]\n---\n" + WORDS
SITES: dict[str, tuple[Mapping[str, str | bytes], dict[str, str]]] = {
    "a bundle of Hugo": (
        {
            **HUGO,
            "content/a/index.md": "---\ndraft: true\n---\n" + WORDS,
            "content/a/index.zh.md": WORDS,
            "content/a/x/b.md": "---\ndraft: false\n---\n" + WORDS,
            "content/b/index.zh.md": "---\ndate: 2999-01-01\n---\n" + WORDS,
            "content/b/c.md": "---\ndate: 2020-01-01\n---\n" + WORDS,
            "content/bc/index.md": WORDS,
            "content/bc/d.md": WORDS,
            "content/e.md": WORDS,
        },
        {
            "content/a/index.md": "draft",
            "content/a/x/b.md": "draft",
            "content/b/index.zh.md": "future",
            "content/b/c.md": "future",
        },
    ),
    "a bundle of Zola, and what is none elsewhere": (
        {
            "a/config.toml": "base_url = 'https://ferry.example'\n",
            "mkdocs.yml": MKDOCS,
            "docs/a/index.md": "---\ndraft: true\n---\n" + WORDS,
            "docs/a/b.md": WORDS,
        },
        {"docs/a/index.md": "draft"},
    ),
    "a folder's metadata of Lume": (
        {"a/_data.ts": "export const draft = true;\n", "a/b/x.md": WORDS, "b/x.md": WORDS}
        | {"b/_data.json": '{"draft": true}', **OPEN},
        {"a/b/x.md": "draft", "b/x.md": "draft"},
    ),
    "a folder's metadata of Quarto": (
        {**QUARTO, "a/_metadata.yml": "draft: true\n", "a/b/x.qmd": WORDS, "y.qmd": WORDS},
        {"a/b/x.qmd": "draft"},
    ),
    "defaults of Jekyll": (
        {
            "_config.yml": f"{JEKYLL}defaults:\n"
            "- {scope: {path: _posts/later}, values: {published: false}}\n"
            "- {scope: {path: '', type: drafts}, values: {published: false}}\n"
            "- {scope: {path: '', type: notes}, values: {search: false}}\n"
            "- {scope: {path: 'old/*/x'}, values: {hidden: true}}\n"
            "collections: {notes: {output: true}}\n",
            "_posts/2020-01-01-a.md": front(),
            "_posts/later/2020-01-01-b.md": front(),
            "_posts/laterals/2020-01-01-c.md": front(),
            "_notes/d.md": front(),
            "old/z/x.md": front(),
        },
        {"_posts/later/2020-01-01-b.md": "draft", "_notes/d.md": "hidden", "old/z/x.md": "hidden"},
    ),
    "data of a folder of Eleventy": (
        {
            **ELEVENTY,
            "posts/posts.json": '{"draft": true}',
            "posts/deep/a.md": WORDS,
            "notes/notes.11tydata.js": "module.exports = {\n  permalink: false,\n};\n",
            "notes/b.md": WORDS,
            "talks/talks.11tydata.json": '{"eleventyExcludeFromCollections": true}',
            "talks/c.md": WORDS,
            "one/d.11tydata.json": '{"permalink": false}',
            "one/d.md": WORDS,
            "one/e.json": '{"draft": true,, }',
            "one/e.md": WORDS,
            "one/f.md": WORDS,
            "made/made.11tydata.js": "export default { permalink: (data) => !data.draft };\n",
            "made/g.md": WORDS,
        },
        {
            "posts/deep/a.md": "draft",
            "notes/b.md": "draft",
            "talks/c.md": "hidden",
            "one/d.md": "draft",
            "one/e.md": "draft",
        },
    ),
    "metadata of Material for MkDocs": (
        {
            "mkdocs.yml": f"{MKDOCS}plugins: [exclude-search: {{exclude: [c.md]}}]\n",
            "docs/in/.meta.yml": "search:\n  exclude: true\n",
            "docs/in/a.md": "---\nsearch: {boost: 2}\n---\n" + WORDS,
            **dict.fromkeys(("docs/b.md", "docs/c.md"), WORDS),
        },
        {"docs/in/a.md": "hidden", "docs/c.md": "not published"},
    ),
    "a plugin that locks by a level": (
        {
            "mkdocs.yml": f"{MKDOCS}plugins: [encryptcontent: {{}}]\n",
            "docs/a.md": "---\nlevel: crew\n---\n" + WORDS,
            "docs/b.md": WORDS,
        },
        {"docs/a.md": "locked"},
    ),
    "a plugin that locks all but some": (
        {
            "mkdocs.yml": f"{MKDOCS}plugins: [encryptcontent: {{global_password: plum}}]\n",
            "docs/a.md": WORDS,
            "docs/b.md": "---\npassword: ''\n---\n" + WORDS,
        },
        {"docs/a.md": "locked"},
    ),
    "a plugin that locks by tags": (
        {
            "_config.yml": f"{JEKYLL}permalink: ':title/'\nnew_post_name: ':title.md'\n"
            "encrypt: {tags: [{name: Diary, password: plum}]}\n",
            "source/_posts/a.md": TAGGED,
            "source/_posts/b.md": WORDS,
        },
        {"source/_posts/a.md": "locked"},
    ),
    "defaults of Pelican": (
        {
            "pelicanconf.py": "DEFAULT_METADATA = {\n    'status': 'draft',\n}\n",
            "content/a.md": f"Title: A\n\n{WORDS}",
            "content/b.md": f"Title: B\nStatus: published\n\n{WORDS}",
        },
        {"content/a.md": "draft"},
    ),
    "explicit publication in Quartz": (
        {
            "quartz.config.ts": "filters: [Plugin.RemoveDrafts(), Plugin.ExplicitPublish()]",
            "content/a.md": WORDS,
            "content/b.md": f"---\npublish: true\n---\n{WORDS}",
        },
        {"content/a.md": "draft"},
    ),
    "merged fields": (
        {
            "a.md": "---\nlater: &later {published: false}\n<<: *later\n---\n" + WORDS,
            "b.md": "---\na: &a {draft: true}\nb: &b {x: y}\n<<: [*b, *a]\n---\n" + WORDS,
            "c.md": "---\na: &a {draft: true}\n<<: *a\ndraft: false\n---\n" + WORDS,
        },
        {"a.md": "draft", "b.md": "draft"},
    ),
    "metadata of Nikola": (
        {
            "a.md": f"<!--\n.. title: A\n.. slug: a\n.. tags: boats, DRAFT\n-->\n\n{WORDS}",
            "b.md": f".. title: B\n.. slug: b\n.. status: private\n\n{WORDS}",
            "c.md": WORDS,
            "c.meta": ".. title: C\n.. slug: c\n.. status: draft\n",
            "e.mdx": f"import X from 'x'\nexport const draft = true;\n\n{WORDS}",
            "f.md": f"---\nid: f\ntitle: F\n---\n<!-- x -->\n---\ndraft: yes\n---\n{WORDS}",
            "d.md": WORDS,
            "d.meta": "---\ntitle: D\nstatus: published\n---\n",
        },
        dict.fromkeys(("a.md", "b.md", "c.md", "e.mdx", "f.md"), "draft"),
    ),
    "items that Joplin syncs": (
        {
            "a.md": f"A\n\n{WORDS}\n{JOPLIN}is_conflict: 0\ndeleted_time: 0\ntype_: 1",
            "f.md": f"F\n\n{JOPLIN}is_conflict: 0\ndeleted_time: 0\ntype_: 1",
            "b.md": f"B\n\n{WORDS}\n{JOPLIN}is_conflict: 1\ntype_: 1",
            "c.md": f"{JOPLIN}encryption_cipher_text: JED0\nencryption_applied: 1\ntype_: 1",
            "d.md": f"D\n\n{WORDS}\n{JOPLIN}deleted_time: 1714557600000\ntype_: 1",
            "e.md": f"boats\n\n{JOPLIN}type_: 2",
        },
        {"b.md": "copy", "c.md": "locked", "d.md": "draft", "e.md": "not published"}
        | {"f.md": "empty"},
    ),
    "front matter in other places": (
        {
            "a.md": f"<!-- CC-BY -->\n\n<!--\n---\ntitle: A\ndraft: true\n---\n-->\n\n{WORDS}",
            "b.mdx": f"import X from 'x'\n\nexport const meta = {{x: 'B', draft: true}}\n\n{WORDS}",
            "c.md": f';;;\n"title": "C",\n"published": false\n;;;\n{WORDS}',
            "d.md": f"---\ntitle: D\ndraft:\u00a0true\n---\n{WORDS}",
            **OPEN,
        },
        {"a.md": "draft", "b.mdx": "draft", "c.md": "draft", "d.md": "draft"},
    ),
    "fields without a fence": (
        {
            "a.md": f"Slug: a\nTags:\nStatus: draft\n\n{WORDS}",
            "c.md": f"Note: draft\nStatus: draft\n\n{WORDS}",
            "d.md": f"Title: D\nStatus: draft\nand on.\n\n{WORDS}",
        },
        {"a.md": "draft"},
    ),
    "a section with a number of more digits than Python writes": (
        {
            "a/_index.md": f"+++\n[cascade]\nweight = 0x{'f' * 4000}\n+++\n{WORDS}",
            "a/x.md": WORDS,
            "b/_index.md": f"+++\n[cascade]\ndraft = 0x{'f' * 4000}\n+++\n{WORDS}",
            "b/y.md": WORDS,
        },
        {"b/_index.md": "draft", "b/y.md": "draft"},
    ),
    "front matter that cannot be read": (
        {
            "a.md": "---\ntitle: a: b\nsearch_exclude: true\n---\n" + WORDS,
            "b.md": "---\ntitle: a: b\npublishDate: 2999-01-01\n---\n" + WORDS,
            "c.md": "---\ntitle: a: b\ndraft: false\n---\n" + WORDS,
        },
        {"a.md": "hidden", "b.md": "future"},
    ),
    "a name": (
        {**OPEN, "a.draft.md": WORDS, "_drafts/b.md": WORDS},
        {"a.draft.md": "draft", "_drafts/b.md": "draft"},
    ),
    "excluded files of a vault": (
        {
            ".obsidian/app.json": json.dumps(
                {"userIgnoreFilters": ["private/", "Arch", "/(^|\\/)Secret\\//", "/old/"]}
            ),
            "Private/a.md": WORDS,
            "Archive.md": WORDS,
            "x/Secret/b.md": WORDS,
            "x/older.md": WORDS,
            "x/Private/c.md": WORDS,
        },
        dict.fromkeys(("Private/a.md", "Archive.md", "x/Secret/b.md", "x/older.md"), "excluded"),
    ),
    "templates of a vault within": (
        {
            "vault/.obsidian/templates.json": '{"folder": "Forms"}',
            "vault/.obsidian/daily-notes.json": '{"folder": "Days", "template": "Bits/Day"}',
            "vault/.obsidian/plugins/templater-obsidian/data.json": '{"templates_folder": "T/m"}',
            "vault/Forms/a.md": WORDS,
            "vault/Bits/Day.md": WORDS,
            "vault/T/m/b.md": WORDS,
            "vault/Days/d.md": WORDS,
            "Forms/e.md": WORDS,
        },
        dict.fromkeys(("vault/Forms/a.md", "vault/Bits/Day.md", "vault/T/m/b.md"), "excluded"),
    ),
    "expressions of a vault": (
        {
            ".obsidian/app.json": json.dumps(
                {"userIgnoreFilters": ["/^(diary|log)\\/\\d{4}/", "/[Pp]lan \\d+|_x\\.md$/"]}
            ),
            "Diary/2020/a.md": WORDS,
            "diary/b.md": WORDS,
            "x/plan 3.md": WORDS,
            "plan.md": WORDS,
            "c_x.md": WORDS,
        },
        dict.fromkeys(("Diary/2020/a.md", "x/plan 3.md", "c_x.md"), "excluded"),
    ),
    "templates of a vault's plugins": (
        {
            ".obsidian/zk-prefixer.json": '{"folder": "Days", "template": "Bits/note"}',
            ".obsidian/plugins/periodic-notes/data.json": '{"weekly": {"template": "Bits/w.md"}}',
            ".obsidian/plugins/quickadd/data.json": '{"a": [{"templatePath": "\\u00c9/q.md"}]}',
            ".obsidian/plugins/x/data.json": "{",
            "Bits/note.md": WORDS,
            "bits/w.md": WORDS,
            "É/q.md": WORDS,
            "Days/a.md": WORDS,
        },
        dict.fromkeys(("Bits/note.md", "bits/w.md", "É/q.md"), "excluded"),
    ),
    "hidden pages of Logseq": (
        {
            "logseq/config.edn": '{;; :hidden ["/x"]\n :hidden ["/Diary" "/pages/me.md"]}',
            "diary/a.md": WORDS,
            "pages/me.md": WORDS,
            "x/diary/b.md": WORDS,
        },
        dict.fromkeys(("diary/a.md", "pages/me.md"), "excluded"),
    ),
    "hidden pages of Logseq in UTF-16": (
        {"logseq/config.edn": '{:hidden ["/me"]}'.encode("utf-16"), "me/a.md": WORDS, **OPEN},
        {"me/a.md": "excluded"},
    ),
    "outlines without words": (
        {**OPEN, "a.md": "-\n", "b.md": "---\ntitle: May\n---\n\n- \n\t- \n* +\n", "c.md": "- x"}
        | {"d.md": "* [ ]\n* [x]\n", "e.md": "1.\n2.\n", "f.md": "- collapsed:: true\n-"},
        dict.fromkeys(("a.md", "b.md", "d.md", "e.md", "f.md"), "empty"),
    ),
    "notes of a vault": (
        {
            ".obsidian/app.json": "{}",
            "a.md": front("status: pending", "state: hidden", "workflow: [internal]"),
            "b.md": front("scheduled: 2999-01-01", "stage: embargo"),
            "c.md": front("draft: true"),
            "d.md": front("publish: false"),
        },
        {"c.md": "draft", "d.md": "draft"},
    ),
    "posts of a site that are notes of a vault": (
        {**HUGO, "content/.obsidian/app.json": "{}", "content/a.md": front("status: draft")}
        | {"content/open.md": WORDS},
        {"content/a.md": "draft"},
    ),
    "posts beside a folder that has the name of Logseq's": (
        {"logseq/a.md": front("status: draft"), **OPEN},
        {"logseq/a.md": "draft"},
    ),
}


@pytest.mark.parametrize("name", SITES)
def test_what_keeps_posts_back_from_afar_counts(tmp_path: Path, name: str) -> None:
    files, expected = SITES[name]
    blog = made(tmp_path, files)
    posts = {source for source in files if source.endswith((".md", ".mdx", ".qmd"))}
    assert (reasons(blog.report), set(blog.posts())) == (expected, posts - expected.keys())


@pytest.mark.parametrize("pattern", ["/^(?!open)/", "/(x)\\1/", "/[/"])
def test_an_expression_that_cannot_be_followed_keeps_all_of_a_vault_back(
    tmp_path: Path, pattern: str
) -> None:
    settings = {"userIgnoreFilters": [pattern]}
    vault = {"vault/.obsidian/app.json": json.dumps(settings), "vault/a.md": WORDS}
    blog = made(tmp_path, {**OPEN, **vault})
    assert pattern in reasons(blog.report)["vault/a.md"]
    assert list(blog.posts()) == ["open.md"]


def stamp(**ahead: float) -> str:
    return (datetime.now(UTC) + timedelta(**ahead)).isoformat(timespec="seconds")


def shifted(hours: float, zone: int) -> str:
    """The time in so many hours as clocks in a zone show it, with the zone behind it."""
    time = datetime.now(UTC) + timedelta(hours=hours + zone)
    return f"{time:%Y-%m-%d %H:%M:%S} {zone:+03}:00"


TIMES = [
    (f"publishDate: {stamp(hours=1)}\ndate: 2020-01-01", "future"),
    (f"publishDate: {stamp(minutes=-1)}\ndate: 2020-01-01", ""),
    (f"date: {shifted(1, 9)}", "future"),
    (f"date: {shifted(-1, 9)}", ""),
    (f"date: {shifted(1, -9)}", "future"),
    (f"date: {shifted(-1, -9)}", ""),
    (f"date: {datetime.now(UTC) + timedelta(hours=1):%B %d, %Y %I:%M %p} UTC", "future"),
    (f"date: {datetime.now(UTC):%Y-%m-%d}T00:00:00 Nowhere/Here", "future"),
    (f"date: {datetime.now(UTC):%a, %d %b %Y %H:%M:%S} GMT", ""),
    (f"date: {datetime.now(UTC) + timedelta(hours=1):%d.%m.%Y %H:%M} +0000", "future"),
    (f"date: {datetime.now(UTC):%d %B %Y} à 0h10", "future"),
    ("date: 2020-01-01\nrelease_at: 2099-05-01", "future"),
    (f"date: 2020-01-01\npublish_until: {stamp(minutes=-1)}", "expired"),
    (f"date: 2020-01-01\nembargo: {stamp(hours=1)}", "future"),
    (f"expiryDate: {stamp(minutes=-1)}", "expired"),
    (f"expiryDate: {stamp(hours=1)}", ""),
    (f"expires: '{datetime.now(UTC) - timedelta(hours=2):%Y-%m-%dT%H}Z'", "expired"),
    ("publishDate: 12/11/2099 10:00", "future"),
    ("publish_on: 2099-05", "future"),
    ("goLive: 1. Brumaire 2099", "future"),
    ("date: le 32/13/2099", "future"),
    ("date: 2020-01-01\npubDate: 1. März 2099", "future"),
    ("publishDate: 03/04/2020", ""),
    (f"published: {datetime.now(UTC).year}", ""),
    ("expires: 1er brumaire 2020", "expired"),
    ("unpublish_on: 04/03/2020 8pm", "expired"),
    ("expires: 2099", ""),
    (f"unpublish_date: {shifted(-1, 9)}", "expired"),
    (f"unpublish_date: {stamp(minutes=-1)}\ndraft: true", "draft"),
]


def test_a_post_is_public_from_its_instant_to_its_end_in_any_zone(tmp_path: Path) -> None:
    posts = {f"{number}.md": front(line) for number, (line, _) in enumerate(TIMES)}
    left_out = {f"{number}.md": reason for number, (_, reason) in enumerate(TIMES) if reason}
    assert reasons(made(tmp_path, posts).report) == left_out


@pytest.mark.parametrize(
    ("name", "text"), [("_config.yml", JEKYLL), ("hugo.yaml", "baseURL: https://ferry.example\n")]
)
def test_a_time_without_a_zone_is_one_of_the_site_s(tmp_path: Path, name: str, text: str) -> None:
    post = {"content/a.md": front(f"date: {datetime.now(UTC):%Y-%m-%dT%H:%M:%S}")}
    zoned = {name: f"{text}timeZone: Etc/GMT-13\ntimezone: Etc/GMT-13\n", **post}
    blog = made(tmp_path, {"content/open.md": front(), **zoned})
    assert "content/a.md" in blog.posts()
    blog.write({name: zoned[name].replace("-13", "+11")})
    report = json.loads(blog.ingest("--json", "--rebuild").out)
    assert reasons(report)["content/a.md"] == "future"
    ahead = datetime.now(UTC) + timedelta(hours=1)  # in the zone of the post
    blog.write({name: zoned[name], "content/a.md": front(f"date: {ahead:%Y-%m-%d %H:%M:%S} UTC")})
    report = json.loads(blog.ingest("--json", "--rebuild").out)
    assert reasons(report)["content/a.md"] == "future"


WHEN = {
    '::: {.content-visible when-profile="crew"}\nplum\n:::': False,
    "::: {.content-visible unless-profile='crew'}\nplum\n:::": False,
    "::: {.content-hidden}\nx\n\n## Part\n\n:::: {.note}\nx\n::::\nplum\n:::": False,
    '::: {.content-hidden when-format="html"}\nplum\n:::': False,
    '::: {.content-hidden unless-format="html"}\nplum\n:::': True,
    '::: {.content-visible when-format="pdf"}\nplum\n:::': False,
    '::: {.content-visible when-format="html"}\nplum\n:::': True,
    '::: {.content-visible when-meta="crew"}\nplum\n:::': False,
    "::: {.content-hidden}\nnever closed\n\nplum": False,
    "::: {.hidden}\nplum\n:::": False,
    "::: {.callout-note title='hidden'}\nplum\n:::": True,
    'See [the [red](x) plum]{.content-visible when-profile="crew"} there.': False,
    'See [the]{.content-visible when-profile="crew"} plum.': True,
    "Write `[x]{.content-hidden}` and plum.": True,
    "```{.python .content-hidden}\nplum = 1\n```": False,
    "```{python}\n#| echo: false\nplum = 1\n```": False,
    "```{r, include=FALSE}\nplum <- 1\n```": False,
    "```{python}\n#| eval: false\nplum = 1\n```": True,
    "```{=latex}\nplum\n```": False,
    "```{=html}\nplum\n```": True,
    "```markdown\n::: {.content-hidden}\nplum\n:::\n```": True,
    '{{% hugo-encryptor "x" %}}\nplum\n{{% /hugo-encryptor %}}': False,
}


@pytest.fixture(scope="module")
def by_audience(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Blog]:
    """A post with each of these, and the sources of those that are found by what it hides."""
    posts = {f"{n}.qmd": f"# Harbour\n\n{WORDS}\n{text}\n" for n, text in enumerate(WHEN)}
    blog = made(tmp_path_factory.mktemp("audience"), posts)
    return blog.sources("plum", "--limit", "20"), blog


@pytest.mark.parametrize(("number", "text"), [*enumerate(WHEN)])
def test_what_its_site_shows_to_some_alone_is_taken_out_of_a_post(
    by_audience: tuple[list[str], Blog], number: int, text: str
) -> None:
    by_word, blog = by_audience
    source = f"{number}.qmd"
    assert ("plum" in blog.tool("read_chunk", source=source, whole=True).text) is WHEN[text]
    assert (source in by_word) is WHEN[text]


def test_locked_posts_stay_out_where_drafts_are_asked_for(tmp_path: Path) -> None:
    posts = {**OPEN, "a.md": front("draft: true"), "b.md": front("password: plum")}
    assert set(made(tmp_path, posts, "--include-drafts").posts()) == {"open.md", "a.md"}
