"""Making the people of the tests."""

from django.contrib.auth.models import Group, User

from evalsite.permissions import GROUP_OF, Role
from reviews import people

PASSWORD = "correct horse battery"


def make_person(username: str, *roles: Role, languages: tuple[str, ...] = ("zh", "en")) -> User:
    make_groups()
    user = people.invite(
        username=username,
        name="",
        email=f"{username}@example.com",
        roles=roles,
        capacity=20,
        languages=list(languages),
        interface_language="en",
    )
    user.set_password(PASSWORD)
    user.save(update_fields=["password"])
    return user


def make_groups() -> None:
    """A transactional test ends with a flush, which takes the groups of the migration with it."""
    missing = set(GROUP_OF.values()) - set(Group.objects.values_list("name", flat=True))
    if missing:
        Group.objects.bulk_create(Group(name=name) for name in sorted(missing))
