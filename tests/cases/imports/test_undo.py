"""Undoing an import: whole, newest first, while the release is a draft."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases import imports, ledger
from cases.imports import storing
from cases.imports import undo as imports_undo
from cases.models import Batch, Case, CaseTag, Release, Replaced, Rubric
from cases.tags import workflow as tags_workflow
from tests.bed import soak
from tests.bed.cases import (
    NOW,
    content_digest,
    database_digest,
    import_lines,
    lines,
    make_case,
    make_release,
    many,
)


@pytest.fixture
def release(rubric: Rubric) -> Release:
    return make_release(rubric=rubric)


def undo(release: Release, number: int, user: User | None = None) -> Batch:
    return imports.undo_import(release=release, number=number, user=user, now=NOW)


def refusal_of(release: Release, number: int) -> str:
    """Why an import cannot be undone; nothing may change by asking."""
    before = database_digest()
    with pytest.raises(imports.CannotUndo) as refusal:
        undo(release, number)
    assert database_digest() == before
    return str(refusal.value)


def say(release: Release, user: User, key: str, act: Any, tag: str) -> None:
    codes = [release.cases.get(case_key=key).code]
    act(release=release, codes=codes, tag=tag, reason="as told", user=user, now=NOW)


# --- What comes back ------------------------------------------------------------------------------


def test_undoing_the_first_import_leaves_an_empty_release(release: Release) -> None:
    before = content_digest(release)
    import_lines(release, many(3))
    undo(release, 1)
    assert not Case.objects.exists()
    assert not CaseTag.objects.exists()
    assert content_digest(release) == before


def test_undoing_gives_back_cases_and_tags_as_they_were(release: Release) -> None:
    """One import that adds, changes and leaves alone."""
    import_lines(
        release,
        lines(
            make_case("same", tags=["kept"]),
            make_case("changed", tags=["old", "Both"], produced_by=["wei", "rita"]),
            make_case("bare", plan=None, produced_by=None, automated_summary=None, locale=None),
        ),
    )
    before = content_digest(release)
    codes = dict(release.cases.values_list("case_key", "code"))
    import_lines(
        release,
        lines(
            make_case("same", tags=["kept"]),
            make_case("changed", tags=["new"], locale="en", plan=None, produced_by=[]),
            make_case("bare", request={"text": "Lanting, 3 days, 带孩子"}, produced_by=["omar"]),
            make_case("added", tags=["new"]),
        ),
    )
    assert content_digest(release) != before
    undo(release, 2)
    assert content_digest(release) == before
    assert dict(release.cases.values_list("case_key", "code")) == codes
    assert set(release.cases.values_list("batch__number", flat=True)) == {1}
    assert not Replaced.objects.exists()


def test_the_ledger_keeps_both_acts_and_is_in_order(release: Release, ada: User) -> None:
    import_lines(release, many(3))
    import_lines(release, many(2, locale="en") + many(4, "new"), user=ada)
    undo(release, 2, ada)
    release.refresh_from_db()
    events = list(release.events.order_by("number"))
    assert [event.kind for event in events] == [
        "release-created",
        "cases-imported",
        "cases-imported",
        "import-undone",
    ]
    assert events[-1].data == {"batch": 2, "removed": 4, "restored": 2}
    assert events[-1].by == "ada"
    assert ledger.verify(release) == 4


def test_an_undone_batch_stays_listed(release: Release) -> None:
    import_lines(release, many(2))
    undone = undo(release, 1)
    assert release.batches.get().undone_at == undone.undone_at == NOW
    assert not Batch.objects.of(release).standing().exists()


def test_imports_are_undone_one_by_one_down_to_nothing(release: Release) -> None:
    digests = [content_digest(release)]
    for content in (many(3), many(4, locale="en"), many(2), many(1, "new"), many(4, tags=["x"])):
        import_lines(release, content)
        digests.append(content_digest(release))
    assert len(set(digests)) == len(digests)
    for number in (5, 4, 3, 2, 1):
        assert content_digest(release) == digests[number]
        undo(release, number)
        assert content_digest(release) == digests[number - 1]


def test_the_same_file_after_an_undo_gives_the_same_content(release: Release) -> None:
    import_lines(release, many(3))
    content = many(2, locale="en", tags=["again"]) + many(2, "new")
    import_lines(release, content)
    after = content_digest(release)
    undo(release, 2)
    outcome = import_lines(release, content)
    assert outcome.batch is not None
    assert (outcome.batch.number, outcome.new, outcome.changed) == (3, 2, 2)
    assert content_digest(release) == after


def test_an_import_after_an_undo_can_be_undone_in_its_turn(release: Release) -> None:
    import_lines(release, many(3))
    import_lines(release, many(3, locale="en"))
    undo(release, 2)
    before = content_digest(release)
    import_lines(release, many(3, locale="ja"))
    undo(release, 3)
    assert content_digest(release) == before
    undo(release, 1)
    assert not release.cases.exists()


def test_other_releases_are_left_alone(release: Release, rubric: Rubric) -> None:
    other = make_release("wanderer-2", rubric=rubric)
    import_lines(other, many(3))
    import_lines(other, many(2, locale="en"))
    before = content_digest(other)
    import_lines(release, many(3))
    import_lines(release, many(3, locale="en"))
    undo(release, 2)
    undo(release, 1)
    assert content_digest(other) == before
    assert Replaced.objects.filter(batch__release=other).count() == 2


@pytest.mark.parametrize("count", [1, 3, 4, 7])
def test_portions_do_not_show_in_the_result(
    release: Release, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    for module in (storing, imports_undo):
        monkeypatch.setattr(module, "PORTION", 3)
    import_lines(release, many(count))
    before = content_digest(release)
    import_lines(release, many(count + 2, locale="en"))
    undo(release, 2)
    assert content_digest(release) == before


def test_a_failure_in_the_middle_undoes_nothing(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_lines(release, many(3))
    import_lines(release, many(5, locale="en"))
    before = database_digest()

    def fail(batch: Batch) -> int:
        raise RuntimeError

    monkeypatch.setattr(imports_undo, "remove", fail)
    with pytest.raises(RuntimeError):
        undo(release, 2)
    assert database_digest() == before


# --- With the words of admins between -------------------------------------------------------------


def test_what_an_admin_said_before_the_import_is_there_after_its_undo(
    release: Release, ada: User
) -> None:
    import_lines(release, lines(make_case("a", tags=["shown"])))
    say(release, ada, "a", tags_workflow.give, "given")
    say(release, ada, "a", tags_workflow.take_away, "shown")
    before = content_digest(release)
    import_lines(release, lines(make_case("a", tags=["shown", "given", "other"])))
    undo(release, 2)
    assert content_digest(release) == before


def test_what_an_admin_said_after_the_import_stays_on_a_changed_case(
    release: Release, ada: User
) -> None:
    import_lines(release, lines(make_case("a", tags=["old"])))
    import_lines(release, lines(make_case("a", tags=["new"])))
    say(release, ada, "a", tags_workflow.give, "given")
    say(release, ada, "a", tags_workflow.take_away, "yunxi")
    undo(release, 2)
    case = release.cases.prefetch_related("tags").get()
    assert case.standing_tags == ["given", "old"]


def test_what_an_admin_said_about_an_added_case_goes_with_it(release: Release, ada: User) -> None:
    import_lines(release, many(1))
    before = content_digest(release)
    import_lines(release, many(1, "new"))
    say(release, ada, "new-0001", tags_workflow.give, "given")
    undo(release, 2)
    assert content_digest(release) == before
    assert [event.kind for event in release.events.order_by("number")][-2:] == [
        "tag-given",
        "import-undone",
    ]


# --- When not -------------------------------------------------------------------------------------


def test_only_the_newest_import_can_be_undone(release: Release) -> None:
    import_lines(release, many(1))
    import_lines(release, many(2))
    assert refusal_of(release, 1) == "Import 2 is newer. Undo it first."
    undo(release, 2)
    undo(release, 1)


def test_an_import_cannot_be_undone_twice(release: Release) -> None:
    import_lines(release, many(1))
    undo(release, 1)
    assert refusal_of(release, 1) == "Import 1 has already been undone."


@pytest.mark.parametrize("number", [0, 2, 10**6, 10**30, -1])
def test_an_import_that_is_not_there_is_refused(release: Release, number: int) -> None:
    import_lines(release, many(1))
    assert refusal_of(release, number) == f"wanderer-1 has no import {number}."


@pytest.mark.parametrize("status", ["reviewing", "closed"])
def test_a_release_that_is_no_draft_keeps_its_imports(release: Release, status: str) -> None:
    import_lines(release, many(1))
    Release.objects.filter(pk=release.pk).update(status=status)
    words = "wanderer-1 is no longer a draft, so its imports cannot be undone."
    assert refusal_of(release, 1) == words


def test_an_import_of_another_release_is_not_reached_by_its_number(
    release: Release, rubric: Rubric
) -> None:
    import_lines(make_release("wanderer-2", rubric=rubric), many(1))
    assert refusal_of(release, 1) == "wanderer-1 has no import 1."


# --- Counts ---------------------------------------------------------------------------------------


def test_a_batch_is_counted_by_what_it_did_even_when_a_later_one_changed_it(
    release: Release,
) -> None:
    import_lines(release, many(5))
    import_lines(release, many(2, locale="en") + many(3, "new"))
    import_lines(release, many(1, locale="ja") + many(1, "new", locale="ja"))
    did = {1: (5, 0), 2: (3, 2), 3: (0, 2)}
    assert imports.count_batches(release) == did
    undo(release, 3)
    assert imports.count_batches(release) == did


# --- Any story ------------------------------------------------------------------------------------

tried: list[Any] = []


@pytest.fixture(autouse=True)
def reported(request: pytest.FixtureRequest) -> Iterator[None]:
    """What `make soak` prints of each property."""
    tried.clear()
    failed_before = request.session.testsfailed
    yield
    if request.node.get_closest_marker("soak"):
        bad = request.session.testsfailed - failed_before
        soak.report(request.node.name, tried=len(tried), bad=bad)


some_cases = st.dictionaries(
    st.sampled_from("abcdef"),
    st.tuples(st.sampled_from(["en", "zh-CN"]), st.sets(st.sampled_from(["x", "y"]))),
    min_size=1,
    max_size=5,
)


@pytest.mark.soak
@settings(
    max_examples=soak.size(short=5, long=400),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(files=st.lists(some_cases, min_size=1, max_size=5))
def test_whatever_is_imported_can_be_undone_step_by_step(
    release: Release, files: list[dict[str, tuple[str, set[str]]]]
) -> None:
    tried.append(files)
    fresh = make_release(f"story-{Release.objects.count()}", rubric=release.rubric)
    digests = [content_digest(fresh)]
    for rows in files:
        cases = [
            make_case(key, locale=locale, tags=sorted(tags)) for key, (locale, tags) in rows.items()
        ]
        if import_lines(fresh, lines(*cases)).batch:
            digests.append(content_digest(fresh))
    for number in range(len(digests) - 1, 0, -1):
        undo(fresh, number)
        assert content_digest(fresh) == digests[number - 1]
    fresh.refresh_from_db()
    assert ledger.verify(fresh) == 2 * len(digests) - 1


# --- The command ----------------------------------------------------------------------------------


def run(*arguments: object) -> str:
    out = StringIO()
    call_command("undo_import", *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def test_the_command_undoes_in_somebodys_name(release: Release, ada: User) -> None:
    import_lines(release, many(2))
    assert run("wanderer-1", 1, "--by", "ada") == "Import 1 of wanderer-1 has been undone.\n"
    assert not release.cases.exists()
    assert release.events.get(kind="import-undone").by == "ada"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["wanderer-1", 1], "Import 2 is newer. Undo it first."),
        (["wanderer-1", 3], "wanderer-1 has no import 3."),
        (["nothing", 1], "There is no release called nothing."),
        (["wanderer-1", 2, "--by", "nobody"], "No active person is called nobody."),
        (["wanderer-1", "two"], "invalid int value: 'two'"),
    ],
)
def test_the_command_refuses_in_one_sentence(
    release: Release, arguments: list[object], words: str
) -> None:
    import_lines(release, many(1))
    import_lines(release, many(2))
    before = database_digest()
    with pytest.raises(CommandError) as refusal:
        run(*arguments)
    assert words in str(refusal.value)
    assert len(str(refusal.value).splitlines()) == 1
    assert refusal.value.returncode == 1
    assert database_digest() == before
