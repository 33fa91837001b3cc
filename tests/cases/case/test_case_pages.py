"""The page of one case, and of one case in two releases."""

import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from cases.models import Case, Release
from cases.tags import workflow as tags_workflow
from tests.bed.cases import NOW, PLAN, import_lines, lines, make_case, make_release
from tests.cases.itinerary.filled_cases import Node, filled, nodes_of
from tests.people import AsUser

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(db: None) -> Release:
    return make_release()


def put(release: Release, *rows: dict[str, Any]) -> Case:
    """Import rows; the first of them as a case."""
    import_lines(release, lines(*rows))
    return release.cases.get(case_key=rows[0]["case_key"])


def nodes(client: Client, address: str) -> list[Node]:
    response = client.get(address)
    assert response.status_code == 200
    return nodes_of(response.content.decode())


def words(found: list[Node]) -> str:
    return re.sub(r"\s+", " ", " ".join(node.text for node in found))


def page_text(client: Client, address: str) -> str:
    return words(nodes(client, address))


# Who comes in


@pytest.fixture
def addresses(release: Release) -> list[str]:
    """Of the case, and of the case against the release before."""
    before = put(make_release("wanderer-0"), make_case())
    case = put(release, make_case(plan={"title": "Other"}))
    return [f"/cases/{case.code}/", f"/cases/{case.code}/against/{before.code}/"]


@pytest.mark.parametrize(
    ("who", "status"),
    [("ada", 200), ("mina", 200), ("root", 200), ("rita", 403), ("sam", 404), (None, 302)],
)
def test_admins_and_managers_read_cases_and_nobody_else(
    request: pytest.FixtureRequest,
    as_user: AsUser,
    addresses: list[str],
    who: str | None,
    status: int,
) -> None:
    client = as_user(request.getfixturevalue(who) if who else None)
    for address in addresses:
        response = client.get(address)
        assert response.status_code == status
        if status == 302:
            assert response.headers["Location"] == f"/sign-in/?next={quote(address, safe='')}"


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_cases_are_only_read_here(
    as_user: AsUser, ada: User, addresses: list[str], method: str
) -> None:
    for address in addresses:
        response = getattr(as_user(ada), method)(address)
        assert response.status_code == 405
        assert response.headers["Allow"] == "GET, HEAD"


def test_a_code_that_names_nothing_is_not_found(
    as_user: AsUser, ada: User, addresses: list[str]
) -> None:
    client = as_user(ada)
    code = addresses[0].split("/")[2]
    for wrong in ("BBBBB", code.lower(), code[:4], code + "2", "AEIOU", "987", "%00%00%00%00%00"):
        assert client.get(f"/cases/{wrong}/").status_code in (400, 404), wrong
        assert client.get(f"/cases/{code}/against/{wrong}/").status_code in (400, 404), wrong
        assert client.get(f"/cases/{wrong}/against/{code}/").status_code in (400, 404), wrong


def test_a_manager_reads_tags_but_cannot_change_them(
    as_user: AsUser, ada: User, mina: User, release: Release
) -> None:
    case = put(release, make_case(tags=["tram-lovers"]))
    address = case.get_absolute_url()
    assert "tram-lovers" in page_text(as_user(mina), address)
    assert "Change a tag" not in page_text(as_user(mina), address)
    assert "Change a tag" in page_text(as_user(ada), address)
    Release.objects.update(status="reviewing")
    assert "Change a tag" not in page_text(as_user(ada), address)


# The page of a case


def test_the_page_shows_request_plan_facts_and_what_reviewers_do_not_see(
    as_user: AsUser, mina: User, release: Release
) -> None:
    case = put(
        release,
        make_case(
            tags=["tram-lovers"],
            plan={"notes": ["Trams run until 22:00.", "routing_confidence=0.93"]},
            automated_checks={
                "has_days": {"status": "pass", "evidence": "2 of 2"},
                "has_lodging": {"status": "fail", "evidence": {"found": [0, "无"]}},
                "has_money": {"status": "warn", "evidence": None},
            },
            surprise={"深": [1, None]},
        ),
    )
    found = page_text(as_user(mina), case.get_absolute_url())
    for shown in (
        *("Two slow days in Yunxi, by tram, with a look at the paper mill.", "2 people", "relaxed"),
        *("not stated:", "云溪两日", "Paper mill", "09:30–11:00", "Tea museum", "rain"),
        *("Trams run until 22:00.", "640 CNY", "tickets", "F1", "Days asked: 2; planned: 2."),
        *(case.code, "yunxi-01", "wanderer-1", "tram-lovers", "declared in the file."),
        *("passed has_days 2 of 2", 'failed has_lodging {"found": [0, "无"]}', "warning has_money"),
        *(
            "Machine text: 1 note",
            "routing_confidence=0.93",
            "Other fields: 1",
            '{"深": [1, null]}',
        ),
    ):
        assert shown in found, shown


