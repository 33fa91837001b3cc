"""The cases of a release: who sees them, and finding them."""

import json
import re
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cases.case.queries import build_checks
from cases.models import Case, CaseTag, Release
from cases.rubric import fits, fitted
from cases.tags import workflow as tags_workflow
from tests.bed.cases import NOW, make_case, make_release
from tests.cases.case.case_lists import LIST, found, keys_on, page, put
from tests.cases.itinerary.filled_cases import nodes_of
from tests.people import AsUser

pytestmark = pytest.mark.django_db

NO_PLAN: dict[str, Any] = {"plan": None}
FAILED: dict[str, Any] = {"automated_summary": {"status": "FAIL"}}


@pytest.fixture
def release(db: None) -> Release:
    return make_release()


@pytest.fixture
def client(as_user: AsUser, ada: User) -> Client:
    return as_user(ada)


# Who comes in


def test_admins_and_managers_see_the_list_and_nobody_else(
    as_user: AsUser, release: Release, ada: User, mina: User, root: User, rita: User, sam: User
) -> None:
    expected = {ada: 200, mina: 200, root: 200, rita: 403, sam: 404}
    assert {
        expectation: as_user(expectation).get(LIST).status_code for expectation in expected
    } == expected
    to_sign_in = as_user(None).get(LIST)
    assert to_sign_in.status_code == 302
    assert to_sign_in.headers["Location"] == f"/sign-in/?next={quote(LIST, safe='')}"


def test_the_list_is_only_read(client: Client, release: Release) -> None:
    for method in ("post", "put", "patch", "delete"):
        assert getattr(client, method)(LIST).status_code == 405, method


def test_a_release_that_is_not_there_is_not_found(client: Client, release: Release) -> None:
    for name in ("wanderer-2", "WANDERER-1", "-", "a b", "%00", "x" * 81, "云溪"):
        assert client.get(f"/releases/{quote(name)}/cases/").status_code in (400, 404), name


def test_a_manager_sees_no_boxes_to_choose(
    as_user: AsUser, ada: User, mina: User, release: Release
) -> None:
    put(release, make_case())
    assert 'type="checkbox"' in page(as_user(ada))
    assert 'type="checkbox"' not in page(as_user(mina))
    Release.objects.update(status="reviewing")
    assert 'type="checkbox"' not in page(as_user(ada))


# Finding


def test_a_row_says_what_an_admin_asks_first(client: Client, release: Release) -> None:
    put(release, make_case(tags=["calm"]), make_case("bare", **NO_PLAN, **FAILED, locale=None))
    code = release.cases.get(case_key="yunxi-01").code
    text = re.sub(r"\s+", " ", " ".join(node.text for node in nodes_of(page(client))))
    assert (
        f"yunxi-01 {code} Two slow days in Yunxi, by tram, with a look at the paper mill. 2" in text
    )
    assert "Chinese passed calm" in text
    assert "failed no plan" in text


@pytest.fixture
def five(release: Release) -> Release:
    put(
        release,
        make_case("tram-1", request={"text": "两天慢游云溪，坐电车。"}),
        make_case("tram-2", request={"text": "A tram, a MILL and 100% rest."}, locale="en-US"),
        make_case("boat_3", request={"text": "By boat.\n\n  Then home."}, locale=None),
        make_case("河-4", request={"text": "x " * 400 + "needle"}, locale="zh"),
        make_case("t%m-5", request={"text": "Écoute l'eau \\ vite"}, locale="fr"),
    )
    return release


WORDS: dict[str, set[str]] = {
    "tram": {"tram-1", "tram-2"},
    "TRAM": {"tram-1", "tram-2"},
    "mill and": {"tram-2"},
    "云溪": {"tram-1"},
    "坐电车。": {"tram-1"},
    "河": {"河-4"},
    "%": {"tram-2", "t%m-5"},
    "_": {"boat_3"},
    "\\": {"t%m-5"},
    "boat. Then": {"boat_3"},
    "  boat  ": {"boat_3"},
    "l'eau": {"t%m-5"},
    "nobody": set(),
    "": {"tram-1", "tram-2", "boat_3", "河-4", "t%m-5"},
}


def test_words_are_found_in_key_and_request(client: Client, five: Release) -> None:
    assert {words: set(found(client, q=words)) for words in WORDS} == WORDS


def test_a_case_is_found_by_its_code(client: Client, five: Release) -> None:
    case = five.cases.get(case_key="boat_3")
    assert found(client, q=case.code) == ["boat_3"]
    assert found(client, q=case.code.lower()) == ["boat_3"]
    assert found(client, q=case.code[:4]) == []


def test_cases_of_other_releases_are_not_listed(client: Client, five: Release) -> None:
    put(make_release("wanderer-2"), make_case("tram-9"))
    assert set(found(client, q="tram")) == {"tram-1", "tram-2"}


