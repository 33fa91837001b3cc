"""Findings of a closed release as rows for the pipeline and as issues."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation
from markdown_it import MarkdownIt

from cases.itinerary.extra_fields import other_fields
from cases.itinerary.reading import LONGEST_LINE
from cases.models import Case, Release
from reviews.adjudication import workflow as adjudication_workflow
from reviews.desk.judgement import Evidence, Judgement, ScoreEntry
from reviews.regressions.files import ARRAY, FILES
from reviews.regressions.issue import write_issue
from reviews.regressions.parts import FailedPart, Regression
from reviews.regressions.queries import Findings
from reviews.regressions.rows import build_case_row
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.api import Script, code
from tests.bed.cases import NOW, import_lines, make_release
from tests.people import AsUser

PAGE = "/releases/wanderer-1/regressions/"
CALL = "releases/wanderer-1/regressions/"
SAID = "Lunch lies inside the <b>visit</b>."


@pytest.fixture
def closed(rita: User, omar: User, ada: User) -> Release:
    """Both say that everything in `feast` fails; `kids` is harmful. In `ramp` only rita says no."""
    release = bed.started(k=2)
    good, one_no = bed.judgement(4), bed.judgement(4, answer="no")
    given = {key: {rita: good, omar: good} for key in bed.sampled(release)}
    given |= {"feast": {rita: failed(), omar: failed()}, "ramp": {rita: one_no, omar: good}}
    bed.put_judgements(release, given)
    flag = bed.flag(release, "kids", rita, "harmful")
    adjudication_workflow.judge_flag(
        flag=flag.pk, outcome="confirmed", reason="It is a closed road.", user=ada, now=NOW
    )
    return close(release)


def failed() -> Judgement:
    """Low on both metrics; on the first with words and evidence."""
    low = ScoreEntry(1, SAID, [Evidence("stop", "/plan/days/0/items/1")])
    found = bed.judgement(1, answer="no")
    return msgspec.structs.replace(found, scores={**found.scores, "usability-value": low})


def close(release: Release) -> Release:
    releases_lifecycle.close(release=bed.current(release), user=None, now=NOW)
    return bed.current(release)


def rows_in(release: Release, shape: str) -> list[dict[str, Any]]:
    written = b"".join(FILES[shape].parts(release))
    return [json.loads(line) for line in written.splitlines()]


# --- Rows -----------------------------------------------------------------------------------------


def test_each_case_with_a_finding_is_a_row(closed: Release) -> None:
    feast, kids = rows_in(closed, "itinerary-case")
    assert (feast["case_key"], kids["case_key"]) == ("feast", "kids")
    assert feast["plan"] is None
    assert feast["request"] == Case.objects.get(case_key="feast").content["request"]
    told = feast["regression"]
    assert (told["release"], told["product"]) == ("wanderer-1", "wanderer")
    assert told["expected"] == {
        "answers": dict.fromkeys(bed.ITEMS, "yes"),
        "scores_above": dict.fromkeys(bed.METRICS, 1),
    }
    assert [found["key"] for found in told["findings"]] == [
        *("usability-value", *bed.ITEMS[:4], "personalization", *bed.ITEMS[4:])
    ]
    first = told["findings"][0]
    assert (first["standing"], first["words"]) == (1.0, [SAID])
    assert first["lines"] == ["12:00–13:00 河边面馆"]
    assert kids["regression"]["expected"] == {"without_flags": ["harmful"]}
    assert kids["regression"]["findings"][0]["words"] == ["It is a closed road."]


def test_the_planners_own_cases_say_what_to_expect(closed: Release) -> None:
    feast, kids = rows_in(closed, "trip-agent")
    assert feast["id"] == "feast"
    assert feast["constraints"]["city"] == "Yunxi"
    assert feast["expected_properties"]["status"] == "done"
    assert feast["expected_properties"]["answers"] == dict.fromkeys(bed.ITEMS, "yes")
    assert f"- {SAID}" in feast["human_notes"].splitlines()
    assert kids["expected_properties"]["without_flags"] == ["harmful"]


@pytest.mark.parametrize("shape", ["itinerary-case", "trip-agent"])
def test_each_row_imports_again(closed: Release, shape: str) -> None:
    written = b"".join(FILES[shape].parts(closed))
    release = make_release("wanderer-2")
    assert import_lines(release, written).new == 2
    before, after = (Case.objects.get(release=own, case_key="feast") for own in (closed, release))
    asked = {name: value for name, value in before.content["request"].items() if value != []}
    assert asked.items() <= after.content["request"].items()
    kept = json.dumps([list(row) for row in other_fields(after.content)], default=str)
    assert SAID in kept
    assert import_lines(release, written).unchanged == 2


def test_one_array_is_what_the_planners_evaluation_reads(closed: Release) -> None:
    rows = json.loads(b"".join(ARRAY.parts(closed)))
    assert rows == rows_in(closed, "trip-agent")
    for row in rows:
        assert isinstance(row["constraints"], dict)
        assert isinstance(row["context"], dict)
        assert isinstance(row["expected_properties"], dict)
        assert isinstance(row["human_notes"], str)


def test_nobody_is_named(closed: Release) -> None:
    for shape in FILES:
        written = b"".join(FILES[shape].parts(closed)).decode()
        assert SAID.split("<")[0] in written
        for name in ("rita", "omar", "ada"):
            assert name not in written


def test_rows_are_the_same_in_every_language(closed: Release) -> None:
    with translation.override("zh-hans"):
        chinese = rows_in(closed, "itinerary-case"), rows_in(closed, "trip-agent")
    assert chinese == (rows_in(closed, "itinerary-case"), rows_in(closed, "trip-agent"))


def test_a_release_without_findings_has_empty_files(rita: User, omar: User) -> None:
    release = bed.judged(rita, omar, *bed.GOOD)
    assert [b"".join(FILES[shape].parts(release)) for shape in FILES] == [b"", b"", b""]
    assert json.loads(b"".join(ARRAY.parts(release))) == []


def test_a_row_is_never_too_long_to_import() -> None:
    part = FailedPart("question", "a.1", "Why?", no=2, words=("长" * 60_000,) * 3)
    data = {"case_key": "a", "request": {"text": "x" * 200_000}}
    regression = Regression("planner-1", "planner", "a", "ABCDE", "0" * 64, data, (part,) * 3)
    row = build_case_row(regression)
    assert len(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()) <= LONGEST_LINE
    assert row["regression"]["findings"][0]["words"][0].startswith("长长")


# --- Issues ---------------------------------------------------------------------------------------


def test_an_issue_has_the_words_and_the_lines_of_the_plan(closed: Release) -> None:
    [feast] = Findings(closed).load(["feast"])
    text = write_issue(feast, feast.parts[:1])
    lines = text.splitlines()
    assert lines[0] == r"# feast: Usability \& Value"
    assert "Found by people in wanderer-1 of wanderer, after all automated checks." in lines
    assert r"**Usability \& Value: 1.0**" in lines
    assert r"> Lunch lies inside the \<b\>visit\</b\>." in lines
    assert "- Day 1: 12:00–13:00 河边面馆" in lines
    assert "- Day 1: 09:30–11:00 Paper mill" not in lines
    html = MarkdownIt("commonmark").render(text)
    assert "<b>" not in html
    assert "Two slow days in Yunxi" in html


def test_an_issue_without_evidence_shows_the_whole_plan(closed: Release) -> None:
    [kids] = Findings(closed).load(["kids"])
    text = write_issue(kids)
    assert "**Confirmed: harmful content**" in text
    assert "- Day 1: 09:30–11:00 Paper mill" in text
    assert "- Day 2: River wall" in text


def test_a_split_question_is_no_regression(closed: Release) -> None:
    assert Findings(closed).case_keys == ["feast", "kids"]


# --- Page, call, command --------------------------------------------------------------------------


def test_the_page_has_an_issue_for_each_finding(
    as_user: AsUser, closed: Release, mina: User
) -> None:
    page = as_user(mina).get(PAGE).content.decode()
    assert page.count("<textarea") == 11
    assert "Lunch lies inside the \\&lt;b\\&gt;visit" in page


def test_the_page_asks_the_same_questions_however_much_was_found(
    as_user: AsUser, closed: Release, mina: User, rita: User, omar: User
) -> None:
    client = as_user(mina)
    client.get(PAGE)
    with CaptureQueriesContext(connection) as few:
        client.get(PAGE)
    bed.judged(rita, omar, *[(1, 1)] * 5, name="wanderer-2")
    with CaptureQueriesContext(connection) as many:
        client.get("/releases/wanderer-2/regressions/")
    assert len(many) == len(few) <= 12


def test_one_case_has_a_page_and_a_row_of_its_own(
    as_user: AsUser, closed: Release, mina: User
) -> None:
    client: Any = as_user(mina)
    kids = Case.objects.get(case_key="kids").code
    page = client.get(f"{PAGE}?case={kids}").content.decode()
    assert page.count("<textarea") == 1
    answer = client.get(f"{PAGE}file?case={kids}")
    assert f"Spotcheck-wanderer-1-regressions-{kids}.jsonl" in answer["Content-Disposition"]
    [row] = b"".join(answer.streaming_content).splitlines()
    assert json.loads(row) == rows_in(closed, "itinerary-case")[1]
    rush = Case.objects.get(case_key="rush").code
    assert "No case has a finding." in client.get(f"{PAGE}?case={rush}").content.decode()
    assert b"".join(client.get(f"{PAGE}file?case={rush}").streaming_content) == b""
    assert client.get(f"{PAGE}?case=BBBBB").status_code == 404


def test_only_admins_and_managers_of_a_closed_release_get_them(
    as_user: AsUser, closed: Release, rita: User, ada: User, sam: User
) -> None:
    for path, status in ((PAGE, 200), (f"{PAGE}file", 200), (f"{PAGE}file?shape=x", 400)):
        assert as_user(ada).get(path).status_code == status
        assert as_user(rita).get(path).status_code == 403
        assert as_user(sam).get(path).status_code == 404
    bed.started("wanderer-2")
    assert as_user(ada).get("/releases/wanderer-2/regressions/").status_code == 409
    assert as_user(ada).get("/releases/wanderer-2/regressions/file").status_code == 409
    assert as_user(ada).get("/releases/nothing/regressions/").status_code == 404


def test_a_script_gets_the_same_file(closed: Release, mina: User) -> None:
    script = Script(session=mina)
    answer: Any = script.get(f"{CALL}?shape=trip-agent")
    assert answer["Content-Type"] == "application/x-ndjson"
    assert "Spotcheck-wanderer-1-trip-agent-regressions.jsonl" in answer["Content-Disposition"]
    assert b"".join(answer.streaming_content) == b"".join(FILES["trip-agent"].parts(closed))
    again = script.get(f"{CALL}?shape=trip-agent", If_None_Match=answer["ETag"])
    assert again.status_code == 304
    bed.started("wanderer-2")
    refused = script.get("releases/wanderer-2/regressions/")
    assert code(refused) == (409, "release_not_closed")


def test_the_command_writes_the_file(closed: Release, tmp_path: Path) -> None:
    out = tmp_path / "regressions.jsonl"
    call_command("export_regressions", "wanderer-1", out=out)
    assert out.read_bytes() == b"".join(FILES["itinerary-case"].parts(closed))
    said = StringIO()
    call_command("export_regressions", "wanderer-1", stdout=said)
    assert said.getvalue().encode() == out.read_bytes()
    array = tmp_path / "cases.json"
    call_command("export_regressions", "wanderer-1", out=array, format="trip-agent")
    assert [row["id"] for row in json.loads(array.read_text("utf-8"))] == ["feast", "kids"]


def test_the_command_refuses_a_release_that_is_not_closed(rita: User, tmp_path: Path) -> None:
    bed.started("wanderer-2")
    with pytest.raises(CommandError, match="is not closed yet"):
        call_command("export_regressions", "wanderer-2", out=tmp_path / "x")
    assert list(tmp_path.iterdir()) == []
