"""A started site as a pipeline meets it: a release of each verdict, and tokens for both jobs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from evalsite.models import Scope
from evalsite.permissions import Role
from tests import servers
from tests.bed import reviewed
from tests.bed.api import token_of
from tests.bed.servers import here
from tests.people import make_person

# Build -> its release is planner-BUILD.
GO, NO_GO, OPEN = "1041", "1042", "1043"


@dataclass(frozen=True)
class Stage:
    """Tokens: `push` opens drafts and fills them, `read` asks for verdicts."""

    url: str
    push: str
    read: str


def lay_down() -> dict[str, str]:
    """The tokens, by what they are for."""
    rita, omar = (make_person(name, Role.REVIEWER) for name in ("rita", "omar"))
    reviewed.judged(rita, omar, *reviewed.GOOD, name=f"planner-{GO}", events=True)
    reviewed.judged(rita, omar, *reviewed.BAD, name=f"planner-{NO_GO}", events=True)
    reviewed.judged(rita, omar, *reviewed.GOOD, name=f"planner-{OPEN}", close=False)
    return {
        "push": token_of(make_person("ada", Role.ADMIN), Scope.PUSH),
        "read": token_of(make_person("mina", Role.MANAGER), Scope.READ),
    }


@contextmanager
def started(database_url: str) -> Iterator[Stage]:
    """On a database that was migrated."""
    tokens = here(database_url, lay_down)
    with servers.site(database_url=database_url, env={"API_CALLS_PER_MINUTE": "10000"}) as site:
        yield Stage(site.url, **tokens)
