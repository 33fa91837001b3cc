"""The verdict as Markdown, for a pull request or the summary of a CI step."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import translation
from markdown_it import MarkdownIt

from cases.models import Release
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases.decision import sign
from reviews.releases.gate import build_document, load_outcome
from reviews.releases.verdict_markdown import MOST_LINES, format_verdict
from tests.bed import reviewed as bed
from tests.bed.api import Script
from tests.bed.cases import NOW
from tests.bed.reviewed import BAD, GOOD, judged

SITE = "https://spotcheck.example"


def written(release: Release) -> str:
    return format_verdict(build_document(load_outcome(bed.current(release)), site=SITE))


@pytest.mark.parametrize(
    ("scores", "word"),
    [
        (GOOD, "GO"),
        (BAD, "NO-GO"),
        ([(4, 4), (5, 4), (4, 5), (5, 5), (3, 5)], "HOLD"),
        ([(3, 4), (3, 3), (5, 5), (3, 3), (4, 4)], "NOT ENOUGH EVIDENCE"),
    ],
)
def test_it_begins_with_the_word_and_fits_a_pull_request(
    rita: User, omar: User, scores: list[tuple[int, int]], word: str
) -> None:
    text = written(judged(rita, omar, *scores))
    lines = text.splitlines()
    assert lines[0] == f"### wanderer-1: {word}"
    assert f"[Report]({SITE}/releases/wanderer-1/report/)" in text
    assert "- Reviews: 10 of 10" in lines
    assert "| " not in text
    assert len(lines) <= MOST_LINES


def test_what_failed_comes_with_its_cases_and_the_words(rita: User, omar: User) -> None:
    release = bed.started(k=2)
    low = bed.judgement(1, answer="no")
    bed.put_judgements(release, {key: {rita: low, omar: low} for key in bed.sampled(release)})
    said = "<b>lunch</b>\nlies [inside](https://x.example) @team"
    score = release.reviews.get(reviewer=omar, case__case_key="feast").scores
    score.update(rationale=said)
    releases_lifecycle.close(release=bed.current(release), user=None, now=NOW)
    text = written(release)
    assert "- **NO-GO** Usability & Value is 1.0".replace("&", r"\&") in text
    assert "  Cases: feast, kids, ramp, rush, thrift" in text
    assert "  Cases: rush\n" not in text, "the sentence has named it already"
    assert text.endswith("\nand 5 more\n")
    html = MarkdownIt("commonmark").render(text)
    assert "&lt;b&gt;lunch&lt;/b&gt; lies [inside](https://x.example) @\u2060team" in html
    assert 'href="https://x.example' not in html


def test_a_release_that_is_not_closed_says_so(rita: User, omar: User) -> None:
    text = written(judged(rita, omar, *GOOD, close=False))
    assert text.startswith("### wanderer-1: not closed, so far GO\n")


@pytest.mark.django_db
def test_a_draft_has_no_verdict_yet() -> None:
    text = written(bed.filled())
    assert text.startswith("### wanderer-1: not closed, ")
    assert "Worst findings" not in text


def test_an_abandoned_release_has_no_criteria(rita: User, omar: User) -> None:
    release = judged(rita, omar, *GOOD, close=False)
    releases_lifecycle.abandon(release=release, reason="Never mind.", user=None, now=NOW)
    text = written(release)
    assert text.startswith("### wanderer-1: abandoned, without a verdict\n")
    assert "Criteria" not in text


def test_a_decision_against_the_verdict_is_named(rita: User, omar: User, mina: User) -> None:
    release = judged(rita, omar, *BAD)
    digest = release.closings.get().digest
    sign(release=release, decision="ship", reason="Seen.", digest=digest, user=mina, now=NOW)
    assert "- Signed: ship, against the verdict" in written(release)


def test_nothing_of_any_length_makes_it_longer_than_sixty_lines() -> None:
    long = "长" * 5_000
    criterion = {
        "reason": "No",
        "cases": ["长" * 400 + "!"] * 50,
        "leads_to": "NO-GO",
        "passed": False,
    }
    finding = {"case_key": long, "text": long, "reason": long, "standing": 1.0}
    document: dict[str, Any] = {
        **{"release": "planner-1", "verdict": "NO-GO", "sentence": long, "decision": "ship"},
        **{"is_against_the_verdict": True, "is_abandoned": False, "provisional": False},
        **{"submitted": 1, "expected": 2, "look": 1, "looks": [5, 8, 12], "report_url": SITE},
        "conditions": [{"text": long}] * 3,
        "would_help": [{"text": long}] * 3,
        "criteria": [criterion] * 80,
        "findings": [finding | {"case_url": SITE}] * 10,
    }
    assert 40 < len(format_verdict(document).splitlines()) <= MOST_LINES


def test_it_speaks_chinese_too(rita: User, omar: User) -> None:
    release = judged(rita, omar, *BAD)
    with translation.override("zh-hans"):
        text = written(release)
    assert text.startswith("### wanderer-1：不通过\n")
    assert "Worst" not in text


def test_without_an_address_of_the_site_there_are_no_broken_links(rita: User, omar: User) -> None:
    release = judged(rita, omar, *BAD)
    text = format_verdict(build_document(load_outcome(bed.current(release)), site=""))
    assert "](" not in text


def test_the_call_answers_it_with_its_own_tag(rita: User, omar: User, mina: User) -> None:
    release = judged(rita, omar, *GOOD)
    script = Script(session=mina)
    answer = script.get("releases/wanderer-1/verdict/?markdown=1")
    assert answer["Content-Type"] == "text/markdown; charset=utf-8"
    site = "http://testserver"
    outcome = load_outcome(bed.current(release))
    assert answer.content.decode() == format_verdict(build_document(outcome, site=site))
    assert answer["ETag"] != script.get("releases/wanderer-1/verdict/")["ETag"]
    again = script.get("releases/wanderer-1/verdict/?markdown=1", If_None_Match=answer["ETag"])
    assert again.status_code == 304


def test_a_reviewer_gets_no_markdown_of_a_verdict(rita: User, omar: User) -> None:
    judged(rita, omar, *GOOD)
    assert Script(session=rita).get("releases/wanderer-1/verdict/?markdown=1").status_code == 403
