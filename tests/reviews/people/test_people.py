"""The people pages: find, invite, change, deactivate, let in again, reset the second factor."""

import re
from datetime import timedelta
from html import unescape

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import Group, Permission, User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from evalsite.permissions import Role, find_roles
from reviews.models import Absence, Reviewer
from tests.people import PASSWORD, AsUser, make_person


def names_on(page: str) -> list[str]:
    """The user names of the rows, in their order."""
    return re.findall(r'<th scope="row"><a [^>]*>([^<]*)</a>', page)


def row_of(username: str, page: str) -> dict[str, str]:
    """The cells of one row as plain text, by the label that small screens show."""
    [row] = [
        row for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL) if f">{username}</a>" in row
    ]
    cells = re.findall(r"<td data-label=\"([^\"]*)\"[^>]*>(.*?)</td>", row, re.DOTALL)
    return {label: unescape(re.sub("<[^>]*>", "", cell)).strip() for label, cell in cells}


def listed(client: Client, query: str = "") -> list[str]:
    response = client.get("/people/" + query)
    assert response.status_code == 200
    return names_on(response.content.decode())


def fields(**changes: object) -> dict[str, object]:
    """What the person form sends when nobody touched it."""
    untouched = {"name": "", "email": "", "roles": ["reviewer"], "capacity": "20"}
    return {**untouched, "languages": ["zh", "en"], **changes}


def invitation(**changes: object) -> dict[str, object]:
    return fields(username="wei", interface_language="en", **changes)


def is_checked(page: str, name: str, value: str) -> bool:
    [box] = re.findall(rf'<input type="checkbox"[^>]*name="{name}" value="{value}"[^>]*>', page)
    return " checked" in box


def switch_second_factor_on(user: User) -> None:
    TOTP.activate(user, generate_totp_secret())
    RecoveryCodes.activate(user)


# --- The groups -----------------------------------------------------------------------------------


@pytest.mark.django_db
def test_migrations_make_one_group_for_each_role() -> None:
    names = set(Group.objects.values_list("name", flat=True))
    assert names == {"Reviewers", "Admins", "Managers"}


# --- The list -------------------------------------------------------------------------------------


def test_a_row_tells_roles_languages_capacity_and_second_factor(
    as_user: AsUser, ada: User, rita: User
) -> None:
    Reviewer.objects.filter(user=rita).update(capacity=7, languages=["ja", "zh"])
    switch_second_factor_on(rita)
    row = row_of("rita", as_user(ada).get("/people/").content.decode())
    assert row["Roles"] == "Reviewer"
    assert row["Languages read"] == "Chinese, Japanese"
    assert row["Capacity"] == "7"
    assert row["Second step"] == "on"
    assert row["Last sign-in"] == "never"


def test_a_row_tells_what_is_missing(as_user: AsUser, ada: User, sam: User) -> None:
    Reviewer.objects.filter(user=sam).update(capacity=0, languages=[])
    row = row_of("sam", as_user(ada).get("/people/").content.decode())
    assert "sees nothing" in row["Roles"]
    assert row["Languages read"] == "–"
    assert row["Capacity"] == "0"
    assert row["Days away"] == "–"
    assert row["Second step"] == "off"


def test_a_row_names_several_roles(as_user: AsUser, ada: User) -> None:
    make_person("wei", Role.MANAGER, Role.REVIEWER)
    row = row_of("wei", as_user(ada).get("/people/").content.decode())
    assert row["Roles"] == "Reviewer, Manager"


def test_a_superuser_is_marked_and_not_called_without_role(
    as_user: AsUser, ada: User, root: User
) -> None:
    row = row_of("root", as_user(ada).get("/people/").content.decode())
    assert row["Roles"] == "superuser"


def test_last_sign_in_is_a_date_once_somebody_came(client: Client, ada: User) -> None:
    client.force_login(ada)
    row = row_of("ada", client.get("/people/").content.decode())
    assert re.search(r"\d", row["Last sign-in"])


