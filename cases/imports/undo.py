"""Taking back an import, whole and newest first, while the release is a draft."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger
from cases.imports.storing import CONTENT, PORTION, put
from cases.models import Batch, Case, CaseTag, Release, Replaced
from cases.models.cases import TagOrigin


class CannotUndo(Exception):
    """In words, why not."""


class Counts(NamedTuple):
    added: int
    changed: int


def count_batches(release: Release) -> dict[int, Counts]:
    """Batch number -> how many cases it added and changed, as the ledger tells."""
    imports = release.events.filter(kind="cases-imported").values_list("data", flat=True)
    return {one["batch"]: Counts(one["new"], one["changed"]) for one in imports}


def undo_import(*, release: Release, number: int, user: User | None, now: datetime) -> Batch:
    """Raises CannotUndo."""
    with transaction.atomic():
        release = Release.objects.select_for_update().get(pk=release.pk)
        batch = undoable(release, number)
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


def undoable(release: Release, number: int) -> Batch:
    named = {"release": release.name, "number": number}
    if not release.is_draft:
        raise CannotUndo(
            gettext("%(release)s is no longer a draft, so its imports stay as they are.") % named
        )
    batch = release.batches.filter(number=number).first()
    if batch is None:
        raise CannotUndo(gettext("%(release)s has no import %(number)d.") % named)
    if batch.undone_at:
        raise CannotUndo(gettext("Import %(number)d is undone already.") % named)
    newest = Batch.objects.of(release).standing().order_by("-number").first()
    if newest and newest != batch:
        raise CannotUndo(
            gettext("Import %(newest)d came later. Undo that one first.")
            % {"newest": newest.number}
        )
    return batch


def restore(batch: Batch) -> int:
    """Cases that the batch changed get back their content and the tags read from it."""
    changed = batch.replaced.values("case")
    CaseTag.objects.filter(case__in=changed).exclude(origin=TagOrigin.ADMIN).delete()
    count = 0
    for portion in batched(batch.replaced.order_by("pk").iterator(), PORTION):
        for one in portion:
            one.row["produced_by"] = json.dumps(one.row["produced_by"])
            content = [one.row[name] for name in CONTENT]
            put([(one.case_id, content)], batch_id=one.prior_batch_id)
        CaseTag.objects.bulk_create(
            [CaseTag(case_id=one.case_id, **tag) for one in portion for tag in one.tags]
        )
        count += len(portion)
    batch.replaced.all().delete()
    return count


def batched(rows: Iterable[Replaced], size: int) -> Iterator[list[Replaced]]:
    rows = iter(rows)
    while portion := list(islice(rows, size)):
        yield portion


def remove(batch: Batch) -> int:
    """Cases that the batch added go, with everything said about their tags."""
    added = Case.objects.filter(batch=batch)
    count = added.count()
    CaseTag.objects.filter(case__batch=batch).delete()
    added.delete()
    return count
