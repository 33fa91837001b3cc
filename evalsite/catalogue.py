"""The words of the interface in other languages, without the gettext programs.

    python -m evalsite.catalogue update    source -> locale/<language>/LC_MESSAGES/django.po
    python -m evalsite.catalogue check     says what the .po files lack; exit code 1 if anything
    python -m evalsite.catalogue compile   locale/**/*.po -> var/locale/**/*.mo, where Django looks

None of them reads the settings, so that `compile` can run before there is a secret key.
"""

import argparse
import ast
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import polib
from django.template.base import Lexer, Token, TokenType, Variable, constant_string
from django.template.exceptions import TemplateSyntaxError
from django.templatetags.i18n import BlockTranslateNode

ROOT = Path(__file__).resolve().parent.parent
PYTHON_DIRS = ("cases", "evalsite", "reviews")
# What the leading arguments are, with or without _lazy. `_` also marks texts in the pure modules.
ARGUMENTS = {
    "_": ("text",),
    "gettext": ("text",),
    "ngettext": ("text", "plural"),
    "pgettext": ("context", "text"),
    "npgettext": ("context", "text", "plural"),
}
QUOTED = re.compile(constant_string)
# What a translation must carry over: %(name)s, %s, {name}, and HTML tags. %% is only stepped over.
MARK = re.compile(r"%%|%\([^)]*\)[#0 +-]*\d*(?:\.\d+)?[a-zA-Z]|%[sdrf]|\{\w*\}|</?[a-z][a-z0-9]*")

Key = tuple[str | None, str]


class Message(NamedTuple):
    text: str
    plural: str = ""
    context: str | None = None


class Problem(NamedTuple):
    kind: str
    text: str


def source_files(root: Path) -> list[Path]:
    python = [path for name in PYTHON_DIRS for path in (root / name).rglob("*.py")]
    templates = [path for path in (root / "templates").rglob("*") if path.is_file()]
    return sorted(path for path in python + templates if not path.name.startswith("."))


def messages_in_python(source: str) -> Iterator[Message]:
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        called: str = getattr(call.func, "attr", getattr(call.func, "id", ""))
        names = ARGUMENTS.get(re.sub("_(lazy|noop)$", "", called), ())
        values = [getattr(argument, "value", None) for argument in call.args[: len(names)]]
        words = [value for value in values if isinstance(value, str)]
        if names and len(words) == len(names):
            yield Message(**dict(zip(names, words, strict=True)))


def messages_in_template(source: str) -> Iterator[Message]:
    tokens = iter(Lexer(source).tokenize())
    for token in tokens:
        if token.token_type not in (TokenType.VAR, TokenType.BLOCK):
            continue
        tag, *options = token.split_contents() if token.token_type is TokenType.BLOCK else [""]
        if tag == "comment":
            next(skipped for skipped in tokens if skipped.contents == "endcomment")
            continue
        for quoted in QUOTED.findall(token.contents):
            # Plain strings match too, so that a `_("...")` inside of one is not taken for a call.
            if quoted.startswith("_("):
                yield Message(unquoted(quoted).replace("%", "%%"))
        if tag in ("translate", "trans") and (literal := QUOTED.match(options[0])):
            # TranslateNode puts the text into quotes and reads it a second time.
            text = unquoted(f"'{unquoted(literal[0])}'")
            yield Message(text.replace("%", "%%"), context=context_among(options))
        elif tag in ("blocktranslate", "blocktrans"):
            node = BlockTranslateNode({}, [], trimmed="trimmed" in options)
            text, end = text_of_block(node, tokens)
            plural = text_of_block(node, tokens)[0] if end == "plural" else ""
            yield Message(text, plural, context_among(options))


def unquoted(literal: str) -> str:
    return str(Variable(literal).literal)


def context_among(options: list[str]) -> str | None:
    if "context" not in options:
        return None
    value = options[options.index("context") + 1]
    if not QUOTED.fullmatch(value):
        raise TemplateSyntaxError(f"context must be a quoted string, got {value}.")
    return unquoted(value)


def text_of_block(node: BlockTranslateNode, tokens: Iterator[Token]) -> tuple[str, str]:
    """The message up to the next tag, put together by Django's own code, and that tag."""
    parts: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.BLOCK:
            return node.render_token_list(parts)[0], token.contents
        parts.append(token)
    raise TemplateSyntaxError("blocktranslate without its end.")


