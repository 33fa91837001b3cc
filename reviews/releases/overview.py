"""Load what the page of a release shows: coverage, sample, draws and the next step."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import get_language

from cases.models import Case, Exclusion, Release
from cases.releases import policy
from cases.releases.acceptance import describe_more_with_warnings
from cases.rubric import Document, Kind
from evalsite.permissions import Role
from reviews.adjudication.visibility import is_blind
from reviews.assignments.queries import (
    count_needed,
    count_reviewers,
    count_submitted,
    find_unassigned,
)
from reviews.models import Closing, Decision, Draw, SampledCase, Waiver
from reviews.pairings.queries import load_readings
from reviews.releases.lifecycle import (
    find_missing_of_rule,
    find_missing_reviews,
    find_open_adjudications,
)
from reviews.releases.next_step import Facts, Step, choose_next_step
from reviews.sample.forecast import Forecast, NearCase, load_forecast
from reviews.sample.looks import (
    Looks,
    describe_dropped,
    describe_plan,
    describe_prior,
    load_looks,
)
from reviews.sample.matching import Sampled, find_helpful, settle
from reviews.sample.panel import Run, has_one_candidate, load_runs
from reviews.sample.queries import load_sample, load_tags
from reviews.sample.reasons import describe_obstacle
from reviews.sample.replay import STARTED
from reviews.sample.rule import KIND, Rule, describe_rule, kind_texts, load_rule
from reviews.sample.workflow import describe_shortage, is_in_doubt


@dataclass(frozen=True)
class SampleRow:
    """A case of the sample. `kind` is the kind it fills now; `kept_out`: why it is not eligible.

    `run`: since when it has been in the samples of the product.
    """

    sampled: SampledCase
    reviews_in: int
    kind_key: str
    kind: str
    kept_out: str
    run: Run


@dataclass(frozen=True)
class Nearby:
    """A case that nearly fits a kind, and why it is not eligible, if so."""

    found: NearCase
    kept_out: str


@dataclass(frozen=True)
class KindRow:
    """A kind. `fitting` is None if not counted; `is_short`: no case is left for it.

    `has_one_candidate`: the draw has no choice. `more_with_warnings` says how many cases would fit
    if warnings were accepted.
    """

    kind: Kind
    fitting: int | None
    has_one_candidate: bool
    more_with_warnings: str
    filled_by: list[SampleRow]
    is_short: bool
    nearest: list[Nearby]
    waiver: Waiver | None

    @property
    def is_covered(self) -> bool:
        return bool(self.filled_by)


@dataclass(frozen=True)
class Overview:
    kinds: list[KindRow]
    shortages: list[str]
    forecast: Forecast | None
    sample: list[SampleRow]
    withdrawn: list[SampleRow]
    excluded: list[Exclusion]
    draws: list[Draw]
    waivers: list[tuple[Waiver, str]]
    closing: Closing | None
    reopened: list[tuple[Closing, Decision | None]]
    decision: Decision | None
    means: list[tuple[str, float]]
    step: Step
    least_size: int
    reviews_in: int
    reviews_expected: int
    is_stale: bool
    is_settling: bool
    lacks_cases: bool
    looks: Looks | None
    plan: list[str]

    @property
    def planned(self) -> int:
        return sum(not row.sampled.is_outside for row in self.sample)

    @property
    def outside(self) -> int:
        return len(self.sample) - self.planned

    @property
    def draw(self) -> Draw | None:
        return self.draws[0] if self.draws else None

    @property
    def covered(self) -> int:
        return sum(row.is_covered for row in self.kinds)


def list_means(closing: Closing | None, document: Document) -> list[tuple[str, float]]:
    """List the stored mean of each metric, with its name in the reader's language."""
    means = closing.means if closing else []
    return [(document.metric(mean["metric"]).name, mean["mean"]) for mean in means]


