"""Importing: all rows or none, the same again changes nothing, a draft takes changes."""

import gzip
import json
import os
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from cases import imports, ledger
from cases.imports import storing
from cases.models import Batch, Case, CaseTag, Event, Release, Replaced, Rubric
from cases.models.cases import CODE_LETTERS
from cases.tags import workflow as tags_workflow
from tests.bed.cases import (
    NOW,
    check_report,
    content_digest,
    database_digest,
    import_lines,
    keys,
    lines,
    make_case,
    make_release,
    many,
    source,
    told,
)
from tests.bed.databases import believe_tables_empty


@pytest.fixture
def release(rubric: Rubric) -> Release:
    return make_release(rubric=rubric)


WriteFile = Callable[..., Path]


@pytest.fixture
def file(tmp_path: Path) -> WriteFile:
    def write(content: bytes, name: str = "cases.jsonl") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def load(release: Release | str, *arguments: object) -> str:
    """What the command says; standard output and error in one."""
    out = StringIO()
    call_command("import_cases", str(release), *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def refused(release: Release | str, *arguments: object) -> list[str]:
    with pytest.raises(CommandError) as refusal:
        load(release, *arguments)
    assert refusal.value.returncode == 1
    return str(refusal.value).splitlines()


def tags_of(key: str, *origins: str) -> list[str]:
    rows = CaseTag.objects.filter(case__case_key=key, origin__in=origins)
    return sorted(rows.values_list("tag", flat=True))


def stop_being_a_draft(release: Release, status: str = "reviewing") -> None:
    Release.objects.filter(pk=release.pk).update(status=status)


# --- All or nothing -------------------------------------------------------------------------------


def test_an_import_makes_cases_tags_a_batch_and_an_event(release: Release, ada: User) -> None:
    content = lines(make_case("a", tags=["Low_Budget"]), make_case("b"))
    outcome = import_lines(release, content, user=ada)
    assert (outcome.new, outcome.changed, outcome.unchanged) == (2, 0, 0)
    assert sorted(release.cases.values_list("case_key", flat=True)) == ["a", "b"]
    assert tags_of("a", "declared") == ["low-budget"]
    batch = release.batches.get()
    assert (batch, batch.number, batch.by, batch.source) == (outcome.batch, 1, "ada", "cases.jsonl")
    event = release.events.get(number=2)
    assert (event.kind, event.by) == ("cases-imported", "ada")
    assert event.data | {"digest": ""} == {
        "batch": 1,
        "new": 2,
        "changed": 0,
        "unchanged": 0,
        "digest": "",
    }


def test_a_case_is_stored_as_it_came(release: Release) -> None:
    row = make_case("a", own={"z": 1, "a": [None, "云"]}, request={"y": 2})
    import_lines(release, lines(row))
    case = Case.objects.get()
    assert list(case.content.items()) == list(row.items())
    assert json.loads(case.data) == row
    assert (case.check_status, case.locale, case.days) == ("PASS", "zh-CN", 2)
    assert case.produced_by == ["wei"]
    assert case.is_reviewable


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite plans without counting")
@pytest.mark.parametrize(("rows", "is_told"), [(4, False), (5, True)])
def test_the_database_is_told_of_many_new_rows(
    release: Release, monkeypatch: pytest.MonkeyPatch, rows: int, is_told: bool
) -> None:
    monkeypatch.setattr("cases.imports.storing.MANY", 5)
    believe_tables_empty()
    import_lines(release, many(rows))
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'cases_case'")
        [[counted]] = cursor.fetchall()
    assert (counted > 0) is is_told


def test_one_bad_row_among_many_keeps_all_out(release: Release) -> None:
    before = database_digest()
    content = many(600) + lines(make_case("bad", request={"days": 0})) + many(5, "more")
    with pytest.raises(imports.BadFile) as refusal:
        import_lines(release, content)
    assert [problem.line for problem in refusal.value.problems] == [601]
    assert database_digest() == before


def test_a_failure_in_the_middle_of_writing_leaves_nothing(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third portion breaks, when two are in the database already."""
    before = database_digest()
    monkeypatch.setattr(storing, "PORTION", 3)
    written: list[int] = []
    add_tags = storing.add_tags

    def break_at_last(rows: Any) -> None:
        written.append(Case.objects.count())
        if len(written) == 3:
            raise RuntimeError("the disk is full")
        add_tags(rows)

    monkeypatch.setattr(storing, "add_tags", break_at_last)
    with pytest.raises(RuntimeError):
        import_lines(release, many(8))
    assert written == [3, 6, 8]
    assert database_digest() == before


def test_a_failure_while_the_event_is_written_leaves_nothing(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = database_digest()

    def fail(**_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(ledger, "append", fail)
    with pytest.raises(RuntimeError):
        import_lines(release, many(2))
    assert database_digest() == before


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 7])
def test_portions_do_not_show_in_the_result(
    release: Release, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(storing, "PORTION", 3)
    assert import_lines(release, many(count)).new == count
    assert list(release.cases.order_by("case_key").values_list("case_key", flat=True)) == keys(
        count
    )
    changed = import_lines(release, many(count + 1, locale="en"))
    assert (changed.new, changed.changed) == (1, count)
    assert set(release.cases.values_list("locale", flat=True)) == {"en"}


def test_codes_are_neutral_and_all_different(release: Release) -> None:
    import_lines(release, many(300))
    codes = list(Case.objects.order_by("case_key").values_list("code", flat=True))
    assert len(set(codes)) == 300
    assert all(re.fullmatch(f"[{CODE_LETTERS}]{{5}}", code) for code in codes)
    assert codes != sorted(codes)


def test_a_code_that_is_taken_is_drawn_again(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "CODE_LENGTH", 1)
    import_lines(release, many(20))
    import_lines(release, many(7, "other"))
    assert sorted(Case.objects.values_list("code", flat=True)) == sorted(CODE_LETTERS)


def test_the_same_key_in_two_releases_is_two_cases(release: Release, rubric: Rubric) -> None:
    other = make_release("wanderer-2", rubric=rubric)
    import_lines(release, many(2))
    assert import_lines(other, many(2)).new == 2
    assert Case.objects.count() == 4


def test_the_database_refuses_a_key_twice_in_one_release(release: Release) -> None:
    import_lines(release, many(1))
    case = Case.objects.get()
    case.pk, case.code = None, "ZZZZZ"
    with pytest.raises(IntegrityError), transaction.atomic():
        case.save(force_insert=True)


def test_an_import_takes_as_many_queries_for_300_rows_as_for_30(release: Release) -> None:
    with CaptureQueriesContext(connection) as few:
        import_lines(release, many(30, "few"))
    with CaptureQueriesContext(connection) as most:
        import_lines(release, many(300, "most"))
    assert len(few) <= len(most) <= len(few) + 1  # whether the release is empty


def test_a_tag_that_is_too_long_in_lower_case_is_refused(release: Release) -> None:
    """80 letters, as many as a tag may have; in lower case they are 160."""
    with pytest.raises(imports.BadFile) as refusal:
        import_lines(release, lines(make_case("a", tags=["family", "İ" * 80])))
    assert told(refusal.value) == ["1: tags[1]: must have at most 80 characters, got 160."]
    import_lines(release, lines(make_case("a", tags=["İ" * 40])))
    assert tags_of("a", "declared") == [("İ" * 40).lower()]


# --- The same again -------------------------------------------------------------------------------


def test_loading_again_changes_nothing_at_all(release: Release, ada: User) -> None:
    import_lines(release, many(7), user=ada)
    before = database_digest()
    outcome = import_lines(release, many(7), user=ada)
    assert (outcome.batch, outcome.new, outcome.changed, outcome.unchanged) == (None, 0, 0, 7)
    assert database_digest() == before


@pytest.mark.parametrize(
    "disguise",
    [
        gzip.compress,
        lambda content: b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n\r\n"),
        lambda content: b"\n".join(reversed(content.splitlines())),
        lambda content: content.replace(b'": ', b'"  :   '),
        lambda content: lines(
            *(dict(sorted(json.loads(line).items())) for line in content.splitlines())
        ),
        lambda content: "\n".join(
            json.dumps(json.loads(line), ensure_ascii=True) for line in content.splitlines()
        ).encode(),
    ],
    ids=["gzip", "mark and crlf", "another order", "other spaces", "sorted fields", "escapes"],
)
def test_the_same_content_in_another_form_changes_nothing(
    release: Release, disguise: Callable[[bytes], bytes]
) -> None:
    import_lines(release, many(3))
    before = database_digest()
    assert import_lines(release, disguise(many(3))).unchanged == 3
    assert database_digest() == before


def test_an_import_with_one_new_row_leaves_the_others_alone(release: Release) -> None:
    import_lines(release, many(3))
    before = list(release.cases.order_by("pk").values())
    outcome = import_lines(release, many(4))
    assert (outcome.new, outcome.changed, outcome.unchanged) == (1, 0, 3)
    assert list(release.cases.order_by("pk").values())[:3] == before
    assert release.cases.get(case_key="yunxi-0004").batch == outcome.batch


def test_rows_that_a_file_leaves_out_stay(release: Release) -> None:
    import_lines(release, many(3))
    import_lines(release, many(1, locale="en"))
    assert release.cases.count() == 3


# --- A changed case -------------------------------------------------------------------------------


def test_a_changed_case_in_a_draft_is_updated_and_keeps_its_code(release: Release) -> None:
    import_lines(release, lines(make_case("a", tags=["one", "both"]), make_case("b")))
    before = Case.objects.get(case_key="a")
    changed = make_case(
        "a",
        tags=["two", "both"],
        locale="en",
        plan={"status": "clarifying", "days": []},
        automated_summary=None,
        produced_by=None,
        request={"text": "Three days in Lanting.", "destination": "Lanting"},
    )
    outcome = import_lines(release, lines(changed, make_case("b")))
    assert (outcome.new, outcome.changed, outcome.unchanged) == (0, 1, 1)
    case = Case.objects.get(case_key="a")
    assert (case.pk, case.code) == (before.pk, before.code)
    assert case.content == changed
    assert case.digest != before.digest
    assert (case.check_status, case.has_plan, case.plan_status) == ("", False, "clarifying")
    assert (case.locale, case.days, case.opening) == ("en", 0, "Three days in Lanting.")
    assert case.produced_by == []
    assert case.batch == outcome.batch
    assert tags_of("a", "declared") == ["both", "two"]
    assert "lanting" in tags_of("a", "detected")
    assert "yunxi" not in tags_of("a", "detected")


def test_what_an_admin_said_about_tags_outlives_a_change(release: Release, ada: User) -> None:
    import_lines(release, lines(make_case("a", tags=["shown"])))
    said: dict[str, Any] = {"release": release, "user": ada, "now": NOW, "reason": "seen"}
    codes = [Case.objects.get().code]
    tags_workflow.give(codes=codes, tag="given", **said)
    tags_workflow.take_away(codes=codes, tag="shown", **said)
    import_lines(release, lines(make_case("a", tags=["shown", "given", "new"])))
    case = Case.objects.prefetch_related("tags").get()
    assert case.standing_tags == ["given", "new", "yunxi"]
    assert tags_of("a", "admin") == ["given", "shown"]


def test_a_change_is_kept_for_undoing(release: Release) -> None:
    import_lines(release, many(2))
    import_lines(release, many(1, locale="en"))
    kept = Replaced.objects.get()
    assert kept.row["locale"] == "zh-CN"
    assert kept.prior_batch.number == 1
    assert kept.batch.number == 2


def test_a_case_changed_twice_is_kept_twice(release: Release) -> None:
    for locale in ("zh-CN", "en", "ja"):
        import_lines(release, many(1, locale=locale))
    rows = Replaced.objects.order_by("batch__number")
    assert [kept.row["locale"] for kept in rows] == ["zh-CN", "en"]


# --- No draft any more ----------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["reviewing", "closed"])
@pytest.mark.parametrize("content", [many(1, locale="en"), many(3), many(2, "new")])
def test_a_release_that_is_no_draft_takes_nothing_else(
    release: Release, status: str, content: bytes
) -> None:
    import_lines(release, many(2))
    stop_being_a_draft(release, status)
    before = database_digest()
    with pytest.raises(imports.CasesFrozen) as refusal:
        import_lines(release, content)
    assert database_digest() == before
    sentence = str(refusal.value)
    assert "Withdraw the case" in sentence
    assert "take the next in line, or open a new release." in sentence


@pytest.mark.parametrize("status", ["reviewing", "closed"])
def test_a_release_that_is_no_draft_takes_what_it_holds(release: Release, status: str) -> None:
    import_lines(release, many(3))
    stop_being_a_draft(release, status)
    before = database_digest()
    outcome = import_lines(release, many(2))
    assert (outcome.batch, outcome.unchanged) == (None, 2)
    assert database_digest() == before


@pytest.mark.parametrize(("count", "named"), [(1, 1), (20, 20), (21, 20), (30, 20)])
def test_the_refusal_names_the_first_20_keys(release: Release, count: int, named: int) -> None:
    import_lines(release, many(2))
    stop_being_a_draft(release)
    with pytest.raises(imports.CasesFrozen) as refusal:
        import_lines(release, many(count, "new"))
    sentence = str(refusal.value)
    assert sentence.count("new-") == named
    assert ("…" in sentence) == (count > named)
    assert f"and {count} row" in sentence


def test_the_status_is_looked_at_when_it_counts(release: Release) -> None:
    """The admin who imports holds a release that was a draft when they opened the page."""
    stop_being_a_draft(release)
    assert release.is_draft
    with pytest.raises(imports.CasesFrozen):
        import_lines(release, many(1))


# --- The command ----------------------------------------------------------------------------------


def test_the_command_counts_new_changed_and_unchanged(release: Release, file: WriteFile) -> None:
    assert "3 new, 0 changed, 0 unchanged. Import 1." in load(release, file(many(3)))
    content = many(1, locale="en") + many(4).split(b"\n", 1)[1]
    assert "1 new, 1 changed, 2 unchanged. Import 2." in load(release, file(content))
    assert "0 new, 0 changed, 4 unchanged. Nothing changed." in load(release, file(content))


def test_the_command_takes_several_files_as_one(release: Release, file: WriteFile) -> None:
    one, two = file(many(2), "one.jsonl"), file(gzip.compress(many(2, "lanting")), "two.gz")
    assert "4 new" in load(release, one, two)
    assert release.batches.get().source == "one.jsonl\ntwo.gz"
    assert Event.objects.filter(kind="cases-imported").count() == 1


def test_a_file_with_a_name_in_another_encoding_is_taken(release: Release, tmp_path: Path) -> None:
    """Found by this test: the database had no place for such a name."""
    path = Path(os.fsdecode(bytes(tmp_path) + "/行程.jsonl".encode("gbk")))
    path.write_bytes(many(2))
    assert "2 new" in load(release, path)
    assert release.batches.get().source.endswith(".jsonl")


def test_the_same_file_named_twice_is_refused(release: Release, file: WriteFile) -> None:
    path = file(many(1))
    assert f"“yunxi-0001” is already in {path}, line 1." in refused(release, path, path)[0]


def test_of_several_files_one_bad_line_keeps_all_out(release: Release, file: WriteFile) -> None:
    before = database_digest()
    bad = file(many(1, "lanting") + b"\n\noops\n", "bad.jsonl")
    said = refused(release, file(many(2)), bad)
    assert said == [f"{bad}:4: is not JSON (character 1).", "Nothing was written."]
    assert database_digest() == before


def test_bad_lines_are_told_with_file_line_and_field(release: Release, file: WriteFile) -> None:
    bad = file(lines(make_case("a"), make_case("b", request={"days": "three"})) + b"{\n")
    assert refused(release, bad) == [
        f"{bad}:2: request.days: must be a whole number of at least 1, got 'three'.",
        f"{bad}:3: the line ends in the middle of the JSON text.",
        "Nothing was written.",
    ]


@pytest.mark.parametrize("count", [200, 201, 450])
def test_the_command_shows_200_problems_and_counts_all(
    release: Release, file: WriteFile, count: int
) -> None:
    said = refused(release, file(b"{}\n" * count))
    assert len([line for line in said if "is required" in line]) == 200
    assert (f"{count} problems in all, the first 200 shown." in said) == (count > 200)


def test_repeated_keys_are_named_with_a_way_out(release: Release, file: WriteFile) -> None:
    rows = [make_case("a", id="x:1"), make_case("a", id="x:2")]
    said = refused(release, file(lines(*rows)))
    assert "“a” is already in line 1." in said[0]
    assert "If the rows are identified by their id, use --key-from id." in said
    assert "2 new" in load(release, file(lines(*rows)), "--key-from", "id")
    assert sorted(release.cases.values_list("case_key", flat=True)) == ["x:1", "x:2"]


def test_several_versions_are_named_with_a_way_out(release: Release, file: WriteFile) -> None:
    rows = [
        make_case(key, release={"product": "wanderer", "version": version})
        for version in ("1", "2")
        for key in ("a", "b")
    ]
    before = database_digest()
    said = refused(release, file(lines(*rows)))
    assert [line for line in said if "“a”" in line]
    assert [line for line in said if "“b”" in line]
    assert "Choose one version with --version: 1, 2." in said
    assert not any("--key-from" in line for line in said)
    assert database_digest() == before
    assert "2 new" in load(release, file(lines(*rows)), "--version", "2")
    assert {case.content["release"]["version"] for case in release.cases.all()} == {"2"}


def test_a_version_that_is_not_there_is_refused(release: Release, file: WriteFile) -> None:
    path = file(many(1))
    assert refused(release, path, "--version", "9")[0] == (
        f"{path}: no row has version 9. Found: 1."
    )


def test_rows_of_another_product_or_version_are_warned_of(
    release: Release, file: WriteFile
) -> None:
    rows = [
        make_case("a", release={"product": "wanderer", "version": "1"}),
        make_case("b", release={"product": "stroller", "version": "7.5"}),
        make_case("c", release=None),
    ]
    said = load(release, file(lines(*rows)))
    assert (
        "warning: 1 row belongs to the product stroller; this release belongs to wanderer." in said
    )
    assert (
        "warning: 1 row has version 7.5, which is not part of the release name wanderer-1." in said
    )
    assert said.count("warning:") == 2
    assert release.cases.count() == 3


def test_the_right_product_and_version_are_not_warned_of(release: Release, file: WriteFile) -> None:
    assert "warning" not in load(release, file(many(2)))


def test_a_release_without_a_product_is_not_warned_of_products(
    rubric: Rubric, file: WriteFile
) -> None:
    release = make_release("any-1", product="", rubric=rubric)
    assert "product" not in load(release, file(many(2)))


def test_a_dry_run_counts_and_writes_nothing(release: Release, file: WriteFile) -> None:
    import_lines(release, many(2))
    before = database_digest()
    content = many(1, locale="en") + many(4).split(b"\n", 1)[1]
    said = load(release, file(content), "--dry-run")
    assert "2 new, 1 changed, 1 unchanged. Nothing was written (--dry-run)." in said
    assert database_digest() == before


def test_a_dry_run_refuses_what_an_import_would_refuse(release: Release, file: WriteFile) -> None:
    assert refused(release, file(b"{"), "--dry-run")[-1] == "Nothing was written."


def test_a_dry_run_on_a_release_that_is_no_draft_does_not_promise_anything(
    release: Release, file: WriteFile
) -> None:
    """Found by this test: the dry run counted one changed row and ended with 0."""
    import_lines(release, many(2))
    stop_being_a_draft(release)
    assert "no longer a draft" in refused(release, file(many(2, locale="en")), "--dry-run")[0]
    assert "2 unchanged" in load(release, file(many(2)), "--dry-run")


def test_the_command_refuses_changes_to_a_release_that_is_no_draft(
    release: Release, file: WriteFile
) -> None:
    import_lines(release, many(2))
    stop_being_a_draft(release)
    [sentence] = refused(release, file(many(1, locale="en")))
    assert sentence == (
        "wanderer-1 is no longer a draft, and 1 row differs from its cases (yunxi-0001). "
        "Withdraw the case and take the next in line, or open a new release."
    )
    assert "Nothing changed." in load(release, file(many(2)))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no-such-release", "FILE"], "There is no release called no-such-release."),
        (["wanderer-1", "FILE", "--by", "nobody"], "No active person is called nobody."),
        (["wanderer-1", "FILE", "--by", "gone"], "No active person is called gone."),
        (["wanderer-1", "FOLDER/none.jsonl"], "FOLDER/none.jsonl: No such file or directory."),
        (["wanderer-1", "FOLDER"], "FOLDER: Is a directory."),
        (
            ["wanderer-1", "FILE", "FOLDER/none.jsonl"],
            "FOLDER/none.jsonl: No such file or directory.",
        ),
        (
            ["wanderer-1", "FILE", "--checks", "FOLDER/r.json"],
            "FOLDER/r.json: No such file or directory.",
        ),
        (["wanderer-1", "FILE", "--checks", "FOLDER"], "FOLDER: Is a directory."),
        (["wanderer-1", "FILE", "--checks", "FILE"], "FILE: the report is not JSON."),
        (["wanderer-1", "EMPTY"], "EMPTY: contains no rows.\nNothing was written."),
    ],
)
def test_what_is_not_there_is_refused_in_one_sentence(
    release: Release, file: WriteFile, arguments: list[str], words: str
) -> None:
    User.objects.create_user("gone", is_active=False)
    path, empty = file(many(2)), file(b"", "empty.jsonl")
    before = database_digest()

    def filled(text: str) -> str:
        names = {"FILE": path, "EMPTY": empty, "FOLDER": path.parent}
        return re.sub("FILE|EMPTY|FOLDER", lambda found: str(names[found.group()]), text)

    assert refused(*(filled(item) for item in arguments)) == filled(words).splitlines()
    assert database_digest() == before


@pytest.mark.parametrize(
    "arguments",
    [["--format", "nonsense"], ["--key-from", "name"], ["--no-such-option"], []],
    ids=["format", "key", "option", "no file"],
)
def test_a_bad_option_is_refused(release: Release, file: WriteFile, arguments: list[str]) -> None:
    files = [file(many(1))] if arguments else []
    before = database_digest()
    assert refused(release, *files, *arguments)
    assert database_digest() == before


def test_the_command_says_who_acted(release: Release, file: WriteFile, ada: User) -> None:
    load(release, file(many(1)), "--by", "ada")
    assert Batch.objects.get().by == "ada"
    assert release.events.get(kind="cases-imported").by == "ada"
    load(release, file(many(2)))
    assert Batch.objects.get(number=2).by == ""
    assert release.events.get(number=3).by == ""


def test_a_check_report_is_joined_by_key(release: Release, file: WriteFile) -> None:
    path = file(check_report("yunxi-0001"), "report.json")
    said = load(release, file(many(2)), "--checks", path)
    assert "warning: 1 row is not in the check report and keeps its own checks" in said
    statuses = dict(release.cases.values_list("case_key", "check_status"))
    assert statuses == {"yunxi-0001": "FAIL", "yunxi-0002": "PASS"}


def test_the_same_rows_with_another_report_are_changed_rows(
    release: Release, file: WriteFile
) -> None:
    load(release, file(many(2)))
    path = file(check_report("yunxi-0001"), "report.json")
    assert "0 new, 1 changed, 1 unchanged" in load(release, file(many(2)), "--checks", path)


# --- Progress -------------------------------------------------------------------------------------


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "shows"), [(Terminal, True), (StringIO, False)])
def test_progress_is_shown_on_a_terminal_and_nowhere_else(
    release: Release, file: WriteFile, stream: type[StringIO], shows: bool
) -> None:
    path, said, shown = file(many(501)), StringIO(), stream()
    call_command("import_cases", str(release), str(path), stdout=said, stderr=shown)
    assert said.getvalue() == "501 new, 0 changed, 0 unchanged. Import 1.\n"
    assert shown.getvalue() == ("\rChecked 500 rows\rStored 500 rows\n" if shows else "")


# --- What an import would do ----------------------------------------------------------------------


def previewed(release: Release, content: bytes, **options: Any) -> imports.Preview:
    with imports.check([source(content)], imports.Options(**options)) as checked:
        return imports.preview(checked, release)


def test_a_preview_counts_and_writes_nothing(release: Release) -> None:
    import_lines(release, many(2))
    before = database_digest()
    found = previewed(release, many(1, locale="en") + many(4).split(b"\n", 1)[1])
    assert (found.new, found.changed, found.unchanged) == (2, 1, 1)
    assert found.changed_keys == ["yunxi-0001"]
    assert found.tags == {"yunxi": 4}
    assert found.checks == {"PASS": 4}
    assert database_digest() == before


def test_a_preview_counts_the_kinds_that_rows_would_fill(release: Release) -> None:
    found = previewed(
        release,
        lines(
            make_case("a", tags=["beijing"]),
            make_case("b", tags=["Beijing", "spring_festival"]),
            make_case("c", tags=["low-budget", "family"]),
        ),
    )
    kinds = [kind.key for kind in release.rubric.document.sampling.kinds]
    assert {key: found.kinds[key] for key in kinds} == dict(
        zip(kinds, [1, 1, 1, 0, 0], strict=True)
    )


def test_previews_of_the_same_are_the_same_and_others_differ(
    release: Release, rubric: Rubric
) -> None:
    content = many(2)
    first = previewed(release, content).digest
    assert previewed(release, gzip.compress(content)).digest == first
    assert previewed(release, many(3)).digest != first
    assert previewed(release, many(2, locale="en")).digest != first
    import_lines(release, many(1))
    assert previewed(release, content).digest != first


def test_a_preview_says_what_the_import_then_does(release: Release) -> None:
    import_lines(release, many(3))
    content = many(2, locale="en") + many(5).split(b"\n", 2)[2]
    found, done = previewed(release, content), import_lines(release, content)
    assert (found.new, found.changed, found.unchanged) == (done.new, done.changed, done.unchanged)


def test_two_imports_of_parts_hold_the_same_as_one_of_the_whole(
    release: Release, rubric: Rubric
) -> None:
    other = make_release("wanderer-1b", rubric=rubric)
    import_lines(release, many(5))
    import_lines(other, many(2), many(1, "more"))
    import_lines(other, many(5))
    assert content_digest(release) != content_digest(other)
    import_lines(release, many(1, "more"))
    assert content_digest(release) == content_digest(other)
