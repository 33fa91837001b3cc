"""Findings on real plans, which are read from beside us, as rows that import again."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from cases.models import Case, Release
from reviews.desk.judgement import Evidence, Judgement, ScoreEntry
from reviews.regressions.files import FILES
from reviews.regressions.issue import write_issue
from reviews.regressions.queries import Findings
from reviews.releases import lifecycle as releases_lifecycle
from reviews.sample import workflow as sample_workflow
from tests.bed import reviewed as bed
from tests.bed.cases import NOW, import_lines, make_release

FILE = "itineraries/dev_trip_agent_zh.jsonl"
VERSION = "2026-02-22"


@pytest.fixture
def closed(rita: User, omar: User) -> Release:
    """The five cases of the first look of a real release; every reviewer finds each of them low."""
    folder = os.environ.get("SPOTCHECK_REAL_DATA")
    if not folder:
        pytest.skip("SPOTCHECK_REAL_DATA is not set, so the real cases are not at hand")
    release = make_release(f"trip-agent@{VERSION}", product="trip-agent")
    import_lines(release, (Path(folder) / FILE).read_bytes(), version=VERSION)
    sample_workflow.draw(release=release, size=5, user=None, now=NOW)
    release = releases_lifecycle.start(release=bed.current(release), user=None, now=NOW)
    low = failed()
    bed.put_judgements(release, {key: {rita: low, omar: low} for key in bed.sampled(release)})
    releases_lifecycle.close(release=bed.current(release), user=None, now=NOW)
    return bed.current(release)


def failed() -> Judgement:
    found = bed.judgement(1, answer="no")
    stop = Evidence("stop", "/plan/days/0/items/0")
    found.scores["usability-value"] = ScoreEntry(1, "午餐时间落在参观时间之内。", [stop])
    return found


def stated(request: dict[str, Any]) -> dict[str, Any]:
    """The fields that say something; a total is what a budget is for unless it says otherwise."""
    return {name: value for name, value in request.items() if value not in (None, [])}


@pytest.mark.parametrize("shape", ["itinerary-case", "trip-agent"])
def test_regressions_of_five_real_findings_import_again(closed: Release, shape: str) -> None:
    written = b"".join(FILES[shape].parts(closed))
    assert len(written.splitlines()) == 5
    again = make_release("again", product="trip-agent")
    assert import_lines(again, written).new == 5
    assert import_lines(again, written).unchanged == 5
    for case in Case.objects.filter(release=again):
        before = Case.objects.get(release=closed, case_key=case.case_key)
        assert stated(case.content["request"]) == stated(before.content["request"])
        assert "午餐时间落在参观时间之内。" in case.data


def test_issues_of_real_findings_have_a_line_of_the_plan(closed: Release) -> None:
    for regression in Findings(closed).load_all():
        title = regression.data["plan"]["days"][0]["items"][0]["title"]
        text = write_issue(regression, regression.parts[:1])
        assert "午餐时间落在参观时间之内。" in text
        assert title.split(" ")[0] in text