def load_overview(
    release: Release, case_count: int, viewer: User, roles: Collection[Role]
) -> Overview:
    texts = kind_texts(release)
    draws = list(Draw.objects.of(release).defer("record").order_by("-number"))
    rule, sample = load_rule(release), load_sample(release)
    rows = load_sample_rows(release, settle(sample, rule.kinds, rule.waived), texts)
    standing = [row for row in rows if row.sampled.withdrawn_at is None]
    closings = list(release.closings.defer("summary").order_by("-number"))
    closing = next((ended for ended in closings if ended.reopened_at is None), None)
    decisions = {signed.closing_id: signed for signed in release.decisions.order_by("pk")}
    for ended in closings:
        if ended.pk in decisions:
            decisions[ended.pk].closing = ended
    decision = decisions.get(closing.pk) if closing else None
    missing = list(find_missing_of_rule(rule, sample))
    is_stale = release.is_draft and bool(draws) and is_in_doubt(release, draws[0])
    forecast = None
    if release.is_draft:
        forecast = load_forecast(release, rule, draws[0] if draws and not is_stale else None)
    lacking = forecast.shortages if forecast else []
    available = forecast.available if forecast else 0
    is_too_small = release.is_draft and case_count > 0 and available < max(rule.least, 1)
    planned = [row for row in standing if not row.sampled.is_outside]
    done = count_needed((row.reviews_in for row in planned), release.reviews_per_case)
    expected = len(planned) * release.reviews_per_case
    looks = load_looks(release)
    waiting_for = find_waiting_cases(release, rule) if release.is_reviewing else set()
    is_settling = release.is_reviewing and not waiting_for
    blind = is_settling and is_blind(release, viewer)
    pairs = load_readings([release]).get(release.pk) if is_settling else None
    facts = Facts(
        cases=case_count,
        is_drawn=bool(draws),
        available=available,
        least=rule.least,
        accepts_warnings=release.accepts_warnings,
        unfillable=tuple(texts[key] for key in forecast.short) if forecast else (),
        is_stale=is_stale,
        problems=tuple(problem.sentence for problem in missing),
        is_fillable=not release.is_reviewing
        or not missing
        # A case chosen by hand is outside the plan, so it fills nothing.
        or (looks is None and is_fillable(release, rule, sample)),
        reviews_in=done,
        reviews_expected=expected,
        is_waiting=bool(waiting_for),
        unassigned=count_unassigned(release, planned, waiting_for) if waiting_for else 0,
        is_blind=blind,
        may_waive=Role.MANAGER in roles,
        adjudications_open=len(list_unsettled(release, rule)) if is_settling and not blind else 0,
        abandoned_in=closing.closed_from if closing and closing.is_abandoned else "",
        is_signed=decision is not None,
        look=looks.look if looks else 0,
        looks=len(looks.sizes) if looks else 0,
        next_size=looks.next_size if looks and looks.has_further else None,
        pairs_expected=pairs.expected if pairs else 0,
        pairs_missing=pairs.missing if pairs else 0,
        pairs_unplanned=pairs.unplanned if pairs else 0,
        pairs_obstacle=pairs.obstacle if pairs else "",
    )
    return Overview(
        kinds=build_kind_rows(release, rule, standing, draws, forecast),
        shortages=[
            describe_shortage(texts, shortage, 0) for shortage in lacking if len(shortage.kinds) > 1
        ],
        forecast=forecast,
        sample=standing,
        withdrawn=[row for row in rows if row.sampled.withdrawn_at is not None],
        excluded=list(
            release.exclusions.select_related("case").defer("case__data").order_by("case__case_key")
        ),
        draws=draws,
        waivers=[(waiver, describe_rule(waiver.rule, texts)) for waiver in rule.waivers.values()],
        closing=closing,
        reopened=[(ended, decisions.get(ended.pk)) for ended in closings if ended.reopened_at],
        decision=decision,
        means=list_means(closing, release.rubric.text_for(get_language()).document),
        step=choose_next_step(release, facts),
        least_size=rule.minimum,
        reviews_in=done,
        reviews_expected=expected,
        is_stale=is_stale,
        is_settling=is_settling,
        # Not for a sample that has to be drawn again.
        lacks_cases=is_too_small
        or (bool(draws) and not is_stale and any(problem.rule == "cases" for problem in missing)),
        looks=looks,
        plan=list_plan(release, looks),
    )


def list_plan(release: Release, looks: Looks | None) -> list[str]:
    """Describe the plan of a started release: its looks, what dropped out, what is assumed."""
    started = release.events.filter(kind=STARTED).order_by("-number").first() if looks else None
    if looks is None or started is None:
        return []
    return [
        describe_plan(looks.sizes, looks.look),
        *describe_dropped(
            started.data["looks"], drawn=looks.sizes[0], available=started.data["available"]
        ),
        describe_prior(policy.read_prior(release.policy)),
    ]


