"""Who reviews what: by plan, by hand, moved, handed on, taken back."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from cases.models import Event, Release
from cases.models.releases import is_past
from cases.releases import workflow as releases_workflow
from evalsite.permissions import Role
from reviews.adjudication.visibility import open_scores
from reviews.assignments import workflow as assignments_workflow
from reviews.assignments.inputs import is_away
from reviews.assignments.plan import Plan, Why
from reviews.assignments.queries import load_overview
from reviews.desk import workflow as desk_workflow
from reviews.errors import NeedsReason, NoSuchCase, WrongStatus
from reviews.models import Absence, Review, Reviewer
from reviews.models.reviews import OVER
from reviews.people import workflow as people_workflow
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import make_person

CASES = sorted(bed.FILLING)


@pytest.fixture
def team(rita: User, omar: User) -> list[User]:
    return [rita, omar, make_person("lin", Role.REVIEWER)]


def plan(release: Release, *usernames: str, **options: Any) -> Plan:
    options = {"per_case": None, "user": None, "now": NOW} | options
    return assignments_workflow.assign_by_plan(
        release=release, usernames=usernames or None, **options
    )


def rows(release: Release) -> list[tuple[str, str, str]]:
    return list(
        Review.objects.of(release)
        .order_by("case__case_key", "reviewer__username")
        .values_list("case__case_key", "reviewer__username", "status")
    )


def on_case(release: Release, case_key: str) -> set[str]:
    counted = Review.objects.of(release).exclude(status__in=OVER)
    return set(counted.filter(case__case_key=case_key).values_list("reviewer__username", flat=True))


def kinds(release: Release) -> list[str]:
    return list(release.events.order_by("number").values_list("kind", flat=True))


def newest(release: Release) -> Event:
    return release.events.order_by("-number")[0]


def decline(release: Release, case_key: str, user: User) -> None:
    own = Review.objects.of(release).get(case__case_key=case_key, reviewer=user)
    desk_workflow.decline(review=own.pk, user=user, cause="conflict", reason="my own", now=NOW)


def whys(planned: Plan, username: str) -> set[Why]:
    return {
        reason.why
        for case in planned.shortfalls
        for refusal in case.refusals
        if refusal.username == username
        for reason in refusal.reasons
    }


# --- By plan --------------------------------------------------------------------------------------


def test_a_plan_gives_every_case_its_reviewers_and_is_one_event(
    team: list[User], ada: User
) -> None:
    release = bed.started()
    planned = plan(release, user=ada)
    assert [len(on_case(release, key)) for key in CASES] == [2] * 5
    assert {releases_lifecycle for _case, _person, releases_lifecycle in rows(release)} == {
        "assigned"
    }
    loads = [Review.objects.by(one).count() for one in team]
    assert max(loads) - min(loads) <= 1
    event = newest(release)
    assert (event.kind, event.by) == ("reviews-planned", "ada")
    assert event.data["missing"] == 0
    assert sorted(map(tuple, event.data["assignments"])) == sorted(
        (one.case_key, one.username) for one in planned.assignments
    )


def test_planning_again_touches_nothing_and_is_no_event(team: list[User]) -> None:
    release = bed.started()
    plan(release)
    before = bed.everything()
    assert plan(release).assignments == ()
    assert bed.everything() == before


def test_one_more_reviewer_moves_no_assignment(rita: User, omar: User) -> None:
    release = bed.started()
    plan(release)
    before = rows(release)
    make_person("lin", Role.REVIEWER)
    plan(release)
    assert rows(release) == before


def test_what_is_submitted_or_begun_stays_and_counts(team: list[User]) -> None:
    rita = team[0]
    release = bed.started()
    bed.review(release, "feast", rita)
    draft = bed.assign(release, "kids", rita)
    said = bed.judgement(3)
    desk_workflow.save_draft(review=draft.pk, user=rita, version=0, said=said, now=NOW)
    plan(release)
    assert ("feast", "rita", "submitted") in rows(release)
    assert ("kids", "rita", "draft") in rows(release)
    assert [len(on_case(release, key)) for key in CASES] == [2] * 5


def test_somebody_else_comes_in_for_a_declined_review(team: list[User]) -> None:
    release = bed.started()
    plan(release, "rita", "omar")
    decline(release, "feast", team[0])
    plan(release)
    assert on_case(release, "feast") == {"omar", "lin"}
    assert ("feast", "rita", "declined") in rows(release)


def test_a_case_alone_is_planned_again_without_its_neighbours(team: list[User]) -> None:
    release = bed.started()
    plan(release, only=["feast"])
    assert [len(on_case(release, key)) for key in CASES] == [2, 0, 0, 0, 0]


def test_who_declined_is_not_asked_again_by_plan_but_can_be_by_hand(rita: User, omar: User) -> None:
    release = bed.started()
    plan(release)
    decline(release, "feast", rita)
    planned = plan(release)
    assert planned.missing == 1
    assert whys(planned, "rita") == {Why.DECLINED}
    bed.assign(release, "feast", rita)
    own = Review.objects.of(release).get(case__case_key="feast", reviewer=rita)
    assert (own.status, own.declined_for, own.decline_reason) == ("assigned", "", "")


def test_a_deactivated_person_gets_nothing_and_submitted_work_stays(
    team: list[User], ada: User
) -> None:
    release = bed.started()
    bed.review(release, "feast", team[0])
    people_workflow.deactivate(by=ada, user=team[0])
    plan(release)
    assert Review.objects.by(team[0]).count() == 1
    assert "rita" in on_case(release, "feast")
    assert len(on_case(release, "feast")) == 2


def test_who_saw_scores_made_the_case_or_cannot_read_it_is_left_out_with_the_reason(
    rita: User, omar: User
) -> None:
    make_person("lin", Role.REVIEWER, languages=("ja",))
    release = bed.filled(without=["feast"])
    bed.bring(release, bed.row("feast", *bed.FILLING["feast"], produced_by=["omar"]))
    bed.draw(release)
    release = releases_lifecycle.start(release=bed.current(release), user=None, now=NOW)
    open_scores(release=release, user=rita, now=NOW)
    planned = plan(release)
    assert whys(planned, "rita") == {Why.SEEN_SCORES}
    assert whys(planned, "lin") == {Why.LANGUAGE}
    assert Why.MADE_THE_CASE in whys(planned, "omar")
    assert on_case(release, "feast") == set()
    assert on_case(release, "kids") == {"omar"}
    assert newest(release).data["missing"] == planned.missing == 6


def test_capacity_counts_what_is_open_in_every_release(rita: User, omar: User) -> None:
    other = bed.started("other")
    bed.assign(other, "feast", rita)
    Reviewer.objects.filter(user=rita).update(capacity=3)
    release = bed.started("mine")
    planned = plan(release)
    assert Review.objects.of(release).by(rita).count() == 2
    assert whys(planned, "rita") >= {Why.CAPACITY}
    assert planned.missing == 3
    # What a release left open when it was given up takes no room.
    releases_lifecycle.abandon(release=bed.current(other), reason="x", user=None, now=NOW)
    assert plan(release).missing == 2
    [row] = [one for one in load_overview(release, now=NOW).people if one.user == rita]
    assert row.open_everywhere == 3


@pytest.mark.parametrize(
    ("first", "last", "is_asked"), [(0, 7, False), (0, 6, True), (1, 7, True), (-3, 30, False)]
)
def test_only_who_is_away_on_every_day_until_the_due_date_is_left_out(
    rita: User, omar: User, first: int, last: int, is_asked: bool
) -> None:
    release = bed.started()
    today = timezone.localdate(NOW)
    due = today + timedelta(days=7)
    release = releases_workflow.change(release=release, due_date=due, user=None, now=NOW)
    Absence.objects.create(
        reviewer=Reviewer.objects.get(user=rita),
        first_date=today + timedelta(days=first),
        last_date=today + timedelta(days=last),
    )
    planned = plan(release)
    assert bool(Review.objects.by(rita).exists()) == is_asked
    assert whys(planned, "rita") == (set() if is_asked else {Why.AWAY})


def test_somebody_can_be_away_until_the_end_of_time() -> None:
    today, end = date(2026, 11, 17), date(9999, 12, 31)
    absence = Absence(first_date=today, last_date=end)
    assert is_away([absence], today, end)
    assert not is_away([absence], today - timedelta(days=1), end)


def test_another_number_of_people_for_each_case(team: list[User]) -> None:
    release = bed.started()
    plan(release, per_case=3)
    assert [len(on_case(release, key)) for key in CASES] == [3] * 5
    assert bed.current(release).reviews_per_case == 2


@pytest.mark.parametrize("per_case", [0, -1, 21])
def test_a_number_that_no_case_can_have_is_refused(team: list[User], per_case: int) -> None:
    release = bed.started()
    before = bed.everything()
    with pytest.raises(assignments_workflow.BadPerCase, match="1 to 20"):
        plan(release, per_case=per_case)
    assert bed.everything() == before


def test_people_who_are_no_active_reviewers_are_named(team: list[User], ada: User) -> None:
    release = bed.started()
    people_workflow.deactivate(by=ada, user=team[1])
    before = bed.everything()
    with pytest.raises(assignments_workflow.NotAReviewer) as refused:
        plan(release, "rita", "omar", "ada", "ghost")
    assert refused.value.sentences == [
        "ada is not an active reviewer.",
        "ghost is not an active reviewer.",
        "omar is not an active reviewer.",
    ]
    with pytest.raises(assignments_workflow.NotAReviewer, match="at least one"):
        assignments_workflow.preview_plan(release=release, usernames=[], per_case=None, now=NOW)
    assert bed.everything() == before


@pytest.mark.parametrize(("state", "sentence"), [("drawn", "still a draft"), ("ended", "closed")])
def test_only_a_release_in_review_is_planned(rita: User, state: str, sentence: str) -> None:
    release = bed.drawn()
    if state == "ended":
        releases_lifecycle.abandon(release=release, reason="r", user=None, now=NOW)
    before = bed.everything()
    acts: list[Any] = [
        lambda: plan(release),
        lambda: assignments_workflow.reassign(
            release=release, username="rita", reason="r", user=None, now=NOW
        ),
        lambda: bed.assign(release, "feast", rita),
    ]
    for act in acts:
        with pytest.raises(WrongStatus, match=sentence):
            act()
    assert bed.everything() == before


def test_looking_at_a_plan_writes_nothing_and_sees_what_would_be_written(
    team: list[User],
) -> None:
    release = bed.started()
    before = bed.everything()
    seen = assignments_workflow.preview_plan(
        release=release, usernames=None, per_case=None, now=NOW
    )
    assert bed.everything() == before
    assert (
        plan(release, seen=assignments_workflow.digest_plan(seen)).assignments == seen.assignments
    )


def test_a_plan_that_changed_since_it_was_seen_is_not_written(team: list[User]) -> None:
    release = bed.started()
    seen = assignments_workflow.preview_plan(
        release=release, usernames=None, per_case=None, now=NOW
    )
    bed.assign(release, "feast", team[0])
    before = bed.everything()
    with pytest.raises(assignments_workflow.PlanChanged):
        plan(release, seen=assignments_workflow.digest_plan(seen))
    assert bed.everything() == before


# --- Handing on, taking back ----------------------------------------------------------------------


def test_the_open_work_of_a_deactivated_person_goes_to_others(team: list[User], ada: User) -> None:
    release = bed.started()
    plan(release, "rita", "omar")
    bed.review(release, "feast", team[0])
    people_workflow.deactivate(by=ada, user=team[0])
    handing = assignments_workflow.reassign(
        release=release, username="rita", reason="she left", user=ada, now=NOW
    )
    assert len(handing.plan.assignments) == 4
    assert handing.kept == ()
    assert on_case(release, "feast") == {"rita", "omar"}
    assert on_case(release, "kids") == {"omar", "lin"}
    assert kinds(release)[-2:] == ["reviews-taken-back", "reviews-planned"]
    taken = release.events.order_by("-number")[1]
    assert taken.data == {
        "reviewer": "rita",
        "cases": sorted(set(CASES) - {"feast"}),
        "reason": "she left",
    }
    before = bed.everything()
    with pytest.raises(assignments_workflow.NothingOpen):
        assignments_workflow.reassign(
            release=release, username="rita", reason="again", user=ada, now=NOW
        )
    assert bed.everything() == before


def test_handing_on_plans_only_what_was_taken_back(team: list[User]) -> None:
    release = bed.started()
    bed.assign(release, "feast", team[0])
    assignments_workflow.reassign(release=release, username="rita", reason="r", user=None, now=NOW)
    assert len(on_case(release, "feast")) == 2
    assert on_case(release, "kids") == set()


def test_only_what_somebody_can_take_is_taken_back(team: list[User]) -> None:
    """lin has room for two of rita's four."""
    release = bed.started()
    plan(release, "rita", "omar")
    bed.review(release, "feast", team[0])
    Reviewer.objects.filter(user=team[2]).update(capacity=2)
    looked = assignments_workflow.preview_reassignment(release=release, username="rita", now=NOW)
    before = set(Review.objects.of(release).open().by(team[0]).values_list("pk", flat=True))
    seen = assignments_workflow.digest_plan(looked.plan)
    done = assignments_workflow.reassign(
        release=release, username="rita", reason="r", seen=seen, user=None, now=NOW
    )
    assert (len(done.taken), len(done.kept), done.missing) == (2, 2, 0)
    assert newest(release).data["missing"] == 0
    mine = Review.objects.of(release).open().by(team[0])
    assert set(mine.values_list("case__case_key", flat=True)) == set(done.kept)
    assert set(mine.values_list("pk", flat=True)) < before
    # Nobody has room any more: nothing is taken from anybody.
    rows = bed.everything()
    with pytest.raises(assignments_workflow.NoOneCan):
        assignments_workflow.reassign(
            release=release, username="rita", reason="r", user=None, now=NOW
        )
    with pytest.raises(assignments_workflow.PlanChanged):
        assignments_workflow.reassign(
            release=release, username="rita", reason="r", seen=seen, user=None, now=NOW
        )
    assert bed.everything() == rows


