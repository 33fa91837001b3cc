"""There is always an active admin, whoever tries what, and when."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client

from evalsite.permissions import Role, find_roles
from reviews.people import workflow as people_workflow
from tests.bed import soak
from tests.people import AsUser, make_person

REFUSAL = "This is the last active admin."


@pytest.fixture
def bea(db: None) -> User:
    """A second admin."""
    return make_person("bea", Role.ADMIN)


def demote_on_page(client: Client, username: str) -> str:
    """Take the role of admin away and change the name besides; the page that follows."""
    fields = {"name": "Changed", "email": "", "roles": ["reviewer"], "capacity": "1"}
    return client.post(f"/people/{username}/", fields, follow=True).content.decode()


def deactivate_on_page(client: Client, username: str) -> str:
    return client.post(f"/people/{username}/deactivate/", follow=True).content.decode()


ON_PAGE = pytest.mark.parametrize("remove", [demote_on_page, deactivate_on_page])
Remove = Callable[[Client, str], str]


def active_admins() -> list[str]:
    admins = User.objects.filter(is_active=True, groups__name="Admins")
    return sorted(admins.values_list("username", flat=True))


# --- One after the other --------------------------------------------------------------------------


@ON_PAGE
def test_the_last_admin_cannot_remove_themselves(
    as_user: AsUser, ada: User, remove: Remove
) -> None:
    client = as_user(ada)
    assert REFUSAL in remove(client, "ada")
    assert active_admins() == ["ada"]
    assert client.get("/people/").status_code == 200


@ON_PAGE
def test_not_even_a_superuser_removes_the_last_admin(
    as_user: AsUser, ada: User, root: User, remove: Remove
) -> None:
    assert REFUSAL in remove(as_user(root), "ada")
    assert active_admins() == ["ada"]


def test_a_refused_demotion_saves_nothing_at_all(as_user: AsUser, ada: User) -> None:
    response = as_user(ada).post(
        "/people/ada/", {"name": "Changed", "email": "", "roles": [], "capacity": "1"}
    )
    assert response.status_code == 422
    ada = User.objects.get(username="ada")
    assert (ada.first_name, ada.email) == ("", "ada@example.com")
    assert ada.reviewer.capacity == 20
    assert find_roles(ada) == {Role.ADMIN}


@ON_PAGE
def test_one_of_two_admins_may_remove_the_other(
    as_user: AsUser, ada: User, bea: User, remove: Remove
) -> None:
    assert REFUSAL not in remove(as_user(ada), "bea")
    assert active_admins() == ["ada"]
    assert REFUSAL in remove(as_user(ada), "ada")
    assert active_admins() == ["ada"]


@ON_PAGE
def test_one_of_two_admins_may_remove_themselves(
    as_user: AsUser, ada: User, bea: User, remove: Remove
) -> None:
    remove(as_user(ada), "ada")
    assert active_admins() == ["bea"]


@ON_PAGE
def test_a_deactivated_admin_does_not_count(
    as_user: AsUser, ada: User, bea: User, remove: Remove
) -> None:
    User.objects.filter(pk=bea.pk).update(is_active=False)
    client = as_user(ada)
    assert REFUSAL in remove(client, "ada")
    client.post("/people/bea/reactivate/")
    remove(client, "ada")
    assert active_admins() == ["bea"]


@ON_PAGE
def test_reviewers_and_managers_do_not_count(
    as_user: AsUser, ada: User, rita: User, mina: User, remove: Remove
) -> None:
    assert REFUSAL in remove(as_user(ada), "ada")
    assert active_admins() == ["ada"]


@ON_PAGE
def test_a_deactivated_admin_can_be_changed_beside_an_active_one(
    as_user: AsUser, ada: User, bea: User, remove: Remove
) -> None:
    User.objects.filter(pk=bea.pk).update(is_active=False)
    assert REFUSAL not in remove(as_user(ada), "bea")
    assert active_admins() == ["ada"]


def test_the_last_admin_may_change_all_but_the_role(as_user: AsUser, ada: User) -> None:
    fields = {"name": "Ada", "email": "", "roles": ["admin", "manager"], "capacity": "1"}
    assert as_user(ada).post("/people/ada/", fields).status_code == 302
    ada = User.objects.get(username="ada")
    assert ada.first_name == "Ada"
    assert find_roles(ada) == {Role.ADMIN, Role.MANAGER}


def test_an_admin_who_makes_another_one_may_leave(as_user: AsUser, ada: User, rita: User) -> None:
    client = as_user(ada)
    fields = {"name": "", "email": "", "roles": ["reviewer", "admin"], "capacity": "20"}
    client.post("/people/rita/", fields)
    deactivate_on_page(client, "ada")
    assert active_admins() == ["rita"]


@ON_PAGE
def test_others_can_be_removed_however_many_admins_there_are(
    as_user: AsUser, ada: User, mina: User, remove: Remove
) -> None:
    assert REFUSAL not in remove(as_user(ada), "mina")
    mina = User.objects.get(username="mina")
    assert not mina.is_active or find_roles(mina) == {Role.REVIEWER}


# --- At the same moment ---------------------------------------------------------------------------


@pytest.fixture
def both_have_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has seen that another admin is left waits for the other one to have seen it too.

    Where only one at a time may look, nobody comes, and the wait ends by itself.
    """
    meeting = Barrier(2)
    look = people_workflow.check_not_last_admin

    def look_and_wait(user: User) -> None:
        look(user)
        with suppress(BrokenBarrierError):
            meeting.wait(timeout=0.5)

    monkeypatch.setattr(people_workflow, "check_not_last_admin", look_and_wait)


