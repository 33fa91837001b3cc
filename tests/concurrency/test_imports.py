"""Imports at the same moment, and imports that die in the middle."""

import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from pytest_django import DjangoDbBlocker

from cases import imports, ledger
from cases.imports import storing
from cases.models import Case, CaseTag, Release, Rubric
from cases.tags import workflow as tags_workflow
from tests import servers
from tests.bed import soak
from tests.bed.cases import (
    NOW,
    content_digest,
    digest_of,
    import_lines,
    lines,
    make_case,
    make_release,
    many,
    source,
)
from tests.bed.races import at_the_same_moment
from tests.bed.servers import OPEN_RELEASE, execute, manage_here
from tests.conftest import MakeDatabase
from tests.people import AsUser

BASE_DIR = Path(__file__).resolve().parents[2]

# --- At the same moment ---------------------------------------------------------------------------

at_once = pytest.mark.django_db(transaction=True, serialized_rollback=True)


@pytest.fixture
def release(transactional_db: None, rubric: Rubric) -> Release:
    # The first row that is read in a process takes long: calendars and names of places.
    imports.check([source(many(1))], imports.Options()).spool.close()
    return make_release(rubric=rubric)


@pytest.fixture
def both_have_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has seen what a release holds waits for the other one to have seen it too.

    Where only one at a time may look, nobody comes, and the wait ends by itself.
    """
    meeting = Barrier(2)
    look = storing.read_portions

    def look_and_wait(*arguments: Any) -> Iterator[Any]:
        for portion in look(*arguments):
            with suppress(BrokenBarrierError):
                meeting.wait(timeout=0.5)
            yield portion

    monkeypatch.setattr(storing, "read_portions", look_and_wait)


def outcomes(answers: list[Any]) -> list[tuple[int, int, int]]:
    assert all(isinstance(one, imports.Outcome) for one in answers), answers
    return sorted((one.new, one.changed, one.unchanged) for one in answers)


def check_ledger(release: Release, *kinds: str) -> None:
    """In order, and with these acts after the release was opened, in whichever order."""
    release.refresh_from_db()
    assert ledger.verify(release) == len(kinds) + 1
    found = release.events.filter(number__gt=1).values_list("kind", flat=True)
    assert sorted(found) == sorted(kinds)


@at_once
def test_the_same_file_twice_at_once_is_one_import(
    release: Release, both_have_looked: None
) -> None:
    answers = at_the_same_moment(*(2 * [lambda: import_lines(release, many(40))]))
    assert outcomes(answers) == [(0, 0, 40), (40, 0, 0)]
    assert release.cases.count() == 40
    assert release.batches.count() == 1
    assert CaseTag.objects.count() == 40
    check_ledger(release, "cases-imported")


@at_once
def test_two_files_at_once_are_both_in_whole(release: Release, both_have_looked: None) -> None:
    answers = at_the_same_moment(
        lambda: import_lines(release, many(30, "one")),
        lambda: import_lines(release, many(20, "two")),
    )
    assert outcomes(answers) == [(20, 0, 0), (30, 0, 0)]
    assert sorted(release.batches.values_list("number", flat=True)) == [1, 2]
    for answer, count in zip(answers, (30, 20), strict=True):
        assert Case.objects.filter(batch=answer.batch).count() == count
    check_ledger(release, "cases-imported", "cases-imported")


@at_once
def test_imports_into_two_releases_at_once_never_give_out_the_same_code(
    release: Release, rubric: Rubric, both_have_looked: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With codes of one letter there are 27, so that the two could hardly miss each other."""
    monkeypatch.setattr(storing, "CODE_LENGTH", 1)
    other = make_release("wanderer-2", rubric=rubric)
    answers = at_the_same_moment(
        lambda: import_lines(release, many(13)), lambda: import_lines(other, many(14))
    )
    assert outcomes(answers) == [(13, 0, 0), (14, 0, 0)]
    assert len(set(Case.objects.values_list("code", flat=True))) == 27
    for one in (release, other):
        check_ledger(one, "cases-imported")


