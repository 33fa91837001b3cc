"""Damaged files: refused in words by command and page alike, and nothing is written."""

import re
from collections.abc import Iterator
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import imports
from cases.imports.checking import Located
from cases.models import Release, Rubric
from tests.bed import soak
from tests.bed.cases import (
    NOW,
    database_digest,
    import_lines,
    lines,
    make_case,
    make_release,
    refusal_of,
    source,
    told,
)
from tests.cases.imports.damaged_files import DAMAGED, GOOD, HARMLESS, WRONG_TYPES, Damage, valued
from tests.people import AsUser

EVERY_DAMAGE = pytest.mark.parametrize("damage", DAMAGED, ids=str)


@pytest.fixture
def release(rubric: Rubric) -> Release:
    """Holds a case already, so that there is something to spoil."""
    release = make_release(rubric=rubric)
    import_lines(release, lines(make_case("yunxi-02", tags=["held"])))
    return release


def load(release: Release, *files: Path) -> str:
    out = StringIO()
    call_command("import_cases", release.name, *map(str, files), stdout=out, stderr=out)
    return out.getvalue()


def post_file(client: Client, release: Release, content: bytes) -> tuple[int, str]:
    file = SimpleUploadedFile("cases.jsonl", content)
    response = client.post(f"/releases/{release.name}/import/", {"format": "auto", "file": file})
    return response.status_code, unescape(re.sub("<[^>]*>", "", response.content.decode()))


def test_there_are_as_many_kinds_of_damage_as_were_asked_for() -> None:
    assert len(DAMAGED) >= 60
    assert len({damage.name for damage in DAMAGED}) == len(DAMAGED)
    assert len({damage.content for damage in DAMAGED}) == len(DAMAGED)


def test_the_file_is_good_before_it_is_damaged() -> None:
    imports.check([source(GOOD)], imports.Options()).spool.close()


@EVERY_DAMAGE
def test_what_is_said_about_it(damage: Damage) -> None:
    said = told(refusal_of(damage.content))
    assert said[0].startswith(damage.says)
    assert all(re.fullmatch(r"\d+: .+\.", text, re.DOTALL) for text in said)


def refused_by_command(release: Release, content: bytes, folder: Path) -> list[str]:
    file = folder / "cases.jsonl"
    file.write_bytes(content)
    with pytest.raises(CommandError) as refused:
        load(release, file)
    assert refused.value.returncode == 1
    return str(refused.value).replace(f"{file}:", "").splitlines()


# In portions: a failure leaves the others to be seen.
@pytest.mark.parametrize("portion", range(6))
def test_it_is_refused_on_both_ways_in_and_nothing_is_written(
    portion: int, release: Release, as_user: AsUser, ada: User, tmp_path: Path
) -> None:
    client = as_user(ada)
    assert client.get("/").status_code == 200
    before = database_digest()
    for damage in DAMAGED[portion::6]:
        first = refusal_of(damage.content).problems[0]
        sentences = refused_by_command(release, damage.content, tmp_path)
        place = f"{first.line}:" if first.line else ""
        assert sentences[0] == f"{place} {first.problem}", damage.name
        assert sentences[-1] == "Nothing was written.", damage.name

        status, page = post_file(client, release, damage.content)
        place = f"Line {first.line}: " if first.line else ""
        words = f"{place}{first.problem}" if damage.content else "The submitted file is empty."
        assert (status, words in page) == (422, True), damage.name
        assert "Nothing was imported." in page or not damage.content, damage.name

        assert database_digest() == before, damage.name


def test_what_is_just_inside_the_limits_is_taken_on_both_ways_in(
    release: Release, as_user: AsUser, ada: User, tmp_path: Path
) -> None:
    client = as_user(ada)
    file = tmp_path / "cases.jsonl"
    for kind, make in HARMLESS.items():
        content = make()
        assert post_file(client, release, content)[0] == 302, kind
        file.write_bytes(content)
        said = load(release, file)
        assert "Import " in said, kind
        number = int(said.split("Import ")[1].rstrip(".\n"))
        imports.undo_import(release=release, number=number, user=None, now=NOW)


# --- Damage by chance -----------------------------------------------------------------------------

tried: list[Any] = []


@pytest.fixture(autouse=True)
def reported(request: pytest.FixtureRequest) -> Iterator[None]:
    """What `make soak` prints of each property."""
    tried.clear()
    failed_before = request.session.testsfailed
    yield
    if request.node.get_closest_marker("soak"):
        bad = request.session.testsfailed - failed_before
        soak.report(request.node.name, tried=len(tried), bad=bad)


by_chance = settings(max_examples=soak.size(short=25, long=10_000), deadline=None)


def problems_of(content: bytes) -> list[Located]:
    try:
        imports.check([source(content)], imports.Options()).spool.close()
    except imports.BadFile as refusal:
        return refusal.problems
    return []


def check_is_read_or_refused(content: bytes) -> None:
    """Nothing but Refused may come of it, with a line and a sentence for every problem."""
    tried.append(content)
    last = content.count(b"\n") + 2
    assert all(0 <= problem.line <= last for problem in problems_of(content))
    assert all(problem.problem.sentence for problem in problems_of(content))


@pytest.mark.soak
@by_chance
@given(flips=st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 7)), min_size=1))
def test_flipped_bits_are_read_or_refused(flips: list[tuple[int, int]]) -> None:
    content = bytearray(GOOD)
    for place, bit in flips:
        content[place] ^= 1 << bit
    check_is_read_or_refused(bytes(content))


@pytest.mark.soak
@by_chance
@given(first=st.integers(0, len(GOOD)), last=st.integers(0, len(GOOD)), filling=st.binary())
def test_a_piece_replaced_by_anything_is_read_or_refused(
    first: int, last: int, filling: bytes
) -> None:
    check_is_read_or_refused(GOOD[: min(first, last)] + filling + GOOD[max(first, last) :])


@pytest.mark.soak
@by_chance
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    check_is_read_or_refused(content)
    check_is_read_or_refused(b"\x1f\x8b" + content)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.soak
@by_chance
@given(path=st.sampled_from(sorted(WRONG_TYPES)), value=anything)
def test_any_value_in_any_field_is_read_or_refused(path: str, value: Any) -> None:
    check_is_read_or_refused(valued(path, value))
