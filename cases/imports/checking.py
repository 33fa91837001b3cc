"""Check every line of the input. All bad lines are counted, the first ones are listed."""

import json
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple, Self

import msgspec
from django.conf import settings

from cases import formats, tables
from cases.formats import check_report
from cases.imports.mistakes import name_mistake, read_first_rows, read_head, recognise
from cases.imports.tally import Keys, Repeats, Tally
from cases.itinerary import reading
from cases.itinerary.format import Case, CaseError, CaseProblem, ReleaseName, _
from cases.itinerary.lines import Source, Unreadable, numbered_lines, unpacked
from cases.models.cases import LONGEST_OPENING, LONGEST_TAG, TagOrigin, TagStrength
from cases.rubric import normal_tag
from cases.tables import TABLE, Cell, Columns, Table, open_table
from cases.tags import detectors

MOST_PROBLEMS = 200
SPOOL_IN_MEMORY = 4 * 1024 * 1024
SPOOL_BUFFER = 256 * 1024  # with the usual 8 KB, every second row is a system call


@dataclass(frozen=True)
class Options:
    """`version`: take only rows of this version. `key_from`: "id" takes the id as the key.

    `columns` fill the fields of a table; what they leave open comes from `remembered`, the columns
    of an earlier table of the product, or is guessed. `may_be_table`: the format "auto" also
    looks for tables; the content type of a call says whether it sends one.
    """

    format: str = "auto"
    version: str | None = None
    key_from: str | None = None
    report: check_report.Report | None = None
    may_be_table: bool = True
    columns: Columns = field(default_factory=Columns)
    remembered: Columns = field(default_factory=Columns)


class Located(NamedTuple):
    """A problem and where it is. Line 0: the whole file. `cell` is for workbooks: Sheet1!C7."""

    source: str
    line: int
    problem: CaseProblem
    cell: str = ""


class BadFile(Exception):
    """The input is refused and nothing was written. `problems` lists the first of `total`.

    `first_rows`: how the file begins, if it is something else than cases.
    """

    def __init__(
        self,
        problems: list[Located],
        total: int,
        versions: Iterable[str] = (),
        first_rows: Sequence[str] = (),
    ) -> None:
        self.problems = problems
        self.first_rows = list(first_rows)
        self.total = total
        # The import would work with one of these versions.
        self.versions = sorted(versions)
        super().__init__(f"{total} problems")

    @property
    def is_about_files(self) -> bool:
        """Whether no row is named, because a whole file cannot be used."""
        return not any(found.line for found in self.problems)


class TagFound(NamedTuple):
    tag: str
    origin: str
    strength: str
    reason: str
    wording: str


class Prepared(NamedTuple):
    """A good row: the columns of its case, and its tags."""

    case_key: str
    data: str
    digest: str
    check_status: str
    has_plan: bool
    plan_status: str
    locale: str
    days: int
    opening: str
    produced_by: str
    tags: list[TagFound]

    @property
    def standing_tags(self) -> set[str]:
        """The tags that the case has unless an admin changes them."""
        return {
            found.tag
            for found in self.tags
            if found.origin == TagOrigin.DECLARED or found.strength == TagStrength.STRONG
        }


@dataclass
class Checked:
    """The good rows, in an unnamed temporary file, so that memory stays small.

    `products` and `versions` count the product and version that the rows name, `checks` the
    results of their automated checks. `columns` are those of a table, as they were used.
    """

    sources: tuple[str, ...]
    spool: BinaryIO
    products: Tally = field(default_factory=Tally)
    versions: Tally = field(default_factory=Tally)
    checks: Counter[str] = field(default_factory=Counter)
    columns: Columns = field(default_factory=Columns)
    without_report: int = 0
    count: int = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.spool.close()

    def rows(self) -> Iterator[Prepared]:
        self.spool.seek(0)
        while size := self.spool.read(4):
            yield _unpack.decode(self.spool.read(int.from_bytes(size)))

    def add(self, row: Prepared) -> None:
        packed = _pack.encode(row)
        self.spool.write(len(packed).to_bytes(4) + packed)
        self.count += 1


_pack = msgspec.msgpack.Encoder()
_unpack = msgspec.msgpack.Decoder(Prepared)


NOTHING = _("contains no rows.")
NO_SUCH_VERSION = _("no row has version %(version)s. Found: %(found)s.")


