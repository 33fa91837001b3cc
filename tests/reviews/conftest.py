"""Who the tests of the pages sign in as."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.people import AsUser


@pytest.fixture
def admin(as_user: AsUser, ada: User) -> Client:
    return as_user(ada)


@pytest.fixture
def manager(as_user: AsUser, mina: User) -> Client:
    return as_user(mina)


@pytest.fixture
def reviewers(rita: User, omar: User) -> tuple[User, User]:
    return rita, omar
