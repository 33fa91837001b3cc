"""The pages of a release: the list, a new one, one of them, its cases and its ledger."""

import re
from datetime import date, timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cases.models import Case, Release, Rubric
from cases.tags import workflow as tags_workflow
from tests.bed.cases import NOW, database_digest, import_lines, lines, make_case, make_release, many
from tests.people import AsUser

RELEASE = "/releases/wanderer-1/"
CASES = RELEASE + "cases/"
EVENTS = RELEASE + "events/"


@pytest.fixture
def release(rubric: Rubric) -> Release:
    return make_release(rubric=rubric)


@pytest.fixture
def client(as_user: AsUser, ada: User, rubric: Rubric) -> Client:
    return as_user(ada)


def words(response: Any) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", response.content.decode())))


def rows_on(response: Any) -> list[str]:
    """What stands at the head of each row of the list."""
    assert response.status_code == 200
    found = re.findall(r'<th scope="row"[^>]*>(.*?)</th>', response.content.decode(), re.DOTALL)
    return [unescape(re.sub("<[^>]*>", " ", one)).split()[0] for one in found]


def queries_of(client: Client, path: str) -> int:
    client.get(path)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


# --- The list -------------------------------------------------------------------------------------


def test_releases_are_listed_newest_first(client: Client, rubric: Rubric) -> None:
    for day, name in enumerate(["b-1", "a-1", "c-1"]):
        make_release(name, rubric=rubric)
        Release.objects.filter(name=name).update(created_at=NOW + timedelta(days=day))
    assert rows_on(client.get("/releases/")) == ["c-1", "a-1", "b-1"]


def test_a_row_of_the_list_says_what_the_release_is(client: Client, release: Release) -> None:
    import_lines(release, many(3))
    Release.objects.update(due_date=date(2026, 12, 24))
    text = words(client.get("/releases/"))
    for expected in ("wanderer-1", "wanderer", "draft", "3", "Dec. 24, 2026"):
        assert expected in text


def test_releases_are_found_by_name_and_product(client: Client, rubric: Rubric) -> None:
    make_release("wanderer-1", product="Wanderer", rubric=rubric)
    make_release("s-7", product="stroller", rubric=rubric)
    assert rows_on(client.get("/releases/?q=WAND")) == ["wanderer-1"]
    assert rows_on(client.get("/releases/?q=+stroll+")) == ["s-7"]
    assert rows_on(client.get("/releases/?q=%25")) == []
    assert "No release and no case fits this search." in words(client.get("/releases/?q=zzz"))


def test_without_a_release_the_list_says_what_to_do(
    client: Client, as_user: AsUser, mina: User
) -> None:
    assert "Create the first release" in words(client.get("/releases/"))
    assert "An admin creates one" in words(as_user(mina).get("/releases/"))


def test_the_list_has_pages_of_25(client: Client, rubric: Rubric) -> None:
    for number in range(26):
        make_release(f"w-{number}", rubric=rubric)
    for page, count in {"1": 25, "2": 1, "99": 1, "x": 25, "0": 1}.items():
        assert len(rows_on(client.get(f"/releases/?page={page}"))) == count, page


# --- A new one ------------------------------------------------------------------------------------


def fields(**changes: str) -> dict[str, str]:
    values = {"name": "wanderer-1", "product": "wanderer", "rubric": "1", "reviews_per_case": "2"}
    return values | {"baseline": "", "due_date": ""} | changes


def test_an_admin_opens_a_release(client: Client, rubric: Rubric) -> None:
    response = client.post("/new-release/", fields(due_date="2035-12-24"))
    assert (response.status_code, response.headers["Location"]) == (302, RELEASE)
    assert "wanderer-1 is open as a draft." in words(client.get(RELEASE))
    release = Release.objects.get()
    assert (release.product, release.rubric, release.reviews_per_case) == ("wanderer", rubric, 2)
    assert release.due_date == date(2035, 12, 24)
    assert release.events.get().by == "ada"


def closed(name: str, product: str = "wanderer") -> Release:
    release = make_release(name, product=product)
    Release.objects.filter(pk=release.pk).update(status="closed")
    return release


def offered(response: Any) -> list[str]:
    """The baselines that a form offers, the chosen one with a star."""
    page = response.content.decode()
    [select] = re.findall(r'<select name="baseline".*?</select>', page, re.DOTALL)
    options = re.findall(r"<option value=\"\d+\"( selected)?>([^<]*)<", select)
    return [name + ("*" if chosen else "") for chosen, name in options]


