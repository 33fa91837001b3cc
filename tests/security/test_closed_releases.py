"""A closed release is read-only on every path: raw SQL, the ORM, Django's admin site, commands and
pages; and the same acts pass where it is not closed, so that these tests can fail."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.models import Model, QuerySet
from django.test import Client
from django.urls import reverse

from cases import ledger
from cases.models import Case, CaseTag, Event, Exclusion, Release, Rubric, Upload
from cases.releases import workflow as releases_workflow
from cases.tags import workflow as tags_workflow
from evalsite import triggers
from evalsite.permissions import ROUTES, WRITE, Role
from reviews.adjudication import workflow as adjudication_workflow
from reviews.desk import judgement as desk_judgement
from reviews.desk.judgement import Judgement
from reviews.models import (
    Adjudication,
    ChecklistAnswer,
    Closing,
    Decision,
    Draw,
    Flag,
    LastLook,
    MirrorLook,
    PairAnswer,
    Pairing,
    PairRevision,
    PairSubmission,
    Review,
    Revision,
    SampledCase,
    Score,
    Submission,
    Waiver,
)
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.releases.decision import sign
from tests.bed import reviewed
from tests.bed.cases import NOW, lines
from tests.bed.routes import all_routes
from tests.people import AsUser, make_person
from tests.security import stages

# --- Releases with something in every table -------------------------------------------------------


@dataclass(frozen=True)
class People:
    rita: User
    omar: User
    wei: User
    ada: User
    mina: User


@pytest.fixture
def people(db: None, request: pytest.FixtureRequest) -> People:
    """Create the people, and with them the releases `shut` and `standing_open`."""
    asked = [name for name in RELEASES if name in request.fixturenames]

    def make() -> None:
        made = make_people()
        for name in asked:
            RELEASES[name](made)

    stages.once(" and ".join(["people", *asked]), make)
    return People(*(User.objects.get(username=name) for name in NAMES))


NAMES = ("rita", "omar", "wei", "ada", "mina")


def make_people() -> People:
    rita, omar, wei = (make_person(name, Role.REVIEWER) for name in NAMES[:3])
    ada, mina = make_person("ada", Role.ADMIN), make_person("mina", Role.MANAGER)
    return People(rita, omar, wei, ada, mina)


def tagged_draft(name: str, people: People) -> Release:
    release = reviewed.filled(name, k=1)
    [code] = release.cases.filter(case_key="spare-3").values_list("code", flat=True)
    act: dict[str, Any] = {"release": release, "codes": [code], "user": people.ada, "now": NOW}
    tags_workflow.give(tag="quiet", reason="no trains", **act)
    tags_workflow.exclude(reason="a twin of spare-2", **act)
    return release


def full(name: str, people: People) -> Release:
    """Create an open release, ready to close, with rows in every table that closing freezes."""
    release = tagged_draft(name, people)
    set_baseline(release)
    reviewed.draw(release)
    rule = "kind:" + reviewed.KIND_OF["rush"]
    releases_waivers.waive(release=release, rule=rule, reason="rare", user=people.mina, now=NOW)
    releases_lifecycle.start(release=release, user=people.ada, now=NOW)
    reviewed.review_all(release, people.rita, but=["kids"])
    reviewed.review(release, "kids", people.omar, 1)
    own = reviewed.assign(release, "kids", people.rita)
    reviewed.submit(own, reviewed.judgement(5))
    reviewed.submit(own, with_flag(reviewed.judgement(4)))
    adjudication_workflow.adjudicate(
        release=release,
        case_key="kids",
        agreed=dict.fromkeys(reviewed.METRICS, 3),
        cause="taste",
        note="both read it well",
        user=people.mina,
        now=NOW,
    )
    pair_plans(release, people.rita)
    return reviewed.current(release)


def set_baseline(release: Release) -> None:
    """Give the release a closed baseline with the same cases."""
    before = reviewed.filled(f"before-{release.name}", k=1)
    releases_lifecycle.abandon(release=before, reason="a test", user=None, now=NOW)
    releases_workflow.change(release=release, baseline=reviewed.current(before), user=None, now=NOW)


def pair_plans(release: Release, reader: User) -> None:
    """Lay down a pairing with an answer, a submission and an earlier version."""
    new = release.cases.get(case_key="kids")
    release = reviewed.current(release)
    pairing = Pairing.objects.create(
        release=release,
        case=new,
        old_case=Case.objects.get(release=release.baseline_id, case_key="kids"),
        reader=reader,
        is_new_left=True,
        status="submitted",
        newer="no",
        assigned_at=NOW,
        submitted_at=NOW,
    )
    own: dict[str, Any] = {"pairing": pairing, "release": release}
    PairAnswer.objects.create(**own, item=reviewed.METRICS[0], step=1, why="calmer")
    PairRevision.objects.create(**own, version=1, content={}, submitted_at=NOW, replaced_at=NOW)
    PairSubmission.objects.create(**own, key="k", body_digest="0" * 64, version=2, submitted_at=NOW)


def with_flag(said: Judgement) -> Judgement:
    return desk_judgement.from_data({**desk_judgement.to_data(said), "flags": ["harmful"]})


def closed(name: str, people: People) -> Release:
    release = full(name, people)
    releases_lifecycle.close(release=release, user=people.mina, now=NOW)
    return reviewed.current(release)


RELEASES: dict[str, Callable[[People], Release]] = {
    "shut": partial(closed, "shut-1"),
    "standing_open": partial(full, "open-1"),
}


@pytest.fixture
def shut(people: People) -> Release:
    return called("shut-1")


@pytest.fixture
def standing_open(people: People) -> Release:
    return called("open-1")


def called(name: str) -> Release:
    return Release.objects.select_related("rubric").get(name=name)


def everything() -> str:
    """Digest all rows, except reading positions and uploads."""
    return reviewed.everything(LastLook, MirrorLook, Upload)


# --- What each table takes while its release is open ----------------------------------------------

FROZEN = "The release is closed, so this cannot be changed."
CASES = "The release is closed, so its cases cannot be changed."
TAGS = "The release is closed, so the tags of its cases cannot be changed."
RELEASE = "A closed release cannot be changed."
KEPT_EVENT = "An event of the ledger cannot be changed or removed."
KEPT_DRAW = "A draw cannot be changed or removed."
KEPT_REPORT = "The report of a closing cannot be changed."
KEPT_CLOSING = "A closing cannot be removed."
OF_ANOTHER_CASE = "This belongs to a case of another release."
OF_ANOTHER_REVIEW = "This belongs to a review of another release."
OF_ANOTHER_PAIRING = "This belongs to a pairing of another release."
NO_PAIR = "A pair has the plan of this release and that of its closed baseline."
KEPT_PAIR = "The plans, the reader and the sides of a pairing cannot be changed."
BELONGS = (OF_ANOTHER_CASE, OF_ANOTHER_REVIEW, OF_ANOTHER_PAIRING, KEPT_PAIR)


@dataclass(frozen=True)
class Guarded:
    """A guarded table: a row, a change to it, and values that make a copy a different row."""

    model: Any
    change: dict[str, Any]
    another: Callable[[Release, People], dict[str, Any]]
    sentence: str = FROZEN
    which: tuple[tuple[str, Any], ...] = ()
    of: str = "release"

    @property
    def table(self) -> str:
        return str(self.model._meta.db_table)

    def rows(self, release: Release) -> QuerySet[Any]:
        found: QuerySet[Any] = self.model.objects.filter(**{self.of: release}, **dict(self.which))
        return found.order_by("pk")

    def row(self, release: Release) -> Any:
        return self.rows(release)[0]


def value(**values: Any) -> Callable[[Release, People], dict[str, Any]]:
    return lambda release, people: values


def case_called(key: str) -> Callable[[Release, People], dict[str, Any]]:
    return lambda release, people: {"case_id": release.cases.get(case_key=key).pk}


UNREAD = (("case_key", "spare-1"),)
GUARDED = [
    Guarded(Case, {"locale": "xx"}, value(case_key="copy", code="BBBBB"), CASES, UNREAD),
    Guarded(CaseTag, {"reason": "other"}, value(tag="copy"), TAGS, of="case__release"),
    Guarded(Exclusion, {"reason": "other"}, case_called("spare-1")),
    Guarded(SampledCase, {"kind": "other"}, case_called("spare-1")),
    Guarded(Review, {"comment": "other"}, lambda release, people: {"reviewer_id": people.wei.pk}),
    Guarded(Score, {"value": 0}, value(metric="copy")),
    Guarded(ChecklistAnswer, {"answer": "no"}, value(item="copy")),
    Guarded(Flag, {"kind": "broken"}, value(kind="broken")),
    Guarded(Revision, {"reason": "other"}, value(version=99)),
    Guarded(Submission, {"version": 99}, value(key="copy")),
    Guarded(Pairing, {"newer": "left"}, lambda release, people: {"reader_id": people.wei.pk}),
    Guarded(PairAnswer, {"why": "other"}, value(item="copy")),
    Guarded(PairRevision, {"version": 98}, value(version=99)),
    Guarded(PairSubmission, {"version": 98}, value(key="copy")),
    Guarded(Adjudication, {"note": "other"}, case_called("feast")),
    Guarded(Waiver, {"reason": "other"}, value(rule="copy")),
]
# The baseline of an open release is closed, and what changes many rows meets its cases as well.
BESIDE = {
    (table, way): sentence
    for table, sentence in (("cases_case", CASES), ("cases_casetag", TAGS))
    for way in ("raw_update_of_many", "raw_delete_of_many")
}
DRAWS = Guarded(Draw, {"size": 99}, value(number=99))
EVENTS = Guarded(Event, {"by": "other"}, value(number=99))


def test_every_table_that_the_module_guards_is_tried() -> None:
    guarded = {
        trigger.table
        for trigger in triggers.list_triggers(connection.vendor)
        if trigger.rule.while_closed
    }
    assert guarded == {guard.table for guard in [*GUARDED, DRAWS]} | {"cases_release"}


# --- Ways to write --------------------------------------------------------------------------------

Way = Callable[[Guarded, Release, People], None]


def sql(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def raw_insert(guard: Guarded, release: Release, people: People) -> None:
    """Insert a copy of a row."""
    another = guard.another(release, people)
    columns = [field.column for field in guard.model._meta.concrete_fields if field.column != "id"]
    copied = ", ".join("%s" if name in another else f'"{name}"' for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    values = [another[name] for name in columns if name in another]
    sql(
        f"INSERT INTO {guard.table} ({names}) SELECT {copied} FROM {guard.table} WHERE id = %s",
        *values,
        guard.row(release).pk,
    )


def raw_update(guard: Guarded, release: Release, people: People) -> None:
    names = ", ".join(f'"{name}" = %s' for name in guard.change)
    sql(
        f"UPDATE {guard.table} SET {names} WHERE id = %s",
        *guard.change.values(),
        guard.row(release).pk,
    )


def raw_delete(guard: Guarded, release: Release, people: People) -> None:
    sql(f"DELETE FROM {guard.table} WHERE id = %s", guard.row(release).pk)


def raw_update_of_many(guard: Guarded, release: Release, people: People) -> None:
    [name, *_] = guard.change
    sql(f'UPDATE {guard.table} SET "{name}" = %s', guard.change[name])


def raw_delete_of_many(guard: Guarded, release: Release, people: People) -> None:
    sql(f"DELETE FROM {guard.table}")


def copy_of(guard: Guarded, release: Release, people: People) -> Any:
    row = guard.row(release)
    row.pk = None
    row._state.adding = True
    for name, another in guard.another(release, people).items():
        setattr(row, name, another)
    return row


def save_new(guard: Guarded, release: Release, people: People) -> None:
    copy_of(guard, release, people).save()


def bulk_create(guard: Guarded, release: Release, people: People) -> None:
    guard.model.objects.bulk_create([copy_of(guard, release, people)])


def changed(guard: Guarded, release: Release) -> Any:
    row = guard.row(release)
    for name, other in guard.change.items():
        setattr(row, name, other)
    return row


def save(guard: Guarded, release: Release, people: People) -> None:
    changed(guard, release).save()


def save_some_fields(guard: Guarded, release: Release, people: People) -> None:
    changed(guard, release).save(update_fields=list(guard.change))


def update(guard: Guarded, release: Release, people: People) -> None:
    assert guard.rows(release).order_by().update(**guard.change)


def bulk_update(guard: Guarded, release: Release, people: People) -> None:
    guard.model.objects.bulk_update([changed(guard, release)], list(guard.change))


def upsert(guard: Guarded, release: Release, people: People) -> None:
    """To the database this is an UPDATE, because the row exists."""
    guard.model.objects.bulk_create(
        [changed(guard, release)],
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=list(guard.change),
    )


def delete(guard: Guarded, release: Release, people: People) -> None:
    guard.row(release).delete()


def delete_many(guard: Guarded, release: Release, people: People) -> None:
    guard.rows(release).delete()


WAYS: list[Way] = [
    raw_insert,
    raw_update,
    raw_delete,
    raw_update_of_many,
    raw_delete_of_many,
    save_new,
    bulk_create,
    save,
    save_some_fields,
    update,
    bulk_update,
    upsert,
    delete,
    delete_many,
]


def refusal_of(act: Callable[[], object]) -> str:
    """Return the error of the database, or an empty string. The change is rolled back."""
    try:
        with transaction.atomic():
            act()
            transaction.set_rollback(True)
    except IntegrityError as refusal:
        return str(refusal).splitlines()[0]
    return ""


def refusals(
    ways: Iterable[Way], tables: Iterable[Guarded], release: Release, people: People
) -> dict[tuple[str, str], str]:
    ways = list(ways)
    return {
        (table.table, way.__name__): refusal_of(lambda: way(table, release, people))  # noqa: B023
        for table in tables
        for way in ways
    }


def test_a_closed_release_refuses_every_way_to_write_into_any_table(
    shut: Release, people: People
) -> None:
    before = everything()
    found = refusals(WAYS, GUARDED, shut, people)
    sentences = {guard.table: guard.sentence for guard in GUARDED}
    # With a case its tags would go, and with a review all that it says: those speak first.
    first = {("cases_case", "delete"): TAGS, ("cases_case", "delete_many"): TAGS}
    wrong = {
        which: said
        for which, said in found.items()
        if said != first.get(which, sentences[which[0]])
    }
    assert wrong == {}
    assert len(found) == len(WAYS) * len(GUARDED)
    assert everything() == before


def test_the_same_passes_in_a_release_that_is_not_closed(
    standing_open: Release, people: People
) -> None:
    found = refusals(WAYS, GUARDED, standing_open, people)
    assert {which: said for which, said in found.items() if said} == BESIDE


def test_the_same_passes_after_reopening(shut: Release, people: People) -> None:
    releases_lifecycle.reopen(release=shut, reason="a mistake", user=people.mina, now=NOW)
    found = refusals(WAYS, GUARDED, shut, people)
    assert {which: said for which, said in found.items() if said} == BESIDE


def test_an_abandoned_release_is_as_closed_as_any_other(people: People) -> None:
    release = full("given-up-1", people)
    releases_lifecycle.abandon(release=release, reason="wrong build", user=people.mina, now=NOW)
    found = refusals([raw_insert, raw_update, raw_delete], GUARDED, release, people)
    sentences = {guard.table: guard.sentence for guard in GUARDED}
    assert found == {which: sentences[which[0]] for which in found}


def test_the_closed_release_beside_it_does_not_hold_back_an_open_one(
    shut: Release, standing_open: Release, people: People
) -> None:
    ways = [raw_insert, raw_update, raw_delete, update, delete_many]
    found = refusals(ways, GUARDED, standing_open, people)
    assert {which: said for which, said in found.items() if said} == {}


def test_no_row_moves_into_a_closed_release_or_out_of_it(
    shut: Release, standing_open: Release
) -> None:
    for guard in GUARDED:
        if guard.model is CaseTag:
            into, out = shut.cases.all()[0].pk, standing_open.cases.all()[0].pk
            column, other = "case_id", "tag = 'moved', case_id"
        else:
            into, out, column, other = shut.pk, standing_open.pk, "release_id", "release_id"
        for row, target in ((guard.row(standing_open), into), (guard.row(shut), out)):
            statement = f"UPDATE {guard.table} SET {other} = %s WHERE id = %s"
            said = refusal_of(lambda: sql(statement, target, row.pk))  # noqa: B023
            assert said in (guard.sentence, *BELONGS), (guard.table, column)


def test_no_row_of_a_closed_release_comes_in_under_the_name_of_another(
    shut: Release, standing_open: Release, people: People
) -> None:
    """Nor to any other release: a row must belong to the release of its review or case."""
    found, expected = {}, {}
    for guard in GUARDED:
        if guard.model in (Case, CaseTag, Waiver):
            continue  # its release is all that it belongs to
        real = {**guard.another(shut, people), "release_id": standing_open.pk}
        lying = replace(guard, another=value(**real))
        found[guard.table] = refusal_of(lambda: raw_insert(lying, shut, people))  # noqa: B023
        of_a_case = any(field.column == "case_id" for field in guard.model._meta.concrete_fields)
        expected[guard.table] = OF_ANOTHER_CASE if of_a_case else OF_ANOTHER_REVIEW
        if guard.model in (PairAnswer, PairRevision, PairSubmission):
            expected[guard.table] = OF_ANOTHER_PAIRING
    # Two rules refuse it, in an order that the engine chooses.
    assert found.pop("reviews_pairing") in (expected.pop("reviews_pairing"), NO_PAIR)
    assert len(found) == 12
    assert found == expected


def test_no_row_moves_under_the_name_of_another_open_release(
    standing_open: Release, people: People
) -> None:
    other = reviewed.filled("open-2")
    for guard in GUARDED:
        if guard.model not in (Case, CaseTag, Waiver):
            row = guard.row(standing_open)
            statement = f"UPDATE {guard.table} SET release_id = %s WHERE id = %s"
            said = refusal_of(lambda: sql(statement, other.pk, row.pk))  # noqa: B023
            assert said in BELONGS, guard.table


# --- The release itself, its draws, events and closings -------------------------------------------

OF_A_RELEASE: dict[str, Any] = {
    "name": "other-1",
    "product": "other",
    "rubric_id": 2,
    "reviews_per_case": 3,
    "due_date": "2035-01-01",
    "policy": '{"margin": 9}',
    "created_at": "2020-01-01 00:00:00+00:00",
}


def test_what_a_closed_release_says_of_itself_cannot_change(
    shut: Release, standing_open: Release
) -> None:
    for column, other in OF_A_RELEASE.items():
        statement = f"UPDATE cases_release SET {column} = %s WHERE id = %s"
        said = [
            refusal_of(lambda: sql(statement, other, release.pk))  # noqa: B023
            for release in (shut, standing_open)
        ]
        assert said == [RELEASE, ""], column


def test_a_closed_release_gets_no_other_baseline(shut: Release, standing_open: Release) -> None:
    statement = "UPDATE cases_release SET baseline_id = %s WHERE id = %s"
    assert refusal_of(lambda: sql(statement, standing_open.pk, shut.pk)) == RELEASE
    assert refusal_of(lambda: sql(statement, shut.pk, standing_open.pk)) == ""


def test_a_closed_release_is_not_removed(shut: Release) -> None:
    def remove() -> None:
        sql("DELETE FROM cases_release WHERE id = %s", shut.pk)
        connection.check_constraints()

    assert refusal_of(remove) != ""


def releases_of_every_status(people: People) -> Iterator[Release]:
    draft = tagged_draft("draft-1", people)
    reviewed.draw(draft)
    yield draft
    yield full("open-1", people)
    yield closed("shut-1", people)


CHANGING: list[Way] = [
    raw_update,
    raw_delete,
    raw_update_of_many,
    raw_delete_of_many,
    save,
    update,
    bulk_update,
    upsert,
    delete,
    delete_many,
]


def test_an_event_is_never_changed_or_removed_and_always_taken_in(people: People) -> None:
    for release in releases_of_every_status(people):
        found = refusals(CHANGING, [EVENTS], release, people)
        assert set(found.values()) == {KEPT_EVENT}, (release.status, found)
        taken = refusals([raw_insert, save_new, bulk_create], [EVENTS], release, people)
        assert set(taken.values()) == {""}, (release.status, taken)


def test_a_draw_is_never_changed_or_removed_and_none_comes_after_the_closing(
    people: People,
) -> None:
    for release in releases_of_every_status(people):
        found = refusals(CHANGING, [DRAWS], release, people)
        if release.is_closed:
            # It begins as an INSERT, which a closed release refuses too.
            assert found.pop((DRAWS.table, "upsert")) == FROZEN
        assert set(found.values()) == {KEPT_DRAW}, (release.status, found)
        taken = refusals([raw_insert, save_new, bulk_create], [DRAWS], release, people)
        assert set(taken.values()) == {FROZEN if release.is_closed else ""}, release.status


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL replaces no row")
def test_no_row_is_put_in_place_of_one_that_stays(shut: Release, standing_open: Release) -> None:
    """Also for clients without our pragma, for which DELETE triggers do not run."""
    sql("PRAGMA recursive_triggers = OFF")
    for guard in GUARDED:
        inside, outside = guard.row(shut), guard.row(standing_open)
        assert replacing(guard, outside, id=inside.pk) == guard.sentence, guard.table
        assert moving(guard, outside, id=inside.pk) == guard.sentence, guard.table
        assert replacing(guard, outside, id=outside.pk) == "", guard.table
    cases = GUARDED[0]
    inside, outside = cases.row(shut), cases.row(standing_open)
    assert replacing(cases, outside, id=None, code=inside.code) == CASES
    assert moving(cases, outside, code=inside.code) == CASES
    for guard, sentence in ((EVENTS, KEPT_EVENT), (DRAWS, KEPT_DRAW)):
        for change in ({"id": None}, {"number": 77}):
            assert replacing(guard, guard.row(standing_open), **change) == sentence, change


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL replaces no row")
def test_no_release_is_put_in_place_of_a_closed_one(shut: Release, standing_open: Release) -> None:
    sql("PRAGMA recursive_triggers = OFF")
    releases, removed = Guarded(Release, {}, value()), "A closed release cannot be removed."
    for change in ({"name": shut.name}, {"id": shut.pk, "name": "other"}):
        assert replacing(releases, standing_open, **change) == removed
        assert moving(releases, standing_open, **change) == removed
    assert replacing(releases, standing_open, status="draft") == ""
    closings = Guarded(Closing, {}, value())
    closing = Closing.objects.get(release=shut)
    assert replacing(closings, closing, id=None, number=7) == KEPT_CLOSING, "two would stand"


def replacing(guard: Guarded, row: Any, **change: Any) -> str:
    """Return the error when a changed copy of the row replaces others."""
    columns = [field.column for field in row._meta.concrete_fields]
    copied = ", ".join("%s" if name in change else f'"{name}"' for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    values = [change[name] for name in columns if name in change]
    statement = (
        f"INSERT OR REPLACE INTO {guard.table} ({names}) "
        f"SELECT {copied} FROM {guard.table} WHERE id = %s"
    )
    return refusal_of(lambda: sql(statement, *values, row.pk))


def moving(guard: Guarded, row: Any, **change: Any) -> str:
    names = ", ".join(f'"{name}" = %s' for name in change)
    statement = f"UPDATE OR REPLACE {guard.table} SET {names} WHERE id = %s"
    return refusal_of(lambda: sql(statement, *change.values(), row.pk))


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no TRUNCATE")
def test_no_table_that_is_guarded_can_be_truncated(shut: Release) -> None:
    connection.check_constraints()  # nothing is truncated while a check is still to come
    tables = {
        trigger.table
        for trigger in triggers.list_triggers("postgresql")
        if trigger.act == "TRUNCATE"
    }
    assert {"cases_event", "reviews_score", "cases_release", "reviews_closing"} <= tables
    for table in tables:
        assert refusal_of(lambda: sql(f"TRUNCATE {table} CASCADE")), table  # noqa: B023
    assert refusal_of(lambda: sql("TRUNCATE reviews_score")) == FROZEN


def test_a_release_stays_closed_while_its_closing_stands(shut: Release, people: People) -> None:
    stands = "The closing of the release stands, so it stays closed."
    statement = "UPDATE cases_release SET status = %s WHERE id = %s"
    for status_ in ("reviewing", "draft"):
        assert refusal_of(lambda: sql(statement, status_, shut.pk)) == stands  # noqa: B023
        rows = Release.objects.filter(pk=shut.pk)
        assert refusal_of(lambda: rows.update(status=status_)) == stands  # noqa: B023
    assert refusal_of(lambda: sql(statement, "closed", shut.pk)) == ""
    releases_lifecycle.reopen(release=shut, reason="a mistake", user=people.mina, now=NOW)
    assert called(shut.name).is_reviewing


OF_A_CLOSING: dict[str, Any] = {
    "summary": "{}",
    "digest": "0" * 64,
    "head": "0" * 64,
    "event": 1,
    "number": 7,
    "is_abandoned": True,
    "by": "other",
    "reason": "other",
    "closed_at": "2020-01-01 00:00:00+00:00",
    "closed_from": "draft",
    "headline": '{"kinds": 9}',
}


@pytest.mark.parametrize("is_open_again", [False, True])
def test_the_report_of_a_closing_cannot_change(
    shut: Release, people: People, is_open_again: bool
) -> None:
    if is_open_again:
        releases_lifecycle.reopen(release=shut, reason="a mistake", user=people.mina, now=NOW)
    closing = Closing.objects.get(release=shut)
    for column, value in OF_A_CLOSING.items():
        statement = f"UPDATE reviews_closing SET {column} = %s WHERE id = %s"
        assert refusal_of(lambda: sql(statement, value, closing.pk)) == KEPT_REPORT, column  # noqa: B023
        rows = Closing.objects.filter(pk=closing.pk)
        assert refusal_of(lambda: rows.update(**{column: value})) == KEPT_REPORT, column  # noqa: B023
    statement = "DELETE FROM reviews_closing WHERE id = %s"
    assert refusal_of(lambda: sql(statement, closing.pk)) == KEPT_CLOSING
    assert refusal_of(lambda: closing.delete()) == KEPT_CLOSING


def test_a_closing_can_be_marked_as_reopened(shut: Release) -> None:
    rows = Closing.objects.filter(release=shut)
    assert refusal_of(lambda: rows.update(reopened_at=NOW)) == ""
    assert refusal_of(lambda: rows.get().save()) == ""


OF_A_DECISION: dict[str, Any] = {
    "decision": "do-not-ship",
    "reason": "other",
    "by": "other",
    "decided_at": "2020-01-01 00:00:00+00:00",
}


def test_a_decision_cannot_change_or_go_and_can_be_voided(shut: Release, people: People) -> None:
    digest = Closing.objects.get(release=shut).digest
    signed = sign(
        release=shut, decision="ship", reason="good", digest=digest, user=people.mina, now=NOW
    )
    for column, other in OF_A_DECISION.items():
        statement = f"UPDATE reviews_decision SET {column} = %s WHERE id = %s"
        said = refusal_of(lambda: sql(statement, other, signed.pk))  # noqa: B023
        assert said == "A decision cannot be changed.", column
    assert refusal_of(lambda: signed.delete()) == "A decision cannot be removed."
    assert refusal_of(lambda: Decision.objects.update(voided_at=NOW)) == ""


# --- REPLACE, which on SQLite removes a row without its DELETE trigger ----------------------------

only_sqlite = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="only SQLite has it")


def raw_replace(guard: Guarded, row: Model, **values: Any) -> None:
    """Replace the row under its own key with other values."""
    columns = [field.column for field in guard.model._meta.concrete_fields]
    names = ", ".join(f'"{name}"' for name in columns)
    copied = ", ".join("%s" if name in values else f'"{name}"' for name in columns)
    put = [values[name] for name in columns if name in values]
    sql(
        f"INSERT OR REPLACE INTO {guard.table} ({names}) SELECT {copied} FROM {guard.table} "
        "WHERE id = %s",
        *put,
        row.pk,
    )


@only_sqlite
def test_replacing_is_refused_where_the_insert_is(shut: Release) -> None:
    for guard in GUARDED:
        said = refusal_of(lambda: raw_replace(guard, guard.row(shut), **guard.change))  # noqa: B023
        assert said == guard.sentence, guard.table


@only_sqlite
def test_what_is_kept_always_is_not_replaced(shut: Release, standing_open: Release) -> None:
    closings, rubrics = Guarded(Closing, {}, value()), Guarded(Rubric, {}, value())
    found = {
        guard.table: refusal_of(lambda: raw_replace(guard, row, **values))  # noqa: B023
        for guard, row, values in (
            (EVENTS, EVENTS.row(shut), {"by": "other"}),
            (DRAWS, DRAWS.row(standing_open), {"size": 99}),
            (closings, closings.row(shut), {"digest": "0" * 64}),
            (rubrics, shut.rubric, {"text": "other"}),
        )
    }
    assert {table: said for table, said in found.items() if not said} == {}


@only_sqlite
def test_a_score_of_a_closed_release_is_not_replaced_by_one_of_another(
    shut: Release, standing_open: Release
) -> None:
    [scores] = [guard for guard in GUARDED if guard.model is Score]
    theirs, ours = scores.row(shut), scores.row(standing_open)

    def replace_it() -> None:
        sql(
            "INSERT OR REPLACE INTO reviews_score "
            "(id, review_id, release_id, metric, value, rationale, evidence, coherence, "
            "changed_mind) VALUES (%s, %s, %s, 'copy', 0, '', '[]', '', FALSE)",
            theirs.pk,
            ours.review_id,
            standing_open.pk,
        )

    assert refusal_of(replace_it) == FROZEN


# --- What goes on after the closing ---------------------------------------------------------------


def test_a_closed_release_is_signed_and_reopened(shut: Release, people: People) -> None:
    closing = Closing.objects.get(release=shut)
    sign(
        release=shut,
        decision="ship",
        reason="good",
        digest=closing.digest,
        user=people.mina,
        now=NOW,
    )
    assert Decision.objects.standing().get(release=shut).by == "mina"
    releases_lifecycle.reopen(release=shut, reason="a mistake", user=people.mina, now=NOW)
    again = Closing.objects.get(release=shut)
    assert again.reopened_at == NOW
    assert (again.summary, again.digest, again.head) == (
        closing.summary,
        closing.digest,
        closing.head,
    )
    assert not Decision.objects.standing().filter(release=shut).exists()
    releases_lifecycle.close(release=shut, user=people.mina, now=NOW)
    assert [closing.number for closing in Closing.objects.filter(release=shut)] == [1, 2]
    ledger.verify(shut)


def test_the_head_of_the_closing_is_the_digest_of_its_event(shut: Release) -> None:
    closing = Closing.objects.get(release=shut)
    event = shut.events.get(number=closing.event)
    assert (event.kind, event.digest) == ("release-closed", closing.head)
    assert (shut.ledger_length, shut.ledger_head) == (closing.event, closing.head)
    assert event.data["summary"] == closing.digest


# --- Django's admin site --------------------------------------------------------------------------


def of_both_apps() -> list[type[Model]]:
    return [
        model for label in ("cases", "reviews") for model in apps.get_app_config(label).get_models()
    ]


def test_the_admin_site_has_no_way_to_write(shut: Release, root: User, as_user: AsUser) -> None:
    client = as_user(root)
    index = reverse("admin:index")
    before = everything()
    shown = 0
    for model in of_both_apps():
        row = model._default_manager.order_by("pk").first()
        pk = row.pk if row else 1
        base = f"{index}{model._meta.app_label}/{model._meta.model_name}/"
        fields = {field.name: "1" for field in model._meta.concrete_fields}
        action = {"action": "delete_selected", "_selected_action": [pk], "post": "yes"}
        for address, data in (
            (f"{base}add/", fields),
            (f"{base}{pk}/change/", fields | {"_save": "Save"}),
            (f"{base}{pk}/delete/", {"post": "yes"}),
            (f"{base}{pk}/history/", {}),
            (f"{base}{pk}/", fields),
            (base, action),
        ):
            answer = client.post(address, data)
            # Three lists have actions of ours; this is none of them.
            leads_on = address.endswith(("/review/", "/sampledcase/", "/release/"))
            may = (302, 403, 404, 405) if leads_on else (403, 404, 405)
            assert answer.status_code in may, (address, answer.status_code)
        if admin.site.is_registered(model) and row is not None:
            shown += 1
            assert client.get(f"{base}{pk}/change/").status_code == 200
    assert shown > 10
    assert everything() == before


def test_removing_people_in_the_admin_site_leaves_their_reviews(
    shut: Release, root: User, people: People, as_user: AsUser
) -> None:
    client = as_user(root)
    before = everything()
    for person in (people.rita, people.omar, people.mina):
        address = f"{reverse('admin:index')}auth/user/{person.pk}/delete/"
        client.post(address, {"post": "yes"})
    action = {"action": "delete_selected", "_selected_action": [people.rita.pk], "post": "yes"}
    client.post(f"{reverse('admin:index')}auth/user/", action)
    assert Review.objects.filter(release=shut).count() == 6
    assert User.objects.filter(pk__in=[people.rita.pk, people.omar.pk]).count() == 2
    ledger.verify(shut)
    assert everything() == before


# --- Commands -------------------------------------------------------------------------------------

Prepare = Callable[[People], Release]


def draft(people: People) -> Release:
    return tagged_draft("draft-1", people)


def drawn(people: People) -> Release:
    release = draft(people)
    reviewed.draw(release)
    return release


def ready(people: People) -> Release:
    return full("open-1", people)


def at_a_look(people: People) -> Release:
    release = full("open-1", people)
    size = release.sample.standing().planned().count()
    policy = release.policy | {"looks": [size, size + 1]}
    Release.objects.filter(pk=release.pk).update(policy=policy)
    return reviewed.current(release)


def one_review_short(people: People) -> Release:
    release = full("open-1", people)
    rows = Review.objects.filter(release=release, case__case_key="ramp", reviewer=people.rita)
    rows.get().delete()
    return release


# The arguments after the name of the release, and a release in which the command does something.
COMMANDS: dict[str, tuple[list[str], Prepare]] = {
    "import_cases new": (["NEW"], draft),
    "import_cases changed": (["CHANGED"], draft),
    "undo_import": (["1"], draft),
    "draw_sample": ([], draft),
    "extend_sample": ([], at_a_look),
    "start_review": ([], drawn),
    "close_release": ([], ready),
    "close_release waiving": (["--waive", "reviews", "--reason", "r"], one_review_short),
    "close_release abandoning": (["--abandon", "--reason", "r"], ready),
    "waive": (["cases", "--reason", "r"], ready),
    "waive a kind": (["kind:" + reviewed.KIND_OF["ramp"], "--reason", "r"], ready),
}


def run(command: str, release: Release, folder: Path) -> None:
    new, other = folder / "new.jsonl", folder / "changed.jsonl"
    new.write_bytes(lines(reviewed.row("new-1")))
    other.write_bytes(lines(reviewed.row("kids", "family", locale="en")))
    files = {"NEW": str(new), "CHANGED": str(other)}
    arguments = [files.get(argument, argument) for argument in COMMANDS[command][0]]
    out = StringIO()
    call_command(command.split()[0], release.name, *arguments, stdout=out, stderr=out)


def test_a_command_on_a_closed_release_is_refused_and_writes_nothing(
    shut: Release, tmp_path: Path
) -> None:
    before = everything()
    for command in COMMANDS:
        with pytest.raises(CommandError) as refusal:
            run(command, shut, tmp_path)
        assert refusal.value.returncode == 1, command
        assert "shut-1" in str(refusal.value), command
        assert everything() == before, command


PREPARATIONS = [draft, drawn, ready, one_review_short]


@pytest.mark.parametrize("prepare", PREPARATIONS)
def test_the_same_command_writes_where_the_release_is_not_closed(
    people: People, prepare: Prepare, tmp_path: Path
) -> None:
    release = prepare(people)
    before = everything()
    for command in [name for name, (_, works_on) in COMMANDS.items() if works_on is prepare]:
        with transaction.atomic():
            run(command, release, tmp_path)
            assert everything() != before, command
            transaction.set_rollback(True)


# --- Pages ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """A form of the release workflow, its user, and a release in which it has an effect."""

    route: str
    who: str
    data: dict[str, Any]
    works_on: Prepare
    case: str = ""
    query: str = ""
    number: int | None = None

    def address(self, release: Release) -> str:
        arguments: list[Any] = [release.name]
        if self.case and self.route.startswith("sample-"):
            arguments.append(self.code(release))
        if self.number is not None:
            arguments.append(self.number)
        return reverse(self.route, args=arguments) + self.query

    def code(self, release: Release) -> str:
        return release.cases.get(case_key=self.case).code

    def send(self, client: Client, release: Release) -> int:
        data = dict(self.data)
        if self.route in ("case-tags", "case-exclude"):
            data["case"] = [self.code(release)]
        return client.post(self.address(release), data).status_code


REASON = {"reason": "because"}
EDIT = {
    "product": "wanderer",
    "rubric": "1",
    "reviews_per_case": "3",
    "baseline": "",
    "due_date": "2035-01-01",
    "margin": "0.5",
    "within_one": "80",
    "accept": "pass",
    **{f"floor_{metric}": "3" for metric in reviewed.METRICS},
}
FORMS = {
    "draw": Form("draw", "ada", {"size": "6"}, drawn),
    "add": Form("sample-add", "ada", {"into": "spare-1", **REASON}, ready),
    "swap": Form("sample-swap", "ada", {"into": "spare-1", **REASON}, drawn, "ramp"),
    "remove": Form("sample-remove", "ada", REASON, drawn, "ramp"),
    "extend": Form("sample-extend", "ada", {"look": "2"}, at_a_look),
    "withdraw": Form("sample-withdraw", "ada", {"cause": "broken", **REASON}, ready, "ramp"),
    "exclude": Form(
        "case-exclude",
        "ada",
        {"exclusion": "exclude", "exclusion_reason": "because"},
        drawn,
        "spare-1",
    ),
    "let in": Form(
        "case-exclude",
        "ada",
        {"exclusion": "let-in", "exclusion_reason": "because"},
        drawn,
        "spare-3",
    ),
    "tag": Form("case-tags", "ada", {"tag": "new", "act": "add", **REASON}, drawn, "spare-1"),
    "untag": Form("case-tags", "ada", {"tag": "quiet", "act": "reset", **REASON}, drawn, "spare-3"),
    "undo": Form("import-undo", "ada", {}, draft, number=1),
    "edit": Form("release-edit", "ada", EDIT, draft),
    "due date": Form("release-edit", "ada", {"due_date": "2035-01-01"}, ready),
    "start": Form("release-start", "ada", {}, drawn),
    "close": Form("release-close", "mina", {}, ready),
    "close waiving": Form(
        "release-close", "mina", {"waive": ["reviews"], **REASON}, one_review_short
    ),
    "abandon": Form("release-abandon", "mina", REASON, ready),
    "waive": Form("waive", "mina", REASON, ready, query="?rule=cases"),
    "take back": Form(
        "waiver-take-back", "mina", REASON, ready, query="?rule=kind:" + reviewed.KIND_OF["rush"]
    ),
}


def test_every_form_of_the_release_life_is_tried() -> None:
    of_a_release = {
        route.name
        for route in all_routes()
        if route.path.startswith("/releases/no-such-release/") and WRITE in ROUTES[route.name]
    }
    # Importing has two steps and a test of its own; the others are for closed releases.
    besides = {"import", "import-preview", "release-reopen", "decision", "release-archive"}
    # What is settled is open to two roles: tests/reviews/test_adjudicating and _looking_at_scores.
    besides |= {"adjudication", "scores-open"}
    # Who reviews and who compares what: tests/reviews/assignments and tests/reviews/pairings.
    besides |= {route for route in of_a_release if route.startswith(("assignment", "pairings"))}
    assert {form.route for form in FORMS.values()} == of_a_release - besides


def test_a_form_sent_for_a_closed_release_changes_nothing(
    shut: Release, people: People, root: User, as_user: AsUser
) -> None:
    before = everything()
    wrong: dict[str, Any] = {}
    for name, form in FORMS.items():
        for person in (people.ada, people.mina, root):
            may = person is root or person.username == form.who
            code = answer_to(form, as_user(person), shut)
            if code not in (REFUSED if may else {403}):
                wrong[f"{name} by {person}"] = code
        if everything() != before:
            wrong[name] = "something changed"
    assert wrong == {}
    assert ledger.verify(shut) == shut.ledger_length


# Pages with a list of cases answer with the list and a message on it.
REFUSED = {200, 302, 409, 422}


def answer_to(form: Form, client: Client, release: Release) -> int | str:
    try:
        return form.send(client, release)
    except Exception as error:
        return str(error)


@pytest.mark.parametrize("prepare", PREPARATIONS)
def test_the_same_form_works_where_the_release_is_not_closed(
    people: People, root: User, as_user: AsUser, prepare: Prepare
) -> None:
    release = prepare(people)
    client = as_user(root)
    before = everything()
    wrong: dict[str, Any] = {}
    for name, form in FORMS.items():
        if form.works_on is prepare:
            with transaction.atomic():
                code = answer_to(form, client, release)
                if code != 302 or everything() == before:
                    wrong[name] = code
                transaction.set_rollback(True)
    assert wrong == {}


def test_a_file_sent_to_a_closed_release_is_not_imported(
    shut: Release, people: People, as_user: AsUser
) -> None:
    client = as_user(people.ada)
    before = everything()
    text = lines(reviewed.row("new-1")).decode()
    answer = client.post(reverse("import", args=[shut.name]), {"format": "auto", "text": text})
    assert answer.status_code in (302, 409)
    if answer.status_code == 302:
        preview = answer.headers["Location"]
        seen = client.get(preview)
        digest = seen.context["found"].digest if "found" in (seen.context or {}) else ""
        assert client.post(preview, {"seen": digest}).status_code == 409
    assert everything() == before
