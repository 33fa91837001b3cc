"""A release for those who run it: coverage, sample, draws and what comes next."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import get_language

from cases.models import Case, Event, Exclusion, Release
from cases.rubric import Kind
from reviews.disagreements import open_disagreements
from reviews.models import Closing, Decision, Draw, SampledCase, Waiver
from reviews.outlook import Outlook, outlook_of
from reviews.pool import sample_of
from reviews.progress import reviews_in
from reviews.rule import KIND, Rule, kind_texts, rule_of
from reviews.sampling.coverage import Near
from reviews.sampling.settling import Sampled, uncovered
from reviews.steps import Facts, Step, next_step
from reviews.workflow.drawing import shortage_in_words
from reviews.workflow.status import missing_of_the_rule

# Events that may change the pool or the rule it was drawn by.
POOL_EVENTS = (
    "cases-imported",
    "import-undone",
    "tag-given",
    "tag-taken-away",
    "tag-left-to-detectors",
    "cases-excluded",
    "cases-let-in",
    "release-changed",
)


@dataclass(frozen=True)
class NearCase:
    case: Case
    near: Near


@dataclass(frozen=True)
class SampleRow:
    sampled: SampledCase
    reviews_in: int
    kind: str


@dataclass(frozen=True)
class KindRow:
    """`fitting` is None where nobody counted."""

    kind: Kind
    fitting: int | None
    filled_by: list[SampleRow]
    is_covered: bool
    nearest: list[NearCase]
    waiver: Waiver | None


@dataclass(frozen=True)
class Board:
    kinds: list[KindRow]
    shortages: list[str]
    outlook: Outlook | None
    sample: list[SampleRow]
    withdrawn: list[SampleRow]
    excluded: list[Exclusion]
    draws: list[Draw]
    waivers: list[Waiver]
    closing: Closing | None
    earlier_closings: list[Closing]
    decision: Decision | None
    step: Step
    least_size: int
    reviews_in: int
    reviews_expected: int

    @property
    def draw(self) -> Draw | None:
        return self.draws[0] if self.draws else None

    @property
    def covered(self) -> int:
        return sum(row.is_covered for row in self.kinds)


def board_of(release: Release, case_count: int) -> Board:
    texts = kind_texts(release)
    counted = reviews_in(release)
    rows = [
        SampleRow(one, counted.get(one.case_id, 0), texts.get(one.kind, ""))
        for one in SampledCase.objects.of(release).in_order().with_cases()
    ]
    standing = [row for row in rows if row.sampled.withdrawn_at is None]
    draws = list(Draw.objects.of(release).defer("record").order_by("-number"))
    rule, sample = rule_of(release), sample_of(release)
    closings = list(release.closings.defer("summary").order_by("-number"))
    closing = next((one for one in closings if one.reopened_at is None), None)
    decision = release.decisions.standing().first()
    problems = tuple(one.sentence for one in missing_of_the_rule(rule, sample))
    outlook = outlook_of(release, rule) if release.is_draft else None
    lacking = outlook.shortages if outlook else []
    done = sum(min(row.reviews_in, release.reviews_per_case) for row in standing)
    expected = len(standing) * release.reviews_per_case
    facts = Facts(
        cases=case_count,
        is_drawn=bool(draws),
        unfillable=tuple(texts[key] for one in lacking for key in one.kinds),
        is_stale=release.is_draft and bool(draws) and is_stale(release, draws[0]),
        problems=problems,
        reviews_in=done,
        reviews_expected=expected,
        adjudications_open=(
            len(open_disagreements(release)) if release.is_reviewing and done >= expected else 0
        ),
        is_abandoned=bool(closing and closing.is_abandoned),
        is_signed=decision is not None,
    )
    return Board(
        kinds=kind_rows(release, rule, sample, standing, draws, outlook),
        shortages=[shortage_in_words(texts, one, 0) for one in lacking if len(one.kinds) > 1],
        outlook=outlook,
        sample=standing,
        withdrawn=[row for row in rows if row.sampled.withdrawn_at is not None],
        excluded=list(
            release.exclusions.select_related("case").defer("case__data").order_by("case__case_key")
        ),
        draws=draws,
        waivers=list(rule.waivers.values()),
        closing=closing,
        earlier_closings=[one for one in closings if one.reopened_at is not None],
        decision=decision,
        step=next_step(release, facts),
        least_size=rule.minimum,
        reviews_in=done,
        reviews_expected=expected,
    )


def is_stale(release: Release, draw: Draw) -> bool:
    """Whether something happened since the draw that may have changed the pool."""
    later = Event.objects.filter(release=release, number__gt=draw.event, kind__in=POOL_EVENTS)
    return later.exists()


def kind_rows(
    release: Release,
    rule: Rule,
    sample: Sequence[Sampled],
    standing: Sequence[SampleRow],
    draws: Sequence[Draw],
    outlook: Outlook | None,
) -> list[KindRow]:
    open_kinds = set(uncovered(sample, rule.kinds))
    near = outlook.nearest if outlook else {}
    keys = [one.case_key for found in near.values() for one in found]
    cases = {
        case.case_key: case
        for case in (release.cases.filter(case_key__in=keys).defer("data") if keys else [])
    }
    fitting = outlook.fitting if outlook else (draws[0].fitting if draws else {})
    return [
        KindRow(
            kind=kind,
            fitting=fitting.get(kind.key),
            filled_by=[row for row in standing if row.sampled.kind == kind.key],
            is_covered=kind.key not in open_kinds,
            nearest=[NearCase(cases[one.case_key], one) for one in near.get(kind.key, ())],
            waiver=rule.waivers.get(KIND + kind.key),
        )
        for kind in release.rubric.text_for(get_language()).document.sampling.kinds
    ]
