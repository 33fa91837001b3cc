"""The shapes of records that can be imported. No Django here.

Every module of this package with a `SHAPE` is one; docs/case-shapes.md says how to add another.
`recognise_shape` goes by the content of a record, never by the name of its file.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from .shape import Shape

__all__ = ["NAMES", "SHAPES", "Shape", "find_shape", "recognise_shape"]

_modules = [
    importlib.import_module(f"{__name__}.{module.name}")
    for module in pkgutil.iter_modules(__path__)
]
SHAPES: tuple[Shape, ...] = tuple(
    module.SHAPE for module in _modules if isinstance(getattr(module, "SHAPE", None), Shape)
)
NAMES: tuple[str, ...] = tuple(shape.name for shape in SHAPES)


def find_shape(name: str) -> Shape:
    """Return the shape with this name. Raises KeyError for a name that is not in NAMES."""
    return {shape.name: shape for shape in SHAPES}[name]


def recognise_shape(record: dict[str, Any]) -> Shape | None:
    """Return the only shape that recognises the record; None if none or several do."""
    found = [shape for shape in SHAPES if shape.recognises(record)]
    return found[0] if len(found) == 1 else None
