"""Close: refused while a rule is open, by name; then the report is stored and nothing changes."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import models
from django.utils import timezone

from cases import ledger
from cases.models import Release, Rubric, RubricTranslation
from cases.releases import workflow as releases_workflow
from cases.rubric import Metric, read
from cases.rubrics.workflow import SHIPPED
from cases.tags import workflow as tags_workflow
from evalsite.permissions import Role
from reviews.adjudication import workflow as adjudication_workflow
from reviews.adjudication.disagreements import differ, list_disagreements, list_open_disagreements
from reviews.assignments import workflow as assignments_workflow
from reviews.desk import submission as desk_submission
from reviews.desk import workflow as desk_workflow
from reviews.errors import NeedsReason, Refused, WrongStatus
from reviews.models import (
    Absence,
    Adjudication,
    Closing,
    Decision,
    Review,
    Reviewer,
    SampledCase,
    Waiver,
)
from reviews.models.outcomes import DecisionMade, Word
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.releases.decision import CannotSign
from reviews.releases.decision import sign as deciding_sign
from reviews.releases.history import describe_event
from reviews.releases.queries import load_rows
from reviews.report import summary
from reviews.sample import amendments
from reviews.sample import workflow as sample_workflow
from tests.bed.cases import NOW, make_release
from tests.bed.databases import without_triggers
from tests.bed.reviewed import (
    FILLING,
    KIND_OF,
    TEXT_OF,
    assign,
    bring,
    by_first_rules,
    current,
    draw,
    drawn,
    everything,
    filled,
    judgement,
    put_judgements,
    put_reviews,
    review,
    row,
    sampled,
    started,
    submit,
)
from tests.people import make_person

WHY = "The release is small."
LATER = NOW + timedelta(days=2)


@pytest.fixture
def reviewed(rita: User) -> Release:
    """One review a case is asked for, and rita has given it: nothing is missing."""
    release = started(k=1)
    put_reviews(release, rita)
    return current(release)


def close(release: Release, *waived: str, user: User | None = None, reason: str = WHY) -> Closing:
    return releases_lifecycle.close(
        release=release, user=user, now=NOW, waived=waived, reason=reason
    )


def refusal(release: Release, *waived: str) -> releases_lifecycle.CannotClose:
    """What is missing; nothing may be written."""
    before = everything()
    with pytest.raises(releases_lifecycle.CannotClose) as refused:
        close(release, *waived)
    assert everything() == before
    return refused.value


def waive(release: Release, rule: str, user: User | None = None) -> Waiver:
    return releases_waivers.waive(release=release, rule=rule, reason=WHY, user=user, now=NOW)


def withdraw(release: Release, case_key: str) -> str | None:
    return amendments.withdraw(
        release=release, case_key=case_key, cause="broken", reason=WHY, user=None, now=NOW
    )


def abandon(release: Release) -> Closing:
    return releases_lifecycle.abandon(release=release, reason=WHY, user=None, now=NOW)


def reopen(release: Release, user: User | None = None) -> Release:
    return releases_lifecycle.reopen(release=release, reason=WHY, user=user, now=LATER)


def adjudicate(
    release: Release, user: User, case_key: str = "feast", **agreed: int
) -> Adjudication:
    scores = {name.replace("_", "-"): value for name, value in agreed.items()}
    return adjudication_workflow.adjudicate(
        release=release,
        case_key=case_key,
        agreed=scores,
        cause="taste",
        note="Both read the same words.",
        user=user,
        now=NOW,
    )


def sign(
    release: Release, user: User, digest: str, decision: str = "ship", reason: str = WHY
) -> Decision:
    return deciding_sign(
        release=release, decision=decision, reason=reason, digest=digest, user=user, now=NOW
    )


def last_event(release: Release) -> tuple[str, dict[str, Any]]:
    event = release.events.order_by("-number")[0]
    return event.kind, event.data


# --- The rule -------------------------------------------------------------------------------------


def test_a_release_with_everything_closes(reviewed: Release, mina: User) -> None:
    closing = close(reviewed, user=mina)
    release = current(reviewed)
    assert release.is_closed
    assert (closing.number, closing.by, closing.closed_at) == (1, "mina", NOW)
    assert (closing.closed_from, closing.is_abandoned, closing.reason) == ("reviewing", False, "")
    assert [condition["code"] for condition in closing.headline.pop("conditions")] == [
        "one-reader",
        "no-baseline",
    ]
    low, high = pytest.approx(3.1264534914), pytest.approx(4.8735465086)
    assert closing.headline == {
        "kinds": 5,
        "kinds_covered": 5,
        "cases": 5,
        "reviews": 5,
        "reviews_expected": 5,
        "reviews_judged": 5,
        "verdict": "GO",
        "means": [
            {
                "metric": metric,
                "name": name,
                **{"mean": 4.0, "low": low, "high": high, "cases": 5},
                **{"floor": 3.0, "levels": [0, 5]},
            }
            for metric, name in [
                ("usability-value", "Usability & Value"),
                ("personalization", "Personalization"),
            ]
        ],
    }
    assert last_event(release) == (
        "release-closed",
        {"closing": 1, "summary": closing.digest, "reason": ""},
    )


def test_each_kind_that_is_removed_is_named(rita: User) -> None:
    release = started(k=1, size=6)
    put_reviews(release, rita)
    assert not list(releases_lifecycle.find_missing_for_close(release))
    for case_key in FILLING:
        out = SampledCase.objects.get(case__case_key=case_key)
        SampledCase.objects.filter(pk=out.pk).delete()
        refused = refusal(release)
        assert refused.sentences == [f"{TEXT_OF[case_key]}: no case in the sample."]
        assert [one.rule for one in refused.missing] == [f"kind:{KIND_OF[case_key]}"]
        out.save(force_insert=True)
    assert close(release)


def test_a_withdrawn_case_without_a_fitting_successor_leaves_its_kind_open(
    reviewed: Release, rita: User
) -> None:
    came_in = withdraw(reviewed, "ramp")
    assert came_in is not None
    assert came_in.startswith("spare-")
    assert refusal(reviewed).sentences == [
        f"{TEXT_OF['ramp']}: no case in the sample.",
        f"1 review is missing: {came_in}.",
    ]
    review(reviewed, came_in, rita)
    assert [one.rule for one in refusal(reviewed).missing] == [f"kind:{KIND_OF['ramp']}"]


def test_a_withdrawn_case_is_followed_by_one_that_keeps_the_kind(rita: User) -> None:
    release = started(k=1, more={"ramp-2": ("mobility-limited",)})
    put_reviews(release, rita)
    out, into = sorted(["ramp", "ramp-2"], key=lambda key: key not in sampled(release))
    assert withdraw(release, out) == into
    assert refusal(release).sentences == [f"1 review is missing: {into}."]
    review(release, into, rita)
    assert close(release).headline["reviews"] == 5


def test_a_withdrawn_case_without_any_successor_leaves_the_sample_too_small(rita: User) -> None:
    release = started(k=1, without=["spare-1", "spare-2", "spare-3"])
    put_reviews(release, rita)
    assert withdraw(release, "kids") is None
    refused = refusal(release)
    assert refused.sentences == [
        f"{TEXT_OF['kids']}: no case in the sample.",
        "The sample has 4 cases; at least 5 are needed.",
    ]
    rules = [one.rule for one in refused.missing]
    assert rules == [f"kind:{KIND_OF['kids']}", "cases"]
    close(release, *rules)
    assert current(release).is_closed


@pytest.mark.django_db
def test_everything_that_is_missing_is_told_at_once(rita: User, omar: User) -> None:
    release = started(k=2, without=["spare-1", "spare-2", "spare-3"])
    withdraw(release, "kids")
    review(release, "feast", rita, 4)
    review(release, "feast", omar, 1)
    assert [one.rule for one in refusal(release).missing] == [
        f"kind:{KIND_OF['kids']}",
        "cases",
        "reviews",
        "adjudications",
    ]


@pytest.mark.django_db
def test_a_draft_does_not_close() -> None:
    release = drawn()
    before = everything()
    with pytest.raises(WrongStatus, match="still a draft"):
        close(release)
    assert everything() == before


# --- The reviews ----------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_release_without_reviews_lacks_k_for_each_case() -> None:
    refused = refusal(started(k=2))
    assert refused.sentences == ["10 reviews are missing: feast, kids, ramp, rush, thrift."]
    assert refused.missing[0].cases == ("feast", "kids", "ramp", "rush", "thrift")


def test_one_review_too_few_is_told(rita: User, omar: User) -> None:
    release = started(k=2)
    put_reviews(release, rita)
    put_reviews(release, omar, but=["ramp"])
    own = assign(release, "ramp", omar)
    assert refusal(release).sentences == ["1 review is missing: ramp."]
    submit(own)
    assert close(release).headline["reviews"] == 10


def test_more_reviews_than_asked_make_up_for_no_other_case(
    reviewed: Release, omar: User, rita: User
) -> None:
    reviewed = by_first_rules(reviewed)
    review(reviewed, "feast", omar)
    SampledCase.objects.filter(case__case_key="kids").delete()
    amendments.add(release=reviewed, case_key="spare-1", reason=WHY, user=None, now=NOW)
    amendments.add(release=reviewed, case_key="kids", reason=WHY, user=None, now=NOW)
    assert refusal(reviewed).sentences == ["1 review is missing: spare-1."]


def test_a_review_of_a_withdrawn_case_does_not_count(reviewed: Release, rita: User) -> None:
    came_in = withdraw(reviewed, "ramp")
    told = json.loads(summary.serialize(summary.compute(current(reviewed)))[0])
    assert (told["reviews_in"], told["reviews_expected"]) == (4, 5)
    assert told["withdrawn"] == [
        {
            "case_key": "ramp",
            "kind": KIND_OF["ramp"],
            "cause": "broken",
            "reason": WHY,
            "reviews_not_counted": 1,
        }
    ]
    assert came_in in [one["case_key"] for one in told["sample"]]
    assert Review.objects.get(case__case_key="ramp").scores.count() == 2


# --- Where reviewers differ -----------------------------------------------------------------------

USABILITY: Metric = read((SHIPPED / "en.md").read_text("utf-8")).document.metrics[0]


def needs_adjudication(one: int, other: int, lowest: int) -> bool:
    """design.md, word by word: differ by 2, or one at the two lowest levels and another not."""
    bottom = (lowest, lowest + 1)
    return abs(one - other) >= 2 or (one in bottom) != (other in bottom)


@pytest.mark.parametrize(("low", "high"), [(0, 5), (1, 5), (-2, 2), (0, 1)])
def test_every_pair_of_scores_is_listed_by_the_rule(low: int, high: int) -> None:
    metric = Metric(**{**fields_of(USABILITY), "low": low, "high": high})
    for one, other in product(range(low, high + 1), repeat=2):
        listed = differ(min(one, other), max(one, other), metric)
        assert listed == needs_adjudication(one, other, low), (one, other)


def fields_of(metric: Metric) -> dict[str, Any]:
    return {name: getattr(metric, name) for name in metric.__dataclass_fields__}


SCORES: list[tuple[tuple[int, ...], bool]] = [
    ((4, 4), False),
    ((4, 3), False),
    ((4, 2), True),
    ((3, 2), False),
    ((2, 1), True),
    ((1, 0), False),
    ((0, 0), False),
    ((2, 0), True),
    ((4,), False),
    ((0,), False),
    ((2, 3, 4), True),
    ((2, 2, 1), True),
    ((1, 0, 1), False),
]


def test_a_case_is_listed_where_its_scores_differ(rita: User, omar: User) -> None:
    release = started(k=1, size=20, more={f"more-{number:02}": () for number in range(12)})
    people = [rita, omar, make_person("wei", Role.REVIEWER)]
    expected = []
    for case_key, (scores, is_listed) in zip(sampled(release), SCORES, strict=False):
        said = {
            person: judgement(4, personalization=value)
            for person, value in zip(people, scores, strict=False)
        }
        put_judgements(release, {case_key: said})
        if is_listed:
            expected.append((case_key, ("personalization",)))
    found = list_disagreements(release)
    assert [(one.case_key, one.metrics) for one in found] == expected
    assert list_open_disagreements(release) == found
    by_rule = {one.rule: one.cases for one in releases_lifecycle.find_missing_for_close(release)}
    assert by_rule.keys() == {"reviews", "adjudications"}
    assert by_rule["adjudications"] == tuple(case_key for case_key, _ in expected)


def test_scores_of_different_cases_are_not_compared(reviewed: Release, omar: User) -> None:
    review(reviewed, "feast", omar, 4)
    review(reviewed, "kids", omar, 3)
    assert list_disagreements(reviewed) == []
    assert close(reviewed)


def test_an_open_disagreement_keeps_a_release_open(
    reviewed: Release, omar: User, mina: User
) -> None:
    review(reviewed, "kids", omar, 1)
    review(reviewed, "feast", omar, 4, usability_value=2)
    refused = refusal(reviewed)
    assert refused.sentences == ["2 cases are waiting for adjudication: feast, kids."]
    assert [(one.rule, one.cases) for one in refused.missing] == [
        ("adjudications", ("feast", "kids"))
    ]
    adjudicate(reviewed, mina, usability_value=3)
    assert refusal(reviewed).sentences == ["1 case is waiting for adjudication: kids."]
    adjudicate(reviewed, mina, "kids", usability_value=0, personalization=5)
    assert close(reviewed)


def test_answers_that_differ_never_block(reviewed: Release, omar: User) -> None:
    submit(assign(reviewed, "feast", omar), judgement(4, answer="no"))
    assert close(reviewed)


def test_a_withdrawn_case_needs_no_adjudication(reviewed: Release, rita: User, omar: User) -> None:
    review(reviewed, "feast", omar, 1)
    came_in = withdraw(reviewed, "feast")
    assert came_in is not None
    review(reviewed, came_in, rita)
    assert list_disagreements(reviewed) == []


def test_a_revision_opens_an_adjudicated_case_again(
    reviewed: Release, omar: User, mina: User
) -> None:
    review(reviewed, "feast", omar, 4, personalization=2)
    adjudicate(reviewed, mina, personalization=3)
    assert not list(releases_lifecycle.find_missing_for_close(reviewed))
    review(reviewed, "feast", omar, 4, personalization=1)
    assert refusal(reviewed).sentences == ["1 case is waiting for adjudication: feast."]
    adjudicate(reviewed, mina, personalization=1)
    assert Adjudication.objects.get().agreed == {"personalization": 1}
    assert close(reviewed)


def test_a_revision_that_settles_the_difference_needs_no_adjudication(
    reviewed: Release, omar: User, mina: User
) -> None:
    review(reviewed, "feast", omar, 1)
    review(reviewed, "feast", omar, 4)
    assert close(reviewed)


def test_one_more_review_opens_an_adjudicated_case_again(
    reviewed: Release, omar: User, mina: User
) -> None:
    review(reviewed, "feast", omar, 4, personalization=2)
    adjudicate(reviewed, mina, personalization=3)
    review(reviewed, "feast", make_person("wei", Role.REVIEWER), 4)
    assert [one.rule for one in refusal(reviewed).missing] == ["adjudications"]


def test_an_adjudication_tells_its_basis_and_no_score_in_the_ledger(
    reviewed: Release, omar: User, mina: User
) -> None:
    review(reviewed, "feast", omar, 4, personalization=2)
    done = adjudicate(reviewed, mina, personalization=3)
    assert (done.by, done.note, done.adjudicated_at) == ("mina", "Both read the same words.", NOW)
    assert done.basis == [["omar", 1], ["rita", 1]]
    assert last_event(reviewed) == (
        "case-adjudicated",
        {
            "case": "feast",
            "metrics": ["personalization"],
            "cause": "taste",
            "reviews": [["omar", 1], ["rita", 1]],
        },
    )
    assert ledger.verify(reviewed)


AGREEMENTS: list[tuple[dict[str, Any], type[Refused]]] = [
    ({"agreed": {}}, adjudication_workflow.BadAgreement),
    ({"agreed": {"personalization": 6}}, adjudication_workflow.BadAgreement),
    ({"agreed": {"personalization": -1}}, adjudication_workflow.BadAgreement),
    ({"agreed": {"personalization": None}}, adjudication_workflow.BadAgreement),
    ({"agreed": {"personalization": 2.5}}, adjudication_workflow.BadAgreement),
    ({"agreed": {"personalization": 3, "usability-value": 4}}, adjudication_workflow.BadAgreement),
    ({"agreed": {"personalization": 3, "beauty": 4}}, adjudication_workflow.BadAgreement),
    ({"cause": "weather"}, adjudication_workflow.BadAgreement),
    ({"cause": ""}, adjudication_workflow.BadAgreement),
    ({"note": " "}, NeedsReason),
    ({"case_key": "kids"}, adjudication_workflow.NotListed),
    ({"case_key": "spare-1"}, adjudication_workflow.NotListed),
    ({"case_key": "nothing"}, adjudication_workflow.NotListed),
]


def test_what_settles_nothing_is_refused(
    reviewed: Release, omar: User, mina: User, rita: User
) -> None:
    review(reviewed, "feast", omar, 4, personalization=2)
    good: dict[str, Any] = {
        "release": reviewed,
        "case_key": "feast",
        "agreed": {"personalization": 3},
        "cause": "taste",
        "note": "Read again.",
        "user": mina,
        "now": NOW,
    }
    before = everything()
    for wrong, why in AGREEMENTS:
        with pytest.raises(why):
            adjudication_workflow.adjudicate(**(good | wrong))
    for person in (rita, omar):
        with pytest.raises(adjudication_workflow.OwnReview):
            adjudication_workflow.adjudicate(**(good | {"user": person}))
    assert everything() == before
    adjudication_workflow.adjudicate(**(good | {"agreed": {"personalization": 0}}))


def test_all_that_is_wrong_with_an_agreement_is_told_at_once(
    reviewed: Release, omar: User, mina: User
) -> None:
    review(reviewed, "feast", omar, 1)
    with pytest.raises(adjudication_workflow.BadAgreement) as refused:
        adjudication_workflow.adjudicate(
            release=reviewed,
            case_key="feast",
            agreed={"personalization": 9, "beauty": 1},
            cause="weather",
            note="x",
            user=mina,
            now=NOW,
        )
    assert refused.value.sentences == [
        "Personalization needs an agreed score from 0 to 5.",
        "Usability & Value needs an agreed score from 0 to 5.",
        "beauty is not in dispute, so it keeps its mean score. Leave it out.",
        "Choose what caused the disagreement.",
    ]


# --- Waivers --------------------------------------------------------------------------------------


def test_several_missing_reviews_are_waived_together(rita: User, mina: User) -> None:
    release = started(k=2)
    review(release, "feast", rita)
    waiver = waive(release, "reviews", mina)
    covers = {"reviews": {"feast": 1, "kids": 2, "ramp": 2, "rush": 2, "thrift": 2}}
    assert (waiver.covers, waiver.reason, waiver.by) == (covers, WHY, "mina")
    assert last_event(release) == (
        "rule-waived",
        {"rule": "reviews", "covers": covers, "reason": WHY},
    )
    closing = close(release)
    assert json.loads(closing.summary)["waivers"] == [
        {"rule": "reviews", "by": "mina", "reason": WHY, "covers": covers}
    ]
    assert closing.headline["reviews"] == 1


def test_a_waiver_of_reviews_covers_no_case_that_comes_later(reviewed: Release) -> None:
    reviewed = by_first_rules(reviewed)
    amendments.add(release=reviewed, case_key="spare-1", reason=WHY, user=None, now=NOW)
    waive(reviewed, "reviews")
    assert not list(releases_lifecycle.find_missing_for_close(reviewed))
    amendments.add(release=reviewed, case_key="spare-2", reason=WHY, user=None, now=NOW)
    assert refusal(reviewed).sentences == ["1 review is missing: spare-2."]
    waive(reviewed, "reviews")
    assert Waiver.objects.get().covers == {"reviews": {"spare-1": 1, "spare-2": 1}}
    assert close(reviewed)


def test_a_waiver_of_reviews_covers_so_many_of_a_case_and_not_more(rita: User, omar: User) -> None:
    release = started(k=2)
    put_reviews(release, rita)
    put_reviews(release, omar, but=["feast"])
    waive(release, "reviews")
    assert not list(releases_lifecycle.find_missing_for_close(release))
    Review.objects.filter(case__case_key="feast").update(status="withdrawn")
    assert refusal(release).sentences == ["1 review is missing: feast."]


def test_a_review_that_comes_in_after_all_is_no_harm_to_a_waiver(rita: User) -> None:
    release = started(k=1)
    put_reviews(release, rita, but=["feast"])
    waive(release, "reviews")
    review(release, "feast", rita)
    assert close(release)


def test_cases_that_nobody_judged_are_no_evidence_unless_that_is_waived_too(
    rita: User, omar: User
) -> None:
    release = started()
    put_reviews(release, rita, omar, but=["rush"])
    close(release, "reviews")
    release = current(release)
    assert release.closings.get().verdict == Word.NOT_ENOUGH_EVIDENCE
    release = releases_lifecycle.reopen(
        release=release, reason="Say what it rests on.", user=None, now=NOW
    )
    close(release, "cases", f"kind:{KIND_OF['rush']}")
    assert Waiver.objects.get(rule="cases").covers == {"cases": 4}
    assert current(release).closings.standing().get().verdict == Word.GO


def test_waived_adjudications_are_those_that_waited_then(
    reviewed: Release, omar: User, mina: User
) -> None:
    review(reviewed, "feast", omar, 1)
    assert waive(reviewed, "adjudications", mina).covers == {
        "cases": {
            "feast": {
                "metrics": ["personalization", "usability-value"],
                "basis": [["omar", 1], ["rita", 1]],
            }
        }
    }
    assert not list(releases_lifecycle.find_missing_for_close(reviewed))
    review(reviewed, "kids", omar, 1)
    assert refusal(reviewed).sentences == ["1 case is waiting for adjudication: kids."]


def test_a_waived_adjudication_covers_no_difference_that_comes_later(
    reviewed: Release, omar: User, mina: User
) -> None:
    """A waiver covers what was missing then, not more: here a metric on which they agreed."""
    review(reviewed, "feast", omar, 4, personalization=2)
    waive(reviewed, "adjudications", mina)
    review(reviewed, "feast", omar, 0, personalization=2)
    assert refusal(reviewed).sentences == ["1 case is waiting for adjudication: feast."]


def test_a_waived_kind_is_printed_with_its_reason(
    reviewed: Release, rita: User, mina: User
) -> None:
    came_in = withdraw(reviewed, "kids")
    assert came_in is not None
    review(reviewed, came_in, rita)
    waive(reviewed, f"kind:{KIND_OF['kids']}", mina)
    told = json.loads(close(reviewed).summary)
    by_kind = {one["kind"]: (one["is_covered"], one["waived"]) for one in told["coverage"]}
    assert by_kind[KIND_OF["kids"]] == (False, WHY)
    assert by_kind[KIND_OF["ramp"]] == (True, "")


def test_a_waiver_taken_back_covers_nothing(reviewed: Release) -> None:
    reviewed = by_first_rules(reviewed)
    amendments.add(release=reviewed, case_key="spare-1", reason=WHY, user=None, now=NOW)
    waive(reviewed, "reviews")
    back: dict[str, Any] = {"release": reviewed, "reason": WHY, "user": None, "now": NOW}
    releases_waivers.take_back(rule="reviews", **back)
    assert last_event(reviewed) == ("waiver-taken-back", {"rule": "reviews", "reason": WHY})
    assert refusal(reviewed).sentences == ["1 review is missing: spare-1."]
    with pytest.raises(releases_waivers.NothingToWaive):
        releases_waivers.take_back(rule="reviews", **back)


def test_what_cannot_be_waived_is_refused(reviewed: Release) -> None:
    before = everything()
    for rule in ("", "kind:", "kind:beauty", "review", "Reviews", "kind:\0"):
        with pytest.raises(releases_waivers.NoSuchRule) as refused:
            waive(reviewed, rule)
    assert f"kind:{KIND_OF['feast']}" in str(refused.value)
    for rule in ("reviews", "adjudications"):
        with pytest.raises(releases_waivers.NothingToWaive):
            waive(reviewed, rule)
    for reason in ("", " \n", "\0", "x" * 501):
        with pytest.raises(NeedsReason):
            releases_waivers.waive(
                release=reviewed, rule="cases", reason=reason, user=None, now=NOW
            )
    assert everything() == before


def test_closing_with_a_waiver_is_one_act(rita: User, omar: User, mina: User) -> None:
    release = started(k=2)
    put_reviews(release, rita)
    review(release, "feast", omar, 1)
    refused = refusal(release, "reviews")
    assert [one.rule for one in refused.missing] == ["adjudications"]
    assert not Waiver.objects.exists()
    assert [one.rule for one in refusal(release, "adjudications").missing] == ["reviews"]
    closing = close(release, "reviews", "adjudications", user=mina)
    kinds = list(release.events.order_by("number").values_list("kind", flat=True))
    assert kinds[-3:] == ["rule-waived", "rule-waived", "release-closed"]
    told = json.loads(closing.summary)["waivers"]
    assert [(one["rule"], one["by"], one["reason"]) for one in told] == [
        ("adjudications", "mina", WHY),
        ("reviews", "mina", WHY),
    ]
    assert ledger.verify(release)


def test_a_waiver_at_the_close_needs_a_reason_and_something_to_waive(reviewed: Release) -> None:
    before = everything()
    with pytest.raises(NeedsReason):
        close(reviewed, "cases", reason=" ")
    with pytest.raises(releases_lifecycle.CannotClose) as refused:
        close(reviewed, "reviews", "cases", "beauty")
    assert [one.split(".")[0] for one in refused.value.sentences] == [
        "No review is missing",
        "There is no rule “beauty”",
    ]
    assert everything() == before


# --- Abandon, reopen, close again -----------------------------------------------------------------


@pytest.mark.parametrize("make", [make_release, filled, drawn, started])
@pytest.mark.django_db
def test_a_release_is_abandoned_at_any_time_and_comes_back_as_it_was(
    make: Callable[[], Release], mina: User
) -> None:
    release = make()
    before = release.status
    closing = releases_lifecycle.abandon(release=release, reason=f" {WHY} ", user=mina, now=NOW)
    assert current(release).is_closed
    assert (closing.is_abandoned, closing.reason, closing.by) == (True, WHY, "mina")
    assert (closing.closed_from, closing.number) == (before, 1)
    assert last_event(release) == (
        "release-abandoned",
        {"closing": 1, "summary": closing.digest, "reason": WHY},
    )
    assert reopen(release).status == current(release).status == before
    assert ledger.verify(release)


@pytest.mark.django_db
def test_abandoning_needs_a_reason_and_happens_once() -> None:
    release = filled()
    before = everything()
    with pytest.raises(NeedsReason):
        releases_lifecycle.abandon(release=release, reason="", user=None, now=NOW)
    assert everything() == before
    abandon(release)
    before = everything()
    with pytest.raises(WrongStatus):
        abandon(release)
    assert everything() == before


@pytest.mark.django_db
def test_an_abandoned_draft_is_a_draft_again_after_reopening() -> None:
    release = drawn()
    abandon(release)
    reopen(release)
    bring(release, row("late"))
    draw(release)
    assert releases_lifecycle.start(release=release, user=None, now=NOW).is_reviewing


def test_reopening_voids_the_decision_and_keeps_the_report(
    reviewed: Release, mina: User, ada: User
) -> None:
    closing = close(reviewed)
    sign(reviewed, mina, closing.digest)
    assert reopen(reviewed, ada).is_reviewing
    assert last_event(reviewed) == (
        "release-reopened",
        {"closing": 1, "reason": WHY, "decision_voided": True},
    )
    kept = Closing.objects.get()
    assert (kept.reopened_at, kept.summary, kept.digest) == (
        LATER,
        closing.summary,
        closing.digest,
    )
    signed = Decision.objects.get()
    assert (signed.voided_at, signed.by, signed.closing) == (LATER, "mina", kept)
    assert not Decision.objects.standing().exists()


def test_closing_again_makes_a_second_report(reviewed: Release, mina: User, omar: User) -> None:
    first = close(reviewed)
    sign(reviewed, mina, first.digest)
    reopen(reviewed)
    review(reviewed, "feast", omar)
    second = close(reviewed)
    assert (first.number, second.number) == (1, 2)
    assert second.digest != first.digest
    assert list(Closing.objects.standing()) == [second]
    assert last_event(reviewed)[1]["closing"] == 2
    with pytest.raises(CannotSign):
        sign(reviewed, mina, first.digest)
    assert sign(reviewed, mina, second.digest).closing == second
    assert Decision.objects.count() == 2
    assert ledger.verify(reviewed)


def test_closing_again_without_any_change_gives_the_same_report(reviewed: Release) -> None:
    first = close(reviewed)
    reopen(reviewed)
    assert close(reviewed).digest == first.digest


def test_only_a_closed_release_is_reopened_and_with_a_reason(reviewed: Release) -> None:
    before = everything()
    with pytest.raises(WrongStatus, match="not closed"):
        reopen(reviewed)
    assert everything() == before
    close(reviewed)
    before = everything()
    with pytest.raises(NeedsReason):
        releases_lifecycle.reopen(release=reviewed, reason=" ", user=None, now=NOW)
    assert everything() == before


def test_closed_is_read_only_for_every_act(reviewed: Release, omar: User, mina: User) -> None:
    review(reviewed, "feast", omar, 4, personalization=2)
    waive(reviewed, "adjudications")
    own = Review.objects.get(case__case_key="kids")
    close(reviewed)
    hand: dict[str, Any] = {"release": reviewed, "reason": WHY, "user": None, "now": NOW}
    acts: list[Callable[[], object]] = [
        lambda: sample_workflow.draw(release=reviewed, size=None, user=None, now=NOW),
        lambda: amendments.add(case_key="spare-1", **hand),
        lambda: amendments.remove(case_key="kids", **hand),
        lambda: amendments.swap(out="kids", into="spare-1", **hand),
        lambda: amendments.withdraw(case_key="kids", cause="broken", **hand),
        lambda: releases_lifecycle.start(release=reviewed, user=None, now=NOW),
        lambda: close(reviewed),
        lambda: close(reviewed, "cases"),
        lambda: abandon(reviewed),
        lambda: waive(reviewed, "cases"),
        lambda: releases_waivers.take_back(rule="adjudications", **hand),
        lambda: assign(reviewed, "kids", omar),
        lambda: submit(own, judgement(2), key="late"),
        lambda: adjudicate(reviewed, mina, personalization=3),
    ]
    before = everything()
    for number, act in enumerate(acts):
        with pytest.raises(WrongStatus):
            act()
        assert everything() == before, number


# --- The stored report ----------------------------------------------------------------------------


def test_the_stored_text_has_the_stored_digest(reviewed: Release) -> None:
    closing = Closing.objects.get(pk=close(reviewed).pk)
    assert hashlib.sha256(closing.summary.encode()).hexdigest() == closing.digest
    told = json.loads(closing.summary)
    assert told["schema"] == "spotcheck-summary/5"
    assert (told["release"], told["reviews_per_case"]) == ("wanderer-1", 1)
    assert [one["case_key"] for one in told["sample"]] == list(FILLING)
    assert [one["reviews_in"] for one in told["sample"]] == [1] * 5
    assert (told["reviews_in"], told["reviews_expected"]) == (5, 5)
    canonical = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    assert json.loads(canonical) == told
    assert summary.serialize(summary.compute(current(reviewed))) == (
        closing.summary,
        closing.digest,
    )


def test_the_head_is_the_digest_of_the_closing_event(reviewed: Release, mina: User) -> None:
    closing = close(reviewed, user=mina)
    event = reviewed.events.get(kind="release-closed")
    release = current(reviewed)
    assert (closing.event, closing.head) == (event.number, event.digest)
    assert (release.ledger_length, release.ledger_head) == (event.number, event.digest)
    assert closing.head not in closing.summary
    sign(reviewed, mina, closing.digest)
    closing.refresh_from_db()
    assert closing.head == event.digest != current(reviewed).ledger_head


def keys_and_values(value: Any) -> Iterator[tuple[str, Any]]:
    """Every field of a JSON value, however deep."""
    if isinstance(value, dict):
        for key, own in value.items():
            yield key, own
            yield from keys_and_values(own)
    elif isinstance(value, list):
        for own in value:
            yield from keys_and_values(own)


def eventful(now_shift: timedelta, rita: User, omar: User, mina: User) -> Release:
    """A bit of everything that a summary tells: two draws, exclusion, swap, withdrawal, waivers."""
    now = NOW + now_shift
    baseline = make_release("wanderer-0")
    release = filled(k=1, more={"ramp-2": ("mobility-limited",)})
    release = releases_workflow.change(release=release, baseline=baseline, user=None, now=now)
    sample_workflow.draw(release=release, size=5, user=None, now=now)
    code = release.cases.get(case_key="spare-3").code
    tags_workflow.exclude(release=release, codes=[code], reason=WHY, user=None, now=now)
    sample_workflow.draw(release=release, size=7, user=mina, now=now)
    [out] = {"spare-1", "spare-2"}.intersection(sampled(release))
    [other] = {"spare-1", "spare-2"} - {out}
    amendments.swap(release=release, out=out, into=other, reason=WHY, user=mina, now=now)
    releases_lifecycle.start(release=release, user=mina, now=now)
    put_reviews(release, rita, but=[other])
    review(release, "feast", omar, 1, now=now)
    amendments.withdraw(
        release=release, case_key="kids", cause="duplicate", reason=WHY, user=mina, now=now
    )
    return current(release)


WAIVED = ("reviews", "adjudications", f"kind:{KIND_OF['kids']}")


def test_a_summary_has_no_primary_key_and_no_clock(rita: User, omar: User, mina: User) -> None:
    release = eventful(timedelta(0), rita, omar, mina)
    told = json.loads(close(release, *WAIVED, user=mina).summary)
    found = list(keys_and_values(told))
    assert {"draws", "waivers", "withdrawn", "excluded", "amendments"} <= {
        key for key, own in found if own
    }
    assert not {key for key, _ in found if key in ("id", "pk") or re.search(r"_(at|id|on)$", key)}
    assert not re.search(r"20\d\d-\d\d-\d\d", json.dumps(told))


def everything_goes() -> None:
    """Past the triggers; the people stay."""
    with without_triggers():
        for model in (
            *models_of("reviews"),
            *models_of("cases"),
        ):
            if model not in (Absence, Reviewer, Rubric, RubricTranslation):
                model._default_manager.all()._raw_delete("default")


def models_of(app: str) -> list[type[models.Model]]:
    return list(apps.get_app_config(app).get_models())


def test_the_same_evidence_gives_the_same_digest_whatever_its_rows(
    rita: User, omar: User, mina: User
) -> None:
    first_release = eventful(timedelta(0), rita, omar, mina)
    first = close(first_release, *WAIVED, user=mina)
    everything_goes()
    filled("stroller-1")  # so that no row has the number that it had before
    second_release = eventful(timedelta(days=30), rita, omar, mina)
    assert second_release.pk != first_release.pk
    second = close(second_release, *WAIVED, user=mina)
    assert second.summary == first.summary
    assert second.digest == first.digest
    assert second.head != first.head  # the ledger has the clock in it


# --- The signature --------------------------------------------------------------------------------


def test_a_manager_signs_the_report_that_was_read(reviewed: Release, mina: User) -> None:
    closing = close(reviewed)
    signed = sign(reviewed, mina, closing.digest)
    assert (signed.decision, signed.by, signed.reason) == ("ship", "mina", WHY)
    assert (signed.closing, signed.decided_at, signed.voided_at) == (closing, NOW, None)
    assert last_event(reviewed) == (
        "release-signed",
        {
            "decision": "ship",
            "summary": closing.digest,
            "reason": WHY,
            "verdict": "GO",
            "is_against": False,
        },
    )
    assert not signed.is_against
    assert current(reviewed).is_closed


@pytest.mark.parametrize(
    ("word", "decision", "is_against"),
    [
        (Word.GO, "ship", False),
        (Word.GO, "do-not-ship", True),
        (Word.HOLD, "ship", True),
        (Word.HOLD, "do-not-ship", False),
        (Word.NO_GO, "ship", True),
        (Word.NO_GO, "do-not-ship", False),
        (Word.NOT_ENOUGH_EVIDENCE, "ship", True),
        (None, "ship", False),
    ],
)
def test_which_decision_is_against_the_verdict(
    word: Word | None, decision: str, is_against: bool
) -> None:
    assert DecisionMade(decision).is_against(word) == is_against


def test_a_decision_against_the_verdict_is_possible_and_recorded(
    reviewed: Release, mina: User
) -> None:
    closing = close(reviewed)
    assert closing.verdict == "GO"
    signed = sign(reviewed, mina, closing.digest, "do-not-ship")
    assert signed.is_against
    kind, data = last_event(reviewed)
    assert (kind, data["verdict"], data["is_against"]) == ("release-signed", "GO", True)
    assert describe_event(reviewed.events.order_by("-number")[0]) == (
        "signed: do not ship; against the verdict, which is GO"
    )


def test_a_headline_of_an_older_code_has_no_verdict(reviewed: Release) -> None:
    closing = close(reviewed)
    closing.headline = {"kinds": 5, "kinds_covered": 5, "reviews": 5, "reviews_expected": 5}
    assert (closing.verdict, closing.means) == (None, [])
    with without_triggers():
        closing.save()
    [row] = load_rows([current(reviewed)], today=timezone.localdate())
    assert (row.reviews, row.closing) == (5, closing)


def test_an_abandoned_release_has_no_verdict(reviewed: Release) -> None:
    assert abandon(reviewed).verdict is None


def test_signing_twice_is_signing_once(reviewed: Release, mina: User) -> None:
    closing = close(reviewed)
    first = sign(reviewed, mina, closing.digest)
    before = everything()
    assert sign(reviewed, mina, closing.digest, reason="Once more.") == first
    assert everything() == before


def test_a_signed_release_takes_no_other_signature(reviewed: Release, mina: User) -> None:
    closing = close(reviewed)
    noor = make_person("noor", Role.MANAGER)
    sign(reviewed, mina, closing.digest)
    before = everything()
    for person, decision in ((noor, "ship"), (noor, "do-not-ship"), (mina, "do-not-ship")):
        with pytest.raises(CannotSign, match="signed already, by mina"):
            sign(reviewed, person, closing.digest, decision)
    assert everything() == before


def test_what_cannot_be_signed_is_refused(reviewed: Release, mina: User) -> None:
    with pytest.raises(WrongStatus, match="no report to sign"):
        sign(reviewed, mina, "0" * 64)
    closing = close(reviewed)
    before = everything()
    for digest in ("", "0" * 64, closing.digest.upper(), closing.head):
        with pytest.raises(CannotSign, match="has changed since you read it"):
            sign(reviewed, mina, digest)
    with pytest.raises(NeedsReason):
        sign(reviewed, mina, closing.digest, reason="")
    assert everything() == before


def test_an_unknown_decision_is_refused(reviewed: Release, mina: User) -> None:
    closing = close(reviewed)
    with pytest.raises(Refused):
        sign(reviewed, mina, closing.digest, "perhaps")


@pytest.mark.django_db
def test_an_abandoned_release_has_nothing_to_sign(mina: User) -> None:
    release = started()
    closing = abandon(release)
    with pytest.raises(CannotSign, match="abandoned"):
        sign(release, mina, closing.digest)


def test_every_refusal_has_a_code_of_its_own() -> None:
    """Scripts go by it."""
    classes: list[type[Refused]] = [
        releases_lifecycle.CannotStart,
        releases_lifecycle.CannotClose,
        releases_waivers.NoSuchRule,
        releases_waivers.NothingToWaive,
        CannotSign,
        adjudication_workflow.NotListed,
        adjudication_workflow.OwnReview,
        adjudication_workflow.BadAgreement,
        desk_workflow.NoSuchReview,
        assignments_workflow.MadeTheCase,
        desk_workflow.Incomplete,
        desk_workflow.Stale,
        desk_submission.KeyReused,
        desk_workflow.NotOpen,
        sample_workflow.CannotDraw,
        amendments.NotEligible,
        amendments.AlreadySampled,
        amendments.HasReviews,
    ]
    assert len({one.code for one in classes} | {Refused.code}) == len(classes) + 1
