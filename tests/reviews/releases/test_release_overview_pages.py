"""The page of a release and its history: the next step, the news, the board, what happened."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from cases.models import Event, Release
from cases.tags import workflow as tags_workflow
from reviews.models import LastLook
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases import waivers as releases_waivers
from reviews.releases.next_step import PATH
from reviews.sample import amendments
from reviews.sample import forecast as sample_forecast
from tests.bed import reviewed as bed
from tests.bed.cases import NOW, make_release
from tests.bed.databases import without_triggers
from tests.reviews.releases.life_pages import (
    BECAUSE,
    RELEASE,
    address,
    closed,
    code_of,
    edits,
    exclude,
    reviewed,
    section,
    signed,
    step,
    title_of_step,
    words,
)

pytestmark = pytest.mark.usefixtures("rubric")


# --- The next step --------------------------------------------------------------------------------


def set_up(state: str, rita: User, omar: User, mina: User) -> None:
    if state == "empty":
        make_release()
    elif state == "unfillable":
        bed.filled(without=["feast"])
    elif state == "too few":
        bed.filled(without=["feast", *bed.SPARE])
    elif state == "lost":
        exclude_from(bed.drawn(), "kids")
    elif state == "undrawn":
        bed.filled()
    elif state == "drawn":
        bed.drawn()
    elif state == "changed since":
        bed.bring(bed.drawn(), bed.row("late"))
    elif state == "incomplete":
        amendments.remove(release=bed.drawn(), case_key="kids", reason="r", user=None, now=NOW)
    elif state == "reviewing":
        bed.put_judgements(bed.started(), {"kids": {rita: bed.judgement()}})
    elif state == "assigned":
        release = bed.started(k=1)
        for key in bed.sampled(release):
            bed.assign(release, key, omar)
    elif state == "withdrawn":
        amendments.withdraw(
            release=bed.started(),
            case_key="kids",
            cause="broken",
            reason="r",
            user=None,
            now=NOW,
        )
    elif state == "uncovered":
        release = bed.by_first_rules(bed.started(more={"kids-2": ["family"]}))
        [kids] = [key for key in bed.sampled(release) if key.startswith("kids")]
        act: dict[str, Any] = {"release": release, "reason": "r", "user": None, "now": NOW}
        amendments.swap(out=kids, into="spare-1", **act)
    elif state == "differing":
        release = bed.started()
        bed.put_reviews(release, rita, omar, but=["kids"])
        bed.put_judgements(release, {"kids": {rita: bed.judgement(0), omar: bed.judgement(4)}})
    elif state == "waived":
        release = bed.started()
        releases_waivers.waive(release=release, rule="reviews", reason="r", user=None, now=NOW)
    elif state == "all in":
        reviewed(rita)
    elif state == "closed":
        closed(rita)
    elif state == "signed":
        signed(mina, rita)
    else:
        assert state == "abandoned"
        releases_lifecycle.abandon(release=bed.started(), reason="r", user=None, now=NOW)


def exclude_from(release: Release, key: str) -> None:
    act: dict[str, Any] = {"release": release, "reason": "no photos", "user": None, "now": NOW}
    tags_workflow.exclude(codes=[code_of(key)], **act)


@pytest.mark.parametrize(
    ("state", "title", "place", "who", "control"),
    [
        ("empty", "Import cases", "Cases", "admin", "import/"),
        ("too few", "Import more eligible cases", "Sample", "admin", "import/"),
        ("unfillable", "Make every kind fillable", "Sample", "admin", "draw/"),
        ("lost", "Make every kind fillable", "Sample", "admin", "draw/"),
        ("undrawn", "Draw the sample", "Sample", "admin", "draw/"),
        ("drawn", "Start the review", "Sample", "admin", "start/"),
        ("changed since", "Check the sample again", "Sample", "admin", "draw/"),
        ("incomplete", "Complete the sample", "Sample", "admin", "draw/"),
        ("reviewing", "Assign the cases", "Reviews", "admin", "assignments/"),
        ("assigned", "Reviews are being written", "Reviews", "", ""),
        ("withdrawn", "Waive what cannot be filled", "Reviews", "manager", "close/"),
        ("uncovered", "Complete the sample", "Reviews", "admin", "sample/add/"),
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
        can_waive = state in ("too few", "unfillable", "lost", "incomplete", "uncovered")
        admin_does = "An admin does this, unless you waive it." if can_waive else "An admin does"
        said = {"admin": admin_does, "manager": "A manager does this."}
        for one, sentence in said.items():
            assert (sentence in box[0]) == (one == who and role != who)
        assert ("ask a manager" in box[0].lower()) == (can_waive and role == "admin")
        assert ("abandon it" in step(page)) == (place in ("Cases", "Sample") and role == "manager")
        waives = state in ("too few", "incomplete") and role == "manager"
        assert ("Waive the number of cases" in step(page)) == waives
        changed = state in ("changed since", "lost") and role == "admin"
        assert ("What changed since the draw" in step(page)) == changed
        assert ("Next step" in step(page)) == (state not in ("signed", "abandoned"))
        passed = {"abandoned": ["Cases", "Sample"], "signed": list(map(str, PATH.values()))}
        if state in passed:
            assert re.findall(r'<li class="done">([^<]*)<', content) == passed[state]
        if state in ("reviewing", "differing") and role == "manager":
            assert "What is missing before it can be closed" in step(page)


def test_drawing_again_from_an_unchanged_pool_leads_on_to_the_start(admin: Client) -> None:
    """Something changed and changed back: the draw is the same, and must not ask for itself."""
    bed.drawn()
    exclude(admin, "spare-1")
    exclude(admin, "spare-1", what="let-in")
    admin.post(address("draw"), {"size": "5"})
    assert title_of_step(admin.get(RELEASE)) == "Start the review"


def test_a_new_due_date_does_not_question_the_sample(admin: Client) -> None:
    bed.drawn()
    admin.post(address("release-edit"), edits(due_date="2035-12-24"))
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
    amendments.withdraw(
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
    assert "out cannot be sampled (checks: failed)" in card(page, "ramp")
    assert "Nearest" not in card(page, "kids")


def test_a_tag_that_an_admin_took_away_brings_a_case_near_no_kind(admin: Client, ada: User) -> None:
    release = bed.filled(without=["ramp"], more={"near": ["mobility-limited"]})
    [code] = release.cases.filter(case_key="near").values_list("code", flat=True)
    assert "1 case may fill it" in card(admin.get(RELEASE), "ramp")
    tags_workflow.take_away(
        release=release, codes=[code], tag="mobility-limited", reason="x", user=ada, now=NOW
    )
    ramp = card(admin.get(RELEASE), "ramp")
    assert "no case fits" in ramp
    assert "near" not in ramp.replace("Nearest", "")


def test_kinds_that_share_their_only_case_are_named_with_it(admin: Client) -> None:
    bed.filled(without=["feast", "thrift"], more={"both": [*bed.FILLING["feast"], "low-budget"]})
    sentence = f"{bed.TEXT_OF['feast']} and {bed.TEXT_OF['thrift']} share their only case both."
    bed.bring(bed.current(Release.objects.get()), bed.row("near", "beijing"))
    page = admin.get(RELEASE)
    assert sentence in section(page, "coverage")
    assert "near lacks spring-festival" in card(page, "feast")
    assert sentence in step(admin.post(address("draw"), {"size": "5"}))
    assert sentence not in step(page)


def test_the_whole_pool_counts_however_few_cases_are_looked_at(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fillers come first by their keys; the kinds are filled by what comes after them."""
    monkeypatch.setattr(sample_forecast, "MOST_LOOKED_AT", 2)
    monkeypatch.setattr(sample_forecast, "MOST_COMPARED", 1)
    bed.filled(without=["feast"], more={"a-1": (), "a-2": (), "a-3": (), "b": ["beijing"]})
    bed.bring(
        Release.objects.get(),
        bed.row("out", *bed.FILLING["feast"], automated_summary={"status": "FAIL"}),
    )
    page = admin.get(RELEASE)
    assert "1 case may fill it" in card(page, "kids")
    assert "out cannot be sampled (checks: failed)" in card(page, "feast")
    assert "Counted in the first 2 of them." in words(page)
    assert title_of_step(page) == "Make every kind fillable"
    assert f"No case of its own is left for: {bed.TEXT_OF['feast']}. " in step(page)


