"""Store good rows as cases of a release in one transaction, or preview that without writing."""

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
from django.utils.translation import gettext, ngettext

from cases import ledger
from cases.imports import bulk
from cases.imports.checking import Checked, Prepared, TagFound
from cases.imports.columns import pack
from cases.imports.tally import Tally
from cases.models import Batch, Case, CaseTag, Release, Replaced, Rule
from cases.models.cases import CODE_LENGTH, CODE_LETTERS, STATUS, CheckStatus, TagOrigin
from cases.releases.acceptance import describe_warned, suggest_settings
from cases.rubric import fits
from cases.rules.counting import add_hits, load_counted, replace_hits
from evalsite.errors import Refusal

# How many rows are in memory at once, and how many characters in all. A row may have 256 KB, which
# takes up to four times as much memory, and a tag takes as much as many characters.
PORTION = 500
PORTION_WEIGHT = 2 * 1024**2
TAG_WEIGHT = 200
# For rows that change, the old content is in memory too, however large it is.
CHANGED_AT_ONCE = 50
# From this many rows on, the database's statistics are updated at once.
MANY = 1_000


class CasesFrozen(Refusal):
    """The release is no longer a draft, so its cases do not change."""

    code = "release_frozen"

    def __init__(self, release: Release, keys: list[str], count: int) -> None:
        sentence = ngettext(
            "%(release)s is no longer a draft, and %(count)d row differs from its cases "
            "(%(keys)s). Withdraw the case and take the next in line, or open a new release.",
            "%(release)s is no longer a draft, and %(count)d rows differ from its cases "
            "(%(keys)s). Withdraw the cases and take the next in line, or open a new release.",
            count,
        )
        named = ", ".join(keys) + (" …" if count > len(keys) else "")
        super().__init__(sentence % {"release": release.name, "count": count, "keys": named})


class NotAsPreviewed(Exception):
    """The release changed since the preview, so the import would do something else."""


@dataclass
class Outcome:
    """What an import did. `batch` is None when nothing changed."""

    batch: Batch | None = None
    new: int = 0
    changed: int = 0
    unchanged: int = 0


@dataclass
class Preview(Outcome):
    """What an import would do. `digest` identifies exactly that.

    `eligible` rows can be sampled, and `kinds` counts those that fit each kind;
    `kinds_with_warnings` counts the rows that would join them if the release accepted warnings.
    `warned` says in a sentence how many rows passed with a warning. `samples` are the first rows.
    """

    tags: Tally = field(default_factory=Tally)
    eligible: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    kinds_with_warnings: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    changed_keys: list[str] = field(default_factory=list)
    samples: list[Prepared] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    warned: str = ""
    digest: str = ""


class StoredCase(NamedTuple):
    """A case that the release already has."""

    pk: int
    digest: str
    is_excluded: bool


MOST_KEYS_NAMED = 20
MOST_SAMPLES = 3


def preview(checked: Checked, release: Release) -> Preview:
    """Count what an import would do, without writing."""
    found = Preview(checks=checked.checks)
    accepted = {STATUS[result].value for result in release.accept}
    kinds = release.rubric.document.sampling.kinds
    whole = hashlib.sha256()
    for rows, stored in read_portions(checked, release):
        found.samples += rows[: MOST_SAMPLES - len(found.samples)]
        for row in rows:
            case = stored.get(row.case_key)
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
            for tag in row.standing_tags:
                found.tags.note(tag)
            if not row.has_plan or (case and case.is_excluded):
                continue
            fitted_kinds = [kind.key for kind in kinds if fits(row.standing_tags, kind)]
            if row.check_status in accepted:
                found.eligible += 1
                found.kinds.update(fitted_kinds)
            elif row.check_status == CheckStatus.WARN:
                found.kinds_with_warnings.update(fitted_kinds)
    found.warnings = list(find_mismatches(checked, release))
    found.warned = describe_warned(
        release, warned=found.checks[CheckStatus.WARN], total=checked.count
    )
    found.digest = whole.hexdigest()
    return found


def warnings(checked: Checked, release: Release) -> list[str]:
    """List mismatches between the rows and the release, and say which rows it does not accept."""
    found = list(find_mismatches(checked, release))
    warned = checked.checks[CheckStatus.WARN]
    if warned and not release.accepts_warnings:
        sentence = describe_warned(release, warned=warned, total=checked.count)
        found.append(" ".join(filter(None, [sentence, suggest_settings(release)])))
    return found


def find_mismatches(checked: Checked, release: Release) -> Iterator[str]:
    if release.product:
        for product, count in sorted(checked.products.items()):
            if product and product != release.product:
                yield ngettext(
                    "%(count)d row belongs to the product %(product)s; this release belongs to "
                    "%(own)s.",
                    "%(count)d rows belong to the product %(product)s; this release belongs to "
                    "%(own)s.",
                    count,
                ) % {"count": count, "product": product, "own": release.product}
    for version, count in sorted(checked.versions.items()):
        if version and version not in release.name:
            yield ngettext(
                "%(count)d row has version %(version)s, which is not part of the release name "
                "%(release)s.",
                "%(count)d rows have version %(version)s, which is not part of the release name "
                "%(release)s.",
                count,
            ) % {"count": count, "version": version, "release": release.name}
    if not checked.checks.keys() - {CheckStatus.NONE.value}:
        yield gettext("No row says whether it passed the automated checks, so none can be sampled.")
    if checked.without_report:
        yield ngettext(
            "%(count)d row is not in the check report and keeps its own checks.",
            "%(count)d rows are not in the check report and keep their own checks.",
            checked.without_report,
        ) % {"count": checked.without_report}


