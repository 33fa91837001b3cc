"""The admin site as ada meets it: cases assigned to people, many at once, and every page whole."""

from datetime import date

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Page

from cases.models import Case, Release, Rubric
from evalsite.permissions import Role
from reviews.assignments import workflow as assignments_workflow
from reviews.models import Review
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow, violations
from tests.people import make_person

pytestmark = ON_A_LIVE_SERVER

LONG_KEY = "k" * 200
LONG_NAME = "n" * 150


def choose_all(page: Page, action: str, *, scripts: bool) -> None:
    """Every row of the list, and what to do with them."""
    if scripts:
        page.check("#action-toggle")
    else:
        for box in page.locator("input.action-select").all():
            box.check()
    page.select_option("select[name=action]", label=action)
    follow(page, "button[name=index]")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_an_admin_filters_chooses_all_looks_at_the_plan_and_assigns(
    browse: SignIn, ada: User, rita: User, omar: User, rubric: Rubric, scripts: bool
) -> None:
    make_person("lin", Role.REVIEWER)
    make_person("zoe", Role.REVIEWER)
    bed.started("earlier", without=bed.SPARE)
    release = bed.filled("walk", without=bed.SPARE)
    bed.bring(release, bed.row("feast", *bed.FILLING["feast"], produced_by=["rita", "omar"]))
    bed.draw(release)
    release = releases_lifecycle.start(release=release, user=None, now=NOW)
    page = browse(ada, scripts=scripts)
    page.goto("/")
    follow(page, "nav a:has-text('Admin')")
    follow(page, "#content a:has-text('Sampled cases')")
    follow(page, "#changelist-filter a:has-text('walk')")
    assert page.locator("#result_list tbody tr").count() == 5
    choose_all(page, "Assign to reviewers", scripts=scripts)
    assert "5 cases of walk are chosen." in page.inner_text("main")
    assert "10 reviews would be assigned" in page.inner_text(".plan")
    page.uncheck("#choose-zoe")
    page.fill("input[name=per_case]", "2")
    follow(page, "button:has-text('Plan with these people')")
    # Two of the three made this case, so only lin can take it.
    plan = page.inner_text(".plan")
    assert "9 reviews would be assigned" in plan
    assert "feast: 1 reviewer is missing. Made the case: omar, rita." in plan
    assert "not chosen" in page.inner_text("tr:has(#choose-zoe)")
    assert not Review.objects.exists()
    follow(page, "input[value='Assign 9 reviews']")
    assert "9 reviews are assigned." in page.inner_text(".messagelist")
    assert "?release__id__exact=" in page.url
    assert page.locator("#result_list tbody tr").count() == 5
    found = Review.objects.of(release).values_list("case__case_key", "reviewer__username")
    assert ("feast", "lin") in found
    assert {name for _key, name in found} == {"lin", "omar", "rita"}
    assert len(found) == 9


def test_an_admin_moves_reviews_and_takes_them_back(
    browse: SignIn, complaints: list[str], ada: User, rita: User, omar: User, rubric: Rubric
) -> None:
    make_person("lin", Role.REVIEWER)
    release = bed.started("walk", without=bed.SPARE)
    for key in ("feast", "kids"):
        bed.assign(release, key, rita)
    bed.assign(release, "kids", omar)
    page = browse(ada)
    page.goto(f"/admin/reviews/review/?release__id__exact={release.pk}&reviewer=rita")
    choose_all(page, "Move to another reviewer", scripts=True)
    page.check("#taker-omar")
    follow(page, "input[name=confirm]")
    assert "omar has kids already." in page.inner_text(".refused")
    assert "Conflict" in complaints.pop()  # the browser tells of every refusal in its console
    follow(page, "input[value='Move the other one']")
    assert "1 review is moved to omar." in page.inner_text(".messagelist")
    page.goto(f"/admin/reviews/review/?release__id__exact={release.pk}&reviewer=omar")
    choose_all(page, "Take back", scripts=True)
    page.fill("textarea[name=reason]", "too much at once")
    follow(page, "input[value='Take 2 reviews back']")
    assert "2 reviews are taken back." in page.inner_text(".messagelist")
    open_ones = Review.objects.of(release).open()
    assert list(open_ones.values_list("case__case_key", "reviewer__username")) == [("kids", "rita")]


