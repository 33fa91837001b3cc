"""Tables as cases: headers, cells, encodings, limits. What is written to one is read back."""

import datetime
import gzip
import io
import json
import tracemalloc
import zipfile
from typing import Any

import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import imports
from cases.imports.checking import Prepared
from cases.tables import Columns
from cases.tables.fields import guess
from cases.tables.values import split_paragraphs
from tests.bed import soak
from tests.bed.cases import lines, make_case, source
from tests.cases.tables.files import csv_file, document, open_document, text_plans, workbook
from tests.cases.tables.xls import Day, Formula, compound, xls_file


def read(content: bytes, **options: Any) -> list[dict[str, Any]]:
    with imports.check([source(content)], imports.Options(**options)) as checked:
        return [json.loads(row.data) for row in checked.rows()]


def prepared(content: bytes, **options: Any) -> list[Prepared]:
    with imports.check([source(content)], imports.Options(**options)) as checked:
        return list(checked.rows())


def refused(content: bytes, **options: Any) -> list[str]:
    """Each problem as cell or line, and sentence."""
    with pytest.raises(imports.BadFile) as refusal:
        imports.check([source(content)], imports.Options(**options))
    return [f"{found.cell or found.line}: {found.problem}" for found in refusal.value.problems]


def columns(sheet: str = "", **fields: str) -> Columns:
    return Columns({path.replace("__", "."): name for path, name in fields.items()}, sheet)


# --- One row is one case --------------------------------------------------------------------------


def test_a_text_plan_becomes_paragraphs_that_can_be_sampled() -> None:
    [first, *_rest] = prepared(csv_file(text_plans(30)))
    assert (first.case_key, first.has_plan, first.check_status, first.days) == (
        "lake-01",
        True,
        "PASS",
        0,
    )
    assert json.loads(first.data) == {
        "case_key": "lake-01",
        "request": {
            "text": 'Two days by lake 1, "slowly"; by train',
            "destination": "Lakeport",
            "days": 2,
            "budget": {"amount": 1200, "currency": "CNY"},
        },
        "automated_summary": {"status": "PASS"},
        "plan": {
            "status": "done",
            "days": [
                {
                    "items": [
                        {"kind": "other", "note": "Day 1: the old pier, then lunch."},
                        {"kind": "other", "note": "Day 2: museum number 1, slowly."},
                    ]
                }
            ],
        },
        "other": {"Owner": "lin"},
    }


