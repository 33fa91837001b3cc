"""The bundle: whole, the same every time, and nothing in it can be changed unnoticed."""

import hashlib
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django.plugin import DjangoDbBlocker

from cases.models import Release, Rubric
from cases.releases import workflow as releases_workflow
from reviews.desk import workflow as desk_workflow
from reviews.export import queries
from reviews.export.delivery import deliver
from reviews.models import Review
from reviews.questions import workflow as questions_workflow
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases.decision import sign
from tests.bed import reviewed as bed
from tests.bed import soak
from tests.bed.cases import NOW
from tests.bed.exported import EARLIER, LATER, Forged, bundled, eventful

pytestmark = pytest.mark.django_db

# docs/exports.md describes them.
FILES = [
    *("README.txt", "release.json", "rubric.json", "rubric/en.md", "rubric/zh-hans.md"),
    *("rulings.jsonl", "draws.jsonl", "pools/1.jsonl", "pools/2.jsonl", "cases.jsonl"),
    *("exclusions.jsonl", "reviews.jsonl", "adjudications.jsonl", "waivers.jsonl"),
    *("events.jsonl", "closings.jsonl", "decisions.jsonl", "summary.json", "verdict.json"),
    *("escapes.jsonl", "baseline-summary.json", "manifest.json"),
]


