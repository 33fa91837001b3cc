"""What came out, by script: the same as on the pages, and cheap to ask for again."""

import hashlib
import io
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cases.models import Release
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases.gate import build_document, load_outcome
from reviews.report import summary
from tests.bed import reviewed as bed
from tests.bed.api import Script, code
from tests.bed.cases import NOW

R = "releases/wanderer-1/"


@pytest.fixture
def script(mina: User) -> Script:
    return Script(session=mina)


@pytest.fixture
def closed(rita: User, omar: User, mina: User) -> None:
    release = bed.started()
    bed.put_reviews(release, rita, omar)
    releases_lifecycle.close(release=bed.current(release), user=None, now=NOW)


def content(answer: Any) -> bytes:
    """Read to its end, which closes the file behind it."""
    return b"".join(answer.streaming_content) if answer.streaming else bytes(answer.content)


def test_the_verdict_is_that_of_the_gate(script: Script, closed: None) -> None:
    told = script.get(f"{R}verdict/").json()
    assert told == build_document(load_outcome(Release.objects.get()), site="http://testserver")
    assert (told["final"], told["provisional"], told["submitted"]) == (told["verdict"], False, 10)


def test_a_draft_has_not_earned_a_verdict(script: Script) -> None:
    bed.filled()
    told = script.get(f"{R}verdict/").json()
    assert (told["final"], told["status"]) == ("NOT ENOUGH EVIDENCE", "draft")
    assert code(script.get(f"{R}export.zip")) == (409, "release_not_started")


def test_the_summary_is_byte_for_byte_what_is_signed(script: Script, closed: None) -> None:
    answer = script.get(f"{R}summary/")
    digest = script.get(f"{R}verdict/").json()["digest"]
    assert hashlib.sha256(answer.content).hexdigest() == digest
    summary.read(answer.content.decode())


@pytest.mark.parametrize("what", ["verdict/", "summary/", "export.csv?shape=cases"])
def test_what_is_known_is_not_sent_again(what: str, script: Script, rita: User) -> None:
    release = bed.started()
    first = script.get(R + what)
    assert first["Cache-Control"] == "private, no-cache"
    assert content(first)
    tag = first["ETag"]
    with CaptureQueriesContext(connection) as asked:
        again = script.get(R + what, If_None_Match=f'"other", W/{tag}')
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag)
    assert len(asked) <= 12
    bed.review(release, "feast", rita)
    changed = script.get(R + what, If_None_Match=tag)
    assert content(changed)
    assert changed.status_code == 200
    assert changed["ETag"] != tag


def test_the_verdict_speaks_the_language_asked_for(mina: User, closed: None) -> None:
    english = Script(session=mina).get(f"{R}verdict/")
    chinese = Script(session=mina, language="zh-hans").get(f"{R}verdict/")
    assert english.json()["sentence"] != chinese.json()["sentence"]
    assert english["ETag"] != chinese["ETag"]


def test_two_releases_are_compared(script: Script, closed: None, rita: User, omar: User) -> None:
    later = bed.started("wanderer-2")
    bed.put_reviews(later, rita, omar, value=3)
    told = script.get("releases/wanderer-2/compare/?with=wanderer-1").json()
    assert {
        one["metric"]: (one["before"], one["after"]) for one in told["metrics"]
    } == dict.fromkeys(bed.METRICS, (4.0, 3.0))
    assert script.get("releases/wanderer-2/compare/").status_code == 404
    assert script.get("releases/wanderer-2/compare/?with=nothing").status_code == 404
    assert code(script.get("releases/wanderer-2/compare/?with=")) == (404, "not_found")


def test_files_are_handed_out(script: Script, closed: None) -> None:
    table = script.get(f"{R}export.csv?shape=long")
    assert table["Content-Type"].startswith("text/csv")
    assert b"personalization" in content(table)
    bundle = content(script.get(f"{R}export.zip"))
    assert "summary.json" in " ".join(zipfile.ZipFile(io.BytesIO(bundle)).namelist())
    assert code(script.get(f"{R}export.csv?shape=x")) == (400, "bad_parameter")