def make_examples(rita: User, omar: User) -> tuple[Release, Case]:
    long = make_person(LONG_NAME, Role.REVIEWER)
    full = bed.started("full", without=bed.SPARE, size=6, more={LONG_KEY: ()})
    bed.assign(full, LONG_KEY, long)
    bed.assign(full, "feast", rita)
    for person in (rita, omar):
        bed.review(full, "kids", person)
    bed.make_due(full, date(2020, 10, 1))
    shut = bed.judged(rita, omar, *bed.GOOD, name="shut")
    assert shut.is_closed
    return full, full.cases.get(case_key=LONG_KEY)


def reaches_out(page: Page) -> list[str]:
    """What makes the window scroll sideways; tables scroll inside their own box."""
    found: list[str] = page.evaluate(
        """() => {
          const width = document.documentElement.clientWidth;
          if (document.documentElement.scrollWidth <= width) return [];
          return [...document.querySelectorAll("main *")]
            .filter(part => part.getBoundingClientRect().right > width + 1)
            .filter(part => !part.closest(".sheet, .results"))
            .map(part => `${part.tagName}.${part.className}`)
            .slice(0, 5);
        }"""
    )
    return found


@pytest.mark.parametrize(
    ("size", "scheme", "language"),
    [("desk", "light", "en"), ("tablet", "dark", "en"), ("phone", "dark", "zh-hans")],
)
def test_the_pages_of_the_admin_site_are_whole(
    browse: SignIn,
    axe: Axe,
    ada: User,
    rita: User,
    omar: User,
    rubric: Rubric,
    size: str,
    scheme: str,
    language: str,
) -> None:
    full, case = make_examples(rita, omar)
    review = case.reviews.get()
    page = browse(ada, size=size, scheme=scheme, language=language)
    wrong = []
    here = f"?release__id__exact={full.pk}"
    for path in (
        "/admin/",
        *(f"/admin/cases/{table}/" for table in ("release", "case")),
        *(f"/admin/reviews/{table}/" for table in ("sampledcase", "review", "checklistanswer")),
        f"/admin/reviews/checklistanswer/{here}",
        f"/admin/cases/case/{case.pk}/change/",
        f"/admin/reviews/review/{review.pk}/change/",
    ):
        page.goto(path)
        wrong += [f"{path}: {what}" for what in reaches_out(page)]
    for path, action in (
        ("/admin/reviews/sampledcase/", "assign_to_reviewers"),
        ("/admin/reviews/review/", "move_to_another"),
        ("/admin/reviews/review/", "take_back"),
    ):
        page.goto(path + here)
        page.check("#action-toggle")
        page.select_option("select[name=action]", action)
        follow(page, "button[name=index]")
        wrong += [f"{action}: {what}" for what in [*reaches_out(page), *violations(axe, page)]]
    assert wrong == []
    assert Review.objects.of(full).count() == 4


def test_the_door_before_the_answers_is_asked_once(
    browse: SignIn, axe: Axe, ada: User, rita: User, omar: User, rubric: Rubric
) -> None:
    full, _case = make_examples(rita, omar)
    page = browse(ada)
    page.goto("/admin/reviews/checklistanswer/")
    follow(page, ".left-out a:has-text('full')")
    assert violations(axe, page) == []
    follow(page, "button:has-text('Look at the scores')")
    assert page.locator("#result_list tbody tr").count() == 16
    assert full.events.filter(kind="scores-seen", by="ada").count() == 1
    page.reload()
    assert page.locator("#result_list tbody tr").count() == 16


def test_rows_of_several_pages_are_chosen_at_once(
    browse: SignIn, ada: User, rita: User, omar: User, rubric: Rubric
) -> None:
    more = {f"more-{number:03}": () for number in range(105)}
    release = bed.started("large", size=105, more=more)
    for person in (rita, omar):
        person.reviewer.capacity = 500
        person.reviewer.save()
    page = browse(ada)
    page.goto(f"/admin/reviews/sampledcase/?release__id__exact={release.pk}")
    page.check("#action-toggle")
    page.click("a:has-text('Select all 105')")
    page.select_option("select[name=action]", "assign_to_reviewers")
    follow(page, "button[name=index]")
    assert "105 cases of large are chosen." in page.inner_text("main")
    follow(page, "input[name=confirm]")
    assert "210 reviews are assigned." in page.inner_text(".messagelist")
    plan = assignments_workflow.preview_plan(
        release=release, usernames=None, per_case=None, now=NOW
    )
    assert (plan.assignments, plan.missing) == ((), 0)