def test_the_form_starts_from_the_newest_release(client: Client, rubric: Rubric) -> None:
    closed("w-1")
    closed("w-2")
    make_release("w-3")
    page = client.get("/new-release/")
    assert 'name="product" value="wanderer"' in page.content.decode()
    assert offered(page) == ["w-2*", "w-1"]


def test_only_closed_releases_of_the_product_are_offered_as_a_baseline(
    client: Client, rubric: Rubric
) -> None:
    closed("s-1", "stroller")
    closed("w-1")
    assert offered(client.get("/new-release/?product=stroller")) == ["s-1*"]
    assert offered(client.get("/new-release/?product=nothing")) == []
    again = client.post("/new-release/", fields(product="stroller", name="two words"))
    assert offered(again) == ["s-1"]
    release = make_release("w-2")
    assert offered(client.get("/releases/w-2/edit/")) == ["w-1"]
    assert offered(client.get("/releases/w-2/edit/?product=stroller")) == ["s-1"]
    # It was chosen when it could be.
    Release.objects.filter(pk=release.pk).update(baseline=make_release("w-0"))
    assert offered(client.get("/releases/w-2/edit/")) == ["w-1", "w-0*"]


CANNOT_BE = [
    ({"name": ""}, "This field is required."),
    ({"name": "two words"}, "A release name has up to 80 letters"),
    ({"name": "x" * 81}, "80"),
    ({"name": "a\x00b"}, "Null characters are not allowed."),
    ({"name": "stroller-1"}, "There is a release of this name already."),
    ({"rubric": "7"}, "Select a valid choice."),
    ({"rubric": ""}, "This field is required."),
    ({"rubric": "x"}, "Select a valid choice."),
    ({"reviews_per_case": "0"}, "greater than or equal to 1"),
    ({"reviews_per_case": "21"}, "less than or equal to 20"),
    ({"reviews_per_case": ""}, "This field is required."),
    ({"due_date": "2026-02-30"}, "Enter a valid date."),
    ({"baseline": "999999"}, "Select a valid choice."),
    ({"baseline": "STROLLER"}, "Choose a baseline of the same product."),
]


def test_a_release_that_cannot_be_is_refused_in_words(client: Client, rubric: Rubric) -> None:
    other = make_release("stroller-1", product="stroller", rubric=rubric)
    before = database_digest()
    for changes, expected in CANNOT_BE:
        sent = {name: value.replace("STROLLER", str(other.pk)) for name, value in changes.items()}
        response = client.post("/new-release/", fields(**sent))
        assert response.status_code == 422, changes
        assert expected in words(response), changes
    assert database_digest() == before


def test_opening_a_release_twice_opens_one(client: Client) -> None:
    client.post("/new-release/", fields())
    before = database_digest()
    response = client.post("/new-release/", fields())
    assert "There is a release of this name already." in words(response)
    assert database_digest() == before


def test_without_a_rubric_the_form_says_what_comes_first(as_user: AsUser, ada: User) -> None:
    text = words(as_user(ada).get("/new-release/"))
    assert "Publish the first version" in text


# --- One of them ----------------------------------------------------------------------------------


def test_an_empty_release_says_what_to_do(
    client: Client, release: Release, as_user: AsUser, mina: User
) -> None:
    assert "Import the first cases" in words(client.get(RELEASE))
    text = words(as_user(mina).get(RELEASE))
    assert "Import cases" in text
    assert "An admin does this." in text
    assert "Import the first cases" not in text


def test_the_page_counts_what_an_admin_needs(client: Client, release: Release) -> None:
    passed = {"status": "PASS", "score": None}
    import_lines(
        release,
        lines(
            make_case("a", tags=["beijing", "spring-festival"]),
            make_case("b", tags=["family"]),
            make_case("c", tags=["family"], automated_summary={"status": "WARN"}),
            make_case("d", tags=["family"], automated_summary=None),
            make_case("e", tags=["family"], plan=None, automated_summary=passed),
        ),
    )
    text = words(client.get(RELEASE))
    for expected in (
        "5 cases",
        "2 can be sampled",
        "3 passed the automated checks",
        "1 passed with a warning",
        "1 did not pass the automated checks",
        "1 of 5 cases passed with a warning; this release takes only passed cases. "
        "Change this in its settings.",
        "1 passed, but without a plan",
        "Beijing Spring Festival peak case not drawn yet 1 case may fill it",
        "Family/parent-child case not drawn yet 1 case may fill it",
        "Low-budget feasibility warning case no case fits",
        "family 1",
        "yunxi 2",
    ):
        assert expected in text, expected


