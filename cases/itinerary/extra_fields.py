"""The fields of a stored case that the format does not know: kept, and shown to admins."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

from msgspec import inspect

from .format import Case

LEFT_OVER = "other"  # where a foreign shape puts what has no field of ours

Path: TypeAlias = tuple[str | int, ...]


def other_fields(data: dict[str, Any]) -> list[tuple[str, Any]]:
    """(JSON pointer, value) of each; the order does not depend on the order of the keys.

    What stands under "other" comes leaf by leaf, an unknown field elsewhere whole.
    """
    return [(_pointer(path), value) for path, value in _unknown(data, _CASE, ())]


_CASE = inspect.type_info(Case)


@cache
def _known(struct: type) -> dict[str, inspect.Type]:
    """The fields of a struct. A translation has the shape of a case, which the struct can't say."""
    shape = inspect.type_info(struct)
    assert isinstance(shape, inspect.StructType)
    fields = {one.encode_name: one.type for one in shape.fields}
    if struct is Case:
        fields["translations"] = inspect.DictType(inspect.StrType(), _CASE)
    return fields


def _unknown(value: Any, expected: inspect.Type, path: Path) -> Iterator[tuple[Path, Any]]:
    options = expected.types if isinstance(expected, inspect.UnionType) else (expected,)
    for option in options:
        if isinstance(option, inspect.StructType) and isinstance(value, dict):
            known = _known(option.cls)
            for name in sorted(value):
                if name in known:
                    yield from _unknown(value[name], known[name], (*path, name))
                elif name == LEFT_OVER and not path:
                    yield from _leaves(value[name], (name,))
                else:
                    yield (*path, name), value[name]
        elif isinstance(option, inspect.DictType) and isinstance(value, dict):
            for name in sorted(value):
                yield from _unknown(value[name], option.value_type, (*path, name))
        elif isinstance(option, inspect.ListType) and isinstance(value, list):
            for place, one in enumerate(value):
                yield from _unknown(one, option.item_type, (*path, place))


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """An empty object in a list only keeps the place of an item that has nothing left over."""
    if isinstance(value, dict) and value:
        for name in sorted(value):
            yield from _leaves(value[name], (*path, name))
    elif isinstance(value, list) and value:
        for place, one in enumerate(value):
            yield from _leaves(one, (*path, place))
    elif value != {} or not isinstance(path[-1], int):
        yield path, value


def _pointer(path: Path) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)
