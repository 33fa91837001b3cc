"""Undo an import as a whole, newest first, while the release is a draft."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.imports.storing import CONTENT, PORTION, write_content
from cases.models import Batch, Case, CaseTag, Release, Replaced, RuleHit
from cases.models.cases import TagOrigin
from cases.rules.counting import load_counted, replace_hits


class CannotUndo(Exception):
    """The import cannot be undone; the text says why."""


class Counts(NamedTuple):
    added: int
    changed: int


def count_batches(release: Release) -> dict[int, Counts]:
    """Count the cases that each batch added and changed, by batch number, from the ledger."""
    events = release.events.filter(kind="cases-imported").values_list("data", flat=True)
    return {data["batch"]: Counts(data["new"], data["changed"]) for data in events}


def undo_import(*, release: Release, number: int, user: User | None, now: datetime) -> Batch:
    """Remove the cases that a batch added and restore those it changed. Raises CannotUndo."""
    with transaction.atomic():
        release = Release.objects.select_for_update().get(pk=release.pk)
        batch = find_undoable(release, number)
        restored = restore(batch)
        removed = remove(batch)
        batch.undone_at = now
        batch.save(update_fields=["undone_at"])
        ledger.append(
            release=release,
            kind="import-undone",
            data={"batch": batch.number, "removed": removed, "restored": restored},
            user=user,
            now=now,
        )
    return batch


def find_undoable(release: Release, number: int) -> Batch:
    named = {"release": release.name, "number": number}
    if not release.is_draft:
        raise CannotUndo(
            gettext("%(release)s is no longer a draft, so its imports cannot be undone.") % named
        )
    batch = release.batches.filter(number=number).first()
    if batch is None:
        raise CannotUndo(gettext("%(release)s has no import %(number)d.") % named)
    if batch.undone_at:
        raise CannotUndo(gettext("Import %(number)d has already been undone.") % named)
    newest = Batch.objects.of(release).standing().order_by("-number").first()
    if newest and newest != batch:
        raise CannotUndo(
            gettext("Import %(newest)d is newer. Undo it first.") % {"newest": newest.number}
        )
    return batch


def restore(batch: Batch) -> int:
    """Give the cases that the batch changed their old content and tags. Returns how many."""
    changed = batch.replaced.values("case")
    CaseTag.objects.filter(case__in=changed).exclude(origin=TagOrigin.ADMIN).delete()
    rules = load_counted(batch.release)
    count = 0
    for portion in batched(batch.replaced.order_by("pk").iterator(), PORTION):
        for replaced in portion:
            replaced.row["produced_by"] = json.dumps(replaced.row["produced_by"])
            content = [replaced.row[name] for name in CONTENT]
            write_content([(replaced.case_id, content)], batch_id=replaced.prior_batch_id)
        CaseTag.objects.bulk_create(
            CaseTag(case_id=replaced.case_id, **tag)
            for replaced in portion
            for tag in replaced.tags
        )
        replace_hits(rules, [(found.case_id, found.row["data"]) for found in portion])
        count += len(portion)
    batch.replaced.all().delete()
    return count


def batched(rows: Iterable[Replaced], size: int) -> Iterator[list[Replaced]]:
    rows = iter(rows)
    while portion := list(islice(rows, size)):
        yield portion


def remove(batch: Batch) -> int:
    """Delete the cases that the batch added, with their tags. Returns how many."""
    added = Case.objects.filter(batch=batch)
    count = added.count()
    CaseTag.objects.filter(case__batch=batch).delete()
    RuleHit.objects.filter(case__batch=batch).delete()
    added.delete()
    return count
