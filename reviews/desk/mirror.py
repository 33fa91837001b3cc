"""How one reviewer used the scale, after a release was closed. For that reviewer alone.

Only cases of their own come in, theirs and everybody else's reviews of them; the release has no
name here, because people who are only reviewers never learn it.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from math import ceil, floor

from django.contrib.auth.models import User
from django.db.models import Q

from cases.models import Case, Release
from cases.rubric import Document, Level, Metric, Question
from reviews.adjudication.disagreements import bases_in
from reviews.models import Adjudication, ChecklistAnswer, Closing, Review, Score
from reviews.models.outcomes import ClosingQuerySet
from reviews.models.reviews import Answer, counted_in

FAR = 1


@dataclass(frozen=True)
class LevelUsed:
    """How often a level was given, by this reviewer and by all reviewers of the same cases."""

    level: Level
    own: int
    team: int
    own_percent: int
    team_percent: int


@dataclass(frozen=True)
class ScaleUsed:
    metric: Metric
    levels: list[LevelUsed]
    own_total: int
    team_total: int


@dataclass(frozen=True)
class Differed:
    """`agreed` is the adjudicated score or the mean; `levels` are the one or two it stands on."""

    case: Case
    metric: Metric
    own: Level
    agreed: float
    is_adjudicated: bool
    levels: list[Level]


@dataclass(frozen=True)
class Against:
    case: Case
    own: str
    others: str


@dataclass(frozen=True)
class ReadDifferently:
    question: Question
    cases: list[Against]


@dataclass(frozen=True)
class Mirror:
    closed_at: datetime
    cases: int
    scales: list[ScaleUsed]
    differed: list[Differed]
    questions: list[ReadDifferently]
    language: str


def list_closings(user: User) -> ClosingQuerySet:
    """Reports that stand and rest on a review of this person, newest first."""
    own = Review.objects.counted().by(user).values("release")
    standing = Closing.objects.standing().filter(is_abandoned=False, release__in=own)
    return (
        standing.select_related("release__rubric")
        .prefetch_related("release__rubric__translations")
        .defer("summary")
        .order_by("-closed_at", "-pk")
    )


def build_mirrors(user: User, closings: Sequence[Closing], *, language: str | None) -> list[Mirror]:
    """As many queries for one closing as for many."""
    said = read(user, [closing.release for closing in closings])
    found = []
    for closing in closings:
        text = closing.release.rubric.text_for(language)
        mine = [case for case in said.cases if case.release_id == closing.release_id]
        found.append(
            Mirror(
                closed_at=closing.closed_at,
                cases=len(mine),
                scales=[count_scale(said, mine, metric) for metric in text.document.metrics],
                differed=differed_in(said, mine, text.document),
                questions=read_differently(said, mine, text.document),
                language=text.language,
            )
        )
    return found


@dataclass(frozen=True)
class SaidOnCases:
    """What this person and the others said of each case that is theirs: case -> key -> person."""

    user: int
    cases: list[Case]
    scores: dict[int, dict[str, dict[int, int]]]
    answers: dict[int, dict[str, dict[int, str]]]
    agreed: dict[int, dict[str, int]]


def read(user: User, releases: Sequence[Release]) -> SaidOnCases:
    own = Review.objects.filter(counted_in(releases)).by(user)
    cases = list(Case.objects.filter(pk__in=own.values("case")).without_content().order_by("code"))
    of_mine = counted_in(releases, "review__") & Q(review__case__in=cases)
    scores: dict[int, dict[str, dict[int, int]]] = defaultdict(lambda: defaultdict(dict))
    for case, metric, person, value in Score.objects.filter(of_mine).values_list(
        "review__case", "metric", "review__reviewer", "value"
    ):
        scores[case][metric][person] = value
    answers: dict[int, dict[str, dict[int, str]]] = defaultdict(lambda: defaultdict(dict))
    for case, item, person, answer in ChecklistAnswer.objects.filter(of_mine).values_list(
        "review__case", "item", "review__reviewer", "answer"
    ):
        answers[case][item][person] = answer
    return SaidOnCases(user.pk, cases, scores, answers, agreed_on(releases, cases))


def agreed_on(releases: Sequence[Release], cases: Sequence[Case]) -> dict[int, dict[str, int]]:
    """Adjudicated scores that still stand: of just the reviews that were counted in the end."""
    bases = bases_in(releases)
    keys = {case.pk: (case.release_id, case.case_key) for case in cases}
    return {
        one.case_id: one.agreed
        for one in Adjudication.objects.filter(case__in=cases)
        if tuple((name, version) for name, version in one.basis) == bases.get(keys[one.case_id])
    }


def count_scale(said: SaidOnCases, cases: Sequence[Case], metric: Metric) -> ScaleUsed:
    given = [said.scores[case.pk][metric.key] for case in cases]
    own = Counter(scores[said.user] for scores in given)
    team = Counter(value for scores in given for value in scores.values())
    levels = [
        LevelUsed(
            level,
            own[level.value],
            team[level.value],
            percent(own[level.value], own.total()),
            percent(team[level.value], team.total()),
        )
        for level in metric.levels
    ]
    return ScaleUsed(metric, levels, own.total(), team.total())


def percent(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0


def differed_in(said: SaidOnCases, cases: Sequence[Case], document: Document) -> list[Differed]:
    """A point or more from what was agreed, furthest first."""
    found = []
    for case in cases:
        for metric in document.metrics:
            scores = said.scores[case.pk][metric.key]
            adjudicated = said.agreed.get(case.pk, {}).get(metric.key)
            mean = Fraction(sum(scores.values()), len(scores))
            agreed = mean if adjudicated is None else Fraction(adjudicated)
            own = scores[said.user]
            if abs(own - agreed) >= FAR:
                found.append(
                    Differed(
                        case=case,
                        metric=metric,
                        own=metric.level(own),
                        agreed=float(agreed),
                        is_adjudicated=adjudicated is not None,
                        levels=[
                            metric.level(one)
                            for one in dict.fromkeys((floor(agreed), ceil(agreed)))
                        ],
                    )
                )
    return sorted(found, key=lambda one: -abs(one.own.value - one.agreed))


def read_differently(
    said: SaidOnCases, cases: Sequence[Case], document: Document
) -> list[ReadDifferently]:
    """Questions that most of the other reviewers of a case answered otherwise, most often first."""
    found = []
    for question in document.questions:
        against = []
        for case in cases:
            answers = dict(said.answers[case.pk][question.key])
            own = answers.pop(said.user)
            others = majority(list(answers.values()))
            if others is not None and others != own:
                against.append(Against(case, str(Answer(own).label), str(Answer(others).label)))
        if against:
            found.append(ReadDifferently(question, against))
    return sorted(found, key=lambda one: -len(one.cases))


def majority(answers: Sequence[str]) -> str | None:
    """What more than half of them say, if there is such a thing."""
    for answer, count in Counter(answers).most_common(1):
        if 2 * count > len(answers):
            return answer
    return None