def test_days_away_are_shown_until_their_last_day_is_over(
    as_user: AsUser, ada: User, rita: User, omar: User
) -> None:
    today = timezone.localdate()
    yesterday = today - timedelta(days=1)
    rita.reviewer.absences.create(first_date=yesterday, last_date=today)
    omar.reviewer.absences.create(first_date=yesterday, last_date=yesterday)
    page = as_user(ada).get("/people/").content.decode()
    assert row_of("rita", page)["Days away"] != "–"
    assert row_of("omar", page)["Days away"] == "–"


def test_deactivated_people_stand_last_and_are_marked(
    as_user: AsUser, ada: User, rita: User, omar: User
) -> None:
    User.objects.filter(pk=omar.pk).update(is_active=False)
    page = as_user(ada).get("/people/").content.decode()
    assert names_on(page) == ["ada", "rita", "omar"]
    assert page.count("deactivated") == 1


def test_people_are_found_by_user_name_name_and_address(
    as_user: AsUser, ada: User, rita: User, omar: User
) -> None:
    User.objects.filter(pk=omar.pk).update(first_name="Umberto", email="o@elsewhere.test")
    client = as_user(ada)
    assert listed(client, "?q=rit") == ["rita"]
    assert listed(client, "?q=umberto") == ["omar"]
    assert listed(client, "?q=ELSEWHERE") == ["omar"]


def test_spaces_around_the_words_do_not_matter(as_user: AsUser, ada: User, rita: User) -> None:
    client = as_user(ada)
    assert listed(client, "?q=++rita+") == ["rita"]
    assert listed(client, "?q=++") == ["ada", "rita"]


@pytest.mark.parametrize("words", ["%25", "_", "*", "'", '"', "\\"])
def test_special_characters_are_searched_for_as_they_are(
    as_user: AsUser, ada: User, rita: User, words: str
) -> None:
    assert listed(as_user(ada), f"?q={words}") == []


def test_a_search_that_nobody_fits_shows_the_way_back(as_user: AsUser, ada: User) -> None:
    page = as_user(ada).get("/people/?q=zzz").content.decode()
    assert "No one matches this search." in page
    assert '<a href="/people/">' in page


def test_the_search_words_stay_in_their_field_and_are_escaped(as_user: AsUser, ada: User) -> None:
    response = as_user(ada).get("/people/", {"q": '"><script>alert(1)</script>'})
    page = response.content.decode()
    assert "<script>alert" not in page
    assert 'name="q" value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"' in page


def test_people_are_filtered_by_role(
    as_user: AsUser, ada: User, rita: User, mina: User, sam: User
) -> None:
    client = as_user(ada)
    assert listed(client, "?role=reviewer") == ["rita"]
    assert listed(client, "?role=admin") == ["ada"]
    assert listed(client, "?role=manager") == ["mina"]
    assert listed(client, "?role=") == ["ada", "mina", "rita", "sam"]


def test_somebody_with_two_roles_is_listed_once_under_each(as_user: AsUser, ada: User) -> None:
    make_person("wei", Role.MANAGER, Role.REVIEWER)
    client = as_user(ada)
    assert listed(client) == ["ada", "wei"]
    assert listed(client, "?role=manager") == ["wei"]
    assert listed(client, "?role=reviewer") == ["wei"]


def test_search_and_role_narrow_down_together(
    as_user: AsUser, ada: User, rita: User, omar: User
) -> None:
    client = as_user(ada)
    assert listed(client, "?q=ri&role=reviewer") == ["rita"]
    assert listed(client, "?q=ri&role=admin") == []


@pytest.mark.parametrize("role", ["superuser", "Reviewers", "nonsense"])
def test_a_role_that_is_no_choice_is_left_aside(
    as_user: AsUser, ada: User, rita: User, role: str
) -> None:
    assert listed(as_user(ada), f"?role={role}") == ["ada", "rita"]


def test_the_chosen_role_stays_chosen(as_user: AsUser, ada: User) -> None:
    page = as_user(ada).get("/people/?role=manager").content.decode()
    assert '<option value="manager" selected>' in page


