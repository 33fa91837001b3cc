"""What tests begin with is what the product makes."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache
from django.forms.models import model_to_dict
from django.test import Client, TransactionTestCase

from evalsite.permissions import Role
from reviews.people import workflow as people_workflow
from tests.people import PASSWORD, make_person, sign_in


def columns_of(user: User) -> dict[str, object]:
    """All but the keys and moments, and what nobody knows of a password."""
    found = model_to_dict(user, exclude=["id", "password", "date_joined", "groups"])
    found |= model_to_dict(user.reviewer, exclude=["id", "user"])
    return found | {"groups": sorted(user.groups.values_list("name", flat=True))}


@pytest.mark.parametrize("roles", [(), (Role.REVIEWER,), (Role.ADMIN, Role.MANAGER)])
def test_a_person_of_the_tests_is_one_who_was_invited(db: None, roles: tuple[Role, ...]) -> None:
    made = make_person("rita", *roles)
    found = columns_of(made)
    assert made.check_password(PASSWORD)
    made.reviewer.delete()
    made.delete()
    invited = people_workflow.invite(
        username="rita",
        name="",
        email="rita@example.com",
        roles=roles,
        capacity=20,
        languages=["zh", "en"],
        interface_language="en",
    )
    assert columns_of(invited) == found


def test_a_test_with_transactions_leaves_what_the_migrations_wrote(
    transactional_db: None,
) -> None:
    def written() -> list[object]:
        models = (Group, Permission, ContentType)
        return [list(model._default_manager.order_by("pk").values()) for model in models]

    before = written()
    assert all(before)
    make_person("rita", Role.REVIEWER)
    cache.set("guesses", 3)
    TransactionTestCase()._fixture_teardown()  # type: ignore[attr-defined]
    assert not User.objects.exists()
    assert cache.get("guesses") is None
    assert written() == before


def test_a_session_of_the_tests_is_one_of_somebody_who_signed_in(rita: User) -> None:
    ours, theirs = Client(), Client()
    sign_in(ours, rita)
    theirs.force_login(rita)
    assert dict(ours.session) == dict(theirs.session)
    assert ours.get("/account/").status_code == 200
