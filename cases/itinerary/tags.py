"""How a tag is written: declared in a file, named by a kind of the rubric, set by an admin."""


def normal_tag(tag: str) -> str:
    return tag.strip().lower().replace("_", "-")
