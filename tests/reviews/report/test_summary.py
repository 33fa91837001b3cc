"""The summary of a release against a plain computation from the same rows, on either database."""

import json
import random
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from statistics import mean, stdev

import msgspec
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from scipy import stats

from cases.models import Release
from cases.releases import workflow as releases_workflow
from evalsite.permissions import Role
from reviews.desk import judgement as said
from reviews.models import Adjudication, Closing, Review, SampledCase, Score
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.report import summary, verdict
from reviews.report.summary import Summary
from reviews.report.summary.computation import SummaryInputs, add_comparison, build_summary
from reviews.report.summary.counts import Digits, read_marks
from reviews.report.summary.document import DrawSummary, digest_summary
from reviews.report.summary.rows import Records, SampleRow
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.bed.counting import ReviewTold, count_marks, count_pairs, list_remarks
from tests.bed.databases import without_triggers
from tests.people import make_person

USABILITY, PERSONALIZATION = bed.METRICS


def spread(release: Release, people: list[User], k: int, seed: int = 7) -> None:
    """Every case of the sample judged by k of these people, with words here and there."""
    chance = random.Random(seed)
    given = {}
    for case_key in bed.sampled(release):
        chosen = sorted(chance.sample(people, k), key=lambda one: one.username)
        given[case_key] = {one: some_judgement(chance) for one in chosen}
    bed.put_judgements(release, given)


def some_judgement(chance: random.Random) -> said.Judgement:
    evidence = [{"kind": "quote", "ref": "/plan/title#0-2", "text": "云溪"}]
    return said.from_data(
        {
            "scores": {
                metric: {
                    "value": chance.choice([0, 1, 2, 3, 3, 4, 4, 4, 5, 5]),
                    "rationale": chance.choice(["", "short", "两个午饭重叠"]),
                    "evidence": chance.choice([[], evidence]),
                }
                for metric in bed.METRICS
            },
            "answers": {
                item: {
                    "answer": chance.choice(["yes", "no", "na"]),
                    "note": chance.choice(["", "", "no lunch on day 2"]),
                }
                for item in bed.ITEMS
            },
            "comment": chance.choice(["", "hurried"]),
        }
    )


@pytest.fixture
def people(db: None) -> list[User]:
    return [make_person(name, Role.REVIEWER) for name in ("Zoe", "omar", "rita", "wei_1")]


MORE = {f"more-{number:02}": ("family",) for number in range(1, 8)}


@pytest.fixture
def judged(people: list[User]) -> Release:
    """Twelve cases, three of four people on each; one adjudicated, and a case is short of one."""
    release = bed.started(k=3, size=12, more=MORE)
    spread(release, people, 3)
    Review.objects.filter(case__case_key="rush", reviewer=people[0]).delete()
    assert Review.objects.filter(case__case_key="rush").count() == 2
    agreed = dict.fromkeys(bed.METRICS, 3)
    basis = sorted(
        (name, 1)
        for name in Review.objects.filter(case__case_key="feast").values_list(
            "reviewer__username", flat=True
        )
    )
    Adjudication.objects.create(
        release=release,
        case=release.cases.get(case_key="feast"),
        agreed=agreed,
        basis=[list(one) for one in basis],
        cause="taste",
        note="Read again.",
        by="mina",
        adjudicated_at=NOW,
    )
    return bed.current(release)


# --- Against a plain computation ------------------------------------------------------------------


