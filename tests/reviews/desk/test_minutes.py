"""How long reviews take: counted for their owner, and of others no more than a median."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from cases.models import Release
from evalsite.permissions import READ, Role, find_rights
from reviews.desk import submission as desk_submission
from reviews.desk import workflow as desk_workflow
from reviews.desk.minutes import (
    LEAST_REVIEWS,
    count_active,
    estimate_minutes,
    find_pace,
    is_told,
    round_minutes,
)
from reviews.models import Review
from reviews.models.reviews import MOST_SECONDS
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.bed.routes import all_routes
from tests.reviews.desk.desk import body, client_of, one_for, send
from tests.security.test_two_worlds import seen

LATER = NOW + timedelta(hours=1)
SECONDS = st.integers(0, 100_000)


# --- Counting -------------------------------------------------------------------------------------


@given(SECONDS, SECONDS, st.integers(-100, 100_000))
def test_seconds_never_decrease_and_grow_no_further_than_time_passed(
    stored: int, sent: int, possible: int
) -> None:
    found = count_active(stored, sent, possible=possible)
    assert found >= stored
    assert found in (stored, sent, possible)
    assert found <= max(stored, possible)


def saved(review: Review, seconds: int, *, after: timedelta = timedelta(hours=1)) -> int:
    review.refresh_from_db()
    desk_workflow.save_draft(
        review=review.pk,
        user=review.reviewer,
        version=review.version,
        said=bed.judgement(),
        active_seconds=seconds,
        now=NOW + after,
    )
    return stored(review)


def stored(review: Review) -> int:
    review.refresh_from_db()
    return review.active_seconds


def test_drafts_and_submit_bring_the_seconds_and_less_is_an_older_page(rita: User) -> None:
    mine = one_for(rita)
    assert stored(mine) == 0
    assert [saved(mine, seconds) for seconds in (90, 60, 0, 91)] == [90, 90, 90, 91]
    desk_submission.submit(
        review=mine.pk,
        user=rita,
        key="a-key",
        version=mine.version,
        said=bed.judgement(),
        active_seconds=100,
        now=LATER,
    )
    assert stored(mine) == 100


def test_more_than_has_passed_is_cut_and_so_is_more_than_a_working_day(rita: User) -> None:
    mine = one_for(rita)
    assert saved(mine, 61, after=timedelta(seconds=60)) == 60
    assert saved(mine, 60, after=timedelta(seconds=-5)) == 60
    assert saved(mine, MOST_SECONDS, after=timedelta(days=9)) == MOST_SECONDS
    assert saved(mine, MOST_SECONDS + 1, after=timedelta(days=9)) == MOST_SECONDS
    with pytest.raises(IntegrityError), transaction.atomic():
        Review.objects.filter(pk=mine.pk).update(active_seconds=MOST_SECONDS + 1)
    with pytest.raises(IntegrityError), transaction.atomic():
        Review.objects.filter(pk=mine.pk).update(active_seconds=-1)


def test_a_submit_that_is_sent_again_later_is_the_same_submit(rita: User) -> None:
    mine = one_for(rita)
    client = client_of(rita)
    address = f"/api/v1/reviews/{mine.pk}/submit/"
    sent = body(coherence=dict.fromkeys(bed.METRICS, "both hold"))
    with time_machine.travel(LATER, tick=False):
        answers = [
            send(client, address, sent | {"active_seconds": seconds}, key="a-key")
            for seconds in (100, 130)
        ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert stored(mine) == 100


@pytest.mark.parametrize("odd", [-1, 1.5, "60", 2**31, None])
def test_what_is_no_number_of_seconds_is_refused(rita: User, odd: object) -> None:
    mine = one_for(rita)
    address = f"/api/v1/reviews/{mine.pk}/draft/"
    answer = send(client_of(rita), address, {"version": 0, "active_seconds": odd})
    assert answer.status_code == 400
    assert [problem["path"] for problem in answer.json()["errors"]] == ["active_seconds"]


def test_the_desk_goes_on_from_what_is_stored(rita: User) -> None:
    mine = one_for(rita)
    saved(mine, 90)
    page = client_of(rita).get(f"/reviews/{mine.pk}/").content.decode()
    assert 'data-seconds="90"' in page


# --- What its owner is told -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ([], None),
        ([60] * (LEAST_REVIEWS - 1), None),
        ([60] * (LEAST_REVIEWS - 1) + [0], None),
        ([60] * LEAST_REVIEWS, 60),
        ([0, 10, 20, 30, 40, 50], 30),
        ([10, 20, 30, 40, 50, 9_000], 35),
    ],
)
def test_a_pace_needs_five_reviews_that_were_measured(
    seconds: list[int], expected: float | None
) -> None:
    assert find_pace(seconds) == expected


@pytest.mark.parametrize(
    ("minutes", "expected"),
    [
        *((0, 0), (0.4, 0), (0.6, 1), (9.4, 9), (9.6, 10), (12.4, 10), (12.6, 15)),
        *((57.4, 55), (57.6, 60), (64, 60), (66, 70)),
    ],
)
def test_about_so_many_minutes(minutes: float, expected: int) -> None:
    assert round_minutes(minutes) == expected


def test_what_is_left_counts_begun_ones_only_as_far_as_they_are_not_done() -> None:
    assert estimate_minutes(600, [], 1) == 10
    assert estimate_minutes(600, [300], 1) == 15
    assert estimate_minutes(600, [9_000], 1) == 10
    # At least a minute: something is still to do.
    assert estimate_minutes(600, [9_000], 0) == 1
    assert estimate_minutes(10, [], 1) == 1


def test_the_owners_pages_say_what_is_left_from_the_fifth_review_on(rita: User, omar: User) -> None:
    release = bed.started()
    done = []
    for key in ("feast", "kids", "ramp", "rush"):
        done.append(bed.review(release, key, rita))
        bed.review(release, key, omar)
    bed.assign(release, "thrift", rita)
    bed.assign(release, "thrift", omar)
    Review.objects.submitted().update(active_seconds=1_200)
    rows = {user: client_of(user) for user in (rita, omar)}
    assert pages_with_minutes(rows[rita]) == []
    other = bed.review(bed.started("other"), "feast", rita)
    assert pages_with_minutes(rows[rita]) == []
    Review.objects.filter(pk=other.pk).update(active_seconds=1_200)
    assert pages_with_minutes(rows[rita]) == ["/", "/reviews/"]
    assert "about 20 min left" in rows[rita].get("/").content.decode()
    assert pages_with_minutes(rows[omar]) == []
    bed.submit(Review.objects.by(rita).open().get())
    assert pages_with_minutes(rows[rita]) == []


def pages_with_minutes(client: Client) -> list[str]:
    return [
        path for path in ("/", "/reviews/") if " left</span>" in client.get(path).content.decode()
    ]


# --- What others are told -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reviews", "people", "expected"),
    [(4, 2, False), (5, 1, False), (5, 2, True), (0, 0, False)],
)
def test_a_median_needs_five_reviews_by_two_people(
    reviews: int, people: int, expected: bool
) -> None:
    assert is_told(reviews, people) == expected


def measure(release: Release, by_person: dict[User, list[int]]) -> None:
    """Submitted reviews that took so many seconds."""
    for user, counts in by_person.items():
        for key, seconds in zip(bed.FILLING, counts, strict=False):
            own = bed.review(release, key, user)
            Review.objects.filter(pk=own.pk).update(active_seconds=seconds)


def told_to(user: User, release: Release) -> str:
    page = client_of(user).get(f"/releases/{release.name}/").content.decode()
    _, found, rest = page.partition("a review takes about ")
    return rest.partition("<")[0] if found else ""


@pytest.mark.parametrize(
    ("ritas", "omars", "expected"),
    [
        ([300, 600, 900, 1200], [600], "10 min"),
        ([300, 600, 900], [1200], ""),
        ([300, 600, 900, 1200, 1500], [], ""),
        ([300, 600, 900, 1200], [0], ""),
        ([600, 600, 600, 720, 720], [720], "11 min"),
        ([5, 5, 5, 5], [5], "1 min"),
    ],
    ids=["5 by 2", "4 by 2", "5 by 1", "4 measured", "even", "seconds"],
)
def test_admins_read_the_median_of_at_least_five_reviews_by_two_people(
    rita: User,
    omar: User,
    ada: User,
    mina: User,
    ritas: list[int],
    omars: list[int],
    expected: str,
) -> None:
    release = bed.started()
    measure(release, {rita: ritas, omar: omars})
    measure(bed.started("other"), {rita: [60] * 5, omar: [60] * 5})
    assert told_to(ada, release) == expected
    assert told_to(mina, release) == ""


ARGUMENTS = {"<int:number>": "1", "<str:username>": "omar"}


def list_pages(review: Review, roles: set[Role]) -> list[str]:
    """Every address that these roles may read, of this review where possible."""
    values = {
        **ARGUMENTS,
        **dict.fromkeys(("<int:pk>", "<path:object_id>"), str(review.pk)),
        **dict.fromkeys(("<code:code>", "<code:earlier>"), review.case.code),
        "<release:name>": review.release.name,
    }
    calls = f"/api/v1/reviews/?release={review.release.name}&case_key={review.case.case_key}"
    return [
        calls,
        *(
            route.path
            for route in all_routes(values)
            if (find_rights(route.name) or {}).get(READ, frozenset()) & roles
            and not route.name.startswith(("account_log", "mfa_", "openid", "socialaccount"))
        ),
    ]


@contextmanager
def world(release: Release, seconds: int, *, is_closed: bool) -> Iterator[None]:
    """Enter a world in which each submitted review took so long, and roll it back afterwards."""
    with transaction.atomic():
        Review.objects.submitted().update(active_seconds=seconds)
        if is_closed:
            releases_lifecycle.close(release=bed.current(release), user=None, now=NOW)
        yield
        transaction.set_rollback(True)


@pytest.mark.parametrize("is_closed", [False, True])
@pytest.mark.parametrize("who", ["rita", "ada", "mina"])
def test_nobody_learns_how_long_a_person_took(
    rita: User, omar: User, ada: User, mina: User, who: str, is_closed: bool
) -> None:
    """Every page, call and file is the same whether omar took a minute each or an hour."""
    release = bed.started(k=1)
    for key in bed.FILLING:
        bed.review(release, key, omar)
    if not is_closed:
        bed.assign(release, "feast", rita)
    review = Review.objects.select_related("case", "release").by(omar)[0]
    readers = {
        "rita": (rita, {Role.REVIEWER}),
        "ada": (ada, {Role.ADMIN}),
        "mina": (mina, {Role.MANAGER}),
    }
    user, roles = readers[who]
    pages = list_pages(review, roles)
    found = []
    with time_machine.travel(LATER, tick=False):
        client = client_of(user)
        for seconds in (60, 3_600):
            with world(release, seconds, is_closed=is_closed):
                found.append(seen(client, pages))
    answered = [page for page in pages if found[0][page].startswith(b"200 ")]
    assert len(answered) >= 10
    assert [page for page in pages if found[0][page] != found[1][page]] == []
    assert not [
        page for page in pages if b"active_seconds" in found[0][page] and "schema" not in page
    ]
