"""The figures of a summary.

Statistics come from reviews.agreement and reviews.comparison, rounded. `why` explains a figure that
is not defined, `caution` an interval that is missing or has no width.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from reviews.agreement import Reading, Reason, Result
from reviews.comparison import Limits, Mean, Paired, Prior


class Answers(NamedTuple):
    """How many reviewers gave each answer."""

    yes: int
    no: int
    na: int

    @property
    def majority(self) -> str:
        """Return the answer that more than half gave, or an empty string."""
        half = (self.yes + self.no + self.na) / 2
        if self.yes > half:
            return "yes"
        if self.no > half:
            return "no"
        return "na" if self.na > half else ""


# Many cases share few patterns of scores, so each pattern is computed once.


@lru_cache(maxsize=4096)
def average_level(counts: tuple[int, ...], lowest: int) -> Fraction:
    """Return the mean of the independent reviews."""
    total = sum(n * level for level, n in enumerate(counts, lowest))
    return Fraction(total, sum(counts))


@lru_cache(maxsize=4096)
def find_span(counts: tuple[int, ...], lowest: int) -> tuple[int, int]:
    given = [level for level, n in enumerate(counts, lowest) if n]
    return given[0], given[-1]


@dataclass(frozen=True)
class CaseScore:
    """The standing score of a case on a metric: the agreed one, else the mean of its reviews.

    `counts` has how often each level of the metric was given, lowest first.
    """

    standing: float
    agreed: int | None
    counts: tuple[int, ...]

    def exact(self, lowest: int) -> Fraction:
        """Return the standing score unrounded. `lowest` is the lowest level of the metric."""
        return (
            Fraction(self.agreed) if self.agreed is not None else average_level(self.counts, lowest)
        )

    def range(self, lowest: int) -> tuple[int, int]:
        """Return the lowest and the highest score that was given."""
        return find_span(self.counts, lowest)


@dataclass(frozen=True)
class Plan:
    """The planned looks at the scores. There is a word only at a look.

    `sizes` are those of the sample at each look. `look` counts from 1: the one that is reached,
    or else the one that is worked towards. `level` is the one-sided level of its limits. `prior`
    was estimated from `releases`; none: it is the default.
    """

    sizes: tuple[int, ...]
    look: int
    is_at_look: bool
    level: float
    prior: Prior
    releases: tuple[str, ...] = ()

    @property
    def next_size(self) -> int | None:
        """Return how many cases the sample has at the next look; None after the last."""
        return self.sizes[self.look] if self.look < len(self.sizes) else None


@dataclass(frozen=True)
class CaseSummary:
    """A case of the sample. `scores` and `answers` are in the order of `Summary.metrics` and
    `Summary.checklist`, and empty until the case is read: its k reviews are in, or waived.

    `is_outside`: chosen by hand after the start, outside the plan: read, but never counted.
    """

    case_key: str
    kind: str
    origin: str
    place: int | None
    reason: str
    reviews_in: int
    reviewers: tuple[str, ...]
    is_counted: bool
    scores: tuple[CaseScore, ...]
    answers: tuple[Answers, ...]
    is_outside: bool = False


@dataclass(frozen=True)
class Evidence:
    """The evidence behind the figures. `left_out`: cases whose reviews are not all in.

    `reviews` are those of the counted cases, `pairs` the pairs of reviews of the same case.
    """

    cases: int
    reviews: int
    reviewers: int
    pairs: int
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class KindMean:
    """The mean of a kind; its interval needs five cases."""

    kind: str
    mean: Mean


@dataclass(frozen=True)
class Agreement:
    """How far independent reviews agree on a metric.

    `reading` classifies alpha by its lower limit; `few` is the caution for few cases.
    `levels_used` counts cases with two or more reviews. `reliability` is that of the mean of k
    reviewers. `ac2_weights` is the name of the weights of AC2.
    """

    exact: Result
    within_one: Result
    cases_within_one: Result
    mean_gap: Result
    levels_used: tuple[int, ...]
    alpha: Result
    reading: Reading
    few: Reason | None
    alpha_nominal: Result
    alpha_interval: Result
    ac1: Result
    ac2: Result
    fleiss: Result
    brennan_prediger: Result
    icc1: Result
    reliability: Result
    ac2_weights: str = "linear"


@dataclass(frozen=True)
class PairSummary:
    """Two reviewers on the cases that both judged, by metric.

    `difference` is the mean of the first's score minus the second's.
    """

    first: str
    second: str
    cases: int
    same: int
    within_one: int
    difference: float


@dataclass(frozen=True)
class ReviewerSeverity:
    """`effect`: how far above the others of the group this person scores, with its interval.

    Older summaries, and groups with too few reviews to tell, have no interval.
    """

    reviewer: str
    reviews: int
    effect: float
    se: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def is_shown(self) -> bool:
        """Return whether the interval excludes 0: only then is the effect more than chance."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True)
