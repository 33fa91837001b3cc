"""The catalogues hold exactly the texts of the source, completely translated, and compile."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polib
import pytest
from django.template import Context, Engine
from django.test import override_settings
from django.utils import translation

from evalsite.catalogue import ROOT, main

CHINESE = Path("locale", "zh_Hans", "LC_MESSAGES", "django.po")
SOURCE = ("cases", "evalsite", "reviews", "templates")
# What a translation must carry over: %(name)s, %s, {name} and HTML tags.
PLACEHOLDER = re.compile(
    r"%\([^)]*\)[#0 +-]*\d*(?:\.\d+)?[a-zA-Z]|%[sdrf]|\{\w*\}|</?[a-z][a-z0-9]*"
)

needs_gettext = pytest.mark.skipif(
    shutil.which("xgettext") is None,
    reason="gettext is not installed; tests/bed/system.py says how to get it",
)


def list_problems(catalogue: polib.POFile) -> list[str]:
    """List what is wrong with the entries themselves, without a look at the source."""
    problems: list[str] = []
    for entry in catalogue:
        texts = list_texts(entry)
        original = f"{entry.msgid} {entry.msgid_plural}"
        if entry.obsolete:
            problems.append(f"obsolete: {entry.msgid}")
        elif entry.fuzzy:
            problems.append(f"fuzzy: {entry.msgid}")
        elif not all(text.strip() for text in texts):
            problems.append(f"untranslated: {entry.msgid}")
        elif any(list_placeholders(text) != list_placeholders(original) for text in texts):
            problems.append(f"other placeholders: {entry.msgid}")
    return problems


def list_texts(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) or [entry.msgstr]


def list_placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text.replace("%%", "")))


def update(root: Path) -> None:
    """Run Django's makemessages as `make messages` does, but keep what is obsolete."""
    command = [sys.executable, "-m", "django", "makemessages", "--all", "--symlinks", "--no-wrap"]
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    subprocess.run(command, cwd=root, env=environment, check=True, timeout=300)


def check_with_msgfmt(po: Path) -> str:
    """Return the errors of msgfmt: repeated entries, broken formats, a bad header."""
    command = ["msgfmt", "--check-format", "--check-domain", "--output-file=/dev/null", str(po)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


# --- The catalogue of this tree -------------------------------------------------------------------


def test_every_chinese_entry_is_translated() -> None:
    assert list_problems(polib.pofile(str(ROOT / CHINESE))) == []


def test_chinese_addresses_everyone_in_the_same_way() -> None:
    catalogue = polib.pofile(str(ROOT / CHINESE))
    polite = [entry.msgid for entry in catalogue if "您" in "".join(list_texts(entry))]
    assert polite == []


@needs_gettext
def test_the_catalogue_holds_exactly_the_texts_of_the_source(tmp_path: Path) -> None:
    for name in SOURCE:
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "locale", tmp_path / "locale")
    update(tmp_path)
    # A text that was missing is untranslated or fuzzy now, one without a use is obsolete.
    assert list_problems(polib.pofile(str(tmp_path / CHINESE))) == []
    assert check_with_msgfmt(tmp_path / CHINESE) == ""


def test_the_chinese_header_names_language_plurals_and_encoding() -> None:
    metadata = polib.pofile(str(ROOT / CHINESE)).metadata
    assert metadata["Language"] == "zh_Hans"
    assert metadata["Plural-Forms"] == "nplurals=1; plural=0;"
    assert metadata["Content-Type"] == "text/plain; charset=UTF-8"


# --- The checks and the compiler, on a small tree -------------------------------------------------

HEADER = """\
msgid ""
msgstr ""
"Language: zh_Hans\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"
"""
TRANSLATED = """\
msgid "Save"
msgstr "保存"

#, python-format
msgid "%(n)d case"
msgid_plural "%(n)d cases"
msgstr[0] "%(n)d 个案例"

msgctxt "month"
msgid "May"
msgstr "五月"

msgid "Hi <b>%(name)s</b>"
msgstr "<b>%(name)s</b>好"
"""
TEMPLATE = (
    "{% translate 'May' context 'month' %}"
    "{% blocktranslate %}Hi <b>{{ name }}</b>{% endblocktranslate %}"
)