def test_machine_text_stands_only_in_the_folded_part_for_admins_and_managers(
    as_user: AsUser, ada: User, release: Release
) -> None:
    case = put(release, make_case(plan={"notes": ["Ask for Li. | persona=slowwalker"]}))
    found = nodes(as_user(ada), case.get_absolute_url())
    holding = [node for node in found if "slowwalker" in node.text]
    assert len(holding) == 1
    assert holding[0].is_inside("section", "staff")
    assert holding[0].is_inside("details")
    assert not holding[0].is_inside("div", "itinerary")


def test_nothing_but_the_block_and_facts_speaks_outside_the_staff_part(
    as_user: AsUser, ada: User, release: Release
) -> None:
    """Tags, checks, source and other fields have one place, marked as not for reviewers."""
    row = filled(lambda pointer: f"at{pointer}.", case_key="yunxi-01")
    case = put(release, row)
    hidden = [
        node
        for node in nodes(as_user(ada), case.get_absolute_url())
        if re.search(r"at/(tags|source|automated_checks|slots|id|release|produced_by)", node.text)
    ]
    assert hidden
    assert all(node.is_inside("section", "staff") for node in hidden)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"automated_summary": {"status": "FAIL"}}, "outside the scope of human review"),
        ({"automated_summary": {"status": "WARN"}}, "the release takes only passed cases"),
        ({"automated_summary": None}, "outside the scope of human review"),
        ({"plan": None}, "never sampled"),
        ({"plan": {"status": "error"}}, "never sampled"),
        ({}, None),
    ],
)
def test_a_case_that_is_never_sampled_says_why(
    as_user: AsUser,
    ada: User,
    release: Release,
    changes: dict[str, Any],
    sentence: str | None,
) -> None:
    case = put(release, make_case(**changes))
    found = page_text(as_user(ada), case.get_absolute_url())
    if sentence:
        assert sentence in found
    else:
        assert "never sampled" not in found


def test_each_tag_stands_with_its_source_and_reason(
    as_user: AsUser, ada: User, release: Release
) -> None:
    case = put(
        release, make_case(tags=["calm"], request={"days": 1, "must_visit": ["a", "b", "c"]})
    )
    act: dict[str, Any] = {"release": release, "codes": [case.code], "user": ada, "now": NOW}
    tags_workflow.give(tag="checked", reason="Read it twice <b>", **act)
    tags_workflow.take_away(tag="calm", reason="It is not.", **act)
    found = page_text(as_user(ada), case.get_absolute_url())
    assert "calm taken away by an admin. It is not." in found
    assert "checked given by an admin. Read it twice <b>" in found
    assert "tight-schedule detected. 3 must-visit places in 1 day" in found


def test_a_case_with_nothing_but_a_request_reads_well(
    as_user: AsUser, ada: User, release: Release
) -> None:
    case = put(release, {"case_key": "bare", "request": {"text": "哪里都行。"}})
    found = page_text(as_user(ada), case.get_absolute_url())
    for shown in ("哪里都行。", "There is no plan.", "None came with the case.", "not checked"):
        assert shown in found, shown


def test_in_other_releases_means_of_the_same_product(
    as_user: AsUser, ada: User, release: Release
) -> None:
    case = put(release, make_case())
    same = put(make_release("wanderer-2"), make_case())
    changed = put(make_release("wanderer-3"), make_case(plan={"title": "Other"}))
    put(make_release("rival-1", product="rival"), make_case())
    put(make_release("wanderer-4"), make_case("another-key"))
    page = as_user(ada).get(case.get_absolute_url()).content.decode()
    others = page[page.index("In other releases") :]
    assert re.findall(r'href="/cases/(\w+)/"', others) == [changed.code, same.code]
    assert "the same content" in others
    assert f'href="/cases/{case.code}/against/{changed.code}/"' in others
    assert f"/against/{same.code}/" not in others
    assert "rival-1" not in page
    assert "wanderer-4" not in page


def test_a_key_of_one_release_says_so(as_user: AsUser, ada: User, release: Release) -> None:
    case = put(release, make_case())
    found = page_text(as_user(ada), case.get_absolute_url())
    assert "This key occurs in no other release of the product." in found