PACKINGS = {
    "csv": csv_file(text_plans(6)),
    "semicolons": csv_file(text_plans(6), delimiter=";"),
    "tabs": csv_file(text_plans(6), delimiter="\t", end="\n"),
    "byte order mark": csv_file(text_plans(6), encoding="utf-8-sig"),
    "utf-16": csv_file(text_plans(6), delimiter="\t", encoding="utf-16"),
    "utf-16, big end first": b"\xfe\xff" + csv_file(text_plans(6), encoding="utf-16-be"),
    "utf-16 without a mark": csv_file(text_plans(6), encoding="utf-16-le"),
    "utf-16 without a mark, big end first": csv_file(text_plans(6), encoding="utf-16-be"),
    "utf-32": csv_file(text_plans(6), encoding="utf-32"),
    "utf-32 without a mark": csv_file(text_plans(6), encoding="utf-32-be"),
    "gzip": gzip.compress(csv_file(text_plans(6))),
    "xlsx": workbook(text_plans(6)),
    "xls": xls_file(text_plans(6)),
    "ods": open_document(text_plans(6)),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_every_packing_gives_the_same_cases(packing: str) -> None:
    assert read(PACKINGS[packing]) == read(PACKINGS["csv"])


def test_chinese_headers_are_known() -> None:
    rows = [
        [
            "编号",
            "用户需求",
            "行程",
            "目的地",
            "天数",
            "预算（元）",
            "检查结果",
            "出发日期",
            "标签",
            "必去",
        ],
        [
            "a",
            "三天北京",
            "故宫。",
            "北京",
            "3天",
            "3,000",
            "通过",
            "2026年2月14日",
            "春节、亲子",
            "故宫；长城",
        ],
    ]
    [case] = read(csv_file(rows))
    assert case["request"] == {
        "text": "三天北京",
        "destination": "北京",
        "days": 3,
        "start_date": "2026-02-14",
        "budget": {"amount": 3000, "currency": "CNY"},
        "must_visit": ["故宫", "长城"],
    }
    assert (case["tags"], case["automated_summary"]) == (["春节", "亲子"], {"status": "PASS"})


def test_a_workbook_with_merged_headers_formulas_and_floats() -> None:
    packed = io.BytesIO()
    with xlsxwriter.Workbook(packed) as book:
        sheet = book.add_worksheet("My cases")
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.merge_range("A1:F1", "Cases for July")
        sheet.merge_range("A3:A4", "Case")
        sheet.merge_range("B3:D3", "Request")
        sheet.merge_range("E3:F3", "Plan")
        sheet.write_row("B4", ["text", "days", "start date", "text", "status"])
        for row, key in ((5, 12), (7, 13)):
            sheet.write(f"A{row}", key)
            sheet.write_formula(f"B{row}", '=CONCAT("Two"," days")', value="Two days")
            sheet.write_formula(f"C{row}", "=1+1", value=2)
            sheet.write_datetime(f"D{row}", datetime.datetime(2026, 5, 2), day)
            sheet.write(f"E{row}", "The pier.\nThe museum.")
            sheet.write(f"F{row}", "Done")
    content = packed.getvalue()
    first, second = read(content)
    assert (first["case_key"], second["case_key"]) == ("12", "13")
    assert first["request"] == {"text": "Two days", "days": 2, "start_date": "2026-05-02"}
    assert first["plan"]["status"] == "done"
    assert [item["note"] for item in first["plan"]["days"][0]["items"]] == [
        "The pier.",
        "The museum.",
    ]


def test_an_old_workbook_with_merged_headers_formulas_and_dates() -> None:
    content = xls_file(
        [
            ["Cases for July"],
            ["Case", "Request", None, None, "Plan"],
            [None, "text", "days", "start date", "text", "status"],
            [12, Formula("Two days 湖"), Formula(2.0), Day(46_000), "Pier.\nMuseum.", "done"],
        ],
        name="七月",
        merged=((0, 0, 0, 5), (1, 2, 0, 0), (1, 1, 1, 3), (1, 1, 4, 5)),
    )
    [case] = read(content)
    assert case["case_key"] == "12"
    expected = {"text": "Two days 湖", "days": 2, "start_date": "2025-12-09"}
    assert case["request"] == expected
    notes = [item["note"] for item in case["plan"]["days"][0]["items"]]
    assert notes == ["Pier.", "Museum."]


def test_an_open_document_with_numbers_and_dates() -> None:
    day = datetime.date(2026, 5, 2)
    rows: list[list[Any]] = [["Case", "Request", "Days", "Start date"], ["a", "Two days", 2.0, day]]
    expected = {"text": "Two days", "days": 2, "start_date": "2026-05-02"}
    assert read(open_document(rows)) == [{"case_key": "a", "request": expected}]


def test_a_column_without_a_header_is_kept_under_its_letter() -> None:
    rows = text_plans(1)
    rows[1].append("seen twice")
    [case] = read(csv_file(rows))
    assert case["other"] == {"Owner": "lin", "[I]": "seen twice"}


def test_without_a_key_it_is_made_from_the_words_of_the_request() -> None:
    rows = [["Request", "Plan"], ["Two days", "The pier."], ["Two  days!", "The museum."]]
    first, second = read(csv_file(rows))
    assert first["case_key"] != second["case_key"]
    assert first["source"] == {"derived": ["case_key"]}
    later = read(csv_file([["Request", "Plan"], [" Two days ", "Another plan."]]))
    assert later[0]["case_key"] == first["case_key"]
    again = [*rows, ["Two days", "Once more."]]
    assert "is already in line 2" in refused(csv_file(again))[0]


def test_columns_can_be_named_and_the_same_text_given_to_every_row() -> None:
    rows = [["name", "wish", "what it said"], ["a", "Two days", "The pier."]]
    chosen = columns(
        case_key="name",
        request__text="wish",
        plan__text="what it said",
        automated_summary__status="=PASS",
        locale="=en",
    )
    [case] = read(csv_file(rows), columns=chosen)
    assert (case["case_key"], case["locale"]) == ("a", "en")
    assert case["automated_summary"] == {"status": "PASS"}
    assert case["source"]["checks"]["how"].startswith("stated for every row")


def test_remembered_columns_count_where_the_table_has_them() -> None:
    rows = [["Case", "Request", "Notes of the model"], ["a", "Two days", "The pier."]]
    remembered = columns(plan__text="Notes of the model", request__days="Gone", locale="=en")
    [case] = read(csv_file(rows), remembered=remembered)
    assert case["plan"]["days"][0]["items"][0]["note"] == "The pier."
    assert (case["locale"], case["request"]) == ("en", {"text": "Two days"})


def test_a_guess_takes_each_column_once_and_the_most_telling_header() -> None:
    names = ["id", "Case ID", "query", "User Request", "Answer"]
    found = guess((name, name) for name in names)
    assert found == {
        "case_key": "Case ID",
        "request.text": "User Request",
        "plan.text": "Answer",
        "id": "id",
    }


def test_paragraphs_end_at_blank_lines_or_else_at_line_ends() -> None:
    assert split_paragraphs("a\nb\n \n\nc") == ["a\nb", "c"]
    assert split_paragraphs("a\n b \nc\n") == ["a", "b", "c"]


# --- Refused ------------------------------------------------------------------------------------


def bad_rows() -> list[list[Any]]:
    rows = text_plans(4)
    rows[2][3] = "three"
    rows[3][1] = ""
    rows[4][6] = "maybe"
    return rows


def test_problems_of_a_workbook_name_the_cell() -> None:
    for content in (workbook(bad_rows()), xls_file(bad_rows()), open_document(bad_rows())):
        assert refused(content) == BAD_CELLS


BAD_CELLS = [
    "Sheet1!D3: request.days: must be a whole number of at least 1, got 'three'.",
    "Sheet1!B4: request.text: is required.",
    "Sheet1!G5: automated_summary.status: must be one of FAIL, PASS, WARN; got 'maybe'.",
]


def test_problems_of_a_csv_file_name_the_line_on_which_the_row_begins() -> None:
    # Each plan has three lines.
    assert [problem.partition(": ")[0] for problem in refused(csv_file(bad_rows(), end="\n"))] == [
        "5",
        "8",
        "11",
    ]


def test_a_plan_that_is_json_is_refused_where_it_stands() -> None:
    rows = [["case key", "request", "plan"], ["a", "Two days", '{"days": []}']]
    assert refused(workbook(rows)) == [
        "Sheet1!C2: plan.text: is JSON, not text. Import such plans as lines of JSON."
    ]


def test_a_case_of_more_than_256_kb_is_refused() -> None:
    rows = [["case key", "request", "plan"], ["a", "Two days", "x" * 262_100]]
    assert refused(csv_file(rows)) == ["2: the line is longer than 256 KB (257 KB)."]
    rows[1][2] = "x" * 300_000
    assert refused(csv_file(rows)) == [
        "2: a cell is longer than 256 KB, or its quotation mark is never closed."
    ]


OPEN_QUOTE = b'case key,request\na,"Two days\n' + b"b,Three days\n" * 40_000


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (OPEN_QUOTE, "2: a cell is longer than 256 KB, or its quotation mark is never closed."),
        (b"case key,request\n", "0: contains a header and no rows."),
        ("编号,需求\na,三天\n".encode("gb18030"), "0: is not UTF-8 text."),
        (workbook([]), "0: contains no rows."),
        (b"PK\x03\x04 and more", "0: the workbook cannot be read: it is damaged"),
        (workbook(text_plans(3))[:-200], "0: the workbook cannot be read: it is damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "0: the workbook cannot be read"),
        (b"%PDF-1.4\n1,2\n3,4\n", "0: this is a PDF; "),
        (document("word/document.xml"), "0: this is a Word document; "),
        (document("ppt/presentation.xml"), "0: this is a presentation; "),
        (document("Index/Document.iwa"), "0: this is a document of Numbers or Pages; "),
        (document("photo.jpg"), "0: this is a ZIP archive, but no workbook; "),
        (
            document("content.xml", mimetype="application/vnd.oasis.opendocument.text"),
            "0: this is a text document; ",
        ),
        (compound(bytes(100), name="WordDocument"), "0: this is a Word document; "),
        (compound(bytes(100), name="PowerPoint Document"), "0: this is a presentation; "),
        (compound(bytes(100), name="Else"), "0: the workbook cannot be read: it is damaged"),
        (csv_file(text_plans(1), encoding="utf-16") + b"x", "0: is not UTF-16 text, although"),
        (csv_file(text_plans(1), encoding="utf-32") + b"x", "0: is not UTF-32 text, although"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_one_sentence(content: bytes, says: str) -> None:
    problems = refused(content, format="table")
    assert len(problems) == 1
    assert problems[0].startswith(says)


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        (columns(request__text="Wish"), "0: request.text: there is no column Wish. Found: Case, "),
        (columns(request__texts="Request"), "0: request.texts: no column can fill this field."),
        (columns(request__text=""), "0: request.text: no column is chosen for it. Found: Case, "),
        (columns("Older"), "0: there is no sheet Older. Found: Sheet1."),
    ],
)
def test_a_wrong_choice_of_columns_is_refused(chosen: Columns, says: str) -> None:
    [problem] = refused(workbook(text_plans(2)), columns=chosen)
    assert problem.startswith(says)


# --- Bombs and sizes ------------------------------------------------------------------------------


def test_a_far_cell_that_would_take_500_gb_is_refused() -> None:
    """The reader aborts its process; ours goes on."""
    packed = io.BytesIO()
    with xlsxwriter.Workbook(packed) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["case key", "request"])
        sheet.write(1_048_575, 16_383, "far")
    [problem] = refused(packed.getvalue())
    assert problem == ("0: the workbook cannot be read: it is damaged, or too large when unpacked.")


