"""The Chinese interface is complete, and nothing that people read goes past the catalogue."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path

import polib
import pytest
from django.template import Context, Engine
from django.template.base import Lexer, TokenType
from django.template.exceptions import TemplateSyntaxError
from django.test import override_settings
from django.utils import translation

from evalsite.catalogue import (
    ARGUMENTS,
    MARK,
    ROOT,
    Message,
    Problem,
    fits,
    main,
    messages_in_python,
    messages_in_template,
    problems,
    source_files,
)

CHINESE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"

# Words that are the same in every language.
PROPER_WORDS = {"Spotcheck", "English", "简体中文", "GO", "HOLD", "NO"}

TEMPLATES = [path for path in source_files(ROOT) if path.suffix != ".py"]
# Migrations repeat what the models say, as plain strings.
PYTHON = [p for p in source_files(ROOT) if p.suffix == ".py" and "migrations" not in p.parts]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def words_in(texts: list[str]) -> list[str]:
    words = re.findall(r"[^\W\d_]{2,}", MARK.sub(" ", " ".join(texts)))
    return [word for word in words if word not in PROPER_WORDS]


# --- The catalogue of this tree -------------------------------------------------------------------


@pytest.fixture(scope="module")
def chinese_problems() -> list[Problem]:
    return list(problems(CHINESE, ROOT))


@pytest.mark.parametrize(
    "kind", ["missing", "untranslated", "fuzzy", "obsolete", "repeated", "mismatched"]
)
def test_no_chinese_message_is(kind: str, chinese_problems: list[Problem]) -> None:
    assert [problem.text for problem in chinese_problems if problem.kind == kind] == []


def test_the_chinese_header_names_language_plurals_and_encoding_but_no_dates() -> None:
    metadata = polib.pofile(str(CHINESE)).metadata
    assert metadata["Language"] == "zh_Hans"
    assert metadata["Plural-Forms"] == "nplurals=1; plural=0;"
    assert metadata["Content-Type"] == "text/plain; charset=UTF-8"
    assert not [name for name in metadata if "Date" in name]


# --- Words in templates that go past the catalogue ------------------------------------------------

READ_ATTRIBUTES = {
    "title",
    "alt",
    "placeholder",
    "label",
    "aria-label",
    "aria-description",
    "aria-placeholder",
    "aria-roledescription",
    "aria-valuetext",
    "hx-confirm",
}
CODE_TAGS = ("script", "style", "code", "kbd")
LITERAL = r"""("[^"]*"|'[^']*')"""
# {{ "shown" }}, filters whose argument is shown as it stands, words for an included template.
SHOWN_BY_TAGS = re.compile(
    r"(?:^|\|\s*(?:default|default_if_none|yesno|pluralize):"
    rf"|\s(?:title|label|heading|legend|text|message|hint)=){LITERAL}"
)