def entries_in_source(root: Path) -> dict[Key, polib.POEntry]:
    """One entry for each message, in the order of the source, without translations."""
    entries: dict[Key, polib.POEntry] = {}
    for path in source_files(root):
        name = path.relative_to(root).as_posix()
        find = messages_in_python if path.suffix == ".py" else messages_in_template
        try:
            messages = [message for message in find(path.read_text("utf-8")) if message.text]
        except Exception as error:
            error.add_note(f"In {name}")
            raise
        for message in messages:
            new = polib.POEntry(msgid=message.text, msgctxt=message.context)
            entry = entries.setdefault(key_of(new), new)
            entry.msgid_plural = entry.msgid_plural or message.plural
            if (name, "") not in entry.occurrences:
                entry.occurrences.append((name, ""))
    return entries


def key_of(entry: polib.POEntry) -> Key:
    """What gettext looks up; the plural is no part of it."""
    return entry.msgctxt, entry.msgid


def plural_forms(catalogue: polib.POFile) -> range:
    return range(int(re.findall(r"nplurals=(\d+)", catalogue.metadata["Plural-Forms"])[0]))


def update(po: Path, root: Path) -> None:
    catalogue = polib.pofile(str(po), wrapwidth=0)
    known = {key_of(entry): entry for entry in catalogue if not entry.obsolete}
    forms = plural_forms(catalogue)
    catalogue.clear()
    for key, entry in entries_in_source(root).items():
        old = known.get(key, polib.POEntry())
        entry.tcomment, entry.flags = old.tcomment, old.flags
        if entry.msgid_plural:
            entry.msgstr_plural = {form: old.msgstr_plural.get(form, old.msgstr) for form in forms}
        else:
            entry.msgstr = old.msgstr or old.msgstr_plural.get(0, "")
        # The same key with another plural: somebody has to look at the translation again.
        entry.fuzzy = old.fuzzy or (old.translated() and old.msgid_plural != entry.msgid_plural)
        catalogue.append(entry)
    catalogue.save(str(po))


def problems(po: Path, root: Path) -> Iterator[Problem]:
    catalogue = polib.pofile(str(po))
    found = entries_in_source(root)
    times = Counter(key_of(entry) for entry in catalogue if not entry.obsolete)
    yield from (Problem("missing", key[1]) for key in found if key not in times)
    yield from (Problem("repeated", key[1]) for key in times if times[key] > 1)
    for entry in catalogue:
        texts = [entry.msgstr]
        if entry.msgid_plural:
            texts = [entry.msgstr_plural.get(form, "") for form in plural_forms(catalogue)]
        if entry.obsolete or key_of(entry) not in found:
            yield Problem("obsolete", entry.msgid)
        elif entry.fuzzy:
            yield Problem("fuzzy", entry.msgid)
        elif entry.msgid_plural != found[key_of(entry)].msgid_plural:
            yield Problem("mismatched", entry.msgid)
        elif not all(text.strip() for text in texts):
            yield Problem("untranslated", entry.msgid)
        elif not all(fits(text, f"{entry.msgid} {entry.msgid_plural}") for text in texts):
            yield Problem("mismatched", entry.msgid)


def fits(translation: str, original: str) -> bool:
    """Whether it can stand in for the original. What is no format in English ("100%") need not be
    one in the translation."""
    same_marks = set(MARK.findall(translation)) - {"%%"} == set(MARK.findall(original)) - {"%%"}
    return same_marks and (can_be_formatted(translation) or not can_be_formatted(original))


def can_be_formatted(text: str) -> bool:
    try:
        text % dict.fromkeys(re.findall(r"%\(([^)]*)\)", text), 1)
    except (TypeError, ValueError, KeyError):
        return False
    return True


def compile_catalogue(po: Path, mo: Path) -> bool:
    """False if there was nothing to do.

    The .mo carries the time of its .po. "Newer" would not do: files unpacked from a release can
    be older than what was compiled from the release before.
    """
    time = po.stat().st_mtime_ns
    if mo.exists() and mo.stat().st_mtime_ns == time:
        return False
    mo.parent.mkdir(parents=True, exist_ok=True)
    unfinished = mo.with_name(f"{mo.name}.{os.getpid()}")
    polib.pofile(str(po)).save_as_mofile(str(unfinished))
    os.utime(unfinished, ns=(time, time))
    unfinished.replace(mo)
    return True


def main(arguments: list[str], root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(prog="python -m evalsite.catalogue")
    parser.add_argument("act", choices=["update", "check", "compile"])
    act = parser.parse_args(arguments).act
    exit_code = 0
    for po in sorted((root / "locale").glob("*/LC_MESSAGES/*.po")):
        name = po.relative_to(root)
        if act == "update":
            update(po, root)
        elif act == "compile":
            if compile_catalogue(po, (root / "var" / name).with_suffix(".mo")):
                print(f"Compiled {name}.")
        else:
            for problem in problems(po, root):
                print(f"{name}: {problem.kind}: {problem.text!r}")
                exit_code = 1
    return exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