def test_an_open_document_is_read_and_its_repeated_cells_do_not_fill_the_memory() -> None:
    rows = [["Case", "Request"], ["a", "Two days"]]
    assert read(open_document(rows)) == [{"case_key": "a", "request": {"text": "Two days"}}]
    repeated = (
        '<table:table-row table:number-rows-repeated="1048574"><table:table-cell '
        'office:value-type="string" table:number-columns-repeated="16384"><text:p>x</text:p>'
        "</table:table-cell></table:table-row>"
    )
    assert refused(open_document(rows, repeated)) == [
        "0: the workbook cannot be read: it is damaged, or too large when unpacked."
    ]


def test_a_workbook_that_unpacks_to_more_than_256_mb_is_refused_unread() -> None:
    packed = io.BytesIO(workbook(text_plans(1)))
    with (
        zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("xl/media/zeros.bin", "w", force_zip64=True) as part,
    ):
        for _megabyte in range(257):
            part.write(bytes(1024**2))
    assert refused(packed.getvalue()) == ["0: the workbook is larger than 256 MB when unpacked."]


@pytest.mark.parametrize("pack", [csv_file, workbook], ids=["csv", "xlsx"])
def test_memory_does_not_grow_with_ten_thousand_rows(pack: Any) -> None:
    def peak(count: int) -> int:
        content = pack(text_plans(count))
        tracemalloc.start()
        with imports.check([source(content)], imports.Options()) as checked:
            assert checked.count == count
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    # The good rows go to a temporary file beyond 4 MB.
    assert peak(10_000) < peak(1_000) + 8 * 1024**2


