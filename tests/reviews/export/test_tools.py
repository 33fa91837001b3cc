"""Reviews of a closed release in the formats of other tools, each against what it publishes."""

import json
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from jsonschema_rs import Draft202012Validator

from cases.models import Release
from reviews.export import queries
from reviews.export.tools import TOOLS
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.api import Script, code
from tests.bed.cases import NOW
from tests.bed.exported import told
from tests.bed.tool_schemas import HUGGINGFACE, LABEL_STUDIO, LANGFUSE, MLFLOW, misfits
from tests.people import AsUser

MARKS = len(bed.METRICS) + len(bed.ITEMS)


@pytest.fixture
def closed(rita: User, omar: User) -> Release:
    """Of `kids` omar says more than its scores; `feast` has a score of 0."""
    release = bed.started(k=2)
    good = bed.judgement(4)
    given = {key: {rita: good, omar: good} for key in bed.sampled(release)}
    given |= {
        "kids": {rita: good, omar: told(3)},
        "feast": {rita: bed.judgement(0), omar: bed.judgement(0)},
    }
    bed.put_judgements(release, given)
    releases_lifecycle.close(release=bed.current(release), user=None, now=NOW)
    return bed.current(release)


def written(release: Release, tool: str) -> bytes:
    return b"".join(TOOLS[tool].parts(release))


def rows(release: Release, tool: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written(release, tool).splitlines()]


@pytest.mark.parametrize(("tool", "schema"), [("langfuse", LANGFUSE), ("mlflow", MLFLOW)])
def test_every_line_fits_the_published_schema(
    closed: Release, tool: str, schema: dict[str, Any]
) -> None:
    check = Draft202012Validator(schema)
    found = rows(closed, tool)
    assert len(found) == 5 * 2 * MARKS
    assert [error.message for row in found for error in check.iter_errors(row)] == []


@pytest.mark.parametrize(
    ("schema", "bad"),
    [
        (LANGFUSE, {"name": "a", "value": "yes", "traceId": "t", "dataType": "NUMERIC"}),
        (LANGFUSE, {"name": "a", "value": 1, "traceId": "t", "dataType": "CATEGORICAL"}),
        (LANGFUSE, {"name": "a", "value": 1}),
        (MLFLOW, {"assessment_name": "a", "trace_id": "t", "feedback": {"value": 1}}),
        (LABEL_STUDIO, [{"annotations": []}]),
    ],
)
def test_the_schemas_refuse_what_the_tools_refuse(schema: dict[str, Any], bad: Any) -> None:
    assert list(Draft202012Validator(schema).iter_errors(bad)) != []


def test_a_langfuse_score_is_a_number_and_an_answer_a_category(closed: Release) -> None:
    own = {row["name"]: row for row in of(closed, "langfuse", "kids", "omar")}
    score, answer = own["usability-value"], own["usability-value.2"]
    assert (score["value"], score["dataType"], score["traceId"]) == (
        3,
        "NUMERIC",
        "wanderer@1:kids",
    )
    assert score["comment"] == "-2 + 3\r\n第二行"
    assert (answer["value"], answer["dataType"]) == ("no", "CATEGORICAL")
    zero = [row for row in rows(closed, "langfuse") if row["value"] == 0]
    assert len(zero) == 4


def of(release: Release, tool: str, case_key: str, reviewer: str) -> list[dict[str, Any]]:
    return [
        row
        for row in rows(release, tool)
        if (row["metadata"]["case_key"], row["metadata"]["reviewer"]) == (case_key, reviewer)
    ]


def test_a_langfuse_score_that_is_sent_again_replaces_itself(closed: Release) -> None:
    found = [row["id"] for row in rows(closed, "langfuse")]
    assert len(set(found)) == len(found)
    assert found == [row["id"] for row in rows(closed, "langfuse")]


def test_an_mlflow_assessment_names_its_human(closed: Release) -> None:
    first = rows(closed, "mlflow")[0]
    assert first["source"] == {"source_type": "HUMAN", "source_id": "omar"}
    assert first["create_time"].startswith("2026-11-17T09:30:00")
    assert first["metadata"]["is_counted"] == "true"


