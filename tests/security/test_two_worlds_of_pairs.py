"""Two sites that differ in which plan is the old one, or in what others say side by side.

Who still reads pairs must get the same bytes in both, on every route they can reach.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse

from cases.models import Case, Release
from evalsite.permissions import READ, Role
from reviews.models import Pairing
from reviews.pairings import judgement, reading
from reviews.releases import lifecycle
from tests.bed import pairs
from tests.bed.cases import NOW, PLAN
from tests.bed.reviewed import current
from tests.bed.routes import all_routes
from tests.people import also, make_person
from tests.security import stages
from tests.security.test_two_worlds import Act, answers, may, seen

# Other stops, dates, costs and fallbacks.
LATER: dict[str, Any] = {
    **pairs.OTHER_PLAN,
    "days": [{**day, "date": f"2026-11-0{day['day']}"} for day in pairs.OTHER_PLAN["days"]],
    "budget": {"currency": "CNY", "total": 955, "breakdown": {"tickets": 310}},
    "fallbacks": [],
}


@dataclass(frozen=True)
class Stage:
    """A release whose pairs are read by a reviewer, wei, and a manager, mina."""

    release: Release
    wei: User
    mina: User

    def own(self, user: User) -> list[Pairing]:
        return list(Pairing.objects.by(user).select_related("case", "reader").order_by("pk"))


@pytest.fixture
def stage(db: None) -> Stage:
    stages.once("two worlds of pairs", set_up)
    wei, mina = (User.objects.get(username=name) for name in ("wei", "mina"))
    return Stage(Release.objects.select_related("rubric", "baseline").get(name="new"), wei, mina)


def set_up() -> None:
    rita, omar = (make_person(name, Role.REVIEWER) for name in ("rita", "omar"))
    release = pairs.beside_baseline(rita, omar, name="new", before="old")
    wei, mina = make_person("wei", Role.REVIEWER), make_person("mina", Role.MANAGER, Role.REVIEWER)
    pairs.plan(release, wei, mina)


@dataclass(frozen=True)
class World:
    """How a site differs: plans exchanged, sides turned, and the step that the others chose."""

    is_exchanged: bool = False
    is_turned: bool = False
    others: int | None = None


AS_IT_IS = World()


@contextmanager
def entered(stage: Stage, reader: User, world: World) -> Iterator[Client]:
    """Enter a world with a client of this reader, and roll it back afterwards."""
    with time_machine.travel(NOW + timedelta(hours=1), tick=False), transaction.atomic():
        lay_out_plans(stage, is_exchanged=world.is_exchanged)
        turn_sides(is_turned=world.is_turned)
        for pairing in stage.own(stage.mina if reader == stage.wei else stage.wei):
            if world.others is not None:
                said = pairs.prefer_new(pairing, world.others, why=f"It is {world.others}.")
                pairs.read(pairing, said)
        begun, submitted, *_assigned = stage.own(reader)
        begin(begun)
        pairs.read(submitted, pairs.say(1, newer="right"))
        client = Client()
        client.force_login(reader)
        yield client
        transaction.set_rollback(True)


def lay_out_plans(stage: Stage, *, is_exchanged: bool) -> None:
    """Give one plan to the cases of the baseline and the other to those of the release."""
    baseline = stage.release.baseline
    assert baseline is not None
    lifecycle.reopen(release=baseline, reason="Plans.", user=None, now=NOW)
    for release in (baseline, stage.release):
        cases = list(Case.objects.filter(release=release))
        for case in cases:
            content = json.loads(case.data)
            content["plan"] = LATER if (release == baseline) == is_exchanged else PLAN
            content["release"]["version"] = release.name
            case.data = json.dumps(content)
            case.digest = hashlib.sha256(case.data.encode()).hexdigest()
        Case.objects.bulk_update(cases, ["data", "digest"])
    waived = [one.rule for one in lifecycle.find_missing_for_close(current(baseline))]
    lifecycle.close(release=current(baseline), waived=waived, reason="So.", user=None, now=NOW)


def turn_sides(*, is_turned: bool) -> None:
    """Lay the pairings down again: the database keeps the sides of those that it has."""
    rows = list(Pairing.objects.order_by("pk"))
    Pairing.objects.all().delete()
    for row in rows:
        row.is_new_left ^= is_turned
    Pairing.objects.bulk_create(rows)


def begin(pairing: Pairing) -> None:
    said = judgement.from_data({"newer": "left"})
    reading.save_draft(
        pairing=pairing.pk, user=pairing.reader, version=pairing.version, said=said, now=NOW
    )


def addresses(stage: Stage, reader: User, roles: set[Role]) -> list[str]:
    """Return every page that these roles may read, with own pairings and a foreign one."""
    foreign = stage.own(stage.mina if reader == stage.wei else stage.wei)[:1]
    found = set[str]()
    for pairing in [*stage.own(reader), *foreign]:
        routes = all_routes(
            {
                "<int:pk>": str(pairing.pk),
                "<int:number>": "1",
                "<release:name>": stage.release.name,
                "<code:code>": pairing.case.code,
                "<code:earlier>": pairing.old_case.code,
                "<str:username>": "rita",
                "<product:product>": stage.release.product,
            }
        )
        found |= {
            route.path
            for route in routes
            if may(roles, route, READ) and route.name not in ("account_logout", "account_login")
        }
    return sorted(found)


def look_in(
    stage: Stage,
    reader: User,
    look: Callable[[Client], dict[str, bytes]],
    worlds: Sequence[World],
) -> list[dict[str, bytes]]:
    found = []
    for world in worlds:
        with entered(stage, reader, world) as client:
            found.append(look(client))
    return found


def differing(stage: Stage, reader: User, paths: list[str], *worlds: World) -> list[str]:
    first, *others = look_in(stage, reader, lambda client: seen(client, paths), worlds)
    return [path for path in paths if any(other[path] != first[path] for other in others)]


def acts(stage: Stage, reader: User) -> dict[str, Act]:
    """Return what a reader can send about own pairings and a foreign one."""
    found = dict[str, Act]()
    whole = judgement.to_data(pairs.say(2, newer="left"))
    foreign = stage.own(stage.mina if reader == stage.wei else stage.wei)[0]
    for version, pairing in zip((1, 1, 0, 0), [*stage.own(reader)[:3], foreign], strict=True):
        for route, bodies in {
            "api-pairing-draft": {"saved": {"version": version}, "stale": {"version": 7}},
            "api-pairing-submit": {
                "whole": {"version": version, **whole},
                "stored": {"version": version},
                "unknown": {"version": version, "sides": {"x.1": "left", "x.2": "left"}},
            },
            "api-pairing-decline": {"declined": {"reason": "Mine."}, "empty": {}},
        }.items():
            path = reverse(route, args=[pairing.pk])
            method = "PUT" if route == "api-pairing-draft" else "POST"
            for what, body in bodies.items():
                found[f"{path} {what}"] = Act(path, body, is_script=True, method=method)
        form = {"version": str(version), "key": "a-key", "newer": "no"}
        for act in ("save", "submit"):
            path = reverse("pairing", args=[pairing.pk])
            found[f"{path} {act}"] = Act(path, form | {"act": act})
    return found


EXCHANGED = (AS_IT_IS, World(is_exchanged=True, is_turned=True))
LOW_AND_HIGH = (World(others=-3), World(others=3))


def test_a_reader_sees_the_same_whichever_plan_is_the_old_one(stage: Stage) -> None:
    """The plans are exchanged, and so are the sides: each plan is where it was."""
    paths = addresses(stage, stage.wei, {Role.REVIEWER})
    assert len(paths) > 20
    assert reverse("api-pairing-next") in paths
    assert reverse("pairing-practice") in paths
    assert differing(stage, stage.wei, paths, *EXCHANGED) == []


def test_exchanged_plans_exchange_the_sides_and_nothing_else(stage: Stage) -> None:
    paths = addresses(stage, stage.wei, {Role.REVIEWER})
    worlds = (AS_IT_IS, World(is_exchanged=True))
    first, other = look_in(stage, stage.wei, lambda client: seen(client, paths), worlds)
    own = stage.own(stage.wei)
    shown = {reverse(name, args=[one.pk]) for one in own for name in ("pairing", "api-pairing")}
    shown.add(reverse("api-pairing-next"))
    assert {path for path in paths if first[path] != other[path]} == shown
    for pairing in own:
        address = reverse("api-pairing", args=[pairing.pk])
        one, turned = (
            json.loads(found[address].partition(b"{")[2].join([b"{", b""]))
            for found in (first, other)
        )
        one["left"], one["right"] = one["right"], one["left"]
        assert one == turned


def test_a_reader_sees_the_same_whatever_others_read_and_say(stage: Stage) -> None:
    paths = addresses(stage, stage.wei, {Role.REVIEWER})
    assert differing(stage, stage.wei, paths, AS_IT_IS, *LOW_AND_HIGH) == []


def test_whatever_a_reader_does_the_answer_is_the_same(stage: Stage) -> None:
    tried = acts(stage, stage.wei)
    worlds = (AS_IT_IS, EXCHANGED[1], *LOW_AND_HIGH)
    first, *others = look_in(stage, stage.wei, lambda client: answers(client, tried), worlds)
    for other in others:
        assert [label for label in tried if first[label] != other[label]] == []
    done = [label for label in tried if first[label].startswith(b"200 ")]
    # Drafts of three, two whole ones and the submitted one again, the stored one of that, and
    # two that can be declined.
    assert {label.rpartition(" ")[2] for label in done} >= {"saved", "whole", "stored", "declined"}


def test_a_manager_who_reads_pairs_sees_the_same_whatever_others_say(stage: Stage) -> None:
    roles = {Role.REVIEWER, Role.MANAGER}
    paths = addresses(stage, stage.mina, roles)
    assert len(paths) > 60
    assert differing(stage, stage.mina, paths, *LOW_AND_HIGH) == []


def test_the_worlds_differ_where_they_may(stage: Stage) -> None:
    """Shows that the tests above can fail."""
    pair = reverse("pairing", args=[stage.own(stage.wei)[0].pk])
    assert differing(stage, stage.wei, [pair], AS_IT_IS, World(is_turned=True)) == [pair]
    # A manager who reads the pages of both cases knows which plan is which.
    case = stage.own(stage.mina)[0].case.get_absolute_url()
    assert differing(stage, stage.mina, [case], *EXCHANGED) == [case]


QUERIES = (
    *("", "?_facets=True", "?o=-4", "?q=mina", "?q=calmer", "?_popup=1", "?late=no&_facets=True"),
    *("?newer=right", "?newer__exact=left&_facets=True", "?draft__newer=right"),
    *("?draft__contains=3", "?answers__step=3", "?answers__why__contains=It", "?version__gt=1"),
    *("?is_new_left=1", "?is_new_left__exact=0&_facets=True", "?decline_reason__contains=x"),
)


def test_an_admin_who_reads_pairs_learns_nothing_in_the_admin_site(stage: Stage) -> None:
    """Neither what others say nor which side is new, from counts, filters, search or histories."""
    also(stage.mina, Role.ADMIN)
    paths = [f"/admin/reviews/pairing/{query}" for query in QUERIES]
    paths += ["/admin/cases/event/", "/admin/cases/event/?data__contains=left"]
    for pairing in Pairing.objects.order_by("pk"):
        paths += [f"/admin/reviews/pairing/{pairing.pk}/{part}/" for part in ("change", "history")]
    paths.append(reverse("api-release-pairings", args=[stage.release.name]))
    paths.append(reverse("pairings", args=[stage.release.name]))
    paths.append(reverse("event-list", args=[stage.release.name]))
    assert differing(stage, stage.mina, paths, *LOW_AND_HIGH) == []
    turned = [path for path in paths if "event" not in path]
    assert differing(stage, stage.mina, turned, AS_IT_IS, World(is_turned=True)) == []
