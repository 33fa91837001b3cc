"""Real files, which are not ours and are read from beside us: in, again, and back out."""

import os
import re
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from cases import imports, ledger
from cases.models import Release, Rubric
from tests.bed.cases import NOW, content_digest, database_digest, make_release


@pytest.fixture
def data() -> Path:
    folder = os.environ.get("SPOTCHECK_REAL_DATA")
    if not folder:
        pytest.skip("SPOTCHECK_REAL_DATA is not set, so the real cases are not at hand")
    return Path(folder)


TRIPS = "itineraries/dev_trip_agent_zh.jsonl"
RAW = "raw/trip_agent_tripresult_sample.jsonl"
PLANNER = "itineraries/dev_travelplanner_en.jsonl"
REQUESTS = "itineraries/dev_requests_only.jsonl"
REPORTS = [
    "raw/trip_agent_eval_m3_baseline_report.json",
    "raw/trip_agent_eval_baseline_report.json",
]


class Load(NamedTuple):
    """A file, how it is read, and how many cases it has then."""

    path: str
    arguments: tuple[str, ...]
    total: int

    def __str__(self) -> str:
        return " ".join([self.path, *self.arguments])


LOADS = [
    Load(TRIPS, ("--version", "2026-02-14"), 31),
    Load(TRIPS, ("--version", "2026-02-22"), 31),
    Load(TRIPS, ("--version", "2026-02-28"), 45),
    Load(RAW, ("--version", "2026-02-14"), 3),
    Load(RAW, ("--version", "2026-02-22"), 3),
    Load(RAW, ("--version", "2026-02-28"), 3),
    Load(PLANNER, (), 60),
    Load(REQUESTS, ("--key-from", "id"), 40),
]


def load(release: Release, *arguments: object) -> str:
    out = StringIO()
    call_command("import_cases", release.name, *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


@pytest.fixture
def release(data: Path, rubric: Rubric) -> Release:
    return make_release("real-1", product="", rubric=rubric)


@pytest.mark.parametrize("one", LOADS, ids=str)
def test_a_real_file_comes_in_whole_the_second_time_changes_nothing_and_undo_empties(
    one: Load, data: Path, release: Release
) -> None:
    before = content_digest(release)
    said = load(release, data / one.path, *one.arguments)
    assert f"{one.total} new, 0 changed, 0 unchanged. Import 1." in said
    assert release.cases.count() == one.total
    for case in release.cases.all():
        assert case.itinerary.case_key == case.case_key

    stored, digest = database_digest(), content_digest(release)
    said = load(release, data / one.path, *one.arguments)
    assert f"0 new, 0 changed, {one.total} unchanged. Nothing changed." in said
    assert database_digest() == stored

    imports.undo_import(release=release, number=1, user=None, now=NOW)
    assert content_digest(release) == before
    kinds = list(release.events.order_by("number").values_list("kind", flat=True))
    assert kinds == ["release-created", "cases-imported", "import-undone"]
    release.refresh_from_db()
    assert ledger.verify(release) == 3

    load(release, data / one.path, *one.arguments)
    assert content_digest(release) == digest


def test_all_of_them_twice_in_releases_of_their_own(data: Path, release: Release) -> None:
    releases = {
        entry: make_release(f"real-{number}", product="", rubric=release.rubric)
        for number, entry in enumerate(LOADS, 2)
    }
    for item, its_own in releases.items():
        load(its_own, data / item.path, *item.arguments)
    stored = database_digest()
    for entry, its_own in releases.items():
        load(its_own, data / entry.path, *entry.arguments)
    assert database_digest() == stored


@pytest.mark.parametrize(("path", "repeated"), [(TRIPS, 62), (RAW, 6)])
def test_several_versions_in_one_file_are_refused_by_the_names_of_the_keys(
    path: str, repeated: int, data: Path, release: Release
) -> None:
    before = database_digest()
    with pytest.raises(CommandError) as refusal:
        load(release, data / path)
    said = str(refusal.value).splitlines()
    named = [
        line for line in said if re.search(r":\d+: case_key: “.+” is already in line \d+", line)
    ]
    assert len(named) == repeated
    assert "Choose one version with --version: 2026-02-14, 2026-02-22, 2026-02-28." in said
    assert said[-1] == "Nothing was written."
    assert database_digest() == before


def test_requests_without_a_key_of_their_own_are_refused_with_the_way_out(
    data: Path, release: Release
) -> None:
    before = database_digest()
    with pytest.raises(CommandError, match="use --key-from id"):
        load(release, data / REQUESTS)
    assert database_digest() == before


def test_the_versions_of_one_file_after_each_other_are_changes_that_can_be_undone(
    data: Path, release: Release
) -> None:
    digests = [content_digest(release)]
    for version, said in (
        ("2026-02-14", "31 new, 0 changed"),
        ("2026-02-22", "0 new, 31 changed"),
        ("2026-02-28", "14 new, 31 changed"),
    ):
        assert said in load(release, data / TRIPS, "--version", version)
        digests.append(content_digest(release))
    for number in (3, 2, 1):
        imports.undo_import(release=release, number=number, user=None, now=NOW)
        assert content_digest(release) == digests[number - 1]


@pytest.mark.parametrize("path", REPORTS)
def test_the_products_own_check_report_is_joined_by_key(
    path: str, data: Path, release: Release
) -> None:
    load(release, data / RAW, "--version", "2026-02-28", "--checks", data / path)
    statuses = dict(release.cases.values_list("case_key", "check_status"))
    assert set(statuses.values()) <= {"PASS", "WARN", "FAIL"}
    assert len(statuses) == 3


@pytest.mark.parametrize("one", LOADS, ids=str)
def test_the_web_stores_what_the_command_stores(
    one: Load, data: Path, release: Release, ada: User
) -> None:
    load(release, data / one.path, *one.arguments)
    other = make_release("real-2", product="", rubric=release.rubric)
    client = Client()
    client.force_login(ada)
    named = dict(zip(one.arguments[::2], one.arguments[1::2], strict=True))
    with (data / one.path).open("rb") as file:
        fields = {"format": "auto", "file": file, "key_from": named.get("--key-from", "")}
        response = client.post("/releases/real-2/import/", fields)
    address = response.headers["Location"]
    chosen = {"version": named["--version"]} if "--version" in named else {}
    page = client.get(address, chosen).content.decode()
    [seen] = re.findall(r'name="seen" value="([^"]*)"', page)
    assert client.post(address, {"seen": seen, **chosen}).status_code == 302
    assert content_digest(other) == content_digest(release)


def test_real_cases_are_listed_and_shown(data: Path, release: Release, ada: User) -> None:
    load(release, data / TRIPS, "--version", "2026-02-28")
    client = Client()
    client.force_login(ada)
    for path in ("", "cases/", "events/"):
        assert client.get(f"/releases/real-1/{path}").status_code == 200
    case = release.cases.order_by("case_key")[:1].get()
    assert client.get(case.get_absolute_url()).status_code == 200
