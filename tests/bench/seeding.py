"""Rows for the bench: the same seed gives the same rows."""

import random
import tempfile
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, User
from django.db import transaction

from cases.models import Release
from cases.rubrics.workflow import publish_shipped
from evalsite.permissions import GROUP_OF, Role
from reviews.models import Absence, Reviewer
from tests.bench import itineraries
from tests.bench.import_ours import import_file, open_release
from tests.bench.paired import add_paired
from tests.bench.reviewed import add_reviewed, add_waiting, look_at_the_rows

PREFIX = "bench_"
ADMIN, MANAGER = "bench-admin", "bench-manager"
FIRST_NAMES = ["Rita", "Omar", "伟", "Ada", "Mina", "José", "Noor", "明", "Lena", "Tomás"]
# Rows do not know when they were made; days away lie where they are never over.
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
FAR_AHEAD = date(2090, 1, 1)


class NotForBench(Exception):
    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return (
            f"The database is called “{self.name}”. The bench fills only databases whose name "
            f"begins with “{PREFIX}”, so that it never mixes its rows with real ones."
        )


def check_name(name: str) -> None:
    """Raises NotForBench. The name of a SQLite database is that of its file."""
    name = Path(name).name
    if not name.startswith(PREFIX):
        raise NotForBench(name)


def reviewer_name(number: int) -> str:
    return f"bench-reviewer-{number:05}"


def release_name(cases: int, number: int = 1) -> str:
    return f"bench-{cases}-{number}"


@transaction.atomic
def fill(
    *,
    reviewers: int,
    seed: int,
    password: str,
    cases: int = 0,
    releases: int = 0,
    reviews: int = 0,
    waiting: int = 0,
    pairings: int = 0,
) -> None:
    """The rubric, an admin, a manager, and as many reviewers; those who are there stay.

    Without reviews: a release of so many cases, and as many releases without any. With so many
    reviews for each case: the cases lie in the releases. `waiting` reviews are not begun, and
    `pairings` are read. Nobody can sign in if the password is empty.
    """
    publish_shipped(now=LONG_AGO)
    hashed = make_password(password, salt=f"bench-salt-{seed}") if password else "!"
    add_people([ADMIN], Role.ADMIN, seed=seed, hashed=hashed)
    add_people([MANAGER], Role.MANAGER, seed=seed, hashed=hashed)
    names = [reviewer_name(number) for number in range(1, reviewers + 1)]
    add_people(names, Role.REVIEWER, seed=seed, hashed=hashed)
    people = list(User.objects.filter(username__in=names).order_by("username"))
    if reviews:
        add_reviewed(
            cases=cases,
            releases=max(1, releases),
            reviews=reviews,
            reviewers=people,
            manager=User.objects.get(username=MANAGER),
            seed=seed,
        )
    else:
        add_releases(releases)
        if cases:
            add_cases(cases, seed=seed)
    if waiting:
        # Not the first: what that one has to do is the same everywhere. And few, who all sign in.
        add_waiting(waiting, reviewers=people[1:5], seed=seed)
    if pairings:
        manager = User.objects.get(username=MANAGER)
        add_paired(pairings, reviewers=people[1:6], manager=manager, seed=seed)
    look_at_the_rows()


def add_people(usernames: Iterable[str], role: Role, *, seed: int, hashed: str) -> None:
    known = set(User.objects.values_list("username", flat=True))
    group = Group.objects.get(name=GROUP_OF[role])
    users, reviewers, absences = [], [], []
    for username in usernames:
        if username in known:
            continue
        # By person, so that a database that grows has the rows of one that was made this large.
        chance = random.Random(f"{seed}-{username}")
        user = User(
            username=username,
            first_name=chance.choice(FIRST_NAMES),
            email=f"{username}@example.org",
            password=hashed,
            date_joined=LONG_AGO,
            last_login=LONG_AGO if chance.random() < 0.8 else None,
        )
        codes = [code for code, _name in settings.CASE_LANGUAGES]
        reviewer = Reviewer(
            user=user,
            capacity=chance.randrange(5, 40),
            languages=sorted(chance.sample(codes, k=chance.randint(1, 3))),
            interface_language="en",
        )
        users.append(user)
        reviewers.append(reviewer)
        if chance.random() < 0.3:
            first = FAR_AHEAD + timedelta(days=chance.randrange(300))
            last = first + timedelta(days=chance.randrange(14))
            absences.append(Absence(reviewer=reviewer, first_date=first, last_date=last))
    User.objects.bulk_create(users)
    User.groups.through.objects.bulk_create(
        User.groups.through(user=user, group=group) for user in users
    )
    Reviewer.objects.bulk_create(reviewers)
    Absence.objects.bulk_create(absences)


def add_releases(count: int) -> None:
    """Each has the one before as its baseline."""
    known = {release.name: release for release in Release.objects.all()}
    before: Release | None = None
    for number in range(1, count + 1):
        name = release_name(0, number)
        before = known.get(name) or open_release(name, baseline=before)


def add_cases(count: int, *, seed: int) -> None:
    """Comes in as cases do, by an import."""
    name = release_name(count)
    if Release.objects.filter(name=name).exists():
        return
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / f"{name}.jsonl"
        itineraries.write(file, itineraries.itineraries(count=count, seed=seed))
        import_file(file, open_release(name))
