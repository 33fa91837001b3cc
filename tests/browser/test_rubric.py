"""An admin publishes a new version; a reviewer reads it."""

from django.contrib.auth.models import User

from cases.models import Rubric
from tests.browser.conftest import ON_A_LIVE_SERVER, SignIn, follow

pytestmark = ON_A_LIVE_SERVER


def test_an_admin_previews_a_change_and_publishes_it(
    browse: SignIn, ada: User, rubric: Rubric
) -> None:
    page = browse(ada)
    page.goto("/rubrics/")
    follow(page, "text=New version or translation")
    text = page.input_value("textarea[name=text]")
    page.fill(
        "textarea[name=text]", text.replace("Is budget breakdown clear", "Is the budget clear")
    )
    follow(page, "button:has-text('Preview')")
    assert "Is the budget clear and actionable?" in page.inner_text("ins")
    assert Rubric.objects.count() == 1
    follow(page, "button:has-text('Publish as the next version')")
    assert "Version 2 is published." in page.inner_text("main")
    assert Rubric.objects.count() == 2


def test_a_mistake_leads_the_eye_to_its_line_and_keeps_the_text(
    browse: SignIn, ada: User, rubric: Rubric, complaints: list[str]
) -> None:
    page = browse(ada)
    page.goto("/rubrics/new/")
    text = page.input_value("textarea[name=text]")
    page.fill(
        "textarea[name=text]", text.replace("- `2`: Partially usable", "- `3`: Partially usable")
    )
    follow(page, "button:has-text('Preview')")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "alert"
    assert "Line 13" in page.inner_text("[role=alert]")
    assert "`3`: Partially usable" in page.input_value("textarea[name=text]")
    assert all("422" in one for one in complaints)
    complaints.clear()
