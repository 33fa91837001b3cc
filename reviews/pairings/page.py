"""What the page of a pairing shows: a request, two plans day by day, and the form."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases.case import display
from cases.case.display import Page, ShownFact
from cases.itinerary import format as itinerary_format
from cases.itinerary.blind import without_dates
from cases.itinerary.cards import DayCard
from cases.itinerary.comparison import find_differing, list_days, parts
from cases.models.rubrics import RubricText
from cases.rubric import Document, Metric, Question
from reviews.desk.fragments import get_or_render, name_case
from reviews.errors import Missing
from reviews.models import Pairing
from reviews.models.pairings import Newer, Side
from reviews.pairings.judgement import PairJudgement, StepEntry

# The keys 1 to 7 choose a step, from the left plan to the right one.
STEPS = range(-3, 4)


@dataclass(frozen=True)
class SideOfDay:
    """One plan's day; none if it has no such day. `differing`: stops that the other has not."""

    side: str
    page: Page
    day: DayCard | None
    differing: frozenset[str]

    @property
    def prefix(self) -> str:
        """Return what sets the ids of this side's stops apart from those of the other."""
        return f"{self.side}-"


@dataclass(frozen=True)
class PairOfDays:
    number: int
    left: SideOfDay
    right: SideOfDay


@dataclass(frozen=True)
class PlansHtml:
    """A rendered pair. `facts` has, by question, the facts of each side that the other has not."""

    plans: SafeString
    facts: Mapping[str, tuple[Sequence[ShownFact], Sequence[ShownFact]]]


@dataclass(frozen=True)
class StepChoice:
    value: int
    key: int
    label: str
    is_chosen: bool


@dataclass(frozen=True)
class PairMetric:
    metric: Metric
    number: int
    entry: StepEntry
    steps: tuple[StepChoice, ...]
    problem: str
    why_problem: str


@dataclass(frozen=True)
class SideChoice:
    value: str
    label: str
    key: int
    is_chosen: bool


@dataclass(frozen=True)
class PairQuestion:
    question: Question
    choices: tuple[SideChoice, ...]
    left: Sequence[ShownFact]
    right: Sequence[ShownFact]


@dataclass(frozen=True)
class PairForm:
    metrics: tuple[PairMetric, ...]
    questions: tuple[PairQuestion, ...]
    newer: tuple[SideChoice, ...]
    newer_problem: str
    problems: tuple[Missing, ...]
    language: str


# --- Plans ----------------------------------------------------------------------------------------


def get_plans_html(pairing: Pairing, text: RubricText) -> PlansHtml:
    """Render the plans of a pairing, cached: neither case nor text changes under its digest."""
    language = get_language()
    left, right = pairing.left, pairing.right
    # Two whole digests would be too long for a key of the cache.
    key = f"pair:{name_case(left, text)}:{right.pk}:{right.digest[:32]}:{language}"

    def render() -> PlansHtml:
        return render_plans(
            without_dates(left.itinerary),
            without_dates(right.itinerary),
            text.document,
            language=language,
        )

    return get_or_render(key, render)


def render_plans(
    left: itinerary_format.Case,
    right: itinerary_format.Case,
    document: Document,
    *,
    language: str | None,
) -> PlansHtml:
    pages = [display.read(case, document, language=language) for case in (left, right)]
    context = {
        "page": pages[0],
        "left": pages[0],
        "right": pages[1],
        "days": list_pairs_of_days(*pages),
        "differing": frozenset(parts(left, right)),
    }
    return PlansHtml(render_to_string("reviews/pairings/_plans.html", context), find_facts(*pages))


def list_pairs_of_days(left: Page, right: Page) -> list[PairOfDays]:
    """Pair the days of two plans by their place."""
    raw = zip_longest(list_days(left.case), list_days(right.case))
    cards = zip_longest(left.cards.days, right.cards.days)
    found = []
    for place, (days, shown) in enumerate(zip(raw, cards, strict=False)):
        sides = [
            SideOfDay(
                name,
                page,
                day,
                frozenset(f"/plan/days/{place}/items/{item}" for item in items),
            )
            for name, page, day, items in zip(
                ("left", "right"), (left, right), shown, find_differing(*days), strict=True
            )
        ]
        found.append(PairOfDays(place + 1, *sides))
    return found