def scores_of(release: Release, metric: str) -> dict[str, dict[str, int]]:
    """Case -> person -> score, of the cases that have all three reviews."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    rows = Score.objects.filter(release=release, metric=metric).values_list(
        "review__case__case_key", "review__reviewer__username", "value"
    )
    for case_key, person, value in rows:
        found[case_key][person] = value
    return {key: given for key, given in found.items() if len(given) == 3}


def far_apart(given: dict[str, int]) -> bool:
    low, high = min(given.values()), max(given.values())
    return high - low >= 2 or low <= 1 < high


def widest_interval(values: list[float], readers: list[list[str]]) -> tuple[float, float]:
    """Student's interval, or the moderated one with the reviewers' part in it: the wider."""
    count, sd = len(values), stdev(values)
    people = {name for names in readers for name in names}
    shares = [sum((name in names) / len(names) for names in readers) / count for name in people]
    variance = (4 * 0.9**2 + (count - 1) * sd**2) / (count + 3)
    se = (variance / count + 0.25**2 * sum(share**2 for share in shares)) ** 0.5
    one = stats.t.interval(0.95, count - 1, mean(values), sd / count**0.5)
    other = stats.t.interval(0.95, count + 3, mean(values), se)
    return min(one[0], other[0]), max(one[1], other[1])


def test_the_figures_are_those_of_a_plain_computation(judged: Release) -> None:
    told = summary.compute(judged)
    assert "rush" not in {one.case_key for one in told.counted}
    assert (told.evidence.cases, told.evidence.reviews, told.evidence.pairs) == (11, 33, 33)
    assert told.evidence.left_out == ("rush",)
    assert told.missing_reviews == {"rush": 1}
    for metric in told.metrics:
        scores = scores_of(judged, metric.metric)
        standing = {key: Fraction(sum(given.values()), 3) for key, given in scores.items()}
        if far_apart(scores["feast"]):
            standing["feast"] = Fraction(3)
        values = [float(standing[key]) for key in sorted(standing)]
        assert metric.mean.value == pytest.approx(mean(values), abs=1e-9)
        low, high = widest_interval(values, [sorted(given) for given in scores.values()])
        assert metric.mean.low == pytest.approx(low, abs=1e-9)
        assert metric.mean.high == pytest.approx(min(high, 5), abs=1e-9)
        every = [value for given in scores.values() for value in given.values()]
        assert metric.given == tuple(every.count(level) for level in range(6))
        assert metric.lowest == min(every)
        close = [max(g.values()) - min(g.values()) <= 1 for g in scores.values()]
        assert metric.agreement.cases_within_one.value == pytest.approx(sum(close) / 11)
        same = [
            mean(a == b for a, b in combinations(given.values(), 2)) for given in scores.values()
        ]
        assert metric.agreement.exact.value == pytest.approx(mean(same))
        assert set(metric.apart) == {
            key for key, given in scores.items() if max(given.values()) - min(given.values()) > 1
        }
        for one in metric.pairs:
            both = [
                (given[one.first], given[one.second])
                for given in scores.values()
                if {one.first, one.second} <= given.keys()
            ]
            assert one.cases == len(both)
            assert one.same == sum(a == b for a, b in both)
            assert one.within_one == sum(abs(a - b) <= 1 for a, b in both)
            assert one.difference == pytest.approx(mean(a - b for a, b in both))
        assert sum(one.cases for one in metric.pairs) == 33


def test_the_checklist_is_that_of_a_plain_count(judged: Release) -> None:
    told = summary.compute(judged)
    rows = judged.reviews.exclude(case__case_key="rush").values_list(
        "case__case_key", "answers__item", "answers__answer"
    )
    answers: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for case_key, item, answer in rows:
        answers[item][case_key].append(answer)
    assert len(told.checklist) == 8
    for one in told.checklist:
        given = [answer for some in answers[one.item].values() for answer in some]
        assert one.answers == tuple(given.count(each) for each in ("yes", "no", "na"))
        assert one.rate.count == given.count("yes")
        assert one.rate.of == given.count("yes") + given.count("no")
        assert one.applies.of == 33
    refused = {
        (one.item, key)
        for one in told.checklist
        for key, some in answers[one.item].items()
        if some.count("no") >= 2
    }
    escaped = {(one.subject, case.case_key) for one in told.escapes for case in one.cases}
    assert refused == {one for one in escaped if "." in one[0]}
    assert {one.item for one in told.splits} == {
        item for item, by_case in answers.items() if any(len(set(s)) > 1 for s in by_case.values())
    }


def test_disagreements_and_low_scores_are_those_of_the_rule(judged: Release) -> None:
    told = summary.compute(judged)
    listed, low = set(), set()
    for metric in bed.METRICS:
        for key, given in scores_of(judged, metric).items():
            if far_apart(given):
                listed.add((key, metric))
            elif sum(given.values()) <= 6:
                low.add((metric, key))
    assert {(d.case_key, metric) for d in told.disagreements for metric in d.ranges} == listed
    states = {one.case_key: one.state for one in told.disagreements}
    assert states.pop("feast") == "settled"
    assert set(states.values()) == {"waiting"}
    found = {(one.subject, case.case_key) for one in told.escapes for case in one.cases}
    assert low <= found
    for one in told.escapes:
        for case in one.cases:
            if case.standing is not None:
                assert case.standing <= 2
                assert case.reason in ("short", "两个午饭重叠", "云溪", "")


def test_what_people_wrote_is_there_and_what_they_left_empty_is_not(judged: Release) -> None:
    told = summary.compute(judged)
    counted = judged.reviews.exclude(case__case_key="rush")
    comments = {(one.case_key, one.reviewer) for one in told.remarks if not one.subject}
    assert comments == set(
        counted.exclude(comment="").values_list("case__case_key", "reviewer__username")
    )
    on_scores = {
        (one.case_key, one.reviewer, one.subject)
        for one in told.remarks
        if one.subject in bed.METRICS
    }
    assert on_scores == {
        (row.review.case.case_key, row.review.reviewer.username, row.metric)
        for row in Score.objects.filter(review__in=counted)
        if row.rationale or row.evidence
    }
    assert all(one.text or one.evidence for one in told.remarks)
    assert not any(one.case_key == "rush" for one in told.remarks)


# --- One text, whatever the database --------------------------------------------------------------


def told_by_hand(release: Release, people: list[User]) -> Summary:
    """The summary of `judged` from what was said, before any of it went through a database."""
    document, chance = release.rubric.document, random.Random(7)
    draw = release.draws.get()
    reviews, rows = [], []
    for number, case_key in enumerate(bed.sampled(release)):
        chosen = sorted(chance.sample(people, 3), key=lambda one: one.username)
        own = [ReviewTold(case_key, who.username, 1, some_judgement(chance)) for who in chosen]
        own = [one for one in own if (case_key, one.reviewer) != ("rush", "Zoe")]
        reviews += own
        rows.append(row_of(release, number, case_key, [one.reviewer for one in own]))
    rows.sort(key=lambda row: row.place or 0)
    basis = next(row.reviews for row in rows if row.case_key == "feast")
    counted = {row.case_key for row in rows} - {"rush"}
    agreed = dict.fromkeys(bed.METRICS, 3)
    settled = Adjudication(agreed=agreed, basis=basis, cause="taste", note="Read again.", by="mina")
    given = SummaryInputs(
        release="wanderer-1",
        product="wanderer",
        rubric=1,
        rubric_digest=release.rubric.digest,
        document=document,
        reviews_per_case=3,
        baseline=None,
        policy={},
        records=Records(
            adjudications={"feast": settled},
            draws=[DrawSummary(1, 12, "", draw.pool_size, draw.pool_digest, (), {})],
            fitting=draw.fitting,
        ),
        sample=rows,
        marks=count_marks(reviews, rows, document),
        pairs=count_pairs(reviews, counted),
        remarks=list_remarks(reviews, counted),
        flags=[],
    )
    return add_comparison(build_summary(given), None)


def row_of(release: Release, number: int, case_key: str, who: list[str]) -> SampleRow:
    sampled = SampledCase.objects.get(case__case_key=case_key, release=release)
    return SampleRow(
        pk=number,
        case_key=case_key,
        kind=sampled.kind,
        origin="drawn",
        place=sampled.place,
        reason="",
        is_withdrawn=False,
        cause="",
        withdrawal_reason="",
        tags=frozenset(bed.FILLING.get(case_key, MORE.get(case_key, ()))),
        reviews=tuple((name, 1) for name in sorted(who)),
    )


def test_the_database_changes_no_byte_of_the_summary(judged: Release, people: list[User]) -> None:
    """SQLite and PostgreSQL both have to meet the text that no database had a hand in."""
    text, _digest = summary.serialize(summary.compute(judged))
    assert text == summary.serialize(told_by_hand(judged, people))[0]


def test_what_is_written_can_be_read_again(judged: Release) -> None:
    told = summary.compute(judged)
    text, _digest = summary.serialize(told)
    assert summary.read(text) == told
    assert summary.serialize(summary.read(text))[0] == text
    assert verdict.decide(summary.read(text)) == verdict.decide(told)


def test_a_summary_takes_at_most_eleven_statements_at_any_size(
    judged: Release, people: list[User]
) -> None:
    small = bed.started("wanderer-2", k=2)
    spread(small, people, 2)
    for release in (bed.current(small), judged, bed.filled("wanderer-3")):
        release = Release.objects.select_related("rubric", "baseline").get(pk=release.pk)
        with CaptureQueriesContext(connection) as queries:
            summary.compute(release)
        assert len(queries) <= 11  # without a sample there is one less


# --- What counts ----------------------------------------------------------------------------------


def test_a_case_counts_when_its_reviews_are_in(rita: User, omar: User) -> None:
    release = bed.started(k=2)
    bed.put_reviews(release, rita, value=5)
    told = summary.compute(bed.current(release))
    assert told.evidence.cases == 0
    assert told.metrics[0].mean.reason == "not defined: there is no case"
    assert all(one.scores == () and one.answers == () for one in told.sample)
    assert [one.reviewers for one in told.sample] == [("rita",)] * 5
    assert told.remarks == ()
    bed.put_reviews(release, omar, value=3, but=["feast"])
    told = summary.compute(bed.current(release))
    assert told.evidence.cases == 4
    assert told.metrics[0].mean.value == 4.0
    assert told.evidence.left_out == ("feast",)


def test_what_is_waived_by_name_lets_the_submitted_reviews_count(
    rita: User, omar: User, mina: User
) -> None:
    release = bed.started(k=2)
    bed.put_reviews(release, rita, value=5)
    bed.put_reviews(release, omar, value=5, but=["feast"])
    releases_waivers.waive(release=release, rule="reviews", reason="Away.", user=mina, now=NOW)
    told = summary.compute(bed.current(release))
    assert told.evidence.cases == 5
    assert told.metrics[0].agreement.exact.n_units == 4
    assert [one.rule for one in told.waivers] == ["reviews"]
    assert sum(one.cases for one in told.metrics[0].pairs) == 4


def test_a_withdrawn_case_is_printed_and_not_counted(rita: User, omar: User) -> None:
    release = bed.started(k=2)
    bed.put_reviews(release, rita, omar, value=5, but=["kids"])
    bed.put_judgements(release, {"kids": {rita: bed.judgement(0), omar: bed.judgement(0)}})
    SampledCase.objects.filter(case__case_key="kids").update(
        withdrawn_at=NOW, cause="broken", withdrawal_reason="Cut off."
    )
    told = summary.compute(bed.current(release))
    assert told.metrics[0].lowest == 5
    assert [one.reviews_not_counted for one in told.withdrawn] == [2]
    assert all(one.cases == 4 for one in told.metrics[0].pairs)
    assert "kids" not in {one.case_key for one in told.remarks}


def test_a_revision_that_is_not_submitted_leaves_an_adjudication_standing(
    rita: User, omar: User, mina: User
) -> None:
    release = bed.started(k=2)
    bed.put_reviews(release, rita, omar, but=["feast"])
    bed.review(release, "feast", rita, 5)
    bed.review(release, "feast", omar, 3)
    bed.settle(release, "feast", mina, usability_value=4, personalization=3)
    Review.objects.filter(case__case_key="feast", reviewer=rita).update(version=9)
    [one] = summary.compute(bed.current(release)).disagreements
    assert one.state == "settled"
    assert one.adjudication
    assert one.adjudication.agreed == {PERSONALIZATION: 3, USABILITY: 4}
    feast = next(
        case for case in summary.compute(bed.current(release)).sample if case.case_key == "feast"
    )
    assert [(score.standing, score.agreed) for score in feast.scores] == [(4.0, 4), (3.0, 3)]
    assert [score.counts for score in feast.scores] == [(0, 0, 0, 1, 0, 1)] * 2


# --- Many reviewers, many levels ------------------------------------------------------------------


def test_more_than_fifteen_reviewers_at_one_level_are_counted(db: None) -> None:
    crowd = [make_person(f"judge-{number:02}", Role.REVIEWER) for number in range(20)]
    release = bed.started(k=20)
    bed.put_reviews(release, *crowd, value=5)
    told = summary.compute(bed.current(release))
    assert told.metrics[0].given == (0, 0, 0, 0, 0, 100)
    assert told.checklist[0].answers == (100, 0, 0)
    assert told.evidence.pairs == 5 * 190


def test_more_levels_than_one_number_holds_are_counted(rita: User, omar: User) -> None:
    release = bed.started(k=2)
    bed.put_reviews(release, rita, omar)
    Score.objects.filter(review__reviewer=rita).update(value=10)
    Score.objects.filter(review__reviewer=omar).update(value=-1)
    document = release.rubric.document
    wide = replace(
        document, metrics=tuple(replace(one, low=-1, high=10) for one in document.metrics)
    )
    marks = read_marks(release, wide, 2)
    case = release.cases.get(case_key="feast")
    assert marks.by_case[case.pk][USABILITY] == (1, *[0] * 10, 1)


def test_digits_hold_as_many_reviews_as_they_are_made_for() -> None:
    digits = Digits(bits=7, columns=2)
    counts = [127, 0, 1, 99, 0, 0, 0, 127, 5, 0, 0, 0, 0, 0, 0, 64]
    sums = [
        sum(count << (7 * place) for place, count in enumerate(counts[start : start + 8]))
        for start in (0, 8)
    ]
    assert max(sums) < 2**63
    assert digits.read(tuple(map(str, sums))) == tuple(counts)


# --- What is stored -------------------------------------------------------------------------------


@pytest.fixture
def closed(rita: User, omar: User) -> Release:
    release = bed.started(k=2)
    bed.put_reviews(release, rita, value=5)
    bed.put_reviews(release, omar, value=4)
    releases_lifecycle.close(release=release, user=None, now=NOW)
    return bed.current(release)


def test_a_closed_release_shows_what_was_stored(closed: Release) -> None:
    stored = closed.closings.get()
    told = summary.load(closed)
    assert summary.serialize(told) == (stored.summary, stored.digest)
    assert summary.serialize(summary.compute(closed)) == (stored.summary, stored.digest)
    marked = msgspec.json.encode(replace(told, product="as stored"), order="deterministic")
    with without_triggers():
        Closing.objects.update(summary=marked.decode())
    assert summary.load(closed).product == "as stored"


def test_what_an_older_code_stored_is_computed_anew(closed: Release) -> None:
    told = summary.load(closed)
    old = {"schema": "spotcheck-summary/1", "release": closed.name, "reviews_in": 10}
    with without_triggers():
        Closing.objects.update(summary=json.dumps(old))
    assert summary.load(closed) == told
    with pytest.raises(summary.OtherSchema):
        summary.read(json.dumps(old))


def test_what_the_code_before_this_one_stored_is_read_as_it_is(closed: Release) -> None:
    """It names no weights of AC2, no cases that turned, and no digest of the baseline."""
    told = json.loads(summary.load_json(closed)) | {"schema": "spotcheck-summary/2"}
    told |= {"product": "as stored"}
    del told["baseline_digest"]
    for metric in told["metrics"]:
        del metric["agreement"]["ac2_weights"]
    with without_triggers():
        Closing.objects.update(summary=json.dumps(told))
    assert summary.load(closed).product == "as stored"
    assert verdict.decide(summary.load(closed)).word == "GO"


# --- Against the baseline -------------------------------------------------------------------------


def following(baseline: Release, rita: User, omar: User, value: int = 4) -> Release:
    release = bed.filled("wanderer-2")
    release = releases_workflow.change(release=release, baseline=baseline, user=None, now=NOW)
    bed.draw(release)
    releases_lifecycle.start(release=release, user=None, now=NOW)
    bed.put_reviews(release, rita, omar, value=value)
    return Release.objects.select_related("rubric", "baseline").get(pk=release.pk)


def test_the_baseline_is_its_stored_report(closed: Release, rita: User, omar: User) -> None:
    release = following(closed, rita, omar)
    with CaptureQueriesContext(connection) as queries:
        told = summary.compute(release)
    assert len(queries) == 14  # the last are its pairs
    with CaptureQueriesContext(connection) as queries:
        assert summary.compute(release) == told
    assert len(queries) == 13  # what was stored is read once
    assert told.comparison
    assert (told.comparison.before, told.comparison.after) == ("wanderer-1", "wanderer-2")
    assert (told.comparison.shared, told.comparison.by_same) == (5, 5)
    assert [one.paired.mean for one in told.comparison.metrics] == [-0.5, -0.5]
    # Five cases that each fell by half a point do not prove a drop.
    assert verdict.decide(told).word == "GO"
    assert [one.code for one in verdict.decide(told).conditions] == [
        "agreement-not-shown",
        "drop-not-excluded",
    ]


def test_a_baseline_of_an_older_code_is_computed_from_its_rows(
    closed: Release, rita: User, omar: User
) -> None:
    release = following(closed, rita, omar)
    told = summary.compute(release)
    with without_triggers():
        older = '{"schema": "spotcheck-summary/1"}'
        Closing.objects.update(summary=older, digest=digest_summary(older))
    again = summary.compute(release)
    assert again.baseline_digest != told.baseline_digest
    assert replace(again, baseline_digest=told.baseline_digest) == told


def test_a_baseline_that_is_open_or_abandoned_is_not_compared(
    closed: Release, rita: User, omar: User
) -> None:
    release = following(closed, rita, omar)
    releases_lifecycle.reopen(release=closed, reason="Once more.", user=None, now=NOW)
    told = summary.compute(release)
    assert told.comparison is None
    assert str(told.not_compared) == "not assessed: wanderer-1 is not closed"
    releases_lifecycle.abandon(release=closed, reason="Never mind.", user=None, now=NOW)
    assert str(summary.compute(release).not_compared) == "not assessed: wanderer-1 was abandoned"


def test_acts_by_hand_since_the_draw_are_told(rita: User) -> None:
    release = bed.drawn(size=6)
    [spare] = {"spare-1", "spare-2", "spare-3"} & set(bed.sampled(release))
    other = next(iter({"spare-1", "spare-2", "spare-3"} - {spare}))
    amendments.swap(release=release, out=spare, into=other, reason="Twice.", user=None, now=NOW)
    told: Summary = summary.compute(bed.current(release))
    assert [(one.act, one.details["in"]) for one in told.amendments] == [("case-swapped", other)]
    assert [one.number for one in told.draws] == [1]