def at_the_same_moment(*acts: Callable[[], str]) -> list[str]:
    """What each act returned, each run in a thread and on a connection of its own."""
    start = Barrier(len(acts))

    def run(act: Callable[[], str]) -> str:
        try:
            start.wait(timeout=300)
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def deactivate(by: User, user: User) -> str:
    try:
        people_workflow.deactivate(by=by, user=user)
    except people_workflow.LastAdmin:
        return "refused"
    return "done"


def demote(by: User, user: User) -> str:
    try:
        people_workflow.change(
            by=by,
            user=user,
            name="",
            email="",
            roles={Role.REVIEWER},
            capacity=20,
            languages=[],
        )
    except people_workflow.LastAdmin:
        return "refused"
    return "done"


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
@pytest.mark.parametrize(
    ("first", "second"),
    [(deactivate, deactivate), (demote, demote), (deactivate, demote)],
    ids=["deactivating", "demoting", "one of each"],
)
def test_of_two_admins_who_remove_each_other_exactly_one_succeeds(
    ada: User,
    bea: User,
    both_have_looked: None,
    first: Callable[[User, User], str],
    second: Callable[[User, User], str],
) -> None:
    answers = at_the_same_moment(lambda: first(ada, bea), lambda: second(bea, ada))
    assert sorted(answers) == ["done", "refused"]
    assert active_admins() == [["ada"], ["bea"]][answers.index("done")]


@pytest.mark.soak
@pytest.mark.django_db(transaction=True)
def test_however_often_two_admins_remove_each_other_one_is_left(ada: User, bea: User) -> None:
    rounds = soak.size(short=5, long=200)
    bad = 0
    for _ in range(rounds):
        at_the_same_moment(lambda: deactivate(ada, bea), lambda: deactivate(bea, ada))
        bad += len(active_admins()) != 1
        User.objects.update(is_active=True)
    soak.report("two admins deactivate each other at once", tried=rounds, bad=bad)
    assert bad == 0


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_of_two_admins_who_leave_exactly_one_succeeds(
    ada: User, bea: User, both_have_looked: None
) -> None:
    answers = at_the_same_moment(lambda: deactivate(ada, ada), lambda: demote(bea, bea))
    assert sorted(answers) == ["done", "refused"]
    assert len(active_admins()) == 1


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
@ON_PAGE
def test_of_two_admins_who_remove_each_other_on_the_pages_one_is_left(
    as_user: AsUser, ada: User, bea: User, both_have_looked: None, remove: Remove
) -> None:
    of_ada, of_bea = as_user(ada), as_user(bea)
    at_the_same_moment(lambda: remove(of_ada, "bea"), lambda: remove(of_bea, "ada"))
    [left] = active_admins()
    client = {"ada": of_ada, "bea": of_bea}[left]
    assert client.get("/people/").status_code == 200