class Reader(HTMLParser):
    """Gathers what people see or hear of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []
        self.is_in_code = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in CODE_TAGS:
            self.is_in_code = True
        is_button = tag == "input" and dict(attrs).get("type") in ("submit", "button", "reset")
        for name, value in attrs:
            text = (value or "").strip()
            # Scripts find their sentences in data-*; keys there begin with a small letter.
            is_sentence = name.startswith("data-") and text[:1].isupper()
            if name in READ_ATTRIBUTES or is_sentence or (name == "value" and is_button):
                self.read.append(text)

    def handle_endtag(self, tag: str) -> None:
        if tag in CODE_TAGS:
            self.is_in_code = False

    def handle_data(self, data: str) -> None:
        if not self.is_in_code:
            self.read.append(data)


def untranslated_words(template: str) -> list[str]:
    """What stays in English. Each tag is replaced by the plain words that it would show, where it
    stands, so that a word in a class attribute is none that people read."""
    html: list[str] = []
    end_tag = ""
    for token in Lexer(template).tokenize():
        tag = token.contents.split()[0] if token.token_type is TokenType.BLOCK else ""
        if end_tag:
            end_tag = "" if tag == end_tag else end_tag
        elif token.token_type is TokenType.TEXT:
            html.append(token.contents)
        elif token.token_type is not TokenType.COMMENT:
            shown = SHOWN_BY_TAGS.findall(token.contents)
            html.append(" ".join(literal[1:-1] for literal in shown))
            # A block such as page_class stands inside of an attribute of its parent.
            is_class = tag == "block" and token.contents.endswith("_class")
            if is_class or tag in ("comment", "blocktranslate", "blocktrans"):
                end_tag = f"end{tag}"
    reader = Reader()
    reader.feed(" ".join(html))
    reader.close()
    return words_in(reader.read)


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_all_words_of_the_template_can_be_translated(path: Path) -> None:
    assert untranslated_words(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "template",
    [
        "<p>Sign in</p>",
        "{% if user %}Sign{% endif %} <b>in</b>",
        "{% blocktranslate %}Yes{% endblocktranslate %} Sign in",
        "{% block page_class %}wide{% endblock page_class %}{% block a %}Sign in{% endblock %}",
        "{% comment %}No{% endcomment %}Sign in",
        "<code>make</code>Sign in",
        '<a title="Sign in">',
        '<a aria-label="{{ name }}: Sign in">',
        '<img alt="Sign in">',
        '<input placeholder="Sign in">',
        '<input type="submit" value="Sign in">',
        '<button data-question="Sign in">',
        '{{ "Sign in" }}',
        '{{ name|default:"Sign in" }}',
        "{{ name|yesno:'Sign,in' }}",
        '{% include "_field.html" with label="Sign in" %}',
        "Spotcheck {{ name }} Sign in",
    ],
)
def test_a_plain_word_in_a_template_is_found(template: str) -> None:
    assert untranslated_words(template) == ["Sign", "in"]


@pytest.mark.parametrize(
    "template",
    [
        "",
        "<!doctype html><!-- a remark --><p class='wide'>Spotcheck 2 · A &nbsp;</p>",
        "{# a remark #}{% comment 'why' %}a remark{% endcomment %}",
        '<p title="{% translate "Sign in" %}">{% translate "Sign in" %}</p>',
        "{% blocktranslate %}Sign in{% endblocktranslate %}{% blocktrans %}or{% endblocktrans %}",
        '{{ name|default:_("nobody") }}{{ name|date:"DATE_FORMAT" }}',
        '<p class="{{ name|default:"wide" }}" data-state="saved">',
        '<input type="hidden" value="saved"{% if name %} checked{% endif %}>',
        '{% include "_field.html" with label=_("Name") field=name %}',
        "<script>let name</script><style>body {}</style><code>make <b>run</b> it</code>",
    ],
)
def test_what_is_no_plain_word_in_a_template_is_left_alone(template: str) -> None:
    assert untranslated_words(template) == []


# --- Words in Python that go past the catalogue ---------------------------------------------------

# Which positional argument people get to read. CommandError is not here: terminals stay English.
READ_ARGUMENT = {
    r"messages\.(debug|info|success|warning|error)": 1,
    r"messages\.add_message": 2,
    r"(.+\.)?ValidationError": 0,
    r".+\.add_error": 1,
    r"models\.(?!OneToOne|ManyToMany)\w+Field": 0,
}
READ_KEYWORDS = {
    "verbose_name",
    "verbose_name_plural",
    "help_text",
    "label",
    "empty_label",
    "error_messages",
    "violation_error_message",
}
READ_CLASS_ATTRIBUTES = {
    "verbose_name",
    "verbose_name_plural",
    "message",
    "site_header",
    "site_title",
    "index_title",
}


def plain_texts(node: ast.expr) -> Iterator[str]:
    """The strings in an expression that are not inside of a call such as `_("...")`."""
    inner: list[ast.expr] = []
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=inner) | ast.Dict(values=inner):
            pass
        case ast.List(elts=inner) | ast.Tuple(elts=inner) | ast.Set(elts=inner):
            pass
        case ast.BinOp(left=left, op=operator, right=right):
            inner = [left, right] if isinstance(operator, ast.Add) else [left]
        case ast.IfExp(body=body, orelse=orelse):
            inner = [body, orelse]
        case ast.Call(func=ast.Attribute(value=ast.Constant() as template)):
            inner = [template]
    for part in inner:
        yield from plain_texts(part)


def read_by_people(node: ast.AST, keywords: Collection[str]) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        places = [READ_ARGUMENT[name] for name in READ_ARGUMENT if re.fullmatch(name, called)]
        yield from (node.args[place] for place in places if place < len(node.args))
        for keyword in node.keywords:
            if keyword.arg in keywords or (places and keyword.arg == "message"):
                yield keyword.value
    if isinstance(node, ast.ClassDef):
        is_choices = any(ast.unparse(base).endswith("Choices") for base in node.bases)
        for line in node.body:
            match line:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    if name in READ_CLASS_ATTRIBUTES:
                        yield value
                    elif is_choices and isinstance(value, ast.Tuple):
                        yield value.elts[-1]


@lru_cache(maxsize=1)
def nodes_of(source: str) -> list[ast.AST]:
    """Two looks at one module in turn, and it is read once."""
    return list(ast.walk(ast.parse(source)))


def unmarked_texts(source: str, keywords: Collection[str] = READ_KEYWORDS) -> list[str]:
    expressions = [found for node in nodes_of(source) for found in read_by_people(node, keywords)]
    texts = [text for expression in expressions for text in plain_texts(expression)]
    return [text for text in texts if words_in([text])]


def texts_lost_to_the_catalogue(source: str) -> list[str]:
    """Looked up, but built on the way, or through a name that nobody searches for."""
    lost: list[str] = []
    for node in nodes_of(source):
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation":
            renamed = [alias for alias in node.names if alias.asname not in (None, alias.name)]
            usual = [("gettext", "_"), ("gettext_lazy", "_")]
            lost += [ast.unparse(one) for one in renamed if (one.name, one.asname) not in usual]
        if isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            names = ARGUMENTS.get(called.removesuffix("_lazy").removesuffix("_noop"), ())
            built = [part for part in node.args[: len(names)] if not isinstance(part, ast.Constant)]
            lost += [text for part in built for text in plain_texts(part)]
    return lost


@pytest.mark.parametrize("path", PYTHON, ids=name_of)
def test_all_words_of_the_module_can_be_translated(path: Path) -> None:
    source = path.read_text("utf-8")
    # The OpenAPI document is in English: docstrings and help texts of calls.
    keywords = set(READ_KEYWORDS) - ({"help_text"} if path.name == "api.py" else set())
    assert unmarked_texts(source, keywords) == []
    assert texts_lost_to_the_catalogue(source) == []


@pytest.mark.parametrize(
    "source",
    [
        "messages.success(request, 'Saved.')",
        "messages.add_message(request, level, 'Saved.')",
        "messages.info(request, message='Saved.')",
        "messages.error(request, f'Saved.{name}')",
        "messages.error(request, 'Saved.' % name)",
        "messages.error(request, name + 'Saved.')",
        "messages.error(request, 'Saved.'.format(name))",
        "messages.error(request, 'Saved.' if name else _('Kept.'))",
        "raise ValidationError('Saved.')",
        "raise forms.ValidationError({'name': ['Saved.']}, code='known')",
        "form.add_error('name', 'Saved.')",
        "models.CharField('Saved.', max_length=3)",
        "models.OneToOneField('cases.Case', verbose_name='Saved.')",
        "forms.CharField(label='Saved.', help_text=_('Kept.'))",
        "class Meta:\n    verbose_name = 'Saved.'",
        "class Status(models.TextChoices):\n    SAVED = 'saved', 'Saved.'",
    ],
)
def test_a_plain_text_in_python_is_found(source: str) -> None:
    assert unmarked_texts(source) == ["Saved."]


@pytest.mark.parametrize(
    "source",
    [
        "messages.success(request, _('Saved.'))",
        "messages.success(request, _('Saved %(name)s.') % {'name': name})",
        "messages.success(request, str(error))",
        "raise ValidationError({'name': _('Saved.')}, code='known')",
        "raise CommandError('Saved.')",
        "models.OneToOneField('cases.Case')",
        "models.CharField(_('name'), default='saved')",
        "class CasesConfig(AppConfig):\n    name = label = 'cases'",
        "class Status(models.TextChoices):\n    SAVED = 'saved', _('Saved.')",
        "forms.CharField(label='Spotcheck')",
    ],
)
def test_what_is_no_plain_text_in_python_is_left_alone(source: str) -> None:
    assert unmarked_texts(source) == []


@pytest.mark.parametrize(
    "source",
    [
        "_(f'Saved {name}.')",
        "gettext('Saved %s.' % name)",
        "translation.gettext('Saved {}.'.format(name))",
        "_('Saved.' if name else 'Kept.')",
        "ngettext('%(n)d case', f'%(n)d {name}', n)",
        "from django.utils.translation import ngettext as plural",
        "from django.utils.translation import pgettext as _",
    ],
)
def test_a_lookup_that_cannot_be_extracted_is_found(source: str) -> None:
    assert list(messages_in_python(source)) == []
    assert texts_lost_to_the_catalogue(source) != []


def test_a_lookup_of_what_another_module_marked_is_left_alone() -> None:
    source = "from django.utils.translation import gettext as _\n_(problem.message) % params"
    assert texts_lost_to_the_catalogue(source) == []


# --- What is extracted is what Django looks up ----------------------------------------------------


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> set[Message]:
    """Fills with what Django asks its catalogues for."""
    asked: set[Message] = set()

    def gettext(text: str) -> str:
        asked.add(Message(str(text)))
        return text

    def pgettext(context: str, text: str) -> str:
        asked.add(Message(str(text), context=str(context)))
        return text

    def ngettext(text: str, plural: str, number: int) -> str:
        asked.add(Message(str(text), str(plural)))
        return plural

    def npgettext(context: str, text: str, plural: str, number: int) -> str:
        asked.add(Message(str(text), str(plural), str(context)))
        return plural

    for function in (gettext, pgettext, ngettext, npgettext):
        monkeypatch.setattr(f"django.utils.translation._trans.{function.__name__}", function)
    return asked


def render(template: str) -> str:
    engine = Engine(libraries={"i18n": "django.templatetags.i18n"})
    names = Context({"name": "Rita", "n": 2, "nothing": None})
    return engine.from_string("{% load i18n %}" + template).render(names)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ('{% translate "Save" %}', Message("Save")),
        ("{% trans 'Save' %}", Message("Save")),
        ('{% translate "Save" as word %}', Message("Save")),
        ('{% translate "Save"|upper %}', Message("Save")),
        ('{% translate "May" context "month" %}', Message("May", context="month")),
        ('{% translate "May" context "month" as m %}', Message("May", context="month")),
        ('{% translate "May" as m context "month" %}', Message("May", context="month")),
        ('{% translate "100% done" %}', Message("100%% done")),
        ("""{% translate "Don't" %}""", Message("Don't")),
        (r"{% translate 'Don\'t' %}", Message("Don't")),
        (r'{% translate "Say \"go\" or C:\\\\" %}', Message('Say "go" or C:\\')),
        ("{% blocktranslate %}Save{% endblocktranslate %}", Message("Save")),
        ("{% blocktrans %}Save{% endblocktrans %}", Message("Save")),
        ("{% blocktranslate %}Hi {{name}}!{% endblocktranslate %}", Message("Hi %(name)s!")),
        (
            "{% blocktranslate with who=name|upper %}Hi {{ who }}{% endblocktranslate %}",
            Message("Hi %(who)s"),
        ),
        (
            "{% blocktranslate %}50% of {{ name }}{% endblocktranslate %}",
            Message("50%% of %(name)s"),
        ),
        ("{% blocktranslate %}\n  Hi\n  you\n{% endblocktranslate %}", Message("\n  Hi\n  you\n")),
        ("{% blocktranslate trimmed %}\n  Hi\n\n  you\n{% endblocktranslate %}", Message("Hi you")),
        ("{% blocktranslate asvar word %}Save{% endblocktranslate %}", Message("Save")),
        (
            "{% blocktranslate context 'month' %}May{% endblocktranslate %}",
            Message("May", context="month"),
        ),
        (
            "{% blocktranslate count n=n %}{{ n }} case{% plural %}{{ n }} cases"
            "{% endblocktranslate %}",
            Message("%(n)s case", "%(n)s cases"),
        ),
        (
            "{% blocktranslate trimmed count n=n context 'law' %}\n {{ n }} case\n{% plural %}\n"
            " {{ n }} cases of {{ name }}\n{% endblocktranslate %}",
            Message("%(n)s case", "%(n)s cases of %(name)s", "law"),
        ),
        ('{{ _("Save") }}', Message("Save")),
        ('{{ _("100% done") }}', Message("100%% done")),
        ("{{ nothing|default:_('None yet') }}", Message("None yet")),
        ('{% firstof nothing _("None yet") %}', Message("None yet")),
        ('{% if name == _("Omar and Wei") %}{% endif %}', Message("Omar and Wei")),
        ('{% with word=_("Save it") %}{{ word }}{% endwith %}', Message("Save it")),
    ],
)
def test_a_template_gives_what_django_looks_up(
    template: str, expected: Message, looked_up: set[Message]
) -> None:
    assert list(messages_in_template(template)) == [expected]
    render(template)
    assert looked_up == {expected}


def test_a_translated_part_of_a_block_is_found_beside_the_block(looked_up: set[Message]) -> None:
    template = '{% blocktranslate with x=_("one") %}The {{ x }}{% endblocktranslate %}'
    render(template)
    assert set(messages_in_template(template)) == looked_up
    assert looked_up == {Message("one"), Message("The %(x)s")}


@pytest.mark.parametrize(
    "template",
    [
        "{# {% translate 'Save' %} #}",
        "{% comment %}{% translate 'Save' %}{% endcomment %}",
        "{% comment 'why' %}{% blocktranslate %}Save{% endblocktranslate %}{% endcomment %}",
        "{% verbatim %}{% translate 'Save' %}{{ _('Save') }}{% endverbatim %}",
        "{% translate name noop %}",
        """{{ "_('Save')" }}""",
        "Save",
    ],
)
def test_a_template_gives_nothing_that_django_does_not_look_up(
    template: str, looked_up: set[Message]
) -> None:
    assert list(messages_in_template(template)) == []
    render(template)
    assert looked_up == set()


def test_a_noop_text_is_extracted_for_a_later_lookup() -> None:
    assert list(messages_in_template('{% translate "Save" noop %}')) == [Message("Save")]


def test_a_context_that_is_a_variable_is_refused() -> None:
    with pytest.raises(TemplateSyntaxError, match="quoted string, got name"):
        list(messages_in_template('{% translate "May" context name %}'))


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("_('Save')", Message("Save")),
        ("gettext('100%')", Message("100%")),
        ("gettext_lazy('One ' 'sentence.')", Message("One sentence.")),
        ("translation.gettext('Save')", Message("Save")),
        ("ngettext('%(n)d case', '%(n)d cases', 2)", Message("%(n)d case", "%(n)d cases")),
        ("ngettext_lazy('case', 'cases', 2)", Message("case", "cases")),
        ("pgettext('month', 'May')", Message("May", context="month")),
        ("pgettext_lazy('month', 'May')", Message("May", context="month")),
        ("npgettext('law', 'case', 'cases', 2)", Message("case", "cases", "law")),
        ("npgettext_lazy('law', 'case', 'cases', 2)", Message("case", "cases", "law")),
    ],
)
def test_python_gives_what_django_looks_up(
    call: str, expected: Message, looked_up: set[Message]
) -> None:
    assert list(messages_in_python(call)) == [expected]
    functions = {name: getattr(translation, name) for name in dir(translation) if "gettext" in name}
    str(eval(call, functions | {"_": translation.gettext, "translation": translation}))
    assert looked_up == {expected}


@pytest.mark.parametrize("source", ["gettext(problem.message)", "save('Save')", "_()", "_(3)"])
def test_python_without_a_literal_message_gives_nothing(source: str) -> None:
    assert list(messages_in_python(source)) == []


def test_messages_come_in_the_order_of_the_source() -> None:
    source = "def view():\n    return [_('one')]\nTWO = _('two') + _('three')\n"
    assert [message.text for message in messages_in_python(source)] == ["one", "two", "three"]


# --- The commands, on a small tree ----------------------------------------------------------------

HEADER = """\
# Kept.
msgid ""
msgstr ""
"Language: zh_Hans\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"
"""


class Tree:
    """A project with one view, one template and one catalogue."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.view = root / "cases" / "views.py"
        self.template = root / "templates" / "page.html"
        self.po = root / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
        self.mo = root / "var" / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.mo"
        for path in (self.view, self.template, self.po):
            path.parent.mkdir(parents=True)
        self.view.write_text("_('Save')\nngettext('%(n)d case', '%(n)d cases', n)\n")
        self.template.write_text("{% translate 'Save' %}{% translate 'May' context 'month' %}")
        self.write("")

    def write(self, entries: str) -> None:
        self.po.write_text(f"{HEADER}\n{entries}", "utf-8")

    def run(self, act: str) -> int:
        return main([act], root=self.root)

    def problems(self) -> list[Problem]:
        return list(problems(self.po, self.root))

    def text(self) -> str:
        return self.po.read_text("utf-8")


