"""`python -m tests.golden.record --site CHECKOUT --out FOLDER`: see README.md."""

import argparse
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.golden import command_story, page_story, script_story
from tests.golden.normalise import write_json
from tests.golden.recorder import Recorder
from tests.golden.refusals import record_refusals
from tests.golden.site import running

DEMO = ("wayfarer-2026.09", "wayfarer-2026.10", "wayfarer-2026.11")


def main() -> None:
    parser = argparse.ArgumentParser(description="Record what the site of a checkout answers.")
    parser.add_argument("--site", type=Path, required=True, help="the checkout")
    parser.add_argument("--out", type=Path, required=True, help="a folder; it is emptied first")
    options = parser.parse_args()
    if options.out.exists():
        shutil.rmtree(options.out)
    with running(options.site.resolve()) as site:
        recorder = Recorder(site, options.out)
        tell(recorder)
    sys.stdout.write(f"{sum(path.is_file() for path in options.out.rglob('*'))} files\n")


def tell(recorder: Recorder) -> None:
    """The whole story, in a fixed order; the clock goes on only between its parts."""
    for release in DEMO:
        recorder.learn_codes(release)
    recorder.learn_reviews()
    document = script_story.read_document(recorder)
    page_story.tell_demo(recorder)
    record_refusals(recorder)
    script_story.tell_draft(recorder)
    script_story.tell_tokens(recorder)
    recorder.site.move_clock(hours=1)
    script_story.tell_assignments(recorder)
    recorder.site.move_clock(days=1)
    script_story.tell_one_review(recorder)
    script_story.tell_other_reviews(recorder)
    recorder.site.move_clock(hours=1)
    script_story.tell_results(recorder)
    script_story.tell_closing(recorder)
    recorder.site.move_clock(days=3)
    page_story.tell_draft(recorder)
    recorder.site.move_clock(hours=1)
    page_story.tell_assignments(recorder)
    page_story.tell_desk(recorder)
    recorder.site.move_clock(hours=1)
    page_story.tell_settling(recorder)
    page_story.tell_closing(recorder)
    page_story.tell_people(recorder)
    script_story.tell_rubrics(recorder)
    script_story.tell_other_rubric(recorder)
    command_story.tell_commands(recorder)
    recorder.write("calls.json", write_json(covered(document, recorder.called)))


def covered(document: dict[str, Any], called: Mapping[str, set[int]]) -> dict[str, list[int]]:
    """Each operation of the OpenAPI document, and the statuses that were recorded of it."""
    found: dict[str, set[int]] = {}
    for path, operations in document["paths"].items():
        address = path.removeprefix("/api/v1/").replace("{name}", "[^/]+")
        pattern = re.compile(re.sub(r"\{\w+\}", "[0-9]+", address))
        for method in set(operations) & {"get", "post", "put", "patch", "delete"}:
            name = f"{method.upper()} {path}"
            found[name] = set()
            for call, statuses in called.items():
                verb, _, asked = call.partition(" ")
                if verb == method.upper() and pattern.fullmatch(asked):
                    found[name] |= statuses
    return {name: sorted(statuses) for name, statuses in found.items()}


if __name__ == "__main__":
    main()
