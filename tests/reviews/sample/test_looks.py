"""Planned looks: the sample grows by the order of the draw, and nobody chooses what counts."""

import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases import ledger
from cases.models import Event, Release
from reviews.assignments.workflow import NotAReviewer
from reviews.errors import NotStarted, Refused, WrongStatus
from reviews.export.bundle import write_bundle
from reviews.export.tables import build_case_table
from reviews.export.verify import verify as verify_bundle
from reviews.models import Draw, Review, SampledCase
from reviews.releases import lifecycle, verify
from reviews.releases.history import describe_event
from reviews.releases.waivers import waive
from reviews.report import summary
from reviews.sample import amendments
from reviews.sample.amendments import PlanFixed
from reviews.sample.extension import CannotExtend, Extension, extend
from reviews.sample.looks import describe_dropped, describe_plan, load_looks
from reviews.sample.replay import EXTENDED
from tests.bed import reviewed as bed
from tests.bed.api import Script
from tests.bed.cases import NOW
from tests.people import AsUser

pytestmark = pytest.mark.usefixtures("rubric")

LATER = NOW + timedelta(hours=1)
WHY = "The plan stops after a day."


@pytest.fixture
def at_look(rita: User, omar: User) -> Release:
    """Five of eight cases, with all reviews in: looks at 5 and 8."""
    release = bed.started()
    bed.put_reviews(release, rita, omar)
    return bed.current(release)


def go_on(release: Release, look: int = 2, **options: Any) -> Extension:
    return extend(release=release, look=look, **{"user": None, "now": LATER, **options})


def withdraw(release: Release, key: str) -> str | None:
    return amendments.withdraw(
        release=release, case_key=key, cause="broken", reason=WHY, user=None, now=LATER
    )


def add(release: Release, key: str) -> SampledCase:
    return amendments.add(release=release, case_key=key, reason=WHY, user=None, now=LATER)


def order_of(release: Release) -> list[str]:
    return Draw.objects.get(release=release).order.keys


def planned(release: Release) -> set[str]:
    rows = release.sample.standing().planned()
    return set(rows.values_list("case__case_key", flat=True))


def assert_refused(act: Callable[[], Any], sentence: str, kind: type[Refused]) -> None:
    before = bed.everything()
    with pytest.raises(kind) as refused:
        act()
    assert refused.value.sentences == [sentence]
    assert bed.everything() == before


# --- The next look --------------------------------------------------------------------------------


def test_a_look_takes_the_next_cases_of_the_draw_and_assigns_them(at_look: Release) -> None:
    order, before = order_of(at_look), at_look.events.count()
    taken = go_on(at_look)
    assert (taken.look, taken.size) == (2, 8)
    assert [key for key, _kind in taken.cases] == order[5:]
    assert planned(at_look) == set(order)
    came = at_look.sample.filter(case__case_key__in=order[5:])
    assert {(row.origin, row.reason, row.is_outside) for row in came} == {("next", "", False)}
    assert [row.place for row in came.order_by("place")] == [6, 7, 8]
    assert sorted(taken.assigned, key=str) == sorted(taken.plan.assignments, key=str)
    open_reviews = Review.objects.of(at_look).open()
    assert open_reviews.count() == len(taken.assigned) == 6
    events = list(at_look.events.filter(number__gt=before).order_by("number"))
    assert [event.kind for event in events] == [EXTENDED, "reviews-planned"]
    assert events[0].data == {"look": 2, "size": 8, "cases": [[key, ""] for key in order[5:]]}
    assert "went on to look 2 with 3 more cases" in describe_event(events[0])
    ledger.verify(bed.current(at_look))
    assert verify.verify_sample(bed.current(at_look)) == ([], 1)


def test_the_same_look_again_changes_nothing_and_answers_the_same(at_look: Release) -> None:
    first, before = go_on(at_look), bed.everything()
    again = go_on(at_look, now=LATER + timedelta(days=1))
    assert bed.everything() == before
    assert (again.look, again.size, again.cases) == (first.look, first.size, first.cases)
    assert again.assigned == first.assigned
    assert again.plan.missing == first.plan.missing == 0


def test_a_sample_between_looks_does_not_grow(rita: User, omar: User) -> None:
    release = bed.started()
    assert_refused(
        lambda: go_on(release), "Look 1 is not complete: 10 reviews are missing.", CannotExtend
    )
    bed.put_reviews(release, rita, omar, but=["kids"])
    bed.review(release, "kids", rita)
    assert_refused(
        lambda: go_on(release), "Look 1 is not complete: 1 review is missing.", CannotExtend
    )
    bed.review(release, "kids", omar)
    assert go_on(release).size == 8


