"""Read what got through: the escapes of a product, question by question and one by one."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.contrib.auth.models import User
from django.db.models import Count, Prefetch, QuerySet
from django.urls import reverse
from django.utils.translation import get_language

from cases.models import LedgerEvent, Release, Rubric
from cases.models.ledgers import PRODUCT
from cases.models.releases import Status
from cases.rubric import Document
from reviews.agreement.rates import exact_interval
from reviews.escapes.findings import Subject, name_subject
from reviews.escapes.workflow import OPENED
from reviews.models import ChecklistAnswer, Closing, Escape, Flag, Score, Sighting, reviews
from reviews.models.escapes import TO_DO, About, EscapeQuerySet
from reviews.models.reviews import Answer, FlagKind, FlagOutcome, ReviewStatus
from reviews.report import numbers
from reviews.report.sentences import names_in
from reviews.report.trend import count_cases

MOST_WORDS = 2

R = TypeVar("R", ChecklistAnswer, Score, Flag)


def list_products() -> list[str]:
    """List the products with a closed release."""
    closed = Release.objects.filter(status=Status.CLOSED).order_by("product")
    return list(closed.values_list("product", flat=True).distinct())


def select_escapes() -> EscapeQuerySet:
    """Select the escapes in force, each with `came_back`, its event and `seen`.

    `seen` has its sightings in force, the oldest first.
    """
    seen = (
        Sighting.objects.in_force()
        .select_related("closing__release", "case")
        .only(
            *("escape", "since", "is_counted", "closing__closed_at", "closing__release__name"),
            *("case__code", "case__case_key"),
        )
        .order_by("closing__closed_at", "pk")
    )
    rows = Escape.objects.in_force().with_return().select_related("event")
    return rows.prefetch_related(Prefetch("sightings", queryset=seen, to_attr="seen"))


def is_judging(user: User, product: str) -> bool:
    """Return whether the person has still to judge in a release of the product."""
    releases = Release.objects.filter(reviews.is_judging(user), product=product)
    return releases.exclude(status=Status.CLOSED).exists()


# --- Which reports there are ----------------------------------------------------------------------


@dataclass(frozen=True)
class Reports:
    """The closed releases of a product: those whose findings are recorded, and the others."""

    included: list[Closing]
    missing: list[str]


def load_reports(product: str) -> Reports:
    closings = (
        Closing.objects.standing()
        .filter(release__product=product, is_abandoned=False)
        .select_related("release")
        .defer("summary")
        .order_by("-closed_at", "-pk")
    )
    events = LedgerEvent.objects.filter(ledger__name=PRODUCT + product, kind=OPENED)
    opened = {(data["release"], data["closing"]) for data in events.values_list("data", flat=True)}
    found = Reports([], [])
    for closing in closings:
        if (closing.release.name, closing.number) in opened:
            found.included.append(closing)
        else:
            found.missing.append(closing.release.name)
    return found


# --- By question ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Text:
    """What a finding is about, in words; `language` is empty if it is that of the page."""

    text: str
    language: str


class Questions:
    """The texts of a product's rubrics, and how many cases were read with each of them."""

    def __init__(self, closings: Iterable[Closing]) -> None:
        read = Counter[int]()
        for closing in closings:
            read[closing.release.rubric_id] += count_cases(closing)
        flags = [Subject(str(About.FLAG), str(kind), "") for kind in FlagKind]
        self.texts = {flag: Text(str(FlagKind(flag.key).label), "") for flag in flags}
        self.read = Counter(dict.fromkeys(flags, read.total()))
        rubrics = Rubric.objects.filter(pk__in=read).prefetch_related("translations")
        for rubric in rubrics.order_by("-number"):
            text = rubric.text_for(get_language())
            names = names_in(text.document)
            for subject in list_subjects(rubric.document):
                self.texts.setdefault(subject, Text(names[subject.key], text.language))
                self.read[subject] += read[rubric.pk]

    def text(self, subject: Subject) -> Text:
        return self.texts.get(subject, Text(subject.key, ""))


def list_subjects(document: Document) -> Iterator[Subject]:
    for metric in document.metrics:
        yield name_subject(About.METRIC, metric.key, metric.name)
        for question in metric.checklist:
            yield name_subject(About.QUESTION, question.key, question.text)


@dataclass(frozen=True)
class SubjectRow:
    """A question, metric or flag with its escapes: how many, and how many are to do.

    `found` in `read` of the cases that count, over all releases: a case that was read in two of
    them counts twice.
    """

    subject: Subject
    text: Text
    count: int
    to_do: int
    found: int
    read: int

    @property
    def token(self) -> str:
        return ":".join(self.subject)

    @property
    def interval(self) -> str:
        if not self.read:
            return ""
        return numbers.format_percents(*exact_interval(self.found, self.read))