ALL_TRANSLATED = """\
#: cases/views.py templates/page.html
msgid "Save"
msgstr "保存"

#: cases/views.py
msgid "%(n)d case"
msgid_plural "%(n)d cases"
msgstr[0] "%(n)d 个案例"

#: templates/page.html
msgctxt "month"
msgid "May"
msgstr "五月"
"""


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_update_adds_empty_entries_with_file_names_in_the_order_of_the_source(tree: Tree) -> None:
    tree.run("update")
    empty = re.sub(r'(msgstr.*)".*"', r'\1""', ALL_TRANSLATED)
    assert tree.text() == f"{HEADER}\n{empty}"


def test_update_leaves_a_complete_catalogue_as_it_is(tree: Tree) -> None:
    tree.write(ALL_TRANSLATED)
    before = tree.text()
    tree.run("update")
    assert tree.text() == before


def test_update_keeps_translations_remarks_and_doubts(tree: Tree) -> None:
    tree.write('# On a button.\n#, fuzzy\nmsgid "Save"\nmsgstr "保存"\n')
    tree.run("update")
    entry = polib.pofile(str(tree.po)).find("Save")
    assert (entry.tcomment, entry.fuzzy, entry.msgstr) == ("On a button.", True, "保存")


def test_update_drops_what_is_used_no_more(tree: Tree) -> None:
    tree.write(ALL_TRANSLATED + '\nmsgid "Gone"\nmsgstr "无"\n\n#~ msgid "Old"\n#~ msgstr "旧"\n')
    tree.run("update")
    assert tree.text() == f"{HEADER}\n{ALL_TRANSLATED}"


