"""A list takes as many queries for many rows as for one."""

from dataclasses import replace

from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cases import rubric
from cases.models import Release
from cases.rubrics import workflow as rubrics_workflow
from tests.bed import reviewed as bed
from tests.bed.api import Script
from tests.bed.cases import NOW, make_release, shipped


def counted(script: Script, address: str) -> tuple[int, int]:
    """How many queries, and how many rows; the first look at scores is an event, so before."""
    script.get(address)
    with CaptureQueriesContext(connection) as queries:
        answer = script.get(address)
    found = answer.json()
    rows = found["sample"] + found["withdrawn"] if "sample" in found else found["results"]
    return len(queries), len(rows)


def test_every_list_takes_as_many_queries_for_many_rows_as_for_one(
    ada: User, rita: User, omar: User
) -> None:
    lay_down(rita, omar)
    # A browser's session, because every so often a token's call looks how full the cache is.
    admin = Script(session=ada, language="zh-hans")
    reviewer = Script(session=rita)
    found = {
        (few, many): (counted(script, few), counted(script, many))
        for script, few, many in (
            (admin, "rubrics/?limit=1", "rubrics/"),
            (admin, "releases/?limit=1", "releases/"),
            (admin, "releases/few/cases/?limit=1", "releases/many/cases/"),
            (admin, "releases/few/sample/", "releases/many/sample/"),
            (admin, "releases/few/assignments/", "releases/many/assignments/"),
            (admin, "releases/few/adjudications/", "releases/many/adjudications/"),
            (
                admin,
                "reviews/?release=few&case_key=kids",
                "reviews/?release=many&case_key=kids",
            ),
            (reviewer, "reviews/?limit=1", "reviews/"),
        )
    }
    assert {lists: (few[0], many[0]) for lists, (few, many) in found.items()} == {
        lists: (few[0], few[0]) for lists, (few, _many) in found.items()
    }
    assert all(0 < few[1] < many[1] for few, many in found.values()), found


def lay_down(rita: User, omar: User) -> None:
    """`few` has a case on which people differ, and one that one person alone reviewed; `many` has
    a larger sample, three such cases and reviews of two people."""
    again = replace(shipped().document, title="Again")
    rubrics_workflow.publish(text=rubric.write(again), language="en", user=None, now=NOW)
    apart = {rita: bed.judgement(5), omar: bed.judgement(1)}
    few = bed.at_last_look(bed.started("few", k=1, rubric=shipped()))
    bed.put_judgements(few, {"feast": apart, "kids": {rita: bed.judgement()}})
    many = bed.at_last_look(bed.started("many", size=8, rubric=shipped()))
    bed.put_judgements(many, dict.fromkeys(("feast", "ramp", "rush", "kids"), apart))
    make_release("next")
    Release.objects.filter(name="next").update(baseline=many)