def load_subjects(product: str, questions: Questions) -> list[SubjectRow]:
    """Load the questions with escapes, those with most to do first."""
    escapes = Escape.objects.of(product).in_force().with_return()
    found = {
        Subject(*subject): count
        for *subject, count in Sighting.objects.in_force()
        .filter(escape__product=product, is_counted=True)
        .values_list("escape__about", "escape__key", "escape__wording")
        .annotate(count=Count("pk"))
        .order_by()
    }
    rows = (
        escapes.values_list("about", "key", "wording")
        .annotate(count=Count("pk"), to_do=Count("pk", filter=TO_DO))
        .order_by("-to_do", "-count", "key", "wording")
    )
    return [
        SubjectRow(
            subject=Subject(about, key, wording),
            text=questions.text(Subject(about, key, wording)),
            count=count,
            to_do=to_do,
            found=found.get(Subject(about, key, wording), 0),
            read=questions.read[Subject(about, key, wording)],
        )
        for about, key, wording, count, to_do in rows
    ]


# --- One by one -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Words:
    """What a reviewer wrote about a finding; `said` is the score or the answer."""

    reviewer: str
    said: str
    text: str
    evidence: list[str]


@dataclass(frozen=True)
class EscapeRow:
    """`url` leads to the reviews of the case, side by side, in the newest release that has it."""

    escape: Escape
    text: Text
    first: Sighting
    last: Sighting
    words: list[Words]
    more_words: int
    url: str

    @property
    def came_back(self) -> bool:
        return bool(getattr(self.escape, "came_back", False))

    @property
    def releases(self) -> int:
        return len(list_seen(self.escape))


def list_seen(escape: Escape) -> list[Sighting]:
    """Return what `select_escapes` prefetched."""
    found: list[Sighting] = getattr(escape, "seen", [])
    return found


def build_rows(escapes: Sequence[Escape], questions: Questions) -> list[EscapeRow]:
    """Build the rows of a page, with the words of reviewers in three queries."""
    last = {escape.pk: list_seen(escape)[-1] for escape in escapes}
    words = load_words([(escape, last[escape.pk].case_id) for escape in escapes])
    return [
        EscapeRow(
            escape=escape,
            text=questions.text(Subject(escape.about, escape.key, escape.wording)),
            first=list_seen(escape)[0],
            last=last[escape.pk],
            words=words[escape.pk][:MOST_WORDS],
            more_words=max(0, len(words[escape.pk]) - MOST_WORDS),
            url=reverse(
                "adjudication",
                args=[last[escape.pk].closing.release.name, last[escape.pk].case.code],
            ),
        )
        for escape in escapes
    ]


def load_words(places: Sequence[tuple[Escape, int]]) -> dict[int, list[Words]]:
    """Load what reviewers wrote about each escape on that case."""
    found = defaultdict[tuple[str, str, int], list[Words]](list)
    cases = [case for _escape, case in places]
    keys = {about: {escape.key for escape, _ in places if escape.about == about} for about in About}
    written = {"review__case__in": cases, "review__status": ReviewStatus.SUBMITTED}
    refused = in_turn(ChecklistAnswer.objects.filter(**written, item__in=keys[About.QUESTION]))
    for answer in refused.filter(answer=Answer.NO):
        said = str(Answer(answer.answer).label)
        found[About.QUESTION, answer.item, answer.review.case_id].append(
            Words(answer.review.reviewer.username, said, answer.note, read_pieces(answer.evidence))
        )
    for score in in_turn(Score.objects.filter(**written, metric__in=keys[About.METRIC])):
        found[About.METRIC, score.metric, score.review.case_id].append(
            Words(
                score.review.reviewer.username,
                str(score.value),
                score.rationale,
                read_pieces(score.evidence),
            )
        )
    confirmed = Flag.objects.filter(**written, kind__in=keys[About.FLAG])
    for flag in in_turn(confirmed.filter(outcome=FlagOutcome.CONFIRMED)):
        found[About.FLAG, flag.kind, flag.review.case_id].append(
            Words(flag.review.reviewer.username, "", flag.review.comment or flag.reason, [])
        )
    return {escape.pk: found[escape.about, escape.key, case] for escape, case in places}


def in_turn(rows: "QuerySet[R]") -> "QuerySet[R]":
    """Sort by reviewer, without the drafts of the reviews."""
    return (
        rows.select_related("review__reviewer")
        .defer("review__draft")
        .order_by("review__reviewer__username")
    )


def read_pieces(evidence: Iterable[dict[str, str]]) -> list[str]:
    return [piece["text"] for piece in evidence if piece.get("text", "").strip()]
