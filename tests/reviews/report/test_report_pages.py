"""The report, the cases behind its numbers, the brief, two releases, and the trend, as pages."""

import json
import re
from collections.abc import Iterable
from html.parser import HTMLParser

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.test import Client

from cases.models import Event, Release, Rubric
from cases.releases import workflow as releases_workflow
from cases.rubrics import workflow as rubrics_workflow
from evalsite.permissions import Role
from reviews.desk.judgement import Judgement
from reviews.management.commands.gate import format_lines
from reviews.models import Decision
from reviews.models.outcomes import Word
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases.decision import sign as deciding_sign
from reviews.releases.gate import build_document, load_outcome
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.bed.databases import believe_tables_empty
from tests.bed.sheets import sheets_in
from tests.people import AsUser, make_person
from tests.reviews.adjudication.settling_pages import queries, words

REPORT = "/releases/wanderer-1/report/"
PAGES = [
    REPORT,
    f"{REPORT}cases/",
    f"{REPORT}brief/",
    "/releases/wanderer-1/compare/",
]


def judge(value: int, *, answer: str = "yes", comment: str = "") -> Judgement:
    return bed.judgement(value, answer=answer, comment=comment)


def put(release: Release, *users: User, values: Iterable[int] = (4, 5)) -> Release:
    """Everybody reviews every case, each with a score of their own."""
    given = dict(zip(users, map(judge, values), strict=True))
    bed.put_judgements(release, dict.fromkeys(bed.sampled(release), given))
    return bed.current(release)


def close(release: Release) -> Release:
    releases_lifecycle.close(release=release, user=None, now=NOW)
    return bed.current(release)


def after(before: Release, name: str = "wanderer-1") -> Release:
    """A release of the same product with the same cases, compared with the one before."""
    release = bed.filled(name)
    release = releases_workflow.change(release=release, baseline=before, user=None, now=NOW)
    bed.draw(release)
    return releases_lifecycle.start(release=bed.current(release), user=None, now=NOW)


@pytest.fixture
def open_release(rita: User, omar: User, mina: User, rubric: Rubric) -> Release:
    """Half of its cases have their reviews, and mina has looked."""
    release = bed.started(without=bed.SPARE)
    for key in ("feast", "thrift", "kids"):
        bed.put_judgements(release, {key: {rita: judge(4, comment=f"On {key}."), omar: judge(5)}})
    bed.put_judgements(release, {"ramp": {rita: judge(1)}})
    bed.look(release, mina)
    return bed.current(release)


# --- Who ------------------------------------------------------------------------------------------


def test_managers_read_and_nobody_else_gets_in(
    as_user: AsUser, open_release: Release, mina: User, rita: User, sam: User
) -> None:
    manager, reviewer, stranger, guest = (as_user(one) for one in (mina, rita, sam, None))
    for path in PAGES:
        assert manager.get(path).status_code == 200, path
        assert reviewer.get(path).status_code == 403, path
        assert stranger.get(path).status_code == 404, path
        assert guest.get(path).status_code == 302, path
        assert manager.post(path).status_code == 405, path
        assert manager.get(path.replace("wanderer-1", "nowhere")).status_code == 404, path


def test_the_first_look_is_asked_for_and_is_an_event(
    as_user: AsUser, open_release: Release, ada: User
) -> None:
    client = as_user(ada)
    assert "Before you look" in words(client.get(REPORT))
    assert "4.5" not in words(client.get(REPORT))
    answer = client.post("/releases/wanderer-1/adjudications/look/", {"next": REPORT})
    assert answer.headers["Location"] == REPORT
    assert Event.objects.filter(kind="scores-seen", by="ada").count() == 1
    assert "PROVISIONAL" in words(client.get(REPORT))


def test_whoever_still_judges_here_sees_no_score(as_user: AsUser, open_release: Release) -> None:
    both = make_person("both", Role.REVIEWER, Role.MANAGER)
    bed.assign(open_release, "rush", both)
    client = as_user(both)
    for path in PAGES:
        answer = client.get(path)
        assert answer.status_code == 409, path
        assert "Submit your 1 open review in this release first" in words(answer), path


def test_a_draft_has_no_report(as_user: AsUser, mina: User, rubric: Rubric) -> None:
    bed.filled()
    assert "there is nothing to show" in words(as_user(mina).get(REPORT))


# --- The report -----------------------------------------------------------------------------------


