"""Read a CSV file or a workbook as cases, one row a case. README.md has the steps."""

from .fields import CHECKS, FIELDS, FROM_REQUEST, KEY, PATHS, PLAN, REQUEST, SAME, Columns
from .grids import Row, Unreadable
from .table import Table, describe_columns, open_table
from .values import Cell

# The name of this shape among the formats of an import.
TABLE = "table"

__all__ = [
    "CHECKS",
    "FIELDS",
    "FROM_REQUEST",
    "KEY",
    "PATHS",
    "PLAN",
    "REQUEST",
    "SAME",
    "TABLE",
    "Cell",
    "Columns",
    "Row",
    "Table",
    "Unreadable",
    "describe_columns",
    "open_table",
]
