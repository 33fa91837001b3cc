"""The people of the tests: rita, omar and wei review, ada administers, mina manages, sam is a
stranger with an account and no role, root is a superuser."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from cases.models import Rubric
from cases.publishing import publish_shipped
from evalsite.permissions import Role
from tests.people import PASSWORD, make_person


@pytest.fixture
def rita(db: None) -> User:
    return make_person("rita", Role.REVIEWER)


@pytest.fixture
def omar(db: None) -> User:
    return make_person("omar", Role.REVIEWER)


@pytest.fixture
def ada(db: None) -> User:
    return make_person("ada", Role.ADMIN)


@pytest.fixture
def mina(db: None) -> User:
    return make_person("mina", Role.MANAGER)


@pytest.fixture
def sam(db: None) -> User:
    return make_person("sam")


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", password=PASSWORD)


@pytest.fixture
def rubric(db: None) -> Rubric:
    """The shipped rubric as version 1, in English and Chinese."""
    return publish_shipped(now=timezone.now()).version


@pytest.fixture
def as_user() -> Callable[[User | None], Client]:
    def signed_in(user: User | None) -> Client:
        client = Client()
        if user is not None:
            client.force_login(user)
        return client

    return signed_in