def test_lines_of_json_are_no_table() -> None:
    content = lines(make_case("a"), make_case("b"))
    assert [case["case_key"] for case in read(content)] == ["a", "b"]


# --- Written and read back ----------------------------------------------------------------------

WORDS = (
    st.text(st.sampled_from("abcXYZ 0123,.\"'=-山水茶é🙂\t"), min_size=1, max_size=40)
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: text[:1].isalpha())
)
NAMES = (
    st.text(st.sampled_from("abc 山水é"), min_size=1, max_size=12)
    .map(lambda text: " ".join(text.split()))
    .filter(bool)
)


@st.composite
def plain_cases(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Cases that a table can hold, each field there or not."""
    found = []
    for key in draw(st.lists(NAMES, min_size=1, max_size=5, unique=True)):
        request: dict[str, Any] = {"text": draw(WORDS)}
        if days := draw(st.none() | st.integers(1, 60)):
            request["days"] = days
        if date := draw(st.none() | st.dates(datetime.date(1950, 1, 1), datetime.date(2099, 1, 1))):
            request["start_date"] = date.isoformat()
        if amount := draw(st.none() | st.integers(1, 10**6) | st.sampled_from([0.5, 1200.25])):
            request["budget"] = {"amount": amount}
        if places := draw(st.none() | st.lists(NAMES, min_size=2, max_size=4)):
            request["must_visit"] = places
        case: dict[str, Any] = {"case_key": key, "request": request}
        if status := draw(st.sampled_from([None, "PASS", "WARN", "FAIL"])):
            case["automated_summary"] = {"status": status}
        if parts := draw(st.none() | st.lists(WORDS, min_size=1, max_size=4)):
            items = [{"kind": "other", "note": part} for part in parts]
            case["plan"] = {"status": "done", "days": [{"items": items}]}
        if owner := draw(st.none() | NAMES):
            case["other"] = {"Owner": owner}
        found.append(case)
    return found


TABLE_HEADER = [
    "case_key",
    "request.text",
    "request.days",
    "request.start_date",
    "request.budget.amount",
    "request.must_visit",
    "automated_summary.status",
    "plan.text",
    "Owner",
]


def write(cases: list[dict[str, Any]]) -> list[list[Any]]:
    rows: list[list[Any]] = [list(TABLE_HEADER)]
    for case in cases:
        request = case["request"]
        items = case["plan"]["days"][0]["items"] if "plan" in case else []
        rows.append(
            [
                case["case_key"],
                request["text"],
                request.get("days", ""),
                request.get("start_date", ""),
                request.get("budget", {}).get("amount", ""),
                "; ".join(request.get("must_visit", ())),
                case.get("automated_summary", {}).get("status", ""),
                "\n\n".join(item["note"] for item in items),
                case.get("other", {}).get("Owner", ""),
            ]
        )
    return rows


@given(
    plain_cases(),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)
@settings(max_examples=soak.size(short=60, long=3_000), deadline=None)
def test_what_is_written_to_a_csv_file_is_read_back(
    cases: list[dict[str, Any]], delimiter: str, encoding: str
) -> None:
    assert read(csv_file(write(cases), delimiter=delimiter, encoding=encoding)) == cases


@given(plain_cases())
@settings(max_examples=soak.size(short=10, long=300), deadline=None)
def test_what_is_written_to_a_workbook_is_read_back(cases: list[dict[str, Any]]) -> None:
    assert read(workbook(write(cases))) == cases
