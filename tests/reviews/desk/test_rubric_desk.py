"""The desk of a rubric that is still being written."""

import pytest
from django.contrib.auth.models import User

from cases.models import Rubric
from cases.rubrics.workflow import SHIPPED
from reviews.models import Review
from tests.people import AsUser

ENGLISH = (SHIPPED / "en.md").read_text("utf-8")
CHINESE = (SHIPPED / "zh-hans.md").read_text("utf-8")


def show(as_user: AsUser, who: User, text: str, **fields: str) -> tuple[int, str]:
    answer = as_user(who).post("/rubrics/desk/", {"text": text, "base": text} | fields)
    return answer.status_code, answer.content.decode()


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_the_desk_is_shown_with_the_texts_of_the_document(
    as_user: AsUser, ada: User, rubric: Rubric, text: str
) -> None:
    changed = text.replace("- `5`", "- `5`: Like no other\n  A hint.\n- `6`").replace("0-5", "0-6")
    status, page = show(as_user, ada, changed)
    assert status == 200
    assert "Like no other" in page
    assert "A hint." in page
    assert "Nothing is stored" in page
    assert 'value="submit"' not in page
    assert "data-review" not in page
    assert (Review.objects.count(), Rubric.objects.count()) == (0, 1)


def test_the_desk_has_what_was_typed_in_the_form_last(as_user: AsUser, ada: User) -> None:
    typed = {"edit:metrics.0.questions.3.text": "Is every price named?"}
    assert "Is every price named?" in show(as_user, ada, ENGLISH, **typed)[1]


def test_a_document_with_mistakes_is_shown_as_far_as_it_is_read(as_user: AsUser, ada: User) -> None:
    half = ENGLISH[: ENGLISH.index("- `4`: Strong. Clear")]
    status, page = show(as_user, ada, half)
    assert status == 200
    assert "Usable with minor edits" in page


@pytest.mark.parametrize("text", ["", "# Title\n", "x" * 300_000])
def test_a_document_without_a_metric_has_no_desk_yet(as_user: AsUser, ada: User, text: str) -> None:
    status, page = show(as_user, ada, text)
    assert status == 422
    assert "there is no desk to show yet" in page
