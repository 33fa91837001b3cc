"""A release for those who run it: coverage, sample, draws and what comes next."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import get_language

from cases.models import Case, Event, Exclusion, Release
from cases.rubric import Kind
from reviews.disagreements import open_disagreements
from reviews.models import Closing, Decision, Draw, SampledCase, Waiver
from reviews.pool import KIND, least_size, pool_of, sample_of, wanted
from reviews.progress import reviews_in
from reviews.sampling.coverage import Hopeful, Near, counts, nearest
from reviews.sampling.matching import Shortage, shortages
from reviews.sampling.pool import Wanted
from reviews.sampling.settling import uncovered
from reviews.steps import Facts, Step, next_step
from reviews.workflow.sample import shortage_in_words
from reviews.workflow.status import missing_of_the_rule

# How many cases of a draft the board looks at; what a larger pool holds, the draw tells.
MOST_LOOKED_AT = 2_000
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
    is_cut: bool
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
    kinds = release.rubric.text_for(get_language()).document.sampling.kinds
    texts = {kind.key: kind.text for kind in kinds}
    counted = reviews_in(release)
    rows = [
        SampleRow(one, counted.get(one.case_id, 0), texts.get(one.kind, ""))
        for one in SampledCase.objects.of(release).in_order().with_cases()
    ]
    standing = [row for row in rows if row.sampled.withdrawn_at is None]
    draws = list(Draw.objects.of(release).defer("record").order_by("-number"))
    waivers = list(release.waivers.order_by("rule"))
    closings = list(release.closings.defer("summary").order_by("-number"))
    closing = next((one for one in closings if one.reopened_at is None), None)
    decision = release.decisions.standing().first()
    problems = (
        ()
        if not draws
        else tuple(one.sentence for one in missing_of_the_rule(release, sample_of(release)))
    )
    looked = look_at_pool(release) if release.is_draft else None
    done = sum(min(row.reviews_in, release.reviews_per_case) for row in standing)
    expected = len(standing) * release.reviews_per_case
    facts = Facts(
        cases=case_count,
        is_drawn=bool(draws),
        unfillable=tuple(
            texts[key] for one in (looked.shortages if looked else ()) for key in one.kinds
        ),
        is_stale=release.is_draft and bool(draws) and is_stale(release, draws[0]),
        problems=problems if not release.is_closed else (),
        reviews_in=done,
        reviews_expected=expected,
        adjudications_open=(
            len(open_disagreements(release)) if release.is_reviewing and done >= expected else 0
        ),
        is_abandoned=bool(closing and closing.is_abandoned),
        is_signed=decision is not None,
    )
    return Board(
        kinds=kind_rows(release, kinds, standing, draws[0] if draws else None, waivers, looked),
        shortages=[
            shortage_in_words(texts, one, 0)
            for one in (looked.shortages if looked else [])
            if len(one.kinds) > 1
        ],
        is_cut=bool(looked and looked.is_cut),
        sample=standing,
        withdrawn=[row for row in rows if row.sampled.withdrawn_at is not None],
        excluded=list(
            release.exclusions.select_related("case").defer("case__data").order_by("case__case_key")
        ),
        draws=draws,
        waivers=waivers,
        closing=closing,
        earlier_closings=[one for one in closings if one.reopened_at is not None],
        decision=decision,
        step=next_step(release, facts),
        least_size=least_size(release),
        reviews_in=done,
        reviews_expected=expected,
    )


def is_stale(release: Release, draw: Draw) -> bool:
    """Whether something happened since the draw that may have changed the pool."""
    later = Event.objects.filter(release=release, number__gt=draw.event, kind__in=POOL_EVENTS)
    return later.exists()


@dataclass(frozen=True)
class Looked:
    """What the pool of a draft holds, as far as it was looked at."""

    fitting: dict[str, int]
    nearest: dict[str, tuple[Near, ...]]
    shortages: list[Shortage]
    is_cut: bool


def look_at_pool(release: Release) -> Looked:
    pool = pool_of(release, most=MOST_LOOKED_AT + 1)
    kinds = wanted(release)
    waived = {one.rule for one in release.waivers.all()}
    fitting = counts(pool, kinds)
    unfilled = [kind for kind in kinds if not fitting[kind.key]]
    hopefuls = hopefuls_for(release, unfilled) if unfilled else []
    required = [kind for kind in kinds if KIND + kind.key not in waived]
    return Looked(
        fitting=fitting,
        nearest={kind.key: nearest(hopefuls, kind) for kind in unfilled},
        shortages=shortages(
            {kind.key: [one.case_key for one in pool if one.tags >= kind.tags] for kind in required}
        ),
        is_cut=len(pool) > MOST_LOOKED_AT,
    )


def hopefuls_for(release: Release, kinds: Sequence[Wanted]) -> list[Hopeful]:
    """Cases with some of the tags, surely or by a weak hint, whether they can be sampled or not."""
    tags = frozenset[str]().union(*(kind.tags for kind in kinds))
    with_some = Case.objects.of(release).filter(tags__tag__in=tags).distinct().order_by("case_key")
    found = with_some.without_content().with_tags().select_related("exclusion")
    return [
        Hopeful(
            case.case_key,
            frozenset(case.standing_tags),
            frozenset(tag.tag for tag in case.tags.all() if not tag.removed),
            case.is_reviewable and not hasattr(case, "exclusion"),
        )
        for case in found[:MOST_LOOKED_AT]
    ]


def kind_rows(
    release: Release,
    kinds: Sequence[Kind],
    standing: Sequence[SampleRow],
    draw: Draw | None,
    waivers: Sequence[Waiver],
    looked: Looked | None,
) -> list[KindRow]:
    open_kinds = set(uncovered(sample_of(release), wanted(release)))
    by_rule = {one.rule: one for one in waivers}
    near = looked.nearest if looked else {}
    keys = [one.case_key for found in near.values() for one in found]
    cases = {
        case.case_key: case
        for case in (release.cases.filter(case_key__in=keys).defer("data") if keys else [])
    }
    fitting = looked.fitting if looked else (draw.fitting if draw else {})
    return [
        KindRow(
            kind=kind,
            fitting=fitting.get(kind.key),
            filled_by=[row for row in standing if row.sampled.kind == kind.key],
            is_covered=kind.key not in open_kinds,
            nearest=[NearCase(cases[one.case_key], one) for one in near.get(kind.key, ())],
            waiver=by_rule.get(KIND + kind.key),
        )
        for kind in kinds
    ]