class SeveritySummary:
    """Reviewers in groups that shared cases connect; within each the effects sum to 0.

    `adjusted` is the mean over cases as if all reviewers were equally severe; agreed scores are not
    adjusted. `why`: why there are no groups, or no adjusted mean.
    """

    groups: tuple[tuple[ReviewerSeverity, ...], ...]
    adjusted: Mean | None
    why: Reason | None


@dataclass(frozen=True)
class MetricSummary:
    """`given` counts the scores of all counted reviews over `levels`, lowest first.

    `mean` is over the standing scores of cases; `apart` lists the cases whose scores are more than
    one point apart; `lowest` is the lowest single score. `limits` are the one-sided limits of the
    mean, which decide the verdict; there are none between looks, and under the first rules.
    """

    metric: str
    name: str
    levels: tuple[int, ...]
    floor: float
    mean: Mean
    given: tuple[int, ...]
    lowest: int | None
    by_kind: tuple[KindMean, ...]
    agreement: Agreement
    apart: tuple[str, ...]
    pairs: tuple[PairSummary, ...]
    severity: SeveritySummary
    limits: Limits | None = None

    def place(self, level: int) -> int:
        return level - self.levels[0]


@dataclass(frozen=True)
class Rate:
    """A share: `value` is the mean over `cases` of the share within each; `count` and `of` are
    answers. Older summaries have the share of all answers and an interval over answers."""

    count: int
    of: int
    value: float | None
    low: float | None
    high: float | None
    why: Reason | None
    cases: int | None = None
    method: str = "wilson"


@dataclass(frozen=True)
class QuestionSummary:
    """A checklist question. `rate`: yes among the answers that apply; `applies`: those among all.

    Agreement on whether the question applies, and among the answers that apply.
    """

    item: str
    metric: str
    text: str
    answers: Answers
    rate: Rate
    applies: Rate
    applicability: Result
    exact: Result
    ac1: Result


@dataclass(frozen=True)
class PersonSummary:
    """How many counted reviews a person wrote."""

    reviewer: str
    reviews: int


@dataclass(frozen=True)
class EscapedCase:
    """`standing` for a low score, `answers` for a question; `reason` quotes a reviewer."""

    case_key: str
    standing: float | None
    answers: Answers | None
    reason: str


@dataclass(frozen=True)
class Escape:
    """Cases that passed the automated checks although `subject`, a metric or question, failed.

    A metric: the standing score is 2 or less. A question: more than half of the answers are "no".
    """

    subject: str
    text: str
    cases: tuple[EscapedCase, ...]


@dataclass(frozen=True)
class KindComparison:
    kind: str
    paired: Paired


@dataclass(frozen=True)
class MetricComparison:
    """`before` and `after` are the means over the shared cases.

    `by_same` is the difference among the cases that the same reviewers judged both times. `limits`
    are one-sided limits of the mean difference, as of a metric; `is_by_others`: the reviewers
    differ, so the limits allow for how severe they are.
    """

    metric: str
    before: float | None
    after: float | None
    paired: Paired
    by_kind: tuple[KindComparison, ...]
    by_same: Paired
    limits: Limits | None = None
    is_by_others: bool = False


@dataclass(frozen=True)
class CaseChange:
    """A shared case, its standing scores before and after in the order of `Comparison.metrics`."""

    case_key: str
    kind: str
    before: tuple[float, ...]
    after: tuple[float, ...]
    is_by_same: bool

    @property
    def change(self) -> float:
        """Return the largest fall, or the largest rise if nothing fell."""
        moved = [new - old for new, old in zip(self.after, self.before, strict=True)]
        return min(moved) if min(moved) < 0 else max(moved)


@dataclass(frozen=True)
class QuestionChange:
    """`before` and `after`: yes among the answers that apply, on the shared cases.

    The unit of the test is the case with a majority for yes or no in both releases. `to_yes` and
    `to_no` count the cases that changed, `cases` those that could; `turned_yes`, `turned_no` and
    `could_turn` list them.
    """

    item: str
    text: str
    before: Rate
    after: Rate
    cases: int
    to_yes: int
    to_no: int
    p_value: float | None
    why: Reason | None
    could_turn: tuple[str, ...] = ()
    turned_yes: tuple[str, ...] = ()
    turned_no: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Two releases, compared on their shared cases.

    `why` says that no case is shared, `caution` that the rubric is another version. `only_before`
    and `only_after` are the cases without a partner.
    """

    before: str
    after: str
    rubric_before: int
    rubric_after: int
    shared: int
    by_same: int
    metrics: tuple[MetricComparison, ...]
    checklist: tuple[QuestionChange, ...]
    cases: tuple[CaseChange, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    why: Reason | None
    caution: Reason | None