def load_sample_rows(
    release: Release, kinds: Mapping[str, str], texts: Mapping[str, str]
) -> list[SampleRow]:
    """Load all cases that are or were in the sample. `kinds` has the kinds of current ones."""
    counted = count_submitted(release)
    found = list(SampledCase.objects.of(release).in_order().with_cases())
    runs = load_runs({release: {sampled.case.case_key for sampled in found}})
    rows = []
    for sampled in found:
        kind = kinds.get(sampled.case.case_key, sampled.kind)
        sampled.case.release = release
        kept_out = describe_obstacle(sampled.case) if release.is_draft else ""
        count = counted.get(sampled.case_id, 0)
        run = runs[release.pk, sampled.case.case_key]
        rows.append(SampleRow(sampled, count, kind, texts.get(kind, ""), kept_out, run))
    return rows


def is_fillable(release: Release, rule: Rule, sample: Sequence[Sampled]) -> bool:
    """Return whether a case is left that would help to satisfy the rule."""
    stuck = SampledCase.objects.of(release).stuck()
    left = Case.objects.eligible(release).exclude(pk__in=stuck.values("case"))
    keys = find_helpful(sample, rule.required)
    if not keys:
        return left.exists()
    kinds = [kind for kind in release.rubric.document.sampling.kinds if kind.key in keys]
    return left.fitting_any(kinds).exists()


def find_waiting_cases(release: Release, rule: Rule) -> set[str]:
    """Find the keys of cases that lack reviews, without waived ones."""
    waiver = rule.waivers.get("reviews")
    return {key for missing in find_missing_reviews(release, waiver) for key in missing.cases}


def count_unassigned(release: Release, standing: Sequence[SampleRow], waiting: set[str]) -> int:
    """Count the waiting cases that have too few reviewers."""
    cases = [(row.sampled.case_id, row.sampled.case.case_key) for row in standing]
    people = count_reviewers(release)
    return len(find_unassigned(cases, people, release.reviews_per_case, waiting))


def list_unsettled(release: Release, rule: Rule) -> list[str]:
    waiver = rule.waivers.get("adjudications")
    return [key for missing in find_open_adjudications(release, waiver) for key in missing.cases]


def count_still_fitting(release: Release, rule: Rule, draws: Sequence[Draw]) -> dict[str, int]:
    """Count the cases that fit each kind at the draw, without those withdrawn since."""
    lost = list(load_tags(SampledCase.objects.of(release).lost()).values())
    drawn: dict[str, int] = draws[0].fitting if draws else {}
    return {
        kind.key: drawn[kind.key] - sum(tags >= kind.tags for tags in lost)
        for kind in rule.kinds
        if kind.key in drawn
    }


def build_kind_rows(
    release: Release,
    rule: Rule,
    standing: Sequence[SampleRow],
    draws: Sequence[Draw],
    forecast: Forecast | None,
) -> list[KindRow]:
    near = forecast.nearest if forecast else {}
    with_warnings = forecast.with_warnings if forecast else {}
    fitting = forecast.fitting if forecast else count_still_fitting(release, rule, draws)
    pool_size = forecast.available if forecast else draws[0].pool_size if draws else 0
    sample_size = len(standing) or rule.minimum
    runs = {row.kind_key: row.run for row in standing}
    return [
        KindRow(
            kind=kind,
            fitting=fitting.get(kind.key),
            has_one_candidate=has_one_candidate(
                fitting.get(kind.key),
                runs.get(kind.key),
                pool_size=pool_size,
                sample_size=sample_size,
            ),
            more_with_warnings=describe_more_with_warnings(with_warnings.get(kind.key, 0)),
            filled_by=[row for row in standing if row.kind_key == kind.key],
            is_short=forecast is not None and kind.key in forecast.short,
            nearest=[Nearby(case, describe_obstacle(case.case)) for case in near.get(kind.key, ())],
            waiver=rule.waivers.get(KIND + kind.key),
        )
        for kind in release.rubric.text_for(get_language()).document.sampling.kinds
    ]
