"""The table of readings: steps and sides turned to old and new, only as scores are exported."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from cases.models import Release
from reviews.export.cells import read_rows
from reviews.models import Pairing
from reviews.pairings.judgement import PairJudgement, from_data, to_data
from reviews.releases import lifecycle
from reviews.sample import amendments
from tests.bed import pairs
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.bed.sheets import sheets_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(rita: User, omar: User) -> Release:
    return pairs.beside_baseline(rita, omar)


def fetch(client: Client, release: Release, path: str) -> bytes:
    answer: Any = client.get(f"/releases/{release.name}/{path}")
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def read_table(client: Client, release: Release) -> list[dict[str, str]]:
    return list(read_rows(fetch(client, release, "export.csv?shape=readings")))


def with_side(said: PairJudgement, item: str, side: str) -> PairJudgement:
    return from_data({**to_data(said), "sides": {item: side}})


def test_a_row_has_steps_and_sides_from_the_old_plan_to_the_new_one(
    manager: Client, mina: User, release: Release
) -> None:
    [item, *_others] = [question.key for question in release.rubric.document.questions]
    for pairing in pairs.plan(release):
        pairs.read(pairing, pairs.prefer_new(pairing, -2, newer="left"))
        Pairing.objects.get(pk=pairing.pk).answers.create(
            release=release, item=item, side="left" if pairing.is_new_left else "right"
        )
    bed.look(release, mina)
    rows = read_table(manager, release)
    assert len(rows) == 10
    for row, pairing in zip(
        rows, Pairing.objects.order_by("case__case_key", "reader__username"), strict=True
    ):
        assert (row["case_key"], row["reader"]) == (
            pairing.case.case_key,
            pairing.reader.username,
        )
        assert row["new_side"] == ("left" if pairing.is_new_left else "right")
        assert (row["report"], row["newer"], row["is_counted"]) == ("provisional", "left", "true")
        for metric in bed.METRICS:
            assert row[metric] == "-2"
            assert row[f"{metric}:why"] == "The day is calmer."
        assert row[item] == "new"
    assert {row["new_side"] for row in rows} == {"left", "right"}


def test_no_difference_is_zero_and_what_was_not_said_is_empty(
    manager: Client, mina: User, release: Release
) -> None:
    [first, *_open] = pairs.plan(release)
    pairs.read(first)
    bed.look(release, mina)
    [row] = read_table(manager, release)
    [item, *_others] = [question.key for question in release.rubric.document.questions]
    assert (row[bed.METRICS[0]], row[f"{bed.METRICS[0]}:why"], row[item]) == ("0", "", "")


def test_who_may_not_see_scores_gets_no_file(admin: Client, ada: User, release: Release) -> None:
    for pairing in pairs.plan(release):
        pairs.read(pairing)
    answer = admin.get(f"/releases/{release.name}/export.csv?shape=readings")
    assert "Content-Disposition" not in answer.headers
    assert b"calmer" not in answer.content


def test_the_workbook_has_a_sheet_where_pairs_were_read(
    manager: Client, mina: User, release: Release
) -> None:
    bed.look(release, mina)
    assert "Side by side" not in sheets_in(fetch(manager, release, "export.xlsx"))
    for pairing in pairs.plan(release):
        pairs.read(pairing, pairs.prefer_new(pairing, 1))
    with translation.override("en"):
        lifecycle.close(release=release, user=None, now=NOW)
    sheet = sheets_in(fetch(manager, release, "export.xlsx"))["Side by side"]
    assert sheet[0][:3] == ["release", "report", "case_key"]
    assert len(sheet) == 11
    assert sheet[1][1] == "final"


def test_a_reading_of_a_withdrawn_case_is_kept_and_not_counted(
    manager: Client, mina: User, release: Release
) -> None:
    [first, *_open] = pairs.plan(release)
    pairs.read(first)
    bed.look(release, mina)
    amendments.withdraw(
        release=release,
        case_key=first.case.case_key,
        cause="broken",
        reason="r",
        user=None,
        now=NOW,
    )
    assert read_table(manager, release) == []
    lifecycle.abandon(release=bed.current(release), reason="r", user=None, now=NOW)
    [row] = read_table(manager, bed.current(release))
    assert row["is_counted"] == "false"
