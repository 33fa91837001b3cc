"""Making the people of the tests, and their sessions."""

from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, User
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

from evalsite.permissions import GROUP_OF, Role
from reviews.models import Reviewer

PASSWORD = "correct horse battery"

AsUser = Callable[[User | None], Client]  # the fixture `as_user`


@cache
def hashed(password: str, _hashers: tuple[str, ...]) -> str:
    return make_password(password)


def make_person(username: str, *roles: Role, languages: tuple[str, ...] = ("zh", "en")) -> User:
    """As `reviews.people.workflow.invite` makes them, in half the statements; a test compares."""
    password = hashed(PASSWORD, tuple(settings.PASSWORD_HASHERS))
    user = User.objects.create(
        username=username, email=f"{username}@example.com", password=password
    )
    groups = make_groups()
    User.groups.through.objects.bulk_create(
        User.groups.through(user=user, group_id=groups[GROUP_OF[role]]) for role in roles
    )
    Reviewer.objects.create(
        user=user, capacity=20, languages=list(languages), interface_language="en"
    )
    return user


def also(user: User, role: Role) -> User:
    """The same person, with one role more."""
    user.groups.add(make_groups()[GROUP_OF[role]])
    return user


def make_groups() -> dict[str, int]:
    """A transactional test ends with a flush, which takes the groups of the migration with it."""
    found = dict(Group.objects.values_list("name", "pk"))
    if missing := set(GROUP_OF.values()) - set(found):
        made = Group.objects.bulk_create(Group(name=name) for name in sorted(missing))
        found |= {one.name: one.pk for one in made}
    return found


def sign_in(client: Client, user: User) -> None:
    """As `force_login` does, without what nobody looks at."""
    session = SessionStore()
    session.update(
        {
            SESSION_KEY: str(user.pk),
            BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[0],
            HASH_SESSION_KEY: user.get_session_auth_hash(),
        }
    )
    session.create()
    client.cookies[settings.SESSION_COOKIE_NAME] = str(session.session_key)
