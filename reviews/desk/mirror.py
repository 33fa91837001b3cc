"""Compare how one reviewer used the scale with the other reviewers, after a release is closed.

Only that reviewer sees it. It covers the cases they reviewed, with all reviews of those cases. The
release is not named, because people who are only reviewers never learn it.
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
from reviews.adjudication.disagreements import load_bases
from reviews.models import Adjudication, ChecklistAnswer, Closing, Review, Score
from reviews.models.outcomes import ClosingQuerySet
from reviews.models.reviews import Answer, counted_in

FAR = 1


@dataclass(frozen=True)
class LevelUse:
    """How often a level was given, by this reviewer and by all reviewers of the same cases."""

    level: Level
    own: int
    team: int
    own_percent: int
    team_percent: int


@dataclass(frozen=True)
class ScaleUse:
    metric: Metric
    levels: list[LevelUse]
    own_total: int
    team_total: int


@dataclass(frozen=True)
class ScoreDifference:
    """A score far from the agreed one.

    `agreed` is the adjudicated score or the mean; `levels` are the one or two levels nearest to it.
    """

    review: Review
    metric: Metric
    own: Level
    agreed: float
    is_adjudicated: bool
    levels: list[Level]


@dataclass(frozen=True)
class AnswerDifference:
    """A case whose other reviewers mostly gave another answer."""

    review: Review
    own: str
    others: str


@dataclass(frozen=True)
class QuestionDifference:
    question: Question
    cases: list[AnswerDifference]


@dataclass(frozen=True)
class Mirror:
    closed_at: datetime
    cases: int
    scales: list[ScaleUse]
    score_differences: list[ScoreDifference]
    question_differences: list[QuestionDifference]
    language: str


def list_closings(user: User) -> ClosingQuerySet:
    """Return current closings of releases this person reviewed in, newest first."""
    own = Review.objects.counted().by(user).values("release")
    standing = Closing.objects.standing().filter(is_abandoned=False, release__in=own)
    return (
        standing.select_related("release__rubric")
        .prefetch_related("release__rubric__translations")
        .defer("summary")
        .order_by("-closed_at", "-pk")
    )


def build_mirrors(user: User, closings: Sequence[Closing], *, language: str | None) -> list[Mirror]:
    """Build a mirror for each closing. The number of queries does not grow with them."""
    content = load_content(user, [closing.release for closing in closings])
    mirrors = []
    for closing in closings:
        text = closing.release.rubric.text_for(language)
        mine = [review for review in content.reviews if review.release_id == closing.release_id]
        mirrors.append(
            Mirror(
                closed_at=closing.closed_at,
                cases=len(mine),
                scales=[count_scale(content, mine, metric) for metric in text.document.metrics],
                score_differences=find_score_differences(content, mine, text.document),
                question_differences=find_question_differences(content, mine, text.document),
                language=text.language,
            )
        )
    return mirrors


@dataclass(frozen=True)
class ReviewContent:
    """Scores and answers of all reviewers on this person's cases, by case, key and reviewer.

    `reviews` are this person's own.
    """

    user: int
    reviews: list[Review]
    scores: dict[int, dict[str, dict[int, int]]]
    answers: dict[int, dict[str, dict[int, str]]]
    agreed: dict[int, dict[str, int]]


def load_content(user: User, releases: Sequence[Release]) -> ReviewContent:
    own = Review.objects.filter(counted_in(releases)).by(user).select_related("case")
    reviews = list(own.defer("case__data", "draft", "comment").order_by("case__code"))
    cases = [review.case for review in reviews]
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
    return ReviewContent(user.pk, reviews, scores, answers, load_agreed(releases, cases))


def load_agreed(releases: Sequence[Release], cases: Sequence[Case]) -> dict[int, dict[str, int]]:
    """Load the adjudicated scores that are based on the reviews that were finally counted."""
    bases = load_bases(releases)
    keys = {case.pk: (case.release_id, case.case_key) for case in cases}
    return {
        adjudication.case_id: adjudication.agreed
        for adjudication in Adjudication.objects.filter(case__in=cases)
        if tuple((name, version) for name, version in adjudication.basis)
        == bases.get(keys[adjudication.case_id])
    }


def count_scale(content: ReviewContent, reviews: Sequence[Review], metric: Metric) -> ScaleUse:
    given = [content.scores[review.case_id][metric.key] for review in reviews]
    own = Counter(scores[content.user] for scores in given)
    team = Counter(value for scores in given for value in scores.values())
    levels = [
        LevelUse(
            level,
            own[level.value],
            team[level.value],
            to_percent(own[level.value], own.total()),
            to_percent(team[level.value], team.total()),
        )
        for level in metric.levels
    ]
    return ScaleUse(metric, levels, own.total(), team.total())


def to_percent(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0


def find_score_differences(
    content: ReviewContent, reviews: Sequence[Review], document: Document
) -> list[ScoreDifference]:
    """Find scores a point or more from the agreed one, furthest first."""
    differences = []
    for review in reviews:
        for metric in document.metrics:
            scores = content.scores[review.case_id][metric.key]
            adjudicated = content.agreed.get(review.case_id, {}).get(metric.key)
            mean = Fraction(sum(scores.values()), len(scores))
            agreed = mean if adjudicated is None else Fraction(adjudicated)
            own = scores[content.user]
            if abs(own - agreed) >= FAR:
                differences.append(
                    ScoreDifference(
                        review=review,
                        metric=metric,
                        own=metric.level(own),
                        agreed=float(agreed),
                        is_adjudicated=adjudicated is not None,
                        levels=[
                            metric.level(value)
                            for value in dict.fromkeys((floor(agreed), ceil(agreed)))
                        ],
                    )
                )
    return sorted(
        differences, key=lambda difference: -abs(difference.own.value - difference.agreed)
    )


def find_question_differences(
    content: ReviewContent, reviews: Sequence[Review], document: Document
) -> list[QuestionDifference]:
    """Find questions most other reviewers of a case answered differently, most frequent first."""
    differences = []
    for question in document.questions:
        differing = []
        for review in reviews:
            answers = dict(content.answers[review.case_id][question.key])
            own = answers.pop(content.user)
            others = find_majority(list(answers.values()))
            if others is not None and others != own:
                differing.append(
                    AnswerDifference(review, str(Answer(own).label), str(Answer(others).label))
                )
        if differing:
            differences.append(QuestionDifference(question, differing))
    return sorted(differences, key=lambda difference: -len(difference.cases))


def find_majority(answers: Sequence[str]) -> str | None:
    """Return the answer of more than half of them, or None."""
    for answer, count in Counter(answers).most_common(1):
        if 2 * count > len(answers):
            return answer
    return None
