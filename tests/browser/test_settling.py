"""Settling, asking and looking back as people meet them: accessible, whole, by hand."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page

from cases.models import Release, Rubric
from evalsite.permissions import Role
from reviews.desk import judgement as said
from reviews.models import Adjudication, Flag, Question, Review, Ruling
from reviews.questions import workflow as questions_workflow
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow, violations
from tests.browser.layout import UNFOLD, overflow
from tests.people import also, make_person

pytestmark = ON_A_LIVE_SERVER

LONG = "y" * 490
EVIDENCE = [
    {"kind": "stop", "ref": "/plan/days/0/items/1", "text": ""},
    {"kind": "quote", "ref": "/plan/days/0/items/0/title#0-5", "text": "Paper" + LONG},
]


def speak(release: Release, case_key: str, user: User, value: int, **more: Any) -> None:
    data = said.to_data(bed.judgement(value, comment=LONG)) | more
    for score in data["scores"].values():
        score |= {"rationale": LONG, "evidence": EVIDENCE}
    for number, item in enumerate(bed.ITEMS):
        data["answers"][item] |= {"answer": "no" if value < 3 and number % 2 else "yes"}
        data["answers"][item] |= {"note": LONG}
    bed.submit(bed.assign(release, case_key, user), said.from_data(data))


def make_examples(rita: User, omar: User, mina: User, ada: User, name: str = "open") -> Release:
    """Cases that wait, were settled and opened again, flags in each state, and questions."""
    release = bed.started(name, k=3, without=bed.SPARE)
    wei = make_person("w" * 60, Role.REVIEWER)
    for case_key in bed.sampled(release):
        if case_key != "rush":
            speak(release, case_key, rita, 4)
            speak(release, case_key, omar, 1, flags=["broken", "harmful"])
            speak(release, case_key, wei, 5)
    if not Question.objects.exists():
        asked = [bed.ask(release, key, rita, text=LONG) for key in ("feast", "kids")]
        level = bed.ask(release, "kids", rita, subject="usability-value:2", text=LONG)
        for one in (asked[0], level):
            questions_workflow.answer(question=one.pk, text=LONG, user=ada, now=NOW)
    bed.settle(release, "feast", mina, note=LONG, usability_value=3, personalization=3)
    bed.settle(release, "kids", mina, usability_value=3, personalization=3)
    speak(release, "kids", omar, 1)
    return bed.current(release)


def faults(page: Page, axe: Axe) -> list[str]:
    found = violations(axe, page)
    page.evaluate(UNFOLD)
    return [*found, *overflow(page)]


@pytest.mark.parametrize(
    ("size", "scheme", "language"), [("desk", "light", "en"), ("phone", "dark", "zh-hans")]
)
def test_every_page_is_accessible_and_whole(
    browse: SignIn,
    axe: Axe,
    ada: User,
    mina: User,
    rita: User,
    omar: User,
    rubric: Rubric,
    size: str,
    scheme: str,
    language: str,
) -> None:
    """Also with reasons, notes and names that never end."""
    release = make_examples(rita, omar, mina, ada)
    bed.look(release, mina)
    bed.look(release, ada)
    code = release.cases.get(case_key="kids").code
    flag = Flag.objects.filter(kind="broken").first()
    waiting = Question.objects.waiting().get()
    assert flag
    visits = {
        ada: ["/", "/questions/", f"/questions/{waiting.pk}/", f"/flags/{flag.pk}/"],
        mina: ["/releases/open/adjudications/", f"/releases/open/adjudications/{code}/"],
        rita: ["/scoring/", "/reviews/questions/"],
    }
    wrong = []
    for user, paths in visits.items():
        page = browse(user, size=size, scheme=scheme, language=language)
        for path in paths:
            page.goto(path)
            wrong += [f"{path}: {what}" for what in faults(page, axe)]
    rules = ["reviews", "adjudications"]
    releases_lifecycle.close(release=release, waived=rules, reason=LONG, user=None, now=NOW)
    page = browse(rita, size=size, scheme=scheme, language=language)
    page.goto("/mirror/")
    wrong += [f"/mirror/: {what}" for what in faults(page, axe)]
    assert wrong == []


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_look_settle_judge_and_answer(
    browse: SignIn,
    axe: Axe,
    ada: User,
    rita: User,
    omar: User,
    rubric: Rubric,
    complaints: list[str],
    scripts: bool,
) -> None:
    release = bed.started("walk")
    speak(release, "feast", rita, 4)
    speak(release, "feast", omar, 1, flags=["broken"])
    bed.ask(release, "kids", rita)
    page = browse(ada, size="phone", scripts=scripts)
    page.goto("/")
    follow(page, "li:has-text('Reviewers disagree') a.button")
    assert "you cannot be assigned any more reviews" in page.inner_text("main")
    if scripts:
        assert faults(page, axe) == []
    follow(page, "button:has-text('Look at the scores')")
    follow(page, ".differing a.button")
    if scripts:
        page.hover(".evidence a")
        assert page.locator(".stop.lit").count() == 1
    follow(page, "button:has-text('Save the agreed scores')")
    assert "needs an agreed score" in page.inner_text("[role=alert]")
    if scripts:
        assert page.evaluate("document.activeElement.getAttribute('role')") == "alert"
        assert faults(page, axe) == []
    page.check("input[name='agreed-usability-value'][value='3']")
    page.check("input[name='agreed-personalization'][value='2']")
    page.check("input[value='missed-evidence']")
    page.fill("textarea[name=note]", "The noodle place is open.")
    follow(page, "button:has-text('Save the agreed scores')")
    assert "You settled feast." in page.inner_text(".messages")
    follow(page, "td a.button:has-text('Judge')")
    page.check("input[value=confirmed]")
    page.fill("textarea[name=reason]", "Cut off.")
    follow(page, "button:has-text('Judge the flag')")
    assert page.locator("a:has-text('Withdraw the case')").count() == 1
    page.goto("/questions/")
    follow(page, ".asked-list a.button")
    page.fill("textarea[name=text]", "A picnic counts when it has a time.")
    follow(page, "button:has-text('Publish the answer')")
    page.goto("/scoring/")
    assert "A picnic counts when it has a time." in page.inner_text(".questions .ruling")
    assert Ruling.objects.get().by == "ada"
    page.goto("/questions/")
    follow(page, ".asked-list a.button")
    page.fill("textarea[name=text]", "A picnic counts when it has a place.")
    page.check("[name=look_again]")
    if scripts:
        assert faults(page, axe) == []
    follow(page, "button:has-text('Supersede it')")
    page.goto("/scoring/")
    assert page.inner_text(".questions .ruling s") == "A picnic counts when it has a time."
    if scripts:
        assert faults(page, axe) == []
    assert Adjudication.objects.get().agreed == {"usability-value": 3, "personalization": 2}
    assert Flag.objects.get().outcome == "confirmed"
    look_again(browse(omar, size="phone", scripts=scripts), axe if scripts else None)
    complaints[:] = [one for one in complaints if "422" not in one]


def look_again(page: Page, axe: Axe | None) -> None:
    """As a reviewer who submitted before the ruling: say that the review stays as it is."""
    page.goto("/")
    assert "A ruling changed: look again" in page.inner_text("main")
    follow(page, ".look-again a.button")
    assert "A picnic counts when it has a place." in page.inner_text(".newer-rulings")
    if axe:
        assert faults(page, axe) == []
    follow(page, "button:has-text('It stays as it is')")
    assert "stays as it is." in page.inner_text(".messages")
    assert page.locator(".look-again").count() == 0


@pytest.mark.parametrize(
    ("size", "scheme", "language"),
    [("desk", "light", "en"), ("phone", "dark", "zh-hans"), ("phone", "light", "en")],
)
def test_settle_together(
    browse: SignIn,
    axe: Axe,
    rita: User,
    omar: User,
    rubric: Rubric,
    complaints: list[str],
    size: str,
    scheme: str,
    language: str,
) -> None:
    """Its only manager reviewed the case, with a person of a long name."""
    also(omar, Role.MANAGER)
    long = make_person("w" * 60, Role.REVIEWER)
    release = bed.at_last_look(bed.started("walk", k=3))
    for user, value in ((rita, 4), (omar, 1), (long, 5)):
        speak(release, "feast", user, value)
    waiting = bed.assign(release, "kids", long)
    bed.look(release, omar)
    page = browse(omar, size=size, scheme=scheme, language=language)
    there = "/releases/walk/adjudications/"
    page.goto(there)
    assert faults(page, axe) == []
    assert page.locator(".differing a.primary").count() == 0
    Review.objects.filter(pk=waiting.pk).update(status="withdrawn")
    page.goto(there)
    assert faults(page, axe) == []
    follow(page, ".differing a.primary")
    assert faults(page, axe) == []
    page.check("input[name='agreed-usability-value'][value='3']")
    page.check("input[name='agreed-personalization'][value='2']")
    page.check("input[value='missed-evidence']")
    page.fill("textarea[name=note]", "The noodle place is open.")
    page.check("input[name=together][value=omar]")
    follow(page, "#settle button.primary")
    assert "rita" in page.inner_text("[role=alert]")
    assert faults(page, axe) == []
    for box in page.locator("input[name=together]").all():
        box.check()
    follow(page, "#settle button.primary")
    assert Adjudication.objects.get().together == ["omar", "rita", "w" * 60]
    for path in (there, f"{there}{release.cases.get(case_key='feast').code}/"):
        page.goto(path)
        assert "omar" in page.inner_text("main")
        assert faults(page, axe) == []
    complaints[:] = [one for one in complaints if "422" not in one]


BROKEN = """() => [...document.querySelectorAll(".list .badge, .list .button")].filter(one => {
  const range = document.createRange();
  range.selectNodeContents(one.firstChild);
  return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1;
}).map(one => one.textContent.trim())"""


def test_a_chinese_word_in_a_list_stays_on_one_line(
    browse: SignIn, mina: User, rita: User, omar: User, rubric: Rubric
) -> None:
    """It has no spaces, so a wide column beside it made it break anywhere."""
    release = bed.filled("walk", without=["feast"])
    long = {"text": "We want to walk slowly and to eat well. " * 12}
    bed.bring(release, bed.row("feast", *bed.FILLING["feast"], request=long))
    bed.draw(release)
    release = releases_lifecycle.start(release=bed.current(release), user=None, now=NOW)
    speak(release, "feast", rita, 4)
    speak(release, "feast", omar, 1)
    bed.look(release, mina)
    page = browse(mina, language="zh-hans")
    page.goto("/releases/walk/adjudications/")
    assert page.inner_text(".differing .button.primary").startswith("裁决")
    assert page.evaluate(BROKEN) == []