@at_once
def test_two_files_that_change_the_same_cases_are_one_after_the_other(
    release: Release, both_have_looked: None
) -> None:
    import_lines(release, many(10))
    before = content_digest(release)
    one, other = many(10, locale="en", tags=["x"]), many(10, locale="ja", tags=["y"])
    answers = at_the_same_moment(
        lambda: import_lines(release, one), lambda: import_lines(release, other)
    )
    assert outcomes(answers) == [(0, 10, 0), (0, 10, 0)]
    assert len(set(release.cases.values_list("locale", flat=True))) == 1
    assert len(set(release.cases.values_list("batch", flat=True))) == 1
    for number in (3, 2):
        imports.undo_import(release=release, number=number, user=None, now=NOW)
    assert content_digest(release) == before
    check_ledger(release, *(3 * ["cases-imported"]), *(2 * ["import-undone"]))


@at_once
def test_an_import_and_the_undo_of_the_one_before_do_not_mix(release: Release) -> None:
    import_lines(release, many(10))
    answers = at_the_same_moment(
        lambda: import_lines(release, many(20, locale="en")),
        lambda: imports.undo_import(release=release, number=1, user=None, now=NOW),
    )
    imported, undone = answers
    assert isinstance(imported, imports.Outcome)
    # Undone first, all 20 are new; undone second, it was too late.
    if isinstance(undone, imports.CannotUndo):
        assert (imported.new, imported.changed) == (10, 10)
        check_ledger(release, "cases-imported", "cases-imported")
    else:
        assert (imported.new, imported.changed) == (20, 0)
        check_ledger(release, "cases-imported", "import-undone", "cases-imported")
    assert release.cases.filter(locale="en").count() == release.cases.count() == 20


@at_once
def test_of_two_undos_at_once_one_is_refused(release: Release) -> None:
    import_lines(release, many(10))
    answers = at_the_same_moment(
        *(2 * [lambda: imports.undo_import(release=release, number=1, user=None, now=NOW)])
    )
    assert [isinstance(one, imports.CannotUndo) for one in answers].count(True) == 1
    assert not release.cases.exists()
    check_ledger(release, "cases-imported", "import-undone")


@at_once
def test_an_import_and_an_admins_word_on_tags_both_stand(
    release: Release, ada: User, both_have_looked: None
) -> None:
    import_lines(release, many(10))
    codes = list(release.cases.values_list("code", flat=True))
    answers = at_the_same_moment(
        lambda: import_lines(release, many(10, tags=["new"])),
        lambda: tags_workflow.give(
            release=release, codes=codes, tag="given", reason="r", user=ada, now=NOW
        ),
    )
    assert isinstance(answers[0], imports.Outcome)
    assert answers[1] == 10
    for case in release.cases.prefetch_related("tags"):
        assert case.standing_tags == ["given", "new", "yunxi"]
    check_ledger(release, "cases-imported", "cases-imported", "tag-given")


@at_once
def test_an_import_while_the_release_leaves_its_draft_is_whole_or_refused(
    release: Release, both_have_looked: None
) -> None:
    def start_reviewing() -> None:
        with transaction.atomic():
            locked = Release.objects.select_for_update().get(pk=release.pk)
            locked.status = "reviewing"
            locked.save(update_fields=["status"])

    answer, _ = at_the_same_moment(lambda: import_lines(release, many(30)), start_reviewing)
    if isinstance(answer, imports.CasesFrozen):
        assert not release.cases.exists()
        check_ledger(release)
    else:
        assert outcomes([answer]) == [(30, 0, 0)]
        assert release.cases.count() == 30
        check_ledger(release, "cases-imported")


@at_once
def test_the_button_of_a_preview_pressed_twice_at_once_imports_once(
    release: Release, as_user: AsUser, ada: User
) -> None:
    client = as_user(ada)
    file = SimpleUploadedFile("cases.jsonl", many(30))
    page = client.post(f"{release.get_absolute_url()}import/", {"format": "auto", "file": file})
    address = page.headers["Location"]
    [seen] = re.findall(r'name="seen" value="([^"]*)"', client.get(address).content.decode())
    one, other = as_user(ada), as_user(ada)
    answers = at_the_same_moment(
        lambda: one.post(address, {"seen": seen}).status_code,
        lambda: other.post(address, {"seen": seen}).status_code,
    )
    assert set(answers) <= {302, 409}, answers
    assert 302 in answers
    assert (release.cases.count(), release.batches.count()) == (30, 1)
    check_ledger(release, "cases-imported")


