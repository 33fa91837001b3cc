"""Good rows -> cases of a release, in one transaction; and the same without writing, to look at."""

import hashlib
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import PurePath
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import models, transaction
from django.utils.translation import ngettext

from cases import ledger
from cases.imports import bulk
from cases.imports.checking import Checked, Prepared, TagFound
from cases.imports.tally import Tally
from cases.models import Batch, Case, CaseTag, Release, Replaced
from cases.models.cases import CODE_LENGTH, CODE_LETTERS, TagOrigin
from cases.rubric import fits
from evalsite.errors import Refusal

# Rows that are held at once: so many, of so many letters in all. A row may have 256 KB, which in
# memory are up to four times as much, and a tag takes as much as many letters.
PORTION = 500
PORTION_WEIGHT = 2 * 1024**2
TAG_WEIGHT = 200
# Of those that change, what they were is held too, however large that was.
CHANGED_AT_ONCE = 50
# From so many rows on the database is told what it holds.
MANY = 1_000


class CasesFrozen(Refusal):
    """Cases change only while their release is a draft."""

    code = "release_frozen"

    def __init__(self, release: Release, keys: list[str], count: int) -> None:
        sentence = ngettext(
            "%(release)s is no longer a draft, and %(count)d row differs from what it holds "
            "(%(keys)s). Withdraw the case and take the next in line, or open a new release.",
            "%(release)s is no longer a draft, and %(count)d rows differ from what it holds "
            "(%(keys)s). Withdraw the cases and take the next in line, or open a new release.",
            count,
        )
        named = ", ".join(keys) + (" …" if count > len(keys) else "")
        super().__init__(sentence % {"release": release.name, "count": count, "keys": named})


class NotAsPreviewed(Exception):
    """The release changed since somebody looked; importing would do something else."""


@dataclass
class Outcome:
    """`batch` is None when nothing changed."""

    batch: Batch | None = None
    new: int = 0
    changed: int = 0
    unchanged: int = 0


@dataclass
class Preview(Outcome):
    """What an import would do. `digest` stands for exactly that."""

    tags: Tally = field(default_factory=Tally)
    kinds: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    changed_keys: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    digest: str = ""


class StoredCase(NamedTuple):
    """A case that the release holds already."""

    pk: int
    digest: str


MOST_KEYS_NAMED = 20


def preview(checked: Checked, release: Release) -> Preview:
    found = Preview()
    kinds = release.rubric.document.sampling.kinds
    whole = hashlib.sha256()
    for rows, standing in compared(checked, release):
        for row in rows:
            case = standing.get(row.case_key)
            if case is None:
                found.new += 1
            elif case.digest == row.digest:
                found.unchanged += 1
            else:
                found.changed += 1
                if found.changed <= MOST_KEYS_NAMED:
                    found.changed_keys.append(row.case_key)
            before = case.digest if case else ""
            whole.update(f"{row.case_key}\0{before}\0{row.digest}\n".encode())
            found.checks[row.check_status] += 1
            for tag in row.standing_tags:
                found.tags.note(tag)
            found.kinds.update(kind.key for kind in kinds if fits(row.standing_tags, kind))
    found.warnings = list(warnings(checked, release))
    found.digest = whole.hexdigest()
    return found


def warnings(checked: Checked, release: Release) -> Iterator[str]:
    if release.product:
        for product, count in sorted(checked.products.items()):
            if product and product != release.product:
                yield ngettext(
                    "%(count)d row is of the product %(product)s; this release is of %(own)s.",
                    "%(count)d rows are of the product %(product)s; this release is of %(own)s.",
                    count,
                ) % {"count": count, "product": product, "own": release.product}
    for version, count in sorted(checked.versions.items()):
        if version and version not in release.name:
            yield ngettext(
                "%(count)d row is of version %(version)s, which the name %(release)s does not "
                "contain.",
                "%(count)d rows are of version %(version)s, which the name %(release)s does not "
                "contain.",
                count,
            ) % {"count": count, "version": version, "release": release.name}
    if checked.without_report:
        yield ngettext(
            "%(count)d row is not in the check report and keeps the checks that it came with.",
            "%(count)d rows are not in the check report and keep the checks that they came with.",
            checked.without_report,
        ) % {"count": checked.without_report}


def compared(
    checked: Checked, release: Release
) -> Iterator[tuple[list[Prepared], dict[str, StoredCase]]]:
    """Rows in portions, each with what the release holds under their keys."""
    rows = checked.rows()
    is_empty = not release.cases.exists()
    while portion := list(next_portion(rows)):
        keys = [] if is_empty else [row.case_key for row in portion]
        held = release.cases.filter(case_key__in=keys).values_list("case_key", "pk", "digest")
        yield portion, {key: StoredCase(pk, digest) for key, pk, digest in held}


def next_portion(rows: Iterator[Prepared]) -> Iterator[Prepared]:
    weight = 0
    for row in islice(rows, PORTION):
        yield row
        weight += len(row.data) + TAG_WEIGHT * len(row.tags)
        if weight >= PORTION_WEIGHT:
            return