@pytest.mark.parametrize(
    "view",
    [
        "_('Save')\nngettext('%(n)d case', '%(n)d of all cases', n)",
        "_('Save')\n_('%(n)d case')",
    ],
)
def test_update_doubts_a_translation_whose_plural_changed(tree: Tree, view: str) -> None:
    tree.write(ALL_TRANSLATED)
    tree.view.write_text(view)
    assert tree.problems() == [Problem("mismatched", "%(n)d case")]
    tree.run("update")
    assert tree.problems() == [Problem("fuzzy", "%(n)d case")]
    assert "%(n)d 个案例" in tree.text()


def test_update_takes_a_text_with_and_without_plural_as_one_entry(tree: Tree) -> None:
    tree.view.write_text("_('case')\nngettext('case', 'cases', n)\n_('case')")
    tree.template.write_text("")
    tree.run("update")
    [entry] = polib.pofile(str(tree.po))
    assert (entry.msgid, entry.msgid_plural) == ("case", "cases")
    assert entry.occurrences == [("cases/views.py", "")]


def test_an_empty_message_is_no_entry(tree: Tree) -> None:
    # Its key is that of the header.
    tree.template.write_text("{% blocktranslate %}{% endblocktranslate %}")
    tree.run("update")
    assert [entry.msgid for entry in polib.pofile(str(tree.po))] == ["Save", "%(n)d case"]


