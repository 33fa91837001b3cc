"""The cases of a release in order: page after page without losing one, whatever is asked."""

import json
import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django.asserts import assertTemplateUsed

from cases.case.queries import SORTS
from cases.case.views import PAGE_SIZE, place_in
from cases.models import Release
from evalsite.paging import beyond
from tests.bed import soak
from tests.bed.cases import import_lines, make_case, make_release, many
from tests.cases.case.case_lists import LIST, found, keys_on, next_of, page, put, walk
from tests.cases.itinerary.filled_cases import nodes_of
from tests.people import AsUser

pytestmark = pytest.mark.django_db

FAILED: dict[str, Any] = {"automated_summary": {"status": "FAIL"}}


@pytest.fixture
def release(db: None) -> Release:
    return make_release()


@pytest.fixture
def client(as_user: AsUser, ada: User) -> Client:
    return as_user(ada)


def test_each_order_is_what_it_says(client: Client, release: Release) -> None:
    def days(count: int) -> dict[str, Any]:
        return {"plan": {"days": [{"items": [{"title": "x"}]}] * count}}

    put(
        release,
        make_case("b", **days(2), **FAILED),
        make_case("a", **days(3)),
        make_case("c", **days(2)),
    )
    expected = {
        "key": ["a", "b", "c"],
        "-key": ["c", "b", "a"],
        "days": ["b", "c", "a"],
        "-days": ["a", "b", "c"],
        "checks": ["b", "a", "c"],
    }
    assert set(expected) == set(SORTS)
    assert {sort: found(client, sort=sort) for sort in SORTS} == expected


ODD_KEYS = ["é", "É", "a b", "A", "a", "Z", "ä", "云", "_", "%", '"', "'", "[", "😀", "\u202e", "-"]


def varied(count: int) -> list[dict[str, Any]]:
    """Few values for days and checks, so that many are equal; keys of every sort."""
    rows = []
    for number in range(count):
        odd = ODD_KEYS[number % len(ODD_KEYS)]
        status = ("PASS", "FAIL", "WARN", None)[number % 4]
        plan = {"days": [{"items": [{"title": "x"}]}] * (number % 3)}
        summary = {"status": status} if status else None
        rows.append(make_case(f"{odd}{number}", plan=plan, automated_summary=summary))
    return rows


@pytest.fixture
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cases.case.views.PAGE_SIZE", 20)


@pytest.mark.usefixtures("short_pages")
def test_paging_visits_each_case_once_in_every_order(client: Client, release: Release) -> None:
    rows = varied(48)
    put(release, *rows)
    for sort, order in SORTS.items():
        pages = walk(client, sort=sort)
        assert [len(found_page) for found_page in pages] == [20, 20, 8], sort
        visited = [key for found_page in pages for key in found_page]
        assert visited == [case.case_key for case in release.cases.order_by(*order)]
        assert sorted(visited) == sorted(row["case_key"] for row in rows)


@pytest.mark.usefixtures("short_pages")
def test_paging_among_equals_visits_each_case_once(client: Client, release: Release) -> None:
    import_lines(release, many(48))
    for sort in ("days", "-days", "checks"):
        pages = walk(client, sort=sort)
        assert [len(found_page) for found_page in pages] == [20, 20, 8], sort
        assert len({key for found_page in pages for key in found_page}) == 48


@pytest.mark.parametrize(("count", "pages"), [(PAGE_SIZE, 1), (PAGE_SIZE + 1, 2)])
def test_a_full_page_has_no_next_one(
    client: Client, release: Release, count: int, pages: int
) -> None:
    import_lines(release, many(count))
    assert len(walk(client)) == pages


def test_paging_keeps_the_filters_and_leads_back_to_the_start(
    client: Client, release: Release
) -> None:
    import_lines(release, many(60, tags=["calm"]), many(60, prefix="other"))
    pages = walk(client, tag="calm", q="yunxi", sort="-key")
    assert [len(found_page) for found_page in pages] == [50, 10]
    second = client.get(LIST + (next_of(page(client, tag="calm", sort="-key")) or ""))
    html = second.content.decode()
    back = re.search(r'href="([^"]*)">Back to the start', html)
    assert back is not None
    first = client.get(LIST + unescape(back[1])).content.decode()
    assert keys_on(first) == found(client, tag="calm", sort="-key")


def test_a_case_that_comes_while_paging_does_not_shift_the_others(
    client: Client, release: Release
) -> None:
    import_lines(release, many(60))
    html = page(client)
    put(release, make_case("aaa-first"))
    rest = keys_on(client.get(LIST + (next_of(html) or "")).content.decode())
    assert len(rest) == 10
    assert not set(rest) & set(keys_on(html))


