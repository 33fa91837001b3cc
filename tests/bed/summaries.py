"""Summaries built from plain scores, without a database."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cases.releases.policy import RULES
from cases.rubric import Document, digest, read
from cases.rubrics.workflow import SHIPPED
from reviews.desk.judgement import from_data
from reviews.models import Adjudication, Waiver
from reviews.report.summary import Summary
from reviews.report.summary.computation import (
    SummaryInputs,
    add_comparison,
    build_summary,
    choose_cases_with_remarks,
    count_waived_reviews,
    find_complete,
)
from reviews.report.summary.document import Amendment, FlagSummary
from reviews.report.summary.rows import Records, SampleRow
from reviews.sample.replay import EXTENDED
from tests.bed.counting import ReviewTold, count_marks, count_pairs, list_remarks
from tests.bed.reviewed import ITEMS, METRICS

DOCUMENT: Document = read((SHIPPED / "en.md").read_text("utf-8")).document
KINDS = [kind.key for kind in DOCUMENT.sampling.kinds]
TAGS = {kind.key: frozenset(kind.required_tags) for kind in DOCUMENT.sampling.kinds}
PEOPLE = ("omar", "rita", "wei", "zoe")

# A case: the scores of its reviewers on both metrics, or on each; None has not come in.
Scores = Sequence[int | None]
Case = Scores | tuple[Scores, Scores]


def summary(
    *cases: Case,
    k: int = 2,
    release: str = "wanderer-2",
    keys: Sequence[str] = (),
    people: Sequence[Sequence[str]] = (),
    kinds: Sequence[str] = (),
    answers: Mapping[str, Sequence[str]] | None = None,
    agreed: Mapping[str, Mapping[str, int]] | None = None,
    is_stale: bool = False,
    flags: Iterable[FlagSummary] = (),
    waivers: Mapping[str, dict[str, Any]] | None = None,
    policy: Mapping[str, Any] | None = None,
    rules: int = RULES,
    outside: Iterable[str] = (),
    extensions: int = 0,
    baseline: Summary | None = None,
    document: Document = DOCUMENT,
    product: str = "wanderer",
    **changes: Any,
) -> Summary:
    """Cases c01, c02, … that fill the kinds in turn, unless `keys` and `kinds` say otherwise.

    `people` has the reviewers of each case; `answers` those to every question of a case, one for
    each reviewer ("yes" if left out); `agreed` what was adjudicated; `outside` the cases chosen by
    hand after the start; `extensions` how often the sample grew to the next look.
    """
    names = list(keys) or [f"c{number:02}" for number in range(1, len(cases) + 1)]
    own_kinds = list(kinds) or [KINDS[number % len(KINDS)] for number in range(len(cases))]
    reviews: list[ReviewTold] = []
    rows = []
    for number, (key, case, kind) in enumerate(zip(names, cases, own_kinds, strict=True)):
        judges = people[number] if people else PEOPLE
        told = list(reviews_of(key, case, judges, (answers or {}).get(key, ())))
        reviews += told
        said = tuple(sorted((one.reviewer, 1) for one in told))
        tags = TAGS.get(kind, frozenset())
        rows.append(
            SampleRow(number, key, kind, "drawn", number + 1, "", False, "", "", tags, said)
        )
    rows = [row._replace(is_outside=row.case_key in outside) for row in rows]
    records = Records(
        acts=[Amendment(number, EXTENDED, "ada", {}) for number in range(extensions)],
        waivers=[
            Waiver(rule=rule, covers=covers, reason="The release is small.", by="mina")
            for rule, covers in sorted((waivers or {}).items())
        ],
        adjudications={
            key: Adjudication(
                agreed=dict(scores),
                basis=[] if is_stale else next(row.reviews for row in rows if row.case_key == key),
                cause="taste",
                note="Read again.",
                by="mina",
            )
            for key, scores in (agreed or {}).items()
        },
    )
    counted = find_complete(rows, count_waived_reviews(records), k)
    marks = count_marks(reviews, rows, document)
    in_words = {row.case_key for row in choose_cases_with_remarks(document, marks, counted)}
    given = SummaryInputs(
        release=release,
        product=product,
        rubric=changes.pop("rubric", 1),
        rubric_digest=changes.pop("rubric_digest", digest(document)),
        document=document,
        reviews_per_case=k,
        baseline=baseline.release if baseline else None,
        policy={**(policy or {}), **({} if rules == RULES else {"rules": rules})},
        records=records,
        sample=rows,
        marks=marks,
        pairs=count_pairs(reviews, counted),
        remarks=list_remarks(reviews, in_words),
        flags=sorted(flags, key=lambda one: one.case_key),
    )
    assert not changes
    found = build_summary(given)
    return add_comparison(found, baseline)


def reviews_of(
    key: str, case: Case, people: Sequence[str], answers: Sequence[str]
) -> Iterable[ReviewTold]:
    both = case if case and isinstance(case[0], tuple | list) else (case, case)
    for number, (first, second) in enumerate(zip(*both, strict=True)):
        if first is None or second is None:
            continue
        answer = answers[number] if number < len(answers) else "yes"
        said = {
            "scores": {
                metric: {"value": value, "rationale": f"{people[number]} on {key}"}
                for metric, value in zip(METRICS, (first, second), strict=True)
            },
            "answers": {item: {"answer": answer} for item in ITEMS},
        }
        yield ReviewTold(key, people[number], 1, from_data(said))


def flag(
    case_key: str, what: str = "harmful", outcome: str = "open", *, by: str = "rita"
) -> FlagSummary:
    judge, reason = ("mina", "Read it.") if outcome != "open" else ("", "")
    return FlagSummary(case_key, by, what, outcome, judge, reason)