def test_update_says_which_file_it_cannot_read(tree: Tree) -> None:
    tree.template.write_text("{% blocktranslate %}Save")
    with pytest.raises(TemplateSyntaxError) as caught:
        tree.run("update")
    assert caught.value.__notes__ == ["In templates/page.html"]


def test_check_is_content_with_a_complete_catalogue(
    tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    tree.write(ALL_TRANSLATED)
    assert tree.run("check") == 0
    assert capsys.readouterr().out == ""


def test_check_names_what_is_missing(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    tree.write(ALL_TRANSLATED.replace('"May"', '"June"'))
    assert tree.run("check") == 1
    assert capsys.readouterr().out == (
        "locale/zh_Hans/LC_MESSAGES/django.po: missing: 'May'\n"
        "locale/zh_Hans/LC_MESSAGES/django.po: obsolete: 'June'\n"
    )


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda po: po.replace('"保存"', '""'), Problem("untranslated", "Save")),
        (lambda po: po.replace('"保存"', '" "'), Problem("untranslated", "Save")),
        (lambda po: po.replace('"%(n)d 个案例"', '""'), Problem("untranslated", "%(n)d case")),
        (lambda po: po.replace("%(n)d 个", "%(m)d 个"), Problem("mismatched", "%(n)d case")),
        (lambda po: po.replace('msgid "Save"', '#, fuzzy\nmsgid "Save"'), Problem("fuzzy", "Save")),
        (lambda po: po + '\nmsgid "Save"\nmsgstr "存"\n', Problem("repeated", "Save")),
        (lambda po: po + '\n#~ msgid "Save"\n#~ msgstr "存"\n', Problem("obsolete", "Save")),
        (lambda po: po.replace('msgctxt "month"\n', ""), Problem("missing", "May")),
    ],
)
def test_check_finds(tree: Tree, edit: Callable[[str], str], expected: Problem) -> None:
    tree.write(edit(ALL_TRANSLATED))
    assert expected in tree.problems()
    assert tree.run("check") == 1