def test_htmx_gets_the_rows_alone_and_the_way_back_gets_the_page(
    client: Client, release: Release
) -> None:
    put(release, make_case())
    part = client.get(LIST, headers={"HX-Request": "true"})
    assert part.content.decode().lstrip().startswith('<div id="cases">')
    assertTemplateUsed(part, "cases/case/_case_rows.html")
    restored = client.get(
        LIST, headers={"HX-Request": "true", "HX-History-Restore-Request": "true"}
    )
    assert "<html" in restored.content.decode()
    assert keys_on(part.content.decode()) == ["yunxi-01"]


# What the address may hold

ODD = {
    "empty": "",
    "spaces": "   ",
    "number": "7",
    "huge number": "9" * 5000,
    "negative": "-1",
    "float": "1e400",
    "null": "null",
    "object": '{"a": 1}',
    "list": "[]",
    "deep": "[" * 3000,
    "deeper": "[" * 3000 + "]" * 3000,
    "key": '["yunxi-0001"]',
    "numbers": "[1, 2]",
    "days": '[1000000, "a"]',
    "huge days": f'[{"9" * 4000}, "a"]',
    "huge days in 64 bits": f'[{2**63}, "a"]',
    "negative days": f'[{-(2**70)}, "a"]',
    "float days": '[1.5, "a"]',
    "true days": '[true, "a"]',
    "nan": '[NaN, "a"]',
    "pass": '["PASS", "a"]',
    "unknown status": '["x", "a"]',
    "three": '["a", "b", "c"]',
    "nested": '[["a"]]',
    "a half character": '["\\ud800"]',
    "two half characters": '["\\udfff", "\\ud800"]',
    "NUL in JSON": '["\\u0000"]',
    "NUL in the key": '[3, "a\\u0000b"]',
    "unicode": "云溪\u202e\u200b😀é",
    "not JSON": "['a']",
    "5000 letters": "x" * 5000,
    "5000 letters as a place": json.dumps(["x" * 5000]),
    "SQL": "' OR 1=1; --",
    "wildcards": "%_\\%",
    "a field": "release__rubric__text",
}


def test_nonsense_in_any_parameter_gives_a_list(client: Client, release: Release) -> None:
    import_lines(release, many(3))
    client.raise_request_exception = False
    wrong = []
    for name, value in ODD.items():
        asked: list[dict[str, str]] = [dict.fromkeys(("check", "kind", "sort", "after"), value)]
        if value[:1] != "[":  # to the filters a place is but another text
            asked += [{entry: value} for entry in ("q", "tag", "locale")]
        for item in asked:
            response = client.get(LIST, item)
            if response.status_code != 200 or not nodes_of(response.content.decode()):
                wrong.append((name, *item))
    assert wrong == []


@pytest.mark.parametrize("sort", list(SORTS))
def test_the_database_takes_every_place_that_is_not_left_out(release: Release, sort: str) -> None:
    """As the page asks it, in every order."""
    order, taken = SORTS[sort], 0
    for value in ODD.values():
        if place := place_in(value, order):
            taken += 1
            assert list(release.cases.filter(beyond(order, place)).order_by(*order)) == []
    assert taken, "no place was left to ask for"


@pytest.mark.soak
@settings(
    max_examples=soak.size(short=20, long=3000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    place=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
    ),
    sort=st.sampled_from(list(SORTS)),
)
def test_any_json_as_a_place_gives_a_list(
    client: Client, release: Release, place: Any, sort: str
) -> None:
    asked = {"after": json.dumps(place), "sort": sort}
    assert client.get(f"{LIST}?{urlencode(asked)}").status_code == 200


def test_a_parameter_given_twice_or_never_heard_of_is_no_matter(
    client: Client, release: Release
) -> None:
    put(release, make_case())
    assert keys_on(client.get(f"{LIST}?q=a&q=yunxi&utm=1&=&after").content.decode()) == ["yunxi-01"]


# What it costs


def test_the_list_costs_the_same_for_10_30_and_100_cases(client: Client, release: Release) -> None:
    client.get(LIST)
    costs = {}
    for count in (10, 30, 100):
        import_lines(release, many(count, tags=["calm", "beijing"]))
        with CaptureQueriesContext(
            connection,
        ) as queries:
            page(client)
        costs[count] = len(queries)
    assert len(set(costs.values())) == 1
    # session, person, roles, release, translations of its rubric, rows, tags, counts
    assert costs[10] <= 8


def test_the_itineraries_themselves_are_not_read(client: Client, release: Release) -> None:
    import_lines(release, many(10))
    with CaptureQueriesContext(connection) as queries:
        page(client, sort="-days", q="tram", tag="", check="eligible")
    sql = " ".join(query["sql"] for query in queries)
    assert '"cases_case"."case_key"' in sql
    assert '"cases_case"."data"' not in sql