def test_everything_is_provisional_until_closing(
    as_user: AsUser, open_release: Release, mina: User
) -> None:
    page = words(as_user(mina).get(REPORT))
    assert "Between looks No word yet: 7 of 10 reviews for look 1 of" in page
    assert "PROVISIONAL 3 of 5 cases, 2 reviewers, 3 of 5 kinds" in page
    assert "NOT ENOUGH EVIDENCE" not in page
    assert "4.5 so far" in page
    assert "3 reviews are missing" in page
    assert "On feast." in page


def test_a_release_without_any_review_has_a_report_of_sentences(
    as_user: AsUser, mina: User, rubric: Rubric
) -> None:
    bed.look(bed.started(), mina)
    page = words(as_user(mina).get(REPORT))
    assert "0 of 10 reviews for look 1 of" in page
    assert "Not defined: there is no case" in page
    assert "No case has all its reviews yet." in page
    assert as_user(mina).get(f"{REPORT}brief/").status_code == 200


def test_one_review_of_two_is_in_no_figure(
    as_user: AsUser, open_release: Release, mina: User
) -> None:
    """The 1 that rita gave the fourth case stays closed until the other review is in."""
    client = as_user(mina)
    assert "Lowest single score: 4." in words(client.get(REPORT))
    rows = words(client.get(f"{REPORT}cases/?only=left-out"))
    assert "ramp" in rows
    assert "rush" in rows
    assert "1.0" not in rows


