"""The formats of other tools, as they publish them; written down here from their own definitions.

langfuse      CreateScoreRequest of its API (fern/apis/server/definition/scores.yml)
mlflow        the JSON of the message Assessment (mlflow/protos/assessments.proto), with a Feedback
huggingface   features of a dataset (datasets.Features), with the values that each type takes
label studio  tasks with annotations (docs, task format and result format), and the tags of a
              labeling configuration
"""

from typing import Any

TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
MOMENT: dict[str, Any] = {
    "type": "string",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$",
}

# A score belongs to exactly one trace, session or run; its value fits its type.
LANGFUSE: dict[str, Any] = {
    "type": "object",
    "required": ["name", "value"],
    "additionalProperties": False,
    "properties": {
        "id": TEXT,
        "traceId": TEXT,
        "sessionId": TEXT,
        "observationId": TEXT,
        "datasetRunId": TEXT,
        "name": TEXT,
        "value": {"type": ["number", "string"]},
        "comment": {"type": "string"},
        "metadata": {"type": "object"},
        "environment": {"type": "string", "pattern": "^(?!langfuse)[a-z0-9-_]+$"},
        "queueId": TEXT,
        "dataType": {"enum": ["NUMERIC", "BOOLEAN", "CATEGORICAL", "TEXT", "CORRECTION"]},
        "configId": TEXT,
        "source": {"enum": ["API", "ANNOTATION"]},
    },
    "oneOf": [
        {"required": ["traceId"]},
        {"required": ["sessionId"]},
        {"required": ["datasetRunId"]},
    ],
    "allOf": [
        {
            "if": {"properties": {"dataType": {"const": "CATEGORICAL"}}, "required": ["dataType"]},
            "then": {"properties": {"value": TEXT}},
            "else": {"properties": {"value": {"type": "number"}}},
        }
    ],
}

# Metadata is a map of texts; a value is a google.protobuf.Value.
MLFLOW: dict[str, Any] = {
    "type": "object",
    "required": ["assessment_name", "trace_id", "source", "create_time", "last_update_time"],
    "additionalProperties": False,
    "properties": {
        "assessment_id": TEXT,
        "assessment_name": TEXT,
        "trace_id": TEXT,
        "span_id": TEXT,
        "source": {
            "type": "object",
            "required": ["source_type", "source_id"],
            "additionalProperties": False,
            "properties": {
                "source_type": {"enum": ["HUMAN", "LLM_JUDGE", "CODE"]},
                "source_id": TEXT,
            },
        },
        "create_time": MOMENT,
        "last_update_time": MOMENT,
        "feedback": {
            "type": "object",
            "required": ["value"],
            "additionalProperties": False,
            "properties": {
                "value": {"type": ["number", "string", "boolean", "array", "object"]},
                "error": {"type": "object"},
            },
        },
        "expectation": {"type": "object"},
        "rationale": {"type": "string"},
        "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
        "overrides": TEXT,
        "valid": {"type": "boolean"},
    },
    "oneOf": [{"required": ["feedback"]}, {"required": ["expectation"]}],
}


def value(dtype: str) -> dict[str, Any]:
    return {"dtype": dtype, "_type": "Value"}


def sequence_of(**fields: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(fields)]


# As `datasets.Features.to_dict` writes them.
HUGGINGFACE: dict[str, Any] = {
    "release": value("string"),
    "product": value("string"),
    "case_key": value("string"),
    "kind": value("string"),
    "locale": value("string"),
    "request": value("string"),
    "plan": value("string"),
    "reviewer": value("string"),
    "submitted_at": value("string"),
    "is_counted": value("bool"),
    "scores": sequence_of(metric=value("string"), value=value("int64"), rationale=value("string")),
    "answers": sequence_of(item=value("string"), answer=value("string"), note=value("string")),
    "flags": [value("string")],
    "comment": value("string"),
}
_TYPES = {"string": str, "bool": bool, "int64": int, "float64": float}


def misfits(row: Any, features: Any, path: str = "row") -> list[str]:
    """Where a value is not of the type of its feature; null fits any."""
    if isinstance(features, list):
        [feature] = features
        return [
            found
            for place, item in enumerate(row)
            for found in misfits(item, feature, f"{path}[{place}]")
        ]
    if "_type" in features:
        wanted = _TYPES[features["dtype"]]
        fits = row is None or (
            isinstance(row, wanted) and isinstance(row, bool) == (wanted is bool)
        )
        return [] if fits else [f"{path}: {row!r} is no {features['dtype']}"]
    if row.keys() != features.keys():
        return [f"{path}: {sorted(row.keys() ^ features.keys())}"]
    return [
        found for name in features for found in misfits(row[name], features[name], f"{path}.{name}")
    ]


_REGION: dict[str, Any] = {
    "type": "object",
    "required": ["id", "from_name", "to_name", "type", "value"],
    "properties": {
        "id": {"type": "string", "pattern": "^[A-Za-z0-9_-]+$"},
        "from_name": TEXT,
        "to_name": TEXT,
        "type": {"enum": ["choices", "textarea"]},
    },
    "oneOf": [
        {
            "properties": {
                "type": {"const": "choices"},
                "value": {
                    "required": ["choices"],
                    "properties": {"choices": {"type": "array", "items": TEXT, "minItems": 1}},
                },
            }
        },
        {
            "properties": {
                "type": {"const": "textarea"},
                "value": {
                    "required": ["text"],
                    "properties": {"text": {"type": "array", "items": TEXT, "minItems": 1}},
                },
            }
        },
    ],
}
LABEL_STUDIO: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["data"],
        "additionalProperties": False,
        "properties": {
            "id": {"type": "integer"},
            "data": {"type": "object", "minProperties": 1},
            "meta": {"type": "object"},
            "predictions": {"type": "array"},
            "annotations": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["result"],
                    "properties": {
                        "result": {"type": "array", "items": _REGION},
                        "was_cancelled": {"type": "boolean"},
                        "ground_truth": {"type": "boolean"},
                        "completed_by": {"type": ["integer", "object"]},
                        "lead_time": {"type": "number"},
                    },
                },
            },
        },
    },
}
