"""Files of a release: what they hold, who gets them, and what stays closed."""

import json
import re
from hashlib import sha256
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cases.models import Release
from evalsite.permissions import Role
from reviews.export.cells import read_rows
from reviews.models import Review
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.report import summary
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.bed.exported import told
from tests.bed.sheets import sheets_in
from tests.people import AsUser, also, make_person

pytestmark = pytest.mark.usefixtures("rubric")

PATHS = ["export.csv", "export.csv?shape=long", "export.xlsx", "export.json", "export.zip"]
PATHS += ["export.csv?shape=cases", "export.csv?shape=figures", "export.csv?shape=readings"]
SECRET = "Only omar wrote this."


@pytest.fixture
def open_release(rita: User, omar: User) -> Release:
    """All reviews are in but one of the feast; what omar says of it is sealed."""
    release = bed.started()
    bed.put_reviews(release, rita, omar, but=["feast", "kids"])
    bed.put_judgements(
        release,
        {
            "kids": {rita: bed.judgement(4), omar: told(3)},
            "feast": {omar: bed.judgement(0, comment=SECRET)},
        },
    )
    return bed.current(release)


@pytest.fixture
def closed(open_release: Release, rita: User) -> Release:
    releases_waivers.waive(release=open_release, rule="reviews", reason="late", user=None, now=NOW)
    releases_lifecycle.close(release=open_release, user=None, now=NOW)
    return bed.current(open_release)


def content(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def fetched(client: Client, release: Release, path: str) -> bytes:
    answer = client.get(f"/releases/{release.name}/{path}")
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"].startswith(
        f'attachment; filename="Spotcheck-{release.name}-'
    )
    return content(answer)


def rows_of(client: Client, release: Release, shape: str = "wide") -> list[dict[str, str]]:
    return list(read_rows(fetched(client, release, f"export.csv?shape={shape}")))


# --- What they hold -------------------------------------------------------------------------------


def test_one_row_for_each_review(as_user: AsUser, closed: Release, ada: User) -> None:
    rows = rows_of(as_user(ada), closed)
    assert len(rows) == 9
    [one] = [row for row in rows if (row["case_key"], row["reviewer"]) == ("kids", "omar")]
    assert (
        one
        | {
            "release": "wanderer-1",
            "report": "final",
            "kind": bed.KIND_OF["kids"],
            "version": "1",
            "is_counted": "true",
            "comment": '=HYPERLINK("x")',
            "usability-value": "3",
            "usability-value:rationale": "-2 + 3\r\n第二行",
            "usability-value.2": "no",
            "usability-value.2:note": "@two lunches",
            "usability-value.3": "na",
            "personalization": "3",
            "personalization:evidence": "",
        }
        == one
    )
    assert json.loads(one["usability-value:evidence"])[0]["text"] == "云溪"


def test_a_zero_is_a_score_in_every_file(as_user: AsUser, closed: Release, ada: User) -> None:
    client = as_user(ada)
    [low] = [row for row in rows_of(client, closed) if row["case_key"] == "feast"]
    assert low["personalization"] == "0"
    sheets = sheets_in(fetched(client, closed, "export.xlsx"))
    head, *rows = sheets["Reviews"]
    [row] = [dict(zip(head, row, strict=False)) for row in rows if "feast" in row]
    assert row["personalization"] == 0.0
    assert row["personalization"] is not None


def test_one_row_for_each_score_and_answer(as_user: AsUser, closed: Release, ada: User) -> None:
    rows = rows_of(as_user(ada), closed, "long")
    assert len(rows) == 9 * 10
    own = [row for row in rows if (row["case_key"], row["reviewer"]) == ("kids", "omar")]
    told_of = [
        (row["what"], row["metric"], row["item"], row["value"], row["answer"]) for row in own
    ]
    assert told_of[:4] == [
        ("score", "usability-value", "", "3", ""),
        ("answer", "usability-value", "usability-value.1", "", "yes"),
        ("answer", "usability-value", "usability-value.2", "", "no"),
        ("answer", "usability-value", "usability-value.3", "", "na"),
    ]


def test_a_figure_without_a_value_has_a_reason_in_every_file(
    as_user: AsUser, closed: Release, ada: User
) -> None:
    """Four cases have two reviews, and nobody differs on personalization but in one."""
    client = as_user(ada)
    about = {"part": "agreement", "about": "personalization", "figure": "alpha"}
    [alpha] = [row for row in rows_of(client, closed, "figures") if row.items() >= about.items()]
    assert (alpha["value"], alpha["reason_code"]) == ("", "too-few-cases")
    assert "at least 5 are needed" in alpha["reason"]
    figures = json.loads(fetched(client, closed, "export.json"))["metrics"][1]["agreement"]["alpha"]
    assert (figures["value"], figures["why"]["code"]) == (None, "too-few-cases")
    head, *rows = sheets_in(fetched(client, closed, "export.xlsx"))["Figures"]
    found = [dict(zip(head, row, strict=False)) for row in rows]
    [cell] = [row for row in found if row.items() >= about.items()]
    assert (cell["value"], cell["reason_code"]) == (None, "too-few-cases")


