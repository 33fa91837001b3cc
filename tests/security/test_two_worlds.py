"""Two sites with the same data, except that the other reviewers score all low or all high.

Whoever still has to judge on their own must get the same bytes in both, on every route they can
reach; after the closing they must not, or this test could not see.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse

from cases.models import Release, RuleHit
from evalsite.permissions import CHANGE, READ, REPLACE, WRITE, Role, find_rights, is_for_scripts
from reviews.models import LastLook, Review
from reviews.models.reviews import ReviewStatus
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed, rules
from tests.bed.cases import NOW
from tests.bed.routes import Route, all_routes
from tests.people import also, make_person
from tests.reviews.desk.desk import body, fields, send
from tests.security import stages

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

LOW, HIGH = 0, 5


@dataclass(frozen=True)
class Stage:
    release: Release
    rita: User
    mina: User
    omar: User
    wei: User
    own: Review  # rita's, submitted
    begun: Review  # rita's, a draft
    hers: Review  # mina's, assigned


@pytest.fixture
def stage(db: None) -> Stage:
    """Create the reviews; those of omar and wei differ between the two worlds."""
    stages.once("two worlds", set_up)
    rita, mina, omar, wei = (
        User.objects.get(username=name) for name in ("rita", "mina", "omar", "wei")
    )
    own, begun = (
        Review.objects.by(rita)
        .select_related("case", "reviewer", "release")
        .get(case__case_key=key)
        for key in ("feast", "kids")
    )
    hers = Review.objects.by(mina).select_related("case", "reviewer", "release").get()
    release = Release.objects.select_related("rubric").get()
    return Stage(release, rita, mina, omar, wei, own, begun, hers)


def set_up() -> None:
    rita, omar, wei = (make_person(name, Role.REVIEWER) for name in ("rita", "omar", "wei"))
    mina = make_person("mina", Role.MANAGER, Role.REVIEWER)
    release = reviewed.started()
    for key in reviewed.FILLING:
        for person in (omar, wei):
            reviewed.assign(release, key, person)
    # Four away from the one world, one from the other: what differs has to be settled, or not.
    reviewed.review(release, "feast", rita, 4)
    begun = reviewed.assign(release, "kids", rita)
    Review.objects.filter(pk=begun.pk).update(status="draft", draft={"comment": "so far"})
    reviewed.assign(release, "ramp", mina)


@contextmanager
def world(stage: Stage, value: int, *, is_closed: bool) -> Iterator[None]:
    """Enter a world, and roll it back afterwards."""
    with transaction.atomic():
        for person in (stage.omar, stage.wei):
            for review in Review.objects.by(person).select_related("reviewer").order_by("pk"):
                answer = "yes" if value == HIGH else "no"
                said = reviewed.judgement(value, answer=answer, comment=f"it is {value}")
                reviewed.submit(review, said)
        if is_closed:
            waived = [one.rule for one in releases_lifecycle.find_missing_for_close(stage.release)]
            releases_lifecycle.close(
                release=stage.release, waived=waived, reason="time", user=None, now=NOW
            )
        hit_every_case(stage)
        yield
        transaction.set_rollback(True)


def hit_every_case(stage: Stage) -> None:
    rule = rules.propose()
    hits = [RuleHit(rule=rule, case=case, hits="[]") for case in stage.release.cases.all()]
    RuleHit.objects.bulk_create(hits)


def routes_of(stage: Stage, review: Review) -> list[Route]:
    """Return every route of the site, with this review in its address where possible."""
    return all_routes(
        {
            "<int:pk>": str(review.pk),
            "<int:number>": "1",
            "<release:name>": stage.release.name,
            "<code:code>": review.case.code,
            "<code:earlier>": review.case.code,
            "<str:username>": "omar",
            "<path:object_id>": str(review.pk),
            "<product:product>": stage.release.product,
            "<rule:key>": "meal-over-visit",
        }
    )


def reviews_of(stage: Stage) -> list[Review]:
    """Return their reviews in every state, and one of another person."""
    return [
        *(stage.own, stage.begun, stage.hers),
        Review.objects.by(stage.omar).select_related("case", "release").get(case=stage.own.case),
    ]


def may(roles: set[Role], route: Route, method: str) -> bool:
    return bool((find_rights(route.name) or {}).get(method, frozenset()) & roles)


def addresses(stage: Stage, roles: set[Role], reviews: list[Review]) -> list[str]:
    """Return every page that these roles may read, with their own and with foreign objects.

    The admin site shows one row of every other table.
    """
    found = []
    for place, review in enumerate(reviews):
        for route in routes_of(stage, review):
            is_of_another_table = route.name.startswith("admin:") and not is_about_reviews(route)
            is_sign_out = route.name in ("account_logout", "account_login")
            if may(roles, route, READ) and not is_sign_out and not (place and is_of_another_table):
                found.append(route.path)
    listing = reverse("release-list")
    case_list = reverse("case-list", args=[stage.release.name])
    found += [f"{listing}?q=kids", f"{listing}?q=wanderer", f"{case_list}?sort=days"]
    found.append(reverse("event-list", args=[stage.release.name]) + "?verify=all")
    calls = reverse("api-reviews")
    found += [f"{calls}?status={status}" for status in ReviewStatus.values]
    found += [f"{calls}?limit=1", *(f"{calls}?{asked_of(review)}" for review in reviews)]
    return sorted(set(found))


def asked_of(review: Review) -> str:
    return f"release={review.release.name}&case_key={review.case.case_key}"


def is_about_reviews(route: Route) -> bool:
    return route.name.startswith("admin:reviews_review_")


class Act(NamedTuple):
    """A request: a form, or the JSON of the desk's scripts."""

    path: str
    body: dict[str, Any]
    is_script: bool = False
    method: str = WRITE

    def send(self, client: Client) -> "Response":
        if self.is_script:
            return send(client, self.path, self.body, key="a-key", method=self.method)
        return client.post(self.path, self.body)