def test_a_waived_review_completes_a_look(rita: User, omar: User) -> None:
    release = bed.started()
    bed.put_reviews(release, rita, omar, but=["kids"])
    waive(release=release, rule="reviews", reason=WHY, user=None, now=NOW)
    assert go_on(release).size == 8


def test_only_the_next_look_is_taken_and_none_after_the_last(at_look: Release) -> None:
    for look in (-1, 0, 1, 3):
        sentence = f"The next look is look 2 of 2, not look {look}."
        assert_refused(lambda look=look: go_on(at_look, look), sentence, CannotExtend)  # type: ignore[misc]
    go_on(at_look)
    sentence = "Look 2 was the last planned look; the sample cannot grow."
    assert_refused(lambda: go_on(at_look, 3), sentence, CannotExtend)


def test_a_single_look_is_the_last(rita: User) -> None:
    release = bed.drawn(k=1)
    Release.objects.filter(pk=release.pk).update(policy={"looks": [5]})
    release = lifecycle.start(release=release, user=None, now=NOW)
    bed.put_reviews(release, rita)
    sentence = "Look 1 was the last planned look; the sample cannot grow."
    assert_refused(lambda: go_on(release), sentence, CannotExtend)


def test_too_few_cases_that_are_left_are_not_taken(
    at_look: Release, rita: User, omar: User
) -> None:
    came = withdraw(at_look, "kids")
    assert came
    bed.put_judgements(at_look, {came: dict.fromkeys((rita, omar), bed.judgement())})
    sentence = "Look 2 needs 3 more cases, and the order of the draw has 2 left."
    assert_refused(lambda: go_on(at_look), sentence, CannotExtend)


def test_drafts_closed_releases_and_the_first_rules_have_no_looks(at_look: Release) -> None:
    drawn = bed.drawn("wanderer-2")
    with pytest.raises(NotStarted):
        go_on(drawn)
    old = bed.by_first_rules(bed.started("wanderer-3"))
    sentence = "wanderer-3 was started without planned looks, so its sample cannot grow."
    assert_refused(lambda: go_on(old), sentence, CannotExtend)
    rules = [missing.rule for missing in lifecycle.find_missing_for_close(at_look)]
    lifecycle.close(release=at_look, waived=rules, reason=WHY, user=None, now=NOW)
    with pytest.raises(WrongStatus):
        go_on(at_look)


def test_what_cannot_be_assigned_is_said_and_stops_nothing(at_look: Release, rita: User) -> None:
    taken = go_on(at_look, usernames=["rita"])
    assert len(taken.assigned) == 3
    assert taken.plan.missing == 3
    assert planned(at_look) == set(order_of(at_look))
    with pytest.raises(NotAReviewer):
        go_on(at_look, usernames=["nobody"])


def test_nobody_to_assign_to_takes_the_look_all_the_same(at_look: Release) -> None:
    User.objects.update(is_active=False)
    taken = go_on(at_look)
    assert (taken.assigned, taken.plan.missing) == ((), 6)
    again = go_on(at_look)
    assert (again.assigned, again.cases) == ((), taken.cases)


# --- Cases outside the plan -----------------------------------------------------------------------


def test_a_case_chosen_after_the_start_is_read_and_shown_but_decides_nothing(
    at_look: Release, rita: User, omar: User
) -> None:
    [choice] = order_of(at_look)[-1:]
    before = summary.compute(at_look)
    added = add(at_look, choice)
    assert (added.is_outside, added.kind, added.origin) == (True, "", "hand")
    event = at_look.events.order_by("number").last()
    assert event is not None
    assert event.data == {"case": choice, "reason": WHY, "outside": True}
    assert "outside the plan" in describe_event(event)
    assert not list(lifecycle.find_missing_for_close(at_look))
    bed.put_judgements(at_look, {choice: {rita: bed.judgement(0), omar: bed.judgement(5)}})
    assert not list(lifecycle.find_missing_for_close(at_look))
    after = summary.compute(bed.current(at_look))
    assert [case.case_key for case in after.outside] == [choice]
    assert after.counted == before.counted
    assert [metric.mean for metric in after.metrics] == [metric.mean for metric in before.metrics]
    assert [metric.limits for metric in after.metrics] == [m.limits for m in before.metrics]
    assert after.coverage == before.coverage
    assert verify.verify_sample(bed.current(at_look)) == ([], 1)


def test_before_the_start_a_chosen_case_is_in_the_plan() -> None:
    release = bed.drawn()
    assert not add(release, "spare-1").is_outside
    release = lifecycle.start(release=release, user=None, now=NOW)
    looks = load_looks(release)
    assert looks
    assert (looks.sizes, looks.planned) == ((6, 8), 6)