def test_a_case_that_was_excluded_after_the_draw_covers_nothing(
    admin: Client, manager: Client
) -> None:
    exclude_from(bed.drawn(), "kids")
    page = manager.get(RELEASE)
    kids = card(page, "kids")
    assert "no case in the sample" in kids
    assert "kids cannot be sampled (excluded: no photos)" in kids
    assert [offers_waiver(page, key) for key in ("kids", "rush")] == [True, False]
    assert "cannot be sampled any more excluded: no photos" in section(page, "sample")
    assert "4 of 5 kinds covered by the sample" in words(page)
    assert "4 of 5" in words(admin.get("/releases/")), "and the list agrees"


def test_a_kind_whose_case_lost_its_tag_can_be_waived(manager: Client, ada: User) -> None:
    release = bed.drawn()
    codes = [code_of("kids")]
    tags_workflow.take_away(
        release=release, codes=codes, tag="family", reason="r", user=ada, now=NOW
    )
    page = manager.get(RELEASE)
    assert title_of_step(page) == "Make every kind fillable"
    assert [offers_waiver(page, key) for key in ("kids", "rush")] == [True, False]


def offers_waiver(response: Any, key: str) -> bool:
    return f'"{RELEASE}waive/?rule=kind:{bed.KIND_OF[key]}"' in response.content.decode()


