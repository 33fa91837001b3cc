"""The pages of a draft: drawing, changing the sample by hand, excluding, editing and starting."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cases.models import Release
from cases.tags import workflow as tags_workflow
from reviews.releases import lifecycle as releases_lifecycle
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.reviews.releases.life_pages import (
    BECAUSE,
    NAME,
    RELEASE,
    address,
    code_of,
    edits,
    ended,
    everything,
    exclude,
    step,
    words,
)

pytestmark = pytest.mark.usefixtures("rubric")


# --- Drawing --------------------------------------------------------------------------------------


SIZES = [
    ("-3", 422, "whole number"),
    ("five", 422, "whole number"),
    ("5.5", 422, "whole number"),
    ("９", 422, "whole number"),
    ("0", 409, "The rubric asks for at least 5 cases, so 0 are too few."),
    ("4", 409, "The rubric asks for at least 5 cases, so 4 are too few."),
    ("9", 409, "Only 8 cases can be sampled; 9 are wanted."),
    ("999999", 409, "Only 8 cases can be sampled; 999999 are wanted."),
]


def test_a_size_that_cannot_be_is_refused_and_stays(admin: Client) -> None:
    bed.filled()
    before = everything()
    for size, code, sentence in SIZES:
        answer = admin.post(address("draw"), {"size": size})
        assert answer.status_code == code, size
        assert sentence in words(answer), size
        assert f'value="{size}"' in answer.content.decode(), size
    assert admin.post(address("draw"), {"size": "a\0b"}).status_code == 422
    assert everything() == before


def test_a_huge_size_is_called_too_large_and_not_no_number(admin: Client) -> None:
    bed.filled()
    answer = admin.post(address("draw"), {"size": "9999999"})
    assert answer.status_code in (409, 422)
    assert "whole number" not in words(answer)


def test_a_draw_without_a_size_takes_the_least(admin: Client) -> None:
    release = bed.filled()
    admin.post(address("draw"), {"size": " "})
    assert bed.sampled(release) == sorted(bed.FILLING)
    assert "Draw 1: 5 of 8 cases." in words(admin.get(RELEASE))


def test_a_draw_that_cannot_fill_its_kinds_names_them_all(admin: Client) -> None:
    bed.filled(without=["feast", "ramp"], more={"dull": ()})
    answer = admin.post(address("draw"), {"size": "5"})
    assert answer.status_code == 409
    text = step(answer)
    for key in ("feast", "ramp"):
        assert f"{bed.TEXT_OF[key]}: no case has its tags." in text
    assert f"{bed.TEXT_OF['kids']}: no case" not in text


def test_a_draw_at_a_running_review_is_refused_on_the_page_of_the_release(admin: Client) -> None:
    bed.started()
    answer = admin.post(address("draw"), {"size": "6"})
    assert answer.status_code == 409
    assert f"{NAME} is no longer a draft." in words(answer)


def test_the_page_of_a_draw_shows_its_whole_order_and_answers_for_each_case(
    admin: Client,
) -> None:
    release = bed.drawn(size=6)
    excluded = code_of("spare-3")
    answer = admin.get(address("draw-page"))
    rows = re.findall(r"<tr[^>]*>\s*<td class=\"number\">(\d+)</td>", answer.content.decode())
    assert rows == [str(place) for place in range(1, 9)]
    assert answer.content.decode().count('<span class="badge good">drawn') == 6
    assert f"Best by the shared rank of the cases that fit “{bed.TEXT_OF['feast']}”" in words(
        answer
    )
    found = admin.get(address("draw-page") + "?case=feast")
    assert re.search(r'<tr class="found">.*?feast', found.content.decode(), re.DOTALL)
    assert "was not in the pool" not in words(found)
    tags_workflow.exclude(release=release, codes=[excluded], reason="r", user=None, now=NOW)
    bed.draw(release)
    second = admin.get(address("draw-page", number=2) + "?case=spare-3")
    assert "spare-3 is excluded: r" in words(second)
    bed.bring(release, bed.row("late"))
    for asked in ("late", code_of("late").lower()):
        answer = admin.get(address("draw-page", number=2), {"case": asked})
        assert "late was not in the pool: it came in, or could be sampled, only" in words(answer)
    by_code = admin.get(address("draw-page"), {"case": code_of("feast")})
    assert re.search(r'<tr class="found">.*?feast', by_code.content.decode(), re.DOTALL)


def test_the_order_of_a_draw_has_pages_and_a_case_is_found_on_its_own(admin: Client) -> None:
    release = bed.drawn(more={f"more-{number:02}": () for number in range(60)})
    last = release.draws.get().order.keys[-1]
    first = admin.get(address("draw-page"))
    assert "Page 1 of 2" in words(first)
    assert f">{last}<" not in first.content.decode()
    found = admin.get(address("draw-page") + f"?case={last}")
    assert "Page 2 of 2" in words(found)
    assert re.search(rf'<tr class="found">.*?{last}', found.content.decode(), re.DOTALL)


def test_odd_text_asked_of_a_draw_is_shown_as_text(admin: Client) -> None:
    bed.drawn()
    for odd, code in (("a\0b", 400), ("x" * 3000, 200), ("%", 200), ("<b>x</b>", 200)):
        answer = admin.get(address("draw-page"), {"case": odd, "page": odd})
        assert answer.status_code == code
        assert "<b>x" not in answer.content.decode()


def test_a_case_that_the_release_does_not_have_is_not_said_to_have_failed(admin: Client) -> None:
    """“Why not this case?” must not give a reason for a key that nobody has."""
    bed.drawn()
    answer = words(admin.get(address("draw-page") + "?case=no-such-key"))
    assert "no-such-key was not in the pool: it did not pass its checks" not in answer


# --- Changes by hand ------------------------------------------------------------------------------


CANNOT_COME_IN = {
    "no-such": f"{NAME} has no case no-such.",
    "thrift": "thrift is in the sample already.",
    "failed": "failed cannot be sampled: its automated checks say “failed”, not “passed”.",
    "planless": "planless cannot be sampled: it has no plan to read.",
    "spare-2": "spare-2 is excluded: no photos",
}


@pytest.mark.parametrize("page", ["sample-add", "sample-swap"])
def test_a_case_that_cannot_come_in_is_refused_with_the_reason_and_stays_typed(
    admin: Client, page: str
) -> None:
    release = bed.filled()
    bed.bring(
        release,
        bed.row("failed", automated_summary={"status": "FAIL"}),
        bed.row("planless", plan=None),
    )
    tags_workflow.exclude(
        release=release, codes=[code_of("spare-2")], reason="no photos", user=None, now=NOW
    )
    bed.draw(release)
    before = everything()
    for into, sentence in CANNOT_COME_IN.items():
        answer = admin.post(address(page, code=code_of("feast")), {"into": into, **BECAUSE})
        assert answer.status_code == 409, into
        assert sentence in words(answer)
        assert f'value="{into}"' in answer.content.decode()
        assert BECAUSE["reason"] in answer.content.decode()
    assert everything() == before


def test_the_form_offers_the_next_in_line_and_the_case_that_was_asked_for(admin: Client) -> None:
    release = bed.drawn()
    order = release.draws.get().order.keys
    page = admin.get(address("sample-add") + "?case=spare-2").content.decode()
    assert re.findall(r'<option value="([^"]*)">', page) == list(order[5:])
    assert 'name="into" value="spare-2"' in page
    assert re.findall(
        r'<option value="([^"]*)">',
        admin.get(address("sample-swap", code=code_of("feast"))).content.decode(),
    ) == list(order[5:])


def test_a_case_with_a_submitted_review_is_withdrawn_and_not_swapped(
    admin: Client, rita: User
) -> None:
    release = bed.drawn(more={"kids-2": ["family"]})
    release = bed.by_first_rules(releases_lifecycle.start(release=release, user=None, now=NOW))
    [read] = {"kids", "kids-2"} & set(bed.sampled(release))
    [waiting] = {"kids", "kids-2"} - {read}
    bed.review(release, read, rita)
    page = admin.get(RELEASE).content.decode()
    assert address("sample-swap", code=code_of("feast")) in page
    assert address("sample-swap", code=code_of(read)) not in page
    answer = admin.post(address("sample-swap", code=code_of(read)), {"into": waiting, **BECAUSE})
    assert answer.status_code == 409
    assert f"{read} has a submitted review, so it cannot be swapped out." in words(answer)
    data = {"cause": "duplicate", **BECAUSE}
    assert admin.post(address("sample-withdraw", code=code_of(read)), data).status_code == 302
    text = words(admin.get(RELEASE))
    assert f"{read} is withdrawn and replaced by {waiting}, the next in line." in text
    assert "1 review kept, not counted" in text


def test_a_case_is_withdrawn_only_for_a_cause_that_is_known(admin: Client) -> None:
    bed.started()
    before = everything()
    path = address("sample-withdraw", code=code_of("feast"))
    for cause in ("", "swapped", "ugly", "a\0b"):
        answer = admin.post(path, {"cause": cause, **BECAUSE})
        assert answer.status_code == 422, ascii(cause)
        assert BECAUSE["reason"] in words(answer)
    assert everything() == before


# --- Excluding ------------------------------------------------------------------------------------


def test_cases_are_excluded_and_let_in_again_and_the_page_says_so(admin: Client) -> None:
    release = bed.filled()
    answer = exclude(admin, "spare-1", "spare-2")
    assert answer.headers["Location"] == RELEASE + "cases/?check=eligible"
    assert "2 cases are excluded from the draw." in words(admin.get(answer.headers["Location"]))
    event = release.events.order_by("-number")[0]
    assert (event.kind, event.by) == ("cases-excluded", "ada")
    assert event.data == {"cases": ["spare-1", "spare-2"], "reason": "no photos"}
    before = everything()
    exclude(admin, "spare-1", "spare-2")
    assert "Nothing changed" in words(admin.get(RELEASE))
    assert everything() == before
    exclude(admin, "spare-2", what="let-in")
    assert "1 case can be drawn again." in words(admin.get(RELEASE))
    assert [one.case.case_key for one in release.exclusions.select_related("case")] == ["spare-1"]
    bed.draw(release)
    assert "1 case excluded from the draw spare-1 : no photos ada" in words(admin.get(RELEASE))


def test_an_exclusion_that_cannot_be_changes_nothing(admin: Client) -> None:
    bed.filled()
    before = everything()
    changes: list[dict[str, Any]] = [
        {"case": []},
        {"case": ["a\0b", "' --"]},
        {"exclusion_reason": ""},
        {"exclusion_reason": "x" * 10_000},
        {"exclusion_reason": "a\0b"},
        {"exclusion": "burn"},
    ]
    for change in changes:
        data = {"case": [code_of("kids")], "exclusion": "exclude", "exclusion_reason": "r"}
        assert admin.post(address("case-exclude"), data | change).status_code == 302
        assert re.search('<li class="(error|success)">', admin.get(RELEASE).content.decode())
    assert everything() == before


def test_a_too_long_reason_for_an_exclusion_is_not_called_missing(admin: Client) -> None:
    bed.filled()
    exclude(admin, "kids", reason="x" * 501)
    said = words(admin.get(RELEASE))
    assert "500" in said
    assert "Say why" not in said


def test_after_the_start_nothing_is_excluded(admin: Client) -> None:
    bed.started()
    before = everything()
    exclude(admin, "spare-1")
    assert f"{NAME} is no longer a draft" in words(admin.get(RELEASE))
    assert everything() == before


# --- Editing --------------------------------------------------------------------------------------


def test_an_admin_changes_what_a_draft_is_held_against(admin: Client) -> None:
    bed.filled()
    data = edits(margin="0.3", within_one="90", due_date="2035-12-24")
    data["floor_usability-value"] = "3.5"
    answer = admin.post(address("release-edit"), data)
    assert (answer.status_code, answer.headers.get("Location")) == (302, RELEASE)
    release = Release.objects.get()
    assert release.policy == {"floors": {"usability-value": 3.5}, "margin": 0.3, "within_one": 0.9}
    assert "due Dec. 24, 2035" in words(admin.get(RELEASE))
    page = admin.get(address("release-edit")).content.decode()
    assert re.search(r'name="margin" value="0.3"', page)
    before = everything()
    assert admin.post(address("release-edit"), data).status_code == 302
    assert everything() == before


def test_a_change_that_cannot_be_is_refused_and_stays_typed(admin: Client) -> None:
    bed.filled()
    before = everything()
    for name, value in (
        ("margin", "-1"),
        ("margin", "nan"),
        ("within_one", "101"),
        ("floor_usability-value", "6"),
        ("reviews_per_case", "0"),
        ("due_date", "soon"),
        ("rubric", "9"),
        ("product", "a\0b"),
    ):
        answer = admin.post(address("release-edit"), edits() | {name: value})
        assert answer.status_code == 422, name
        assert 'role="alert"' in answer.content.decode()
        if name not in ("rubric", "product"):
            assert f'value="{value}"' in answer.content.decode(), name
    assert everything() == before


def test_after_the_start_only_the_due_date_is_offered_and_changes(admin: Client) -> None:
    bed.started()
    page = admin.get(address("release-edit")).content.decode()
    assert 'name="due_date"' in page
    assert 'name="margin"' not in page
    admin.post(address("release-edit"), {"due_date": "2035-12-24"})
    assert "due Dec. 24, 2035" in words(admin.get(RELEASE))


def test_a_form_from_before_the_start_is_not_said_to_be_saved(admin: Client) -> None:
    """An old tab: the release has started since, so what it asks for cannot be done."""
    bed.started()
    before = everything()
    answer = admin.post(address("release-edit"), edits(product="other", margin="0.1"))
    assert answer.status_code in (409, 422)
    assert "only its due date can change" in words(answer)
    assert everything() == before


def test_a_closed_release_is_not_edited(admin: Client) -> None:
    ended()
    before = everything()
    answer = admin.post(address("release-edit"), {"due_date": "2035-12-24"})
    assert answer.status_code == 409
    assert "The release is closed, so nothing in it can change." in words(answer)
    assert everything() == before


# --- Starting -------------------------------------------------------------------------------------


def test_the_start_is_refused_with_all_that_is_missing(admin: Client) -> None:
    release = bed.drawn()
    for key in ("feast", "ramp"):
        amendments.remove(release=release, case_key=key, reason="r", user=None, now=NOW)
    tags_workflow.exclude(
        release=release, codes=[code_of("spare-1")], reason="r", user=None, now=NOW
    )
    before = everything()
    pages = [admin.get(address("release-start")), admin.post(address("release-start"))]
    assert [page.status_code for page in pages] == [200, 409]
    for page in pages:
        text = words(page)
        assert "The pool changed since the sample was drawn (gone 1: spare-1). Draw again." in text
        assert f"{bed.TEXT_OF['feast']}: no case in the sample." in text
        assert f"{bed.TEXT_OF['ramp']}: no case in the sample." in text
        assert "The sample has 3 cases; at least 5 are needed." in text
        assert '<button class="primary">' not in page.content.decode()
    assert everything() == before


def test_before_the_start_the_page_shows_what_will_be_read(admin: Client) -> None:
    bed.drawn()
    page = admin.get(address("release-start"))
    assert "5 cases are read" in words(page)
    for key, text in bed.TEXT_OF.items():
        assert key in words(page)
        assert text in words(page)
    assert '<button class="primary">Start the review' in page.content.decode()
