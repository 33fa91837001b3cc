"""Read pairings: what is missing in a release, and one reader's own."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.contrib.auth.models import User
from django.db.models import Count, F, Q
from django.utils import timezone

from cases.models import Release
from cases.releases import policy
from evalsite.statements import Statement
from reviews.assignments.inputs import active_reviewers
from reviews.models import Pairing, Waiver
from reviews.models.pairings import Newer, PairingQuerySet
from reviews.models.reviews import OPEN, ReviewStatus
from reviews.pairings.pairs import (
    Pairs,
    WhyNot,
    find_obstacles_of_baseline,
    load_pairs,
    load_pairs_in,
)


def load_missing_pairings(release: Release) -> dict[str, int]:
    """Count by case key the readings that each pair still lacks, planned or not."""
    keys = load_pairs(release).keys if release.baseline_id else []
    submitted = Count("pk", filter=Q(status=ReviewStatus.SUBMITTED))
    rows = Pairing.objects.of(release).order_by().values_list("case__case_key")
    read = dict(rows.annotate(read=submitted))
    return find_lacking(release, sorted(keys), read, {})


def find_lacking(
    release: Release, keys: Iterable[str], read: Mapping[str, int], waived: Mapping[str, int]
) -> dict[str, int]:
    """Return by case key how many readings are missing, without waived ones."""
    wanted = release.reviews_per_case
    lacking = {key: wanted - read.get(key, 0) - waived.get(key, 0) for key in keys}
    return {key: count for key, count in lacking.items() if count > 0}


def load_unwaived_pairings(release: Release, waiver: Waiver | None) -> dict[str, int]:
    """Count missing readings beyond those that were waived."""
    waived: Mapping[str, int] = waiver.covers["pairings"] if waiver else {}
    missing = load_missing_pairings(release)
    return {
        key: count - waived.get(key, 0)
        for key, count in missing.items()
        if count > waived.get(key, 0)
    }


@dataclass(frozen=True)
class Readings:
    """Of a release whose policy decides by pairs: the readings it expects and still lacks.

    `unplanned` are those that no one has yet; `obstacle`: why the baseline allows no pairs.
    """

    expected: int
    missing: int
    unplanned: int
    obstacle: str


def decides_by_pairs(release: Release) -> bool:
    return policy.from_data(release.policy).regression_by == policy.BY_SIDE


def load_readings(releases: Iterable[Release]) -> dict[int, Readings]:
    """Load the readings of the releases whose policy decides by pairs, in four queries.

    Waived readings are not missing. Needs `baseline` selected.
    """
    deciding = [release for release in releases if decides_by_pairs(release)]
    if not deciding:
        return {}
    pairs = load_pairs_in(deciding)
    waivers = Waiver.objects.filter(release__in=deciding, rule="pairings")
    waived = {waiver.release_id: waiver.covers["pairings"] for waiver in waivers}
    rows = Pairing.objects.filter(release__in=deciding).not_over().order_by()
    counts = Counter(rows.values_list("release", "case__case_key", "status"))
    return {
        release.pk: count_readings(
            release, pairs[release.pk].keys, counts, waived.get(release.pk, {})
        )
        for release in deciding
    }


def count_readings(
    release: Release,
    keys: Sequence[str],
    counts: Mapping[tuple[int, str, str], int],
    waived: Mapping[str, int],
) -> Readings:
    def count(key: str, *statuses: str) -> int:
        return sum(counts.get((release.pk, key, status), 0) for status in statuses)

    read = {key: count(key, ReviewStatus.SUBMITTED) for key in keys}
    lacking = find_lacking(release, keys, read, waived)
    obstacles = find_obstacles_of_baseline(release) if lacking else []
    return Readings(
        expected=len(keys) * release.reviews_per_case,
        missing=sum(lacking.values()),
        unplanned=sum(max(0, wanted - count(key, *OPEN)) for key, wanted in lacking.items()),
        obstacle=" ".join(obstacle.sentence for obstacle in obstacles),
    )


def count_open_pairings(releases: Iterable[Release]) -> dict[int, dict[int, int]]:
    """Count by release and reader the open pairings, with one query."""
    found = defaultdict[int, dict[int, int]](dict)
    rows = Pairing.objects.filter(release__in=releases).open().standing().order_by()
    counted = rows.values_list("release", "reader").annotate(count=Count("pk"))
    for release, reader, count in counted:
        found[release][reader] = count
    return found


@dataclass(frozen=True)
class Reader:
    """Who reads a pair; `status` is shown, what they say is not.

    `is_late`: it is open and due; `is_gone`: it is open, and they can no longer review.
    """

    username: str
    status: str
    label: str
    said: "Said | None" = None
    is_late: bool = False
    is_gone: bool = False

    @property
    def is_open(self) -> bool:
        return self.status in OPEN


@dataclass(frozen=True)
class Said:
    """What a reader said, for those who may see it: steps from the old plan to the new one."""

    steps: list[tuple[str, int, str]]
    newer: str
    is_right: bool


@dataclass(frozen=True)
class PairLine:
    """A pair of a release with its readers, and how many readings it lacks."""

    case_key: str
    readers: list[Reader]
    missing: int


@dataclass(frozen=True)
class ReleasePairs:
    lines: list[PairLine]
    left_out: dict[str, WhyNot]

    @property
    def missing(self) -> int:
        return sum(line.missing for line in self.lines)

    @property
    def busy(self) -> list[str]:
        """List those who have readings to submit."""
        readers = [reader for line in self.lines for reader in line.readers]
        return sorted({reader.username for reader in readers if reader.is_open})

    @property
    def open(self) -> int:
        return sum(reader.status in OPEN for line in self.lines for reader in line.readers)


def load_release_pairs(release: Release, *, with_words: bool, today: date) -> ReleasePairs:
    """Load the pairs of a release, planned or not, with five queries.

    `with_words`: with what was said, which only those may see who may see scores.
    """
    pairs = load_pairs(release) if release.baseline_id else Pairs()
    readers = defaultdict[str, list[Reader]](list)
    can_review = set(active_reviewers().values_list("pk", flat=True))
    rows = Pairing.objects.of(release).not_withdrawn().select_related("reader", "case")
    if with_words:
        rows = rows.prefetch_related("answers")
    for row in rows.defer("case__data", "draft").order_by("reader__username"):
        label = str(row.get_status_display())
        said = read_words(row) if with_words and row.is_submitted else None
        is_open = row.status in OPEN
        readers[row.case.case_key].append(
            Reader(
                row.reader.username,
                row.status,
                label,
                said,
                is_late=is_open and release.is_late(today),
                is_gone=is_open and row.reader_id not in can_review,
            )
        )
    lines = [
        PairLine(key, readers[key], count_missing(release, readers[key])) for key in pairs.keys
    ]
    return ReleasePairs(lines, pairs.left_out)


def read_words(row: Pairing) -> Said:
    """Read what was said from rows at hand."""
    answers = sorted(row.answers.all(), key=lambda answer: answer.item)
    return Said(
        [
            (answer.item, -answer.step if row.is_new_left else answer.step, answer.why)
            for answer in answers
            if answer.step is not None
        ],
        row.newer,
        (row.newer == Newer.LEFT) == row.is_new_left,
    )


def count_missing(release: Release, readers: Iterable[Reader]) -> int:
    read = sum(reader.status == ReviewStatus.SUBMITTED for reader in readers)
    return max(0, release.reviews_per_case - read)


def find_own_pairing(user: User, pk: int) -> Pairing | None:
    """Return a pairing with what its page reads, or None if it is not this person's."""
    return select_whole(user).filter(pk=pk).first()