def read_portions(
    checked: Checked, release: Release
) -> Iterator[tuple[list[Prepared], dict[str, StoredCase]]]:
    """Yield the rows in portions, each with the cases that the release has under their keys."""
    rows = checked.rows()
    is_empty = not release.cases.exists()
    while portion := list(take_portion(rows)):
        keys = [] if is_empty else [row.case_key for row in portion]
        held = release.cases.filter(case_key__in=keys)
        rows_held = held.values_list("case_key", "pk", "digest", "exclusion")
        yield (
            portion,
            {
                key: StoredCase(pk, digest, excluded is not None)
                for key, pk, digest, excluded in rows_held
            },
        )


def take_portion(rows: Iterator[Prepared]) -> Iterator[Prepared]:
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
    """Write all rows or none. Storing the same rows again writes nothing.

    `seen` is the digest of the preview that the user confirmed. Raises CasesFrozen and
    NotAsPreviewed.
    """
    with transaction.atomic():
        release = Release.objects.select_for_update().get(pk=release.pk)
        if not release.is_draft:
            return refuse_changes(checked, release)
        if seen is not None and preview(checked, release).digest != seen:
            raise NotAsPreviewed
        # Two imports at once must not give out the same code.
        bulk.lock_table(Case)
        rules = load_counted(release)
        outcome = Outcome()
        content = hashlib.sha256()
        done = 0
        for rows, stored in read_portions(checked, release):
            new = [row for row in rows if row.case_key not in stored]
            changed = [
                (row, stored[row.case_key])
                for row in rows
                if row.case_key in stored and stored[row.case_key].digest != row.digest
            ]
            for row in rows:
                content.update(f"{row.case_key}\0{row.digest}\n".encode())
            if new or changed:
                outcome.batch = outcome.batch or create_batch(checked, release, user, now)
                add(new, release=release, batch=outcome.batch, rules=rules)
                for first in range(0, len(changed), CHANGED_AT_ONCE):
                    portion = changed[first : first + CHANGED_AT_ONCE]
                    replace(portion, batch=outcome.batch, rules=rules)
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
            bulk.analyze(Case, CaseTag)
    return outcome


def refuse_changes(checked: Checked, release: Release) -> Outcome:
    """Accept rows that a started release already has, and no others. Raises CasesFrozen."""
    keys: list[str] = []
    count = 0
    for rows, stored in read_portions(checked, release):
        for row in rows:
            if row.case_key not in stored or stored[row.case_key].digest != row.digest:
                count += 1
                keys += [row.case_key] if len(keys) < MOST_KEYS_NAMED else []
    if count:
        raise CasesFrozen(release, keys, count)
    return Outcome(unchanged=checked.count)


def create_batch(checked: Checked, release: Release, user: User | None, now: datetime) -> Batch:
    last = release.batches.aggregate(number=models.Max("number"))["number"] or 0
    return Batch.objects.create(
        release=release,
        number=last + 1,
        source="\n".join(PurePath(name).name for name in checked.sources),
        created_at=now,
        by=user.get_username() if user else "",
        columns=pack(checked.columns),
    )


def add(
    rows: list[Prepared], *, release: Release, batch: Batch, rules: Sequence[Rule] = ()
) -> None:
    ids = bulk.reserve_ids(Case, len(rows))
    codes = draw_codes(len(rows))
    bulk.insert(
        Case,
        ["id", "release_id", "batch_id", "code", *Prepared._fields[:-1]],
        (
            (pk, release.pk, batch.pk, code, *row[:-1])
            for pk, code, row in zip(ids, codes, rows, strict=True)
        ),
    )
    add_tags((pk, row) for pk, row in zip(ids, rows, strict=True))
    add_hits(rules, ((pk, row.data) for pk, row in zip(ids, rows, strict=True)))


def add_tags(rows: Iterable[tuple[int, Prepared]]) -> None:
    bulk.insert(
        CaseTag,
        ["case_id", "removed", "tag", "origin", "strength", "reason", "wording"],
        ((pk, False, *tag) for pk, row in rows for tag in row.tags),
    )


def draw_codes(count: int) -> list[str]:
    """Draw random codes that no case has; a code reveals nothing about its case."""
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


def replace(
    rows: list[tuple[Prepared, StoredCase]], *, batch: Batch, rules: Sequence[Rule] = ()
) -> None:
    """Keep the old content for undo, then write the new one. Tags set by admins stay."""
    pks = [stored.pk for row, stored in rows]
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
    write_content(((stored.pk, row[1:-1]) for row, stored in rows), batch_id=batch.pk)
    add_tags((stored.pk, row) for row, stored in rows)
    replace_hits(rules, [(stored.pk, row.data) for row, stored in rows])


def write_content(rows: Iterable[tuple[int, Sequence[Any]]], *, batch_id: int) -> None:
    """Write the content of cases, in the order of CONTENT, as part of a batch."""
    bulk.update(Case, [*CONTENT, "batch_id"], ((*content, batch_id, pk) for pk, content in rows))