def test_a_page_holds_25_people_and_the_next_one_the_26th(as_user: AsUser, ada: User) -> None:
    for number in range(24):
        User.objects.create(username=f"person-{number:02}")
    client = as_user(ada)
    page = client.get("/people/").content.decode()
    assert len(names_on(page)) == 25
    assert 'rel="next"' not in page
    User.objects.create(username="person-99")
    page = client.get("/people/").content.decode()
    assert len(names_on(page)) == 25
    assert "Page 1 of 2" in page
    assert listed(client, "?page=2") == ["person-99"]


def test_turning_the_page_keeps_search_and_role(as_user: AsUser, ada: User) -> None:
    for number in range(26):
        make_person(f"person-{number:02}", Role.REVIEWER)
    page = as_user(ada).get("/people/?q=person&role=reviewer").content.decode()
    [address] = re.findall(r'rel="next" href="([^"]*)"', page)
    assert listed(as_user(ada), unescape(address)) == ["person-25"]


@pytest.mark.parametrize(("page", "first"), [("0", "z"), ("99", "z"), ("x", "ada"), ("", "ada")])
def test_a_page_number_that_is_none_shows_a_page_all_the_same(
    as_user: AsUser, ada: User, page: str, first: str
) -> None:
    for number in range(24):
        User.objects.create(username=f"person-{number:02}")
    User.objects.create(username="z")
    assert listed(as_user(ada), f"?page={page}")[0] == first


def test_htmx_gets_the_table_alone(as_user: AsUser, ada: User, rita: User) -> None:
    response = as_user(ada).get("/people/?q=rita", headers={"HX-Request": "true"})
    fragment = response.content.decode()
    assert names_on(fragment) == ["rita"]
    assert fragment.strip().startswith('<div id="people">')
    assert "<html" not in fragment


