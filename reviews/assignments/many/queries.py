"""Plan one act on many cases of a release: what it would do, and why some are left out."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from cases.models import Case, Release
from reviews.assignments.candidates import Candidate, describe_reasons, load_candidates_by_case
from reviews.assignments.plan import Why
from reviews.assignments.reasons import WORDS
from reviews.models import Review


class Act(TextChoices):
    GIVE = "give", gettext_lazy("Assign the cases")
    MOVE = "move", gettext_lazy("Move open reviews")
    TAKE_BACK = "take-back", gettext_lazy("Take open reviews back")


@dataclass(frozen=True)
class Row:
    """A case, or an open review of it. `why_not` is empty if the act would be done; `advice` are
    reservations. Both are about the `person`; without one `why_not` is about the case."""

    case: Case
    review: Review | None
    why_not: str = ""
    advice: str = ""
    person: str = ""

    @property
    def key(self) -> str:
        """Return what the act takes: the key of the review, or the code of the case."""
        return str(self.review.pk) if self.review else self.case.code


@dataclass(frozen=True)
class ManyPlan:
    """What would be done and what is left out. `room` is how many more the taker has room for."""

    going: list[Row]
    left_out: list[Row]
    room: int | None = None


def plan_many(
    release: Release,
    act: Act,
    codes: Collection[str],
    *,
    giver: str,
    taker: str,
    now: datetime,
) -> ManyPlan:
    """Plan an act on the cases with these codes. Without a taker nothing is left out for them.

    `giver` is whose reviews are meant; empty: anyone's.
    """
    rows = list(list_rows(release, act, codes, giver))
    keys = [row.case.case_key for row in rows]
    candidates: dict[str, Candidate] = {}
    if taker:
        found = load_candidates_by_case(release, keys, now=now)
        candidates = {
            key: candidate
            for key, people in found.items()
            for candidate in people
            if candidate.person.username == taker
        }
    checked = list(check_rows(release, rows, candidates))
    person = next((candidate.person for candidate in candidates.values()), None)
    return ManyPlan(
        [row for row in checked if not row.why_not],
        [row for row in checked if row.why_not],
        person.room if person and person.capacity is not None else None,
    )


def list_rows(release: Release, act: Act, codes: Collection[str], giver: str) -> Iterator[Row]:
    """List the sampled cases, or their open reviews; a case without one is left out."""
    named = [code for code in codes if code.isalnum()]
    sampled = release.sample.standing().filter(case__code__in=named).select_related("case")
    cases = [row.case for row in sampled.defer("case__data").order_by("case__case_key")]
    if act == Act.GIVE:
        yield from (Row(case, None) for case in cases)
        return
    reviews = Review.objects.of(release).open().filter(case__in=cases).select_related("reviewer")
    if giver:
        reviews = reviews.filter(reviewer__username=giver)
    by_case: dict[int, list[Review]] = {}
    for review in reviews.defer("draft").order_by("reviewer__username"):
        by_case.setdefault(review.case_id, []).append(review)
    for case in cases:
        yield from (Row(case, review) for review in by_case.get(case.pk, []))
        if case.pk not in by_case:
            yield Row(case, None, _("has no open review to choose"))


def check_rows(
    release: Release, rows: list[Row], candidates: dict[str, Candidate]
) -> Iterator[Row]:
    """Add why a case is left out, and reservations. Nobody takes a case twice."""
    taken = set[str]()
    for row in rows:
        candidate = candidates.get(row.case.case_key)
        if row.why_not or candidate is None:
            yield row
            continue
        reasons = describe_reasons(release, candidate) if candidate.reasons else ""
        if row.case.case_key in taken:
            reasons = str(WORDS[Why.ON_THE_CASE])
        is_out = candidate.is_barred or row.case.case_key in taken
        taken.add(row.case.case_key)
        why_not, advice = (reasons, "") if is_out else ("", reasons)
        yield Row(row.case, row.review, why_not, advice, candidate.person.username)