@at_once
def test_a_name_given_twice_at_once_is_one_release(
    rubric: Rubric, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by this test on PostgreSQL: the second one ended in an error of the database."""
    meeting = Barrier(2)
    check = Release.full_clean

    def check_and_wait(self: Release, *arguments: Any, **named: Any) -> None:
        check(self, *arguments, **named)
        with suppress(BrokenBarrierError):
            meeting.wait(timeout=0.5)

    monkeypatch.setattr(Release, "full_clean", check_and_wait)
    answers = at_the_same_moment(*(2 * [lambda: make_release("wanderer-9", rubric=rubric)]))
    [refusal] = [one for one in answers if not isinstance(one, Release)]
    assert isinstance(refusal, ValidationError)
    assert refusal.message_dict == {"name": ["There is a release of this name already."]}
    check_ledger(Release.objects.get(name="wanderer-9"))


@pytest.mark.soak
@at_once
def test_however_often_people_import_at_once_the_ledger_is_in_order(
    release: Release, ada: User
) -> None:
    rounds = soak.size(short=2, long=40)
    bad: list[Any] = []
    for number in range(rounds):
        shared, own = many(5, f"s{number}"), lines(make_case(f"own-{number}"))
        codes = list(release.cases.order_by("pk").values_list("code", flat=True)[:3])
        give = partial(tags_workflow.give, release=release, codes=codes, user=ada, now=NOW)
        answers = at_the_same_moment(
            partial(import_lines, release, shared),
            partial(import_lines, release, shared),
            partial(import_lines, release, own),
            partial(give, tag=f"t-{number}", reason="r"),
        )
        bad += [one for one in answers if isinstance(one, Exception)]
        release.refresh_from_db()
        found = (ledger.verify(release), release.cases.count(), release.batches.count())
        # The first edit meets no case and is no event.
        if found != (3 * number + 3, 6 * (number + 1), 2 * (number + 1)):
            bad.append(found)
    soak.report("3 imports and a tag edit at once", tried=rounds, bad=len(bad))
    assert bad == []


# --- Killed in the middle -------------------------------------------------------------------------

ROWS = soak.size(short=1_000, long=20_000)
PORTION = storing.PORTION


@pytest.fixture(scope="module")
def database_url(
    migrated_database: MakeDatabase,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> str:
    """A database of its own, with a release that holds 300 cases."""
    folder = tmp_path_factory.mktemp("killed")
    url = migrated_database("killed_imports", folder)
    file = folder / "first.jsonl"
    file.write_bytes(many(300))
    with django_db_blocker.unblock():
        manage_here(url, *OPEN_RELEASE, ("import_cases", "wanderer-1", str(file)))
    return url


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Changes the 300 cases, and adds others."""
    row = lines(make_case("KEY", tags=["large"]))
    content = [many(300, locale="en")]
    content += [row.replace(b"KEY", b"large-%05d" % number) for number in range(300, ROWS)]
    file = tmp_path_factory.mktemp("large") / "large.jsonl"
    file.write_bytes(b"".join(content))
    return file


def stored(database_url: str) -> str:
    """A digest over every row of every table of cases and releases."""
    models = apps.get_app_config("cases").get_models()
    return digest_of(
        [model._meta.db_table, *row]
        for model in models
        for row in execute(database_url, f"SELECT * FROM {model._meta.db_table} ORDER BY id")
    )


# Imports on a terminal that stops the command, inside its transaction, once it has shown the words
# of the third argument. Without them it runs through.
IMPORT = """
import sys
import django
from django.core.management import call_command

class Terminal:
    shown = ""

    def isatty(self):
        return True

    def flush(self):
        pass

    def write(self, text):
        self.shown += text
        if len(sys.argv) > 2 and sys.argv[2] in self.shown:
            print("stopped", flush=True)
            sys.stdin.read()

django.setup()
call_command("import_cases", "wanderer-1", sys.argv[1], stdout=sys.stderr, stderr=Terminal())
"""


@contextmanager
def importing_in_a_process(
    database_url: str, file: Path, *stop_at: str
) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORT, str(file), *stop_at],
        cwd=BASE_DIR,
        env=servers.environment(database_url),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        with process:
            yield process
            process.kill()
    finally:
        process.kill()
        process.wait(120)