def test_handing_on_needs_a_reason(team: list[User]) -> None:
    release = bed.started()
    bed.assign(release, "feast", team[0])
    before = bed.everything()
    with pytest.raises(NeedsReason):
        assignments_workflow.reassign(
            release=release, username="rita", reason=" \n", user=None, now=NOW
        )
    assert bed.everything() == before


def test_chosen_reviews_are_taken_back_in_every_release_once(
    rita: User, omar: User, ada: User
) -> None:
    first, second = bed.started("first"), bed.started("second")
    chosen = [
        bed.assign(first, "feast", rita),
        bed.assign(first, "kids", rita),
        bed.assign(first, "kids", omar),
        bed.assign(second, "feast", rita),
        bed.review(second, "kids", rita),
    ]
    keys = [one.pk for one in chosen]
    assert assignments_workflow.take_back(reviews=keys, reason="enough", user=ada, now=NOW) == 4
    assert ("kids", "rita", "submitted") in rows(second)
    assert {releases_lifecycle for *_rest, releases_lifecycle in rows(first)} == {"withdrawn"}
    told = [one.data for one in first.events.filter(kind="reviews-taken-back").order_by("number")]
    assert told == [
        {"reviewer": "omar", "cases": ["kids"], "reason": "enough"},
        {"reviewer": "rita", "cases": ["feast", "kids"], "reason": "enough"},
    ]
    before = bed.everything()
    assert assignments_workflow.take_back(reviews=keys, reason="enough", user=ada, now=NOW) == 0
    assert bed.everything() == before


