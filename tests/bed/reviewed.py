"""A release on its way through the review: five cases that fill the five kinds of the shipped
rubric, three that fill none, and reviews of them."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import Model

from cases.models import Release, Rubric, RubricTranslation
from cases.releases import workflow as releases_workflow
from reviews.adjudication import workflow as adjudication_workflow
from reviews.adjudication.visibility import open_scores
from reviews.assignments import workflow as assignments_workflow
from reviews.desk import judgement as said
from reviews.desk import submission as desk_submission
from reviews.desk.judgement import Judgement
from reviews.models import Adjudication, ChecklistAnswer, Draw, Flag, Question, Review, Score
from reviews.questions import workflow as questions_workflow
from reviews.releases import lifecycle as releases_lifecycle
from reviews.sample import workflow as sample_workflow
from tests.bed import replay
from tests.bed.cases import NOW, import_lines, lines, make_case, make_release, rows_digest

# Case key -> the tags that it declares. Each of the first five fills one kind, and only that one.
FILLING: dict[str, tuple[str, ...]] = {
    "feast": ("beijing", "spring-festival"),
    "thrift": ("low-budget",),
    "kids": ("family",),
    "ramp": ("mobility-limited",),
    "rush": ("tight-schedule",),
}
SPARE: dict[str, tuple[str, ...]] = {"spare-1": (), "spare-2": (), "spare-3": ()}

# Case key -> the kind that it fills.
KIND_OF: dict[str, str] = {
    "feast": "beijing-spring-festival-peak-case",
    "thrift": "low-budget-feasibility-warning-case",
    "kids": "family-parent-child-case",
    "ramp": "mobility-limited-case",
    "rush": "tight-schedule-must-visit-case",
}
# Case key -> the words of that kind.
TEXT_OF: dict[str, str] = {
    "feast": "Beijing Spring Festival peak case",
    "thrift": "Low-budget feasibility warning case",
    "kids": "Family/parent-child case",
    "ramp": "Mobility-limited case",
    "rush": "Tight schedule must-visit case",
}
METRICS = ("usability-value", "personalization")
ITEMS = tuple(f"{metric}.{number}" for metric in METRICS for number in range(1, 5))


# --- Releases -------------------------------------------------------------------------------------


def filled(name: str = "wanderer-1", *, k: int = 2, **options: Any) -> Release:
    """A draft with the cases of FILLING and SPARE. See `fill`."""
    return kept("filled", fill, name, k=k, **options)


def drawn(name: str = "wanderer-1", *, size: int | None = None, **options: Any) -> Release:
    """As `filled`, with its sample drawn: the five that fill a kind, unless `size` says more."""

    def make(name: str, **options: Any) -> Release:
        release = filled(name, **options)
        draw(release, size=size)
        return release

    return kept(f"drawn {size}", make, name, **options)


def started(name: str = "wanderer-1", *, size: int | None = None, **options: Any) -> Release:
    """As `drawn`, and the review has begun."""

    def make(name: str, **options: Any) -> Release:
        return releases_lifecycle.start(
            release=drawn(name, size=size, **options), user=None, now=NOW
        )

    return kept(f"started {size}", make, name, **options)


def by_first_rules(release: Release) -> Release:
    """The release as if it had been started before there were planned looks."""
    newer = {"looks", "regression", "rules", "prior"}
    old = {name: value for name, value in release.policy.items() if name not in newer}
    Release.objects.filter(pk=release.pk).update(policy=old)
    return current(release)


def at_last_look(release: Release) -> Release:
    """The release as if its plan had no look after the first."""
    plan = {**release.policy, "looks": release.policy["looks"][:1]}
    Release.objects.filter(pk=release.pk).update(policy=plan)
    return current(release)


def kept(what: str, make: Callable[..., Release], name: str, **options: Any) -> Release:
    """Made as it is in use, once; then only its rows are laid down again."""
    pk = replay.once((what, name, repr(options)), lambda: make(name, **options).pk)
    return Release.objects.select_related("rubric").get(pk=pk)


def fill(
    name: str,
    *,
    k: int,
    rubric: Rubric | None = None,
    more: Mapping[str, Iterable[str]] | None = None,
    without: Iterable[str] = (),
) -> Release:
    """`more` are further cases, each with its tags."""
    release = make_release(name, rubric=rubric)
    if k != release.reviews_per_case:
        release = releases_workflow.change(release=release, reviews_per_case=k, user=None, now=NOW)
    tags: dict[str, Iterable[str]] = {**FILLING, **SPARE, **(more or {})}
    left_out = set(without)
    bring(release, *(row(key, *own) for key, own in tags.items() if key not in left_out))
    return release


def row(key: str, *tags: str, **changes: Any) -> dict[str, Any]:
    """A case that nobody of the team made, with these tags of ours."""
    return make_case(key, **({"tags": list(tags), "produced_by": []} | changes))


def bring(release: Release, *rows: dict[str, Any]) -> None:
    import_lines(release, lines(*rows))


def draw(release: Release, *, size: int | None = None) -> Draw:
    return sample_workflow.draw(release=release, size=size, user=None, now=NOW)


def current(release: Release) -> Release:
    """The release as it stands in the database now."""
    return Release.objects.select_related("rubric").get(pk=release.pk)


def make_due(release: Release, day: date | None) -> Release:
    """The release with this due date, which a page refuses when the day is over."""
    Release.objects.filter(pk=release.pk).update(due_date=day)
    return current(release)


def everything(*but: type[Model]) -> str:
    """A digest over every row of both apps, that tells whether anything was written.

    Published rubrics are large, and the database itself refuses to change them.
    """
    return rows_digest(
        model
        for app in ("cases", "reviews")
        for model in apps.get_app_config(app).get_models()
        if model not in (Rubric, RubricTranslation, *but)
    )


def sampled(release: Release) -> list[str]:
    """The keys of the cases that stand in the sample, in order of the alphabet."""
    standing = release.sample.standing().order_by("case__case_key")
    return list(standing.values_list("case__case_key", flat=True))


# --- Reviews --------------------------------------------------------------------------------------


def judgement(
    value: int = 4, *, answer: str = "yes", comment: str = "", **by_metric: int
) -> Judgement:
    """Complete for the shipped rubric. `usability_value=1` is a score of that metric alone."""
    values = dict.fromkeys(METRICS, value)
    values |= {name.replace("_", "-"): own for name, own in by_metric.items()}
    return said.from_data(
        {
            "scores": {
                metric: {"value": own, "rationale": "The trams are named, the rest is not."}
                for metric, own in values.items()
            },
            "answers": {item: {"answer": answer} for item in ITEMS},
            "comment": comment,
        }
    )


def assign(release: Release, case_key: str, user: User, *, now: datetime = NOW) -> Review:
    return assignments_workflow.assign(
        release=release, case_key=case_key, reviewer=user, user=None, now=now
    )


def submit(
    review: Review,
    what: Judgement | None = None,
    *,
    key: str = "",
    version: int | None = None,
    reason: str = "",
    now: datetime = NOW,
) -> desk_submission.Submitted:
    """By its owner, from the version that stands; a key of its own for each version."""
    review.refresh_from_db()
    version = review.version if version is None else version
    return desk_submission.submit(
        review=review.pk,
        user=review.reviewer,
        key=key or f"key-{version}",
        version=version,
        said=what or judgement(),
        coherence=dict.fromkeys(METRICS, "both hold"),
        reason=reason,
        now=now,
    )


def review(
    release: Release,
    case_key: str,
    user: User,
    value: int = 4,
    *,
    now: datetime = NOW,
    **by_metric: int,
) -> Review:
    """Assigned and submitted; said again, it is a revision."""
    own = assign(release, case_key, user, now=now)
    options: dict[str, Any] = {**by_metric}
    submit(own, judgement(value, **options), now=now)
    own.refresh_from_db()
    return own


def review_all(release: Release, *users: User, value: int = 4, but: Iterable[str] = ()) -> None:
    """Each of these people reviews each case of the sample."""
    left_out = set(but)
    for case_key in sampled(release):
        if case_key not in left_out:
            for user in users:
                review(release, case_key, user, value)


def put_reviews(release: Release, *users: User, value: int = 4, but: Iterable[str] = ()) -> None:
    """What `review_all` leaves in the tables, in a few queries and without events."""
    what = judgement(value)
    keys = set(sampled(release)) - set(but)
    put_judgements(release, {key: dict.fromkeys(users, what) for key in sorted(keys)})


def put_judgements(release: Release, given: Mapping[str, Mapping[User, Judgement]]) -> None:
    """Case -> who -> what was said, in a few queries and without events."""
    cases = {case.case_key: case for case in release.cases.only("case_key")}
    reviews = Review.objects.bulk_create(
        Review(
            case=cases[case_key],
            reviewer=user,
            release=release,
            status="submitted",
            version=1,
            draft=said.to_data(what),
            comment=what.comment,
            assigned_at=NOW,
            saved_at=NOW,
            submitted_at=NOW,
        )
        for case_key, judgements in given.items()
        for user, what in judgements.items()
    )
    Score.objects.bulk_create(
        Score(review=own, release=release, metric=metric, **one)
        for own in reviews
        for metric, one in own.draft["scores"].items()
    )
    ChecklistAnswer.objects.bulk_create(
        ChecklistAnswer(review=own, release=release, item=item, **one)
        for own in reviews
        for item, one in own.draft["answers"].items()
    )


# The two scores of each of five cases.
GOOD = [(4, 4), (5, 4), (4, 5), (5, 5), (4, 4)]
BAD = [(2, 2), (1, 2), (2, 2), (1, 1), (2, 1)]


def judged(
    one: User,
    other: User,
    *scores: tuple[int, int],
    name: str = "wanderer-1",
    close: bool = True,
    events: bool = False,
) -> Release:
    """Five cases with two reviews each; what is left to settle is waived. `events`: as in use."""
    release = started(name, k=2)
    given = dict(zip(sampled(release), scores, strict=True))
    if events:
        for key, (first, second) in given.items():
            review(release, key, one, first)
            review(release, key, other, second)
    else:
        both = {
            key: {one: judgement(first), other: judgement(second)}
            for key, (first, second) in given.items()
        }
        put_judgements(release, both)
    if close:
        release = current(release)
        waived = [one.rule for one in releases_lifecycle.find_missing_for_close(release)]
        releases_lifecycle.close(
            release=release, waived=waived, reason="Small.", user=None, now=NOW
        )
    return current(release)


# --- What is settled and asked --------------------------------------------------------------------


def look(release: Release, user: User, *, now: datetime = NOW) -> None:
    """The first look at what others say, which is an event."""
    open_scores(release=release, user=user, now=now)


def settle(
    release: Release, case_key: str, user: User, *, note: str = "Read again.", **agreed: int
) -> Adjudication:
    """`usability_value=3` is what is agreed on that metric."""
    return adjudication_workflow.adjudicate(
        release=release,
        case_key=case_key,
        agreed={name.replace("_", "-"): value for name, value in agreed.items()},
        cause="taste",
        note=note,
        user=user,
        now=NOW,
    )


def flag(release: Release, case_key: str, user: User, kind: str = "broken") -> Flag:
    """Raised by a review of the case, which is submitted with it."""
    own = assign(release, case_key, user)
    flagged = said.to_data(judgement()) | {"flags": [kind]}
    submit(own, said.from_data(flagged))
    return own.flags.get(kind=kind)


def ask(
    release: Release,
    case_key: str,
    user: User,
    *,
    subject: str = ITEMS[1],
    text: str = "Does a picnic count as lunch?",
    now: datetime = NOW,
) -> Question:
    own = assign(release, case_key, user, now=now)
    return questions_workflow.ask(review=own.pk, user=user, subject=subject, text=text, now=now)