def test_the_list_takes_the_same_queries_for_3_10_and_25_people(
    as_user: AsUser, ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    today = timezone.localdate()
    client = as_user(ada)

    def fill_up_to(count: int) -> None:
        for number in range(User.objects.count(), count):
            user = make_person(f"person-{number:02}", Role.REVIEWER, Role.MANAGER)
            user.reviewer.absences.create(first_date=today, last_date=today)
            switch_second_factor_on(user)

    fill_up_to(3)
    with CaptureQueriesContext(connection) as for_three:
        assert len(listed(client)) == 3
    for count in (10, 25):
        fill_up_to(count)
        with django_assert_num_queries(len(for_three)):
            assert len(listed(client)) == count


def test_only_admins_see_people(
    as_user: AsUser, ada: User, rita: User, mina: User, sam: User
) -> None:
    for person, status in ((rita, 403), (mina, 403), (sam, 404)):
        client = as_user(person)
        for path in ("/people/", "/people/ada/", "/invite/"):
            response = client.get(path)
            assert response.status_code == status, path
            assert "ada@example.com" not in response.content.decode(), path


@pytest.mark.django_db
def test_a_stranger_is_sent_to_the_sign_in_page_and_back_after_it(as_user: AsUser) -> None:
    response = as_user(None).get("/people/?q=rita")
    assert response.status_code == 302
    assert response.headers["Location"] == "/sign-in/?next=%2Fpeople%2F%3Fq%3Drita"


# --- Inviting -------------------------------------------------------------------------------------


def test_inviting_makes_a_person_as_the_form_says(as_user: AsUser, ada: User) -> None:
    response = as_user(ada).post(
        "/invite/",
        {
            "username": "wei",
            "name": "Wei Chen",
            "email": "wei@example.com",
            "roles": ["reviewer", "manager"],
            "capacity": "3",
            "languages": ["zh", "ja"],
            "interface_language": "zh-hans",
        },
    )
    assert response.status_code == 302
    assert response.headers["Location"] == "/people/wei/"
    wei = User.objects.get(username="wei")
    assert (wei.first_name, wei.email) == ("Wei Chen", "wei@example.com")
    assert find_roles(wei) == {Role.REVIEWER, Role.MANAGER}
    assert wei.reviewer.capacity == 3
    assert wei.reviewer.languages == ["zh", "ja"]
    assert wei.reviewer.interface_language == "zh-hans"


def test_an_invited_person_has_no_password_until_they_set_one(as_user: AsUser, ada: User) -> None:
    as_user(ada).post("/invite/", invitation())
    wei = User.objects.get(username="wei")
    assert not wei.has_usable_password()
    assert wei.is_active
    assert not wei.is_staff
    assert not wei.is_superuser


def test_the_form_starts_with_what_most_people_get(as_user: AsUser, ada: User) -> None:
    page = as_user(ada).get("/invite/").content.decode()
    assert is_checked(page, "roles", "reviewer")
    assert not is_checked(page, "roles", "admin")
    assert not is_checked(page, "roles", "manager")
    assert is_checked(page, "languages", "zh")
    assert is_checked(page, "languages", "en")
    assert re.search(r'name="capacity" value="20"', page)
    assert User.objects.count() == 1


def test_a_user_name_is_kept_in_lower_case_without_spaces_around(
    as_user: AsUser, ada: User
) -> None:
    as_user(ada).post("/invite/", invitation() | {"username": " WeiChen "})
    assert set(User.objects.values_list("username", flat=True)) == {"ada", "weichen"}


@pytest.mark.parametrize("username", ["rita", "RITA", " Rita "])
def test_a_user_name_is_given_once_in_any_case(
    as_user: AsUser, ada: User, rita: User, username: str
) -> None:
    response = as_user(ada).post("/invite/", invitation() | {"username": username})
    assert response.status_code == 422
    assert "rita is taken." in response.content.decode()
    assert User.objects.count() == 2


def test_a_user_name_with_capitals_from_the_command_line_is_taken_too(
    as_user: AsUser, ada: User
) -> None:
    User.objects.create_user("Wei")
    response = as_user(ada).post("/invite/", invitation())
    assert response.status_code == 422
    assert User.objects.count() == 2


def test_the_user_name_of_somebody_deactivated_stays_theirs(
    as_user: AsUser, ada: User, rita: User
) -> None:
    User.objects.filter(pk=rita.pk).update(is_active=False)
    response = as_user(ada).post("/invite/", invitation() | {"username": "rita"})
    assert response.status_code == 422
    assert not User.objects.get(username="rita").is_active


@pytest.mark.parametrize("username", ["w", "w" * 150, "wei.chen-2@home_1+x", "魏晨"])
def test_a_user_name_that_fits_is_taken(as_user: AsUser, ada: User, username: str) -> None:
    response = as_user(ada).post("/invite/", invitation() | {"username": username})
    assert response.status_code == 302
    assert User.objects.filter(username=username).exists()


def test_a_user_name_that_does_not_fit_is_refused(as_user: AsUser, ada: User) -> None:
    client = as_user(ada)
    for username in ("", "   ", "w" * 151, "wei chen", "wei/chen", "<wei>", "w\0"):
        response = client.post("/invite/", invitation() | {"username": username})
        assert response.status_code == 422, ascii(username)
    assert User.objects.count() == 1


@pytest.mark.parametrize("capacity", ["0", "1", "500"])
def test_a_capacity_within_bounds_is_kept(as_user: AsUser, ada: User, capacity: str) -> None:
    as_user(ada).post("/invite/", invitation(capacity=capacity))
    assert Reviewer.objects.get(user__username="wei").capacity == int(capacity)


@pytest.mark.parametrize("capacity", ["", "-1", "501", "2.5", "many"])
def test_a_capacity_out_of_bounds_is_refused(as_user: AsUser, ada: User, capacity: str) -> None:
    response = as_user(ada).post("/invite/", invitation(capacity=capacity))
    assert response.status_code == 422
    assert 'href="#id_capacity"' in response.content.decode()
    assert User.objects.count() == 1


NO_CHOICE: list[tuple[str, object]] = [
    ("roles", ["superuser"]),
    ("roles", ["reviewer", "Admins"]),
    ("languages", ["xx"]),
    ("interface_language", "fr"),
    ("interface_language", ""),
    ("email", "wei at home"),
    ("name", "n" * 151),
]


def test_a_value_that_is_no_choice_is_refused(as_user: AsUser, ada: User) -> None:
    client = as_user(ada)
    for field, value in NO_CHOICE:
        response = client.post("/invite/", invitation() | {field: value})
        assert response.status_code == 422, (field, value)
    assert User.objects.count() == 1


def test_roles_languages_name_and_address_may_stay_empty(as_user: AsUser, ada: User) -> None:
    as_user(ada).post("/invite/", {"username": "wei", "capacity": "20", "interface_language": "en"})
    wei = User.objects.get(username="wei")
    assert find_roles(wei) == frozenset()
    assert wei.reviewer.languages == []
    assert (wei.first_name, wei.email) == ("", "")


def test_a_refused_invitation_keeps_what_was_typed(as_user: AsUser, ada: User) -> None:
    typed = invitation(name="Wei Chen", roles=["manager"], languages=["ko"], capacity="501")
    page = as_user(ada).post("/invite/", typed).content.decode()
    assert 'value="Wei Chen"' in page
    assert is_checked(page, "roles", "manager")
    assert not is_checked(page, "roles", "reviewer")
    assert is_checked(page, "languages", "ko")


@pytest.mark.parametrize("who", ["rita", "mina", "sam", "nobody"])
def test_only_admins_invite(as_user: AsUser, rita: User, mina: User, sam: User, who: str) -> None:
    person = {"rita": rita, "mina": mina, "sam": sam, "nobody": None}[who]
    as_user(person).post("/invite/", invitation())
    assert not User.objects.filter(username="wei").exists()


SMUGGLED = {
    "is_superuser": "on",
    "is_staff": "on",
    "password": "pbkdf2_sha256$1$a$b",
    "last_login": "2020-01-01",
    "user": "1",
    "pk": "1",
}


def smuggled() -> dict[str, object]:
    """Fields of the account that no form of ours has."""
    everything = Permission.objects.values_list("pk", flat=True)
    admins = Group.objects.get(name="Admins")
    return {**SMUGGLED, "user_permissions": [*everything], "groups": [admins.pk, "Admins"]}


def test_an_invitation_takes_no_fields_that_its_form_does_not_have(
    as_user: AsUser, ada: User
) -> None:
    as_user(ada).post("/invite/", invitation() | smuggled() | {"is_active": ""})
    wei = User.objects.get(username="wei")
    assert not wei.is_superuser
    assert not wei.is_staff
    assert wei.is_active
    assert not wei.has_usable_password()
    assert wei.last_login is None
    assert not wei.user_permissions.exists()
    assert [group.name for group in wei.groups.all()] == ["Reviewers"]


# --- One person -----------------------------------------------------------------------------------


def test_the_page_shows_what_is_set_now(as_user: AsUser, ada: User, rita: User) -> None:
    User.objects.filter(pk=rita.pk).update(first_name="Rita <b>Bold</b>")
    Reviewer.objects.filter(user=rita).update(capacity=7, languages=["ko"])
    page = as_user(ada).get("/people/rita/").content.decode()
    assert 'value="Rita &lt;b&gt;Bold&lt;/b&gt;"' in page
    assert 'value="rita@example.com"' in page
    assert re.search(r'name="capacity" value="7"', page)
    assert is_checked(page, "roles", "reviewer")
    assert not is_checked(page, "roles", "admin")
    assert is_checked(page, "languages", "ko")
    assert not is_checked(page, "languages", "zh")


def test_saving_changes_all_that_the_form_holds(as_user: AsUser, ada: User, rita: User) -> None:
    changes = fields(
        name="Rita R", email="r@example.com", roles=["manager"], capacity="0", languages=["fr"]
    )
    response = as_user(ada).post("/people/rita/", changes, follow=True)
    assert response.content.decode().count("Saved.") == 1
    rita = User.objects.get(username="rita")
    assert (rita.first_name, rita.email) == ("Rita R", "r@example.com")
    assert find_roles(rita) == {Role.MANAGER}
    assert (rita.reviewer.capacity, rita.reviewer.languages) == (0, ["fr"])


def test_saving_leaves_alone_what_the_form_does_not_hold(
    as_user: AsUser, ada: User, rita: User
) -> None:
    Reviewer.objects.filter(user=rita).update(interface_language="zh-hans")
    as_user(ada).post("/people/rita/", fields(name="Rita R"))
    after = User.objects.get(username="rita")
    assert after.check_password(PASSWORD)
    assert after.is_active
    assert after.reviewer.interface_language == "zh-hans"
    assert after.reviewer.pk == rita.reviewer.pk


def test_saving_changes_nobody_else(as_user: AsUser, ada: User, rita: User, omar: User) -> None:
    as_user(ada).post("/people/rita/", fields(roles=["manager"], capacity="1"))
    omar = User.objects.get(username="omar")
    assert find_roles(omar) == {Role.REVIEWER}
    assert omar.reviewer.capacity == 20


def test_taking_every_role_away_closes_the_door_at_once(
    as_user: AsUser, ada: User, rita: User
) -> None:
    browser = as_user(rita)
    assert browser.get("/").status_code == 200
    as_user(ada).post("/people/rita/", fields(roles=[]))
    assert browser.get("/").status_code == 404


def test_somebody_without_reviewer_data_gets_it_with_the_first_save(
    as_user: AsUser, ada: User
) -> None:
    old = User.objects.create_user("old-account")
    as_user(ada).post("/people/old-account/", fields(capacity="4", languages=["en"]))
    reviewer = Reviewer.objects.get(user=old)
    assert (reviewer.capacity, reviewer.languages) == (4, ["en"])


REFUSED: list[tuple[str, object]] = [
    ("capacity", "501"),
    ("capacity", ""),
    ("roles", ["superuser"]),
    ("languages", ["xx"]),
    ("email", "no address"),
]


def test_a_refused_change_changes_nothing(as_user: AsUser, ada: User, rita: User) -> None:
    client = as_user(ada)
    for field, value in REFUSED:
        changes = fields(name="Changed", roles=["manager"]) | {field: value}
        assert client.post("/people/rita/", changes).status_code == 422, (field, value)
    rita = User.objects.get(username="rita")
    assert rita.first_name == ""
    assert rita.email == "rita@example.com"
    assert find_roles(rita) == {Role.REVIEWER}
    assert rita.reviewer.capacity == 20


def test_a_change_takes_no_fields_that_the_form_does_not_have(
    as_user: AsUser, ada: User, rita: User
) -> None:
    more = {"username": "renamed", "is_active": "", "interface_language": "zh-hans"}
    as_user(ada).post("/people/rita/", fields(capacity="9") | smuggled() | more)
    rita = User.objects.get(username="rita")
    assert rita.reviewer.capacity == 9
    assert not rita.is_superuser
    assert not rita.is_staff
    assert rita.is_active
    assert rita.check_password(PASSWORD)
    assert not rita.user_permissions.exists()
    assert [group.name for group in rita.groups.all()] == ["Reviewers"]
    assert rita.reviewer.interface_language == "en"


def test_an_admin_cannot_make_a_superuser_of_themselves(as_user: AsUser, ada: User) -> None:
    as_user(ada).post("/people/ada/", fields(roles=["admin"]) | smuggled())
    ada = User.objects.get(username="ada")
    assert not ada.is_superuser
    assert not ada.is_staff
    assert not ada.user_permissions.exists()


ACTS = ["", "link/", "deactivate/", "reactivate/", "reset-second-factor/"]


@pytest.mark.parametrize("act", ACTS)
def test_somebody_who_is_not_there_is_not_found(as_user: AsUser, ada: User, act: str) -> None:
    assert as_user(ada).post(f"/people/nobody/{act}", fields()).status_code == 404
    assert User.objects.count() == 1


@pytest.mark.parametrize("who", ["omar", "rita", "mina", "sam", "nobody"])
def test_nobody_but_an_admin_acts_on_people(
    as_user: AsUser, rita: User, omar: User, mina: User, sam: User, who: str
) -> None:
    """Not a colleague, not the person, not a manager, not a stranger."""
    switch_second_factor_on(rita)
    person = {"omar": omar, "rita": rita, "mina": mina, "sam": sam, "nobody": None}[who]
    client = as_user(person)
    for act in ACTS:
        response = client.post(f"/people/rita/{act}", fields(name="Changed", roles=["admin"]))
        assert response.status_code == {"sam": 404, "nobody": 302}.get(who, 403), act
        rita = User.objects.get(username="rita")
        assert rita.first_name == "", act
        assert rita.is_active, act
        assert find_roles(rita) == {Role.REVIEWER}, act
        assert Authenticator.objects.filter(user=rita).exists(), act
        assert "invitation" not in str(dict(client.session.items())), act


@pytest.mark.parametrize("act", ACTS[1:])
def test_reading_an_address_changes_nothing(
    as_user: AsUser, ada: User, rita: User, act: str
) -> None:
    switch_second_factor_on(rita)
    response = as_user(ada).get(f"/people/rita/{act}")
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"
    assert User.objects.get(username="rita").is_active
    assert Authenticator.objects.filter(user=rita).exists()


@pytest.mark.parametrize("act", ACTS)
def test_a_superuser_is_out_of_an_admins_reach(
    as_user: AsUser, ada: User, root: User, act: str
) -> None:
    Reviewer.objects.create(user=root)
    switch_second_factor_on(root)
    client = as_user(ada)
    changes = fields(name="Mine", email="ada@example.com", roles=["reviewer"], capacity="1")
    response = client.post(f"/people/root/{act}", changes, follow=True)
    assert "Only a superuser can change a superuser&#x27;s account." in response.content.decode()
    root = User.objects.get(username="root")
    assert (root.first_name, root.email) == ("", "")
    assert root.is_active
    assert root.reviewer.capacity == Reviewer.DEFAULT_CAPACITY
    assert not root.groups.exists()
    assert root.check_password(PASSWORD)
    assert Authenticator.objects.filter(user=root).count() == 2
    assert "/invitation/" not in response.content.decode()


def test_an_admin_cannot_let_a_deactivated_superuser_in_again(
    as_user: AsUser, ada: User, root: User
) -> None:
    User.objects.filter(pk=root.pk).update(is_active=False)
    as_user(ada).post("/people/root/reactivate/")
    assert not User.objects.get(username="root").is_active


def test_a_superuser_changes_a_superuser(as_user: AsUser, root: User) -> None:
    other = User.objects.create_superuser("boss")
    client = as_user(root)
    response = client.post("/people/boss/", fields(name="Boss", roles=[]))
    assert response.status_code == 302
    client.post("/people/boss/deactivate/")
    other.refresh_from_db()
    assert other.first_name == "Boss"
    assert other.is_superuser
    assert not other.is_active


# --- Deactivating and letting in again ------------------------------------------------------------


def test_deactivating_ends_open_sessions_and_keeps_everything(
    as_user: AsUser, ada: User, rita: User
) -> None:
    today = timezone.localdate()
    rita.reviewer.absences.create(first_date=today, last_date=today)
    browser = as_user(rita)
    assert browser.get("/").status_code == 200
    response = as_user(ada).post("/people/rita/deactivate/", follow=True)
    assert "rita can no longer sign in. All their work is kept." in response.content.decode()
    assert browser.get("/").headers["Location"].startswith("/sign-in/")
    after = User.objects.get(username="rita")
    assert not after.is_active
    assert find_roles(after) == {Role.REVIEWER}
    assert Absence.objects.filter(reviewer__user=after).count() == 1


def test_somebody_deactivated_cannot_sign_in(as_user: AsUser, ada: User, rita: User) -> None:
    as_user(ada).post("/people/rita/deactivate/")
    browser = Client()
    browser.post("/sign-in/", {"login": "rita", "password": PASSWORD})
    assert browser.get("/").status_code == 302


def test_somebody_let_in_again_signs_in_with_the_old_password(
    as_user: AsUser, ada: User, rita: User
) -> None:
    client = as_user(ada)
    client.post("/people/rita/deactivate/")
    response = client.post("/people/rita/reactivate/", follow=True)
    assert "rita can sign in again." in response.content.decode()
    browser = Client()
    browser.post("/sign-in/", {"login": "rita", "password": PASSWORD})
    assert browser.get("/").status_code == 200


def test_deactivating_and_letting_in_twice_is_the_same_as_once(
    as_user: AsUser, ada: User, rita: User
) -> None:
    client = as_user(ada)
    for act, is_active in [("deactivate", False), ("reactivate", True)]:
        for _time in range(2):
            assert client.post(f"/people/rita/{act}/").status_code == 302
            assert User.objects.get(username="rita").is_active is is_active


def test_the_page_offers_what_fits_the_state(as_user: AsUser, ada: User, rita: User) -> None:
    client = as_user(ada)
    page = client.get("/people/rita/").content.decode()
    assert 'action="/people/rita/deactivate/"' in page
    assert 'action="/people/rita/link/"' in page
    assert 'action="/people/rita/reactivate/"' not in page
    client.post("/people/rita/deactivate/")
    page = client.get("/people/rita/").content.decode()
    assert 'action="/people/rita/reactivate/"' in page
    assert 'action="/people/rita/deactivate/"' not in page
    assert 'action="/people/rita/link/"' not in page


def test_there_is_no_way_to_delete_somebody(as_user: AsUser, ada: User, rita: User) -> None:
    client = as_user(ada)
    page = client.get("/people/rita/").content.decode()
    assert "delete" not in page.lower()
    assert client.delete("/people/rita/").status_code == 405
    assert client.post("/people/rita/delete/").status_code == 404
    assert User.objects.filter(username="rita").exists()


# --- The second factor ----------------------------------------------------------------------------


def test_resetting_takes_the_codes_of_this_person_only(
    as_user: AsUser, ada: User, rita: User, omar: User
) -> None:
    switch_second_factor_on(rita)
    switch_second_factor_on(omar)
    response = as_user(ada).post("/people/rita/reset-second-factor/", follow=True)
    assert "rita now signs in with the password only." in response.content.decode()
    assert not Authenticator.objects.filter(user=rita).exists()
    assert Authenticator.objects.filter(user=omar).count() == 2


def test_after_a_reset_the_password_alone_is_enough(as_user: AsUser, ada: User, rita: User) -> None:
    switch_second_factor_on(rita)
    browser = Client()
    browser.post("/sign-in/", {"login": "rita", "password": PASSWORD})
    assert browser.get("/").status_code == 302
    as_user(ada).post("/people/rita/reset-second-factor/")
    browser = Client()
    browser.post("/sign-in/", {"login": "rita", "password": PASSWORD})
    assert browser.get("/").status_code == 200


def test_a_reset_is_offered_only_where_there_is_something_to_reset(
    as_user: AsUser, ada: User, rita: User
) -> None:
    address = 'action="/people/rita/reset-second-factor/"'
    client = as_user(ada)
    assert address not in client.get("/people/rita/").content.decode()
    switch_second_factor_on(rita)
    assert address in client.get("/people/rita/").content.decode()


# --- What the database itself refuses -------------------------------------------------------------


def test_the_database_keeps_capacity_within_bounds(rita: User) -> None:
    mine = Reviewer.objects.filter(user=rita)
    mine.update(capacity=500)
    with pytest.raises(IntegrityError), transaction.atomic():
        mine.update(capacity=501)
    assert Reviewer.objects.get(user=rita).capacity == 500


@pytest.mark.parametrize("languages", [[], ["zh"], ["en", "es"]])
def test_known_languages_are_valid(rita: User, languages: list[str]) -> None:
    rita.reviewer.languages = languages
    rita.reviewer.full_clean()


@pytest.mark.parametrize("languages", [["xx"], ["zh", "xx"], "zh", {"zh": 1}, [["zh"]]])
def test_other_languages_are_not_valid(rita: User, languages: object) -> None:
    rita.reviewer.languages = languages
    with pytest.raises(ValidationError):
        rita.reviewer.full_clean()
