"""Make the floor's tables and fill them; DATABASE_URL says where."""

import os
from datetime import UTC, datetime

import django

from tests.bench import PASSWORD_VARIABLE

ITEMS = 1000


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.bench.floor.settings"
    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from tests.bench.floor.models import Item

    call_command("migrate", run_syncdb=True, verbosity=0)
    User.objects.create_user("floor", password=os.environ[PASSWORD_VARIABLE])
    Item.objects.bulk_create(
        Item(
            key=f"item-{number:04}",
            title=f"Four days in Lisbon with two children, number {number}",
            kind="family",
            number=number,
            made_at=datetime(2026, 1, 1, tzinfo=UTC),
            lines=[
                f"Stop {stop}: tram 28, castle, and lunch by the river" for stop in range(1, 25)
            ],
        )
        for number in range(ITEMS)
    )


if __name__ == "__main__":
    main()
