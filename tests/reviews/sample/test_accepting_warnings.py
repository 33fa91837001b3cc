"""Which cases can be sampled is a policy: passed ones, or also those with a warning."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from itertools import permutations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cases.case.queries import build_checks
from cases.models import Case, Release
from cases.models.cases import CheckStatus
from cases.releases import policy
from cases.releases import workflow as releases_workflow
from cases.releases.forms import ReleaseEditForm
from cases.tags import workflow as tags_workflow
from evalsite import triggers
from reviews.models import Draw
from reviews.releases.lifecycle import CannotStart
from reviews.releases.lifecycle import start as start_review
from reviews.releases.verify import verify_sample
from reviews.report import summary
from reviews.report.summary.document import read, serialize
from reviews.sample.forecast import load_forecast
from reviews.sample.queries import load_pool, load_sample
from reviews.sample.reasons import explain_not_eligible
from reviews.sample.rule import load_rule
from reviews.sample.workflow import CannotDraw, is_in_doubt
from tests.bed import reviewed as bed
from tests.bed.cases import NOW, import_lines, make_release

pytestmark = pytest.mark.django_db
BOTH = ["pass", "warn"]
WARN = {"automated_summary": {"status": "WARN"}}


def accept(release: Release, *results: str) -> Release:
    data = policy.to_data(policy.Policy(accept=list(results)))  # type: ignore[arg-type]
    return releases_workflow.change(release=release, policy=data, user=None, now=NOW)


def with_all_results(name: str = "wanderer-1") -> Release:
    """The cases of FILLING and SPARE, and one of every result of the checks."""
    release = bed.filled(name)
    bed.bring(
        release,
        bed.row("warned", "family", **WARN),
        bed.row("warned-bare", "family", plan=None, **WARN),
        bed.row("failed", automated_summary={"status": "FAIL"}),
        bed.row("unchecked", automated_summary=None),
    )
    return release


def keys_in_pool(release: Release) -> set[str]:
    return {candidate.case_key for candidate in load_pool(release)}


@pytest.mark.parametrize("given", [*permutations(["pass"]), *permutations(BOTH)])
def test_the_order_of_accepted_results_does_not_matter(given: tuple[str, ...]) -> None:
    assert policy.from_data({"accept": list(given)}).accept == sorted(given)


@pytest.mark.parametrize(
    "given", [[], ["warn"], ["pass", "pass"], ["pass", "fail"], ["pass", "warn", "warn"], "pass"]
)
def test_no_other_list_is_accepted(given: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        policy.from_data({"accept": given})


def test_only_an_unusual_choice_is_stored_and_the_start_spells_it_out() -> None:
    assert policy.to_data(policy.Policy()) == {}
    assert policy.to_data(policy.Policy(accept=["warn", "pass"])) == {"accept": BOTH}
    frozen = policy.freeze(policy.Policy(), [], drawn=5, available=5, prior=policy.Prior())
    assert frozen["accept"] == ["pass"]


def test_one_rule_decides_in_lists_counts_pool_and_single_cases() -> None:
    release = with_all_results()
    for results, more in ((["pass"], set()), (BOTH, {"warned"})):
        release = accept(release, *results)
        pool = keys_in_pool(release)
        assert pool & {"warned", "warned-bare", "failed", "unchecked"} == more
        listed = Case.objects.of(release).filter(build_checks(release)["eligible"])
        assert {case.case_key for case in listed} == pool
        own = {case.case_key for case in release.cases.all() if case.is_eligible}
        assert own == pool
        assert {
            case.case_key for case in release.cases.all() if not explain_not_eligible(case)
        } == (pool)
        counts = Case.objects.counts(release)
        assert (counts["eligible"], counts["warned"], counts["not_passed"]) == (len(pool), 2, 2)


def test_an_excluded_case_stays_excluded_when_warnings_are_accepted(ada: User) -> None:
    release = accept(with_all_results(), *BOTH)
    codes = release.cases.filter(case_key="warned").values_list("code", flat=True)
    tags_workflow.exclude(release=release, codes=list(codes), reason="no", user=ada, now=NOW)
    assert "warned" not in keys_in_pool(release)


def test_another_choice_after_the_draw_asks_for_a_new_draw() -> None:
    release = with_all_results()
    first = bed.draw(release)
    assert (first.accept, is_in_doubt(release, first)) == (["pass"], False)
    release = accept(release, *BOTH)
    assert is_in_doubt(release, first)
    with pytest.raises(CannotStart) as refused:
        start_review(release=release, user=None, now=NOW)
    assert "Draw again" in refused.value.sentences[0]
    second = bed.draw(release)
    assert (second.number, second.accept) == (2, BOTH)
    assert list(second.changes["new"]["cases"]) == ["warned"]
    assert start_review(release=release, user=None, now=NOW).policy["accept"] == BOTH


def test_a_choice_that_changes_no_case_still_asks_for_a_new_draw() -> None:
    release = bed.drawn()
    release = accept(release, *BOTH)
    with pytest.raises(CannotStart, match="accepts warnings as well"):
        start_review(release=release, user=None, now=NOW)
    assert bed.draw(release).number == 2
    start_review(release=release, user=None, now=NOW)


def test_a_sampled_case_with_a_warning_is_no_longer_eligible_once_only_passed_ones_are() -> None:
    release = accept(with_all_results(), *BOTH)
    size = len(keys_in_pool(release))
    bed.draw(release, size=size)
    assert all(sampled.is_eligible for sampled in load_sample(release))
    release = accept(release, "pass")
    out = [sampled.case_key for sampled in load_sample(release) if not sampled.is_eligible]
    assert out == ["warned"]


def started_with_warnings() -> Release:
    release = accept(with_all_results(), *BOTH)
    bed.draw(release, size=len(keys_in_pool(release)))
    return start_review(release=release, user=None, now=NOW)


def test_verify_sample_compares_what_was_accepted() -> None:
    release = started_with_warnings()
    assert verify_sample(release)[0] == []
    with triggers_off():
        Draw.objects.update(accept=["pass"])
    problems = " ".join(verify_sample(release)[0])
    assert "does not match the ledger" in problems
    assert "accepted other results" in problems


def test_verify_sample_names_a_case_whose_result_is_not_accepted() -> None:
    release = started_with_warnings()
    release.cases.filter(case_key="warned").update(check_status=CheckStatus.FAIL)
    assert verify_sample(release)[0] == [
        "wanderer-1: warned: the release does not accept the result of its automated checks."
    ]


@contextmanager
def triggers_off() -> Iterator[None]:
    triggers.drop(connection)
    yield
    triggers.install(connection)


def test_the_summary_says_what_each_draw_accepted_and_old_ones_stay_readable() -> None:
    found = summary.compute(started_with_warnings())
    assert found.draws[-1].accepts_warnings
    text, _digest = serialize(found)
    assert read(text).draws[-1].accepts_warnings
    usual = summary.compute(bed.started("wanderer-2"))
    assert not usual.draws[-1].accepts_warnings
    assert '"accept"' not in serialize(usual)[0]


def test_a_kind_that_only_a_warning_fills_is_named_without_being_promised() -> None:
    release = bed.filled(without=["kids"])
    bed.bring(release, bed.row("warned", "family", **WARN))
    kind = next(kind.key for kind in load_rule(release).kinds if "family" in kind.tags)
    found = load_forecast(release, load_rule(release), None)
    assert (found.fitting[kind], found.with_warnings[kind]) == (0, 1)
    with pytest.raises(CannotDraw, match=r"1 more case fits if warnings are accepted\."):
        bed.draw(release)
    release = accept(release, *BOTH)
    found = load_forecast(release, load_rule(release), None)
    assert (found.fitting[kind], found.with_warnings) == (1, {})
    bed.draw(release)
    assert "warned" in bed.sampled(release)


def test_the_number_of_queries_does_not_grow_with_the_cases() -> None:
    counts = []
    for name, more in (("wanderer-1", 2), ("wanderer-2", 12)):
        release = bed.filled(name, without=["kids"])
        bed.bring(release, *(bed.row(f"w{n}", "family", **WARN) for n in range(more)))
        with CaptureQueriesContext(
            connection,
        ) as queries:
            load_forecast(release, load_rule(release), None)
            load_sample(release)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_form_offers_both_choices() -> None:
    release = bed.filled()
    values = {
        "product": release.product,
        "rubric": str(release.rubric.number),
        "reviews_per_case": "2",
        "margin": "0.5",
        "within_one": "80",
        "floor_usability-value": "3",
        "floor_personalization": "3",
    }
    form = ReleaseEditForm({**values, "accept": "pass,warn"}, instance=release)
    assert form.is_valid(), form.errors
    assert form.cleaned_data["policy"] == {"accept": BOTH}
    for wrong in ("", "warn", "pass,fail"):
        assert not ReleaseEditForm({**values, "accept": wrong}, instance=release).is_valid()


# --- The real file --------------------------------------------------------------------------------


def test_the_real_release_of_which_29_of_31_cases_have_a_warning() -> None:
    folder = os.environ.get("SPOTCHECK_REAL_DATA")
    if not folder:
        pytest.skip("SPOTCHECK_REAL_DATA is not set, so the real cases are not at hand")
    content = (Path(folder) / "itineraries/dev_trip_agent_zh.jsonl").read_bytes()
    release = make_release("trip-agent-2026-02-14")
    import_lines(release, content, version="2026-02-14")
    counts = Case.objects.counts(release)
    assert (counts["total"], counts["passed"], counts["warned"]) == (31, 2, 29)
    with pytest.raises(CannotDraw, match="if warnings are accepted"):
        bed.draw(release)
    release = accept(release, *BOTH)
    assert bed.draw(release).accept == BOTH
    assert len(bed.sampled(release)) == 5
    call_command("verify_sample", release.name, stdout=StringIO())
