"""The desk: a case beside the rubric, with what its reviewer said so far."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from cases.rubric import Document, Level, Metric, Question
from reviews.adjudication.visibility import has_seen_scores
from reviews.desk.case_html import Block, facts, words_of_desk
from reviews.desk.judgement import AnswerSaid, Evidence, Judgement, ScoreSaid
from reviews.desk.revision import SECOND_THOUGHTS
from reviews.desk.workflow import why_over
from reviews.errors import Missing
from reviews.models import Review, Ruling
from reviews.models.reviews import Answer, FlagKind

# What an answer is called on its button, and the key that presses it.
ANSWERS = (("yes", "y"), ("no", "n"), ("na", "a"))


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
    said: AnswerSaid
    choices: tuple[Choice, ...]
    facts: SafeString
    rulings: tuple[Ruling, ...]
    problem: str

    @property
    def path(self) -> str:
        return f"answers.{self.question.key}"


@dataclass(frozen=True)
class Tile:
    level: Level
    is_chosen: bool
    rulings: tuple[Ruling, ...]


@dataclass(frozen=True)
class DeskMetric:
    metric: Metric
    number: int
    said: ScoreSaid
    questions: tuple[DeskQuestion, ...]
    tiles: tuple[Tile, ...]
    problems: tuple[str, ...]
    why_problem: str
    # What is asked when score and checklist contradict, and the line that answers it.
    asked: str
    line: str

    @property
    def path(self) -> str:
        return f"scores.{self.metric.key}"

    @property
    def is_top(self) -> bool:
        return self.said.value == self.metric.high

    @property
    def has_hints(self) -> bool:
        return any(tile.level.hint for tile in self.tiles)

    @property
    def answered(self) -> int:
        return sum(one.said.answer is not None for one in self.questions)


@dataclass(frozen=True)
class DeskFlag:
    kind: str
    label: str
    is_set: bool


@dataclass(frozen=True)
class Desk:
    """`more_facts` inform no question."""

    itinerary: SafeString
    words: SafeString
    language: str
    metrics: tuple[DeskMetric, ...]
    more_facts: SafeString
    comment: str
    flags: tuple[DeskFlag, ...]
    problems: tuple[Missing, ...]

    @property
    def reason_problem(self) -> str:
        return " ".join(one.sentence for one in self.problems if one.rule == "reason")


@dataclass(frozen=True)
class DeskInputs:
    """What the parts of a desk are laid from."""

    block: Block
    said: Judgement
    labels: Mapping[str, str]
    told: Mapping[str, list[Ruling]]  # by subject
    wrong: Mapping[str, list[str]]  # by path
    lines: Mapping[str, str]


def build_desk(
    block: Block,
    document: Document,
    said: Judgement,
    *,
    rulings: Iterable[Ruling] = (),
    problems: Sequence[Missing] = (),
    lines: Mapping[str, str] | None = None,
    language: str,
) -> Desk:
    """`language` is the rubric's. `problems` are what a refusal named, by their path; `lines`
    answer what was asked."""
    told: dict[str, list[Ruling]] = {}
    for ruling in rulings:
        told.setdefault(ruling.subject, []).append(ruling)
    wrong: dict[str, list[str]] = {}
    for problem in problems:
        wrong.setdefault(problem.rule, []).append(problem.sentence)
    laying = DeskInputs(block, said, answer_labels(), told, wrong, lines or {})
    return Desk(
        itinerary=block.itinerary,
        words=words_of_desk(),
        language=language,
        metrics=tuple(
            build_metric(metric, number, laying)
            for number, metric in enumerate(document.metrics, 1)
        ),
        more_facts=block.facts.get(None, SafeString()),
        comment=said.comment,
        flags=tuple(
            DeskFlag(one.value, str(one.label), one.value in said.flags) for one in FlagKind
        ),
        problems=tuple(problems),
    )


def answer_labels() -> dict[str, str]:
    return {Answer.YES: _("Yes"), Answer.NO: _("No"), Answer.NA: _("NA")}


def build_metric(metric: Metric, number: int, laying: DeskInputs) -> DeskMetric:
    score = laying.said.scores.get(metric.key, ScoreSaid())
    path = f"scores.{metric.key}"
    wrong = laying.wrong
    return DeskMetric(
        metric=metric,
        number=number,
        said=score,
        questions=tuple(
            build_question(question, place, laying)
            for place, question in enumerate(metric.checklist, 1)
        ),
        tiles=tuple(
            Tile(
                level,
                level.value == score.value,
                tuple(laying.told.get(f"{metric.key}:{level.value}", ())),
            )
            for level in reversed(metric.levels)
        ),
        problems=(*wrong.get(path, ()), *wrong.get(f"{path}.value", ())),
        why_problem=" ".join(wrong.get(f"{path}.rationale", ())),
        asked=" ".join(wrong.get(f"coherence.{metric.key}", ())),
        line=laying.lines.get(metric.key, ""),
    )


def build_question(question: Question, number: int, laying: DeskInputs) -> DeskQuestion:
    answer = laying.said.answers.get(question.key, AnswerSaid())
    return DeskQuestion(
        question=question,
        number=number,
        said=answer,
        choices=tuple(
            Choice(value, laying.labels[value], key, value == answer.answer)
            for value, key in ANSWERS
        ),
        facts=laying.block.facts.get(question.key) or facts(()),
        rulings=tuple(laying.told.get(question.key, ())),
        problem=" ".join(laying.wrong.get(f"answers.{question.key}", ())),
    )


def describe_judgement(said: Judgement, document: Document) -> list[tuple[str, str]]:
    """What somebody said, line by line: to be laid beside another version of it."""
    answers = answer_labels()
    lines = []
    for metric in document.metrics:
        for question in metric.checklist:
            own = said.answers.get(question.key, AnswerSaid())
            label = answers[own.answer] if own.answer else "–"
            lines.append((question.text, " ".join([label, own.note, *list_texts(own.evidence)])))
        score = said.scores.get(metric.key, ScoreSaid())
        value = "–" if score.value is None else str(score.value)
        lines.append(
            (metric.name, " ".join([value, score.rationale, *list_texts(score.evidence)]).strip())
        )
    labels = {one.value: str(one.label) for one in FlagKind}
    lines.append((_("Overall comment"), said.comment or "–"))
    lines.append((_("Flags"), ", ".join(labels[one] for one in said.flags) or "–"))
    return lines


def list_texts(evidence: Sequence[Evidence]) -> list[str]:
    return [f"[{one.text or one.ref}]" for one in evidence]


def saved_words(saved_at: datetime | None, version: int) -> str:
    """Only what the database holds."""
    if saved_at is None:
        return _("Nothing to save yet")
    at = timezone.localtime(saved_at)
    is_today = at.date() == timezone.localdate()
    return _("Saved %(time)s, version %(version)d") % {
        "time": date_format(at, "H:i" if is_today else "SHORT_DATETIME_FORMAT"),
        "version": version,
    }


def discarded_words() -> str:
    return _("Your revision is discarded. What you submitted stands.")


def asked_words() -> str:
    return _("Your question is asked. The answer will stand under it for everybody.")


# --- What its owner may do with a review ----------------------------------------------------------


@dataclass(frozen=True)
class ReviewState:
    """`sentence` says where the review stands, when it is not simply open."""

    can_be_written: bool
    can_be_revised: bool
    needs_reason: bool
    sentence: str


def find_state(review: Review, *, now: datetime) -> ReviewState:
    """One or two queries for a submitted review, none for others."""
    over = why_over(review)
    if over:
        return read_only(over)
    if not review.release.is_reviewing:
        return read_only(_("This review is closed. You can read it, but nothing can change."))
    if not review.is_submitted:
        return ReviewState(True, False, False, "")
    if has_seen_scores(review.release, review.reviewer):
        return read_only(_("You have seen what others say, so your review stays as it is."))
    assert review.submitted_at is not None
    first = review.revisions.order_by("version").first()
    since = first.submitted_at if first else review.submitted_at
    return ReviewState(
        False,
        True,
        now - since > SECOND_THOUGHTS,
        _("You have submitted this review. Until it is closed you can revise it."),
    )


def read_only(sentence: str) -> ReviewState:
    return ReviewState(False, False, False, sentence)