def test_the_page_asks_the_database_as_often_for_a_long_plan_as_for_none(
    as_user: AsUser,
    ada: User,
    release: Release,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    day = PLAN["days"][0]
    long = make_case("long", plan={"days": [{**day, "day": n} for n in range(1, 13)]})
    for key in ("a", "b"):
        put(make_release(f"wanderer-{key}"), long)
    bare = {"case_key": "bare", "request": {"text": "x"}}
    put(release, long, bare)
    client = as_user(ada)
    client.get("/cases/BBBBB/")
    for case in release.cases.all():
        # session, person, roles, case, translations of the rubric, draw, tags, other releases
        with django_assert_num_queries(8):
            assert client.get(case.get_absolute_url()).status_code == 200


def test_the_page_reads_in_chinese_too(as_user: AsUser, ada: User, release: Release) -> None:
    case = put(release, make_case())
    client = as_user(ada)
    client.cookies["django_language"] = "zh-hans"
    page = client.get(case.get_absolute_url()).content.decode()
    assert '<html lang="zh-hans">' in page
    questions = release.rubric.text_for("zh-hans").document.questions
    assert all(question.text in page for question in questions)


def test_whatever_stands_in_any_field_the_page_is_well_formed(
    as_user: AsUser, ada: User, release: Release
) -> None:
    """Every element is closed in its turn, so no text became markup."""
    nasty = "</span></li></section><script>x</script><!-- \"'&amp; ]]> {{ 7 }} {% x %}"
    for number, lists in enumerate((True, False)):
        row = filled(lambda pointer: nasty, lists=lists, case_key=f"nasty-{number}")
        case = put(release, json.loads(json.dumps(row)))
        found = nodes(as_user(ada), case.get_absolute_url())
        assert not any(node.is_inside("script") for node in found)
        assert sum(nasty in node.text for node in found) > 30


# One case in two releases


def compared(
    client: Client, before: dict[str, Any], after: dict[str, Any]
) -> tuple[str, list[Node]]:
    old, new = put(make_release("wanderer-0"), before), put(make_release("wanderer-1"), after)
    found = nodes(client, f"/cases/{new.code}/against/{old.code}/")
    return words([node for node in found if node.is_inside("main")]), found


def with_days(*titles: list[str]) -> dict[str, Any]:
    days = [
        {"day": number, "items": [{"kind": "sight", "title": title} for title in day]}
        for number, day in enumerate(titles, 1)
    ]
    return make_case(plan={"days": days})


def test_a_comparison_shows_what_came_and_went_by_day(as_user: AsUser, ada: User) -> None:
    found, _nodes = compared(
        as_user(ada),
        with_days(["Mill", "Quay"], ["Tower"]),
        with_days(["Mill", "Market"], ["Tower"], ["Lake"]),
    )
    assert "From wanderer-0 to wanderer-1" in found
    assert "Two slow days in Yunxi" in found
    assert "Day 1 Mill gone Quay visit new Market visit" in found
    assert "Day 2 unchanged Tower" in found
    assert "Day 3 only in wanderer-1 new Lake visit" in found


def test_every_text_of_a_comparison_carries_its_language(as_user: AsUser, ada: User) -> None:
    _text, found = compared(
        as_user(ada),
        make_case(
            request={"text": "安静的两天。"}, plan={"days": [{"items": [{"title": "旧塔"}]}]}
        ),
        make_case(plan={"days": [{"summary": "湖边", "items": [{"note": "不用预约"}]}]}),
    )
    chinese = [node for node in found if re.search("[塔约湖静]", node.text)]
    assert len(chinese) == 4
    assert {node.language for node in chinese} == {"zh-Hans"}
    english = [node for node in found if "Two slow days" in node.text]
    assert {node.language for node in english} == {"en"}


@pytest.mark.parametrize("plan", [None, {"status": "error", "days": []}])
def test_a_plan_that_is_missing_on_one_side_is_said(
    as_user: AsUser, ada: User, plan: dict[str, Any] | None
) -> None:
    found, _nodes = compared(as_user(ada), make_case() | {"plan": plan}, with_days(["Mill"]))
    assert "wanderer-0 has no plan by days for this case." in found
    assert "Day 1 only in wanderer-1 new Mill" in found


def test_two_cases_without_a_plan_say_so(as_user: AsUser, ada: User) -> None:
    without = make_case() | {"plan": None}
    found, _nodes = compared(as_user(ada), without, without | {"tags": ["x"]})
    assert "Neither release has a plan for this case." in found


def test_a_request_that_changed_is_shown_with_what_it_was(as_user: AsUser, ada: User) -> None:
    found, _nodes = compared(as_user(ada), make_case(request={"text": "One day."}), make_case())
    assert "The request itself changed between these releases. One day." in found


def test_what_differs_around_the_days_is_named(as_user: AsUser, ada: User) -> None:
    found, _nodes = compared(
        as_user(ada), make_case(), make_case(plan={"budget": None, "notes": ["New."]})
    )
    assert "Outside the days, these parts of the plan differ: money, notes" in found
    assert "Day 1 unchanged" in found


def test_another_product_or_another_key_is_not_found(as_user: AsUser, ada: User) -> None:
    case = put(make_release("wanderer-1"), make_case(), make_case("other-key"))
    rival = put(make_release("rival-1", product="rival"), make_case())
    other = case.release.cases.get(case_key="other-key")
    client = as_user(ada)
    for item in (rival, other):
        assert client.get(f"/cases/{case.code}/against/{item.code}/").status_code == 404
        assert client.get(f"/cases/{item.code}/against/{case.code}/").status_code == 404
    assert client.get(f"/cases/{case.code}/against/{case.code}/").status_code == 200