def test_every_statistic_of_the_summary_is_a_row(
    as_user: AsUser, closed: Release, ada: User
) -> None:
    rows = rows_of(as_user(ada), closed, "figures")
    found = summary.load(closed)
    values = {(row["part"], row["about"], row["kind"], row["figure"]): row for row in rows}
    for metric in found.metrics:
        row = values["metric", metric.metric, "", "mean"]
        assert (float(row["value"]), float(row["low"])) == (metric.mean.value, metric.mean.low)
        exact = values["agreement", metric.metric, "", "exact"]
        assert float(exact["value"]) == metric.agreement.exact.value
    for question in found.checklist:
        assert values["question", question.item, "", "rate"]["n"] == str(question.rate.of)
    assert values["comparison", "", "", "difference"]["reason_code"] == "no-baseline"


def test_the_json_is_the_report_that_is_signed(
    as_user: AsUser, closed: Release, mina: User
) -> None:
    data = fetched(as_user(mina), closed, "export.json")
    assert sha256(data).hexdigest() == closed.closings.standing().get().digest


def test_the_workbook_opens_on_what_the_report_says_first(
    as_user: AsUser, closed: Release, mina: User
) -> None:
    sheets = sheets_in(fetched(as_user(mina), closed, "export.xlsx"))
    assert list(sheets) == ["Report", "Figures", "Cases", "Reviews", "About"]
    rows = [[cell for cell in row if cell is not None] for row in sheets["Report"]]
    assert rows[0] == ["Report on wanderer-1"]
    assert ["Verdict", "NO-GO"] in rows
    assert ["Conditions", "with 1 review waived"] in rows
    [head] = [row for row in rows if row[0] == "Metric"]
    assert head[:6] == ["Metric", "Mean", "from (95 %)", "to (95 %)", "Cases", "Floor"]
    found = summary.load(closed)
    for metric in found.metrics:
        [row] = [row for row in rows if row[0] == metric.name and isinstance(row[1], float)]
        mean = metric.mean
        assert row[1:6] == [mean.value, mean.low, mean.high, float(mean.n), metric.floor]
    names = [str(row[0]) for row in rows]
    assert [name for name in names if name in ("What decided", "What to do", "Cases to open")] == [
        "What decided",
        "What to do",
        "Cases to open",
    ]
    assert ["→", "Decide whether it ships"] in rows
    assert "feast" in names[names.index("Cases to open") :]


def test_between_looks_the_first_sheet_has_means_and_no_limits(
    as_user: AsUser, reviewers: tuple[User, User], mina: User
) -> None:
    release = bed.started()
    bed.put_reviews(release, *reviewers, but=["kids"])
    bed.look(release, mina)
    sheet = sheets_in(fetched(as_user(mina), release, "export.xlsx"))["Report"]
    rows = [[cell for cell in row if cell is not None] for row in sheet]
    assert ["Verdict", "Between looks"] in rows
    assert ["Usability & Value", 4.0, 4.0, 3.0] in rows
    assert ["What is missing"] in rows


def test_the_last_sheet_says_what_the_workbook_is(
    as_user: AsUser, closed: Release, mina: User
) -> None:
    sheets = sheets_in(fetched(as_user(mina), closed, "export.xlsx"))
    about = {row[0]: row[1] for row in sheets["About"]}
    assert about["Report"] == "final: 9 of 10 reviews are in"
    assert str(about["Verdict"]).startswith("NO-GO, with 1 review waived; ")
    assert about["Digest of the report"] == closed.closings.standing().get().digest


def test_the_workbook_speaks_the_language_of_its_reader(
    as_user: AsUser, closed: Release, mina: User
) -> None:
    client = as_user(mina)
    client.cookies["django_language"] = "zh-hans"
    sheets = sheets_in(fetched(client, closed, "export.xlsx"))
    for name in ("Report", "About"):
        assert re.search("[\u4e00-\u9fff]", str(sheets[name][0][0])), name
    assert sheets["Reviews"][0][0] == "release"


def test_the_same_release_gives_the_same_bytes(
    as_user: AsUser, closed: Release, mina: User
) -> None:
    client = as_user(mina)
    for path in PATHS:
        with time_machine.travel(NOW):
            first = fetched(client, closed, path)
        assert fetched(client, closed, path) == first