def test_tags_are_counted_as_they_stand(client: Client, release: Release, ada: User) -> None:
    import_lines(release, lines(make_case("a", tags=["family"]), make_case("b", tags=["family"])))
    code = release.cases.get(case_key="a").code
    tags_workflow.take_away(
        release=release, codes=[code], tag="family", reason="no", user=ada, now=NOW
    )
    text = words(client.get(RELEASE))
    assert "family 1" in text
    assert "Family/parent-child case not drawn yet 1 case may fill it" in text


def test_imports_are_listed_with_what_they_did(client: Client, release: Release) -> None:
    import_lines(release, many(5))
    import_lines(release, many(2, locale="en") + many(1, "new"))
    table = client.get(RELEASE).content.decode().split("<h2>Imports</h2>")[1]
    cells = re.findall(r'<td[^>]*class="number"[^>]*>(\d+)</td>', table)
    assert cells == ["1", "2", "5", "0"]
    assert "command line" in table


def test_a_release_of_any_allowed_name_has_its_page(client: Client, rubric: Rubric) -> None:
    for name in ("a@b+c_d.e-f", "x" * 80, "7"):
        make_release(name, rubric=rubric)
        for path in ("", "cases/", "events/", "import/"):
            assert client.get(f"/releases/{name}/{path}").status_code == 200


def test_a_release_called_like_a_page_has_its_page(client: Client, rubric: Rubric) -> None:
    for name in ("new", "import", "cases", "events"):
        make_release(name, rubric=rubric)
        assert name in words(client.get(f"/releases/{name}/"))


@pytest.mark.parametrize("path", ["", "cases/", "events/"])
@pytest.mark.parametrize("name", ["nothing", "WANDERER-1"])
def test_a_release_that_is_not_there_is_not_found(
    client: Client, release: Release, name: str, path: str
) -> None:
    assert client.get(f"/releases/{name}/{path}").status_code == 404


# --- The ledger -----------------------------------------------------------------------------------


def test_the_ledger_shows_every_act_newest_first(
    client: Client, release: Release, ada: User
) -> None:
    import_lines(release, many(1), user=ada)
    codes = [release.cases.get().code]
    tags_workflow.give(release=release, codes=codes, tag="family", reason="seen", user=ada, now=NOW)
    response = client.get(EVENTS)
    assert numbers_on(response) == [3, 2, 1]
    text = words(response)
    story = [
        "ada gave the tag family to yunxi-0001",
        "ada imported 1 new case",
        "opened the release",
    ]
    places = [text.index(one) for one in story]
    assert places == sorted(places)
    assert "command line" in text
    assert "seen" in text
    head = release.events.get(number=3).digest
    assert head in response.content.decode()


def test_the_ledger_has_pages_of_50(client: Client, release: Release, ada: User) -> None:
    fill_ledger(release, ada, 51)
    assert numbers_on(client.get(EVENTS))[0] == 51
    assert numbers_on(client.get(EVENTS + "?page=2")) == [1]
    assert numbers_on(client.get(EVENTS + "?page=nonsense"))[0] == 51


def numbers_on(response: Any) -> list[int]:
    found = re.findall(r'<span class="number" aria-hidden="true">(\d+)<', response.content.decode())
    return [int(one) for one in found]


def fill_ledger(release: Release, user: User, count: int) -> None:
    """Up to so many events."""
    if not release.cases.exists():
        import_lines(release, many(1))
    codes = [release.cases.order_by("pk")[:1].get().code]
    for number in range(release.events.count(), count):
        tags_workflow.give(
            release=release, codes=codes, tag=f"t-{number}", reason="r", user=user, now=NOW
        )


# --- As many queries for many rows as for few -----------------------------------------------------


def test_the_list_of_releases_takes_the_same_queries(client: Client, rubric: Rubric) -> None:
    counts = []
    for most in (3, 12, 30):
        for number in range(Release.objects.count(), most):
            release = make_release(f"w-{number}", rubric=rubric)
            if number < 6:
                import_lines(release, many(2))
        counts.append(queries_of(client, "/releases/"))
    # 30 do not fit one page, but counting the pages is no query more.
    assert len(set(counts)) == 1, counts