def test_every_row_of_the_dataset_has_the_same_columns_and_types(closed: Release) -> None:
    found = rows(closed, "huggingface")
    assert len(found) == 10
    assert [wrong for row in found for wrong in misfits(row, HUGGINGFACE)] == []
    assert misfits(found[0] | {"scores": [{"metric": 1}]}, HUGGINGFACE) != []
    [own] = [row for row in found if (row["case_key"], row["reviewer"]) == ("kids", "omar")]
    assert [score["value"] for score in own["scores"]] == [3, 3]
    assert [answer["answer"] for answer in own["answers"]][1:3] == ["no", "na"]
    assert json.loads(own["plan"])["days"][0]["items"][0]["title"] == "Paper mill"


def test_the_tasks_fit_the_format_and_the_configuration(closed: Release) -> None:
    tasks = json.loads(written(closed, "label-studio"))
    errors = Draft202012Validator(LABEL_STUDIO).iter_errors(tasks)
    assert [error.message for error in errors] == []
    assert [task["data"]["case_key"] for task in tasks] == sorted(bed.sampled(closed))
    assert tasks[0]["meta"] == {"reviewers": ["omar", "rita"]}
    view = ElementTree.fromstring(written(closed, "label-studio-config"))
    controls = {control.attrib["name"]: control for control in view if "toName" in control.attrib}
    objects = {tag.attrib["name"]: tag.attrib["value"] for tag in view.iter("Text")}
    for task in tasks:
        assert {name.removeprefix("$") for name in objects.values()} <= task["data"].keys()
        for annotation in task["annotations"]:
            for region in annotation["result"]:
                control = controls[region["from_name"]]
                assert region["to_name"] in objects
                assert region["type"] == control.tag.lower()
                choices = {choice.attrib["value"] for choice in control}
                assert set(region["value"].get("choices", ())) <= choices


def test_zero_can_be_chosen(closed: Release) -> None:
    feast = json.loads(written(closed, "label-studio"))[0]
    assert feast["annotations"][0]["result"][0]["value"] == {"choices": ["0"]}


def test_a_trace_of_its_own_is_used(rita: User, omar: User) -> None:
    release = bed.filled(without=["rush"])
    bed.bring(release, bed.row("rush", *bed.FILLING["rush"], trace_id="tr-42"))
    bed.draw(release)
    release = releases_lifecycle.start(release=bed.current(release), user=None, now=NOW)
    bed.put_reviews(release, rita, omar)
    releases_lifecycle.close(release=bed.current(release), user=None, now=NOW)
    traces = {row["trace_id"] for row in rows(bed.current(release), "mlflow")}
    assert "tr-42" in traces
    assert len(traces) == 5


@pytest.mark.parametrize("tool", TOOLS)
def test_the_same_release_gives_the_same_bytes(
    closed: Release, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = written(closed, tool)
    monkeypatch.setattr(queries, "REVIEWS_AT_ONCE", 3)
    monkeypatch.setattr(queries, "CASES_AT_ONCE", 2)
    assert written(closed, tool) == whole


def test_only_admins_and_managers_of_a_closed_release_get_them(
    as_user: AsUser, closed: Release, rita: User, ada: User, sam: User
) -> None:
    path = "/releases/wanderer-1/export.tool"
    answer = as_user(ada).get(f"{path}?tool=langfuse")
    assert (
        answer["Content-Disposition"]
        == 'attachment; filename="Spotcheck-wanderer-1-langfuse.jsonl"'
    )
    assert as_user(ada).get(path).status_code == 400
    assert as_user(rita).get(f"{path}?tool=langfuse").status_code == 403
    assert as_user(sam).get(f"{path}?tool=langfuse").status_code == 404
    bed.started("wanderer-2")
    assert as_user(ada).get("/releases/wanderer-2/export.tool?tool=mlflow").status_code == 409


def test_a_script_gets_the_same_file(closed: Release, mina: User) -> None:
    script = Script(session=mina)
    answer: Any = script.get("releases/wanderer-1/export.tool?tool=mlflow")
    assert b"".join(answer.streaming_content) == written(closed, "mlflow")
    bed.started("wanderer-2")
    refused = script.get("releases/wanderer-2/export.tool?tool=mlflow")
    assert code(refused) == (409, "release_not_closed")


def test_the_command_writes_them_for_a_closed_release_only(closed: Release, tmp_path: Path) -> None:
    out = tmp_path / "tasks.json"
    call_command("export_release", "wanderer-1", out=out, format="label-studio", stdout=StringIO())
    assert out.read_bytes() == written(closed, "label-studio")
    bed.started("wanderer-2")
    with pytest.raises(CommandError, match="is not closed yet"):
        call_command("export_release", "wanderer-2", out=tmp_path / "no", format="mlflow")
    assert list(tmp_path.iterdir()) == [out]