# --- By hand --------------------------------------------------------------------------------------


def test_assigning_twice_is_assigning_once(rita: User, ada: User) -> None:
    release = bed.started()
    words: dict[str, Any] = {"release": release, "case_key": "feast", "reviewer": rita}
    assignments_workflow.assign(**words, user=ada, now=NOW)
    event = newest(release)
    assert (event.kind, event.by) == ("review-assigned", "ada")
    assert event.data == {"case": "feast", "reviewer": "rita"}
    before = bed.everything()
    assignments_workflow.assign(**words, user=ada, now=NOW)
    assert bed.everything() == before


def test_a_case_outside_of_the_sample_is_not_assigned(rita: User) -> None:
    release = bed.started()
    with pytest.raises(NoSuchCase):
        bed.assign(release, "spare-1", rita)


def test_by_hand_only_who_reviews_here_and_can_judge_alone_is_assigned(
    rita: User, omar: User, ada: User, root: User
) -> None:
    """Not who made the case, who saw scores, who left, or whose role is another."""
    release = bed.filled(without=["feast"])
    bed.bring(release, bed.row("feast", *bed.FILLING["feast"], produced_by=["omar"]))
    bed.draw(release)
    release = releases_lifecycle.start(release=bed.current(release), user=None, now=NOW)
    with pytest.raises(assignments_workflow.MadeTheCase):
        bed.assign(release, "feast", omar)
    open_scores(release=release, user=rita, now=NOW)
    with pytest.raises(assignments_workflow.SeenScores):
        bed.assign(release, "kids", rita)
    people_workflow.deactivate(by=ada, user=omar)
    omar.refresh_from_db()
    with pytest.raises(assignments_workflow.NotAReviewer, match="deactivated"):
        bed.assign(release, "kids", omar)
    for other in (ada, root):
        with pytest.raises(
            assignments_workflow.NotAReviewer, match=f"{other.username} is not an active"
        ):
            bed.assign(release, "kids", other)
    assert rows(release) == []


