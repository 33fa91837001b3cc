"""A rule on trial: which reads count, and what it would do to the sample."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from cases.models import Release, Rule, RuleHit
from cases.rules.workflow import CannotMove
from reviews.backtest import Advice, Share
from reviews.releases import lifecycle
from reviews.rules import workflow
from reviews.rules.trial import Trial, load_trial
from tests.bed import escapes, reviewed
from tests.bed.cases import NOW, database_digest, make_release
from tests.bed.escapes import says
from tests.bed.reviewed import ITEMS, KIND_OF
from tests.bed.rules import OVER_LUNCH, QUESTION, lunch_rule, propose

LATER = NOW + timedelta(days=2)
NO, YES, NA = says(no=[QUESTION]), says(), says(na=[QUESTION])
OTHER = says(no=[ITEMS[4]])

pytestmark = pytest.mark.usefixtures("rubric")


@pytest.fixture
def two(rita: User, omar: User) -> list[User]:
    return [rita, omar]


def hit(rule: Rule, *keys: str) -> None:
    """Let the rule hit these cases in each release."""
    RuleHit.objects.filter(rule=rule).delete()
    for release in Release.objects.all():
        for case in release.cases.filter(case_key__in=keys):
            RuleHit.objects.create(rule=rule, case=case, hits="[]")


def shares(trial: Trial) -> tuple[Share, Share]:
    return trial.test.with_fact, trial.test.without_fact


# --- Reads ----------------------------------------------------------------------------------------


def test_a_case_counts_as_no_if_all_its_readers_said_no(two: list[User]) -> None:
    given = {"feast": [NO, NO], "thrift": [NO, YES], "kids": [NO, NO], "ramp": [YES, YES]}
    escapes.closed(two, given)
    rule = propose()
    hit(rule, "feast", "thrift")
    trial = load_trial(rule)
    assert shares(trial) == (Share(1, 2), Share(1, 3))
    assert trial.closed == ["wanderer-1"]
    assert trial.test.advice is Advice.FEW_READS


def test_a_case_that_no_reader_could_answer_is_not_read(two: list[User]) -> None:
    escapes.closed(two, {"feast": [NA, NA], "thrift": [NA, NO]})
    rule = propose()
    hit(rule, "feast", "thrift")
    assert shares(load_trial(rule)) == (Share(0, 1), Share(0, 3))


def test_noes_to_other_questions_are_counted_beside(two: list[User]) -> None:
    escapes.closed(two, {"feast": [OTHER, OTHER], "kids": [YES, YES]})
    rule = propose()
    hit(rule, "feast")
    test = load_trial(rule).test
    assert (test.others_with, test.others_without) == (1 / 7, 0)


def test_a_release_that_is_in_review_or_reopened_says_nothing(two: list[User]) -> None:
    escapes.put(reviewed.started("wanderer-open"), two, {"feast": [NO, NO]})
    reopened = escapes.closed(two, {"feast": [NO, NO]})
    lifecycle.reopen(release=reopened, reason="A mistake.", user=None, now=LATER)
    trial = load_trial(propose())
    assert shares(trial) == (Share(0, 0), Share(0, 0))
    assert trial.closed == []


def test_reads_add_up_over_closed_releases_of_the_product(two: list[User]) -> None:
    escapes.closed(two, {"feast": [NO, NO]})
    escapes.closed(two, {"kids": [NO, NO]}, "wanderer-2")
    rule = propose()
    hit(rule, "feast")
    trial = load_trial(rule)
    assert shares(trial) == (Share(1, 2), Share(1, 8))
    assert trial.closed == ["wanderer-1", "wanderer-2"]


def test_a_rule_for_a_tag_is_compared_among_cases_with_it(two: list[User]) -> None:
    escapes.closed(two, {"kids": [NO, NO]})
    assert shares(load_trial(propose(lunch_rule(tags=("family",))))) == (Share(0, 0), Share(1, 1))


# --- The pool -------------------------------------------------------------------------------------


def change(release: Release, *keys: str) -> None:
    """Let the plans of these cases have a meal over a visit."""
    tags = {**reviewed.FILLING, **reviewed.SPARE}
    reviewed.bring(release, *(reviewed.row(key, *tags[key], plan=OVER_LUNCH) for key in keys))


def test_it_counts_the_passed_plans_that_it_would_flag() -> None:
    release = reviewed.filled()
    change(release, "kids", "spare-1")
    failed = {"plan": OVER_LUNCH, "automated_summary": {"status": "FAIL"}}
    reviewed.bring(release, reviewed.row("spare-2", **failed))
    trial = load_trial(propose())
    assert [(each.release.name, each.passed, each.flagged) for each in trial.flagged] == [
        ("wanderer-1", 7, 2)
    ]
    assert (trial.would_flag, trial.passed) == (2, 7)


def test_a_kind_that_would_have_no_candidate_left_is_named() -> None:
    change(reviewed.filled(), "kids", "spare-1")
    trial = load_trial(propose())
    assert trial.pool is not None
    assert {each.kind.key: (each.now, each.left) for each in trial.kinds} == {
        kind: (1, 0) if key == "kids" else (1, 1) for key, kind in KIND_OF.items()
    }
    assert [each.kind.key for each in trial.lost] == [KIND_OF["kids"]]


def test_a_kind_with_another_candidate_is_not_lost() -> None:
    release = reviewed.filled()
    reviewed.bring(release, reviewed.row("second", "family"))
    change(release, "kids")
    assert load_trial(propose()).lost == []


def test_a_kind_that_is_empty_already_is_not_lost_by_the_rule() -> None:
    release = reviewed.filled()
    change(release, "kids")
    first = propose()
    workflow.adopt(version=first, confirm=True, user=None, now=NOW)
    assert load_trial(propose(lunch_rule(tags=("family",)))).lost == []


def test_a_product_without_cases_has_no_pool() -> None:

    make_release("empty-1", product="empty")
    trial = load_trial(propose(product="empty"))
    assert (trial.pool, trial.kinds, trial.flagged) == (None, [], [])


# --- Adopting -------------------------------------------------------------------------------------


def test_adopting_a_rule_that_leaves_a_kind_empty_says_so_before() -> None:
    change(reviewed.filled(), "kids")
    rule = propose()
    before = database_digest()
    with pytest.raises(workflow.LeavesKindsEmpty, match=r"wanderer-1: Family/parent-child case\."):
        workflow.adopt(version=rule, confirm=False, user=None, now=NOW)
    assert database_digest() == before
    assert workflow.adopt(version=rule, confirm=True, user=None, now=NOW).is_adopted


def test_a_rule_that_leaves_every_kind_a_candidate_needs_no_word() -> None:
    change(reviewed.filled(), "spare-1")
    rule = workflow.adopt(version=propose(), confirm=False, user=None, now=NOW)
    assert rule.is_adopted
    assert workflow.adopt(version=rule, confirm=False, user=None, now=NOW).is_adopted


def test_a_retired_rule_cannot_be_adopted() -> None:
    reviewed.filled()
    rule = propose()
    Rule.objects.filter(pk=rule.pk).update(state="retired")
    rule.refresh_from_db()
    with pytest.raises(CannotMove):
        workflow.adopt(version=rule, confirm=False, user=None, now=NOW)