def test_a_closed_report_names_its_digests_and_is_not_provisional(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    release = close(put(bed.started(), rita, omar))
    closing = release.closings.get()
    page = words(as_user(mina).get(REPORT))
    assert "PROVISIONAL" not in page
    assert closing.digest in page
    assert closing.head in page
    assert "GO agreement not shown beyond chance comparison not assessed: no baseline Every" in page
    download = as_user(mina).get("/releases/wanderer-1/export.json").getvalue().decode()
    assert download == closing.summary
    assert json.loads(download)["release"] == "wanderer-1"


def test_the_report_of_an_open_release_takes_as_many_queries_at_any_size(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    before = close(put(bed.started("wanderer-0"), rita, omar))
    small = put(after(before), rita, omar, values=(2, 4))
    more = {f"more-{number:02}": () for number in range(7)}
    large = put(bed.started("wanderer-2", size=15, more=more), rita, omar, values=(2, 4))
    large.baseline = before
    large.save(update_fields=["baseline"])
    computed, kept = [], []
    for release in (small, large):
        bed.look(release, mina)
        client, page = as_user(mina), f"/releases/{release.name}/report/"
        queries(client, page)
        kept.append(queries(client, page))
        caches["reports"].clear()
        computed.append(queries(client, page))
    assert computed[0] == computed[1] <= 20
    assert kept[0] == kept[1] <= 6


def test_the_cases_behind_a_number_come_in_pages(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    more = {f"more-{number:02}": () for number in range(60)}
    close(put(bed.started(size=62, more=more), rita, omar))
    page = words(as_user(mina).get(f"{REPORT}cases/?metric=personalization&level=5&page=2"))
    assert "Personalization, level 5 given" in page
    assert "62 cases" in page
    assert "Page 2 of 2" in page


def test_pages_come_where_the_database_believes_that_its_tables_are_empty(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    more = {f"more-{number:02}": () for number in range(60)}
    release = put(bed.started(size=62, more=more), rita, omar)
    bed.look(release, mina)
    believe_tables_empty()
    manager = as_user(mina)
    for path in (REPORT, "/releases/wanderer-1/adjudications/"):
        assert manager.get(path).status_code == 200, path
    close(release)
    assert manager.get(REPORT).status_code == 200
    assert as_user(rita).get("/mirror/").status_code == 200


def test_rows_of_something_unknown_are_not_found(
    as_user: AsUser, open_release: Release, mina: User
) -> None:
    client = as_user(mina)
    for asked in ("metric=speed", "criterion=luck", "only=x"):
        assert client.get(f"{REPORT}cases/?{asked}").status_code == 404, asked


def test_what_is_not_defined_is_a_sentence_on_the_page(
    as_user: AsUser, rita: User, mina: User, rubric: Rubric
) -> None:
    release = bed.started(k=1, without=bed.SPARE)
    na = judge(4, answer="na")
    bed.put_judgements(release, {key: {rita: na} for key in bed.sampled(release)})
    close(bed.current(release))
    page = words(as_user(mina).get(REPORT))
    assert "not defined: no case has two reviews" in page
    assert "not defined: no answer says that the question applies" in page
    assert "not assessed: there is no baseline" in page
    assert "nan" not in page.lower().split()


def test_that_a_question_applies_nowhere_is_the_same_sentence_on_the_page_and_in_every_file(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    release = bed.started()
    na = judge(4, answer="na")
    bed.put_judgements(release, {key: {rita: na, omar: na} for key in bed.sampled(release)})
    close(bed.current(release))
    client = as_user(mina)
    sentence = "not defined: in no case did two reviewers say that the question applies"
    assert sentence in words(client.get(REPORT))
    told = json.loads(client.get("/releases/wanderer-1/export.json").getvalue())
    for figure in ("exact", "ac1"):
        found = told["checklist"][0][figure]
        assert (found["value"], found["why"]["message"]) == (None, sentence)
    table = client.get("/releases/wanderer-1/export.csv?shape=figures").getvalue().decode()
    lines = [line for line in table.splitlines() if '"ac1"' in line and bed.ITEMS[0] in line]
    assert len(lines) == 1
    assert f'"nowhere-twice","{sentence}"' in lines[0]


def test_an_abandoned_release_has_no_verdict_anywhere(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    release = put(bed.started(), rita, omar, values=(1, 1))
    releases_lifecycle.abandon(release=release, reason="Wrong build.", user=None, now=NOW)
    client = as_user(mina)
    page = words(client.get(REPORT))
    assert "Abandoned The release ended without a verdict" in page
    assert "Wrong build." in page
    book = sheets_in(client.get("/releases/wanderer-1/export.xlsx").getvalue())
    about = {str(row[0]): str(row[1]) for row in book["About"]}
    assert about["Verdict"] == "The release was abandoned, without a verdict."
    first = str(book["Report"])
    assert "'Abandoned'" in first
    assert "'Wrong build.'" in first
    for told in (page, words(client.get(f"{REPORT}brief/")), first):
        assert "NO-GO" not in told
    for told in (page, words(client.get(f"{REPORT}brief/"))):
        assert "Because" not in told
        assert "wholly below its floor" not in told


def test_every_place_carries_the_same_conditions(
    as_user: AsUser,
    rita: User,
    omar: User,
    mina: User,
    rubric: Rubric,
) -> None:
    """Page, brief, lists, trend, signing, gate, API and workbook; a mail has the word alone."""
    release = close(put(bed.started(), rita, omar, values=(4, 4)))
    outcome = load_outcome(release)
    conditions = [one["text"] for one in build_document(outcome)["conditions"]]
    assert len(conditions) == 2
    client = as_user(mina)
    book = sheets_in(client.get("/releases/wanderer-1/export.xlsx").getvalue())
    places = {
        path: words(client.get(path))
        for path in (REPORT, f"{REPORT}brief/", "/", "/releases/", "/releases/wanderer-1/")
    }
    places |= {
        "trend": words(client.get("/trend/?product=wanderer")),
        "decision": words(client.post("/releases/wanderer-1/decision/", {})),
        "gate": "\n".join(format_lines(outcome)),
        "workbook": str(book["Report"]),
        "last sheet": str(book["About"]),
        "stored": " ".join(map(str, release.closings.get().conditions)),
    }
    missing = [
        f"{place}: {condition}"
        for place, text in places.items()
        for condition in conditions
        if condition not in text
    ]
    assert missing == []


def test_between_looks_no_place_has_a_word(
    as_user: AsUser, open_release: Release, mina: User
) -> None:
    client = as_user(mina)
    places = [words(client.get(path)) for path in (*PAGES, "/", "/releases/")]
    told = "\n".join(format_lines(load_outcome(open_release)))
    assert told.startswith("wanderer-1: PROVISIONAL, not closed. Between looks.\nNo word yet: 7 of")
    for text in (*places, told):
        assert not any(str(word.label) in text.replace("Abandoned", "") for word in Word)


def test_a_case_outside_the_plan_is_shown_and_in_no_figure(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    release = put(bed.started(size=6), rita, omar)
    release.sample.filter(case__case_key="rush").update(
        is_outside=True, origin="hand", reason="It was asked for."
    )
    bed.look(release, mina)
    client = as_user(mina)
    assert "Outside the plan: rush chosen by hand after the start" in words(client.get(REPORT))
    rows = words(client.get(f"{REPORT}cases/?only=outside"))
    assert re.search(r"rush \w+ outside the plan", rows)
    assert "given 4, 5" in rows


# --- Signing --------------------------------------------------------------------------------------


def sign(client: Client, release: Release, decision: str) -> str:
    digest = release.closings.standing().get().digest
    fields = {"decision": decision, "reason": "Customers wait.", "digest": digest}
    return words(client.post(f"/releases/{release.name}/decision/", fields, follow=True))


def test_a_decision_against_the_verdict_is_named_on_report_and_brief(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    release = close(put(bed.started(), rita, omar))
    client = as_user(mina)
    assert "Decide and sign" in words(client.get(REPORT))
    page = sign(client, release, "do-not-ship")
    assert "do not ship against the verdict signed by mina" in page
    assert "Customers wait." in page
    assert "Decide and sign" not in page
    assert "against the verdict" in words(client.get(f"{REPORT}brief/"))


def test_a_decision_with_the_verdict_is_not_called_against_it(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    release = close(put(bed.started(), rita, omar))
    page = sign(as_user(mina), release, "ship")
    assert "ship signed by mina" in page
    assert "against the verdict" not in page


def test_reopening_voids_a_decision_visibly(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    release = close(put(bed.started(), rita, omar))
    digest = release.closings.get().digest
    deciding_sign(
        release=release, decision="ship", reason="Good.", digest=digest, user=mina, now=NOW
    )
    release = releases_lifecycle.reopen(
        release=release, reason="A case was wrong.", user=mina, now=NOW
    )
    bed.look(release, mina)
    page = words(as_user(mina).get(REPORT))
    assert "void ship signed by mina" in page
    assert "void since the release was reopened" in page
    assert "PROVISIONAL" in page
    assert Decision.objects.standing().count() == 0


def test_an_admin_cannot_sign(
    as_user: AsUser, rita: User, omar: User, ada: User, rubric: Rubric
) -> None:
    close(put(bed.started(), rita, omar))
    page = words(as_user(ada).get(REPORT))
    assert "Decide and sign" not in page
    assert "A manager has not decided yet." in page


# --- Every number -----


class Cells(HTMLParser):
    """The figures of a page, each with the links around or inside it."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.cell = ""
        self.found: list[tuple[str, str, list[str]]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        label = given.get("data-label", "") if tag == "td" else ""
        if tag == "td" and ("number" in given.get("class", "") or label):
            self.found.append((label, "", []))
            self.cell = tag
        if tag == "p" and given.get("class") == "big":
            self.found.append(("tile", "", []))
            self.cell = tag
        if self.cell and tag == "a":
            self.found[-1][2].append(given["href"])

    def handle_endtag(self, tag: str) -> None:
        if tag == self.cell:
            self.cell = ""

    def handle_data(self, data: str) -> None:
        if self.cell:
            label, text, hrefs = self.found[-1]
            self.found[-1] = (label, text + data, hrefs)


# Columns that hold no figure of their own: the interval beside it, names, words, dates.
NO_FIGURES = ("Lowest coverage", "Kind", "Rubric", "Closed", "Share", "As much by chance alone")


def assert_every_number_opens_rows(client: Client, path: str) -> None:
    cells = Cells()
    cells.feed(client.get(path).content.decode())
    figures = [
        (label, " ".join(text.split()), hrefs)
        for label, text, hrefs in cells.found
        if re.search("[1-9]", text) and label not in NO_FIGURES and "→" not in text
        if not text.strip().startswith(("not ", "no interval"))
    ]
    assert len(figures) > 3
    assert [one for one in figures if not one[2]] == []
    # One of each shape is fetched: the rows of each are those of test_report_words.
    hrefs = {re.sub("=[^&]*", "", href): href for one in figures for href in one[2]}
    for href in hrefs.values():
        assert "No case." not in words(client.get(href)), href


# --- Two releases ---------------------------------------------------------------------------------


def compared(client: Client, **asked: str) -> str:
    return words(client.get("/releases/wanderer-1/compare/", asked))


def test_two_releases_are_compared_on_shared_cases(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    before = close(put(bed.started("wanderer-0", size=6), rita, omar, values=(5, 5)))
    release = put(after(before), rita, omar, values=(3, 4))
    bed.look(release, mina)
    page = compared(as_user(mina), **{"with": "wanderer-0"})
    assert "From wanderer-0 to wanderer-1" in page
    assert "5 cases are in both releases ; 5 were judged by the same reviewers" in page
    assert "-1.5 5.0 → 3.5" in page
    assert_every_number_opens_rows(as_user(mina), "/releases/wanderer-1/compare/?with=wanderer-0")
    assert_every_number_opens_rows(as_user(mina), REPORT)
    assert "both plans feast" in page
    assert "only in wanderer-0 spare-" in page
    assert "only in wanderer-1 none" in page


def newer(rubric: Rubric) -> Rubric:
    """The same rubric with other words for one level."""
    text = rubric.text.replace("Strong. Clear daily flow", "Strong. A clear flow of the day")
    assert text != rubric.text
    return rubrics_workflow.publish(text=text, user=None, now=NOW).version


def test_other_rubric_versions_are_compared_only_on_request(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    close(put(bed.started("wanderer-0"), rita, omar))
    close(put(bed.started(rubric=newer(rubric)), rita, omar))
    client = as_user(mina)
    asked = {"with": "wanderer-0"}
    assert "Compare anyway" in compared(client, **asked)
    assert "are in both releases" not in compared(client, **asked)
    insisted = compared(client, **asked, across="1")
    assert "5 cases are in both releases" in insisted
    assert "version" in insisted
    assert "Trend" in words(client.get("/trend/"))
    assert "Rubric version 2" in client.get("/trend/?product=wanderer").content.decode()


def test_only_releases_of_the_product_can_be_chosen(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    close(put(bed.started(), rita, omar))
    client = as_user(mina)
    assert "No other release of this product has a report." in compared(client)
    path = "/releases/wanderer-1/compare/?with=wanderer-9"
    assert client.get(path).status_code == 404


def test_a_baseline_that_cannot_be_compared_is_not_chosen_by_itself(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    before = put(bed.started("wanderer-0"), rita, omar)
    release = put(after(before), rita, omar)
    releases_lifecycle.abandon(release=before, reason="Wrong build.", user=None, now=NOW)
    close(release)
    client = as_user(mina)
    assert "No other release of this product has a report." in compared(client)
    path = "/releases/wanderer-1/compare/"
    assert client.get(path).status_code == 200
    assert client.get(path, {"with": "wanderer-0"}).status_code == 404


def test_an_open_release_on_the_other_side_has_its_door_too(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    put(bed.started("wanderer-0"), rita, omar)
    close(put(bed.started(), rita, omar))
    assert "Before you look" in compared(as_user(mina), **{"with": "wanderer-0"})


# --- Trend ----------------------------------------------------------------------------------------


def test_the_trend_leaves_out_what_is_abandoned_or_open(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    close(put(bed.started("wanderer-1"), rita, omar))
    releases_lifecycle.abandon(
        release=bed.started("wanderer-2"), reason="Wrong.", user=None, now=NOW
    )
    bed.started("wanderer-3")
    page = words(as_user(mina).get("/trend/?product=wanderer"))
    assert "wanderer-1 4.5 (3.7 to 5.0)" in page
    assert_every_number_opens_rows(as_user(mina), "/trend/?product=wanderer")
    assert "wanderer-2" not in page
    assert "wanderer-3" not in page


def test_the_trend_takes_as_many_queries_for_one_release_as_for_three(
    as_user: AsUser, rita: User, omar: User, mina: User, rubric: Rubric
) -> None:
    client = as_user(mina)
    found = []
    for number in (1, 2, 3):
        close(put(bed.started(f"wanderer-{number}", without=bed.SPARE), rita, omar))
        found.append(queries(client, "/trend/?product=wanderer"))
    assert found[0] == found[1] == found[2] <= 10


def test_a_product_that_nobody_knows_has_no_trend(
    as_user: AsUser, mina: User, rita: User, sam: User, rubric: Rubric
) -> None:
    bed.started()
    assert as_user(mina).get("/trend/?product=nothing").status_code == 404
    assert "No release of this product is closed yet." in words(as_user(mina).get("/trend/"))
    assert as_user(rita).get("/trend/").status_code == 403
    assert as_user(sam).get("/trend/").status_code == 404
    assert as_user(mina).post("/trend/").status_code == 405
