"""Plans read side by side in the summary and the verdict."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from cases.models import Release
from reviews.models import Pairing
from reviews.releases import lifecycle
from reviews.report import summary
from reviews.report.brief import MOST_WORDS, count_words
from reviews.report.first_screen import build_first_screen
from reviews.report.links import Links
from reviews.report.summary.side_by_side import PairRow, SideBySide, summarise_pairs
from reviews.report.verdict import Word, decide
from tests.bed import pairs
from tests.bed.cases import NOW
from tests.bed.reviewed import METRICS, current
from tests.bed.summaries import DOCUMENT

FIRST, SECOND = METRICS


# --- Pure -----------------------------------------------------------------------------------------


def row(case: str, reader: str, step: int, *, is_new_left: bool, newer: str = "no") -> PairRow:
    """Steps are as the reader saw them: right minus left."""
    return PairRow(case, reader, is_new_left, newer, FIRST, step, "")


def test_a_step_counts_from_the_old_plan_to_the_new_one_wherever_it_was_shown() -> None:
    found = summarise_pairs(
        DOCUMENT,
        [row("a", "rita", -2, is_new_left=True), row("a", "omar", 2, is_new_left=False)],
        {},
    )
    metric = found.metric(FIRST)
    assert metric is not None
    assert [(case.case_key, case.step, case.readers) for case in metric.cases] == [("a", 2.0, 2)]
    assert (metric.chosen_left, metric.chosen) == (1, 2)


def test_recognition_counts_only_those_who_guessed() -> None:
    rows = [
        row("a", "rita", 1, is_new_left=True, newer="left"),
        row("a", "omar", 1, is_new_left=True, newer="right"),
        row("b", "rita", 1, is_new_left=False, newer="right"),
        row("b", "omar", 1, is_new_left=True, newer="no"),
    ]
    found = summarise_pairs(DOCUMENT, rows, {})
    assert (found.recognised, found.guessed, found.readings) == (2, 3, 4)


def test_a_question_counts_for_the_plan_that_its_side_showed() -> None:
    item = DOCUMENT.questions[0].key
    sides = [("left", True), ("left", False), ("both", True), ("neither", False), ("right", True)]
    rows = [
        PairRow("a", f"reader {place}", is_new_left, "no", item, None, side)
        for place, (side, is_new_left) in enumerate(sides)
    ]
    question = summarise_pairs(DOCUMENT, rows, {}).questions[0]
    assert (question.new, question.old, question.both, question.neither) == (1, 2, 1, 1)


def test_nothing_read_has_no_mean() -> None:
    found = summarise_pairs(DOCUMENT, [], {"a": 2})
    assert found.metrics[0].paired.mean is None
    assert (found.cases, found.readings, found.missing) == (0, 0, {"a": 2})


rows_of_pairs = st.lists(
    st.builds(
        PairRow,
        case_key=st.sampled_from("abcdefg"),
        reader=st.sampled_from(["rita", "omar", "wei"]),
        is_new_left=st.booleans(),
        newer=st.sampled_from(["no", "left", "right"]),
        item=st.just(FIRST),
        step=st.integers(-3, 3),
        side=st.just(""),
    ),
    unique_by=lambda found: (found.case_key, found.reader),
)


@given(rows_of_pairs)
def test_showing_the_plans_the_other_way_round_changes_no_figure(rows: list[PairRow]) -> None:
    mirrored = {"no": "no", "left": "right", "right": "left"}
    turned = [
        found._replace(
            is_new_left=not found.is_new_left,
            step=-(found.step or 0),
            newer=mirrored[found.newer],
        )
        for found in rows
    ]
    one, other = (summarise_pairs(DOCUMENT, given_rows, {}) for given_rows in (rows, turned))
    assert one.metrics[0].paired == other.metrics[0].paired
    assert (one.recognised, one.guessed) == (other.recognised, other.guessed)
    assert one.metrics[0].chosen_left == other.metrics[0].chosen - other.metrics[0].chosen_left


# --- Of a release ---------------------------------------------------------------------------------


def read_all(release: Release, step: int) -> SideBySide:
    """Every planned pairing says this step from the old plan to the new one."""
    for pairing in pairs.plan(release):
        pairs.read(pairing, pairs.prefer_new(pairing, step))
    found = summary.compute(current(release)).read_side_by_side
    assert found is not None
    return found


@pytest.mark.django_db
def test_pairs_change_no_other_figure(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    before = summary.compute(release)
    assert before.side_by_side is UNSET
    assert b"side_by_side" not in summary.serialize(before)[0].encode()
    read_all(release, -3)
    after = summary.compute(current(release))
    assert after.side_by_side is not UNSET
    assert replace(after, side_by_side=UNSET) == before
    assert decide(after) == decide(before)


@pytest.mark.django_db
def test_what_is_planned_and_not_read_is_named(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    [first, *others] = pairs.plan(release)
    pairs.read(first)
    found = summary.compute(release).read_side_by_side
    assert found is not None
    assert found.readings == 1
    assert sum(found.missing.values()) == len(others)


@pytest.mark.django_db
@pytest.mark.parametrize(("step", "code"), [(-2, "too-few-pairs"), (0, "not-worse-side-by-side")])
def test_five_pairs_prove_nothing_and_say_so(rita: User, omar: User, step: int, code: str) -> None:
    release = pairs.beside_baseline(rita, omar, regression_by="side-by-side")
    read_all(release, step)
    criteria = {each.name: each for each in decide(summary.compute(release)).criteria}
    assert criteria[f"no-regression:{FIRST}"].reason.code == code
    if step:
        assert "0.0625" in criteria[f"no-regression:{FIRST}"].reason.sentence


def with_steps(release: Release, cases: int, step: int) -> summary.Summary:
    """A summary whose pairs are made up: so many cases with two readers and this step."""
    rows = [
        PairRow(f"case-{number}", reader, False, "no", metric, step, "")
        for number in range(cases)
        for reader in ("rita", "omar")
        for metric in METRICS
    ]
    found = summary.compute(release)
    return replace(found, side_by_side=summarise_pairs(DOCUMENT, rows, {}))


@pytest.mark.django_db
@pytest.mark.parametrize(("cases", "word"), [(5, Word.GO), (6, Word.NO_GO)])
def test_six_pairs_that_are_all_worse_forbid_a_go(
    rita: User, omar: User, cases: int, word: Word
) -> None:
    release = pairs.beside_baseline(rita, omar, regression_by="side-by-side")
    verdict = decide(with_steps(release, cases, -1))
    fails = [each.name for each in verdict.criteria if each.leads_to == Word.NO_GO]
    assert bool(fails) == (word == Word.NO_GO)
    assert all(name.startswith("no-regression:") for name in fails)


@pytest.mark.django_db
def test_pairs_decide_nothing_where_scores_do(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    assert decide(with_steps(release, 9, -3)) == decide(summary.compute(release))


@pytest.mark.django_db
def test_the_condition_names_what_pairs_leave_open(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar, regression_by="side-by-side")
    codes = {each.code for each in decide(summary.compute(release)).conditions}
    assert "not-read-side-by-side" in codes
    codes = {each.code for each in decide(with_steps(release, 8, 1)).conditions}
    assert not codes & {"not-read-side-by-side", "step-down-not-excluded", "drop-not-excluded"}


@pytest.mark.django_db
def test_a_stored_summary_with_pairs_reads_back(rita: User, omar: User) -> None:
    release = pairs.beside_baseline(rita, omar)
    read_all(release, 1)
    found = summary.compute(release)
    assert summary.read(summary.serialize(found)[0]) == found
    assert Pairing.objects.of(release).submitted().count() == 10


@pytest.mark.django_db
@pytest.mark.parametrize(("by", "is_said"), [("side-by-side", 1), ("scores", 0)])
def test_the_brief_has_one_sentence_on_pairs_where_they_decide(
    manager: Client, mina: User, rita: User, omar: User, by: str, is_said: int
) -> None:
    release = pairs.beside_baseline(rita, omar, regression_by=by)
    read_all(release, 0)
    lifecycle.close(release=release, user=None, now=NOW)
    text = manager.get(f"/releases/{release.name}/report/brief/").context["text"]
    assert text.count("Side by side, ") == is_said
    assert count_words(text) <= MOST_WORDS


@pytest.mark.django_db
def test_a_drop_that_pairs_decide_is_listed_and_is_no_change_of_scores(
    rita: User, omar: User
) -> None:
    release = pairs.beside_baseline(rita, omar, regression_by="side-by-side")
    found = with_steps(release, 8, -1)
    links = Links(release, release.baseline)
    screen = build_first_screen(found, decide(found), DOCUMENT, links)
    assert [card.drop for card in screen["cards"]] == [None, None]
    listed = [criterion.name for criterion in screen["decided"]]
    said = decide(found).sentence
    assert f"no-regression:{SECOND}" in listed
    assert f"no-regression:{FIRST}" in listed or "Side by side" in said.sentence