def find_next_pairing(user: User) -> Pairing | None:
    return select_whole(user).open().standing().in_turn().first()


@dataclass(frozen=True)
class OwnPairings:
    """The pairings of a reader in open releases, in the order of their numbers."""

    rows: list[Pairing]
    today: date

    @property
    def is_late(self) -> bool:
        return any(
            pairing.status in OPEN and pairing.release.is_late(self.today) for pairing in self.rows
        )

    @property
    def left(self) -> int:
        return sum(not pairing.is_submitted for pairing in self.rows)

    @property
    def due_date(self) -> date | None:
        """Return when the first pair that is not submitted is due."""
        waiting = (pairing for pairing in self.rows if not pairing.is_submitted)
        return next((pairing.release.due_date for pairing in waiting), None)

    def __bool__(self) -> bool:
        return bool(self.rows)


def load_own_pairings(user: User) -> OwnPairings:
    """Load one's pairings with one query."""
    return OwnPairings(_own_pairings.objects(user.pk), timezone.localdate())


def select_in_order(user: int) -> PairingQuerySet:
    """Select what a reader's pairs are numbered by: due date and the stable shuffle."""
    due = F("release__due_date").asc(nulls_last=True)
    rows = Pairing.objects.filter(reader=user).standing().not_over()
    return rows.order_by(due, "place", "pk")


# On the home of every reviewer.
_own_pairings = Statement[Pairing](
    lambda user: (
        select_in_order(user)
        .select_related("release")
        .only("status", "reader", "release__due_date", "release__status")
    )
)
_own_keys = Statement(lambda user: select_in_order(user).values_list("pk"))


@dataclass(frozen=True)
class Progress:
    """The place of a pair among those of its reader, and how many they are."""

    place: int
    total: int


def count_progress(user: User, pairing: Pairing) -> Progress:
    """Number a pair with one query; one that is over or closed among those of its release."""
    keys = [pk for (pk,) in _own_keys.rows(user.pk)]
    if pairing.pk not in keys:
        own = Pairing.objects.by(user).filter(release=pairing.release_id).order_by("place", "pk")
        keys = list(own.values_list("pk", flat=True))
    return Progress(keys.index(pairing.pk) + 1, len(keys))


def select_whole(user: User) -> PairingQuerySet:
    return Pairing.objects.by(user).select_related("case__sampled", "old_case", "release__rubric")