# Whatever a form of the site may ask for.
FIELDS = {
    "reason": "so it is",
    "cause": "conflict",
    "subject": reviewed.ITEMS[0],
    "text": "Does a picnic count?",
    "outcome": "confirmed",
    "note": "Read again.",
    "rule": "adjudications",
    "decision": "ship",
    "act": "submit",
}
OF_THE_ACCOUNT = ("account_", "mfa_", "openid", "socialaccount", "invitation")


def acts(stage: Stage, roles: set[Role]) -> dict[str, Act]:
    """Return every action that these roles may try: empty, filled in, and as the desk sends it."""
    found: dict[str, Act] = {}
    for review in reviews_of(stage):
        for route in routes_of(stage, review):
            if is_for_scripts(route.name):
                found |= calls_of(roles, route, review)
                continue
            if not may(roles, route, WRITE) or route.name.startswith(OF_THE_ACCOUNT):
                continue
            filled = FIELDS | fields(version=review.version)
            found[f"{route.path} empty"] = Act(route.path, {})
            found[f"{route.path} filled"] = Act(route.path, filled)
            if route.name == "review":
                found[f"{route.path} a draft"] = Act(route.path, filled | {"act": "save"})
    return found


def calls_of(roles: set[Role], route: Route, review: Review) -> dict[str, Act]:
    """Return every API call that these roles may try with this review: empty and valid."""
    whole, reason = body(review.version), {"reason": "so it is"}
    bodies = {
        "api-review-draft": {"saved": whole, "stale": whole | {"version": 77}},
        "api-review-submit": {
            "submitted": whole | reason,
            "incomplete": {"version": review.version},
            "at odds": body(review.version, value=0),
        },
        "api-review-decline": {"declined": reason},
        "api-review-discard": {"discarded": {"version": review.version}},
        "api-review-ask": {"asked": {"subject": FIELDS["subject"], "text": FIELDS["text"]}},
        "api-close": {"waived": {"waive": ["reviews", "adjudications"]} | reason},
        "api-waive": {rule: {"rule": rule} | reason for rule in ("reviews", "adjudications")},
        "api-decision": {"signed": {"decision": "ship"} | reason},
        "api-reopen": {"reopened": reason},
        "api-adjudications": {
            "settled": {
                "case_key": review.case.case_key,
                "agreed": dict.fromkeys(reviewed.METRICS, 3),
                "cause": "taste",
                "note": "Read again.",
            }
        },
    }
    return {
        f"{method} {route.path} {what}": Act(route.path, sent, is_script=True, method=method)
        for method in (WRITE, REPLACE, CHANGE)
        if may(roles, route, method)
        for what, sent in {"empty": {}, **bodies.get(route.name, {})}.items()
    }


# What is another with every answer: tokens, keys of submits, ids of requests, and the keys of new
# events, which PostgreSQL does not give out twice.
CHANCE = re.compile(
    rb'name="csrfmiddlewaretoken" value="[^"]*"|"csrfmiddlewaretoken": "[^"]*"'
    rb'|"token": "[^"]*"|"request_id": "[^"]*"|<code>[0-9a-f]{16}</code>'
    rb'|/admin/cases/(?:event|ledger|ledgerevent)/[0-9]+/|name="key" value="[^"]*"'
)


def seen(client: Client, paths: list[str]) -> dict[str, bytes]:
    found = {}
    for path in paths:
        # Who has read how far is the reader's own doing.
        LastLook.objects.all().delete()
        found[path] = told(client.get(path))
    return found


