"""The rows of a bundle in a database of their own, so that they are checked by what checks the
site's: SQLite in memory with our schema, whichever database the site has."""

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
from reviews import models
from reviews.desk import judgement as desk_judgement
from reviews.report.summary.document import digest_summary
from reviews.sample.order import Order, pack

from . import records
from .archive import ArchiveReader, NotReadable

LINES_AT_ONCE = 200
# Of what a bundle has no time for.
LONG_AGO = datetime(1, 1, 2, tzinfo=UTC)
# What reading or storing a row raises that has the right shape and makes no sense.
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
    """Why a line cannot be stored, in a sentence."""


@contextmanager
def memory_database() -> Iterator[None]:
    """Until it is left, all queries of this thread go to a new database; the site's is not asked.

    Foreign keys are not enforced: imports, questions and the like are not in a bundle.
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
        # SQLite's own close() leaves a database in memory as it is.
        BaseDatabaseWrapper.close(own)


def restore(archive: ArchiveReader) -> tuple[Release, list[str]]:
    """The release, and what of the archive could not be stored. Raises NotReadable.

    Digests of rubric and cases are computed, not believed.
    """
    loader = Loader(archive)
    return loader.load(), loader.problems


class Loader:
    """Keeps the keys that later lines name: of cases, people and closings."""

    def __init__(self, archive: ArchiveReader) -> None:
        self.archive = archive
        self.problems: list[str] = []
        self.keys = count(1)
        self.cases: dict[str, int] = {}
        self.people: dict[str, int] = {}
        self.closings: dict[str, int] = {}

    def load(self) -> Release:
        self.summary = self.archive.text("summary.json")
        self.release = self.store_release()
        self.store("rulings.jsonl", records.RulingRecord, self.ruling)
        self.store("draws.jsonl", records.DrawRecord, self.draw)
        self.store("cases.jsonl", records.CaseRecord, self.case)
        self.store("exclusions.jsonl", records.ExclusionRecord, self.exclusion)
        self.store("reviews.jsonl", records.ReviewRecord, self.review)
        self.store("adjudications.jsonl", records.AdjudicationRecord, self.adjudication)
        self.store("waivers.jsonl", records.WaiverRecord, self.waiver)
        self.store("events.jsonl", records.EventRecord, self.event)
        self.store("closings.jsonl", records.ClosingRecord, self.closing)
        self.store("decisions.jsonl", records.DecisionRecord, self.decision)
        return self.release

    def store(self, name: str, shape: type[R], rows_of: Callable[[R], Iterable[Model]]) -> None:
        """Every line of a file as rows. One that does not fit the schema is named and left out."""
        waiting: dict[str, list[Model]] = {}
        for place, told in self.archive.rows(name, shape):
            try:
                waiting[place] = list(rows_of(told))
            except (Misfit, *SENSELESS) as error:
                self.problems.append(f"{place}: {refusal(error)}")
            if len(waiting) >= LINES_AT_ONCE:
                self.insert(waiting)
                waiting = {}
        self.insert(waiting)

    def insert(self, lines: dict[str, list[Model]]) -> None:
        try:
            create_rows(row for rows in lines.values() for row in rows)
        except SENSELESS as error:
            if len(lines) == 1:
                self.problems.append(f"{next(iter(lines))}: {refusal(error)}")
                return
            # One by one, to name the one that does not fit.
            for place, rows in lines.items():
                self.insert({place: rows})

    # --- The release ----------------------------------------------------------------------------

    def store_release(self) -> Release:
        told = self.archive.document("release.json", records.ReleaseRecord)
        own = self.store_rubric()
        try:
            baseline = self.store_baseline(told, own)
            release = row_of(Release, told, rubric=own, baseline=baseline)
            release.save()
        except SENSELESS as error:
            raise NotReadable(f"release.json: {refusal(error)}") from error
        return release

    def store_baseline(self, told: records.ReleaseRecord, yardstick: Rubric) -> Release | None:
        """Its name, and the report it was closed with. Its rows are not in the bundle."""
        if told.baseline is None:
            return None
        baseline = Release.objects.create(
            name=told.baseline, rubric=yardstick, created_at=told.created_at
        )
        if told.baseline_state in ("closed", "abandoned"):
            is_abandoned = told.baseline_state == "abandoned"
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
        told = self.archive.document("rubric.json", records.RubricRecord)
        original, *others = sorted(told.texts, key=lambda text: not text.is_original)
        if not original.is_original or any(text.is_original for text in others):
            raise NotReadable("rubric.json: exactly one text has to be the original.")
        found = Rubric(number=told.number)
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

    def ruling(self, told: records.RulingRecord) -> Iterator[Model]:
        yield row_of(models.Ruling, told, rubric=self.release.rubric, question_id=next(self.keys))

    def draw(self, told: records.DrawRecord) -> Iterator[Model]:
        yield row_of(models.Draw, told, release=self.release, record=pack(self.read_order(told)))

    def read_order(self, draw: records.DrawRecord) -> Order:
        """The pool as a draw keeps it, column by column."""
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

    def case(self, told: records.CaseRecord) -> Iterator[Model]:
        content: dict[str, Any] = msgspec.json.decode(told.content)
        if content.get("case_key") != told.case_key:
            self.problems.append(f"cases.jsonl: {told.case_key} has the content of another case.")
        case = self.new_case(told.case_key, bytes(told.content).decode(), content)
        yield case
        yield row_of(models.SampledCase, told, release=self.release, case=case)
        origin, strength = TagOrigin.DECLARED, TagStrength.STRONG
        for tag in told.tags:
            yield CaseTag(case=case, tag=tag, origin=origin, strength=strength)

    def new_case(self, case_key: str, data: str, content: dict[str, Any]) -> Case:
        pk = next(self.keys)
        self.cases.setdefault(case_key, pk)
        digest, days = digest_case(content), 0
        own = {"release": self.release, "batch_id": 1, "code": str(pk), "has_plan": True}
        return Case(pk=pk, case_key=case_key, data=data, digest=digest, days=days, **own)

    def known_case(self, case_key: str) -> int:
        if case_key not in self.cases:
            raise Misfit(f"{case_key} is not in cases.jsonl.")
        return self.cases[case_key]

    def exclusion(self, told: records.ExclusionRecord) -> Iterator[Model]:
        """Of a case that was never in the sample the bundle has only the key."""
        if told.case_key not in self.cases:
            yield self.new_case(told.case_key, "{}", {})
        yield row_of(Exclusion, told, release=self.release, case_id=self.cases[told.case_key])

    def person(self, username: str) -> int:
        if username not in self.people:
            self.people[username] = User.objects.create(username=username).pk
        return self.people[username]

    def review(self, told: records.ReviewRecord) -> Iterator[Model]:
        said = told.said or desk_judgement.Judgement()
        review = row_of(
            models.Review,
            told,
            pk=next(self.keys),
            release=self.release,
            case_id=self.known_case(told.case_key),
            reviewer_id=self.person(told.reviewer),
            version=told.version or 0,
            comment=said.comment,
        )
        own: dict[str, Any] = {"review": review, "release": self.release}
        yield review
        for metric, score in said.scores.items():
            if score.value is not None:
                yield row_of(
                    models.Score,
                    score,
                    **own,
                    metric=metric,
                    evidence=msgspec.to_builtins(score.evidence),
                    coherence=told.coherence.get(metric, ""),
                    changed_mind=metric in told.changed_minds,
                )
        for item, answer in said.answers.items():
            if answer.answer is not None:
                evidence = msgspec.to_builtins(answer.evidence)
                yield row_of(models.ChecklistAnswer, answer, **own, item=item, evidence=evidence)
        for flag in told.flags:
            by = self.person(flag.by) if flag.by else None
            yield row_of(models.Flag, flag, **own, judged_by_id=by)
        for before in told.earlier:
            content = desk_judgement.to_data(before.said) | {"coherence": before.coherence}
            yield row_of(models.Revision, before, **own, content=content)
        for version in (*(before.version for before in told.earlier), told.version):
            if version is not None:
                own_key = {"key": str(version), "version": version, "submitted_at": LONG_AGO}
                yield models.Submission(**own, **own_key)

    def adjudication(self, told: records.AdjudicationRecord) -> Iterator[Model]:
        case = self.known_case(told.case_key)
        yield row_of(models.Adjudication, told, release=self.release, case_id=case)

    def waiver(self, told: records.WaiverRecord) -> Iterator[Model]:
        yield row_of(models.Waiver, told, release=self.release)

    def event(self, told: records.EventRecord) -> Iterator[Model]:
        yield row_of(Event, told, release=self.release)

    def closing(self, told: records.ClosingRecord) -> Iterator[Model]:
        """Of reports before the last one the bundle has only the digest."""
        pk = self.closings[told.digest] = next(self.keys)
        text = self.summary if told.reopened_at is None else ""
        yield row_of(models.Closing, told, pk=pk, release=self.release, summary=text)

    def decision(self, told: records.DecisionRecord) -> Iterator[Model]:
        if told.summary not in self.closings:
            raise Misfit(f"No closing has the report {told.summary}.")
        closing = self.closings[told.summary]
        yield row_of(models.Decision, told, release=self.release, closing_id=closing)


@cache
def columns_of(model: type[Model]) -> frozenset[str]:
    """But for those that point to other rows."""
    fields = model._meta.concrete_fields
    return frozenset(field.name for field in fields if not field.is_relation)


def row_of(model: type[M], told: msgspec.Struct, **more: Any) -> M:
    """The fields of a record that are columns, and `more`."""
    names = (columns_of(model) & set(told.__struct_fields__)) - more.keys()
    return model(**{name: getattr(told, name) for name in names}, **more)


def create_rows(rows: Iterable[Model]) -> None:
    """All or none."""
    by_model = defaultdict[type[Model], list[Model]](list)
    for row in rows:
        by_model[type(row)].append(row)
    with transaction.atomic():
        for model, own in by_model.items():
            model._base_manager.bulk_create(own)


def refusal(error: Exception) -> str:
    """In the words of SQLite; the names of our constraints are sentences."""
    if isinstance(error, Misfit):
        return str(error)
    return f"It cannot be stored: {str(error).replace('_', ' ')}."
