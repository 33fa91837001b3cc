"""The list of releases, and the search of releases and cases."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cases.models import Release
from cases.models import cases as counting
from cases.templatetags import cases as wording
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import queries as releases_queries
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW, import_lines, lines, make_case, make_release
from tests.reviews.releases.life_pages import NAME, RELEASE, code_of, queries_of, signed, words

pytestmark = pytest.mark.usefixtures("rubric")


# --- The list -------------------------------------------------------------------------------------


def row_of(response: Any, name: str) -> list[str]:
    """The cells of a release's row."""
    rows = re.findall(r"<tr>(.*?)</tr>", response.content.decode(), re.DOTALL)
    [row] = [row for row in rows if f">{name}</a>" in row]
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
    return [re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", cell)).strip() for cell in cells]


def test_the_list_says_how_far_each_release_is(
    admin: Client, reviewers: tuple[User, User], mina: User
) -> None:
    make_release("empty")
    bed.drawn("drawn")
    bed.put_judgements(bed.started("started"), {"kids": {reviewers[0]: bed.judgement()}})
    signed(mina, reviewers[0])
    gone = bed.started("gone", k=1)
    bed.put_judgements(gone, {"kids": {reviewers[0]: bed.judgement()}})
    releases_lifecycle.abandon(release=gone, reason="r", user=None, now=NOW)
    page = admin.get("/releases/")
    bed.put_judgements(
        bed.started("uneven"),
        {
            "kids": {one: bed.judgement() for one in (*reviewers, mina)},
            "rush": {mina: bed.judgement()},
        },
    )
    assert row_of(admin.get("/releases/"), "uneven")[5] == "3 of 10", "no more than each needs"
    assert row_of(page, "empty")[2:6:2] == ["draft", "–"]
    assert row_of(page, "drawn")[2:6] == ["draft", "8 cases", "5 of 5", "0 of 10"]
    assert row_of(page, "started")[2:6] == ["reviewing", "8 cases", "5 of 5", "1 of 10"]
    assert row_of(page, NAME)[2:] == [
        *("closed", "8 cases", "5 of 5", "5 of 5", "–"),
        "GO one reader per case comparison not assessed: no baseline 4.0 · 4.0",
        *("ship", "mina"),
    ]
    assert re.search('title="[^":]+: 4.0, [^":]+: 4.0">4.0 · 4.0<', page.content.decode())
    assert row_of(page, "gone")[2:8] == ["abandoned", "8 cases", "1 of 5", "1 of 5", "–", "–"]


def test_the_list_counts_only_reviews_of_the_plan(
    admin: Client, reviewers: tuple[User, User]
) -> None:
    release = bed.started(NAME)
    amendments.add(release=release, case_key="spare-1", reason="r", user=None, now=NOW)
    bed.put_judgements(release, {"spare-1": {one: bed.judgement() for one in reviewers}})
    assert row_of(admin.get("/releases/"), NAME)[5] == "0 of 10"
    bed.put_judgements(release, {"kids": {reviewers[0]: bed.judgement()}})
    assert row_of(admin.get("/releases/"), NAME)[5] == "1 of 10"


@pytest.mark.parametrize(
    ("most", "said", "counted"),
    [(8, "8 cases", 8), (7, "more than 7 cases", 8), (5, "more than 5 cases", 6)],
)
def test_the_list_counts_the_cases_of_a_release_so_far_and_no_further(
    admin: Client, monkeypatch: pytest.MonkeyPatch, most: int, said: str, counted: int
) -> None:
    for module in (counting, wording):
        monkeypatch.setattr(module, "MOST_COUNTED_IN_LISTS", most)
    bed.filled("eight")
    assert row_of(admin.get("/releases/"), "eight")[3] == said
    assert (
        Release.objects.annotate(found=counting.case_count()).values_list("found", flat=True).get()
        == counted
    )


# --- The search -----------------------------------------------------------------------------------


def found_cases(client: Client, text: str) -> list[str]:
    return listed_on(client.get("/releases/", {"q": text}))


def listed_on(answer: Any) -> list[str]:
    assert answer.status_code == 200
    page = answer.content.decode()
    return re.findall(r'<a class="key" href="/cases/[^"]*"><bdi>([^<]*)</bdi>', page)


def test_the_search_finds_cases_by_key_code_and_words_of_the_request(admin: Client) -> None:
    release = bed.filled()
    bed.bring(release, bed.row("mullion", request={"text": "带孩子看窗棂, quickly by TRAM"}))
    code = code_of("mullion")
    for text in ("mullion", "MULL", code, code.lower(), f" {code} ", "窗棂", "quickly by tram"):
        assert found_cases(admin, text) == ["mullion"], text
    assert found_cases(admin, "no such words") == []
    for text in ("窗棂 孩子", "tram mull", "tram  带孩子看窗棂, mullion"):
        assert found_cases(admin, text) == ["mullion"], text
    assert found_cases(admin, "窗棂 bus") == []
    assert f'href="{RELEASE}"' in admin.get("/releases/", {"q": "-1 wander"}).content.decode()
    both = admin.get("/releases/", {"q": "wanderer"})
    assert f'href="{RELEASE}"' in both.content.decode()


def test_the_search_takes_its_signs_literally(admin: Client) -> None:
    release = bed.filled()
    bed.bring(release, bed.row("a_b", request={"text": "100% calm"}), bed.row("axb"))
    assert found_cases(admin, "a_b") == ["a_b"]
    assert found_cases(admin, "100%") == ["a_b"]
    assert found_cases(admin, "%") == ["a_b"]
    assert found_cases(admin, "_") == ["a_b"]
    assert found_cases(admin, "\\") == []


def test_the_search_never_lists_more_than_20_cases_and_says_so(admin: Client) -> None:
    release = make_release()
    import_lines(release, lines(*(make_case(f"case-{n:02}") for n in range(20))))
    page = admin.get("/releases/?q=case-")
    assert len(listed_on(page)) == 20
    assert "There are more" not in words(page)
    bed.bring(release, bed.row("case-20"), bed.row("case"))
    pages = {text: admin.get("/releases/", {"q": text}) for text in ("case-", "case", "Yunxi")}
    for page in pages.values():
        assert len(listed_on(page)) == 20
        assert "There are more" in words(page)
    assert listed_on(pages["case"])[0] == "case", "the exact key comes first"


def test_the_search_says_when_it_looked_for_words_in_the_newest_cases_only(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    bed.filled()
    said = "The newest 3 cases were searched for words; all cases for keys and codes."
    for most, is_said in ((3, True), (8, False)):
        monkeypatch.setattr(releases_queries, "MOST_SEARCHED", most)
        assert (said in words(admin.get("/releases/", {"q": "nothing"}))) == is_said


def test_odd_text_in_the_search_finds_nothing_and_is_shown_as_text(admin: Client) -> None:
    make_release()
    for text, code in (
        ("a\0b", 400),
        ("x" * 3000, 200),
        ("' --", 200),
        ("<b>x</b>", 200),
        ("a " * 1500, 200),
    ):
        answer = admin.get("/releases/", {"q": text})
        assert answer.status_code == code
        assert "<b>x" not in answer.content.decode()


# --- As many queries for much as for little -------------------------------------------------------


def test_the_list_takes_the_same_queries_for_1_release_as_for_12(
    admin: Client, rita: User, mina: User
) -> None:
    make_release("alone")
    counts = [queries_of(admin, "/releases/")]
    signed(mina, rita)
    for number in range(2):
        bed.started(f"started-{number}", without=bed.SPARE)
        bed.drawn(f"drawn-{number}", without=bed.SPARE)
    for number in range(6):
        release = make_release(f"empty-{number}")
        if number % 2:
            releases_lifecycle.abandon(release=release, reason="r", user=None, now=NOW)
    assert Release.objects.count() == 12
    counts.append(queries_of(admin, "/releases/"))
    assert len(set(counts)) == 1, counts


def test_to_count_reviews_only_the_samples_of_the_releases_under_way_are_read(
    admin: Client, rita: User
) -> None:
    """PostgreSQL read those of all releases to join the few: the list grew with the archive."""
    release = bed.started("started", without=bed.SPARE)
    bed.put_judgements(release, {"kids": {rita: bed.judgement()}})
    with CaptureQueriesContext(connection) as asked:
        assert "1 of 10" in words(admin.get("/releases/"))
    [counting] = [one["sql"] for one in asked if 'FROM "reviews_review"' in one["sql"]]
    for table in ("reviews_review", "reviews_sampledcase"):
        assert f'"{table}"."release_id" IN ({release.pk})' in counting


def test_of_closed_releases_the_list_reads_only_what_was_stored_at_closing(
    admin: Client, rita: User, mina: User
) -> None:
    signed(mina, rita)
    Release.objects.exclude(name=NAME).update(archived_at=NOW)
    with CaptureQueriesContext(connection) as asked:
        page = admin.get("/releases/")
    assert row_of(page, NAME)[4:6] == ["5 of 5", "5 of 5"]
    for table in ("cases_rubric", "reviews_sampledcase", "reviews_review"):
        assert not [query["sql"] for query in asked if f'FROM "{table}"' in query["sql"]], table


def test_the_search_takes_the_same_queries_for_1_case_as_for_20(admin: Client) -> None:
    release = make_release()
    bed.bring(release, bed.row("case-0"))
    counts = [queries_of(admin, "/releases/?q=case-")]
    bed.bring(release, *(bed.row(f"case-{number}") for number in range(1, 20)))
    counts.append(queries_of(admin, "/releases/?q=case-"))
    assert len(set(counts)) == 1, counts
