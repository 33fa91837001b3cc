"""The cases behind a number; the query string of the page says which number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from django.utils.translation import gettext, pgettext

from cases.rubric import Document
from reviews.models.reviews import Answer
from reviews.models.samples import Cause
from reviews.report.sentences import Names, names_in
from reviews.report.summary import Summary
from reviews.report.summary.document import Remark
from reviews.report.summary.figures import CaseScore, CaseSummary, Comparison
from reviews.report.verdict import Criterion, Verdict

from . import numbers
from .links import CaseLink, Links
from .sentences import translate_reason

ONLY = ("apart", "split", "left-out", "outside", "escaped", "words", "paired")


class NoSuchRows(Exception):
    """The address has an unknown metric, question, criterion or person."""


@dataclass(frozen=True)
class AskedCases:
    """The filters of the address; empty: all cases. `kind` is "-" for cases without a kind.

    For a comparison: `change` is shared, or better, same or worse on the metric; `judges` is same;
    `turned` is the majority that the question has now and had not before, or could.
    """

    metric: str = ""
    level: str = ""
    kind: str = ""
    question: str = ""
    answer: str = ""
    only: str = ""
    reviewer: str = ""
    first: str = ""
    second: str = ""
    criterion: str = ""
    change: str = ""
    judges: str = ""
    turned: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> AskedCases:
        return cls(**{field.name: query.get(field.name, "") for field in fields(cls)})

    @property
    def subject(self) -> str:
        """Return the subject of the remarks to show; empty: all remarks."""
        return self.question or self.metric

    @property
    def is_of_comparison(self) -> bool:
        return bool(self.change or self.judges or self.turned)


@dataclass(frozen=True)
class CasesBehind:
    """The cases, with a title that says which they are."""

    title: str
    cases: list[CaseSummary]


@dataclass(frozen=True)
class ScoreCell:
    """The standing score of a case, and the scores given: "3.5" from "3, 4".

    `was` is the standing score in the release it is compared with.
    """

    standing: str
    given: str
    is_agreed: bool
    was: str = ""


@dataclass(frozen=True)
class CaseBehind:
    """`withdrawn` is the reason if the case was withdrawn from the sample; `is_outside`: it was
    chosen by hand after the start."""

    case: CaseLink
    kind: str
    reviews_in: int
    scores: list[ScoreCell]
    answers: str
    remarks: list[Remark]
    more_remarks: int
    withdrawn: str
    is_outside: bool


MOST_REMARKS = 4


def find(
    summary: Summary,
    verdict: Verdict,
    document: Document,
    asked: AskedCases,
    compared: Comparison | None = None,
) -> CasesBehind:
    """Find the cases. `compared` is for `change`, `judges` and `turned`. Raises NoSuchRows."""
    try:
        return filter_cases(summary, verdict, document, asked, compared)
    except (KeyError, ValueError, StopIteration) as missing:
        raise NoSuchRows from missing


def filter_cases(
    summary: Summary,
    verdict: Verdict,
    document: Document,
    asked: AskedCases,
    compared: Comparison | None,
) -> CasesBehind:
    if asked.only and asked.only not in ONLY:
        raise ValueError(asked.only)
    if asked.criterion:
        return find_for_criterion(summary, verdict.criterion(asked.criterion), names_in(document))
    if asked.only == "left-out":
        left_out = [case for case in summary.sample if not (case.is_counted or case.is_outside)]
        return CasesBehind(gettext("Cases with missing reviews"), left_out)
    if asked.only == "outside":
        return CasesBehind(gettext("Cases outside the plan"), list(summary.outside))
    cases, titles = list(summary.counted), list[str]()
    if asked.metric:
        cases, title = filter_by_metric(summary, document, asked, cases)
        titles.append(title)
    if asked.question:
        cases, title = filter_by_question(summary, document, asked, cases)
        titles.append(title)
    if asked.kind:
        kind = "" if asked.kind == "-" else asked.kind
        titles.append(find_kind_text(kind, document))
        cases = [case for case in cases if case.kind == kind]
    people = [person for person in (asked.reviewer, asked.first, asked.second) if person]
    if people:
        known = {person.reviewer for person in summary.people}
        if not known.issuperset(people):
            raise KeyError(people)
        titles.append(gettext("reviewed by %(people)s") % {"people": gettext(", ").join(people)})
        cases = [case for case in cases if set(people) <= set(case.reviewers)]
    if asked.only == "words":
        with_words = {remark.case_key for remark in summary.remarks if not remark.subject}
        titles.append(gettext("with an overall comment"))
        cases = [case for case in cases if case.case_key in with_words]
    if asked.only == "paired" and not asked.subject:
        titles.append(gettext("with two reviews or more"))
        cases = [case for case in cases if case.reviews_in > 1]
    if asked.is_of_comparison:
        if compared is None:
            raise KeyError(asked)
        for title, keys in filter_comparison(compared, asked):
            titles.append(title)
            cases = [case for case in cases if case.case_key in keys]
    between = pgettext("between the parts of a title", ": ")
    return CasesBehind(between.join(titles) or gettext("All cases that count"), cases)


def filter_comparison(found: Comparison, asked: AskedCases) -> Iterator[tuple[str, set[str]]]:
    """Yield each filter on a comparison as a title, with the cases that pass it."""
    other = {"release": found.before}
    if asked.judges:
        if asked.judges != "same":
            raise KeyError(asked.judges)
        title = gettext("judged by the same reviewers as in %(release)s") % other
        yield title, {case.case_key for case in found.cases if case.is_by_same}
    if asked.turned:
        question = next(
            question_summary
            for question_summary in found.checklist
            if question_summary.item == asked.question
        )
        titles = {
            "yes": gettext("turned to yes since %(release)s"),
            "no": gettext("turned to no since %(release)s"),
            "could": gettext("a majority for yes or no, as in %(release)s"),
        }
        keys = {
            "yes": question.turned_yes,
            "no": question.turned_no,
            "could": question.could_turn,
        }
        yield titles[asked.turned] % other, set(keys[asked.turned])
    if asked.change == "shared":
        yield gettext("shared with %(release)s") % other, {case.case_key for case in found.cases}
    elif asked.change:
        place = [metric.metric for metric in found.metrics].index(asked.metric)
        titles = {
            "better": gettext("better than in %(release)s"),
            "same": gettext("the same as in %(release)s"),
            "worse": gettext("worse than in %(release)s"),
        }
        yield (
            titles[asked.change] % other,
            {
                case.case_key
                for case in found.cases
                if name_change(case.after[place] - case.before[place]) == asked.change
            },
        )


def find_kind_text(kind: str, document: Document) -> str:
    return document.kind(kind).text if kind else gettext("Further cases")


def name_change(difference: float) -> str:
    return "better" if difference > 0 else "worse" if difference < 0 else "same"


def find_for_criterion(summary: Summary, criterion: Criterion, names: Names) -> CasesBehind:
    """Return the cases of a criterion in its order; a flagged case may be withdrawn by now."""
    by_key = {case.case_key: case for case in (*list_withdrawn(summary), *summary.sample)}
    cases = [by_key[key] for key in criterion.cases if key in by_key]
    return CasesBehind(translate_reason(criterion.reason, names), cases)


def list_withdrawn(summary: Summary) -> Iterator[CaseSummary]:
    """Yield withdrawn cases as cases of the sample that do not count."""
    for withdrawal in summary.withdrawn:
        yield CaseSummary(
            case_key=withdrawal.case_key,
            kind=withdrawal.kind,
            origin="",
            place=None,
            reason="",
            reviews_in=withdrawal.reviews_not_counted,
            reviewers=(),
            is_counted=False,
            scores=(),
            answers=(),
        )


def filter_by_metric(
    summary: Summary, document: Document, asked: AskedCases, cases: Sequence[CaseSummary]
) -> tuple[list[CaseSummary], str]:
    """Filter by metric, lowest standing score first."""
    name = document.metric(asked.metric).name
    place = [metric_summary.metric for metric_summary in summary.metrics].index(asked.metric)
    metric = summary.metrics[place]
    found = sorted(cases, key=lambda case: (case.scores[place].standing, case.case_key))
    if asked.only == "apart":
        apart = set(metric.apart)
        found = [case for case in found if case.case_key in apart]
        title = gettext("%(metric)s, reviews more than one point apart")
        return found, title % {"metric": name}
    if asked.only == "escaped":
        low = {
            case.case_key
            for escape in summary.escapes
            if escape.subject == asked.metric
            for case in escape.cases
        }
        title = gettext("%(metric)s, scored 2 or less")
        return [case for case in found if case.case_key in low], title % {"metric": name}
    if asked.only == "paired":
        title = gettext("%(metric)s, cases with two reviews or more")
        return [case for case in found if sum(case.scores[place].counts) > 1], title % {
            "metric": name
        }
    if asked.level:
        level = metric.levels.index(int(asked.level))
        title = gettext("%(metric)s, level %(level)s given") % {
            "metric": name,
            "level": asked.level,
        }
        return [case for case in found if case.scores[place].counts[level]], title
    return found, name


def filter_by_question(
    summary: Summary, document: Document, asked: AskedCases, cases: Sequence[CaseSummary]
) -> tuple[list[CaseSummary], str]:
    text = document.question(asked.question).text
    place = [question.item for question in summary.checklist].index(asked.question)
    if asked.only == "split":
        split = {
            key for split in summary.splits if split.item == asked.question for key in split.cases
        }
        title = gettext("%(question)s answered differently") % {"question": text}
        return [case for case in cases if case.case_key in split], title
    if asked.only == "escaped":
        title = gettext("%(question)s More than half answered no") % {"question": text}
        return [case for case in cases if case.answers[place].majority == "no"], title
    if asked.only == "paired":
        title = gettext("%(question)s Two or more reviewers say it applies")
        found = [case for case in cases if case.answers[place].yes + case.answers[place].no > 1]
        return found, title % {"question": text}
    if asked.answer:
        answer = Answer(asked.answer)
        found = [case for case in cases if getattr(case.answers[place], answer)]
        title = gettext("%(question)s At least one %(answer)s") % {
            "question": text,
            "answer": answer.label,
        }
        return sorted(found, key=lambda case: -getattr(case.answers[place], answer)), title
    return list(cases), text


# --- As they are shown ----------------------------------------------------------------------------


def build_rows(
    summary: Summary,
    document: Document,
    asked: AskedCases,
    cases: Sequence[CaseSummary],
    links: Links,
    compared: Comparison | None = None,
) -> list[CaseBehind]:
    """Build the rows of a page of cases, with earlier scores if two releases are compared."""
    shown = {case.case_key for case in cases}
    said_of = defaultdict[str, list[Remark]](list)
    for remark in summary.remarks:
        if remark.case_key in shown and is_wanted(remark, asked):
            said_of[remark.case_key].append(remark)
    was = index_scores_before(compared) if compared and asked.is_of_comparison else {}
    return [
        build_row(case, summary, document, asked, said_of[case.case_key], links, was)
        for case in cases
    ]


def index_scores_before(found: Comparison) -> dict[tuple[str, str], float]:
    """Return the standing scores in the other release by case and metric."""
    return {
        (case.case_key, metric.metric): before
        for case in found.cases
        for metric, before in zip(found.metrics, case.before, strict=True)
    }


def is_wanted(remark: Remark, asked: AskedCases) -> bool:
    if not (remark.text.strip() or remark.evidence):
        return False
    if asked.only == "words":
        return not remark.subject
    people = {asked.reviewer, asked.first, asked.second} - {""}
    if people and remark.reviewer not in people:
        return False
    if asked.level and remark.value is not None and str(remark.value) != asked.level:
        return False
    if asked.answer and remark.answer and remark.answer != asked.answer:
        return False
    return not asked.subject or remark.subject == asked.subject


def build_row(
    case: CaseSummary,
    summary: Summary,
    document: Document,
    asked: AskedCases,
    remarks: list[Remark],
    links: Links,
    was: Mapping[tuple[str, str], float],
) -> CaseBehind:
    answers, out = (
        "",
        {withdrawal.case_key: withdrawal for withdrawal in summary.withdrawn}.get(case.case_key),
    )
    if asked.question and case.answers:
        place = [question.item for question in summary.checklist].index(asked.question)
        answers = format_answers(dict(case.answers[place]._asdict()))
    return CaseBehind(
        case=links.case(case.case_key),
        kind=find_kind_text(case.kind, document),
        reviews_in=case.reviews_in,
        scores=[
            build_score_cell(score, metric.levels, was.get((case.case_key, metric.metric)))
            for score, metric in zip(case.scores, summary.metrics, strict=False)
        ],
        answers=answers,
        remarks=remarks[:MOST_REMARKS],
        more_remarks=max(0, len(remarks) - MOST_REMARKS),
        withdrawn=f"{Cause(out.cause).label}: {out.reason}" if out else "",
        is_outside=case.is_outside,
    )


def format_answers(counts: Mapping[str, int]) -> str:
    between = pgettext("between the items of a list", ", ")
    return between.join(f"{Answer(name).label} {count}" for name, count in counts.items() if count)


def build_score_cell(score: CaseScore, levels: Sequence[int], was: float | None) -> ScoreCell:
    given = [
        str(level)
        for level, count in zip(levels, score.counts, strict=True)
        for _time in range(count)
    ]
    between = pgettext("between the items of a list", ", ")
    return ScoreCell(
        numbers.format_points(score.standing),
        between.join(given),
        score.agreed is not None,
        "" if was is None else numbers.format_points(was),
    )