def find_facts(
    left: Page, right: Page
) -> dict[str, tuple[Sequence[ShownFact], Sequence[ShownFact]]]:
    """Find by question the facts of each plan that the other one has not."""
    sides = []
    for page in (left, right):
        sides.append(
            {
                group.question.key: {fact.sentence: fact for fact in group.facts}
                for group in page.groups
                if group.question
            }
        )
    first, second = sides
    return {
        key: (
            leave_out(first.get(key, {}), second.get(key, {})),
            leave_out(second.get(key, {}), first.get(key, {})),
        )
        for key in first.keys() | second.keys()
    }


def leave_out(own: dict[SafeString, ShownFact], others: Collection[str]) -> list[ShownFact]:
    return [fact for words, fact in own.items() if words not in others]


# --- Form -----------------------------------------------------------------------------------------


def build_form(
    text: RubricText,
    html: PlansHtml,
    asked: Sequence[str],
    said: PairJudgement,
    *,
    problems: Sequence[Missing] = (),
) -> PairForm:
    return build_form_of(
        text.document, html, asked, said, problems=problems, language=text.language
    )


def build_form_of(
    document: Document,
    html: PlansHtml,
    asked: Sequence[str],
    said: PairJudgement,
    *,
    language: str,
    problems: Sequence[Missing] = (),
) -> PairForm:
    sentences = {problem.rule: problem.sentence for problem in problems}
    labels = get_step_labels()
    return PairForm(
        metrics=tuple(
            build_metric(metric, number, said.steps.get(metric.key, StepEntry()), labels, sentences)
            for number, metric in enumerate(document.metrics, 1)
        ),
        questions=tuple(
            PairQuestion(
                question,
                build_choices(Side, said.sides.get(question.key)),
                *html.facts.get(question.key, ((), ())),
            )
            for question in document.questions
            if question.key in asked
        ),
        newer=build_choices(Newer, said.newer),
        newer_problem=sentences.get("newer", ""),
        problems=tuple(problems),
        language=language,
    )


def build_choices(choices: type[Side | Newer], chosen: str | None) -> tuple[SideChoice, ...]:
    """Number the choices: each number is its key."""
    return tuple(
        SideChoice(choice.value, str(choice.label), key, choice.value == chosen)
        for key, choice in enumerate(choices, 1)
    )


def build_metric(
    metric: Metric,
    number: int,
    entry: StepEntry,
    labels: Sequence[str],
    sentences: Mapping[str, str],
) -> PairMetric:
    path = f"steps.{metric.key}"
    return PairMetric(
        metric=metric,
        number=number,
        entry=entry,
        steps=tuple(
            StepChoice(step, key, label, step == entry.step)
            for key, (step, label) in enumerate(zip(STEPS, labels, strict=True), 1)
        ),
        problem=sentences.get(f"{path}.step", sentences.get(path, "")),
        why_problem=sentences.get(f"{path}.why", ""),
    )


def get_step_labels() -> list[str]:
    """Return the seven steps, from the left plan to the right one."""
    return [
        _("Left much better"),
        _("Left better"),
        _("Left slightly better"),
        _("No difference for this traveller"),
        _("Right slightly better"),
        _("Right better"),
        _("Right much better"),
    ]


def describe_judgement(said: PairJudgement, document: Document) -> list[tuple[str, str]]:
    """Return labels and values of a judgement, to show beside another version of it."""
    labels = dict(zip(STEPS, get_step_labels(), strict=True))
    lines = []
    for metric in document.metrics:
        entry = said.steps.get(metric.key, StepEntry())
        value = "–" if entry.step is None else labels[entry.step]
        lines.append((metric.name, " ".join([value, entry.why]).strip()))
    for question in document.questions:
        side = said.sides.get(question.key)
        if side:
            lines.append((question.text, str(Side(side).label)))
    newer = str(Newer(said.newer).label) if said.newer else "–"
    return [*lines, (_("Recognised as newer"), newer)]
