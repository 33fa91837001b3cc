"""Every word that people read in a template or a module is marked for translation."""

import ast
import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.template.base import Lexer, TokenType

from evalsite.catalogue import ROOT
from tests.evalsite.test_catalogue import PLACEHOLDER, SOURCE

# Words that are the same in every language.
PROPER_WORDS = {"Spotcheck", "English", "简体中文", "GO", "HOLD", "NO"}
PROPER_WORDS |= {"Langfuse", "MLflow", "Hugging", "Face", "Label", "Studio"}
# How many of the first arguments must be plain strings for xgettext to find the message.
LITERAL_ARGUMENTS = {"_": 1, "gettext": 1, "ngettext": 2, "pgettext": 2, "npgettext": 3}

FILES = sorted(path for name in SOURCE for path in (ROOT / name).rglob("*") if path.is_file())
TEMPLATES = [path for path in FILES if path.relative_to(ROOT).parts[0] == "templates"]
# Migrations repeat the texts of the models as plain strings.
PYTHON = [path for path in FILES if path.suffix == ".py" and "migrations" not in path.parts]


def relative_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def list_words(texts: list[str]) -> list[str]:
    words = re.findall(r"[^\W\d_]{2,}", PLACEHOLDER.sub(" ", " ".join(texts)))
    return [word for word in words if word not in PROPER_WORDS]


# --- Words in templates ------------------------------------------------

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
# {{ "shown" }}, filters that show their argument, texts passed to an included template.
SHOWN_BY_TAGS = re.compile(
    r"(?:^|\|\s*(?:default|default_if_none|yesno|pluralize):"
    rf"|\s(?:title|label|heading|legend|text|message|hint)=){LITERAL}"
)


class Reader(HTMLParser):
    """Collects the texts of a page that people see or hear."""

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
            # Scripts read their sentences from data-*; keys there begin with a lower-case letter.
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
    """List the words that would stay English. Each tag is replaced in place by the plain words that
    it shows, so a word inside a class attribute does not count."""
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
            # A block such as page_class is part of an attribute in the parent template.
            is_class = tag == "block" and token.contents.endswith("_class")
            if is_class or tag in ("comment", "blocktranslate", "blocktrans"):
                end_tag = f"end{tag}"
    reader = Reader()
    reader.feed(" ".join(html))
    reader.close()
    return list_words(reader.read)


@pytest.mark.parametrize("path", TEMPLATES, ids=relative_name)
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


# --- Words in Python ---------------------------------------------------

# The positional argument that people read. CommandError is missing: terminals stay English.
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
    """Yield the strings of an expression that are not inside a call such as `_("...")`."""
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
    """Parse each module once for the two checks that follow one another."""
    return list(ast.walk(ast.parse(source)))


def unmarked_texts(source: str, keywords: Collection[str] = READ_KEYWORDS) -> list[str]:
    expressions = [found for node in nodes_of(source) for found in read_by_people(node, keywords)]
    texts = [text for expression in expressions for text in plain_texts(expression)]
    return [text for text in texts if list_words([text])]


def texts_lost_to_the_catalogue(source: str) -> list[str]:
    """List the lookups that xgettext cannot find: built at run time, or marked with a name that it
    does not know."""
    lost: list[str] = []
    for node in nodes_of(source):
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation":
            renamed = [alias for alias in node.names if alias.asname not in (None, alias.name)]
            usual = [("gettext", "_"), ("gettext_lazy", "_")]
            lost += [ast.unparse(name) for name in renamed if (name.name, name.asname) not in usual]
        if isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            literal = LITERAL_ARGUMENTS.get(called.removesuffix("_lazy").removesuffix("_noop"), 0)
            built = [part for part in node.args[:literal] if not isinstance(part, ast.Constant)]
            lost += [text for part in built for text in plain_texts(part)]
    return lost


@pytest.mark.parametrize("path", PYTHON, ids=relative_name)
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
    assert texts_lost_to_the_catalogue(source) != []


def test_a_lookup_of_what_another_module_marked_is_left_alone() -> None:
    source = "from django.utils.translation import gettext as _\n_(problem.message) % params"
    assert texts_lost_to_the_catalogue(source) == []