def test_the_language_filter_takes_every_region(client: Client, five: Release) -> None:
    keys = {"zh": {"tram-1", "河-4"}, "en": {"tram-2"}, "fr": {"t%m-5"}, "xx": set()}
    assert {locale: set(found(client, locale=locale)) for locale in keys} == keys


@pytest.fixture
def checked(release: Release) -> Release:
    rows = {
        "passed": {},
        "passed-without-plan": NO_PLAN,
        "passed-unfinished": {"plan": {"status": "clarifying"}},
        "warned": {"automated_summary": {"status": "WARN"}},
        "failed": FAILED,
        "failed-without-plan": FAILED | NO_PLAN,
        "unchecked": {"automated_summary": None},
    }
    put(release, *(make_case(key, **changes) for key, changes in rows.items()))
    return release


KEYS_OF: dict[str, set[str]] = {
    "eligible": {"passed"},
    "pass": {"passed", "passed-without-plan", "passed-unfinished"},
    "warn": {"warned"},
    "fail": {"failed", "failed-without-plan"},
    "none": {"unchecked"},
    "not-passed": {"failed", "failed-without-plan", "unchecked"},
    "no-plan": {"passed-without-plan", "passed-unfinished"},
}


def test_the_check_filter(client: Client, checked: Release) -> None:
    for check, keys in KEYS_OF.items():
        assert set(found(client, check=check)) == keys, check
        rows = checked.cases.filter(build_checks(checked)[check])
        assert {case.case_key for case in rows} == keys, check


def test_the_counts_lead_to_as_many_cases(client: Client, checked: Release) -> None:
    html = page(client)
    counts = re.findall(r'<a href="([^"]*/cases/[^"]*)"><strong>(\d+)</strong>', html)
    assert [int(count) for _address, count in counts] == [7, 1, 3, 1, 3, 2]
    for address, count in counts:
        assert len(keys_on(client.get(unescape(address)).content.decode())) == int(count)


# Tags and kinds


@pytest.fixture
def tagged(release: Release, ada: User) -> Release:
    put(
        release,
        make_case("one", tags=["Beijing", "calm"]),
        make_case("two", tags=["calm", "low-budget"]),
        make_case("three", tags=["family"]),
        make_case("four", request={"days": 1, "must_visit": ["a", "b", "c"]}),
        make_case("five"),
    )
    codes = dict(release.cases.values_list("case_key", "code"))
    act: dict[str, Any] = {"release": release, "user": ada, "now": NOW}
    tags_workflow.take_away(codes=[codes["two"]], tag="calm", reason="no", **act)
    tags_workflow.give(codes=[codes["five"], codes["two"]], tag="family", reason="yes", **act)
    return release


def test_the_tag_filter_counts_what_stands(client: Client, tagged: Release) -> None:
    keys: dict[str, set[str]] = {
        "calm": {"one"},
        "beijing": {"one"},
        " BEIJING ": {"one"},
        "family": {"three", "five", "two"},
        "tight-schedule": {"four"},
        "cal": set(),
    }
    assert {tag: set(found(client, tag=tag)) for tag in keys} == keys


def test_the_kind_filter_and_the_kinds_of_a_row_are_one_rule(
    client: Client, tagged: Release
) -> None:
    kinds = tagged.rubric.document.sampling.kinds
    cases = list(tagged.cases.prefetch_related("tags"))
    tags = CaseTag.objects.names_in(cases)
    assert {case.pk: case.standing_tags for case in cases if case.standing_tags} == tags
    filled = 0
    for kind in kinds:
        asked = set(found(client, kind=kind.key))
        shown = [case for case in cases if kind in fitted(tags.get(case.pk, []), kinds)]
        assert asked == {case.case_key for case in shown}
        assert asked == {case.case_key for case in Case.objects.of(tagged).fitting(kind)}
        assert asked == {case.case_key for case in cases if fits(case.standing_tags, kind)}
        filled += bool(asked)
    assert filled >= 3


def test_filters_hold_together(client: Client, tagged: Release) -> None:
    assert found(client, tag="family", q="w", sort="-key") == ["two", "three", "five"]
    assert found(client, tag="family", q="three", sort="-key") == ["three"]
    assert found(client, tag="family", check="fail") == []


def test_what_does_not_exist_is_said(client: Client, release: Release) -> None:
    assert "No cases yet." in page(client)
    put(release, make_case())
    nothing = page(client, q="nobody")
    assert "No case fits." in nothing
    assert "No cases yet." not in nothing
    beyond = page(client, after=json.dumps(["zzz"]))
    assert keys_on(beyond) == []
    assert "No cases yet." not in beyond