@pytest.mark.parametrize(
    ("original", "translated"),
    [
        ("Hi %(name)s, %(n)d left", "剩 %(n)d，%(name)s 好"),
        ("Hi %(name)s, %(name)s", "%(name)s 好"),
        ("50%% of %(n)s", "%(n)s 的 50%%"),
        ("Up to 100%", "最多 100%"),
        ("Read {count} <a href='%(url)s'>here</a>", "<a href='%(url)s'>这里</a>有 {count}"),
    ],
)
def test_a_translation_fits_that_carries_everything_over(original: str, translated: str) -> None:
    assert fits(translated, original)


@pytest.mark.parametrize(
    ("original", "translated"),
    [
        ("Hi %(name)s", "你好"),
        ("Hi", "%(name)s 好"),
        ("Hi %(name)s", "%(nama)s 好"),
        ("Hi %(name)s", "%(name) 好"),
        ("Hi %s", "你好"),
        ("50%% of %(n)s", "%(n)s 的 50%，好"),
        ("Half", "50% 的"),
        ("Read {count}", "读"),
        ("Read <b>this</b>", "读<b>这个"),
    ],
)
def test_a_translation_that_would_break_the_text_does_not_fit(
    original: str, translated: str
) -> None:
    assert not fits(translated, original)


def test_django_shows_what_was_compiled(tree: Tree) -> None:
    tree.write(ALL_TRANSLATED)
    tree.run("compile")
    paths = [tree.root / "var" / "locale"]
    with override_settings(LOCALE_PATHS=paths), translation.override("zh-hans"):
        assert render(tree.template.read_text()) == "保存五月"
        assert translation.ngettext("%(n)d case", "%(n)d cases", 1) == "%(n)d 个案例"
        assert translation.ngettext("%(n)d case", "%(n)d cases", 2) == "%(n)d 个案例"


