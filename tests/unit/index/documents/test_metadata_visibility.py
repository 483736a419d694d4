import datetime as dt

import pytest

from blog_search_mcp.index.documents.metadata import check_visibility

TODAY = dt.date(2026, 11, 20)


@pytest.mark.parametrize(
    ("fields", "source", "expected"),
    [
        ({}, "a.md", None),
        ({"draft": True}, "a.md", "draft"),
        ({"Draft": "True"}, "a.md", "draft"),
        ({"draft": "yes"}, "a.md", "draft"),
        ({"draft": False}, "a.md", None),
        ({"draft": "false"}, "a.md", None),
        ({"draft": None}, "a.md", None),
        ({"published": "false"}, "a.md", "draft"),
        ({"published": True}, "a.md", None),
        ({"status": "Draft"}, "a.md", "draft"),
        ({"status": "published"}, "a.md", None),
        ({"publish": "false"}, "a.md", "draft"),
        ({"publish": True}, "a.md", None),
        ({"unlisted": True}, "a.md", "draft"),
        ({"hidden": False}, "a.md", None),
        ({"private": "yes"}, "a.md", "draft"),
        ({"permalink": False}, "a.md", "draft"),
        ({"permalink": "/a/"}, "a.md", None),
        ({"eleventyExcludeFromCollections": True}, "a.md", "draft"),
        ({"_build": {"list": "never"}}, "a.md", "draft"),
        ({"build": {"render": "always"}}, "a.md", None),
        ({"build": {"render": "never"}}, "a.md", "draft"),
        ({"build": {"render": "link", "list": "always"}}, "a.md", "draft"),
        ({"_build": {"render": False}}, "a.md", "draft"),
        ({"headless": True}, "a/index.md", "draft"),
        ({"render": False}, "a.md", "draft"),
        ({"render": True, "headless": False}, "a.md", None),
        ({"ignorePublish": "true", "private": "false"}, "a.md", "draft"),
        ({}, "_drafts/a.md", "draft"),
        ({}, "_drafts.md", None),
        ({"draft": True, "date": "2999-01-01"}, "a.md", "draft"),
        ({"date": "2026-11-20"}, "a.md", None),
        ({"date": "2026-11-21"}, "a.md", "future"),
        ({"date": "2020-01-01", "publishDate": "2027-01-01"}, "a.md", "future"),
        ({"date": "2027-01-01", "publishDate": "2020-01-01"}, "a.md", None),
        ({"updated": "2027-01-01"}, "a.md", None),
        ({}, "_posts/2027-01-01-a.md", "future"),
        ({"expiryDate": "2026-11-19"}, "a.md", "expired"),
        ({"expires": dt.date(2026, 11, 20)}, "a.md", None),
        ({"expires": "never"}, "a.md", None),
    ],
)
def test_what_is_not_published_today_is_said(
    fields: dict[str, object], source: str, expected: str | None
) -> None:
    assert check_visibility(fields, source, TODAY).left_out == expected


def test_the_last_day_of_a_post_is_an_iso_day() -> None:
    assert check_visibility({"unpublishDate": "May 1, 2027"}, "a.md", TODAY).expires == "2027-05-01"
    assert check_visibility({}, "a.md", TODAY).expires is None
