"""Two worlds with the same data, in which the other reviewers score all low or all high.

Whoever still has to judge on their own must get the same bytes in both, on every route they can
reach; after the closing they must not, or this test could not see.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse

from cases.models import Release
from evalsite.permissions import READ, Role, rights_on
from reviews.models import LastLook, Review
from reviews.workflow import status
from tests.bed import reviewed
from tests.bed.cases import NOW
from tests.bed.routes import all_routes
from tests.people import make_person

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
def stage(rita: User, omar: User, mina: User) -> Stage:
    """Everybody has their reviews; what omar and wei say is another thing in each world."""
    wei = make_person("wei", Role.REVIEWER)
    mina.groups.add(*rita.groups.all())
    release = reviewed.started()
    for key in reviewed.FILLING:
        for person in (omar, wei):
            reviewed.assign(release, key, person)
    # Four away from the one world, one from the other: what differs has to be settled, or not.
    own = reviewed.review(release, "feast", rita, 4)
    begun = reviewed.assign(release, "kids", rita)
    Review.objects.filter(pk=begun.pk).update(status="draft", draft={"comment": "so far"})
    hers = reviewed.assign(release, "ramp", mina)
    return Stage(release, rita, mina, omar, wei, own, begun, hers)


@contextmanager
def world(stage: Stage, value: int, *, is_closed: bool) -> Iterator[None]:
    """What is said in it is forgotten afterwards."""
    with transaction.atomic():
        for person in (stage.omar, stage.wei):
            for review in Review.objects.by(person).select_related("reviewer").order_by("pk"):
                answer = "yes" if value == HIGH else "no"
                said = reviewed.judgement(value, answer=answer, comment=f"it is {value}")
                reviewed.submit(review, said)
        if is_closed:
            rules = [one.rule for one in status.missing_for_close(stage.release)]
            status.close(release=stage.release, waived=rules, reason="time", user=None, now=NOW)
        yield
        transaction.set_rollback(True)


def addresses(stage: Stage, roles: set[Role]) -> list[str]:
    """Every page that these roles may read, with what is there and with what is not theirs."""
    theirs = Review.objects.by(stage.omar).get(case=stage.own.case)
    found = []
    for review in (stage.own, stage.begun, stage.hers, theirs):
        values = {
            "<int:pk>": str(review.pk),
            "<int:number>": "1",
            "<release:name>": stage.release.name,
            "<code:code>": review.case.code,
            "<code:earlier>": review.case.code,
            "<str:username>": "omar",
            "<path:object_id>": str(review.pk),
        }
        for route in all_routes(values):
            who = (rights_on(route.name) or {}).get(READ, frozenset())
            is_sign_out = route.name in ("account_logout", "account_login")
            if who & roles and not is_sign_out:
                found.append(route.path)
    listing = reverse("release-list")
    case_list = reverse("case-list", args=[stage.release.name])
    found += [f"{listing}?q=kids", f"{listing}?q=wanderer", f"{case_list}?sort=days"]
    found.append(reverse("event-list", args=[stage.release.name]) + "?verify=all")
    return sorted(set(found))


# What is another with every answer: tokens, keys of submits, ids of requests, and the keys of new
# events, which PostgreSQL does not give out twice.
CHANCE = re.compile(
    rb'name="csrfmiddlewaretoken" value="[^"]*"|"csrfmiddlewaretoken": "[^"]*"'
    rb'|"token": "[^"]*"|"request_id": "[^"]*"|<code>[0-9a-f]{16}</code>'
    rb'|/admin/cases/event/[0-9]+/|name="key" value="[^"]*"'
)


def seen(client: Client, paths: list[str]) -> dict[str, bytes]:
    found = {}
    for path in paths:
        # Who has read how far is the reader's own doing.
        LastLook.objects.all().delete()
        response = client.get(path)
        body = response.getvalue()
        place = response.headers.get("Location", "").encode()
        found[path] = b"%d %s " % (response.status_code, place) + CHANCE.sub(b"", body)
    return found


def differences(stage: Stage, user: User, paths: list[str], *, is_closed: bool) -> list[str]:
    answers = []
    for value in (LOW, HIGH):
        client = Client()
        client.force_login(user)
        with world(stage, value, is_closed=is_closed):
            answers.append(seen(client, paths))
    one, other = answers
    return [path for path in paths if one[path] != other[path]]


def test_a_reviewer_sees_the_same_whatever_others_say(stage: Stage) -> None:
    paths = addresses(stage, {Role.REVIEWER})
    assert len(paths) > 15
    assert differences(stage, stage.rita, paths, is_closed=False) == []


def test_a_manager_with_an_open_review_sees_the_same_whatever_others_say(stage: Stage) -> None:
    roles = {Role.REVIEWER, Role.MANAGER}
    paths = addresses(stage, roles)
    assert len(paths) > 30
    assert differences(stage, stage.mina, paths, is_closed=False) == []


def test_a_superuser_with_an_open_review_sees_the_same_in_the_admin_site_too(
    stage: Stage, root: User
) -> None:
    reviewed.assign(stage.release, "rush", root)
    paths = addresses(stage, set(Role))
    assert len(paths) > 60
    assert differences(stage, root, paths, is_closed=False) == []


def test_after_the_closing_it_can_be_seen(stage: Stage) -> None:
    """So that the tests above can fail."""
    paths = addresses(stage, {Role.REVIEWER, Role.MANAGER})
    found = differences(stage, stage.mina, paths, is_closed=True)
    assert stage.release.get_absolute_url() in found


def test_a_manager_without_an_open_review_sees_where_others_differ(stage: Stage) -> None:
    """And that the way to look is a way that can see: the digests of what was said."""
    stage.hers.delete()
    path = reverse("event-list", args=[stage.release.name])
    assert differences(stage, stage.mina, [path], is_closed=False) == [path]
