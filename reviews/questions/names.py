"""Find the people, cases and releases that a text names, because everyone will read it."""

import re
from collections.abc import Iterator

from django.contrib.auth.models import User

from cases.models import Case, Release


def find_in_ruling(text: str, release: Release, case: Case) -> list[str]:
    """List the names in a ruling that nobody may learn from it.

    Words that the rubric uses itself, such as "may", name a person or another case only by chance.
    """
    own = [name for name in (case.code, case.case_key, release.name) if is_named(name, text)]
    others = [*list_people(), *list_cases(release, "case_key", "code")]
    return list(dict.fromkeys([*own, *find_uncommon(others, text, release)]))


def find_in_question(text: str, release: Release) -> list[str]:
    """List the people and the codes of cases in a question.

    Case keys are not looked for: a refusal would tell reviewers that there is such a case.
    """
    return find_uncommon([*list_people(), *list_cases(release, "code")], text, release)


def find_uncommon(names: list[str], text: str, release: Release) -> list[str]:
    """List the names in a text that the rubric does not use as words."""
    lowered = text.lower()
    found = [name for name in names if name.lower() in lowered and is_named(name, text)]
    if not found:
        return []
    rubric = " ".join(words.text for words in release.rubric.texts().values())
    return list(dict.fromkeys(name for name in found if not is_named(name, rubric)))


def list_people() -> Iterator[str]:
    for person in User.objects.only("username", "first_name", "last_name"):
        yield person.get_username()
        yield person.get_full_name()


def list_cases(release: Release, *fields: str) -> Iterator[str]:
    for row in release.cases.values_list(*fields):
        yield from row


def is_named(name: str, text: str) -> bool:
    """Return whether the text has the name as a word.

    Ignores short numbers, because "2" may be 2 hours, and single characters.
    """
    if len(name) < 2 or (len(name) < 4 and name.isdigit()):
        return False
    word = rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])"
    return re.search(word, text, re.IGNORECASE) is not None
