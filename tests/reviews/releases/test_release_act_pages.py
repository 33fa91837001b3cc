"""What is done to a release on its pages: done and said; what becomes of bad and late input."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evalsite.permissions import READ, ROUTES
from tests.bed import reviewed as bed
from tests.reviews.releases.life_pages import (
    ACTS,
    BECAUSE,
    RELEASE,
    WITH_A_CASE,
    Act,
    address,
    code_of,
    everything,
    release_in,
    words,
)

pytestmark = pytest.mark.usefixtures("rubric")


WITH_A_REASON = [act for act in ACTS if "reason" in act.data]


def name_of(act: Act) -> str:
    return act.page


def hidden_on(response: Any) -> dict[str, str]:
    """What the form of a page sends beside what is typed."""
    tags = re.findall(r"<(?:input|button)[^>]*>", response.content.decode())
    found = {}
    for tag in tags:
        name, value = (re.search(rf'{part}="([^"]*)"', tag) for part in ("name", "value"))
        is_own = 'type="hidden"' in tag or tag.startswith("<button")
        if is_own and name and value and name[1] != "csrfmiddlewaretoken":
            found[name[1]] = unescape(value[1])
    return {name: value for name, value in found.items() if name not in ("next", "language")}


Send = Callable[..., Any]


@pytest.fixture
def send(admin: Client, manager: Client) -> Callable[..., Any]:
    """Opens the form of an act, the first time, and sends it; the next time the same again."""
    opened: dict[str, dict[str, str]] = {}

    def sent(act: Act, **changes: str) -> Any:
        code = code_of(act.case) if act.page in WITH_A_CASE else "BBBBB"
        path = address(act.page, code=code)
        client = admin if act.who == "ada" else manager
        if act.page not in opened:
            opened[act.page] = hidden_on(client.get(path)) if READ in ROUTES[act.page] else {}
        return client.post(path, opened[act.page] | act.data | changes)

    return sent


@pytest.mark.parametrize("act", ACTS, ids=name_of)
def test_an_act_is_done_and_said_and_sent_twice_it_happens_once(
    act: Act, send: Send, admin: Client, manager: Client, rita: User
) -> None:
    release = release_in(act.state, rita)
    answer = send(act)
    # Whoever signs comes from the report, and goes back to it.
    there = f"{RELEASE}report/" if act.page == "decision" else RELEASE
    assert (answer.status_code, answer.headers.get("Location")) == (302, there)
    event = release.events.order_by("-number")[0]
    assert (event.kind, event.by) == (act.kind, act.who)
    if "reason" in act.data:
        assert event.data["reason"] == BECAUSE["reason"]
    page = (admin if act.who == "ada" else manager).get(RELEASE)
    assert '<li class="success">' in page.content.decode()
    before = everything()
    assert send(act).status_code in (302, 409)
    assert everything() == before


TOO_LATE = "no longer a draft|is closed, so|is not closed|has started already|not started yet"


@pytest.mark.parametrize("late", sorted({act.late for act in ACTS if act.late}))
def test_an_act_that_comes_too_late_or_too_early_is_refused_in_words(
    late: str, send: Send, rita: User
) -> None:
    release_in(late, rita)
    before = everything()
    for act in ACTS:
        if act.late == late:
            answer = send(act)
            assert answer.status_code == 409, act.page
            assert re.search(TOO_LATE, words(answer)), act.page
    assert everything() == before


@pytest.mark.parametrize("state", sorted({act.state for act in WITH_A_REASON}))
def test_a_reason_that_cannot_be_kept_is_refused_and_what_was_typed_stays(
    state: str, send: Send, rita: User
) -> None:
    release_in(state, rita)
    before = everything()
    for act in WITH_A_REASON:
        if act.state == state:
            for reason in ("", " \n ", "x" * 10_000, "a\0b"):
                check_refused(act, send(act, reason=reason), reason)
    assert everything() == before


def check_refused(act: Act, answer: Any, reason: str) -> None:
    assert answer.status_code == 422, ascii(reason[:9])
    page = answer.content.decode()
    assert 'role="alert"' in page
    assert re.search(r"Reason ?: ", words(answer))
    if "x" in reason:
        assert reason in page
    for name in {"into", "cause", "decision"} & act.data.keys():
        value = act.data[name]
        kept = rf'name="{name}"[^>]*value="{value}"|value="{value}"[^>]*name="{name}"'
        assert re.search(kept, page)


def test_a_reason_of_500_characters_is_kept_whole(admin: Client) -> None:
    release = bed.drawn()
    reason = "因为下雨，" * 100
    assert (
        admin.post(address("sample-add"), {"into": "spare-1", "reason": reason}).status_code == 302
    )
    assert release.sample.get(case__case_key="spare-1").reason == reason