def test_a_release_and_its_cases_take_the_same_queries(client: Client, release: Release) -> None:
    paths = [RELEASE, CASES, CASES + "?kind=family-parent-child-case&q=yunxi"]
    counts = []
    for number, most in enumerate((5, 55)):
        import_lines(release, many(most, tags=["family", f"t{number}", "beijing"]))
        counts.append([queries_of(client, path) for path in paths])
    assert counts[0] == counts[1]


def test_the_case_list_takes_the_same_queries_on_every_page(
    client: Client, release: Release
) -> None:
    import_lines(release, many(100, tags=["family"]))
    first = client.get(CASES)
    [address] = re.findall(r'rel="next" href="([^"]*)"', first.content.decode())
    assert queries_of(client, CASES + unescape(address)) == queries_of(client, CASES)


def test_a_release_takes_the_same_queries_for_many_imports(
    client: Client, release: Release
) -> None:
    counts = []
    for most in (2, 12):
        for number in range(release.batches.count(), most):
            import_lines(release, many(1, f"b{number}"))
        counts.append(queries_of(client, RELEASE))
    assert len(set(counts)) == 1, counts


def test_the_ledger_takes_the_same_queries(client: Client, release: Release, ada: User) -> None:
    counts = []
    for most in (5, 55):
        fill_ledger(release, ada, most)
        counts.append(queries_of(client, EVENTS))
    assert len(set(counts)) == 1, counts


@pytest.mark.parametrize("count", [10, 100])
def test_the_case_list_does_not_read_the_itineraries(
    client: Client, release: Release, count: int
) -> None:
    import_lines(release, many(count))
    client.get(CASES)
    with CaptureQueriesContext(connection) as queries:
        client.get(CASES)
    column = connection.ops.quote_name(Case._meta.db_table) + '."data"'
    assert not any(column in query["sql"] for query in queries.captured_queries)


# --- Who may --------------------------------------------------------------------------------------

READABLE = ["/releases/", RELEASE, CASES, EVENTS]


def test_admins_and_managers_read_and_others_do_not(
    release: Release, as_user: AsUser, mina: User, rita: User, sam: User
) -> None:
    import_lines(release, many(1))
    for person, status in ((mina, 200), (rita, 403), (sam, 404)):
        client = as_user(person)
        for path in READABLE:
            response = client.get(path)
            assert response.status_code == status, path
            is_told = status == 200 and path in (RELEASE, CASES)
            assert ("yunxi" in words(response)) == is_told, path


@pytest.mark.parametrize(("who", "status"), [("mina", 403), ("rita", 403), ("sam", 404)])
def test_only_admins_open_releases(
    as_user: AsUser, rubric: Rubric, mina: User, rita: User, sam: User, who: str, status: int
) -> None:
    client = as_user({"mina": mina, "rita": rita, "sam": sam}[who])
    assert client.get("/new-release/").status_code == status
    assert client.post("/new-release/", fields()).status_code == status
    assert not Release.objects.exists()


@pytest.mark.parametrize("path", [*READABLE, "/new-release/"])
def test_somebody_who_is_not_signed_in_gets_the_sign_in_page(
    release: Release, as_user: AsUser, path: str
) -> None:
    response = as_user(None).get(path)
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/sign-in/?next=")


def test_a_manager_is_shown_no_button_that_is_closed_to_them(
    release: Release, as_user: AsUser, mina: User
) -> None:
    import_lines(release, many(2))
    client = as_user(mina)
    for path in READABLE:
        page = client.get(path).content.decode()
        assert "/import/" not in page
        assert "/undo/" not in page
        assert "/new-release/" not in page
        assert 'name="reason"' not in page


@pytest.mark.parametrize("path", READABLE)
def test_pages_are_only_read(client: Client, release: Release, path: str) -> None:
    for method in ("post", "put", "patch", "delete"):
        assert getattr(client, method)(path).status_code == 405


# --- Text of others -------------------------------------------------------------------------------

NASTY = '<script>alert(1)</script><b>bold</b>" onload="x'


def test_text_of_others_is_never_markup(client: Client, rubric: Rubric, ada: User) -> None:
    release = make_release(product=NASTY, rubric=rubric)
    row = make_case(NASTY, tags=[NASTY], request={"text": NASTY, "destination": NASTY})
    import_lines(release, lines(row), user=ada)
    for path in READABLE:
        page = client.get(path).content.decode()
        assert "<script>alert" not in page
        assert "<b>bold" not in page
        assert '" onload="' not in page
