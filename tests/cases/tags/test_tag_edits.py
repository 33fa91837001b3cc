"""Admins give and take away tags: one tag, many cases, one reason, one event."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases import ledger
from cases.models import Case, CaseTag, Release, Rubric
from cases.models.cases import TagOrigin, TagStrength
from cases.rubric import fits
from cases.tags import workflow as tags_workflow
from cases.tags.workflow import DraftOnly
from tests.bed import soak
from tests.bed.cases import NOW, database_digest, import_lines, lines, make_case, make_release
from tests.people import AsUser

REASON = "The request says so."
URL = "/releases/wanderer-1/cases/tags/"


@pytest.fixture
def release(rubric: Rubric) -> Release:
    """`a` declares a tag, `b` is detected as strongly, `c` has only a weak hint of one."""
    release = make_release(rubric=rubric)
    import_lines(release, lines(make_case("a", tags=["declared"]), make_case("b"), make_case("c")))
    put(release, "b", "found", origin="detected", strength="strong")
    put(release, "c", "hinted", origin="detected", strength="weak")
    return release


def put(release: Release, key: str, tag: str, **values: Any) -> None:
    CaseTag.objects.create(case=release.cases.get(case_key=key), tag=tag, **values)


def has(release: Release, tag: str) -> list[str]:
    """The keys of the cases that have a tag, asked in three ways that must agree."""
    cases = release.cases.prefetch_related("tags").order_by("case_key")
    by_row = [case.case_key for case in cases if tag in case.standing_tags]
    found = Case.objects.of(release).with_tag(tag).order_by("case_key")
    assert list(found.values_list("case_key", flat=True)) == by_row
    standing = CaseTag.objects.standing().filter(case__release=release, tag=tag)
    assert sorted(set(standing.values_list("case__case_key", flat=True))) == by_row
    return by_row


def codes(release: Release, *keys: str) -> list[str]:
    return [release.cases.get(case_key=key).code for key in keys]


@pytest.fixture
def give(release: Release, ada: User) -> Callable[..., int]:
    return lambda tag, *keys: act(tags_workflow.give, release, ada, tag, *keys)


@pytest.fixture
def take_away(release: Release, ada: User) -> Callable[..., int]:
    return lambda tag, *keys: act(tags_workflow.take_away, release, ada, tag, *keys)


@pytest.fixture
def leave(release: Release, ada: User) -> Callable[..., int]:
    return lambda tag, *keys: act(tags_workflow.leave_to_detectors, release, ada, tag, *keys)


Act = Callable[..., int]


def act(how: Act, release: Release, user: User, tag: str, *keys: str) -> int:
    return how(
        release=release, codes=codes(release, *keys), tag=tag, reason=REASON, user=user, now=NOW
    )


def events(release: Release) -> list[str]:
    kinds = release.events.filter(number__gt=2).order_by("number")
    return list(kinds.values_list("kind", flat=True))


# --- The three acts -------------------------------------------------------------------------------


def test_a_case_has_what_was_declared_or_strongly_detected(release: Release) -> None:
    assert has(release, "declared") == ["a"]
    assert has(release, "found") == ["b"]
    assert has(release, "hinted") == []
    assert has(release, "yunxi") == ["a", "b", "c"]


def test_a_tag_is_given_to_those_who_lack_it(release: Release, give: Act) -> None:
    assert give("declared", "a", "b") == 1
    assert has(release, "declared") == ["a", "b"]
    assert CaseTag.objects.get(origin="admin").case.case_key == "b"


def test_a_tag_is_taken_from_those_who_have_it(release: Release, take_away: Act) -> None:
    assert take_away("declared", "a", "b") == 1
    assert take_away("found", "b") == 1
    assert has(release, "declared") == has(release, "found") == []
    assert CaseTag.objects.filter(tag="declared", origin="declared").exists()


def test_a_weak_hint_becomes_a_tag_when_an_admin_says_so(release: Release, give: Act) -> None:
    assert give("hinted", "c") == 1
    assert has(release, "hinted") == ["c"]


def test_what_was_taken_away_can_be_given_back(release: Release, give: Act, take_away: Act) -> None:
    take_away("declared", "a")
    assert give("declared", "a") == 1
    assert has(release, "declared") == ["a"]
    assert take_away("declared", "a") == 1
    assert has(release, "declared") == []
    assert CaseTag.objects.filter(origin="admin").count() == 1


def test_what_was_given_can_be_taken_away(release: Release, give: Act, take_away: Act) -> None:
    give("family", "a", "b")
    assert take_away("family", "b", "c") == 1
    assert has(release, "family") == ["a"]


def test_what_admins_said_can_be_left_to_file_and_detectors(
    release: Release, give: Act, take_away: Act, leave: Act
) -> None:
    take_away("declared", "a")
    give("declared", "b")
    give("hinted", "c")
    assert leave("declared", "a", "b", "c") == 2
    assert leave("hinted", "c") == 1
    assert has(release, "declared") == ["a"]
    assert has(release, "hinted") == []
    assert not CaseTag.objects.filter(origin="admin").exists()


def test_other_tags_cases_and_releases_are_left_alone(
    release: Release, rubric: Rubric, give: Act, take_away: Act
) -> None:
    other = make_release("wanderer-2", rubric=rubric)
    import_lines(other, lines(make_case("a", tags=["declared"])))
    before = list(CaseTag.objects.exclude(origin="admin").order_by("pk").values())
    give("family", "a")
    take_away("declared", "a")
    assert list(CaseTag.objects.exclude(origin="admin").order_by("pk").values()) == before
    assert has(other, "declared") == ["a"]
    assert has(other, "family") == []


def test_codes_of_another_release_are_not_reached(
    release: Release, rubric: Rubric, ada: User
) -> None:
    other = make_release("wanderer-2", rubric=rubric)
    import_lines(other, lines(make_case("x")))
    before = database_digest()
    count = tags_workflow.give(
        release=release, codes=codes(other, "x"), tag="t", reason=REASON, user=ada, now=NOW
    )
    assert count == 0
    assert database_digest() == before


# --- Events ---------------------------------------------------------------------------------------


def test_every_edit_is_one_event_with_its_reason(
    release: Release, give: Act, take_away: Act, leave: Act
) -> None:
    give("family", "b", "a")
    take_away("family", "a")
    leave("family", "a", "b")
    assert events(release) == ["tag-given", "tag-taken-away", "tag-left-to-detectors"]
    given = release.events.get(kind="tag-given")
    assert given.data == {"tag": "family", "reason": REASON, "cases": ["a", "b"]}
    assert given.by == "ada"
    assert release.events.get(kind="tag-taken-away").data["cases"] == ["a"]
    release.refresh_from_db()
    assert ledger.verify(release) == 5


def test_an_edit_that_changes_nothing_is_no_event(
    release: Release, give: Act, take_away: Act, leave: Act
) -> None:
    before = database_digest()
    assert give("declared", "a") == 0
    assert give("found", "b") == 0
    assert take_away("declared", "b", "c") == 0
    assert take_away("hinted", "c") == 0
    assert leave("declared", "a") == 0
    assert give("family") == 0
    assert database_digest() == before


def test_the_same_edit_again_is_no_event(release: Release, give: Act, take_away: Act) -> None:
    give("family", "a")
    take_away("declared", "a")
    before = database_digest()
    assert give("family", "a") == take_away("declared", "a") == 0
    assert database_digest() == before


def test_an_edit_of_which_a_part_changes_something_names_that_part(
    release: Release, give: Act
) -> None:
    give("declared", "a", "b", "c")
    assert release.events.get(kind="tag-given").data["cases"] == ["b", "c"]


def test_an_edit_that_fails_leaves_nothing(
    release: Release, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = database_digest()

    def fail(**_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(ledger, "append", fail)
    with pytest.raises(RuntimeError):
        act(tags_workflow.give, release, ada, "family", "a")
    assert database_digest() == before


# --- When not -------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["reviewing", "closed"])
def test_tags_are_frozen_when_the_release_is_no_draft(
    release: Release, ada: User, status: str
) -> None:
    act(tags_workflow.give, release, ada, "set", "a")
    Release.objects.filter(pk=release.pk).update(status=status)
    before = database_digest()
    for how in (tags_workflow.give, tags_workflow.take_away, tags_workflow.leave_to_detectors):
        for tag in ("family", "declared", "set"):
            with pytest.raises(DraftOnly, match="no longer a draft"):
                act(how, release, ada, tag, "a", "b")
    assert database_digest() == before


@pytest.mark.parametrize(
    "values",
    [
        {"origin": "admin", "reason": ""},
        {"origin": "declared", "removed": True},
        {"origin": "detected", "removed": True},
    ],
    ids=["an admin without a reason", "a file that removes", "a detector that removes"],
)
def test_the_database_refuses_words_that_nobody_may_say(
    release: Release, values: dict[str, Any]
) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        put(release, "a", "t", **({"strength": "strong", "reason": "x"} | values))


def test_the_database_refuses_two_words_of_one_origin(release: Release) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        put(release, "a", "declared", origin="declared", strength="strong")


# --- The rule -------------------------------------------------------------------------------------

tried: list[Any] = []


@pytest.fixture(autouse=True)
def reported(request: pytest.FixtureRequest) -> Iterator[None]:
    """What `make soak` prints of each property."""
    tried.clear()
    failed_before = request.session.testsfailed
    yield
    if request.node.get_closest_marker("soak"):
        bad = request.session.testsfailed - failed_before
        soak.report(request.node.name, tried=len(tried), bad=bad)


Word = tuple[str, str, bool]  # origin, strength, removed

words = st.sampled_from(
    [
        ("declared", "strong", False),
        ("declared", "weak", False),
        ("detected", "strong", False),
        ("detected", "weak", False),
        ("admin", "strong", False),
        ("admin", "strong", True),
    ]
)
said = st.lists(words, unique_by=lambda word: word[0], max_size=3)


def the_rule(told: Iterable[Word]) -> bool:
    """A case has a tag if an admin set it, or if it is declared in the file or strongly detected
    and no admin removed it."""
    told = list(told)
    set_by_admin = ("admin", "strong", False) in told
    removed_by_admin = ("admin", "strong", True) in told
    declared = any(origin == "declared" for origin, _strength, _removed in told)
    strongly_detected = ("detected", "strong", False) in told
    return set_by_admin or ((declared or strongly_detected) and not removed_by_admin)


@pytest.mark.soak
@settings(
    max_examples=soak.size(short=12, long=1000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.dictionaries(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), said))
def test_rows_querysets_and_the_rule_in_words_agree(
    release: Release, told: dict[tuple[str, str], list[Word]]
) -> None:
    tried.append(told)
    CaseTag.objects.all().delete()
    case_of = {case.case_key: case for case in release.cases.all()}
    CaseTag.objects.bulk_create(
        CaseTag(
            case=case_of[key],
            tag=tag,
            origin=TagOrigin(origin),
            strength=TagStrength(strength),
            removed=removed,
            reason="r",
        )
        for (key, tag), rows in told.items()
        for origin, strength, removed in rows
    )
    for tag in "xyz":
        expected = [key for key in "abc" if the_rule(told.get((key, tag), []))]
        assert has(release, tag) == expected


def test_a_tag_is_asked_for_in_any_spelling(release: Release, give: Act) -> None:
    give("low-budget", "a")
    for spelling in ("low-budget", "Low_Budget", " LOW-budget "):
        assert Case.objects.of(release).with_tag(spelling).get().case_key == "a"


def test_cases_that_fit_a_kind_are_those_that_have_all_its_tags(
    release: Release, give: Act, take_away: Act
) -> None:
    kind = release.rubric.document.sampling.kinds[0]
    assert set(kind.required_tags) == {"beijing", "spring-festival"}
    give("beijing", "a", "b")
    give("spring-festival", "b", "c")

    def fitting() -> list[str]:
        cases = Case.objects.of(release)
        found = list(cases.fitting(kind).order_by("case_key"))
        by_row = [tag for tag in cases.prefetch_related("tags") if fits(tag.standing_tags, kind)]
        assert found == by_row
        return [case.case_key for case in found]

    assert fitting() == ["b"]
    take_away("beijing", "b")
    assert fitting() == []


# --- On the page ----------------------------------------------------------------------------------


def post(client: Client, release: Release, *keys: str, **fields: str) -> tuple[int, str]:
    data = {"act": "add", "tag": "family", "reason": REASON, "case": codes(release, *keys)}
    response = client.post(URL, data | fields, follow=True)
    return response.status_code, response.content.decode()


def test_an_admin_edits_tags_on_the_page(release: Release, as_user: AsUser, ada: User) -> None:
    client = as_user(ada)
    assert "family: 2 cases changed." in post(client, release, "a", "b")[1]
    assert has(release, "family") == ["a", "b"]
    assert "family: 1 case changed." in post(client, release, "b", act="remove")[1]
    assert has(release, "family") == ["a"]
    assert "family: 2 cases changed." in post(client, release, "a", "b", act="reset")[1]
    assert has(release, "family") == []
    assert "Nothing changed" in post(client, release, "a", act="reset")[1]
    assert len(events(release)) == 3
    assert release.events.get(number=3).by == "ada"


@pytest.mark.parametrize("tag", ["Low_Budget", " low-budget ", "LOW-BUDGET"])
def test_a_tag_is_kept_in_its_normal_spelling(
    release: Release, as_user: AsUser, ada: User, tag: str
) -> None:
    post(as_user(ada), release, "a", tag=tag)
    assert CaseTag.objects.get(origin="admin").tag == "low-budget"


NOT_COMPLETE = [
    {"reason": ""},
    {"reason": "   "},
    {"reason": "x" * 501},
    {"tag": ""},
    {"tag": "two words"},
    {"tag": "x" * 81},
    {"tag": "İ" * 80},  # 80 letters, 160 in lower case
    {"tag": "a\x00b"},
    {"reason": "a\x00b"},
    {"tag": "a\u200bb"},
    {"act": "delete"},
    {"act": ""},
]


def test_an_edit_that_is_not_complete_changes_nothing(
    release: Release, as_user: AsUser, ada: User
) -> None:
    client, before = as_user(ada), database_digest()
    for fields in NOT_COMPLETE:
        status, page = post(client, release, "a", **fields)
        assert status == 200, fields
        assert 'class="error"' in page, fields
    assert database_digest() == before


def test_an_edit_without_a_case_is_asked_for_one(
    release: Release, as_user: AsUser, ada: User
) -> None:
    assert "Choose at least one case." in post(as_user(ada), release)[1]


@pytest.mark.parametrize("code", ["ZZZZZ", "", "a\x00b", "'; DROP TABLE", "x" * 5000])
def test_a_code_that_is_none_changes_nothing(
    release: Release, as_user: AsUser, ada: User, code: str
) -> None:
    """Found by this test on PostgreSQL: a NUL in a code was a 500."""
    before = database_digest()
    data = {"act": "add", "tag": "family", "reason": REASON, "case": [code]}
    assert as_user(ada).post(URL, data).status_code in (302, 400)
    assert database_digest() == before


def test_a_reason_of_500_letters_is_taken(release: Release, as_user: AsUser, ada: User) -> None:
    post(as_user(ada), release, "a", reason="云" * 500)
    assert CaseTag.objects.get(origin="admin").reason == "云" * 500


@pytest.mark.parametrize("status", ["reviewing", "closed"])
def test_the_page_says_that_tags_are_frozen(
    release: Release, as_user: AsUser, ada: User, status: str
) -> None:
    Release.objects.filter(pk=release.pk).update(status=status)
    before = database_digest()
    page = post(as_user(ada), release, "a")[1]
    assert "wanderer-1 is no longer a draft, so its cases and their tags cannot change." in page
    assert "Change a tag on the chosen cases" not in page
    assert database_digest() == before


@pytest.mark.parametrize(("who", "status"), [("rita", 403), ("mina", 403), ("sam", 404)])
def test_only_admins_edit_tags(
    release: Release,
    as_user: AsUser,
    rita: User,
    mina: User,
    sam: User,
    who: str,
    status: int,
) -> None:
    person = {"rita": rita, "mina": mina, "sam": sam}[who]
    before = database_digest()
    assert post(as_user(person), release, "a")[0] == status
    assert database_digest() == before


def test_somebody_who_is_not_signed_in_edits_nothing(release: Release, as_user: AsUser) -> None:
    before = database_digest()
    response = as_user(None).post(URL, {"act": "add", "tag": "t", "reason": "r", "case": "x"})
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/sign-in/")
    assert database_digest() == before


def test_an_edit_needs_the_token_of_the_form(release: Release, ada: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    before = database_digest()
    data = {"act": "add", "tag": "t", "reason": "r", "case": codes(release, "a")}
    assert client.post(URL, data).status_code == 403
    assert database_digest() == before


def test_only_posting_edits(release: Release, as_user: AsUser, ada: User) -> None:
    response = as_user(ada).get(URL)
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"


def test_a_release_that_is_not_there_is_not_found(as_user: AsUser, ada: User) -> None:
    assert as_user(ada).post("/releases/nothing/cases/tags/", {}).status_code == 404


def test_one_comes_back_to_the_list_as_it_was_and_nowhere_else(
    release: Release, as_user: AsUser, ada: User
) -> None:
    client, there = as_user(ada), "/releases/wanderer-1/cases/"
    for target, goes_to in {
        f"{there}?q=a&tag=x": f"{there}?q=a&tag=x",
        "": there,
        "https://elsewhere.test/": there,
        "//elsewhere.test/": there,
        "/\\elsewhere.test": there,
        "javascript:alert(1)": there,
    }.items():
        data = {"act": "add", "tag": "t", "reason": "r", "case": codes(release, "a")}
        response = client.post(URL, data | {"next": target})
        assert (response.status_code, response.headers["Location"]) == (302, goes_to), target


def test_a_tag_and_a_reason_are_never_markup(release: Release, as_user: AsUser, ada: User) -> None:
    client = as_user(ada)
    page = post(client, release, "a", tag="<script>x</script>", reason="<b>bold</b>")[1]
    assert has(release, "<script>x</script>") == ["a"]
    pages = [page, client.get("/releases/wanderer-1/events/").content.decode()]
    assert not any("<script>x" in found_page or "<b>bold" in found_page for found_page in pages)


# --- All of a filter ------------------------------------------------------------------------------


def post_all(client: Client, path: str, query: str, **more: str) -> Any:
    return client.post(path, {"all": "1", "filter": query, **more}, follow=True)


def test_all_that_fit_the_filter_are_changed_at_once(
    release: Release, as_user: AsUser, ada: User
) -> None:
    client = as_user(ada)
    more = {"act": "add", "tag": "late", "reason": REASON}
    post_all(client, URL, "tag=found", **more)
    assert has(release, "late") == ["b"]
    post_all(client, URL, "q=nothing-like-it", **more)
    assert has(release, "late") == ["b"]
    post_all(client, URL, "", **more)
    assert has(release, "late") == ["a", "b", "c"]
    out = {"exclusion": "exclude", "exclusion_reason": REASON}
    path = "/releases/wanderer-1/cases/exclude/"
    post_all(client, path, "tag=found&after=%5B%22b%22%5D&sort=-key", **out)
    assert [one.case.case_key for one in release.exclusions.all()] == ["b"]
    post_all(client, path, "check=excluded", **out | {"exclusion": "let-in"})
    assert not release.exclusions.exists()


def test_too_many_are_refused_in_a_sentence(
    release: Release, as_user: AsUser, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cases.case.queries.MOST_CHOSEN", 2)
    monkeypatch.setattr("cases.tags.views.MOST_CHOSEN", 2)
    before = database_digest()
    more = {"act": "add", "tag": "late", "reason": REASON}
    page = post_all(as_user(ada), URL, "", **more).content.decode()
    assert "More than 2 cases fit the filter. Narrow it and do it in parts." in page
    assert database_digest() == before
    post_all(as_user(ada), URL, "tag=found", **more)
    assert has(release, "late") == ["b"]


def test_the_list_offers_all_only_when_they_do_not_fit_on_a_page(
    release: Release, as_user: AsUser, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, path = as_user(ada), "/releases/wanderer-1/cases/?tag=&sort=key"
    assert 'name="all"' not in client.get(path).content.decode()
    monkeypatch.setattr("cases.case.views.PAGE_SIZE", 2)
    page = client.get(path).content.decode()
    assert "All 3 cases that fit the filter, on all pages" in page
    assert 'name="filter" value="tag=&amp;sort=key"' in page
