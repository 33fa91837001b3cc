"""Build the desk: a case beside the rubric, with what its reviewer entered so far."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases.rubric import Document, Level, Metric, Question
from reviews.adjudication.visibility import has_seen_scores
from reviews.desk.fragments import CaseHtml, get_words, render_facts
from reviews.desk.judgement import AnswerEntry, Evidence, Judgement, ScoreEntry
from reviews.desk.revision import SECOND_THOUGHTS
from reviews.desk.workflow import explain_not_open
from reviews.errors import Missing
from reviews.models import Review, Ruling
from reviews.models.reviews import Answer, FlagKind

# The answers, each with the key that chooses it.
ANSWER_KEYS = (("yes", "y"), ("no", "n"), ("na", "a"))


@dataclass(frozen=True)
class Choice:
    value: str
    label: str
    key: str
    is_chosen: bool


@dataclass(frozen=True)
class DeskQuestion:
    question: Question
    number: int
    entry: AnswerEntry
    choices: tuple[Choice, ...]
    facts: SafeString
    rulings: tuple[Ruling, ...]
    problem: str

    @property
    def path(self) -> str:
        return f"answers.{self.question.key}"


@dataclass(frozen=True)
class DeskLevel:
    level: Level
    is_chosen: bool
    rulings: tuple[Ruling, ...]


@dataclass(frozen=True)
class DeskMetric:
    """A metric on the desk.

    `coherence_problem` asks how a score fits a checklist that contradicts it; `coherence` is the
    reviewer's answer.
    """

    metric: Metric
    number: int
    entry: ScoreEntry
    questions: tuple[DeskQuestion, ...]
    levels: tuple[DeskLevel, ...]
    problems: tuple[str, ...]
    rationale_problem: str
    coherence_problem: str
    coherence: str

    @property
    def path(self) -> str:
        return f"scores.{self.metric.key}"

    @property
    def is_top(self) -> bool:
        return self.entry.value == self.metric.high

    @property
    def has_hints(self) -> bool:
        return any(level.level.hint for level in self.levels)

    @property
    def answered(self) -> int:
        return sum(question.entry.answer is not None for question in self.questions)


@dataclass(frozen=True)
class DeskFlag:
    kind: str
    label: str
    is_set: bool


@dataclass(frozen=True)
class Desk:
    """Everything that the page shows of a case, its rubric and a judgement.

    `more_facts` inform no question. `blank_key` names the form in the cache while it is blank, and
    is empty as soon as it holds anything of the reviewer.
    """

    itinerary: SafeString
    words: SafeString
    language: str
    metrics: tuple[DeskMetric, ...]
    more_facts: SafeString
    comment: str
    flags: tuple[DeskFlag, ...]
    problems: tuple[Missing, ...]
    blank_key: str

    @property
    def reason_problem(self) -> str:
        return " ".join(problem.sentence for problem in self.problems if problem.rule == "reason")


@dataclass(frozen=True)
class DeskInputs:
    """What the parts of a desk are built from."""

    case_html: CaseHtml
    judgement: Judgement
    labels: Mapping[str, str]
    rulings: Mapping[str, list[Ruling]]  # by subject
    problems: Mapping[str, list[str]]  # by path
    coherence: Mapping[str, str]  # by metric


def build_desk(
    case_html: CaseHtml,
    document: Document,
    judgement: Judgement,
    *,
    rulings: Iterable[Ruling] = (),
    problems: Sequence[Missing] = (),
    coherence: Mapping[str, str] | None = None,
    language: str,
    case_name: str = "",
) -> Desk:
    """Build a desk.

    `language` is the rubric's. `problems` are those of a refused save or submit. `coherence` holds,
    by metric, how the score fits its checklist. `case_name` names case and rubric in the cache.
    """
    rulings_by_subject: dict[str, list[Ruling]] = {}
    for ruling in rulings:
        rulings_by_subject.setdefault(ruling.subject, []).append(ruling)
    problems_by_path: dict[str, list[str]] = {}
    for problem in problems:
        problems_by_path.setdefault(problem.rule, []).append(problem.sentence)
    inputs = DeskInputs(
        case_html,
        judgement,
        get_answer_labels(),
        rulings_by_subject,
        problems_by_path,
        coherence or {},
    )
    is_blank = judgement == Judgement() and not problems and not coherence
    texts = [(ruling.subject, ruling.text) for ruling in rulings]
    return Desk(
        itinerary=case_html.itinerary,
        words=get_words(),
        language=language,
        metrics=tuple(
            build_metric(metric, number, inputs)
            for number, metric in enumerate(document.metrics, 1)
        ),
        more_facts=case_html.facts.get(None, SafeString()),
        comment=judgement.comment,
        flags=tuple(
            DeskFlag(kind.value, str(kind.label), kind.value in judgement.flags)
            for kind in FlagKind
            # A broken case is declined, not scored; a draft from before may have this flag.
            if kind is not FlagKind.BROKEN or kind.value in judgement.flags
        ),
        problems=tuple(problems),
        blank_key=f"{case_name} {get_language()} {texts}" if is_blank and case_name else "",
    )


def get_answer_labels() -> dict[str, str]:
    return {Answer.YES: _("Yes"), Answer.NO: _("No"), Answer.NA: _("NA")}


def build_metric(metric: Metric, number: int, inputs: DeskInputs) -> DeskMetric:
    entry = inputs.judgement.scores.get(metric.key, ScoreEntry())
    path = f"scores.{metric.key}"
    problems = inputs.problems
    return DeskMetric(
        metric=metric,
        number=number,
        entry=entry,
        questions=tuple(
            build_question(question, place, inputs)
            for place, question in enumerate(metric.checklist, 1)
        ),
        levels=tuple(
            DeskLevel(
                level,
                level.value == entry.value,
                tuple(inputs.rulings.get(f"{metric.key}:{level.value}", ())),
            )
            for level in reversed(metric.levels)
        ),
        problems=(*problems.get(path, ()), *problems.get(f"{path}.value", ())),
        rationale_problem=" ".join(problems.get(f"{path}.rationale", ())),
        coherence_problem=" ".join(problems.get(f"coherence.{metric.key}", ())),
        coherence=inputs.coherence.get(metric.key, ""),
    )


def build_question(question: Question, number: int, inputs: DeskInputs) -> DeskQuestion:
    entry = inputs.judgement.answers.get(question.key, AnswerEntry())
    return DeskQuestion(
        question=question,
        number=number,
        entry=entry,
        choices=tuple(
            Choice(value, inputs.labels[value], key, value == entry.answer)
            for value, key in ANSWER_KEYS
        ),
        facts=inputs.case_html.facts.get(question.key) or render_facts(()),
        rulings=tuple(inputs.rulings.get(question.key, ())),
        problem=" ".join(inputs.problems.get(f"answers.{question.key}", ())),
    )


def describe_judgement(judgement: Judgement, document: Document) -> list[tuple[str, str]]:
    """Return labels and values of a judgement, to show beside another version of it."""
    labels = get_answer_labels()
    lines = []
    for metric in document.metrics:
        for question in metric.checklist:
            answer = judgement.answers.get(question.key, AnswerEntry())
            label = labels[answer.answer] if answer.answer else "–"
            lines.append(
                (question.text, " ".join([label, answer.note, *list_texts(answer.evidence)]))
            )
        score = judgement.scores.get(metric.key, ScoreEntry())
        value = "–" if score.value is None else str(score.value)
        lines.append(
            (metric.name, " ".join([value, score.rationale, *list_texts(score.evidence)]).strip())
        )
    flags = {kind.value: str(kind.label) for kind in FlagKind}
    lines.append((_("Overall comment"), judgement.comment or "–"))
    lines.append((_("Flags"), ", ".join(flags[kind] for kind in judgement.flags) or "–"))
    return lines


def list_texts(evidence: Sequence[Evidence]) -> list[str]:
    return [f"[{piece.text or piece.ref}]" for piece in evidence]


def describe_saved(saved_at: datetime | None, version: int) -> str:
    """Return when the stored version was saved, as the desk's bar shows it."""
    if saved_at is None:
        return _("Nothing to save yet")
    at = timezone.localtime(saved_at)
    is_today = at.date() == timezone.localdate()
    return _("Saved %(time)s, version %(version)d") % {
        "time": date_format(at, "H:i" if is_today else "SHORT_DATETIME_FORMAT"),
        "version": version,
    }