def test_a_waived_kind_shows_the_reason_and_only_a_manager_may_take_it_back(
    admin: Client, manager: Client
) -> None:
    release = bed.filled(without=["feast"])
    rule = f"kind:{bed.KIND_OF['feast']}"
    releases_waivers.waive(release=release, rule=rule, reason="no festival now", user=None, now=NOW)
    for client, offers in ((admin, False), (manager, True)):
        feast = card(client.get(RELEASE), "feast")
        assert "waived" in feast
        assert "no festival now (command line)" in feast
        assert f"{bed.TEXT_OF['feast']} no festival now" in words(client.get(RELEASE))
        assert ("Take the waiver back" in feast) == offers
    assert ("Waive this kind" in card(manager.get(RELEASE), "kids")) is True


def test_a_withdrawn_case_no_longer_counts_as_one_that_may_fill_its_kind(admin: Client) -> None:
    release = bed.started()
    amendments.withdraw(
        release=release, case_key="rush", cause="broken", reason="r", user=None, now=NOW
    )
    rush = card(admin.get(RELEASE), "rush")
    assert "no case in the sample" in rush
    assert "1 case may fill it" not in rush


def test_an_abandoned_draft_does_not_say_what_comes_next(manager: Client) -> None:
    releases_lifecycle.abandon(release=bed.filled(), reason="r", user=None, now=NOW)
    page = manager.get(RELEASE)
    assert re.findall(r'<li class="done">([^<]*)<', page.content.decode()) == ["Cases"]
    assert "never drawn" in card(page, "kids")


# --- The history ----------------------------------------------------------------------------------


def test_the_history_names_fields_and_rules_in_words(admin: Client, manager: Client) -> None:
    bed.filled()
    admin.post(address("release-edit"), edits(due_date="2035-12-24", product="other"))
    manager.post(address("waive"), BECAUSE)
    text = words(manager.get(address("event-list")))
    assert "ada changed the release: due date, product" in text
    assert f"mina waived the rule “{bed.TEXT_OF['feast']}”" in text


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
    assert "✓ The events on this page are verified." in words(admin.get(address("event-list")))
    whole = words(admin.get(address("event-list") + "?verify=all"))
    assert "✓ All 3 events are verified." in whole
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