def answers(client: Client, tried: dict[str, Act]) -> dict[str, bytes]:
    """Send each request in a fresh state."""
    found = {}
    for label, act in tried.items():
        with transaction.atomic():
            found[label] = told(act.send(client))
            transaction.set_rollback(True)
    return found


def told(response: "Response") -> bytes:
    place = response.headers.get("Location", "").encode()
    marks = response.headers.get("ETag", "").encode()
    return b"%d %s %s " % (response.status_code, place, marks) + CHANCE.sub(
        b"", response.getvalue()
    )


def in_both_worlds(
    stage: Stage, user: User, look: Callable[[Client], dict[str, bytes]], *, is_closed: bool = False
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    found = []
    for value in (LOW, HIGH):
        with time_machine.travel(NOW + timedelta(hours=1), tick=False):
            client = Client()
            client.force_login(user)
            with world(stage, value, is_closed=is_closed):
                found.append(look(client))
    first, other = found
    return first, other


def differences(stage: Stage, user: User, paths: list[str], *, is_closed: bool) -> list[str]:
    first, other = in_both_worlds(
        stage, user, lambda client: seen(client, paths), is_closed=is_closed
    )
    return [path for path in paths if first[path] != other[path]]


def test_a_reviewer_sees_the_same_whatever_others_say(stage: Stage) -> None:
    paths = addresses(stage, {Role.REVIEWER}, reviews_of(stage))
    assert len(paths) > 15
    assert differences(stage, stage.rita, paths, is_closed=False) == []


def test_a_reviewer_sees_the_same_whatever_rules_there_are(stage: Stage) -> None:
    """Two worlds of another kind: without any rule, and with one that hits every case."""
    paths = addresses(stage, {Role.REVIEWER}, reviews_of(stage))
    found = []
    for has_rules in (False, True):
        with time_machine.travel(NOW + timedelta(hours=1), tick=False), transaction.atomic():
            client = Client()
            client.force_login(stage.rita)
            if has_rules:
                hit_every_case(stage)
            found.append(seen(client, paths))
            transaction.set_rollback(True)
    without, having = found
    assert [path for path in paths if without[path] != having[path]] == []


def test_a_manager_with_an_open_review_sees_the_same_whatever_others_say(stage: Stage) -> None:
    roles = {Role.REVIEWER, Role.MANAGER}
    paths = addresses(stage, roles, reviews_of(stage))
    assert len(paths) > 30
    assert differences(stage, stage.mina, paths, is_closed=False) == []


def test_whatever_a_reviewer_does_the_answer_is_the_same(stage: Stage) -> None:
    tried = acts(stage, {Role.REVIEWER})
    first, other = in_both_worlds(stage, stage.rita, lambda client: answers(client, tried))
    assert [label for label in tried if first[label] != other[label]] == []
    # It was done, not only refused: saved, submitted, revised, declined, asked, discarded.
    own, begun = (reverse("review", args=[each.pk]) for each in (stage.own, stage.begun))
    written, said = (reverse("api-review", args=[each.pk]) for each in (stage.begun, stage.own))
    for label in (
        f"PUT {written}draft/ saved",
        f"POST {written}submit/ submitted",
        f"POST {written}decline/ declined",
        f"PUT {said}draft/ saved",
        f"POST {said}submit/ submitted",
        f"POST {said}discard/ discarded",
        f"POST {written}ask/ asked",
    ):
        assert first[label].startswith(b"200 "), label
    for label in (
        f"{begun}decline/ filled",
        f"{begun} filled",
        f"{own} filled",
        f"{begun} a draft",
    ):
        assert first[label].startswith(b"302 "), label


def test_whatever_a_manager_with_an_open_review_does_the_answer_is_the_same(stage: Stage) -> None:
    tried = acts(stage, {Role.MANAGER})
    assert len(tried) > 20
    first, other = in_both_worlds(stage, stage.mina, lambda client: answers(client, tried))
    assert [label for label in tried if first[label] != other[label]] == []


def test_a_superuser_with_an_open_review_sees_the_same_in_the_admin_site_too(
    stage: Stage, root: User
) -> None:
    """All pages about their own review, and admin pages about a review that differs."""
    own = reviewed.assign(stage.release, "rush", also(root, Role.REVIEWER))
    paths = addresses(stage, set(Role), [own])
    theirs = Review.objects.by(stage.omar).get(case=stage.own.case)
    paths += [route.path for route in routes_of(stage, theirs) if is_about_reviews(route)]
    assert len(paths) > 60
    assert differences(stage, root, paths, is_closed=False) == []


RECORDS = {
    "cases/release": ["", "?_facets=True", "?late=no&_facets=True", "?q=wanderer&o=-6"],
    "cases/case": ["", "?_facets=True", "?sampled=yes&_facets=True", "?q=kids", "?o=7.-2"],
    "reviews/sampledcase": [
        *("", "?_facets=True", "?late=no&missing=no&_facets=True", "?q=kids", "?o=-5.6"),
        "?reviewer=omar&kind=-",
    ],
    "reviews/review": [
        *("", "?_facets=True", "?late=no&reviewer=omar&_facets=True", "?q=omar", "?o=8.-7"),
        *("?status__exact=submitted&_facets=True", "?draft__comment__contains=5"),
        *("?scores__value=5", "?answers__answer=yes", "?comment=it+is+5", "?_popup=1"),
    ],
    "reviews/checklistanswer": [
        *("", "?_facets=True", "?answer__exact=yes", "?answer__exact=no&_facets=True"),
        *("?q=kids&_facets=True", "?reviewer=omar&_facets=True", "?o=2", "?o=-2", "?_popup=1"),
        *("?note__contains=x", "?p=2", "?all="),
    ],
    "cases/event": ["", "?q=x", "?data__contains=5"],
    "reviews/waiver": ["", "?covers__contains=5"],
}


def records_of(stage: Stage) -> list[str]:
    """Return every admin query about the reviews of others, and about their own."""
    release = f"release__id__exact={stage.release.pk}"
    found = [f"/admin/{table}/{query}" for table, queries in RECORDS.items() for query in queries]
    found += [f"/admin/reviews/{table}/?{release}" for table in ("review", "checklistanswer")]
    theirs = Review.objects.by(stage.omar).order_by("pk")
    for review in theirs:
        found += [f"/admin/reviews/review/{review.pk}/{part}/" for part in ("change", "history")]
        found.append(f"/admin/reviews/checklistanswer/?review__id__exact={review.pk}")
        found.append(f"/admin/cases/case/{review.case_id}/change/")
        sampled = review.case.sampled
        found.append(f"/admin/reviews/sampledcase/{sampled.pk}/change/")
    return found


def actions_of(stage: Stage) -> dict[str, Act]:
    """Return the admin actions on reviews and cases of others."""
    reviews = [review.pk for review in reviews_of(stage)]
    sampled = list(stage.release.sample.order_by("pk").values_list("pk", flat=True))
    people = {"reviewers": ["rita", "omar", "wei"], "per_case": "3"}
    found = {}
    for table, action, keys, sent in (
        ("review", "move_to_another", reviews, {"taker": "wei"}),
        ("review", "take_back", reviews, {"reason": "so it is"}),
        ("sampledcase", "assign_to_reviewers", sampled, people),
    ):
        data: dict[str, Any] = {"action": action, "_selected_action": keys}
        path = f"/admin/reviews/{table}/"
        found[action] = Act(path, data)
        found[f"{action} look"] = Act(path, data | sent | {"look": "1"})
        found[f"{action} confirmed"] = Act(path, data | sent | {"confirm": "1", "seen": "x"})
    return found


def test_an_admin_with_an_open_review_learns_nothing_in_the_admin_site(stage: Stage) -> None:
    """Not from counts, filters, search, order, pop-ups, histories or actions."""
    ada = make_person("ada", Role.ADMIN, Role.REVIEWER)
    reviewed.assign(stage.release, "rush", ada)
    paths, tried = records_of(stage), actions_of(stage)
    assert differences(stage, ada, paths, is_closed=False) == []
    first, other = in_both_worlds(stage, ada, lambda client: answers(client, tried))
    assert [label for label in tried if first[label] != other[label]] == []


def test_an_admin_who_has_looked_sees_the_answers_there(stage: Stage) -> None:
    """Shows that the test above can fail."""
    ada = make_person("ada", Role.ADMIN)
    reviewed.look(stage.release, ada)
    paths = [f"/admin/reviews/checklistanswer/{query}" for query in ("", "?_facets=True", "?o=2")]
    assert differences(stage, ada, paths, is_closed=False) == paths


def test_after_the_closing_it_can_be_seen(stage: Stage) -> None:
    """Shows that the tests above can fail."""
    report = reverse("report", args=[stage.release.name])
    calls = [reverse(f"api-{name}", args=[stage.release.name]) for name in ("summary", "verdict")]
    paths = [stage.release.get_absolute_url(), report, *calls]
    assert set(paths) <= set(addresses(stage, {Role.REVIEWER, Role.MANAGER}, reviews_of(stage)))
    assert differences(stage, stage.mina, paths, is_closed=True) == paths


def test_a_manager_without_an_open_review_sees_where_others_differ(stage: Stage) -> None:
    """Shows that the comparison can see a difference: the digests of the reviews."""
    stage.hers.delete()
    path = reverse("event-list", args=[stage.release.name])
    assert differences(stage, stage.mina, [path], is_closed=False) == [path]
    closing = {"closing": Act(reverse("release-close", args=[stage.release.name]), {})}
    first, other = in_both_worlds(stage, stage.mina, lambda client: answers(client, closing))
    assert first != other