class Findings:
    """The problems of an input: all counted, the first ones kept."""

    def __init__(self, most: int) -> None:
        self.first: list[Located] = []
        self.total = 0
        self._most = most

    def add(self, source: Source, line: int, problem: CaseProblem, cell: str = "") -> None:
        self.total += 1
        if self.total <= self._most:
            self.first.append(Located(source.name, line, problem, cell))


def check(
    sources: Sequence[Source],
    options: Options,
    *,
    most_problems: int = MOST_PROBLEMS,
    progress: Callable[[int], None] = lambda count: None,
) -> Checked:
    """Read everything and find every problem. Raises BadFile with the first `most_problems`.

    If a key may be repeated, everything is read a second time to find where.
    """
    keys = Keys()
    checked, findings = read(sources, options, keys, Findings(most_problems), progress)
    versions: Iterable[str] = ()
    suspects = keys.find_repeated()
    if len(suspects):
        checked.spool.close()
        repeats = Repeats(sources, suspects, most_problems)
        checked, findings = read(sources, options, repeats, Findings(most_problems), progress)
        findings.total += repeats.unreported
        versions = repeats.versions
    if findings.total:
        checked.spool.close()
        refuse_wrong_file(sources)
        raise BadFile(findings.first, findings.total, versions)
    return checked


def refuse_wrong_file(sources: Sequence[Source]) -> None:
    """Raise BadFile with one sentence for each file that is something else than a list of cases."""
    wrong = [
        (source, problem)
        for source in sources
        if (problem := recognise(read_head(source)) or name_mistake(source))
    ]
    if wrong:
        problems = [Located(source.name, 0, problem) for source, problem in wrong]
        raise BadFile(problems, len(problems), first_rows=read_first_rows(wrong[0][0]))


def read(
    sources: Sequence[Source],
    options: Options,
    keys: Keys | Repeats,
    findings: Findings,
    progress: Callable[[int], None],
) -> tuple[Checked, Findings]:
    spool: Any = tempfile.SpooledTemporaryFile(SPOOL_IN_MEMORY, buffering=SPOOL_BUFFER)  # noqa: SIM115
    checked = Checked(tuple(source.name for source in sources), spool)
    found_versions = Tally()
    for place, source in enumerate(sources):
        with ExitStack() as opened:
            try:
                table = open_as_table(source, options)
            except CaseError as error:
                at = error.line if isinstance(error, tables.Unreadable) else 0
                findings.add(source, at, error.problem)
                continue
            if table is not None:
                opened.callback(table.close)
                checked.columns = table.columns
            for number, line in read_lines(source, table, findings):
                try:
                    row, release = prepare(line, options, table)
                except CaseError as error:
                    add_problem(findings, source, number, error.problem, table)
                    continue
                version = release.version or ""
                found_versions.note(version)
                if options.version is not None and version != options.version:
                    continue
                problem = keys.note(row.case_key, source=place, line=number, version=version)
                if problem:
                    add_problem(findings, source, number, problem, table)
                elif not findings.total:
                    checked.products.note(release.product or "")
                    checked.versions.note(version)
                    checked.checks[row.check_status] += 1
                    if options.report is not None and row.case_key not in options.report:
                        checked.without_report += 1
                    checked.add(row)
                    progress(checked.count)
    if not findings.total and not checked.count:
        findings.add(sources[0], 0, describe_empty(found_versions, options.version))
    return checked, findings


def open_as_table(source: Source, options: Options) -> Table | None:
    """Open a file as a table; None if it has lines of JSON. Raises CaseError."""
    if wrong := recognise(read_head(source)):
        raise CaseError(wrong.path, wrong.message, **wrong.params)
    if options.format != TABLE and not (options.format == "auto" and options.may_be_table):
        return None
    try:
        table = open_any_table(source, options)
    except (OSError, EOFError, zlib.error):
        # Reading the lines says what the damage is.
        return None
    if table is not None:
        try:
            table.check_columns()
        except CaseError:
            table.close()
            raise
    return table


def open_any_table(source: Source, options: Options) -> Table | None:
    """Open a table, also one that lacks a column that every case needs. Raises CaseError."""
    with closing(source.open()) as file, closing(unpacked(file)) as stream:
        return open_table(
            stream,
            chosen=options.columns,
            remembered=options.remembered,
            most_bytes=source.most_bytes,
            is_wanted=options.format == TABLE,
        )


def add_problem(
    findings: Findings, source: Source, number: int, problem: CaseProblem, table: Table | None
) -> None:
    if table is None:
        findings.add(source, number, problem)
    else:
        cell = table.locate(number, problem.path)
        findings.add(source, number, table.describe(problem), cell)