def move(release: Release, giver: User, taker: User) -> Review:
    return assignments_workflow.move(
        release=release, case_key="feast", giver=giver, taker=taker, user=None, now=NOW
    )


def test_moving_withdraws_one_and_assigns_the_other_and_again_is_done_already(
    rita: User, omar: User
) -> None:
    release = bed.started()
    bed.assign(release, "feast", rita)
    move(release, rita, omar)
    assert rows(release) == [("feast", "omar", "assigned"), ("feast", "rita", "withdrawn")]
    assert kinds(release)[-2:] == ["reviews-taken-back", "review-assigned"]
    before = bed.everything()
    assert move(release, rita, omar).reviewer == omar
    assert bed.everything() == before


def test_moving_to_somebody_who_has_the_case_would_lose_a_reviewer(rita: User, omar: User) -> None:
    release = bed.started()
    bed.assign(release, "feast", rita)
    bed.review(release, "feast", omar)
    before = bed.everything()
    for taker in (omar, rita):
        with pytest.raises(
            assignments_workflow.OnTheCase, match=f"{taker.username} has feast already"
        ):
            move(release, rita, taker)
    assert bed.everything() == before


def test_what_cannot_be_given_is_not_taken_either(rita: User, omar: User) -> None:
    release = bed.started()
    bed.assign(release, "feast", rita)
    open_scores(release=release, user=omar, now=NOW)
    before = bed.everything()
    with pytest.raises(assignments_workflow.SeenScores):
        move(release, rita, omar)
    assert bed.everything() == before