def test_a_doubtful_translation_is_not_compiled(tree: Tree) -> None:
    tree.write('#, fuzzy\nmsgid "Save"\nmsgstr "保存"\n')
    tree.run("compile")
    assert list(polib.mofile(str(tree.mo))) == []


def test_what_is_compiled_already_is_left_alone(
    tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    tree.run("compile")
    assert capsys.readouterr().out == "Compiled locale/zh_Hans/LC_MESSAGES/django.po.\n"
    inode = tree.mo.stat().st_ino
    tree.run("compile")
    assert capsys.readouterr().out == ""
    assert tree.mo.stat().st_ino == inode
    assert [path.name for path in tree.mo.parent.iterdir()] == ["django.mo"]


@pytest.mark.parametrize("seconds", [-3600, 3600])
def test_a_changed_catalogue_is_compiled_again_even_if_its_file_is_older(
    tree: Tree, seconds: int
) -> None:
    tree.run("compile")
    time = tree.mo.stat().st_mtime + seconds
    tree.write(ALL_TRANSLATED)
    os.utime(tree.po, (time, time))
    tree.run("compile")
    assert len(polib.mofile(str(tree.mo))) == 3


def test_compile_needs_neither_settings_nor_a_secret_key(tree: Tree) -> None:
    code = "import sys, pathlib; from evalsite.catalogue import main; "
    code += "sys.exit(main(['compile'], root=pathlib.Path(sys.argv[1])))"
    command = [sys.executable, "-c", code, str(tree.root)]
    subprocess.run(command, cwd=ROOT, env={"PATH": ""}, check=True, timeout=300)
    assert tree.mo.exists()
