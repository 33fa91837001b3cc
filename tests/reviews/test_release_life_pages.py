"""The pages of a release's life: drawing, changing by hand, starting, closing, signing, history.

Who may, what is shown, and what happens to input that is bad, late or sent twice.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from cases import excluding
from cases.models import Case, Event, Release, Rubric
from evalsite.permissions import READ, ROUTES, WRITE, Role, methods_of
from reviews.models import LastLook
from reviews.workflow import amending, deciding, status, waivers
from tests.bed import reviewed as bed
from tests.bed.cases import NOW, import_lines, lines, make_case, make_release
from tests.bed.databases import without_triggers
from tests.people import make_person

AsUser = Callable[[User | None], Client]
NAME = "wanderer-1"
RELEASE = f"/releases/{NAME}/"

PAGES = [
    *("release-list", "release", "release-edit", "release-archive", "event-list"),
    *("case-exclude", "draw", "draw-page"),
    *("sample-add", "sample-swap", "sample-remove", "sample-withdraw"),
    *("release-start", "release-close", "release-abandon", "release-reopen", "decision"),
    *("waive", "waiver-take-back"),
]
WITH_A_NAME = [page for page in PAGES if page != "release-list"]
WITH_A_CASE = ["sample-swap", "sample-remove", "sample-withdraw"]


@pytest.fixture(autouse=True)
def published(rubric: Rubric) -> Rubric:
    return rubric


@pytest.fixture
def admin(as_user: AsUser, ada: User) -> Client:
    return as_user(ada)


@pytest.fixture
def manager(as_user: AsUser, mina: User) -> Client:
    return as_user(mina)


@pytest.fixture
def reviewers(rita: User, omar: User) -> tuple[User, User]:
    return rita, omar


def address(page: str, *, name: str = NAME, code: str = "BBBBB", number: int = 1) -> str:
    values: dict[str, Any] = {}
    if page in WITH_A_NAME:
        values["name"] = name
    if page in WITH_A_CASE:
        values["code"] = code
    if page == "draw-page":
        values["number"] = number
    query = f"?rule=kind:{bed.KIND_OF['feast']}" if page.startswith("waive") else ""
    return reverse(page, kwargs=values) + query


def code_of(key: str) -> str:
    return Case.objects.get(case_key=key, release__name=NAME).code


def words(response: Any) -> str:
    page = re.sub(r"<head>.*?</head>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", page)))


def section(response: Any, marker: str) -> str:
    """The words of the section whose opening tag holds the marker."""
    page = response.content.decode()
    found = re.search(rf"<section[^>]*{marker}[^>]*>(.*?)</section>", page, re.DOTALL)
    assert found, marker
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", found[1])))


def step(response: Any) -> str:
    return section(response, "next-step")


def title_of_step(response: Any) -> str:
    [title] = re.findall(r'<h2 id="next-step">([^<]*)</h2>', response.content.decode())
    return str(title)


def everything() -> str:
    """Who has looked when does not count."""
    return bed.everything(LastLook)


# --- Releases at every place of their path --------------------------------------------------------


def reviewed(*people: User) -> Release:
    release = bed.started(k=len(people))
    bed.review_all(release, *people)
    return bed.current(release)


def closed(*people: User) -> Release:
    release = reviewed(*people)
    status.close(release=release, user=None, now=NOW)
    return bed.current(release)


def signed(by: User, *people: User) -> Release:
    release = closed(*people)
    digest = release.closings.get().digest
    deciding.sign(release=release, decision="ship", reason="good", digest=digest, user=by, now=NOW)
    return bed.current(release)


def ended() -> Release:
    """Closed without a verdict: the quickest way to a release that is closed."""
    release = bed.drawn()
    status.abandon(release=release, reason="never mind", user=None, now=NOW)
    return bed.current(release)


def release_in(state: str, rita: User) -> Release:
    if state in ("filled", "drawn", "started"):
        return {"filled": bed.filled, "drawn": bed.drawn, "started": bed.started}[state]()
    if state == "ended":
        return ended()
    return reviewed(rita) if state == "reviewed" else closed(rita)


# --- Who may --------------------------------------------------------------------------------------


def people_of(page: str, method: str) -> frozenset[Role]:
    return ROUTES[page].get(method, frozenset())


def test_each_page_opens_for_those_it_is_for(admin: Client, manager: Client) -> None:
    bed.drawn()
    code = code_of("feast")
    for role, client in ((Role.ADMIN, admin), (Role.MANAGER, manager)):
        pages = [page for page in PAGES if READ in ROUTES[page]]
        answers = {page: client.get(address(page, code=code)).status_code for page in pages}
        assert answers == {page: 200 if role in people_of(page, READ) else 403 for page in pages}


def test_a_role_that_may_not_is_refused_before_anything_is_looked_up(
    as_user: AsUser, admin: Client, manager: Client, rita: User
) -> None:
    bed.drawn()
    before, code = everything(), code_of("feast")
    clients = {Role.REVIEWER: as_user(rita), Role.ADMIN: admin, Role.MANAGER: manager}
    wrong, asked = [], []
    for page in PAGES:
        there = address(page, code=code)
        nowhere = address(page, name="no-such-release", code="BBBBB", number=7)
        for method in ROUTES[page]:
            for role in clients.keys() - people_of(page, method):
                with CaptureQueriesContext(connection) as queries:
                    answers = [
                        clients[role].generic(method, path).status_code for path in (there, nowhere)
                    ]
                if answers != [403, 403]:
                    wrong.append((page, method, role, answers))
                asked += [one["sql"] for one in queries if "cases_" in one["sql"]]
    assert wrong == []
    assert asked == []
    assert everything() == before


def test_strangers_find_nothing_and_guests_are_asked_to_sign_in(as_user: AsUser, sam: User) -> None:
    bed.drawn()
    before, code = everything(), code_of("feast")
    stranger, guest = as_user(sam), as_user(None)
    for page in PAGES:
        path = address(page, code=code)
        for method in ROUTES[page]:
            assert stranger.generic(method, path).status_code == 404, (page, method)
            answer = guest.generic(method, path)
            assert answer.status_code == 302, (page, method)
            assert answer.headers["Location"].startswith("/sign-in/"), (page, method)
    assert everything() == before


def test_another_method_is_refused_with_those_that_work(root: User) -> None:
    bed.drawn()
    client = Client()
    client.force_login(root)
    code = code_of("feast")
    for page in PAGES:
        others = {"GET", "POST", "PUT", "PATCH", "DELETE"} - set(ROUTES[page])
        for method in sorted(others):
            answer = client.generic(method, address(page, code=code))
            assert answer.status_code == 405, (page, method)
            assert set(answer.headers["Allow"].split(", ")) == set(methods_of(page))


def test_a_release_a_case_or_a_draw_that_is_not_there_is_not_found(root: User) -> None:
    bed.drawn()
    bed.filled("wanderer-2")
    code = code_of("feast")
    elsewhere = Case.objects.get(case_key="feast", release__name="wanderer-2").code
    client = Client()
    client.force_login(root)
    paths = [(page, address(page, name="no-such-release", code=code)) for page in WITH_A_NAME]
    paths += [
        (page, address(page, code=one)) for page in WITH_A_CASE for one in ("BBBBB", elsewhere)
    ]
    paths += [("draw-page", address("draw-page", number=number)) for number in (0, 2, 10**40)]
    found = [
        (method, path)
        for page, path in paths
        for method in ROUTES[page]
        if client.generic(method, path).status_code != 404
    ]
    assert found == []


def test_reviewers_learn_nothing_of_the_release(as_user: AsUser, rita: User) -> None:
    release = bed.started()
    bed.assign(release, "feast", rita)
    client = as_user(rita)
    pages = [client.get("/"), *(client.get(address(page, code=code_of("feast"))) for page in PAGES)]
    assert [page.status_code for page in pages] == [200] + [403] * len(PAGES)
    for page in pages:
        assert not {NAME, "feast"} & set(re.split(r"[\s/\"<>]", words(page)))
        assert NAME not in page.content.decode().replace(page.wsgi_request.path, "")


@pytest.mark.parametrize("state", ["drawn", "reviewed", "ended"])
def test_nobody_is_shown_a_control_that_is_closed_to_them(
    admin: Client, manager: Client, rita: User, state: str
) -> None:
    release_in(state, rita)
    shown = []
    for role, client in ((Role.ADMIN, admin), (Role.MANAGER, manager)):
        page = client.get(RELEASE).content.decode()
        for route in WITH_A_NAME:
            if WRITE in ROUTES[route] and role not in people_of(route, WRITE):
                path = address(route, code=code_of("feast")).split("?")[0]
                shown += [(role, route)] if f'"{path}' in page else []
    assert shown == []


# --- Acts: what they do, and what becomes of input that is bad, late or sent twice ----------------


@dataclass(frozen=True)
class Act:
    """`state` is where the release has to be; `late` a state in which it is refused."""

    page: str
    state: str
    who: str
    kind: str
    data: dict[str, str] = field(default_factory=dict)
    case: str = "feast"
    late: str = ""


BECAUSE = {"reason": "because of the rain"}
ACTS = [
    Act("draw", "filled", "ada", "sample-drawn", {"size": "5"}, late="started"),
    Act(
        *("sample-add", "drawn", "ada", "case-added"), {"into": "spare-1", **BECAUSE}, late="ended"
    ),
    Act(
        *("sample-swap", "drawn", "ada", "case-swapped"),
        {"into": "spare-1", **BECAUSE},
        late="ended",
    ),
    Act("sample-remove", "drawn", "ada", "case-removed", BECAUSE, late="started"),
    Act(
        *("sample-withdraw", "started", "ada", "case-withdrawn"),
        {"cause": "broken", **BECAUSE},
        late="ended",
    ),
    Act("release-start", "drawn", "ada", "review-started", late="ended"),
    Act("release-close", "reviewed", "mina", "release-closed", late="drawn"),
    Act("release-abandon", "drawn", "mina", "release-abandoned", BECAUSE, late="ended"),
    Act("release-reopen", "ended", "mina", "release-reopened", BECAUSE, late="started"),
    Act("waive", "filled", "mina", "rule-waived", BECAUSE, late="ended"),
    Act("decision", "closed", "mina", "release-signed", {"decision": "ship", **BECAUSE}),
    Act("release-archive", "ended", "ada", "release-archived", {"archived": "1"}),
]
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


Send = Callable[..., Any]


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


@pytest.mark.parametrize("act", [act for act in ACTS if act.late], ids=name_of)
def test_an_act_that_comes_too_late_or_too_early_is_refused_in_words(
    act: Act, send: Send, rita: User
) -> None:
    release_in(act.late, rita)
    before = everything()
    answer = send(act)
    assert answer.status_code == 409
    assert re.search(
        r"no longer a draft|is closed, so|is not closed|has started already|not started yet",
        words(answer),
    )
    assert everything() == before


@pytest.mark.parametrize("act", WITH_A_REASON, ids=name_of)
def test_a_reason_that_cannot_be_kept_is_refused_and_what_was_typed_stays(
    act: Act, send: Send, rita: User
) -> None:
    release_in(act.state, rita)
    before = everything()
    for reason in ("", " \n ", "x" * 10_000, "a\0b"):
        answer = send(act, reason=reason)
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
    assert everything() == before


def test_a_reason_of_500_characters_is_kept_whole(admin: Client) -> None:
    release = bed.drawn()
    reason = "因为下雨，" * 100
    assert (
        admin.post(address("sample-add"), {"into": "spare-1", "reason": reason}).status_code == 302
    )
    assert release.sample.get(case__case_key="spare-1").reason == reason


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
    excluding.exclude(release=release, codes=[excluded], reason="r", user=None, now=NOW)
    bed.draw(release)
    second = admin.get(address("draw-page", number=2) + "?case=spare-3")
    assert "spare-3 was not in the pool" in words(second)


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
    excluding.exclude(
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
    status.start(release=release, user=None, now=NOW)
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
    assert f"{read} is withdrawn; {waiting} came in, the next in line." in text
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


def exclude(client: Client, *keys: str, what: str = "exclude", reason: str = "no photos") -> Any:
    data = {
        "case": [code_of(key) for key in keys],
        "exclusion": what,
        "exclusion_reason": reason,
        "next": RELEASE + "cases/?check=eligible",
    }
    return client.post(address("case-exclude"), data)


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
    assert "Nothing to change" in words(admin.get(RELEASE))
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


def edits(**changes: str) -> dict[str, str]:
    values = {"product": "wanderer", "rubric": "1", "reviews_per_case": "2", "baseline": ""}
    values |= {"due_date": "", "margin": "0.5", "within_one": "80"}
    return values | {f"floor_{metric}": "3.0" for metric in bed.METRICS} | changes


def test_an_admin_changes_what_a_draft_is_held_against(admin: Client) -> None:
    bed.filled()
    data = edits(margin="0.3", within_one="90", due_date="2026-12-24")
    data["floor_usability-value"] = "3.5"
    answer = admin.post(address("release-edit"), data)
    assert (answer.status_code, answer.headers.get("Location")) == (302, RELEASE)
    release = Release.objects.get()
    assert release.policy == {"floors": {"usability-value": 3.5}, "margin": 0.3, "within_one": 0.9}
    assert "due Dec. 24, 2026" in words(admin.get(RELEASE))
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
    admin.post(address("release-edit"), {"due_date": "2026-12-24"})
    assert "due Dec. 24, 2026" in words(admin.get(RELEASE))


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
    answer = admin.post(address("release-edit"), {"due_date": "2026-12-24"})
    assert answer.status_code == 409
    assert "The release is closed, so nothing in it can change." in words(answer)
    assert everything() == before


# --- Starting -------------------------------------------------------------------------------------


def test_the_start_is_refused_with_all_that_is_missing(admin: Client) -> None:
    release = bed.drawn()
    for key in ("feast", "ramp"):
        amending.remove(release=release, case_key=key, reason="r", user=None, now=NOW)
    excluding.exclude(release=release, codes=[code_of("spare-1")], reason="r", user=None, now=NOW)
    before = everything()
    pages = [admin.get(address("release-start")), admin.post(address("release-start"))]
    assert [page.status_code for page in pages] == [200, 409]
    for page in pages:
        text = words(page)
        assert "The pool changed since the sample was drawn (gone 1: spare-1). Draw again." in text
        assert f"{bed.TEXT_OF['feast']}: no case of the sample fills it." in text
        assert f"{bed.TEXT_OF['ramp']}: no case of the sample fills it." in text
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


# --- Closing, waiving, signing --------------------------------------------------------------------


def lacking(rita: User, omar: User) -> Release:
    """Started, with a kind open, reviews missing and an adjudication waiting."""
    release = bed.started()
    amending.withdraw(
        release=release, case_key="rush", cause="broken", reason="r", user=None, now=NOW
    )
    bed.review_all(release, rita, omar, but=["kids"])
    bed.review(release, "thrift", omar, 0)
    return bed.current(release)


RULES = [f"kind:{bed.KIND_OF['rush']}", "reviews", "adjudications"]
SENTENCES = [
    f"{bed.TEXT_OF['rush']}: no case of the sample fills it.",
    "2 reviews are missing: kids.",
    "1 case is waiting for adjudication: thrift.",
]


def ticked(response: Any) -> list[str]:
    found = re.findall(r'name="waive" value="([^"]*)"( checked)?', response.content.decode())
    return [rule for rule, is_ticked in found if is_ticked]


def test_the_close_is_refused_with_all_that_is_missing_on_one_page(
    manager: Client, reviewers: tuple[User, User]
) -> None:
    lacking(*reviewers)
    before = everything()
    pages = [manager.get(address("release-close")), manager.post(address("release-close"))]
    assert [page.status_code for page in pages] == [200, 409]
    for page in pages:
        for sentence in SENTENCES:
            assert sentence in words(page)
        assert ticked(page) == []
    assert "It cannot be closed yet." in words(pages[1])
    assert everything() == before


def test_rules_are_waived_only_with_a_reason_and_the_ticks_stay(
    manager: Client, reviewers: tuple[User, User]
) -> None:
    lacking(*reviewers)
    before = everything()
    for reason in ("", "x" * 10_000, "a\0b"):
        answer = manager.post(address("release-close"), {"waive": RULES, "reason": reason})
        assert answer.status_code == 422
        assert ticked(answer) == RULES
        assert 'role="alert"' in answer.content.decode()
    assert everything() == before


def test_rules_that_are_waived_together_close_the_release(
    manager: Client, reviewers: tuple[User, User]
) -> None:
    release = lacking(*reviewers)
    answer = manager.post(address("release-close"), {"waive": RULES, "reason": "time is up"})
    assert answer.status_code == 302
    assert {(one.rule, one.by, one.reason) for one in release.waivers.all()} == {
        (rule, "mina", "time is up") for rule in RULES
    }
    page = words(manager.get(RELEASE))
    assert f"{NAME} is closed." in page
    assert release.closings.get().digest in page
    assert release.closings.get().head in page


def test_what_is_still_missing_beside_waived_rules_leaves_the_list_whole(
    manager: Client, reviewers: tuple[User, User]
) -> None:
    """Nothing is waived yet, so all of it is still missing, and the ticks are still set."""
    lacking(*reviewers)
    before = everything()
    answer = manager.post(address("release-close"), {"waive": RULES[1:], "reason": "time is up"})
    assert answer.status_code == 409
    assert everything() == before
    for sentence in SENTENCES:
        assert sentence in words(answer)
    assert ticked(answer) == RULES[1:]


def test_an_old_tab_cannot_close_twice(manager: Client, reviewers: tuple[User, User]) -> None:
    release = lacking(*reviewers)
    data = {"waive": RULES, "reason": "time is up"}
    manager.post(address("release-close"), data)
    before = everything()
    answer = manager.post(address("release-close"), data)
    assert answer.status_code in (409, 422)
    assert "The release is closed already." in words(answer)
    assert everything() == before
    assert release.closings.count() == 1


def test_a_waiver_is_taken_back_with_a_reason(manager: Client) -> None:
    release = bed.filled(without=["feast"])
    manager.post(address("waive"), BECAUSE)
    card = words(manager.get(RELEASE))
    assert f"{bed.TEXT_OF['feast']} is waived." in card
    assert "because of the rain (mina)" in card
    page = manager.get(address("waiver-take-back"))
    assert f"Take back the waiver: {bed.TEXT_OF['feast']}" in words(page)
    manager.post(address("waiver-take-back"), {"reason": "it came"})
    assert not release.waivers.exists()
    event = release.events.order_by("-number")[0]
    assert (event.kind, event.by, event.data["reason"]) == ("waiver-taken-back", "mina", "it came")
    before = everything()
    assert manager.post(address("waiver-take-back"), {"reason": "it came"}).status_code == 409
    assert everything() == before


@pytest.mark.parametrize("rule", ["", "nonsense", "kind:nonsense", "x" * 3000], ids=ascii)
def test_a_rule_that_there_is_not_cannot_be_waived(manager: Client, rule: str) -> None:
    bed.filled()
    before = everything()
    path = reverse("waive", kwargs={"name": NAME})
    assert manager.get(path, {"rule": rule}).status_code in (200, 404)
    answer = manager.post(path, BECAUSE, query_params={"rule": rule})
    assert answer.status_code in (404, 409)
    assert everything() == before


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("reviews", "No review is missing."),
        ("adjudications", "No case is waiting for adjudication."),
    ],
)
def test_what_is_not_missing_is_not_waived(
    manager: Client, rita: User, rule: str, sentence: str
) -> None:
    reviewed(rita)
    before = everything()
    path = reverse("waive", kwargs={"name": NAME})
    answer = manager.post(path, BECAUSE, query_params={"rule": rule})
    assert answer.status_code == 409
    assert sentence in words(answer)
    assert everything() == before


def test_a_decision_is_one_of_two(manager: Client, rita: User) -> None:
    release = closed(rita)
    for decision in ("", "maybe", "a\0b"):
        data = {"decision": decision, "digest": release.closings.get().digest, **BECAUSE}
        assert manager.post(address("decision"), data).status_code == 422
    assert not release.decisions.exists()


def test_a_decision_names_the_report_that_was_read(manager: Client, rita: User) -> None:
    release = closed(rita)
    digest = release.closings.get().digest
    page = manager.get(address("decision"))
    assert digest[:16] in words(page)
    assert f'name="digest" value="{digest}"' in page.content.decode()
    answer = manager.post(address("decision"), {"decision": "ship", "digest": "0" * 64, **BECAUSE})
    assert answer.status_code == 409
    assert "The report is not the one you read." in words(answer)
    assert not release.decisions.exists()


def test_a_signed_release_says_who_signed_and_another_is_refused(
    manager: Client, as_user: AsUser, rita: User, mina: User
) -> None:
    release = signed(mina, rita)
    shown = section(manager.get(RELEASE), "closing")
    assert "ship" in shown
    assert "mina" in shown
    assert "good" in shown
    other = as_user(make_person("max", Role.MANAGER))
    data = {"decision": "do-not-ship", "digest": release.closings.get().digest, **BECAUSE}
    answer = other.post(address("decision"), data)
    assert answer.status_code == 409
    assert f"{NAME} is signed already, by mina." in words(answer)
    assert release.decisions.get().by == "mina"


def test_a_release_without_a_report_is_not_signed_and_the_page_says_why(manager: Client) -> None:
    bed.started()
    answer = manager.post(address("decision"), {"decision": "ship", "digest": "", **BECAUSE})
    assert answer.status_code == 409
    assert f"{NAME} is not closed, so there is no report to sign." in words(answer)


def test_an_abandoned_release_is_not_signed(manager: Client) -> None:
    release = bed.started()
    status.abandon(release=release, reason="never mind", user=None, now=NOW)
    data = {"decision": "ship", "digest": release.closings.get().digest, **BECAUSE}
    answer = manager.post(address("decision"), data)
    assert answer.status_code == 409
    assert "An abandoned release has no verdict to sign." in words(answer)
    assert "never mind" in section(manager.get(RELEASE), "closing")


def test_a_reopened_release_keeps_its_report_and_shows_the_void_decision(
    manager: Client, rita: User, mina: User
) -> None:
    release = signed(mina, rita)
    digest = release.closings.get().digest
    assert manager.post(address("release-reopen"), BECAUSE).status_code == 302
    text = words(manager.get(RELEASE))
    assert "that report is kept." in text
    assert digest[:16] in text
    assert re.search(r"\bvoid\b", text), "the void decision is not to be seen"


def test_archived_releases_are_folded_and_found(admin: Client) -> None:
    ended()
    make_release("wanderer-2")
    admin.post(address("release-archive"), {"archived": "1"})
    listed = admin.get("/releases/")
    assert f'href="{RELEASE}"' not in listed.content.decode()
    assert "1 archived release" in words(listed)
    for path in ("/releases/?archived=1", f"/releases/?q={NAME}"):
        assert f'href="{RELEASE}"' in admin.get(path).content.decode()
    admin.post(address("release-archive"), {"archived": "0"})
    assert f'href="{RELEASE}"' in admin.get("/releases/").content.decode()


# --- The next step --------------------------------------------------------------------------------


def set_up(state: str, rita: User, omar: User, mina: User) -> None:
    if state == "empty":
        make_release()
    elif state == "unfillable":
        bed.filled(without=["feast"])
    elif state == "undrawn":
        bed.filled()
    elif state == "drawn":
        bed.drawn()
    elif state == "changed since":
        bed.bring(bed.drawn(), bed.row("late"))
    elif state == "incomplete":
        amending.remove(release=bed.drawn(), case_key="kids", reason="r", user=None, now=NOW)
    elif state == "reviewing":
        bed.review(bed.started(), "kids", rita)
    elif state == "assigned":
        release = bed.started(k=1)
        for key in bed.sampled(release):
            bed.assign(release, key, omar)
    elif state == "withdrawn":
        amending.withdraw(
            release=bed.started(),
            case_key="kids",
            cause="broken",
            reason="r",
            user=None,
            now=NOW,
        )
    elif state == "differing":
        bed.review(reviewed(rita, omar), "kids", rita, 0)
    elif state == "waived":
        release = bed.started()
        waivers.waive(release=release, rule="reviews", reason="r", user=None, now=NOW)
    elif state == "all in":
        reviewed(rita)
    elif state == "closed":
        closed(rita)
    elif state == "signed":
        signed(mina, rita)
    else:
        assert state == "abandoned"
        status.abandon(release=bed.started(), reason="r", user=None, now=NOW)


@pytest.mark.parametrize(
    ("state", "title", "place", "who", "control"),
    [
        ("empty", "Bring the cases in", "Cases", "admin", "import/"),
        ("unfillable", "Make every kind fillable", "Sample", "admin", "draw/"),
        ("undrawn", "Draw the sample", "Sample", "admin", "draw/"),
        ("drawn", "Start the review", "Sample", "admin", "start/"),
        ("changed since", "Look at the sample again", "Sample", "admin", "draw/"),
        ("incomplete", "Complete the sample", "Sample", "admin", "draw/"),
        ("reviewing", "Assign the cases", "Reviews", "admin", "assignments/"),
        ("assigned", "Reviews are being written", "Reviews", "", ""),
        ("withdrawn", "Complete the sample", "Reviews", "admin", "sample/add/"),
        ("differing", "Settle what reviewers differ on", "Closing", "", ""),
        ("waived", "Close the release", "Closing", "manager", "close/"),
        ("all in", "Close the release", "Closing", "manager", "close/"),
        ("closed", "Decide whether it ships", "Decision", "manager", "report/"),
        ("signed", "Done", "", "", ""),
        ("abandoned", "Abandoned", "", "", ""),
    ],
)
def test_the_page_shows_the_next_step_and_to_whom_it_falls(
    admin: Client,
    manager: Client,
    mina: User,
    reviewers: tuple[User, User],
    state: str,
    title: str,
    place: str,
    who: str,
    control: str,
) -> None:
    set_up(state, *reviewers, mina)
    for role, client in (("admin", admin), ("manager", manager)):
        page = client.get(RELEASE)
        content = page.content.decode()
        assert title_of_step(page) == title
        assert re.findall(r'aria-current="step">([^<]*)<', content) == ([place] if place else [])
        box = re.search(r'<section class="card next-step".*?</section>', content, re.DOTALL)
        assert box
        may_act = bool(control) and role == who
        if control:
            assert (f'"{RELEASE}{control}"' in box[0]) == may_act
        said = {"admin": "An admin does this.", "manager": "A manager does this."}
        for one, sentence in said.items():
            assert (sentence in box[0]) == (one == who and role != who)


@pytest.mark.parametrize("state", ["reviewing", "differing"])
def test_a_manager_sees_what_is_missing_while_the_review_runs(
    manager: Client, mina: User, reviewers: tuple[User, User], state: str
) -> None:
    set_up(state, *reviewers, mina)
    assert "What is missing before it can be closed" in step(manager.get(RELEASE))


def test_drawing_again_from_an_unchanged_pool_leads_on_to_the_start(admin: Client) -> None:
    """Something changed and changed back: the draw is the same, and must not ask for itself."""
    bed.drawn()
    exclude(admin, "spare-1")
    exclude(admin, "spare-1", what="let-in")
    admin.post(address("draw"), {"size": "5"})
    assert title_of_step(admin.get(RELEASE)) == "Start the review"


def test_a_new_due_date_does_not_question_the_sample(admin: Client) -> None:
    bed.drawn()
    admin.post(address("release-edit"), edits(due_date="2026-12-24"))
    assert title_of_step(admin.get(RELEASE)) == "Start the review"


# --- Since you last looked ------------------------------------------------------------------------


def a_day_later(user: User) -> None:
    looks = LastLook.objects.filter(user=user)
    for look in looks:
        looks.filter(pk=look.pk).update(looked_at=look.looked_at - timedelta(days=1))


def test_the_page_opens_with_what_others_did_since_the_last_visit(
    admin: Client, manager: Client, mina: User
) -> None:
    bed.filled()
    assert "Since you last looked" not in words(manager.get(RELEASE))
    a_day_later(mina)
    admin.post(address("draw"), {"size": "5"})
    manager.post(address("waive"), BECAUSE)
    news = section(manager.get(RELEASE), "news")
    assert "ada drew 5 of 8 cases (draw 1)" in news
    assert "mina" not in news
    assert section(manager.get(RELEASE), "news") == news, "gone on reload"
    a_day_later(mina)
    assert "Since you last looked" not in words(manager.get(RELEASE))


def test_somebody_who_alone_acts_has_no_news(admin: Client, ada: User) -> None:
    bed.filled()
    admin.get(RELEASE)
    a_day_later(ada)
    admin.post(address("draw"), {"size": "5"})
    assert "Since you last looked" not in words(admin.get(RELEASE))


def test_many_news_are_cut_and_lead_to_the_history(
    admin: Client, manager: Client, mina: User, ada: User
) -> None:
    bed.filled()
    manager.get(RELEASE)
    a_day_later(mina)
    for number in range(10):
        exclude(admin, "kids", what="let-in" if number % 2 else "exclude")
    news = section(manager.get(RELEASE), "news")
    assert news.count("ada ") == 8
    assert "All 10 in the history" in news


def test_what_happens_all_day_is_counted_and_does_not_hide_the_rest(
    admin: Client, manager: Client, mina: User, reviewers: tuple[User, User]
) -> None:
    release = bed.started()
    manager.get(RELEASE)
    a_day_later(mina)
    bed.review_all(release, reviewers[0])
    bed.assign(release, "kids", reviewers[1])
    amending.withdraw(
        release=release, case_key="ramp", cause="broken", reason="r", user=None, now=NOW
    )
    news = section(manager.get(RELEASE), "news")
    assert "5 reviews came in" in news
    assert "6 reviews were assigned" in news
    assert "withdrew ramp" in news
    assert "submitted a review of" not in news


def test_news_are_each_persons_own(admin: Client, manager: Client, mina: User) -> None:
    bed.filled()
    manager.get(RELEASE)
    admin.get(RELEASE)
    a_day_later(mina)
    exclude(admin, "kids")
    assert "ada excluded kids" in section(manager.get(RELEASE), "news")
    assert "Since you last looked" not in words(admin.get(RELEASE))


# --- The board ------------------------------------------------------------------------------------


def card(response: Any, key: str) -> str:
    """The words of the card of the kind that this case fills."""
    page = response.content.decode()
    cards = re.findall(
        r'<li class="card kind.*?</li>\s*(?=<li class="card kind|</ul>\s*(?:<p|</s))',
        page,
        re.DOTALL,
    )
    texts = [re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", one))) for one in cards]
    [found] = [text for text in texts if text.strip().startswith(bed.TEXT_OF[key])]
    return found


def test_before_the_draw_each_kind_says_how_many_cases_may_fill_it(admin: Client) -> None:
    bed.filled(more={"kids-2": ["family"], "kids-3": ["family"]})
    page = admin.get(RELEASE)
    assert "0 of 5 kinds covered by the sample" in words(page)
    assert "3 cases may fill it" in card(page, "kids")
    assert "1 case may fill it" in card(page, "feast")
    assert "not drawn yet" in card(page, "feast")
    kind = bed.KIND_OF["kids"]
    listed = admin.get(f"{RELEASE}cases/?kind={kind}&check=eligible")
    assert f"cases/?kind={kind}&amp;check=eligible" in page.content.decode()
    assert listed.content.decode().count('name="case"') == 3


def test_after_the_draw_each_kind_says_which_case_fills_it(admin: Client) -> None:
    release = bed.drawn(size=6, more={"kids-2": ["family"]})
    page = admin.get(RELEASE)
    assert "5 of 5 kinds covered by the sample" in words(page)
    for sampled in release.sample.select_related("case").defer("case__data"):
        key = next(key for key, kind in bed.KIND_OF.items() if kind == sampled.kind)
        assert f"✓ {sampled.case.case_key}" in card(page, key)
    assert "✓ kids" in card(page, "kids")
    assert "✓ kids-2" in card(page, "kids")


def test_a_kind_without_a_case_names_the_nearest_with_what_they_lack(admin: Client) -> None:
    release = bed.filled(without=["feast", "ramp"], more={"near": ["beijing"]})
    bed.bring(
        release,
        bed.row("out", "mobility-limited", automated_summary={"status": "FAIL"}),
    )
    page = admin.get(RELEASE)
    feast = card(page, "feast")
    assert "no case fits" in feast
    assert "No case that can be sampled has beijing, spring-festival." in feast
    assert "near lacks spring-festival" in feast
    assert "out cannot be sampled" in card(page, "ramp")
    assert "Nearest" not in card(page, "kids")


def test_kinds_that_share_their_only_case_are_named_with_it(admin: Client) -> None:
    bed.filled(without=["feast", "thrift"], more={"both": [*bed.FILLING["feast"], "low-budget"]})
    sentence = f"{bed.TEXT_OF['feast']}, {bed.TEXT_OF['thrift']} share their only case both."
    page = admin.get(RELEASE)
    assert sentence in section(page, "coverage")
    assert sentence in step(admin.post(address("draw"), {"size": "5"}))
    assert sentence not in step(page)


def test_a_waived_kind_shows_the_reason_and_only_a_manager_may_take_it_back(
    admin: Client, manager: Client
) -> None:
    release = bed.filled(without=["feast"])
    rule = f"kind:{bed.KIND_OF['feast']}"
    waivers.waive(release=release, rule=rule, reason="no festival now", user=None, now=NOW)
    for client, offers in ((admin, False), (manager, True)):
        feast = card(client.get(RELEASE), "feast")
        assert "waived" in feast
        assert "no festival now (command line)" in feast
        assert ("Take the waiver back" in feast) == offers
    assert ("Waive this kind" in card(manager.get(RELEASE), "kids")) is True


def test_a_withdrawn_case_no_longer_counts_as_one_that_may_fill_its_kind(admin: Client) -> None:
    release = bed.started()
    amending.withdraw(
        release=release, case_key="rush", cause="broken", reason="r", user=None, now=NOW
    )
    rush = card(admin.get(RELEASE), "rush")
    assert "no case in the sample" in rush
    assert "1 case may fill it" not in rush


# --- The history ----------------------------------------------------------------------------------


def test_the_history_tells_a_release_from_opening_to_signature(
    admin: Client, manager: Client, rita: User
) -> None:
    bed.filled(k=1)
    admin.post(address("draw"), {"size": "5"})
    admin.post(
        address("sample-swap", code=code_of("kids")), {"into": "spare-1", "reason": "too easy"}
    )
    admin.post(
        address("sample-swap", code=code_of("spare-1")), {"into": "kids", "reason": "after all"}
    )
    admin.post(address("release-start"))
    bed.review_all(Release.objects.get(), rita)
    manager.post(address("release-close"))
    digest = Release.objects.get().closings.get().digest
    manager.post(address("decision"), {"decision": "ship", "digest": digest, "reason": "good"})
    text = words(manager.get(address("event-list")))
    for sentence in (
        "mina signed: ship good",
        "mina closed the release",
        "rita submitted a review of kids",
        "ada started the review",
        "ada swapped kids for spare-1 by hand too easy",
        "ada drew 5 of 8 cases (draw 1)",
        "command line imported 8 new cases and changed 0 (import 1)",
        "command line opened the release",
    ):
        assert sentence in text
    assert text.index("mina signed") < text.index("ada drew") < text.index("opened the release")


def test_the_history_has_its_tick_and_verifies_the_whole_on_request(admin: Client) -> None:
    release = bed.drawn()
    assert "✓ The events on this page fit together." in words(admin.get(address("event-list")))
    whole = words(admin.get(address("event-list") + "?verify=all"))
    assert "✓ All 3 events are in order, from the first to the last." in whole
    assert release.ledger_head in whole


def test_a_history_that_was_tampered_with_has_no_tick_and_names_the_event(admin: Client) -> None:
    release = bed.drawn()
    with without_triggers():
        Event.objects.filter(release=release, number=2).update(by="nobody")
    for query in ("", "?verify=all"):
        text = words(admin.get(address("event-list") + query))
        assert "vent 2 is not as it was written." in text
        assert "✓" not in text


def test_a_page_of_the_history_that_there_is_not_is_one_that_there_is(admin: Client) -> None:
    bed.filled()
    for page in ("0", "99", "x", str(10**40)):
        answer = admin.get(address("event-list"), {"page": page})
        assert answer.status_code == 200
        assert "opened the release" in words(answer)


# --- The search -----------------------------------------------------------------------------------


def found_cases(client: Client, text: str) -> list[str]:
    answer = client.get("/releases/", {"q": text})
    assert answer.status_code == 200
    page = answer.content.decode()
    return re.findall(r'<a class="key" href="/cases/[^"]*"><bdi>([^<]*)</bdi>', page)


def test_the_search_finds_cases_by_key_code_and_words_of_the_request(admin: Client) -> None:
    release = bed.filled()
    bed.bring(release, bed.row("mullion", request={"text": "带孩子看窗棂, quickly by TRAM"}))
    code = code_of("mullion")
    for text in ("mullion", "MULL", code, code.lower(), f" {code} ", "窗棂", "quickly by tram"):
        assert found_cases(admin, text) == ["mullion"], text
    assert found_cases(admin, "no such words") == []
    both = admin.get("/releases/", {"q": "wanderer"})
    assert f'href="{RELEASE}"' in both.content.decode()


def test_the_search_takes_its_signs_literally(admin: Client) -> None:
    release = bed.filled()
    bed.bring(release, bed.row("a_b", request={"text": "100% calm"}), bed.row("axb"))
    assert found_cases(admin, "a_b") == ["a_b"]
    assert found_cases(admin, "100%") == ["a_b"]
    assert found_cases(admin, "%") == ["a_b"]
    assert found_cases(admin, "_") == ["a_b"]
    assert found_cases(admin, "\\") == []


def test_the_search_never_lists_more_than_20_cases_and_says_so(admin: Client) -> None:
    release = make_release()
    import_lines(release, lines(*(make_case(f"case-{n:02}") for n in range(20))))
    assert len(found_cases(admin, "case-")) == 20
    assert "There are more" not in words(admin.get("/releases/?q=case-"))
    bed.bring(release, bed.row("case-20"), bed.row("case"))
    for text in ("case-", "case", "Yunxi"):
        assert len(found_cases(admin, text)) == 20
        assert "There are more" in words(admin.get(f"/releases/?q={text}"))
    assert found_cases(admin, "case")[0] == "case", "the exact key comes first"


def test_odd_text_in_the_search_finds_nothing_and_is_shown_as_text(admin: Client) -> None:
    make_release()
    for text, code in (("a\0b", 400), ("x" * 3000, 200), ("' --", 200), ("<b>x</b>", 200)):
        answer = admin.get("/releases/", {"q": text})
        assert answer.status_code == code
        assert "<b>x" not in answer.content.decode()


# --- The list -------------------------------------------------------------------------------------


def row_of(response: Any, name: str) -> list[str]:
    """The cells of a release's row."""
    rows = re.findall(r"<tr>(.*?)</tr>", response.content.decode(), re.DOTALL)
    [row] = [row for row in rows if f">{name}</a>" in row]
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
    return [re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", cell)).strip() for cell in cells]


def test_the_list_says_how_far_each_release_is(
    admin: Client, reviewers: tuple[User, User], mina: User
) -> None:
    make_release("empty")
    bed.drawn("drawn")
    bed.review(bed.started("started"), "kids", reviewers[0])
    signed(mina, reviewers[0])
    gone = bed.started("gone")
    status.abandon(release=gone, reason="r", user=None, now=NOW)
    page = admin.get("/releases/")
    assert row_of(page, "empty")[2:6:2] == ["draft", "–"]
    assert row_of(page, "drawn")[2:6] == ["draft", "8 cases", "5 of 5", "0 of 10"]
    assert row_of(page, "started")[2:6] == ["reviewing", "8 cases", "5 of 5", "1 of 10"]
    assert row_of(page, NAME)[2:] == [
        *("closed", "8 cases", "5 of 5", "5 of 5", "–", "GO 4.0 · 4.0", "ship", "mina")
    ]
    assert row_of(page, "gone")[2] == "abandoned"


# --- As many queries for much as for little, and never a plan -------------------------------------


def queries_of(client: Client, path: str) -> int:
    client.get(path)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


def grown(release: Release, cases: int, by: User) -> None:
    """So many cases in pool and sample, drawn again and again, and with many events."""
    for first in range(release.cases.count(), cases, 7):
        bed.bring(release, *(bed.row(f"more-{first + number}") for number in range(7)))
        if first:
            bed.draw(release)
            amending.remove(release=release, case_key="kids", reason="r", user=by, now=NOW)
            amending.add(release=release, case_key="kids", reason="r", user=by, now=NOW)
    bed.draw(release, size=cases)


def test_a_draft_takes_the_same_queries_for_5_cases_as_for_40(
    admin: Client, ada: User, mina: User
) -> None:
    release = bed.filled(without=bed.SPARE)
    pages = ("release", "draw-page", "event-list", "release-start", "sample-add")
    counts = []
    for cases in (5, 40):
        grown(release, cases, mina)
        assert release.sample.count() == cases
        admin.get(RELEASE)
        LastLook.objects.update(seen_before=1)
        counts.append({page: queries_of(admin, address(page)) for page in pages})
        assert "Since you last looked" in words(admin.get(RELEASE))
    assert release.draws.count() > 4
    assert counts[0] == counts[1]


def test_a_running_review_takes_the_same_queries_for_5_cases_as_for_40(
    manager: Client, rita: User
) -> None:
    more = {f"more-{number}": () for number in range(32)}
    counts = []
    for name, size in (("little", 5), ("much", 40)):
        release = bed.started(name, k=1, size=size, more=more)
        for key in bed.sampled(release)[: size - 4 : 3]:
            bed.review(release, key, rita)
        pages = [address(page, name=name) for page in ("release", "release-close")]
        counts.append([queries_of(manager, path) for path in pages])
    assert counts[0] == counts[1]


def test_the_list_takes_the_same_queries_for_1_release_as_for_25(
    admin: Client, rita: User, mina: User
) -> None:
    make_release("alone")
    counts = [queries_of(admin, "/releases/")]
    signed(mina, rita)
    for number in range(2):
        bed.started(f"started-{number}", without=bed.SPARE)
        bed.drawn(f"drawn-{number}", without=bed.SPARE)
    for number in range(19):
        release = make_release(f"empty-{number}")
        if number % 2:
            status.abandon(release=release, reason="r", user=None, now=NOW)
    assert Release.objects.count() == 25
    counts.append(queries_of(admin, "/releases/"))
    assert len(set(counts)) == 1, counts


def test_the_search_takes_the_same_queries_for_1_case_as_for_20(admin: Client) -> None:
    release = make_release()
    bed.bring(release, bed.row("case-0"))
    counts = [queries_of(admin, "/releases/?q=case-")]
    bed.bring(release, *(bed.row(f"case-{number}") for number in range(1, 20)))
    counts.append(queries_of(admin, "/releases/?q=case-"))
    assert len(set(counts)) == 1, counts


@pytest.mark.parametrize("state", ["filled", "drawn", "reviewed", "ended"])
def test_no_page_reads_a_plan_but_that_of_the_case(root: User, rita: User, state: str) -> None:
    release = release_in(state, rita)
    client = Client()
    client.force_login(root)
    column = f'{connection.ops.quote_name(Case._meta.db_table)}."data"'

    def reads_plans(method: str, path: str, data: dict[str, str] | None = None) -> bool:
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(path) if method == READ else client.post(path, data or {})
        assert answer.status_code in (200, 302, 409, 422), path
        return any(column in one["sql"] for one in queries)

    assert reads_plans(READ, f"/cases/{code_of('feast')}/")
    paths = [
        address(page, code=code_of("feast"))
        for page in PAGES
        if READ in ROUTES[page] and (page != "draw-page" or release.draws.exists())
    ]
    paths += ["/releases/?q=feast", "/", RELEASE + "cases/"]
    assert [path for path in paths if reads_plans(READ, path)] == []
    acts = [act for act in ACTS if act.state == state and act.page != "decision"]
    for act in acts:
        path = address(act.page, code=code_of(act.case))
        assert not reads_plans(WRITE, path, act.data), path


# --- The pages in Chinese -------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["drawn", "started", "ended"])
def test_every_page_reads_in_chinese_too(root: User, rita: User, state: str) -> None:
    """No word of ours in English is left between the tags."""
    release = release_in(state, rita)
    client = Client()
    client.force_login(root)
    client.cookies["django_language"] = "zh-hans"
    own = {*bed.FILLING, *bed.SPARE, NAME, "wanderer", "root", "rita", "omar", "Spotcheck"}
    own |= {"never mind", "English", "JSON", "cases.jsonl", "yunxi"}
    tags = {tag for tags in bed.FILLING.values() for tag in tags}
    for page in PAGES:
        if READ not in ROUTES[page] or (page == "draw-page" and not release.draws.exists()):
            continue
        text = words(client.get(address(page, code=code_of("feast"))))
        text = re.sub(r"[0-9a-f]{16,64}", " ", text).replace(bed.row("x")["request"]["text"], " ")
        text = re.sub(r"\b[B-Z2-9]{5}\b", " ", text)
        for known in sorted(own | tags, key=len, reverse=True):
            text = text.replace(known, " ")
        if page == "event-list":
            continue  # its details show the stored names
        assert re.findall(r"[A-Za-z]{3,}", text) == [], page