@pytest.fixture(scope="module")
def data(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> bytes:
    """One bundle for all tests here. Its rows are gone when they run."""
    with django_db_blocker.unblock(), transaction.atomic():
        found = bundled(eventful())
        transaction.set_rollback(True)
    return found


@pytest.fixture
def forged(data: bytes) -> Forged:
    return Forged(data)


def verify(path: Path) -> str:
    """Whoever checks a bundle has no database of ours."""
    out = StringIO()
    with connection.execute_wrapper(no_database):
        call_command("verify_export", str(path), stdout=out, stderr=out)
    return out.getvalue()


def no_database(execute: object, statement: str, *rest: object) -> None:
    raise AssertionError(f"verify_export asks the database: {statement}")


def verified(path: Path) -> str:
    told = verify(path)
    assert "everything fits" in told
    return told


def refused(path: Path) -> str:
    with pytest.raises(CommandError) as error:
        verify(path)
    assert error.value.returncode == 1
    return str(error.value)


# --- A good one -----------------------------------------------------------------------------------


def test_a_bundle_holds_everything_and_fits_without_a_database(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "good.zip"
    path.write_bytes(data)
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == FILES
        assert archive.testzip() is None
        manifest = json.loads(archive.read("manifest.json"))
        closing = json.loads(archive.read("closings.jsonl"))
        release = json.loads(archive.read("release.json"))
    told = verified(path)
    assert "wanderer-2 (final): everything fits. Cases: 7, reviews: 13, draws: 2, " in told
    assert manifest["summary"] in told
    # It was signed since, so the ledger has gone on from what the printed report names.
    assert f"Ledger at closing:    {closing['head']}\n" in told
    assert f"Ledger by now:        {release['ledger_head']}\n" in told
    assert closing["head"] != release["ledger_head"]


def test_the_files_of_a_bundle_can_be_packed_anew(forged: Forged, tmp_path: Path) -> None:
    """So that what a forged bundle is refused for is the forgery."""
    assert verified(forged.repaired().write(tmp_path / "again.zip"))


def test_a_bundle_of_an_earlier_version_fits() -> None:
    """Written before the check restored it into a database. The format stays readable."""
    told = verified(EARLIER)
    assert "Written by other code (0.1.0, " in told
    assert "Cases: 7, reviews: 13, draws: 2, events: 45." in told
    assert "The figures are as stored (spotcheck-summary/" in told


def test_the_site_has_its_own_database_again_afterwards(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bundle.zip"
    path.write_bytes(data)
    before = connections["default"]
    verified(path)
    assert connections["default"] is before
    path.write_bytes(b"")
    refused(path)
    assert connections["default"] is before
    assert not Release.objects.exists()


def test_every_version_of_a_review_is_there(forged: Forged) -> None:
    [one] = [row for row in forged.rows("reviews.jsonl") if row["earlier"]]
    assert (one["case_key"], one["reviewer"], one["version"]) == ("kids", "rita", 2)
    [before] = one["earlier"]
    assert before["version"] == 1
    assert one["said"]["scores"]["usability-value"]["value"] == 2
    assert before["said"]["scores"]["usability-value"]["value"] != 2


def test_the_same_release_gives_the_same_bytes(rubric: Rubric, rita: User, omar: User) -> None:
    release = bed.started()
    bed.review_all(release, rita, omar)
    releases_lifecycle.close(release=release, user=None, now=NOW)
    release = bed.current(release)
    first = bundled(release)
    Release.objects.filter(pk=release.pk).update(archived_at=NOW)
    assert bundled(release) == first
    with zipfile.ZipFile(BytesIO(first)) as archive:
        assert {one.date_time for one in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


# Of the rows below, made by tests/bed/exported.py. Whoever changes what they say puts the new one
# here; both databases have to give it.
ROWS = "cases exclusions reviews adjudications waivers draws pools/1 pools/2 rulings decisions"
DIGEST = "8bff1fddbc885b5e883b5005a1f8f5f9b8d46ab91f45db4f3be1a669dda2f3cb"


def test_either_database_gives_the_same_bytes(data: bytes) -> None:
    files = Forged(data).files
    found = b"".join(files[f"{name}.jsonl"] for name in ROWS.split())
    assert hashlib.sha256(found).hexdigest() == DIGEST


def test_nothing_stands_in_the_order_of_a_database(data: bytes) -> None:
    """Two databases sort text in two ways, and one of them shuffles the fields of JSON."""
    files = Forged(data).files
    for name in files.keys() - {"README.txt", "rubric/en.md", "rubric/zh-hans.md"}:
        for line in files[name].splitlines() if name.endswith("l") else [files[name]]:
            dicts_are_sorted(json.loads(line), name)
    for name in ("reviews.jsonl", "cases.jsonl"):
        rows = Forged(data).rows(name)
        assert rows == sorted(rows, key=lambda row: (row["case_key"], row.get("reviewer", "")))


def dicts_are_sorted(value: Any, where: str) -> None:
    """Where the keys are no fields of ours."""
    free = {"data", "policy", "covers", "agreed", "coherence", "scores", "answers", "fitting"}
    if isinstance(value, dict):
        for name, one in value.items():
            if name in free and isinstance(one, dict):
                assert list(one) == sorted(one), (where, name)
            dicts_are_sorted(one, where)
    elif isinstance(value, list):
        for one in value:
            dicts_are_sorted(one, where)


def test_a_release_that_is_not_closed_can_be_bundled_and_checked(
    rubric: Rubric, rita: User, omar: User, tmp_path: Path
) -> None:
    """Of a case whose reviews are not all in, only that they are."""
    release = bed.started()
    bed.review_all(release, rita, omar, but=["feast"])
    bed.review(release, "feast", rita, 0)
    path = tmp_path / "open.zip"
    path.write_bytes(bundled(bed.current(release)))
    assert "(provisional)" in verified(path)
    [sealed] = [row for row in Forged(path.read_bytes()).rows("reviews.jsonl") if row["is_sealed"]]
    assert (sealed["case_key"], sealed["said"], sealed["earlier"]) == ("feast", None, [])


def test_a_release_that_was_reopened_and_is_revised_can_be_checked(
    rubric: Rubric, rita: User, mina: User, tmp_path: Path
) -> None:
    """What somebody drafts for a revision is told to nobody."""
    release = bed.started(k=1)
    bed.review_all(release, rita)
    closing = releases_lifecycle.close(release=release, user=mina, now=NOW)
    said = {"decision": "ship", "reason": "good", "digest": closing.digest}
    sign(release=release, **said, user=mina, now=NOW)
    releases_lifecycle.reopen(release=release, reason="a slip", user=mina, now=LATER)
    own = Review.objects.get(case__case_key="kids")
    draft = bed.judgement(1, comment="not yet")
    saved = desk_workflow.save_draft(
        review=own.pk, user=rita, version=own.version, said=draft, now=LATER
    )
    path = tmp_path / "again.zip"
    for step in ("reopened", "revised", "closed"):
        if step == "revised":
            bed.submit(own, bed.judgement(2), version=saved.version, reason="read again")
        if step == "closed":
            releases_lifecycle.close(release=release, user=mina, now=LATER)
        path.write_bytes(bundled(bed.current(release)))
        assert ("final" if step == "closed" else "provisional") in verified(path)
        assert b"not yet" not in Forged(path.read_bytes()).files["reviews.jsonl"]


def test_the_baseline_is_told_as_it_stood_at_closing(
    rubric: Rubric, rita: User, tmp_path: Path
) -> None:
    baseline = bed.started("wanderer-1", k=1)
    bed.review_all(baseline, rita, value=4)
    releases_lifecycle.close(release=baseline, user=None, now=NOW)
    release = bed.filled("wanderer-2", k=1)
    releases_workflow.change(release=release, baseline=baseline, user=None, now=NOW)
    bed.draw(release)
    releases_lifecycle.start(release=release, user=None, now=NOW)
    bed.review_all(release, rita, value=4)
    releases_lifecycle.close(release=release, user=None, now=NOW)
    releases_lifecycle.reopen(release=baseline, reason="a slip", user=None, now=LATER)
    path = tmp_path / "baseline.zip"
    for step in ("open", "closed"):
        if step == "closed":
            own = Review.objects.get(case__case_key="kids", release=baseline)
            bed.submit(own, bed.judgement(1), reason="read again", now=LATER)
            releases_lifecycle.close(release=baseline, user=None, now=LATER)
        path.write_bytes(bundled(bed.current(release)))
        assert verified(path)


@pytest.mark.parametrize("stage", ["draft", "drawn", "abandoned"])
def test_a_release_without_reviews_can_be_bundled_and_checked(
    rubric: Rubric, stage: str, tmp_path: Path
) -> None:
    release = bed.drawn() if stage == "drawn" else bed.filled()
    if stage == "abandoned":
        releases_lifecycle.abandon(release=release, reason="no time", user=None, now=NOW)
    path = tmp_path / "empty.zip"
    call_command("export_release", release.name, out=path, stdout=StringIO())
    assert verified(path)


def test_the_command_writes_the_file_or_nothing(rubric: Rubric, tmp_path: Path) -> None:
    release = bed.drawn()
    with pytest.raises(CommandError, match="No such file or directory"):
        call_command("export_release", release.name, out=tmp_path / "no" / "where.zip")
    with pytest.raises(CommandError, match="no release called other"):
        call_command("export_release", "other", out=tmp_path / "file.zip")
    call_command("export_release", release.name, out=tmp_path / "file.zip", stdout=StringIO())
    assert [one.name for one in tmp_path.iterdir()] == ["file.zip"]


def test_reviews_take_as_many_queries_a_portion_however_many_there_are(
    rubric: Rubric, rita: User, omar: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = bed.started()
    bed.put_reviews(release, rita, omar)
    counts = []
    for portion in (100, 5):
        monkeypatch.setattr(queries, "REVIEWS_AT_ONCE", portion)
        with CaptureQueriesContext(connection) as asked:
            assert len(list(queries.read_reviews(release))) == 10
        counts.append(len(asked))
    few, many = counts
    # Which cases are complete, and the keys; then six for each portion.
    assert (few, many) == (3 + 6, 3 + 2 * 6)


def test_an_export_is_begun_anew_when_something_happens_meanwhile(
    rubric: Rubric, rita: User, omar: User
) -> None:
    """It is written twice, and tells of one moment."""
    release = bed.started(k=1)
    bed.review(release, "kids", rita, 4)
    times = []

    def make(found: Release) -> Iterator[bytes]:
        times.append(found.ledger_length)
        yield b"%d" % len(times)
        if len(times) == 1:
            bed.review(release, "rush", omar, 4)

    assert b"".join(deliver(bed.current(release), make)) == b"2"
    assert times[1] > times[0]


def test_an_export_of_a_release_that_is_never_quiet_holds_it(rubric: Rubric, rita: User) -> None:
    release = bed.started(k=1)
    cases = bed.sampled(release)

    def make(found: Release) -> Iterator[bytes]:
        yield b"%d" % len(cases)
        bed.review(release, cases.pop(), rita, 4)

    assert b"".join(deliver(bed.current(release), make)) == b"2"


def test_a_ruling_that_supersedes_another_can_be_checked(
    rubric: Rubric, rita: User, ada: User, tmp_path: Path
) -> None:
    release, path = bed.started(), tmp_path / "bundle.zip"
    asked = bed.ask(release, "feast", rita)
    answer = partial(questions_workflow.answer, question=asked.pk, user=ada)
    answer(text="A picnic counts.", now=NOW)
    answer(text="Only with a time.", now=NOW, supersedes=1, look_again=True)
    path.write_bytes(bundled(bed.current(release)))
    assert verified(path)
    rows = Forged(path.read_bytes()).rows("rulings.jsonl")
    assert [row.get("supersedes") for row in rows] == [None, 1]
    for line, sentence in ((0, "summary.json: "), (2, "not above it"), (9, "not above it")):
        forged = Forged(path.read_bytes())
        forged.put("rulings.jsonl", [rows[0], rows[1] | {"supersedes": line}])
        assert sentence in refused(forged.repaired().write(tmp_path / "forged.zip"))


# --- Changed ones ---------------------------------------------------------------------------------

Change = Callable[[Forged], object]


def of(case_key: str, reviewer: str) -> Callable[[Any], bool]:
    return lambda row: (row["case_key"], row["reviewer"]) == (case_key, reviewer)


def put(*path: Any, to: Any) -> Callable[[Any], None]:
    def change(row: Any) -> None:
        *inner, last = path
        for step in inner:
            row = row[step]
        assert row[last] != to
        row[last] = to

    return change


def anything(row: Any) -> bool:
    return True


CHANGES: dict[str, tuple[Change, list[str]]] = {
    "a score": (
        lambda f: f.row(
            "reviews.jsonl",
            of("feast", "rita"),
            put("said", "scores", "usability-value", "value", to=5),
        ),
        [
            "reviews.jsonl: feast by rita, version 1: says something else than what was submitted",
            "summary.json: metrics[usability-value].mean.value: ",
        ],
    ),
    "an answer": (
        lambda f: f.row(
            "reviews.jsonl",
            of("kids", "omar"),
            put("said", "answers", "usability-value.1", "answer", to="na"),
        ),
        [
            "reviews.jsonl: kids by omar, version 1: says something else",
            "summary.json: checklist[usability-value.1].answers",
        ],
    ),
    "a score of an earlier version": (
        lambda f: f.row(
            "reviews.jsonl",
            lambda row: row["earlier"],
            put("earlier", 0, "said", "scores", "personalization", "value", to=0),
        ),
        ["reviews.jsonl: kids by rita, version 1: says something else"],
    ),
    "why a review was revised": (
        lambda f: f.row(
            "reviews.jsonl", lambda row: row["earlier"], put("earlier", 0, "reason", to="a whim")
        ),
        ["reviews.jsonl: kids by rita, version 2: was not revised when and why the ledger says"],
    ),
    "the place of a withdrawn case": (
        lambda f: f.row("cases.jsonl", lambda row: row["cause"], put("place", to=2)),
        ["cases.jsonl: wanderer-2: thrift: its kind, origin or place is wrong"],
    ),
    "why a review was declined": (
        lambda f: f.row("reviews.jsonl", anything, put("decline_reason", to="no time")),
        ["reviews.jsonl: cheap by omar: was not declined as the ledger says"],
    ),
    "a review left out": (
        lambda f: f.put("reviews.jsonl", f.rows("reviews.jsonl")[1:]),
        ["missing, but it is in the ledger", "summary.json: reviews_in: 11 there"],
    ),
    "a review slipped in": (
        lambda f: f.put(
            "reviews.jsonl",
            [*(rows := f.rows("reviews.jsonl")), {**rows[0], "reviewer": "sam"}],
        ),
        ["by sam, version 1: the ledger has no such review"],
    ),
    "the words of a reviewer": (
        lambda f: f.text("reviews.jsonl", "第二行", "第三行"),
        ["says something else than what was submitted"],
    ),
    "a flag's outcome": (
        lambda f: f.row(
            "reviews.jsonl", lambda row: row["flags"], put("flags", 0, "outcome", to="confirmed")
        ),
        [
            "its flag “harmful” was not judged as the ledger says",
            "summary.json: flags[ramp].outcome: rejected there, confirmed from the rows",
        ],
    ),
    "an agreed score": (
        lambda f: f.row("adjudications.jsonl", anything, put("agreed", "usability-value", to=5)),
        ["summary.json: disagreements[rush].adjudication.agreed.usability-value: 3 there, 5"],
    ),
    "who settled it": (
        lambda f: f.row("adjudications.jsonl", anything, put("by", to="ada")),
        ["adjudications.jsonl: rush does not match the ledger"],
    ),
    "a pool entry": (
        lambda f: f.row("pools/2.jsonl", lambda row: row[0] == "spare-1", put(3, to=["family"])),
        ["draws.jsonl: wanderer-2, draw 2: “digest of the pool” does not match its pool"],
    ),
    "a pool entry left out": (
        lambda f: f.put("pools/1.jsonl", f.rows("pools/1.jsonl")[:-1]),
        [
            "draws.jsonl: wanderer-2, draw 1: “digest of the pool” does not match its pool",
            "draws.jsonl: wanderer-2, draw 1: “cases in the pool” does not match its pool",
        ],
    ),
    "the order of a draw": (
        lambda f: f.put("pools/2.jsonl", [*(rows := f.rows("pools/2.jsonl"))[:-2], *rows[:-3:-1]]),
        ["pools/2.jsonl: wanderer-2, draw 2: place 8 has spare-1"],
    ),
    "the size of a draw": (
        lambda f: f.row("draws.jsonl", lambda row: row["number"] == 2, put("size", to=5)),
        ["draws.jsonl: wanderer-2, draw 2: does not match the ledger", "summary.json: draws["],
    ),
    "what a draw wanted": (
        lambda f: f.row("draws.jsonl", lambda row: row["number"] == 2, put("kinds", 0, 1, to=[])),
        ["draws.jsonl: wanderer-2, draw 2: its kinds are not those of the rubric"],
    ),
    "a case's plan": (
        lambda f: f.text("cases.jsonl", "Paper mill", "Silk mill"),
        ["cases.jsonl:1: digest: ", "cheap: its content differs from the pool"],
    ),
    "a case's tags": (
        lambda f: f.row("cases.jsonl", lambda row: row["case_key"] == "kids", put("tags", to=[])),
        ["cases.jsonl: wanderer-2: kids: its tags differ from the pool"],
    ),
    "a case brought in": (
        lambda f: f.put(
            "cases.jsonl",
            [*(rows := f.rows("cases.jsonl")), {**rows[0], "case_key": "pet", "place": None}],
        ),
        ["cases.jsonl: wanderer-2: pet was not drawn", "pet has the content of another case"],
    ),
    "why a case was withdrawn": (
        lambda f: f.row(
            "cases.jsonl", lambda row: row["cause"], put("withdrawal_reason", to="too hard")
        ),
        ["summary.json: withdrawn[thrift].reason: its plan is cut off there, too hard"],
    ),
    "a rubric word": (
        lambda f: first_word(f, "rubric/en.md"),
        ["rubric.json: texts[en].digest: ", "release.json: rubric_digest: "],
    ),
    "a word of its translation": (
        lambda f: first_word(f, "rubric/zh-hans.md"),
        ["rubric.json: texts[zh-hans].digest: "],
    ),
    "an event": (
        lambda f: f.row(
            "events.jsonl", lambda row: row["kind"] == "scores-seen", put("by", to="ada")
        ),
        ["is not as it was written"],
    ),
    "an event left out": (
        lambda f: f.put("events.jsonl", f.rows("events.jsonl")[:-1]),
        ["the ledger ends after event", "decisions.jsonl: wanderer-2: the decisions do not match"],
    ),
    "an event slipped in": (
        lambda f: f.put("events.jsonl", [*f.rows("events.jsonl"), f.rows("events.jsonl")[0]]),
        ["events.jsonl:46: It cannot be stored: UNIQUE constraint failed"],
    ),
    "a waiver": (
        lambda f: f.put("waivers.jsonl", f.rows("waivers.jsonl")[1:]),
        ["waivers.jsonl: adjudications does not match the ledger"],
    ),
    "an exclusion": (
        lambda f: f.row("exclusions.jsonl", anything, put("reason", to="taste")),
        ["exclusions.jsonl: spare-3 was not excluded as the ledger says"],
    ),
    "a ruling": (
        lambda f: f.row("rulings.jsonl", anything, put("text", to="It does not.")),
        ["summary.json: rulings[usability-value.2].text: A picnic counts. there"],
    ),
    "the policy": (
        lambda f: f.document("release.json", put("policy", "margin", to=3.0)),
        ["release.json: policy does not match the ledger", "verdict.json: "],
    ),
    "the due date": (
        lambda f: f.document("release.json", put("due_date", to="2031-01-01")),
        ["release.json: due_date does not match the ledger"],
    ),
    "reviews per case": (
        lambda f: f.document("release.json", put("reviews_per_case", to=1)),
        ["release.json: reviews_per_case does not match the ledger"],
    ),
    "the status": (
        lambda f: f.document("release.json", put("status", to="reviewing")),
        ["release.json: status does not match the ledger"],
    ),
    "the name": (
        lambda f: f.document("release.json", put("name", to="wanderer-3")),
        [
            "events.jsonl: wanderer-3: event 1 is not as it was written",
            "manifest.json: it names another",
        ],
    ),
    "a figure of the summary": (
        lambda f: f.document(
            "summary.json", put("metrics", 0, "agreement", "alpha", "value", to=0.9)
        ),
        [
            "summary.json: metrics[usability-value].agreement.alpha.value: 0.9 there, ",
            "closings.jsonl: wanderer-2: report 1 is not the report stored at closing",
        ],
    ),
    "a sentence of the verdict": (
        lambda f: f.document("verdict.json", put("word", to="GO")),
        ["verdict.json: word: GO there, NO-GO from the rows"],
    ),
    "the baseline": (
        lambda f: f.text(
            "baseline-summary.json", '"counts":[0,0,0,0,0,2]', '"counts":[2,0,0,0,0,0]'
        ),
        ["summary.json: comparison."],
    ),
    "a word of the baseline's report": (
        lambda f: f.text("baseline-summary.json", '"reviews_in":10', '"reviews_in":11'),
        ["summary.json: baseline_digest: "],
    ),
    "what got through": (
        lambda f: f.row("escapes.jsonl", anything, put("key", to="harmful")),
        ["escapes.jsonl:1: "],
    ),
    "when a review was assigned": (
        lambda f: f.row("reviews.jsonl", anything, put("assigned_at", to=LATER.isoformat())),
        ["was not assigned when the ledger says"],
    ),
    "when a case came in": (
        lambda f: f.row("cases.jsonl", anything, put("added_at", to=LATER.isoformat())),
        ["cheap: the time at which it came in or went out does not match the ledger"],
    ),
    "when a case went out": (
        lambda f: f.row(
            "cases.jsonl", lambda row: row["cause"], put("withdrawn_at", to=LATER.isoformat())
        ),
        ["thrift: the time at which it came in or went out does not match the ledger"],
    ),
    "what it was closed from": (
        lambda f: f.row("closings.jsonl", anything, put("closed_from", to="draft")),
        ["closings.jsonl: wanderer-2: report 1 is not the report stored at closing"],
    ),
    "the decision": (
        lambda f: f.row("decisions.jsonl", anything, put("decision", to="ship")),
        ["decisions.jsonl: wanderer-2: the decisions do not match the ledger"],
    ),
    "who closed it": (
        lambda f: f.row("closings.jsonl", anything, put("by", to="ada")),
        ["closings.jsonl: wanderer-2: report 1 is not the report stored at closing"],
    ),
    "an event of another kind": (
        lambda f: f.row(
            "events.jsonl", lambda row: row["kind"] == "sample-drawn", put("data", to={})
        ),
        ["The draws cannot be checked: KeyError"],
    ),
}


def first_word(forged: Forged, name: str) -> Forged:
    """Of the first checklist question, whatever it says."""
    lines = forged.files[name].decode().split("\n")
    place = next(
        place for place, line in enumerate(lines) if line.startswith("- ") and "`" not in line
    )
    lines[place] += "x"
    forged.files[name] = "\n".join(lines).encode()
    return forged


@pytest.mark.sqlite
@pytest.mark.parametrize("what", CHANGES)
def test_one_thing_changed_is_named(forged: Forged, what: str, tmp_path: Path) -> None:
    change, named = CHANGES[what]
    change(forged)
    told = refused(forged.repaired().write(tmp_path / "forged.zip"))
    for one in named:
        assert one in told, told


def test_a_changed_file_does_not_fit_the_manifest(forged: Forged, tmp_path: Path) -> None:
    forged.text("README.txt", "SPOTCHECK", "spotcheck")
    told = refused(forged.write(tmp_path / "forged.zip"))
    assert told == "README.txt: not the file that the manifest names (SHA-256)."


# What nothing else in a bundle rests on: docs/exports.md names it.
UNPROTECTED = re.compile(
    r"release\.json\.created_at|rulings\.jsonl\.\*\.given_at|cases\.jsonl\.\*\.kind"
    r"|draws\.jsonl\.\*\.rubric_digest|reviews\.jsonl\.\*\.coherence\..*"
)


class Tamperer:
    """Changes one value, drops one or repeats one, anywhere in a file of rows or a document."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def change(self, forged: Forged) -> str:
        """Where, with * for every number and key that is no field."""
        names = sorted(forged.files.keys() - {"README.txt", "manifest.json"})
        name = self.chance.choice([name for name in names if "/" not in name or "pools" in name])
        has_rows = name.endswith(".jsonl")
        rows = forged.rows(name) if has_rows else json.loads(forged.files[name])
        path = self.change_within(rows)
        if has_rows:
            forged.put(name, rows)
        else:
            forged.files[name] = json.dumps(rows, ensure_ascii=False).encode()
        return f"{name}{path}"

    def change_within(self, value: Any) -> str:
        steps = list(value) if isinstance(value, dict) else range(len(value))
        inner = [step for step in steps if isinstance(value[step], dict | list) and value[step]]
        if inner and self.chance.random() < 0.85:
            step = self.chance.choice(inner)
            return f".{'*' if isinstance(step, int) else step}{self.change_within(value[step])}"
        step = self.chance.choice(list(steps))
        if isinstance(value, list) and self.chance.random() < 0.5:
            value.append(value[step]) if self.chance.random() < 0.5 else value.pop(step)
            return ".*"
        value[step] = self.other(value[step])
        return f".{'*' if isinstance(step, int) else step}"

    def other(self, value: Any) -> Any:
        if isinstance(value, bool):
            return not value
        if isinstance(value, int | float):
            return value + 1
        if isinstance(value, str) and re.fullmatch(r"\d{4}-.*Z", value):
            return "1999" + value[4:]
        if isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value):
            return value[1:] + ("0" if value[0] != "0" else "1")
        return f"{value}x" if isinstance(value, str) else "x"


@pytest.mark.sqlite
@pytest.mark.timeout(soak.size(short=120, long=1_800))
def test_whatever_is_changed_is_found(data: bytes, tmp_path: Path) -> None:
    count, missed = soak.size(short=30, long=1_000), []
    for seed in range(count):
        forged = Forged(data)
        where = Tamperer(seed).change(forged)
        if UNPROTECTED.fullmatch(where):
            continue
        try:
            verify(forged.repaired().write(tmp_path / "forged.zip"))
        except CommandError:
            continue
        missed.append((seed, where))
    soak.report("tamperings with a bundle", tried=count, bad=len(missed))
    assert missed == []


# --- No bundle at all -----------------------------------------------------------------------------


def test_what_is_no_bundle_is_refused_in_a_sentence(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file.zip"
    assert "No such file or directory" in refused(path)
    path.write_bytes(b"no zip")
    assert "not a ZIP archive that can be read" in refused(path)
    path.write_bytes(data[: len(data) // 2])
    assert "not a ZIP archive that can be read" in refused(path)
    spoilt = bytearray(data)
    spoilt[200:400] = bytes(200)
    path.write_bytes(spoilt)
    assert "not a ZIP archive that can be read" in refused(path)


HOSTILE: dict[str, tuple[Change, str]] = {
    "a path upwards": (
        lambda f: f.files.update({"../evil": b""}),
        "../evil: not a file of a bundle.",
    ),
    "an absolute path": (
        lambda f: f.files.update({"/etc/x": b""}),
        "/etc/x: not a file of a bundle.",
    ),
    "a name with control characters": (
        lambda f: f.files.update({"a\x1b[2J": b""}),
        "a\\x1b[2J: not a file of a bundle.",
    ),
    "a person with control characters": (
        lambda f: f.row("reviews.jsonl", of("feast", "rita"), put("reviewer", to="x\x1b[2J")),
        "feast by x\\x1b[2J, version 1: the ledger has no such review.",
    ),
    "a missing file": (lambda f: f.files.pop("events.jsonl"), "events.jsonl missing."),
    "a missing pool": (
        lambda f: f.files.pop("pools/2.jsonl"),
        "pools/2.jsonl: not in the archive.",
    ),
    "broken JSON": (
        lambda f: f.files.update({"events.jsonl": b'{"number": 1,\n'}),
        "events.jsonl:1: Input data was truncated",
    ),
    "JSON of another shape": (
        lambda f: f.files.update({"reviews.jsonl": b'{"case_key": 7}\n'}),
        "reviews.jsonl:1: Expected `str`, got `int` - at `$.case_key`.",
    ),
    "an unknown field": (
        lambda f: f.row("waivers.jsonl", anything, lambda row: row.update(more=1)),
        "waivers.jsonl:1: Object contains unknown field `more`.",
    ),
    "no text": (
        lambda f: f.files.update({"summary.json": b"\xff"}),
        "summary.json: not UTF-8 text.",
    ),
    "no summary": (
        lambda f: f.files.update({"summary.json": b"{}"}),
        "summary.json: Object missing",
    ),
    "JSON without end": (
        lambda f: f.files.update({"release.json": b"[" * 100_000}),
        "release.json: ",
    ),
    "another format": (
        lambda f: f.document("manifest.json", put("format", to="x/1")),
        "manifest.json: the format is not spotcheck-bundle/1.",
    ),
    "a score that is no level": (
        lambda f: f.row(
            "reviews.jsonl",
            of("feast", "rita"),
            put("said", "scores", "usability-value", "value", to=10**12),
        ),
        "feast by rita: scores.usability-value.value: The score for Usability & Value",
    ),
    "a metric that there is not": (
        lambda f: f.text("reviews.jsonl", '"personalization":{', '"charm":{'),
        "scores.charm: The rubric has no metric with this key.",
    ),
    "a rubric that is none": (
        lambda f: f.files.update({"rubric/en.md": b"hello"}),
        "rubric/en.md: Line 1: The document has no title",
    ),
}


@pytest.mark.sqlite
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_archive_is_refused_in_a_sentence(
    forged: Forged, what: str, tmp_path: Path
) -> None:
    change, told = HOSTILE[what]
    change(forged)
    if what != "another format":
        forged = forged.repaired() if "summary.json" in forged.files else forged
    assert told in refused(forged.write(tmp_path / "hostile.zip"))


def test_an_archive_that_grows_without_end_is_not_read_to_its_end(
    forged: Forged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forged.files["summary.json"] = b" " * 3_000_000
    path = forged.write(tmp_path / "bomb.zip")
    assert path.stat().st_size < 100_000
    monkeypatch.setattr("reviews.export.archive.MOST_OF_ALL", 1_000_000)
    assert "too large to be read" in refused(path)


def test_a_line_without_end_is_not_read_to_its_end(
    forged: Forged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forged.files["events.jsonl"] = b" " * 3_000_000
    monkeypatch.setattr("reviews.export.archive.MOST_OF_A_LINE", 100_000)
    assert refused(forged.write(tmp_path / "long.zip")) == "events.jsonl: a line of it is too long."


def test_a_line_that_breaks_a_rule_of_the_tables_is_named(forged: Forged, tmp_path: Path) -> None:
    forged.row("reviews.jsonl", lambda row: row["flags"], put("flags", 0, "reason", to=""))
    told = refused(forged.repaired().write(tmp_path / "forged.zip"))
    assert (
        "reviews.jsonl:8: It cannot be stored: CHECK constraint failed: a judged flag says by whom "
        "and why." in told
    )


def test_a_file_that_is_twice_in_the_archive_is_refused(forged: Forged, tmp_path: Path) -> None:
    path = forged.write(tmp_path / "twice.zip")
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("events.jsonl", b"")
    assert refused(path) == "events.jsonl: twice in the archive."