def read_lines(
    source: Source, table: Table | None, findings: Findings
) -> Iterator[tuple[int, bytes | list[Cell]]]:
    """Yield the lines of a file, or the rows of a table.

    If it cannot be read to its end, that is one more problem.
    """
    number = 0
    try:
        for number, line in numbered_lines(source) if table is None else table.read_rows():
            yield number, line
    except tables.Unreadable as error:
        findings.add(source, error.line, error.problem)
    except Unreadable as error:
        findings.add(source, number + 1, error.problem)
    except OSError as error:
        why = error.strerror or str(error)
        findings.add(source, number + 1, CaseProblem("", CANNOT_BE_READ, {"why": why}))


CANNOT_BE_READ = _("cannot be read further: %(why)s.")


def describe_empty(versions: Tally, wanted: str | None) -> CaseProblem:
    if wanted is None or not versions:
        return CaseProblem("", NOTHING, {})
    found = ", ".join(sorted(version for version in versions if version)) or "–"
    return CaseProblem("", NO_SUCH_VERSION, {"version": wanted, "found": found})


def prepare(
    line: bytes | list[Cell], options: Options, table: Table | None
) -> tuple[Prepared, ReleaseName]:
    """Turn a line into a row for the database, and the release it names. Raises CaseError."""
    if isinstance(line, list):
        assert table is not None
        # Written as a line, so that the limits and checks are those of every other line.
        written = json.dumps(table.convert(line), ensure_ascii=False)
        line = written.encode("utf-8", "surrogatepass")
    decoded = reading.decode(line)
    data = decoded.data
    if table is not None:
        shape = formats.find_shape(OWN)
    elif options.format in ("auto", TABLE):
        shape = formats.recognise_shape(data) or formats.find_shape(OWN)
    else:
        shape = formats.find_shape(options.format)
    if shape.name != OWN:
        data = shape.convert(data)
    if options.key_from:
        data = replace_key(data, options.key_from)
    if options.report is not None:
        data = check_report.apply(data, options.report)
    row = reading.check(data) if data is not decoded.data else reading.checked(decoded)
    return build_columns(row), row.case.release or ReleaseName()


OWN = "itinerary-case"


def replace_key(data: dict[str, Any], name: str) -> dict[str, Any]:
    """Take this field as the case key; the key that the row had stays among its other fields."""
    if not isinstance(data.get(name), str):
        raise CaseError(name, _("must be a text, because it is used as the case key."))
    if data.get("case_key") == data[name]:
        return data
    other = data.get("other")
    kept = other if isinstance(other, dict) else {} if other is None else {"other": other}
    return {**data, "case_key": data[name], "other": {**kept, "case_key": data.get("case_key")}}


def build_columns(row: reading.CheckedCase) -> Prepared:
    case, plan = row.case, row.case.plan
    summary = case.automated_summary
    return Prepared(
        case_key=case.case_key,
        data=row.text,
        digest=row.digest,
        check_status=summary.status if summary else "",
        has_plan=plan.is_done if plan else False,
        plan_status=(plan.status if plan else None) or "",
        locale=case.locale or "",
        days=0 if plan is None or plan.is_plain_text else len(plan.days or ()),
        opening=" ".join(case.request.text[: LONGEST_OPENING * 4].split())[:LONGEST_OPENING],
        produced_by=_text.encode(case.produced_by or []).decode(),
        tags=list(detect_tags(case)),
    )


_text = msgspec.json.Encoder()
FESTIVAL_WINDOW = detectors.Window(*settings.SPRING_FESTIVAL_WINDOW)


def detect_tags(case: Case) -> Iterator[TagFound]:
    declared = {normal_tag(tag): place for place, tag in enumerate(case.tags or ())}
    for tag, place in declared.items():
        # A few capital letters become two letters in lower case.
        if len(tag) > LONGEST_TAG:
            sentence = _("must have at most %(most)d characters, got %(length)d.")
            raise CaseError(f"tags[{place}]", sentence, most=LONGEST_TAG, length=len(tag))
        yield TagFound(tag, TagOrigin.DECLARED.value, TagStrength.STRONG.value, "", "{}")
    for found in detectors.detect(case, festival_window=FESTIVAL_WINDOW):
        wording = {"message": found.message, "plural": found.plural, "params": found.params}
        yield TagFound(
            found.tag,
            TagOrigin.DETECTED.value,
            found.strength,
            found.sentence,
            _text.encode(wording).decode(),
        )