def test_the_number_of_queries_does_not_depend_on_the_rows(
    as_user: AsUser, rita: User, omar: User, mina: User
) -> None:
    few, many = bed.started("few"), bed.started("many", size=8)
    counts = []
    for release in (few, many):
        bed.put_reviews(release, rita, omar)
        releases_lifecycle.close(release=release, user=None, now=NOW)
        client = as_user(mina)
        with CaptureQueriesContext(connection) as queries:
            for path in PATHS:
                fetched(client, release, path)
        counts.append(len(queries))
    assert counts[0] == counts[1]


# --- Before closing -------------------------------------------------------------------------------


def test_of_an_open_release_only_cases_with_all_their_reviews_are_told(
    as_user: AsUser, open_release: Release, mina: User
) -> None:
    bed.look(open_release, mina)
    client = as_user(mina)
    rows = rows_of(client, open_release)
    assert len(rows) == 8
    assert {row["report"] for row in rows} == {"provisional"}
    assert "feast" not in {row["case_key"] for row in rows}
    for path in PATHS:
        answer = client.get(f"/releases/{open_release.name}/{path}")
        assert "-PROVISIONAL." in answer.headers["Content-Disposition"]
        data = content(answer)
        if path not in ("export.xlsx", "export.zip"):
            assert SECRET.encode() not in data
    sheets = sheets_in(content(client.get(f"/releases/{open_release.name}/export.xlsx")))
    assert SECRET not in str(sheets)
    assert sheets["About"][2][1] == "PROVISIONAL: 9 of 10 reviews are in"
    [case] = [row for row in rows_of(client, open_release, "cases") if row["case_key"] == "feast"]
    assert (case["personalization"], case["is_counted"]) == ("", "false")
    assert case["reason"] == "not counted: 1 of 2 reviews are in"


# --- The door -------------------------------------------------------------------------------------


def test_before_the_first_look_there_is_a_question_and_no_file(
    as_user: AsUser, open_release: Release, mina: User
) -> None:
    before, client = bed.everything(), as_user(mina)
    for path in PATHS:
        answer = client.get(f"/releases/{open_release.name}/{path}")
        assert answer.headers["Content-Type"].startswith("text/html")
        assert "Content-Disposition" not in answer.headers
        assert "you cannot be assigned any more reviews" in answer.content.decode()
    assert bed.everything() == before


def test_the_look_leads_to_the_file_and_is_an_event(
    as_user: AsUser, open_release: Release, mina: User
) -> None:
    client, path = as_user(mina), f"/releases/{open_release.name}/export.csv?shape=long"
    asked = client.get(path).content.decode()
    assert f'name="next" value="{path}"' in asked
    answer = client.post(f"/releases/{open_release.name}/adjudications/look/", {"next": path})
    assert answer.headers["Location"] == path
    assert "kids" in content(client.get(path)).decode()
    assert open_release.events.filter(kind="scores-seen", by="mina").count() == 1


@pytest.mark.parametrize("who", ["manager", "superuser"])
def test_who_has_an_own_review_to_submit_gets_no_file(
    as_user: AsUser, open_release: Release, root: User, who: str
) -> None:
    both = root if who == "superuser" else make_person("both", Role.MANAGER, Role.REVIEWER)
    own = bed.assign(open_release, "feast", also(both, Role.REVIEWER))
    client = as_user(both)
    for path in PATHS:
        answer = client.get(f"/releases/{open_release.name}/{path}")
        assert answer.status_code == 409
        assert "Submit your 1 open review in this release first" in answer.content.decode()
    Review.objects.filter(pk=own.pk).update(status="declined", declined_for="conflict")
    answer = client.get(f"/releases/{open_release.name}/export.csv")
    assert "Before you look" in answer.content.decode()


def test_a_draft_has_nothing_to_export(as_user: AsUser, mina: User) -> None:
    release = bed.drawn()
    answer = as_user(mina).get(f"/releases/{release.name}/export.csv")
    assert answer.status_code == 409
    assert "is still a draft, so there is nothing to export" in answer.content.decode()


def test_reviewers_get_no_file_and_learn_no_name(
    as_user: AsUser, closed: Release, rita: User
) -> None:
    client = as_user(rita)
    for path in PATHS:
        assert client.get(f"/releases/{closed.name}/{path}").status_code == 403
        assert client.get(f"/releases/no-such-release/{path}").status_code == 403


def test_an_unknown_shape_or_release_is_refused(
    as_user: AsUser, closed: Release, ada: User
) -> None:
    client = as_user(ada)
    assert client.get(f"/releases/{closed.name}/export.csv?shape=round").status_code == 400
    assert client.get("/releases/no-such-release/export.csv").status_code == 404
    assert client.post(f"/releases/{closed.name}/export.csv").status_code == 405


def test_the_bundle_is_handed_out(as_user: AsUser, closed: Release, ada: User) -> None:
    answer = as_user(ada).get(f"/releases/{closed.name}/export.zip")
    assert answer.headers["Content-Type"] == "application/zip"
    assert content(answer).startswith(b"PK")
