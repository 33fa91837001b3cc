"""What the commands of manage.py print."""

from pathlib import Path

from tests.golden.cases import BAD_LINES, as_lines, make_cases
from tests.golden.recorder import Recorder

CLOSED = "wayfarer-2026.09"
OPEN = "wayfarer-2026.11"


def tell_commands(recorder: Recorder) -> None:
    command = recorder.command
    bundle = str(recorder.site.folder.parent / "bundle.zip")
    command("gate", "gate", CLOSED)
    command("gate-json", "gate", CLOSED, "--json")
    command("gate-open", "gate", OPEN)
    command("gate-unknown", "gate", "no-such")
    command("verify-ledger", "verify_ledger")
    command("verify-sample", "verify_sample", CLOSED)
    command("export-release", "export_release", CLOSED, "--out", bundle)
    command("verify-export", "verify_export", bundle)
    command("create-release", "create_release", "quay-1", "--product", "quay", "--rubric", "1")
    command("create-release-again", "create_release", "quay-1")
    lines = recorder.site.folder.parent / "cases.jsonl"
    lines.write_bytes(as_lines(make_cases()))
    bad = recorder.site.folder.parent / "bad.jsonl"
    bad.write_bytes(BAD_LINES)
    command("import-bad", "import_cases", "quay-1", str(bad))
    command("import-dry", "import_cases", "quay-1", str(lines), "--dry-run")
    command("import", "import_cases", "quay-1", str(lines), "--by", "ada")
    command("undo-import", "undo_import", "quay-1", "1")
    command("import-again", "import_cases", "quay-1", str(lines))
    command("draw-too-many", "draw_sample", "quay-1", "--size", "50")
    command("draw", "draw_sample", "quay-1", "--size", "5")
    command("draw-json", "draw_sample", "quay-1", "--json")
    command("assign-too-early", "assign", "quay-1")
    command("start", "start_review", "quay-1", "--by", "ada")
    command("assign-dry", "assign", "quay-1", "--dry-run")
    command("assign", "assign", "quay-1", "--reviewers", "rita,wei")
    command("close-cannot", "close_release", "quay-1")
    command("waive", "waive", "quay-1", "reviews", "--reason", "A trial. 试验。", "--by", "mina")
    command("close", "close_release", "quay-1", "--abandon", "--reason", "A trial.")
    command("reopen", "reopen_release", "quay-1", "--reason", "Once more.")
    command("rubric-again", "load_rubric", str(write_rubric(recorder)))
    command("send-digest", "send_digest")


def write_rubric(recorder: Recorder) -> Path:
    path = recorder.site.folder.parent / "rubric.md"
    path.write_text(recorder.read("ada", "rubrics/1/")["text"], "utf-8")
    return path
