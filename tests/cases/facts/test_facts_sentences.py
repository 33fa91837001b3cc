"""What a fact is made of: words of the case, numbers of days, singular and plural."""

from cases.facts import Fact, Topic, Words
from cases.facts.sentences import fact, ngettext, numbers, quoted, several


def test_days_are_written_as_people_write_them() -> None:
    assert numbers([]) == ""
    assert numbers([2]) == "2"
    assert numbers([3, 1, 2, 2]) == "1–3"
    assert numbers([1, 2, 5, 6, 7, 9]) == "1, 2, 5–7, 9"


def test_quoted_words_are_one_short_line() -> None:
    assert quoted("a\n b\t c", "/p") == Words("a b c", "/p")
    assert quoted("  ", "/p").text == "?"
    assert quoted("x" * 80, "/p").text == "x" * 80
    assert quoted("x" * 81, "/p").text == "x" * 79 + "…"
    assert quoted("<b>%s" + " " * 20_000 + "y", "/p").text == "<b>%s…"


def test_the_same_words_stand_once_in_a_list() -> None:
    found = several(Words(text, f"/{place}") for place, text in enumerate("abcaabdefghijk"))
    assert "".join(words.text for words in found) == "abcdefgh"
    assert found[0].pointer == "/0"


def test_the_count_decides_between_singular_and_plural() -> None:
    def made(count: int) -> Fact:
        both = ngettext("%(count)d day", "%(count)d days")
        return fact(Topic.PACE, "k", both, ("/a", "/b", "/a"), count=count)

    assert [made(count).sentence for count in (0, 1, 2)] == ["0 days", "1 day", "2 days"]
    assert made(1).refs == ("/a", "/b")
