"""A release in which all happened that a bundle can tell of, and bundles that were changed."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import time_machine
from django.contrib.auth.models import User

from cases.models import Release
from cases.releases import workflow as releases_workflow
from cases.tags import workflow as tags_workflow
from evalsite.permissions import Role
from reviews.adjudication import workflow as adjudication_workflow
from reviews.desk import judgement as said
from reviews.export.files import BUNDLE
from reviews.questions import workflow as questions_workflow
from reviews.releases import lifecycle as releases_lifecycle
from reviews.releases.decision import sign
from reviews.sample import amendments
from tests.bed import reviewed as bed
from tests.bed.cases import NOW
from tests.people import make_person

LATER = NOW + timedelta(hours=1)
# The bundle of `eventful`, by the last code that checked it without a database.
EARLIER = Path(__file__).parent / "bundle-0.1.0.zip"
EVIDENCE = [{"kind": "quote", "ref": "/plan/title#0-2", "text": "云溪"}]


@time_machine.travel(NOW, tick=False)
def eventful(name: str = "wanderer-2") -> Release:
    """Drawn twice, a case excluded, one withdrawn, reviews revised, flagged, settled and waived."""
    rita, omar, wei = (make_person(one, Role.REVIEWER) for one in ("rita", "omar", "wei"))
    mina = make_person("mina", Role.MANAGER)
    baseline = closed_baseline(rita, omar)
    release = bed.filled(name)
    release = releases_workflow.change(release=release, baseline=baseline, user=mina, now=NOW)
    codes = release.cases.filter(case_key="spare-3").values_list("code", flat=True)
    tags_workflow.exclude(
        release=release, codes=list(codes), reason="a test trip", user=mina, now=NOW
    )
    bed.draw(release)
    bed.bring(release, bed.row("late", "family"), bed.row("cheap", "low-budget"))
    bed.draw(release, size=6)
    releases_lifecycle.start(release=release, user=mina, now=NOW)
    judge(release, rita, omar, wei)
    came = amendments.withdraw(
        release=release,
        case_key="thrift",
        cause="broken",
        reason="its plan is cut off",
        user=mina,
        now=NOW,
    )
    assert came
    bed.review(release, came, rita, 4)
    settle(release, omar, mina)
    closing = releases_lifecycle.close(
        release=release,
        user=mina,
        now=NOW,
        waived=["reviews", "adjudications"],
        reason="omar is ill",
    )
    sign(
        release=release,
        decision="do-not-ship",
        reason="Two trips are poor.",
        digest=closing.digest,
        user=mina,
        now=LATER,
    )
    return bed.current(release)


def closed_baseline(*people: User) -> Release:
    baseline = bed.started("wanderer-1")
    bed.put_reviews(baseline, *people, value=5)
    releases_lifecycle.close(release=baseline, user=None, now=NOW)
    return bed.current(baseline)


def judge(release: Release, rita: User, omar: User, wei: User) -> None:
    for place, case_key in enumerate(bed.sampled(release)):
        bed.review(release, case_key, rita, 3 + place % 2)
        if case_key not in ("rush", "ramp"):
            bed.submit(bed.assign(release, case_key, omar), told(3 + place % 3))
    bed.review(release, "rush", wei, 4, usability_value=1)
    flagged = bed.flag(release, "ramp", omar, "harmful")
    assert flagged.outcome == "open"
    bed.submit(bed.assign(release, "kids", rita), told(2), reason="read it again")
    bed.ask(release, "rush", wei)


def told(value: int) -> said.Judgement:
    """With words that a spreadsheet would take for a formula, and with evidence."""
    data = said.to_data(bed.judgement(value, comment='=HYPERLINK("x")'))
    data["scores"][bed.METRICS[0]] = {
        "value": value,
        "rationale": "-2 + 3\r\n第二行",
        "evidence": EVIDENCE,
    }
    data["answers"][bed.ITEMS[1]] = {"answer": "no", "note": "@two lunches"}
    data["answers"][bed.ITEMS[2]] = {"answer": "na"}
    return said.from_data(data)


def settle(release: Release, omar: User, mina: User) -> None:
    bed.look(release, mina)
    bed.settle(release, "rush", mina, usability_value=3)
    [flag] = release.flags.all()
    adjudication_workflow.judge_flag(
        flag=flag.pk, outcome="rejected", reason="harmless", user=mina, now=NOW
    )
    ada = make_person("ada", Role.ADMIN)
    [question] = release.questions.all()
    questions_workflow.answer(question=question.pk, text="A picnic counts.", user=ada, now=NOW)


# --- Bundles --------------------------------------------------------------------------------------


def bundled(release: Release) -> bytes:
    return b"".join(BUNDLE.parts(release))


class Forged:
    """A bundle that somebody changes, who also repairs the digests of the manifest."""

    def __init__(self, data: bytes) -> None:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            self.files = {name: archive.read(name) for name in archive.namelist()}

    def text(self, name: str, old: str, new: str) -> "Forged":
        """Changed once, and it has to be there."""
        content = self.files[name].decode()
        assert old in content
        self.files[name] = content.replace(old, new, 1).encode()
        return self

    def document(self, name: str, change: Callable[[Any], object]) -> "Forged":
        data = json.loads(self.files[name])
        change(data)
        self.files[name] = json.dumps(data, ensure_ascii=False).encode()
        return self

    def row(
        self, name: str, chosen: Callable[[Any], bool], change: Callable[[Any], object]
    ) -> "Forged":
        """The first row that fits."""
        rows = self.rows(name)
        row = next(one for one in rows if chosen(one))
        change(row)
        return self.put(name, rows)

    def rows(self, name: str) -> list[Any]:
        return [json.loads(line) for line in self.files[name].decode().split("\n") if line]

    def put(self, name: str, rows: list[Any]) -> "Forged":
        lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in rows)
        self.files[name] = "".join(lines).encode()
        return self

    def repaired(self) -> "Forged":
        manifest = json.loads(self.files["manifest.json"])
        manifest["files"] = [
            {
                "name": name,
                "bytes": len(content),
                "sha256": hashlib.sha256(content).hexdigest(),
            }
            for name, content in self.files.items()
            if name != "manifest.json"
        ]
        manifest["summary"] = hashlib.sha256(self.files["summary.json"]).hexdigest()
        self.files["manifest.json"] = json.dumps(manifest).encode()
        return self

    def write(self, path: Path) -> Path:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in self.files.items():
                archive.writestr(name, content)
        return path
