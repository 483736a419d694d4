"""What a generation knows of its series, as posts are edited."""

from tests.support.blog import MakeBlog


def raft(title: str, series: str = "Raft") -> str:
    return f"---\nlang: en\nseries: {series}\n---\n# {title}\n\nLeaders.\n"


def test_relations_follow_an_edit_of_the_text_and_of_the_series(blog: MakeBlog) -> None:
    others = {"c.md": "# Paxos\n\nNumbers.\n", "d.md": "# Notes\n\nMore.\n"}
    made = blog({"a.md": raft("Raft one"), "b.md": raft("Raft two"), **others})

    def parts(text: str, source: str) -> set[str]:
        made.write({source: text})
        made.ingest()
        listing = made.reader().snapshot.catalog
        assert listing.series().keys() <= listing.every_post().keys()
        return {part.source for series in listing.series().values() for part in series.parts}

    assert parts(raft("Raft one") + "They are elected.\n", "a.md") == {"a.md", "b.md"}
    assert parts(raft("Notes"), "d.md") == {"a.md", "b.md", "d.md"}
    assert parts("# Notes\n\nMore.\n", "d.md") == {"a.md", "b.md"}
    assert parts(raft("Raft one", "Paxos"), "a.md") == set()
