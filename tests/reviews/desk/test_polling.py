"""Waiting for a verdict: cheap while nothing happens, and nothing that happens is missed."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from msgspec.structs import replace
from pytest_django import Settings

from cases.releases import workflow as releases_workflow
from cases.rubrics import workflow as rubrics_workflow
from evalsite.models import Scope
from reviews.adjudication import workflow as adjudication_workflow
from reviews.adjudication.visibility import look
from reviews.export.code import read_code_version
from reviews.management.commands import gate
from reviews.questions import workflow as questions_workflow
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases.decision import sign as deciding_sign
from reviews.report import api as report_api
from reviews.report import summary
from reviews.report.summary import cache
from tests.bed import reviewed as bed
from tests.bed.api import Script, by
from tests.bed.cases import NOW
from tests.bed.reviewed import BAD, GOOD, judged

R = "releases/wanderer-1/"
V = f"{R}verdict/"
# What figures are computed from.
EVIDENCE = ("reviews_score", "reviews_checklistanswer", "reviews_sampledcase", "reviews_closing")


def refuse(*_: object) -> Any:
    raise AssertionError("the figures are computed again")


# --- Cheap ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_closed", [False, True])
def test_asking_again_computes_nothing(
    is_closed: bool, rita: User, omar: User, mina: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(rita, omar, *GOOD, close=is_closed)
    script = by(mina, Scope.READ)
    tag = script.get(V)["ETag"]
    monkeypatch.setattr(summary.queries, "load_inputs", refuse)
    monkeypatch.setattr(report_api, "load_outcome", refuse)
    script.get(V, If_None_Match=tag)
    with CaptureQueriesContext(connection) as asked:
        again = script.get(V, If_None_Match=tag)
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag)
    statements = [one["sql"] for one in asked.captured_queries]
    assert not [one for one in statements if any(table in one for table in EVIDENCE)]
    assert len(statements) <= 8


class Clock:
    """Time passes only while the gate sleeps."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_the_gate_computes_once_however_long_it_waits(
    rita: User, omar: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(rita, omar, *GOOD, close=False)
    monkeypatch.setattr(gate, "time", Clock())

    def statements(wait: float) -> int:
        with CaptureQueriesContext(connection) as asked, pytest.raises(SystemExit):
            gate.Command().handle(release="wanderer-1", wait=wait, json=True)
        return len(asked)

    statements(0.0)  # the figures are computed now, and kept
    # One short statement for each look, and the figures at the end.
    assert statements(600.0) - statements(0.0) == 600 / gate.BETWEEN_LOOKS


# --- Nothing is missed ----------------------------------------------------------------------------


class Poller:
    """Asks with the tag of the last answer, as a pipeline does."""

    def __init__(self, user: User, language: str = "") -> None:
        self.script = Script(session=user, language=language)
        self.tag, self.told = "", dict[str, Any]()
        assert self.hears()

    def hears(self) -> bool:
        """Whether there is a new answer; then it says something else than the last one."""
        answer = self.script.get(V, If_None_Match=self.tag or '"nothing"')
        if answer.status_code == 304:
            assert answer["ETag"] == self.tag
            return False
        assert answer["ETag"] != self.tag
        assert answer.json() != self.told
        self.tag, self.told = answer["ETag"], answer.json()
        return True


def test_every_act_that_changes_the_answer_is_heard_of(
    rita: User, omar: User, mina: User, ada: User
) -> None:
    release = bed.started(k=1)
    poller = Poller(mina)

    def act(what: Callable[..., Any], **values: Any) -> Any:
        done = what(user=mina, now=NOW, **values)
        assert poller.hears(), what
        assert not poller.hears()
        return done

    act(releases_workflow.change, release=release, due_date=date(2026, 12, 1))
    bed.review(release, "feast", rita)
    assert poller.hears()
    bed.put_reviews(release, rita, but=["feast", "rush"])
    flag = bed.flag(release, "rush", omar, "harmful")
    assert poller.hears()
    act(adjudication_workflow.judge_flag, flag=flag.pk, outcome="confirmed", reason="It is.")
    closing = act(releases_lifecycle.close, release=bed.current(release))
    sign = {"release": bed.current(release), "digest": closing.digest}
    act(deciding_sign, decision="do-not-ship", reason="Harm.", **sign)
    act(releases_lifecycle.reopen, release=bed.current(release), reason="Once more.")
    act(releases_lifecycle.abandon, release=bed.current(release), reason="Never mind.")


