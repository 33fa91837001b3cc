"""Restore the rows of a bundle into SQLite in memory, so that the same code can check them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from itertools import count
from typing import Any, TypeVar

import msgspec
from django.apps import apps
from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model
from django.db.utils import ConnectionHandler

from cases import rubric
from cases.itinerary.reading import digest_case
from cases.models import Case, CaseTag, Event, Exclusion, Release, Rubric, RubricTranslation
from cases.models.cases import TagOrigin, TagStrength
from cases.releases.policy import PASSED
from reviews import models
from reviews.desk import judgement as desk_judgement
from reviews.pairings import judgement as pair_judgement
from reviews.report.summary.document import digest_summary
from reviews.sample.order import Order, pack

from . import records
from .archive import ArchiveReader, NotReadable
from .rules import restore_rules

LINES_AT_ONCE = 200
# For times that a bundle does not have.
LONG_AGO = datetime(1, 1, 2, tzinfo=UTC)
# Errors of reading or storing a row that has the right shape but makes no sense.
SENSELESS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    DatabaseError,
    LookupError,
    RecursionError,
    StopIteration,
    TypeError,
    ValueError,
    msgspec.MsgspecError,
)

R = TypeVar("R", bound=msgspec.Struct)
M = TypeVar("M", bound=Model)


class Misfit(Exception):
    """A line cannot be stored; the message gives the reason."""


@contextmanager
def use_memory_database() -> Iterator[None]:
    """Send all queries of this thread to a new database, not to that of the site.

    Foreign keys are not enforced: imports, questions and others are not in a bundle.
    """
    memory = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
    own = ConnectionHandler({DEFAULT_DB_ALIAS: memory})[DEFAULT_DB_ALIAS]
    of_site = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = own
    try:
        with own.schema_editor() as editor:
            editor.create_model(User)
            for app in ("cases", "reviews"):
                for model in apps.get_app_config(app).get_models():
                    editor.create_model(model)
        own.disable_constraint_checking()
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = of_site
        # Django's close() for SQLite keeps a database in memory open.
        BaseDatabaseWrapper.close(own)


def restore(archive: ArchiveReader) -> tuple[Release, list[str]]:
    """Restore a release. Return it with the problems of lines that could not be stored.

    Digests of rubric and cases are computed, not taken from the archive. Raise NotReadable.
    """
    loader = Loader(archive)
    return loader.load(), loader.problems


class Loader:
    """Stores the files of a bundle one after another.

    Keeps rulings and the primary keys of cases, people and closings, which later lines refer to.
    """

    def __init__(self, archive: ArchiveReader) -> None:
        self.archive = archive
        self.problems: list[str] = []
        self.keys = count(1)
        self.cases: dict[str, int] = {}
        self.old_cases: dict[str, int] = {}
        self.people: dict[str, int] = {}
        self.closings: dict[str, int] = {}
        self.rulings: list[models.Ruling] = []

    def load(self) -> Release:
        self.summary = self.archive.text("summary.json")
        self.release = self.store_release()
        builders: dict[str, Callable[[Any], Iterable[Model]]] = {
            "rulings.jsonl": self.build_ruling,
            "draws.jsonl": self.build_draw,
            "cases.jsonl": self.build_case,
            "exclusions.jsonl": self.build_exclusion,
            "reviews.jsonl": self.build_review,
            records.PAIRINGS: self.build_pairing,
            "adjudications.jsonl": self.build_adjudication,
            "waivers.jsonl": self.build_waiver,
            "events.jsonl": self.build_event,
            "closings.jsonl": self.build_closing,
            "decisions.jsonl": self.build_decision,
        }
        for name, shape in records.LINES.items():
            if name == records.PAIRINGS and name not in self.archive.entries:
                continue
            self.store(name, shape, builders[name])
        self.problems += restore_rules(self.archive, self.release)
        return self.release

    def store(self, name: str, shape: type[R], build: Callable[[R], Iterable[Model]]) -> None:
        """Store every line of a file as rows. Lines that do not fit the schema become problems."""
        waiting: dict[str, list[Model]] = {}
        for place, record in self.archive.rows(name, shape):
            try:
                waiting[place] = list(build(record))
            except (Misfit, *SENSELESS) as error:
                self.problems.append(f"{place}: {describe_error(error)}")
            if len(waiting) >= LINES_AT_ONCE:
                self.insert(waiting)
                waiting = {}
        self.insert(waiting)

    def insert(self, lines: dict[str, list[Model]]) -> None:
        try:
            create_rows(row for rows in lines.values() for row in rows)
        except SENSELESS as error:
            if len(lines) == 1:
                self.problems.append(f"{next(iter(lines))}: {describe_error(error)}")
                return
            # One by one, to find the line that does not fit.
            for place, rows in lines.items():
                self.insert({place: rows})

    # --- The release ----------------------------------------------------------------------------

    def store_release(self) -> Release:
        record = self.archive.document("release.json", records.ReleaseRecord)
        own = self.store_rubric()
        try:
            baseline = self.store_baseline(record, own)
            release = build_row(Release, record, rubric=own, baseline=baseline)
            release.save()
        except SENSELESS as error:
            raise NotReadable(f"release.json: {describe_error(error)}") from error
        return release

    def store_baseline(self, record: records.ReleaseRecord, yardstick: Rubric) -> Release | None:
        """Store the baseline with its name and report; its rows are not in the bundle."""
        if record.baseline is None:
            return None
        baseline = Release.objects.create(
            name=record.baseline, rubric=yardstick, created_at=record.created_at
        )
        if record.baseline_state in ("closed", "abandoned"):
            is_abandoned = record.baseline_state == "abandoned"
            text = "" if is_abandoned else self.archive.text("baseline-summary.json")
            models.Closing.objects.create(
                release=baseline,
                number=1,
                closed_at=LONG_AGO,
                is_abandoned=is_abandoned,
                reason="not in the bundle",
                digest=digest_summary(text),
                summary=text,
                event=0,
            )
        return baseline

    def store_rubric(self) -> Rubric:
        record = self.archive.document("rubric.json", records.RubricRecord)
        original, *others = sorted(record.texts, key=lambda text: not text.is_original)
        if not original.is_original or any(text.is_original for text in others):
            raise NotReadable("rubric.json: exactly one text has to be the original.")
        found = Rubric(number=record.number)
        for row, language in [
            (found, original.language),
            *((RubricTranslation(rubric=found), text.language) for text in others),
        ]:
            row.language, row.published_at = language, LONG_AGO
            row.text = self.archive.text(f"rubric/{language}.md")
            try:
                document = (
                    rubric.read(row.text).document
                    if row is found
                    else rubric.translated(found.document, row.text).document
                )
                row.digest, row.data = rubric.digest(document), rubric.to_data(document)
                row.save()
            except (rubric.RubricError, *SENSELESS) as error:
                raise NotReadable(f"rubric/{language}.md: {error}") from error
        return found

    # --- Lines ----------------------------------------------------------------------------------

    def build_ruling(self, record: records.RulingRecord) -> Iterator[Model]:
        """Build a ruling, on the question of the one that it supersedes or on one of its own."""
        if record.supersedes > len(self.rulings):
            raise Misfit("it supersedes a ruling that is not above it")
        before = self.rulings[record.supersedes - 1] if record.supersedes else None
        ruling = build_row(
            models.Ruling,
            record,
            pk=len(self.rulings) + 1,
            rubric=self.release.rubric,
            question_id=before.question_id if before else next(self.keys),
            number=before.number + 1 if before else 1,
            supersedes_id=before.pk if before else None,
        )
        self.rulings.append(ruling)
        yield ruling

    def build_draw(self, record: records.DrawRecord) -> Iterator[Model]:
        yield build_row(
            models.Draw,
            record,
            release=self.release,
            record=pack(self.read_order(record)),
            accept=PASSED if record.accept is msgspec.UNSET else record.accept,
        )

    def read_order(self, draw: records.DrawRecord) -> Order:
        """Read the pool of a draw as the draw stores it."""
        kinds = [key for key, _tags in draw.kinds]
        places = {kind: place for place, kind in enumerate([*kinds, ""])}
        order, name = Order(kinds, [], [], [], [], []), f"pools/{draw.number}.jsonl"
        tag_sets: dict[tuple[str, ...], int] = {}
        for place, entry in self.archive.rows(name, records.PoolRecord):
            if entry.kind not in places:
                raise Misfit(f"{place}: draw {draw.number} has no kind “{entry.kind}”.")
            order.keys.append(entry.case_key)
            order.digests.append(entry.digest)
            order.taken_by.append(places[entry.kind])
            order.tags.append(tag_sets.setdefault(tuple(entry.tags), len(tag_sets)))
        if len(set(order.keys)) < len(order.keys):
            raise Misfit(f"{name}: a case is in it twice.")
        order.tag_sets.extend(map(list, tag_sets))
        return order

    def build_case(self, record: records.CaseRecord) -> Iterator[Model]:
        content: dict[str, Any] = msgspec.json.decode(record.content)
        if content.get("case_key") != record.case_key:
            self.problems.append(f"cases.jsonl: {record.case_key} has the content of another case.")
        case = self.build_case_row(record.case_key, bytes(record.content).decode(), content)
        yield case
        yield build_row(models.SampledCase, record, release=self.release, case=case)
        origin, strength = TagOrigin.DECLARED, TagStrength.STRONG
        for tag in record.tags:
            yield CaseTag(case=case, tag=tag, origin=origin, strength=strength)

    def build_case_row(self, case_key: str, data: str, content: dict[str, Any]) -> Case:
        pk = next(self.keys)
        self.cases.setdefault(case_key, pk)
        digest, days = digest_case(content), 0
        own = {"release": self.release, "batch_id": 1, "code": str(pk), "has_plan": True}
        summary = content.get("automated_summary") or {}
        own["check_status"] = summary.get("status", "")
        return Case(pk=pk, case_key=case_key, data=data, digest=digest, days=days, **own)

    def find_case(self, case_key: str) -> int:
        if case_key not in self.cases:
            raise Misfit(f"{case_key} is not in cases.jsonl.")
        return self.cases[case_key]

    def build_exclusion(self, record: records.ExclusionRecord) -> Iterator[Model]:
        """A case that was never in the sample has only its key in the bundle."""
        if record.case_key not in self.cases:
            yield self.build_case_row(record.case_key, "{}", {})
        yield build_row(
            Exclusion, record, release=self.release, case_id=self.cases[record.case_key]
        )

    def find_person(self, username: str) -> int:
        if username not in self.people:
            self.people[username] = User.objects.create(username=username).pk
        return self.people[username]

    def build_review(self, record: records.ReviewRecord) -> Iterator[Model]:
        said = record.said or desk_judgement.Judgement()
        review = build_row(
            models.Review,
            record,
            pk=next(self.keys),
            release=self.release,
            case_id=self.find_case(record.case_key),
            reviewer_id=self.find_person(record.reviewer),
            version=record.version or 0,
            comment=said.comment,
        )
        own: dict[str, Any] = {"review": review, "release": self.release}
        yield review
        for metric, score in said.scores.items():
            if score.value is not None:
                yield build_row(
                    models.Score,
                    score,
                    **own,
                    metric=metric,
                    evidence=msgspec.to_builtins(score.evidence),
                    coherence=record.coherence.get(metric, ""),
                    changed_mind=metric in record.changed_minds,
                )
        for item, answer in said.answers.items():
            if answer.answer is not None:
                evidence = msgspec.to_builtins(answer.evidence)
                yield build_row(models.ChecklistAnswer, answer, **own, item=item, evidence=evidence)
        for flag in record.flags:
            by = self.find_person(flag.by) if flag.by else None
            yield build_row(models.Flag, flag, **own, judged_by_id=by)
        for before in record.earlier:
            content = desk_judgement.to_data(before.said) | {"coherence": before.coherence}
            yield build_row(models.Revision, before, **own, content=content)
        for version in (*(before.version for before in record.earlier), record.version):
            if version is not None:
                own_key = {"key": str(version), "version": version, "submitted_at": LONG_AGO}
                yield models.Submission(**own, **own_key)

    def build_pairing(self, record: records.PairingRecord) -> Iterator[Model]:
        """Build a pairing. Of the old case the bundle has only the digest."""
        if record.case_key not in self.old_cases:
            old = self.build_case_row(record.case_key, "{}", {})
            old.release_id = self.release.baseline_id or 0
            old.digest = record.old_digest
            self.old_cases[record.case_key] = old.pk
            yield old
        said = record.said or pair_judgement.PairJudgement()
        pairing = build_row(
            models.Pairing,
            record,
            pk=next(self.keys),
            release=self.release,
            case_id=self.find_case(record.case_key),
            old_case_id=self.old_cases[record.case_key],
            reader_id=self.find_person(record.reviewer),
            version=record.version or 0,
            newer=said.newer or "",
        )
        own: dict[str, Any] = {"pairing": pairing, "release": self.release}
        yield pairing
        for metric, entry in said.steps.items():
            if entry.step is not None:
                yield build_row(models.PairAnswer, entry, **own, item=metric)
        for item, side in said.sides.items():
            if side:
                yield models.PairAnswer(**own, item=item, side=side)
        for before in record.earlier:
            content = pair_judgement.to_data(before.said)
            yield build_row(models.PairRevision, before, **own, content=content)

    def build_adjudication(self, record: records.AdjudicationRecord) -> Iterator[Model]:
        case = self.find_case(record.case_key)
        yield build_row(models.Adjudication, record, release=self.release, case_id=case)

    def build_waiver(self, record: records.WaiverRecord) -> Iterator[Model]:
        yield build_row(models.Waiver, record, release=self.release)

    def build_event(self, record: records.EventRecord) -> Iterator[Model]:
        yield build_row(Event, record, release=self.release)

    def build_closing(self, record: records.ClosingRecord) -> Iterator[Model]:
        """Earlier reports have only their digest in the bundle."""
        pk = self.closings[record.digest] = next(self.keys)
        text = self.summary if record.reopened_at is None else ""
        yield build_row(models.Closing, record, pk=pk, release=self.release, summary=text)

    def build_decision(self, record: records.DecisionRecord) -> Iterator[Model]:
        if record.summary not in self.closings:
            raise Misfit(f"No closing has the report {record.summary}.")
        closing = self.closings[record.summary]
        yield build_row(models.Decision, record, release=self.release, closing_id=closing)


@cache
def list_columns(model: type[Model]) -> frozenset[str]:
    """List the columns of a model, without foreign keys."""
    fields = model._meta.concrete_fields
    return frozenset(field.name for field in fields if not field.is_relation)


def build_row(model: type[M], source: msgspec.Struct, /, **more: Any) -> M:
    """Build a row from the fields of a record that are columns, and `more`."""
    names = (list_columns(model) & set(source.__struct_fields__)) - more.keys()
    return model(**{name: getattr(source, name) for name in names}, **more)


def create_rows(rows: Iterable[Model]) -> None:
    """Insert all rows or none."""
    by_model = defaultdict[type[Model], list[Model]](list)
    for row in rows:
        by_model[type(row)].append(row)
    with transaction.atomic():
        for model, own in by_model.items():
            model._base_manager.bulk_create(own)


def describe_error(error: Exception) -> str:
    """Describe an error. SQLite names our constraints, whose names read as sentences."""
    if isinstance(error, Misfit):
        return str(error)
    return f"It cannot be stored: {str(error).replace('_', ' ')}."
