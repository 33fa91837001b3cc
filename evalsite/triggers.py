"""Database triggers that keep closed releases and stored records unchanged, on both engines.

A migration that alters one of the tables listed here, or the releases, has DROP as its first
operation and INSTALL as its last: on SQLite an ALTER copies the table, and fails while a trigger
refers to it. Both act on the tables that exist at that point, so all migrations share one list.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from django.db import migrations
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

Act = Literal["INSERT", "UPDATE", "DELETE", "TRUNCATE"]
CLOSED = "closed"

# The unique keys of a table besides its id. On SQLite, INSERT OR REPLACE and UPDATE OR REPLACE
# remove a row with the same key, without its DELETE trigger unless the client sets PRAGMA
# recursive_triggers, as ours does. The other unique keys of frozen tables contain a case or a
# review, so a row that repeats one belongs to the closed release anyway.
KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "cases_rubric": (("number",), ("digest",)),
    "cases_rubrictranslation": (("rubric_id", "language"),),
    "cases_rule": (("product", "key", "version"),),
    "cases_release": (("name",),),
    "cases_event": (("release_id", "number"),),
    "cases_ledger": (("name",),),
    "cases_ledgerevent": (("ledger_id", "number"),),
    "cases_case": (("code",),),
    "reviews_draw": (("release_id", "number"),),
    # A release has one closing and one decision in force: those without this date.
    "reviews_closing": (("release_id", "number"), ("release_id", "reopened_at")),
    "reviews_decision": (("release_id", "voided_at"),),
    "reviews_ruling": (("question_id", "number"), ("supersedes_id",)),
    "reviews_escape": (("product", "case_key", "about", "key", "wording"),),
    "reviews_sighting": (("escape_id", "closing_id"),),
}


@dataclass(frozen=True)
class Rule:
    """Refuses these acts on these tables, always or while the release of the row is closed.

    `frozen`: the columns that must not change; without it every UPDATE is refused.
    `unless`: a column that must change together with them.
    `parent`: a table and the column that points to it; both rows must belong to the same release.
    `while_in_force`: a closed release keeps its status until its closing is reopened.
    `needs`: an SQL condition that the new row must meet.
    Where DELETE is refused, so is TRUNCATE, and on SQLite replacing a row.
    """

    name: str
    sentence: str
    tables: tuple[str, ...]
    acts: tuple[Act, ...]
    while_closed: bool = False
    release_of: str = "{row}.release_id"
    frozen: tuple[str, ...] = ()
    unless: str = ""
    parent: tuple[str, str] | None = None
    while_in_force: bool = False
    needs: str = ""


# The new plan of a pairing is of its release, the old one of the release's closed baseline, for the
# same request and judged by the same rubric version.
IS_OF_THE_BASELINE = (
    "SELECT 1 FROM cases_release AS later "
    "JOIN cases_release AS earlier ON earlier.id = later.baseline_id "
    "JOIN cases_case AS fresh ON fresh.release_id = later.id "
    "JOIN cases_case AS former ON former.release_id = earlier.id "
    "WHERE later.id = NEW.release_id AND fresh.id = NEW.case_id AND former.id = NEW.old_case_id "
    "AND earlier.status = 'closed' AND earlier.rubric_id = later.rubric_id "
    "AND former.case_key = fresh.case_key"
)

RULES = [
    Rule(
        "is_immutable",
        "A published rubric text cannot be changed or removed.",
        ("cases_rubric", "cases_rubrictranslation"),
        ("UPDATE", "DELETE"),
    ),
    Rule(
        "is_kept",
        "A version of a rule cannot be changed.",
        ("cases_rule",),
        ("UPDATE",),
        frozen=(
            "id",
            "product",
            "key",
            "version",
            "definition",
            "digest",
            "rubric_id",
            "reason",
            "proposed_at",
            "by",
        ),
    ),
    Rule("is_not_removed", "A version of a rule cannot be removed.", ("cases_rule",), ("DELETE",)),
    Rule(
        "is_append_only",
        "An event of the ledger cannot be changed or removed.",
        ("cases_event", "cases_ledgerevent"),
        ("UPDATE", "DELETE"),
    ),
    Rule(
        "is_kept",
        "A ledger keeps its name.",
        ("cases_ledger",),
        ("UPDATE",),
        frozen=("id", "name"),
    ),
    Rule("is_not_removed", "A ledger cannot be removed.", ("cases_ledger",), ("DELETE",)),
    Rule(
        "is_kept",
        "A draw cannot be changed or removed.",
        ("reviews_draw",),
        ("UPDATE", "DELETE"),
    ),
    Rule(
        "stays_closed",
        "The release is closed, so this cannot be changed.",
        (
            "reviews_adjudication",
            "reviews_checklistanswer",
            "cases_exclusion",
            "reviews_flag",
            "reviews_pairanswer",
            "reviews_pairing",
            "reviews_pairrevision",
            "reviews_pairsubmission",
            "reviews_review",
            "reviews_revision",
            "reviews_sampledcase",
            "reviews_score",
            "reviews_submission",
            "reviews_waiver",
        ),
        ("INSERT", "UPDATE", "DELETE"),
        while_closed=True,
    ),
    Rule(
        "stays_closed",
        "The release is closed, so this cannot be changed.",
        ("reviews_draw",),
        ("INSERT",),
        while_closed=True,
    ),
    Rule(
        "stays_closed",
        "The release is closed, so its cases cannot be changed.",
        ("cases_case",),
        ("INSERT", "UPDATE", "DELETE"),
        while_closed=True,
    ),
    Rule(
        "stays_closed",
        "The release is closed, so the tags of its cases cannot be changed.",
        ("cases_casetag",),
        ("INSERT", "UPDATE", "DELETE"),
        while_closed=True,
        release_of="(SELECT release_id FROM cases_case WHERE id = {row}.case_id)",
    ),
    Rule(
        "stays_closed",
        "A closed release cannot be changed.",
        ("cases_release",),
        ("UPDATE",),
        while_closed=True,
        frozen=(
            "id",
            "name",
            "product",
            "rubric_id",
            "reviews_per_case",
            "baseline_id",
            "due_date",
            "policy",
            "created_at",
        ),
    ),
    Rule(
        "is_not_removed",
        "A closed release cannot be removed.",
        ("cases_release",),
        ("DELETE",),
        while_closed=True,
    ),
    Rule(
        "is_reopened_first",
        "The closing of the release stands, so it stays closed.",
        ("cases_release",),
        ("UPDATE",),
        while_in_force=True,
    ),
    Rule(
        "is_kept",
        "The report of a closing cannot be changed.",
        ("reviews_closing",),
        ("UPDATE",),
        frozen=(
            "id",
            "release_id",
            "number",
            "closed_at",
            "by",
            "closed_from",
            "is_abandoned",
            "reason",
            "summary",
            "digest",
            "headline",
            "event",
            "head",
        ),
    ),
    Rule("is_not_removed", "A closing cannot be removed.", ("reviews_closing",), ("DELETE",)),
    Rule(
        "is_kept",
        "A decision cannot be changed.",
        ("reviews_decision",),
        ("UPDATE",),
        frozen=("id", "release_id", "closing_id", "decision", "reason", "by", "decided_at"),
    ),
    Rule("is_not_removed", "A decision cannot be removed.", ("reviews_decision",), ("DELETE",)),
    Rule(
        "is_kept",
        "A ruling cannot be changed or removed.",
        ("reviews_ruling",),
        ("UPDATE", "DELETE"),
    ),
    Rule(
        "is_kept",
        "An escape keeps its finding.",
        ("reviews_escape",),
        ("UPDATE",),
        frozen=("id", "product", "about", "key", "wording", "case_key"),
    ),
    Rule(
        "is_moved_by_events",
        "An escape is moved by an event of its product only.",
        ("reviews_escape",),
        ("UPDATE",),
        frozen=("state", "rule"),
        unless="event_id",
    ),
    Rule("is_not_removed", "An escape cannot be removed.", ("reviews_escape",), ("DELETE",)),
    Rule(
        "is_kept",
        "A finding of a closing cannot be changed or removed.",
        ("reviews_sighting",),
        ("UPDATE", "DELETE"),
    ),
    Rule(
        "names_its_release",
        "This belongs to a case of another release.",
        (
            "cases_exclusion",
            "reviews_adjudication",
            "reviews_pairing",
            "reviews_question",
            "reviews_review",
            "reviews_sampledcase",
        ),
        ("INSERT", "UPDATE"),
        parent=("cases_case", "case_id"),
    ),
    Rule(
        "names_its_release",
        "This belongs to a review of another release.",
        (
            "reviews_checklistanswer",
            "reviews_flag",
            "reviews_revision",
            "reviews_score",
            "reviews_submission",
        ),
        ("INSERT", "UPDATE"),
        parent=("reviews_review", "review_id"),
    ),
    Rule(
        "names_its_release",
        "This belongs to a pairing of another release.",
        ("reviews_pairanswer", "reviews_pairrevision", "reviews_pairsubmission"),
        ("INSERT", "UPDATE"),
        parent=("reviews_pairing", "pairing_id"),
    ),
    Rule(
        "is_of_the_baseline",
        "A pair has the plan of this release and that of its closed baseline.",
        ("reviews_pairing",),
        ("INSERT",),
        needs=IS_OF_THE_BASELINE,
    ),
    Rule(
        "keeps_its_pair",
        "The plans, the reader and the sides of a pairing cannot be changed.",
        ("reviews_pairing",),
        ("UPDATE",),
        frozen=("case_id", "old_case_id", "reader_id", "release_id", "is_new_left"),
    ),
]


@dataclass(frozen=True)
class Trigger:
    rule: Rule
    table: str
    act: Act

    @property
    def name(self) -> str:
        return f"{self.table}_{self.rule.name}_{self.act.lower()}"

    @property
    def columns(self) -> dict[str, set[str]]:
        """Tables with the columns that must exist before the trigger can be installed."""
        own = {*self.rule.frozen, self.rule.unless} - {""}
        needed = {self.table: {*own, *(column for key in self.keys for column in key)}}
        return needed | ({"reviews_closing": {"reopened_at"}} if self.rule.while_in_force else {})

    @property
    def keys(self) -> list[tuple[str, ...]]:
        return [("id",), *KEYS.get(self.table, ())]

    @property
    def is_about_replacing(self) -> bool:
        """Whether this refuses to replace another row, which only SQLite can do."""
        return self.act not in (*self.rule.acts, "TRUNCATE")

    def statements(self, vendor: str) -> Iterator[str]:
        if vendor == "postgresql":
            each = "STATEMENT" if self.act == "TRUNCATE" else "ROW"
            yield self._function()
            yield (
                f"CREATE TRIGGER {self.name} BEFORE {self.act} ON {self.table} "
                f"FOR EACH {each} EXECUTE FUNCTION {self.name}()"
            )
        else:
            conditions = (
                [self._replacing()]
                if self.is_about_replacing
                else [
                    *self._changed("IS NOT", "IS"),
                    *self._elsewhere(),
                    *self._closed(),
                    *self._in_force(),
                    *self._unmet(),
                ]
            )
            when = f"WHEN {' AND '.join(conditions)} " if conditions else ""
            yield (
                f"CREATE TRIGGER {self.name} BEFORE {self.act} ON {self.table} FOR EACH ROW {when}"
                f"BEGIN SELECT RAISE(ABORT, '{self.rule.sentence}'); END"
            )

    def _function(self) -> str:
        conditions = [
            *self._changed("IS DISTINCT FROM", "IS NOT DISTINCT FROM"),
            *self._elsewhere(),
            *self._closed_or_closing(),
            *self._in_force(),
            *self._unmet(),
        ]
        row = {"DELETE": "OLD", "TRUNCATE": "NULL"}.get(self.act, "NEW")
        # Force index scans: PostgreSQL keeps a plan that it made while the table was empty, and the
        # first import would scan all cases for each row.
        return (
            f"CREATE OR REPLACE FUNCTION {self.name}() RETURNS trigger LANGUAGE plpgsql "
            "SET enable_seqscan = off AS $$ "
            f"BEGIN IF {' AND '.join(conditions) or 'TRUE'} THEN "
            f"RAISE EXCEPTION '{self.rule.sentence}' "
            f"USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN {row}; END $$"
        )

    def _changed(self, differs: str, equals: str) -> Iterator[str]:
        if self.rule.frozen:
            pairs = (f'OLD."{column}" {differs} NEW."{column}"' for column in self.rule.frozen)
            yield f"({' OR '.join(pairs)})"
        if self.rule.unless:
            yield f'OLD."{self.rule.unless}" {equals} NEW."{self.rule.unless}"'

    def _elsewhere(self) -> Iterator[str]:
        if self.rule.parent:
            table, key = self.rule.parent
            yield f"NEW.release_id <> (SELECT release_id FROM {table} WHERE id = NEW.{key})"  # noqa: S608

    def _closed(self) -> Iterator[str]:
        """SQLite: the release of the row is closed, or that of a row which it would replace.

        One subquery for each: SQLite would build a list as a temporary table for every row.
        """
        if self.rule.while_closed and self.table == "cases_release":
            yield f"OLD.status = '{CLOSED}'"
        elif self.rule.while_closed:
            statuses = (
                f"(SELECT status FROM cases_release WHERE id = {release})"  # noqa: S608
                for release in [*self._releases(), *self._replaced()]
            )
            yield f"'{CLOSED}' IN ({', '.join(statuses)})"

    def _closed_or_closing(self) -> Iterator[str]:
        """PostgreSQL: the release is closed, after waiting for a closing in another transaction.

        Rows are selected by key alone; one selected by its status would be skipped without waiting.
        """
        if self.rule.while_closed and self.act == "TRUNCATE":
            yield f"EXISTS (SELECT FROM cases_release WHERE status = '{CLOSED}')"
        elif self.rule.while_closed and self.table == "cases_release":
            yield f"OLD.status = '{CLOSED}'"
        elif self.rule.while_closed:
            releases = ", ".join(self._releases())
            yield (
                f"'{CLOSED}' IN (SELECT status FROM cases_release "  # noqa: S608
                f"WHERE id IN ({releases}) FOR SHARE)"
            )

    def _releases(self) -> list[str]:
        rows = {"INSERT": ["NEW"], "DELETE": ["OLD"], "UPDATE": ["OLD", "NEW"]}[self.act]
        return [self.rule.release_of.format(row=row) for row in rows]

    def _in_force(self) -> Iterator[str]:
        if self.rule.while_in_force:
            yield f"OLD.status = '{CLOSED}' AND NEW.status <> '{CLOSED}'"
            yield (
                "EXISTS (SELECT 1 FROM reviews_closing "
                "WHERE release_id = OLD.id AND reopened_at IS NULL)"
            )

    def _unmet(self) -> Iterator[str]:
        if self.rule.needs:
            # Of a row that is stored before its release only the foreign key is checked.
            yield "EXISTS (SELECT 1 FROM cases_release WHERE id = NEW.release_id)"
            yield f"NOT EXISTS ({self.rule.needs})"

    def _replaced(self) -> list[str]:
        """Return the releases of the rows that this row would replace."""
        if self.act not in ("INSERT", "UPDATE"):
            return []
        release = self.rule.release_of.format(row="other")
        return [
            f"(SELECT {release} FROM {self.table} AS other WHERE {self._same(key)})"  # noqa: S608
            for key in self.keys
        ]

    def _replacing(self) -> str:
        """Return the condition that a protected row would be replaced."""
        kept = f" AND other.status = '{CLOSED}'" if self.table == "cases_release" else ""
        kept += " AND other.id IS NOT OLD.id" if self.act == "UPDATE" else ""
        found = (
            f"EXISTS (SELECT 1 FROM {self.table} AS other WHERE {self._same(key)}{kept})"  # noqa: S608
            for key in self.keys
        )
        return f"({' OR '.join(found)})"

    @staticmethod
    def _same(key: tuple[str, ...]) -> str:
        """Return the condition for equal keys. A date column matches only if both are empty."""
        return " AND ".join(
            f'other."{column}" IS NULL AND NEW."{column}" IS NULL'
            if column.endswith("_at")
            else f'other."{column}" = NEW."{column}"'
            for column in key
        )


def list_triggers(vendor: str) -> list[Trigger]:
    return [
        Trigger(rule, table, act)
        for rule in RULES
        for table in rule.tables
        for act in (*rule.acts, *list_other_ways(rule, vendor))
    ]


def list_other_ways(rule: Rule, vendor: str) -> list[Act]:
    """List the other acts that remove rows on this engine, where DELETE is refused."""
    if "DELETE" not in rule.acts:
        return []
    if vendor == "postgresql":
        return ["TRUNCATE"]
    ways: tuple[Act, ...] = ("INSERT", "UPDATE")
    return [act for act in ways if act not in rule.acts]


def install(connection: BaseDatabaseWrapper) -> None:
    """Create every trigger whose tables and columns exist."""
    columns = list_columns(connection)
    with connection.cursor() as cursor:
        for trigger in list_triggers(connection.vendor):
            if all(columns[table] >= needed for table, needed in trigger.columns.items()):
                for statement in trigger.statements(connection.vendor):
                    cursor.execute(statement)


def drop(connection: BaseDatabaseWrapper) -> None:
    installed = find_installed(connection)
    with connection.cursor() as cursor:
        for name, table in installed.items():
            if connection.vendor == "postgresql":
                cursor.execute(f"DROP TRIGGER {name} ON {table}")
                cursor.execute(f"DROP FUNCTION IF EXISTS {name}()")
            else:
                cursor.execute(f"DROP TRIGGER {name}")


def find_installed(connection: BaseDatabaseWrapper) -> dict[str, str]:
    """Return the installed triggers, name -> table."""
    query = (
        "SELECT tgname, relname FROM pg_trigger JOIN pg_class ON tgrelid = pg_class.oid "
        "WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace"
        if connection.vendor == "postgresql"
        else "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        return dict(cursor.fetchall())


def list_columns(connection: BaseDatabaseWrapper) -> dict[str, set[str]]:
    """Return table -> columns, with one query. On SQLite Django would parse each definition."""
    query = (
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = current_schema()"
        if connection.vendor == "postgresql"
        else "SELECT tables.name, columns.name FROM sqlite_master AS tables "
        "JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'"
    )
    found = defaultdict[str, set[str]](set)
    with connection.cursor() as cursor:
        cursor.execute(query)
        for table, column in cursor.fetchall():
            found[table].add(column)
    return found


def _install(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    install(schema_editor.connection)


def _drop(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    drop(schema_editor.connection)


INSTALL = migrations.RunPython(_install, _drop)
DROP = migrations.RunPython(_drop, _install)