def test_a_case_outside_the_plan_is_not_replaced(at_look: Release) -> None:
    [choice] = order_of(at_look)[-1:]
    add(at_look, choice)
    before = planned(at_look)
    assert withdraw(at_look, choice) is None
    assert planned(at_look) == before
    assert not at_look.sample.standing().filter(is_outside=True)
    assert verify.verify_sample(bed.current(at_look)) == ([], 1)


def test_a_case_outside_the_plan_joins_it_when_its_turn_comes(at_look: Release) -> None:
    """Otherwise adding the next case by hand would keep it out of every figure."""
    following = order_of(at_look)[5]
    add(at_look, following)
    taken = go_on(at_look)
    assert taken.cases[0][0] == following
    row = at_look.sample.get(case__case_key=following)
    assert (row.is_outside, row.origin, row.reason) == (False, "next", "")
    assert verify.verify_sample(bed.current(at_look)) == ([], 1)


def test_after_the_start_no_case_is_swapped(at_look: Release) -> None:
    for out in ("kids", "ramp"):
        assert_refused(
            lambda out=out: amendments.swap(  # type: ignore[misc]
                release=at_look, out=out, into="spare-1", reason=WHY, user=None, now=LATER
            ),
            "After the start a case cannot be swapped: the plan is fixed. If the case is broken, "
            "withdraw it, and the next of the draw comes in; or add another case outside the plan.",
            PlanFixed,
        )


def test_a_case_removed_in_the_draft_comes_in_by_no_look(rita: User, omar: User) -> None:
    release = bed.drawn(size=6)
    sixth = order_of(release)[5]
    amendments.remove(release=release, case_key=sixth, reason=WHY, user=None, now=NOW)
    Release.objects.filter(pk=release.pk).update(policy={"looks": [5, 7]})
    release = lifecycle.start(release=release, user=None, now=NOW)
    # Read outside the plan it still does not count later: it was removed by hand.
    add(release, sixth)
    bed.put_reviews(release, rita, omar)
    taken = go_on(release)
    assert [key for key, _kind in taken.cases] == order_of(release)[6:]
    assert release.sample.get(case__case_key=sixth).is_outside
    assert verify.verify_sample(bed.current(release)) == ([], 1)


# --- Verification ---------------------------------------------------------------------------------


def test_a_changed_extension_is_found(at_look: Release) -> None:
    go_on(at_look)
    order = order_of(at_look)
    event = at_look.events.get(kind=EXTENDED)
    for data in (
        {"look": 3},
        {"size": 7},
        {"cases": [[key, ""] for key in reversed(order[5:])]},
        {"cases": [[key, ""] for key in order[5:7]]},
    ):
        problems = verify_with(at_look, event.pk, event.data | data)
        assert any(f"event {event.number}" in problem for problem in problems), data
    assert verify_with(at_look, event.pk, event.data) == []


def verify_with(release: Release, pk: int, data: dict[str, Any]) -> list[str]:
    """Verify the sample as if the event had this data; the ledger would not fit either."""
    init = Event.from_db.__func__  # type: ignore[attr-defined]

    def from_db(cls: type[Event], *args: Any, **kwargs: Any) -> Event:
        event: Event = init(cls, *args, **kwargs)
        if event.pk == pk:
            event.data = data
        return event

    with patch.object(Event, "from_db", classmethod(from_db)):
        return verify.verify_sample(bed.current(release))[0]


def test_a_case_moved_into_or_out_of_the_plan_is_found(at_look: Release) -> None:
    [choice] = order_of(at_look)[-1:]
    add(at_look, choice)
    for key, is_outside in ((choice, False),):
        SampledCase.objects.filter(case__case_key=key).update(is_outside=is_outside)
        [problem] = verify.verify_sample(bed.current(at_look))[0]
        assert problem == f"wanderer-1: {key}: it is wrongly inside or outside the plan."


def test_a_bundle_has_looks_and_outside_cases_and_fits(
    at_look: Release, rita: User, omar: User, tmp_path: Path
) -> None:
    Release.objects.filter(pk=at_look.pk).update(policy=at_look.policy | {"looks": [5, 6, 8]})
    started = at_look.events.get(kind="review-started")
    assert started.data["looks"] == [5, 8, 12]
    [choice] = order_of(at_look)[-1:]
    add(at_look, choice)
    go_on(at_look)
    came = order_of(at_look)[5]
    for key in (came, choice):
        for user in (rita, omar):
            bed.review(at_look, key, user)
    file = tmp_path / "bundle.zip"
    file.write_bytes(b"".join(write_bundle(bed.current(at_look))))
    # Nothing but what this test put into the tables without events.
    problems = [
        problem
        for problem in verify_bundle(file).problems
        if not problem.startswith(("reviews.jsonl", "release.json"))
    ]
    assert problems == []
    with ZipFile(file) as archive:
        rows = [json.loads(line) for line in archive.read("cases.jsonl").splitlines()]
    assert [row["case_key"] for row in rows if row.get("is_outside")] == [choice]