def store(
    checked: Checked,
    *,
    release: Release,
    user: User | None,
    now: datetime,
    seen: str | None = None,
    progress: Callable[[int], None] = lambda count: None,
) -> Outcome:
    """Everything or nothing. The same rows again write nothing at all.

    `seen` is the digest of the preview that was agreed to. Raises Frozen and NotAsPreviewed.
    """
    with transaction.atomic():
        release = Release.objects.select_for_update().get(pk=release.pk)
        if not release.is_draft:
            return refuse_changes(checked, release)
        if seen is not None and preview(checked, release).digest != seen:
            raise NotAsPreviewed
        # Two imports at once must not give out the same code.
        bulk.hold(Case)
        outcome = Outcome()
        content = hashlib.sha256()
        done = 0
        for rows, standing in compared(checked, release):
            new = [row for row in rows if row.case_key not in standing]
            changed = [
                (row, standing[row.case_key])
                for row in rows
                if row.case_key in standing and standing[row.case_key].digest != row.digest
            ]
            for row in rows:
                content.update(f"{row.case_key}\0{row.digest}\n".encode())
            if new or changed:
                outcome.batch = outcome.batch or new_batch(checked, release, user, now)
                add(new, release=release, batch=outcome.batch)
                for first in range(0, len(changed), CHANGED_AT_ONCE):
                    replace(changed[first : first + CHANGED_AT_ONCE], batch=outcome.batch)
            outcome.new += len(new)
            outcome.changed += len(changed)
            outcome.unchanged += len(rows) - len(new) - len(changed)
            done += len(rows)
            progress(done)
        if outcome.batch:
            ledger.append(
                release=release,
                kind="cases-imported",
                data={
                    "batch": outcome.batch.number,
                    "new": outcome.new,
                    "changed": outcome.changed,
                    "unchanged": outcome.unchanged,
                    "digest": content.hexdigest(),
                },
                user=user,
                now=now,
            )
        if outcome.new + outcome.changed >= MANY:
            bulk.tell_planner(Case, CaseTag)
    return outcome


def refuse_changes(checked: Checked, release: Release) -> Outcome:
    """A release that is no draft takes only what it holds already."""
    keys: list[str] = []
    count = 0
    for rows, standing in compared(checked, release):
        for row in rows:
            if row.case_key not in standing or standing[row.case_key].digest != row.digest:
                count += 1
                keys += [row.case_key] if len(keys) < MOST_KEYS_NAMED else []
    if count:
        raise CasesFrozen(release, keys, count)
    return Outcome(unchanged=checked.count)


def new_batch(checked: Checked, release: Release, user: User | None, now: datetime) -> Batch:
    last = release.batches.aggregate(number=models.Max("number"))["number"] or 0
    return Batch.objects.create(
        release=release,
        number=last + 1,
        source="\n".join(PurePath(name).name for name in checked.sources),
        created_at=now,
        by=user.get_username() if user else "",
    )


def add(rows: list[Prepared], *, release: Release, batch: Batch) -> None:
    ids = bulk.reserve_ids(Case, len(rows))
    codes = new_codes(len(rows))
    bulk.insert(
        Case,
        ["id", "release_id", "batch_id", "code", *Prepared._fields[:-1]],
        (
            (pk, release.pk, batch.pk, code, *row[:-1])
            for pk, code, row in zip(ids, codes, rows, strict=True)
        ),
    )
    add_tags((pk, row) for pk, row in zip(ids, rows, strict=True))


def add_tags(rows: Iterable[tuple[int, Prepared]]) -> None:
    bulk.insert(
        CaseTag,
        ["case_id", "removed", "tag", "origin", "strength", "reason", "wording"],
        ((pk, False, *tag) for pk, row in rows for tag in row.tags),
    )


def new_codes(count: int) -> list[str]:
    """Random, never used, and saying nothing about the case."""
    codes: set[str] = set()
    while len(codes) < count:
        drawn: set[str] = set()
        while len(codes) + len(drawn) < count:
            drawn |= {"".join(_chance.choices(CODE_LETTERS, k=CODE_LENGTH))} - codes
        taken = Case.objects.filter(code__in=drawn).values_list("code", flat=True)
        codes |= drawn - set(taken)
    return list(codes)


_chance = secrets.SystemRandom()

# The columns that come from the row itself.
CONTENT = Prepared._fields[1:-1]


def replace(rows: list[tuple[Prepared, StoredCase]], *, batch: Batch) -> None:
    """Keep what was there, then put the new content in its place; what admins said stays."""
    pks = [standing.pk for row, standing in rows]
    read_tags = CaseTag.objects.filter(case__in=pks).exclude(origin=TagOrigin.ADMIN)
    tags: dict[int, list[dict[str, object]]] = {pk: [] for pk in pks}
    for tag in read_tags.order_by("pk"):
        tags[tag.case_id].append({name: getattr(tag, name) for name in TagFound._fields})
    before = Case.objects.filter(pk__in=pks).values("pk", "batch_id", *CONTENT)
    Replaced.objects.bulk_create(
        [
            Replaced(
                batch=batch,
                case_id=case.pop("pk"),
                prior_batch_id=case.pop("batch_id"),
                row=case,
                tags=kept,
            )
            for case in before
            for kept in [tags[case["pk"]]]
        ]
    )
    read_tags.delete()
    put(((standing.pk, row[1:-1]) for row, standing in rows), batch_id=batch.pk)
    add_tags((standing.pk, row) for row, standing in rows)


def put(rows: Iterable[tuple[int, Sequence[Any]]], *, batch_id: int) -> None:
    """Give cases this content, in the order of CONTENT, as that of a batch."""
    bulk.update(Case, [*CONTENT, "batch_id"], ((*content, batch_id, pk) for pk, content in rows))
