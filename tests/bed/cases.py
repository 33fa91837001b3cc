"""Releases and cases for tests: invented trips, and digests that tell whether anything changed."""

import hashlib
import io
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model
from django.utils import timezone

from cases import imports
from cases.models import CaseTag, Release, Rubric
from cases.releases import workflow as releases_workflow
from cases.rubrics.workflow import publish_shipped
from tests.bed import replay

NOW = datetime(2026, 11, 17, 9, 30, tzinfo=UTC)

REQUEST: dict[str, Any] = {
    "text": "Two slow days in Yunxi, by tram, with a look at the paper mill.",
    "destination": "Yunxi",
    "days": 2,
    "people": 2,
    "group_type": "couple",
    "budget": {"amount": 1800, "currency": "CNY", "scope": "total"},
    "must_visit": ["Paper mill"],
    "avoid": [],
    "pace": "relaxed",
}
PLAN: dict[str, Any] = {
    "status": "done",
    "title": "云溪两日",
    "summary": "第一天看纸坊，第二天走河堤。",
    "days": [
        {
            "day": 1,
            "date": "2026-05-12",
            "items": [
                {
                    "start": "09:30",
                    "end": "11:00",
                    "kind": "sight",
                    "title": "Paper mill",
                    "cost": 40,
                    "transport": {"mode": "tram", "from": "Hotel", "to": "Mill", "minutes": 20},
                },
                {"start": "12:00", "end": "13:00", "kind": "meal", "title": "河边面馆"},
            ],
        },
        {"day": 2, "items": [{"kind": "sight", "title": "River wall", "note": "不用预约"}]},
    ],
    "budget": {"currency": "CNY", "total": 640, "breakdown": {"tickets": 80, "food": 200}},
    "fallbacks": [{"day": 1, "title": "Tea museum", "reason": "rain"}],
    "notes": ["Trams run until 22:00."],
}


def make_case(key: str = "yunxi-01", **changes: Any) -> dict[str, Any]:
    """A case that is complete and passes. `request` and `plan` are changed field by field."""
    case: dict[str, Any] = {
        "schema": "itinerary-case/1",
        "id": f"wanderer@1:{key}",
        "case_key": key,
        "release": {"product": "wanderer", "version": "1", "commit": None},
        "locale": "zh-CN",
        "tags": [],
        "request": REQUEST,
        "plan": PLAN,
        "automated_checks": {"has_days": {"status": "pass", "evidence": "2 of 2"}},
        "automated_summary": {"status": "PASS", "score": 0.9},
        "produced_by": ["wei"],
    }
    for name, value in changes.items():
        by_field = name in ("request", "plan") and isinstance(value, dict)
        case[name] = {**case[name], **value} if by_field else value
    return case


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def keys(count: int, prefix: str = "yunxi") -> list[str]:
    return [f"{prefix}-{number:04}" for number in range(1, count + 1)]


def many(count: int, prefix: str = "yunxi", **changes: Any) -> bytes:
    return lines(*(make_case(key, **changes) for key in keys(count, prefix)))


def check_report(*ids: str) -> bytes:
    """The product's own report of its checks: these cases failed."""
    cases = [
        {
            "id": one,
            "status": "FAIL",
            "score": 0.4,
            "checks": [{"name": "has_days", "passed": False, "evidence": "1 of 2"}],
        }
        for one in ids
    ]
    return json.dumps({"cases": cases}).encode()


def make_release(
    name: str = "wanderer-1", *, product: str = "wanderer", rubric: Rubric | None = None
) -> Release:
    return releases_workflow.create(
        name=name,
        product=product,
        rubric=rubric or Rubric.objects.newest() or shipped(),
        reviews_per_case=2,
        baseline=None,
        due_date=None,
        user=None,
        now=NOW,
    )


def shipped() -> Rubric:
    """The shipped rubric as version 1, in English and Chinese."""
    pk = replay.once(replay.SHIPPED, lambda: publish_shipped(now=NOW).version.pk)
    return Rubric.objects.get(pk=pk)


def source(content: bytes, name: str = "cases.jsonl") -> imports.Source:
    return imports.Source(name, lambda: io.BytesIO(content))


def import_lines(
    release: Release, *contents: bytes, user: User | None = None, **options: Any
) -> imports.Outcome:
    """As the command does it: one file for each content, all of them or none."""
    names = ["cases.jsonl", *(f"cases-{place}.jsonl" for place in range(2, len(contents) + 1))]
    sources = [source(content, name) for content, name in zip(contents, names, strict=True)]
    with imports.check(sources, imports.Options(**options)) as checked:
        return imports.store(checked, release=release, user=user, now=timezone.now())


def refusal_of(*contents: bytes, **options: Any) -> imports.BadFile:
    """What is said about input that cannot be used."""
    sources = [source(content, f"{place}.jsonl") for place, content in enumerate(contents, 1)]
    try:
        imports.check(sources, imports.Options(**options)).spool.close()
    except imports.BadFile as refusal:
        return refusal
    raise AssertionError("the input was taken")


def told(refusal: imports.BadFile) -> list[str]:
    return [f"{one.line}: {one.problem}" for one in refusal.problems]


def content_digest(release: Release) -> str:
    """Over the cases of a release and every word on their tags, whichever rows hold them."""
    own = ("id", "code", "batch_id", "release_id")
    rows = [
        {name: value for name, value in row.items() if name not in own}
        for row in release.cases.order_by("case_key").values()
    ]
    tags = CaseTag.objects.filter(case__release=release).values(
        "case__case_key", "tag", "origin", "strength", "removed", "reason", "wording"
    )
    return digest_of([*rows, *tags.order_by("case__case_key", "tag", "origin")])


def database_digest() -> str:
    """Over every row of every table of releases and cases, as it stands."""
    return rows_digest(apps.get_app_config("cases").get_models())


# Counted in the server, all of them in one request.
DIGEST_OF_TABLE = "(SELECT md5(string_agg(one::text, E'\\n' ORDER BY one::text)) FROM {} one)"


def rows_digest(models: Iterable[type[Model]]) -> str:
    """Past the models: to word a query for each table takes longer than to read them all."""
    tables = [connection.ops.quote_name(model._meta.db_table) for model in models]
    digest = hashlib.sha256()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT " + ", ".join(map(DIGEST_OF_TABLE.format, tables)))
            digest.update(repr(cursor.fetchall()).encode())
        else:
            for table in tables:
                cursor.execute(f"SELECT * FROM {table} ORDER BY 1")  # the primary key
                for row in cursor.fetchall():
                    digest.update(f"{table} {row!r}\n".encode())
    return digest.hexdigest()


def digest_of(rows: Iterable[Any]) -> str:
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps(row, sort_keys=True, default=_plain).encode() + b"\n")
    return digest.hexdigest()


def _plain(value: Any) -> str:
    """SQLite gives bytes, PostgreSQL a view on them."""
    return bytes(value).hex() if isinstance(value, bytes | memoryview) else str(value)
