"""What is kept of a release is as if it were computed each time, and shown to nobody who may not
look."""

import re
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.test import Client
from django.utils import timezone
from msgspec.structs import replace

from cases.models import Release
from cases.releases import workflow as releases_workflow
from cases.rubrics import workflow as rubrics_workflow
from evalsite.permissions import Role
from reviews.adjudication import workflow as adjudication_workflow
from reviews.desk import workflow as desk_workflow
from reviews.export.code import code
from reviews.questions import workflow as questions_workflow
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.releases.decision import sign
from reviews.report.summary import cache, reading
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.api import Script
from tests.bed.cases import NOW
from tests.bed.reviewed import GOOD, judged
from tests.people import AsUser, make_person

CALLS = ("releases/wanderer-1/summary/", "releases/wanderer-1/verdict/")
REPORT = "/releases/wanderer-1/report/"
PAGES = (REPORT, f"{REPORT}brief/", f"{REPORT}cases/")


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The releases whose rows are read to compute a summary, one entry each time."""
    found: list[str] = []
    read_rows = reading.load_inputs

    def counted(release: Release) -> Any:
        found.append(release.name)
        return read_rows(release)

    monkeypatch.setattr(reading, "load_inputs", counted)
    return found


class Reader:
    """Somebody who reads all that is made of a summary, by script and by page."""

    def __init__(self, user: User, client: Client, computed: list[str]) -> None:
        self.script, self.client, self.computed = Script(session=user), client, computed
        self.known: list[bytes] = []

    def read(self) -> list[bytes]:
        answers = [self.script.get(call) for call in CALLS]
        answers += [self.client.get(page) for page in PAGES]
        assert {answer.status_code for answer in answers} == {200}
        return [without_tokens(answer.content) for answer in answers]

    def sees_a_change(self) -> bool:
        """Since the last time. All of it is computed once, and is as if it were computed now."""
        self.computed.clear()
        first = self.read()
        assert self.computed in ([], ["wanderer-1"])
        self.computed.clear()
        assert self.read() == first
        assert self.computed == []
        forget()
        assert self.read() == first
        has_changed, self.known = first != self.known, first
        return has_changed


def without_tokens(page: bytes) -> bytes:
    return re.sub(rb'name="csrfmiddlewaretoken" value="[^"]*"', b"", page)


def forget() -> None:
    caches["reports"].clear()
    reading.stored_summary.cache_clear()


@pytest.fixture
def mina_reads(mina: User, as_user: AsUser, computed: list[str]) -> Reader:
    return Reader(mina, as_user(mina), computed)


# --- Nothing is out of date -----------------------------------------------------------------------


def test_every_act_is_seen_at_once(rita: User, omar: User, mina: User, mina_reads: Reader) -> None:
    wei = make_person("wei", Role.REVIEWER)
    earlier = judged(rita, omar, *GOOD, name="wanderer-0")
    draft = releases_workflow.change(
        release=bed.drawn("wanderer-1", k=2), baseline=earlier, user=None, now=NOW
    )
    release = releases_lifecycle.start(release=draft, user=None, now=NOW)
    assert mina_reads.sees_a_change()
    assert not mina_reads.sees_a_change()

    def act(what: Callable[..., Any], *given: Any, **values: Any) -> Any:
        done = what(*given, **values)
        assert mina_reads.sees_a_change(), what
        return done

    by_mina: dict[str, Any] = {"user": mina, "now": NOW}
    act(bed.review, release, "feast", rita, 4)
    act(bed.review, release, "feast", omar, 4)
    own = act(bed.review, release, "feast", rita, 1)  # revised
    act(bed.settle, release, "feast", mina, usability_value=3, personalization=3)
    act(bed.settle, release, "feast", mina, usability_value=2, personalization=3)
    act(bed.review, release, "feast", rita, 2)  # opens it again
    flag = act(bed.flag, release, "rush", omar, "harmful")
    act(
        adjudication_workflow.judge_flag,
        flag=flag.pk,
        outcome="confirmed",
        reason="It is.",
        **by_mina,
    )
    act(releases_waivers.waive, release=release, rule="reviews", reason="Late.", **by_mina)
    act(
        releases_waivers.take_back,
        release=release,
        rule="reviews",
        reason="Not so late.",
        **by_mina,
    )
    withdrawn = {"case_key": "kids", "cause": "broken", "reason": "It ends in the middle."}
    act(amendments.withdraw, release=release, **withdrawn, **by_mina)
    act(
        releases_workflow.change,
        release=bed.current(release),
        due_date=date(2026, 12, 1),
        **by_mina,
    )
    # Of another release by the same rubric.
    question = bed.ask(bed.started("wanderer-2"), "feast", wei)
    assert not mina_reads.sees_a_change()
    act(questions_workflow.answer, question=question.pk, text="It does.", **by_mina)
    act(releases_lifecycle.reopen, release=bed.current(earlier), reason="Once more.", **by_mina)
    bed.review(bed.current(earlier), "feast", rita, 1)
    assert not mina_reads.sees_a_change()  # nothing is told of a baseline that is open
    waived = {"waived": ["adjudications"], "reason": "Known."}
    act(releases_lifecycle.close, release=bed.current(earlier), **waived, **by_mina)

    # A revision that is not submitted.
    own.refresh_from_db()
    draft_of = {"review": own.pk, "user": rita, "version": own.version}
    desk_workflow.save_draft(**draft_of, said=bed.judgement(5), now=NOW)
    assert not mina_reads.sees_a_change()

    missing = [rule.rule for rule in releases_lifecycle.missing_for_close(bed.current(release))]
    closing = act(
        releases_lifecycle.close,
        release=bed.current(release),
        waived=missing,
        reason="Small.",
        **by_mina,
    )
    signed = {"digest": closing.digest, "decision": "ship", "reason": "It will do."}
    act(sign, release=bed.current(release), **signed, **by_mina)
    act(releases_lifecycle.reopen, release=bed.current(release), reason="Once more.", **by_mina)
    act(releases_lifecycle.abandon, release=bed.current(release), reason="Never mind.", **by_mina)


def test_what_is_submitted_while_figures_are_computed_is_seen_by_the_next_who_asks(
    rita: User, omar: User, mina_reads: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = bed.started(k=1)
    bed.review(release, "feast", rita, 4)
    assert mina_reads.sees_a_change()
    read_rows, late = reading.load_inputs, ["rush"]

    def slowly(release: Release) -> Any:
        found = read_rows(release)
        if late:
            bed.review(release, late.pop(), omar, 1)
        return found

    forget()
    monkeypatch.setattr(reading, "load_inputs", slowly)
    mina_reads.read()
    assert not late
    assert mina_reads.sees_a_change()
    assert b"rush" in mina_reads.known[2]


def test_two_languages_do_not_mix(rita: User, omar: User, mina: User, as_user: AsUser) -> None:
    english = (rubrics_workflow.SHIPPED / "en.md").read_text("utf-8")
    chinese = (rubrics_workflow.SHIPPED / "zh-hans.md").read_text("utf-8")
    version = rubrics_workflow.publish(text=english, language="en", user=None, now=NOW).version
    release = bed.started(k=1, rubric=version)
    bed.put_reviews(release, rita)
    bed.look(release, mina)
    client = as_user(mina)

    def page(language: str) -> bytes:
        answer = client.get(REPORT, headers={"accept-language": language})
        return without_tokens(answer.content)

    in_english, untranslated = page("en"), page("zh-hans")
    rubrics_workflow.translate(
        original=version, text=chinese, language="zh-hans", user=None, now=NOW
    )
    in_chinese = page("zh-hans")
    assert page("en") == in_english
    assert len({in_english, untranslated, in_chinese}) == 3
    forget()
    assert [page("zh-hans"), page("en")] == [in_chinese, in_english]


@pytest.mark.parametrize("what", ["day", "code"])
def test_another_day_and_another_code_compute_anew(
    what: str,
    rita: User,
    omar: User,
    mina_reads: Reader,
    computed: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged(rita, omar, *GOOD, close=False)
    mina_reads.read()
    computed.clear()
    if what == "day":
        monkeypatch.setattr(timezone, "localdate", lambda: date(2031, 1, 1))
    else:
        other = replace(code(), digest="0" * 64)
        monkeypatch.setattr(cache, "code", lambda: other)
    mina_reads.read()
    assert computed == ["wanderer-1"]


def test_what_is_too_long_is_computed_each_time(
    rita: User,
    omar: User,
    mina_reads: Reader,
    computed: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cache, "LONGEST", 100)
    judged(rita, omar, *GOOD, close=False)
    first = mina_reads.read()
    assert mina_reads.read() == first
    assert len(computed) == 2 * (len(CALLS) + len(PAGES))


# --- Nobody sees what they may not ----------------------------------------------------------------


def test_whoever_may_not_look_is_refused_while_everything_is_kept(
    rita: User,
    omar: User,
    sam: User,
    ada: User,
    mina_reads: Reader,
    as_user: AsUser,
    computed: list[str],
) -> None:
    release = judged(rita, omar, *GOOD, close=False)
    both = make_person("judging-manager", Role.MANAGER, Role.REVIEWER)
    bed.look(release, ada)
    amendments.add(release=release, case_key="spare-1", reason="One more.", user=None, now=NOW)
    bed.assign(release, "spare-1", both)

    def answers() -> list[tuple[int, bytes]]:
        asked = []
        for user in (rita, sam, both, None):
            script, client = Script(session=user), as_user(user)
            asked += [script.get(call) for call in CALLS]
            asked += [client.get(page) for page in PAGES]
        return [(answer.status_code, without_tokens(answer.content)) for answer in asked]

    refused = answers()
    assert computed == []
    mina_reads.read()
    assert answers() == refused
    assert {releases_lifecycle for releases_lifecycle, _content in refused} == {
        302,
        401,
        403,
        404,
        409,
    }
