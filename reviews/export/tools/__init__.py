"""The reviews of a closed release in the formats of other tools, one module each.

reviewed      the cases with their reviews, which all formats are written from
langfuse      scores, as its API creates them
mlflow        assessments, as its traces have them
huggingface   rows of a dataset
label_studio  tasks with annotations, and the labeling configuration that they need
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cases.models import Release
from reviews.errors import require_closed
from reviews.export.files import File

from . import huggingface, label_studio, langfuse, mlflow
from .reviewed import Reviewed, read_reviewed

JSON_LINES = "application/x-ndjson"
JSON = "application/json"
XML = "application/xml; charset=utf-8"


def name_file(
    tool: str,
    ending: str,
    content_type: str,
    write: Callable[[Iterator[Reviewed]], Iterator[bytes]],
) -> File:
    def make(release: Release) -> Iterator[bytes]:
        require_closed(release)
        return write(read_reviewed(release))

    return File(tool, ending, content_type, make)


def make_config(release: Release) -> Iterator[bytes]:
    require_closed(release)
    return iter([label_studio.write_config(release.rubric.document)])


TOOLS = {
    "langfuse": name_file("langfuse", "jsonl", JSON_LINES, langfuse.write),
    "mlflow": name_file("mlflow", "jsonl", JSON_LINES, mlflow.write),
    "huggingface": name_file("huggingface", "jsonl", JSON_LINES, huggingface.write),
    "label-studio": name_file("label-studio", "json", JSON, label_studio.write),
    "label-studio-config": File("label-studio-config", "xml", XML, make_config),
}
