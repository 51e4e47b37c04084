"""Checks of arguments that need no C: types and some limits."""

from __future__ import annotations

from typing import Any, Iterable

from .errors import is_number, must_be, refuse, show, shown

SEED_MAX = 2**53 - 1


def check_integer(name: Any, value: Any, minimum: int, maximum: int) -> int:
    if not is_number(value):
        raise must_be(name, "a_number", value)
    if not (minimum <= value <= maximum and int(value) == value):
        limits = {"minimum": minimum, "maximum": maximum}
        refuse("out_of_range", "must_be_integer_between", setting=name, value=value, **limits)
    return int(value)


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> None:
    choices = list(choices)
    if not any(type(value) is type(one) and value == one for one in choices):
        names = ", ".join(map(show, choices))
        refuse("invalid_argument", "must_be_one_of", setting=name, names=names, value=shown(value))


def check_boolean(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise must_be(name, "true_or_false", value)
    return value


def check_names(what: str, given: Iterable[str], names: Iterable[str]) -> None:
    names = list(names)
    for name in given:
        if name not in names:
            values = {"setting": what, "names": ", ".join(names), "value": show(name)}
            refuse("invalid_argument", "must_be_among", **values)