class Tree:
    """A project with one module, one template and one catalogue."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.po = root / CHINESE
        self.mo = (root / "var" / CHINESE).with_suffix(".mo")
        self.po.parent.mkdir(parents=True)
        self.write(TRANSLATED)
        (root / "rules.py").write_text(
            # A pure module marks its sentences with a function of its own.
            "def _(text):\n    return text\n\n"
            "TEXTS = {'save': _('Save')}\n"
            "ngettext('%(n)d case', '%(n)d cases', n)\n"
        )
        (root / "page.html").write_text(TEMPLATE)

    def write(self, entries: str) -> None:
        self.po.write_text(f"{HEADER}\n{entries}", "utf-8")

    def list_problems(self) -> list[str]:
        return list_problems(polib.pofile(str(self.po)))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


@needs_gettext
def test_a_complete_catalogue_has_no_problems(tree: Tree) -> None:
    update(tree.root)
    assert tree.list_problems() == []
    assert check_with_msgfmt(tree.po) == ""


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda po: po.replace('"保存"', '""'), "untranslated: Save"),
        (lambda po: po.replace('"保存"', '" "'), "untranslated: Save"),
        (lambda po: po.replace('"%(n)d 个案例"', '""'), "untranslated: %(n)d case"),
        (lambda po: po.replace("%(n)d 个", "%(m)d 个"), "other placeholders: %(n)d case"),
        (lambda po: po.replace("%(n)d 个", "个"), "other placeholders: %(n)d case"),
        (lambda po: po.replace("</b>好", "好"), "other placeholders: Hi <b>%(name)s</b>"),
        (lambda po: po.replace('msgid "Save"', '#, fuzzy\nmsgid "Save"'), "fuzzy: Save"),
        (lambda po: po + '\n#~ msgid "Old"\n#~ msgstr "旧"\n', "obsolete: Old"),
    ],
)
def test_a_bad_entry_is_found(tree: Tree, edit: Callable[[str], str], expected: str) -> None:
    tree.write(edit(TRANSLATED))
    assert tree.list_problems() == [expected]


@needs_gettext
@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda po: po.split('\n\nmsgctxt "month"')[0], "untranslated: May"),
        (lambda po: po.replace('msgctxt "month"\n', ""), "fuzzy: May"),
        (lambda po: po.replace('"Save"', '"Delete the release"'), "untranslated: Save"),
        (lambda po: po.replace("d cases", "d of all cases"), "fuzzy: %(n)d case"),
        (lambda po: po + '\nmsgid "Gone for ever"\nmsgstr "无"\n', "obsolete: Gone for ever"),
    ],
)
def test_a_difference_from_the_source_is_found(
    tree: Tree, edit: Callable[[str], str], expected: str
) -> None:
    tree.write(edit(TRANSLATED))
    update(tree.root)
    assert expected in tree.list_problems()


@needs_gettext
@pytest.mark.parametrize(
    "edit",
    [
        lambda po: po + '\nmsgid "Save"\nmsgstr "存"\n',
        lambda po: po.replace("%(n)d 个", "%(n)d % 个"),
    ],
)
def test_what_would_break_gettext_is_found(tree: Tree, edit: Callable[[str], str]) -> None:
    tree.write(edit(TRANSLATED))
    assert check_with_msgfmt(tree.po) != ""


def render(template: str) -> str:
    engine = Engine(libraries={"i18n": "django.templatetags.i18n"})
    return engine.from_string("{% load i18n %}" + template).render(Context({"name": "Rita"}))


def test_django_shows_what_was_compiled(tree: Tree) -> None:
    main(tree.root)
    paths = [tree.root / "var" / "locale"]
    with override_settings(LOCALE_PATHS=paths), translation.override("zh-hans"):
        assert render(TEMPLATE) == "五月<b>Rita</b>好"
        assert translation.ngettext("%(n)d case", "%(n)d cases", 1) == "%(n)d 个案例"
        assert translation.ngettext("%(n)d case", "%(n)d cases", 2) == "%(n)d 个案例"


def test_a_fuzzy_translation_is_not_compiled(tree: Tree) -> None:
    tree.write('#, fuzzy\nmsgid "Save"\nmsgstr "保存"\n')
    main(tree.root)
    assert list(polib.mofile(str(tree.mo))) == []


def test_what_is_compiled_already_is_left_alone(
    tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    main(tree.root)
    assert capsys.readouterr().out == "Compiled locale/zh_Hans/LC_MESSAGES/django.po.\n"
    inode = tree.mo.stat().st_ino
    main(tree.root)
    assert capsys.readouterr().out == ""
    assert tree.mo.stat().st_ino == inode
    assert [path.name for path in tree.mo.parent.iterdir()] == ["django.mo"]


@pytest.mark.parametrize("seconds", [-3600, 3600])
def test_a_changed_catalogue_is_compiled_again_even_if_its_file_is_older(
    tree: Tree, seconds: int
) -> None:
    main(tree.root)
    time = tree.mo.stat().st_mtime + seconds
    tree.write('msgid "Save"\nmsgstr "存"\n')
    os.utime(tree.po, (time, time))
    main(tree.root)
    assert [entry.msgstr for entry in polib.mofile(str(tree.mo))] == ["存"]


def test_compiling_needs_neither_settings_nor_a_secret_key(tree: Tree) -> None:
    code = (
        "import sys, pathlib; from evalsite.catalogue import main; main(pathlib.Path(sys.argv[1]))"
    )
    command = [sys.executable, "-c", code, str(tree.root)]
    subprocess.run(command, cwd=ROOT, env={"PATH": ""}, check=True, timeout=300)
    assert tree.mo.exists()
