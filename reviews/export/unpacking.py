"""Reading a bundle that anybody may have made: nothing is unpacked to disk, sizes are bounded, and
whatever cannot be read is said in one sentence."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import msgspec

from .records import (
    FORMAT,
    AdjudicationRecord,
    CaseRecord,
    ClosingRecord,
    DecisionRecord,
    DrawRecord,
    EventRecord,
    ExclusionRecord,
    Manifest,
    PoolRecord,
    ReleaseRecord,
    ReviewRecord,
    RubricRecord,
    RulingRecord,
    WaiverRecord,
)

MEGABYTE = 2**20
# Of one file, of one line of it, and of all files together, unpacked.
MOST_OF_A_DOCUMENT = 512 * MEGABYTE
MOST_OF_A_LINE = 64 * MEGABYTE
MOST_OF_ALL = 2048 * MEGABYTE
MOST_FILES = 2_000
PORTION = 256 * 1024

DOCUMENTS = {"release.json", "rubric.json", "summary.json", "verdict.json"}
ROWS = {
    "rulings.jsonl",
    "draws.jsonl",
    "cases.jsonl",
    "exclusions.jsonl",
    "reviews.jsonl",
    "adjudications.jsonl",
    "waivers.jsonl",
    "events.jsonl",
    "closings.jsonl",
    "decisions.jsonl",
}
NEEDED = {"README.txt", "manifest.json"} | DOCUMENTS | ROWS
OPTIONAL = re.compile(
    r"baseline-summary\.json|rubric/[a-z-]{2,10}\.md|pools/[1-9][0-9]{0,5}\.jsonl"
)

Row = TypeVar("Row", bound=msgspec.Struct)


class NotABundle(Exception):
    """Why a file cannot be checked at all, in a sentence."""


@dataclass(frozen=True)
class Bundle:
    """All that a bundle says, each row of the shape it has to have."""

    manifest: Manifest
    release: ReleaseRecord
    rubric: RubricRecord
    texts: dict[str, str]
    rulings: list[RulingRecord]
    draws: list[DrawRecord]
    pools: dict[int, list[PoolRecord]]
    cases: list[CaseRecord]
    exclusions: list[ExclusionRecord]
    reviews: list[ReviewRecord]
    adjudications: list[AdjudicationRecord]
    waivers: list[WaiverRecord]
    events: list[EventRecord]
    closings: list[ClosingRecord]
    decisions: list[DecisionRecord]
    summary: str
    verdict: str
    baseline_summary: str | None
    problems: list[str]


def unpack(path: Path) -> Bundle:
    """Raises NotABundle. `problems` has what does not fit the manifest."""
    with readable(path), ZipFile(path) as archive:
        return Unpacking(archive).bundle()


@contextmanager
def readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotABundle(f"{path}: {error.strerror or error}.") from error
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise NotABundle(f"{path}: not a ZIP archive that can be read ({error}).") from error


class Unpacking:
    def __init__(self, archive: ZipFile) -> None:
        self.archive = archive
        self.entries = checked_entries(archive.infolist())
        self.read_so_far = 0
        self.found: dict[str, tuple[int, str]] = {}

    def bundle(self) -> Bundle:
        manifest = self.document("manifest.json", Manifest)
        if manifest.format != FORMAT:
            raise NotABundle(f"manifest.json: the format is not {FORMAT}.")
        draws = self.rows("draws.jsonl", DrawRecord)
        rubric = self.document("rubric.json", RubricRecord)
        bundle = Bundle(
            manifest=manifest,
            release=self.document("release.json", ReleaseRecord),
            rubric=rubric,
            texts={one.language: self.text(f"rubric/{one.language}.md") for one in rubric.texts},
            rulings=self.rows("rulings.jsonl", RulingRecord),
            draws=draws,
            pools={one.number: self.rows(f"pools/{one.number}.jsonl", PoolRecord) for one in draws},
            cases=self.rows("cases.jsonl", CaseRecord),
            exclusions=self.rows("exclusions.jsonl", ExclusionRecord),
            reviews=self.rows("reviews.jsonl", ReviewRecord),
            adjudications=self.rows("adjudications.jsonl", AdjudicationRecord),
            waivers=self.rows("waivers.jsonl", WaiverRecord),
            events=self.rows("events.jsonl", EventRecord),
            closings=self.rows("closings.jsonl", ClosingRecord),
            decisions=self.rows("decisions.jsonl", DecisionRecord),
            summary=self.text("summary.json"),
            verdict=self.text("verdict.json"),
            baseline_summary=(
                self.text("baseline-summary.json")
                if "baseline-summary.json" in self.entries
                else None
            ),
            problems=[],
        )
        self.text("README.txt")
        bundle.problems.extend(self.problems_of(manifest))
        return bundle

    def problems_of(self, manifest: Manifest) -> Iterator[str]:
        """Every file against the manifest; those that nothing speaks of too."""
        told = {one.name: (one.bytes, one.sha256) for one in manifest.files}
        if len(told) < len(manifest.files):
            yield "manifest.json: it names a file twice."
        for name in sorted(self.entries.keys() - {"manifest.json"}):
            if name not in told:
                yield f"{name}: the manifest does not name this file."
            elif name not in self.found:
                yield f"{name}: nothing in the bundle speaks of this file."
            elif told[name] != self.found[name]:
                yield f"{name}: not the file that the manifest names (SHA-256)."
        for name in sorted(told.keys() - self.entries.keys()):
            yield f"{name}: named by the manifest, but not there."

    # --- One file -------------------------------------------------------------------------------

    def parts(self, name: str) -> Generator[bytes]:
        if name not in self.entries:
            raise NotABundle(f"{name}: not in the archive.")
        digest, size = hashlib.sha256(), 0
        with self.archive.open(self.entries[name]) as file:
            while part := file.read(PORTION):
                size += len(part)
                self.read_so_far += len(part)
                if self.read_so_far > MOST_OF_ALL:
                    raise NotABundle(f"{name}: the archive is too large to be read.")
                digest.update(part)
                yield part
        self.found[name] = (size, digest.hexdigest())

    def content(self, name: str) -> bytes:
        waiting, size = [], 0
        with closing(self.parts(name)) as parts:
            for part in parts:
                size += len(part)
                if size > MOST_OF_A_DOCUMENT:
                    raise NotABundle(f"{name}: too large to be read.")
                waiting.append(part)
        return b"".join(waiting)

    def text(self, name: str) -> str:
        try:
            return self.content(name).decode()
        except UnicodeDecodeError as error:
            raise NotABundle(f"{name}: not UTF-8 text.") from error

    def document(self, name: str, shape: type[Row]) -> Row:
        return decoded(self.content(name), msgspec.json.Decoder(shape), name)

    def rows(self, name: str, shape: type[Row]) -> list[Row]:
        decoder = msgspec.json.Decoder(shape)
        with closing(self.lines(name)) as lines:
            return [
                decoded(line, decoder, f"{name}:{number}") for number, line in enumerate(lines, 1)
            ]

    def lines(self, name: str) -> Generator[bytes]:
        rest = b""
        for part in self.parts(name):
            *whole, rest = (rest + part).split(b"\n")
            if len(rest) > MOST_OF_A_LINE:
                raise NotABundle(f"{name}: a line of it is too long.")
            yield from whole
        if rest:
            yield rest


def checked_entries(entries: list[ZipInfo]) -> dict[str, ZipInfo]:
    """By name. Raises NotABundle for what no bundle has."""
    if len(entries) > MOST_FILES:
        raise NotABundle(f"The archive has {len(entries)} files; a bundle has far fewer.")
    found: dict[str, ZipInfo] = {}
    for one in entries:
        name = one.filename
        if name not in NEEDED and not OPTIONAL.fullmatch(name):
            raise NotABundle(f"{name[:80]}: no file of a bundle.")
        if name in found:
            raise NotABundle(f"{name}: twice in the archive.")
        if one.flag_bits & 0x1 or one.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise NotABundle(f"{name}: encrypted, or packed in a way that no bundle is.")
        found[name] = one
    if missing := sorted(NEEDED - found.keys()):
        raise NotABundle(f"Not a whole bundle: {', '.join(missing)} missing.")
    return found


def decoded(data: bytes, decoder: msgspec.json.Decoder[Row], place: str) -> Row:
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise NotABundle(f"{place}: {error}.") from error
    except RecursionError as error:
        raise NotABundle(f"{place}: nested too deeply.") from error
