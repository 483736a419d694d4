"""Pattern for the end of a sentence, in scripts with and without spaces."""


def write_sentence_end_pattern(
    marks: str = ".!?", wide_marks: str = "。！？；", closers: str = ""
) -> str:
    """Return a regular expression for the marks that end a sentence, and closing quotes.

    `marks` end a sentence before white space, `wide_marks` anywhere. After `marks` may come quotes,
    brackets and `closers`. A match never begins inside a run of `marks`, since a line of dots would
    then take minutes.
    """
    return (
        f"[{wide_marks}{marks}]"  # by itself, so that `re` skips to the next one: 6 times as fast
        rf"(?:(?<=[{wide_marks}])[{wide_marks}]*[」』”’）]*"
        rf"|(?<=(?<![{marks}])[{marks}])[{marks}]*+[\"')\]{closers}]*+(?=\s))"
    )