def test_a_baseline_that_is_closed_later_is_heard_of(rita: User, omar: User, mina: User) -> None:
    earlier = judged(rita, omar, *GOOD, name="wanderer-0", close=False)
    draft = bed.drawn("wanderer-1", k=2)
    draft = releases_workflow.change(release=draft, baseline=earlier, user=None, now=NOW)
    bed.put_reviews(releases_lifecycle.start(release=draft, user=None, now=NOW), rita, omar)
    poller = Poller(mina)
    releases_lifecycle.close(release=bed.current(earlier), user=None, now=NOW)
    assert poller.hears()
    assert not poller.hears()


def test_who_reads_chinese_hears_of_a_translation(rita: User, omar: User, mina: User) -> None:
    english = (rubrics_workflow.SHIPPED / "en.md").read_text("utf-8")
    chinese = (rubrics_workflow.SHIPPED / "zh-hans.md").read_text("utf-8")
    version = rubrics_workflow.publish(text=english, language="en", user=None, now=NOW).version
    bed.put_reviews(bed.started(k=1, rubric=version), rita)
    in_english, in_chinese = Poller(mina), Poller(mina, "zh-hans")
    assert in_english.tag != in_chinese.tag
    rubrics_workflow.translate(
        original=version, text=chinese, language="zh-hans", user=None, now=NOW
    )
    assert in_chinese.hears()
    assert not in_english.hears()


def test_a_site_that_moved_is_heard_of(mina: User, settings: Settings) -> None:
    bed.started()
    settings.SITE_URL = ""
    poller = Poller(mina)
    assert poller.told["report_url"] == "http://testserver/releases/wanderer-1/report/"
    by_another_name = Script(session=mina).get(V, Host="localhost")
    assert by_another_name["ETag"] != poller.tag
    assert by_another_name.json()["report_url"].startswith("http://localhost/releases/")
    settings.SITE_URL = "https://elsewhere.example"
    assert poller.hears()
    assert poller.told["report_url"].startswith("https://elsewhere.example/releases/")


def test_new_code_is_asked_anew(mina: User, monkeypatch: pytest.MonkeyPatch) -> None:
    bed.started()
    script = Script(session=mina)
    tag = script.get(V)["ETag"]
    other = replace(read_code_version(), digest="0" * 64)
    monkeypatch.setattr(cache, "read_code_version", lambda: other)
    assert script.get(V, If_None_Match=tag).status_code == 200


def test_a_ruling_changes_the_summary_and_is_heard_of(rita: User, omar: User, mina: User) -> None:
    """It is an answer about the rubric, so no event of a release that did not ask for it."""
    release = bed.started("wanderer-1")
    question = bed.ask(bed.started("wanderer-2"), "feast", rita)
    script = Script(session=mina)
    tag = script.get(f"{R}summary/")["ETag"]
    assert script.get(f"{R}summary/", If_None_Match=tag).status_code == 304
    head = bed.current(release).ledger_head
    questions_workflow.answer(question=question.pk, text="It does.", user=mina, now=NOW)
    assert bed.current(release).ledger_head == head
    assert script.get(f"{R}summary/", If_None_Match=tag).status_code == 200


def test_what_happens_between_two_reads_is_not_hidden_under_a_newer_tag(
    rita: User, omar: User, mina: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = judged(rita, omar, *GOOD, close=False)

    def look_while_it_is_closed(**found: Any) -> None:
        look(**found)
        if not bed.current(release).is_closed:
            releases_lifecycle.close(release=bed.current(release), user=None, now=NOW)

    monkeypatch.setattr(report_api, "look", look_while_it_is_closed)
    poller = Poller(mina)
    if poller.told["status"] != "closed":
        assert poller.hears()
    assert (poller.told["status"], poller.told["final"]) == ("closed", "GO")


# --- Findings -------------------------------------------------------------------------------------


def test_the_worst_findings_come_with_the_page_of_their_case(
    rita: User, omar: User, mina: User
) -> None:
    judged(rita, omar, *BAD)
    script = Script(session=mina)
    told = script.get(V).json()["findings"]
    assert len(told) == 10
    assert [one["standing"] for one in told] == sorted(one["standing"] for one in told)
    first = told[0]
    assert (first["case_key"], first["standing"]) == ("rush", 1.0)
    assert first["text"] == "Usability & Value"
    assert first["reason"] == "The trams are named, the rest is not."
    assert first["case_url"].startswith("http://testserver/cases/")
    assert script.client.get(first["case_url"]).status_code == 200
    chinese = Script(session=mina, language="zh-hans").get(V).json()["findings"][0]
    assert (chinese["text"], chinese["reason"]) == ("可用性与价值", first["reason"])