@pytest.mark.soak
@pytest.mark.django_db
@pytest.mark.timeout(1200)
def test_an_import_killed_while_it_writes_leaves_nothing_behind(
    database_url: str, large_file: Path
) -> None:
    rounds = soak.size(short=1, long=10)
    before = stored(database_url)
    bad = []
    for _round in range(rounds):
        rows = PORTION * random.randint(1, ROWS // PORTION - 1)
        with importing_in_a_process(database_url, large_file, f"Stored {rows:,} rows") as command:
            assert command.stdout
            assert command.stdout.readline() == b"stopped\n"
            command.kill()
            assert command.wait(120) == -signal.SIGKILL
        if stored(database_url) != before:
            bad.append(rows)
    soak.report("an import killed while it writes", tried=rounds, bad=len(bad))
    assert bad == []
    later = large_file.with_name("later.jsonl")
    later.write_bytes(many(7, "later"))
    said = manage_here(
        database_url,
        ("import_cases", "wanderer-1", str(later)),
        ("undo_import", "wanderer-1", "2"),
        ("verify_ledger", "wanderer-1"),
    )
    assert "7 new" in said
    assert "all in order" in said


@pytest.mark.soak
@soak.ONLY
@pytest.mark.timeout(1200)
def test_an_import_killed_at_any_moment_is_in_whole_or_not_at_all(
    database_url: str, large_file: Path
) -> None:
    """Also while it starts, checks, commits and says what it did."""
    rounds = 20
    started = time.monotonic()
    said = servers.manage(database_url, "import_cases", "wanderer-1", str(large_file))
    seconds = time.monotonic() - started
    assert f"{ROWS - 300} new, 300 changed, 0 unchanged." in said
    whole = counts(database_url)
    undo_newest(database_url)
    none = counts(database_url)
    bad = []
    for number in range(rounds):
        # The last third of the time holds the writing and the commit.
        wait = seconds * random.uniform(0 if number % 2 else 0.66, 1.1)
        with importing_in_a_process(database_url, large_file) as command:
            with suppress(subprocess.TimeoutExpired):
                command.wait(wait)
            command.kill()
            command.wait(120)
        wait_until_the_server_let_go(database_url)
        found = counts(database_url)
        if found == whole:
            undo_newest(database_url)
        elif found != none:
            bad.append((wait, found))
    soak.report("an import killed at any moment", tried=rounds, bad=len(bad))
    assert bad == []
    assert "all in order" in servers.manage(database_url, "verify_ledger", "wanderer-1")


def wait_until_the_server_let_go(database_url: str) -> None:
    """PostgreSQL may have got the order to commit already, and carries it out for a dead client."""
    others = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    while database_url.startswith("postgres") and execute(database_url, others) != [(0,)]:
        time.sleep(0.01)


def counts(database_url: str) -> list[tuple[Any, ...]]:
    """Cases, tags, kept rows and what stands of imports."""
    questions = [
        "SELECT locale, count(*) FROM cases_case GROUP BY locale ORDER BY locale",
        "SELECT tag, origin, count(*) FROM cases_casetag GROUP BY tag, origin ORDER BY tag, origin",
        "SELECT count(*) FROM cases_replaced",
        "SELECT count(*) FROM cases_batch WHERE undone_at IS NULL",
    ]
    return [row for question in questions for row in execute(database_url, question)]


def undo_newest(database_url: str) -> None:
    [(number,)] = execute(
        database_url, "SELECT max(number) FROM cases_batch WHERE undone_at IS NULL"
    )
    servers.manage(database_url, "undo_import", "wanderer-1", str(number))