def test_a_submitted_review_is_neither_moved_nor_withdrawn(rita: User, omar: User) -> None:
    release = bed.started()
    bed.review(release, "feast", rita)
    before = bed.everything()
    with pytest.raises(assignments_workflow.NothingOpen):
        move(release, rita, omar)
    with pytest.raises(assignments_workflow.NothingOpen):
        assignments_workflow.withdraw(
            release=release, case_key="feast", reviewer=rita, reason="r", user=None, now=NOW
        )
    assert bed.everything() == before


def test_withdrawing_keeps_the_draft_and_twice_is_once(rita: User, ada: User) -> None:
    release = bed.started()
    own = bed.assign(release, "feast", rita)
    said = bed.judgement(3)
    desk_workflow.save_draft(review=own.pk, user=rita, version=0, said=said, now=NOW)
    words: dict[str, Any] = {"release": release, "case_key": "feast", "reviewer": rita}
    assignments_workflow.withdraw(**words, reason="too much", user=ada, now=NOW)
    own.refresh_from_db()
    assert own.status == "withdrawn"
    assert own.draft["scores"]
    assert newest(release).data == {"reviewer": "rita", "cases": ["feast"], "reason": "too much"}
    before = bed.everything()
    assignments_workflow.withdraw(**words, reason="too much", user=ada, now=NOW)
    assert bed.everything() == before


def test_late_begins_on_the_day_after_the_due_date() -> None:
    due = date(2026, 11, 17)
    assert [is_past(due, due + timedelta(days=days)) for days in (-1, 0, 1)] == [
        False,
        False,
        True,
    ]
    assert not is_past(None, due)
