"""A case and a blank form are rendered once, and hold nothing of any reviewer."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation
from django.utils.safestring import SafeString

from reviews.desk import fragments
from reviews.desk import workflow as desk_workflow
from reviews.models import Review
from reviews.releases import lifecycle as releases_lifecycle
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.reviews.desk.desk import client_of, given, one_for


def desk_of(review: Review, language: str = "en") -> str:
    cookies = client_of(review.reviewer)
    cookies.cookies["django_language"] = language
    return cookies.get(f"/reviews/{review.pk}/").content.decode()


def test_the_second_who_opens_a_case_does_not_read_its_content(rita: User, omar: User) -> None:
    release = bed.started()
    mine, theirs = (bed.assign(release, "feast", user) for user in (rita, omar))
    desk_of(mine)
    with CaptureQueriesContext(connection) as asked:
        desk_of(theirs)
    statements = [one["sql"] for one in asked.captured_queries]
    assert any('"cases_case"."digest"' in one for one in statements)
    assert not any('"cases_case"."data"' in one for one in statements)


def test_it_holds_nothing_of_who_opened_it_first(rita: User, omar: User) -> None:
    release = bed.started()
    mine, theirs = (bed.assign(release, "feast", user) for user in (rita, omar))
    said = bed.judgement(3, comment="Only rita thinks so.")
    desk_workflow.save_draft(review=mine.pk, user=rita, version=0, said=said, now=NOW)
    assert "Only rita" in desk_of(mine)
    page = desk_of(theirs)
    assert "Only rita" not in page
    assert " checked" not in page


def test_each_case_and_each_language_has_its_own(rita: User) -> None:
    release = bed.filled()
    bed.bring(release, bed.row("kids", "family", request={"text": "三天，带孩子看恐龙。"}))
    bed.draw(release)
    releases_lifecycle.start(release=release, user=None, now=NOW)
    first, second = given(rita, "feast", "kids", release=bed.current(release))
    texts = {
        (one.case.case_key, language): desk_of(one, language)
        for one in (first, second, first)
        for language in ("en", "zh-hans", "en")
    }
    for (key, language), page in texts.items():
        shown = fresh(first if key == "feast" else second, language)
        assert shown.itinerary in page
        assert all(one in page for one in shown.facts.values())
    assert len({fresh(one, "en").itinerary for one in (first, second)}) == 2
    assert fresh(first, "en").itinerary != fresh(first, "zh-hans").itinerary


def fresh(review: Review, language: str) -> fragments.CaseHtml:
    with translation.override(language):
        text = review.release.rubric.text_for(language)
        return fragments.render_case(review.case.itinerary, text.document, language=language)


CHANGED = fragments.CaseHtml(SafeString("changed"), {})


@pytest.mark.parametrize("what", ["case", "rubric"])
def test_a_case_with_another_digest_is_rendered_again(
    rita: User, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = one_for(rita)
    case, text = review.case, review.release.rubric
    fragments.get_case_html(case, text, language="en")
    monkeypatch.setattr(fragments, "render_case", lambda *_, **__: CHANGED)
    assert fragments.get_case_html(case, text, language="en") != CHANGED
    changed = case if what == "case" else text
    changed.digest = "another"
    assert fragments.get_case_html(case, text, language="en") == CHANGED