def confirm_discarded() -> str:
    return _("Your revision is discarded. The review you submitted still counts.")


def confirm_question() -> str:
    return _(
        "Your question was sent. The answer will appear under My questions, and in the rubric."
    )


# --- What its owner may do with a review ----------------------------------------------------------


@dataclass(frozen=True)
class ReviewState:
    """What its owner may do with a review. `sentence` says so, unless it is simply open."""

    can_be_written: bool
    can_be_revised: bool
    needs_reason: bool
    sentence: str


def find_state(review: Review, *, now: datetime) -> ReviewState:
    """Run one or two queries for a submitted review, none for others."""
    explanation = explain_not_open(review)
    if explanation:
        return read_only(explanation)
    if not review.release.is_reviewing:
        return read_only(_("This review is closed. You can read it but not change it."))
    if not review.is_submitted:
        return ReviewState(True, False, False, "")
    if has_seen_scores(review.release, review.reviewer):
        return read_only(
            _("You have seen the scores of other reviewers, so you can no longer change yours.")
        )
    assert review.submitted_at is not None
    first = review.revisions.order_by("version").first()
    since = first.submitted_at if first else review.submitted_at
    return ReviewState(
        False,
        True,
        now - since > SECOND_THOUGHTS,
        _("You have submitted this review. You can revise it until the release is closed."),
    )


def read_only(sentence: str) -> ReviewState:
    return ReviewState(False, False, False, sentence)