def test_the_table_of_cases_marks_and_shows_cases_outside_the_plan(
    at_look: Release, rita: User, omar: User
) -> None:
    [choice] = order_of(at_look)[-1:]
    add(at_look, choice)
    both = dict.fromkeys((rita, omar), bed.judgement(2))
    bed.put_judgements(at_look, {choice: both})
    table = build_case_table(summary.compute(bed.current(at_look)), "provisional")
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    [own] = [row for row in rows if row["is_outside"]]
    assert (own["case_key"], own["is_counted"]) == (choice, False)
    assert own["reason"] == "not counted: outside the plan"
    assert own["personalization"] == 2


# --- The property ---------------------------------------------------------------------------------

ACTS = st.lists(
    st.tuples(st.sampled_from(["extend", "withdraw", "add"]), st.integers(0, 19)), max_size=8
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(acts=ACTS)
def test_the_plan_is_always_the_first_of_the_order_without_withdrawn_cases(
    acts: list[tuple[str, int]], rita: User
) -> None:
    with transaction.atomic():
        release = bed.filled(k=1, more={f"more-{n}": () for n in range(8)})
        # Without kinds, the successor of a withdrawn case is the next of the order.
        for kind in bed.KIND_OF.values():
            waive(release=release, rule=f"kind:{kind}", reason=WHY, user=None, now=NOW)
        bed.draw(release)
        Release.objects.filter(pk=release.pk).update(policy={"looks": [5, 7, 10]})
        release = lifecycle.start(release=release, user=None, now=NOW)
        order, lost = order_of(release), set[str]()
        for act, number in acts:
            key = order[number % len(order)]
            was_planned = key in planned(release)
            try:
                if act == "add":
                    add(release, key)
                elif act == "withdraw":
                    withdraw(release, key)
                    lost.add(key)
                else:
                    done = set(
                        Review.objects.submitted()
                        .filter(release=release)
                        .values_list("case__case_key", flat=True)
                    )
                    bed.put_judgements(
                        release, {k: {rita: bed.judgement()} for k in planned(release) - done}
                    )
                    looks = load_looks(release)
                    assert looks
                    go_on(release, looks.look + 1, usernames=[])
            except Refused:
                pass
            assert was_planned or act != "withdraw" or key not in planned(release)
            line = [case for case in order if case not in lost]
            assert planned(release) == set(line[: len(planned(release))])
        assert verify.verify_sample(bed.current(release)) == ([], 1)
        transaction.set_rollback(True)


# --- Page, API and command ------------------------------------------------------------------------


@pytest.fixture
def admin(as_user: AsUser, ada: User) -> Client:
    return as_user(ada)


PAGE = "/releases/wanderer-1/sample/extend/"


def text_of(client: Client, path: str) -> str:
    return " ".join(client.get(path).content.decode().split())


def test_the_page_says_what_will_happen_and_does_it_once(admin: Client, at_look: Release) -> None:
    assert "Go on to look 2 of 2, with 8 cases" in text_of(admin, "/releases/wanderer-1/")
    shown = text_of(admin, PAGE)
    assert "3 more cases come in, the next of the draw, so the sample has 8." in shown
    assert "It costs 6 reviews" in shown
    for _time in range(2):
        assert admin.post(PAGE, {"look": "2"}).status_code == 302
    assert at_look.events.filter(kind=EXTENDED).count() == 1
    shown = text_of(admin, "/releases/wanderer-1/")
    assert "Look 2 of 2: 10 of 16 reviews are in." in shown
    assert "sample/extend/" not in shown


@pytest.mark.parametrize("look", ["", "3", "x", "9" * 30, "-1"])
def test_the_page_refuses_another_look(admin: Client, at_look: Release, look: str) -> None:
    before = bed.everything()
    answer = admin.post(PAGE, {"look": look})
    assert answer.status_code == 409
    assert "The next look is look 2 of 2" in answer.content.decode()
    assert bed.everything() == before


def test_between_looks_the_page_says_why_not(admin: Client) -> None:
    bed.started()
    assert "Look 1 is not complete" in text_of(admin, PAGE)
    assert "Take in" not in text_of(admin, PAGE)


def test_only_admins_go_on(as_user: AsUser, at_look: Release, mina: User, rita: User) -> None:
    for who in (mina, rita):
        assert as_user(who).post(PAGE, {"look": "2"}).status_code == 403
    assert "an admin can do this" in text_of(as_user(mina), "/releases/wanderer-1/")
    assert not at_look.events.filter(kind=EXTENDED).exists()


def test_a_case_outside_the_plan_is_marked(admin: Client, at_look: Release) -> None:
    assert "enters no figure that decides" in text_of(admin, "/releases/wanderer-1/sample/add/")
    add(at_look, order_of(at_look)[-1])
    shown = text_of(admin, "/releases/wanderer-1/")
    assert "The sample: 5 cases" in shown
    assert "and 1 outside the plan" in shown
    assert "/swap/" not in shown
    assert "outside the plan" in text_of(admin, "/releases/wanderer-1/assignments/")


def test_the_start_page_shows_the_plan(admin: Client) -> None:
    bed.drawn()
    shown = text_of(admin, "/releases/wanderer-1/start/")
    assert "Looks at 5 and 8 cases; this sample of 5 is the first." in shown
    assert "The planned size 12 drops out: no more than 8 can be sampled." in shown
    assert "spread by 0.9 points" in shown
    admin.post("/releases/wanderer-1/start/")
    shown = text_of(admin, "/releases/wanderer-1/")
    assert "Looks at 5 and 8 cases; this sample of 5 is the first." in shown
    assert "The planned size 12 drops out" in shown


def test_the_words_of_a_plan() -> None:
    assert describe_plan([5]) == "One look is planned, at 5 cases; the sample does not grow."
    assert describe_plan([5, 8, 12], 2) == (
        "Looks at 5, 8 and 12 cases; this sample of 8 is look 2."
    )
    assert describe_dropped([5, 8, 12], drawn=5, available=12) == []
    assert describe_dropped([4, 5, 8], drawn=6, available=7) == [
        "The planned sizes 4 and 5 drop out: the sample is larger.",
        "The planned size 8 drops out: no more than 7 can be sampled.",
    ]


def test_the_api_takes_the_look_once(at_look: Release, ada: User) -> None:
    script = Script(session=ada)
    answers = [script.post("releases/wanderer-1/sample/extend/", {"look": 2}) for _time in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    first, again = (json.loads(answer.content) for answer in answers)
    assert first == again
    assert (first["look"], first["size"], first["unassigned"]) == (2, 8, [])
    assert [case["case_key"] for case in first["cases"]] == order_of(at_look)[5:]
    assert {pair["reviewer"] for pair in first["assigned"]} == {"rita", "omar"}
    assert at_look.events.filter(kind=EXTENDED).count() == 1


def test_the_api_says_what_is_wrong(ada: User, mina: User, at_look: Release) -> None:
    script, address = Script(session=ada), "releases/wanderer-1/sample/extend/"
    for body in ({}, {"look": 1}, {"look": "2"}, {"look": 9}, {"look": 2, "by": "mina"}):
        assert script.post(address, body).status_code == 400, body
    refused = script.post(address, {"look": 3})
    assert refused.status_code == 409
    assert json.loads(refused.content)["code"] == "cannot_extend"
    assert Script(session=mina).post(address, {"look": 2}).status_code == 403
    add(at_look, order_of(at_look)[-1])
    sample = json.loads(script.get("releases/wanderer-1/sample/").content)["sample"]
    assert [case["is_outside"] for case in sample] == [False] * 5 + [True]


def test_the_command_takes_the_next_look(at_look: Release, ada: User) -> None:
    out = StringIO()
    call_command("extend_sample", "wanderer-1", by="ada", stdout=out)
    assert out.getvalue().endswith(
        "Look 2 of wanderer-1: 8 cases, 3 of them new, 6 reviews assigned, 0 missing.\n"
    )
    assert at_look.events.get(kind=EXTENDED).by == "ada"
    again = StringIO()
    call_command("extend_sample", "wanderer-1", look=2, stdout=again)
    assert again.getvalue() == out.getvalue()
    with pytest.raises(CommandError, match="Look 2 was the last planned look"):
        call_command("extend_sample", "wanderer-1")


def test_the_command_is_refused_between_looks_and_to_others(mina: User) -> None:
    bed.started()
    with pytest.raises(CommandError, match="Look 1 is not complete: 10 reviews are missing"):
        call_command("extend_sample", "wanderer-1")
    with pytest.raises(CommandError, match="may not do this"):
        call_command("extend_sample", "wanderer-1", by="mina")
