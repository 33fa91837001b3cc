"""Text of other people in Markdown stays text, wherever it is rendered."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from evalsite import markdown

# What the people who read it use: CommonMark, tables, struck-out text and bare links.
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def rendered(text: str) -> Tags:
    return Tags(RENDERER.render(text))


MARKUP = r"""
\ ` * _ [ ] ( ) < > | ~ & $ # + - = . : ! 1. 2) ``` ~~~ --- === <b> </details> &amp; [x](y) ![x](y)
https://x.example www.x.example a@b.example @team #12
"""
PIECES = st.sampled_from(MARKUP.split())
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.one_of(PIECES, st.text(max_size=4), st.just("\n")), max_size=12).map("".join),
)


@given(TEXTS)
def test_any_text_is_one_paragraph_of_just_that_text(text: str) -> None:
    written = markdown.escape(text)
    assert "\n" not in written
    found = rendered(written)
    assert found.tags == (["p"] if markdown.flatten(text) else [])
    said = found.text.replace(markdown.WORD_JOINER, "").rstrip("\n")
    assert said == markdown.flatten(text).replace(markdown.WORD_JOINER, "")


@given(TEXTS)
def test_any_text_stays_in_its_place_in_a_list_and_a_quotation(text: str) -> None:
    lines = [f"- **Word** {markdown.escape(text)}", *markdown.quote([markdown.escape(text)])]
    assert rendered(lines[0]).tags == ["ul", "li", "strong"]
    assert set(rendered(lines[1]).tags) <= {"blockquote", "p"}


@given(TEXTS)
def test_nothing_is_mentioned_and_no_address_becomes_a_link(text: str) -> None:
    written = markdown.escape(text)
    assert not re.search(r"[@#]\w", written)
    assert "://" not in re.sub(r"\W://", "", written)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Ask @team about #12", "Ask @\u2060team about #\u206012"),
        ("see https://x.example", r"see https\://x.example"),
        ("www.x.example", r"www\.x.example"),
        ("1. first", r"1\. first"),
        ("- first", r"\- first"),
        ("# first", r"\# first"),
        ("two\nlines\x1b[2J", r"two lines \[2J"),
        ("Day 1: 09:30–10:00, 3.5 km", "Day 1: 09:30–10:00, 3.5 km"),
        ("", ""),
    ],
)
def test_only_what_would_act_is_escaped(text: str, written: str) -> None:
    assert markdown.escape(text) == written


def test_a_text_is_cut_also_without_spaces() -> None:
    assert markdown.shorten("早" * 10, 10) == "早" * 10
    assert markdown.shorten("早" * 11, 10) == "早" * 8 + " …"


def test_the_address_of_a_link_cannot_end_it() -> None:
    written = markdown.link("a] b", "https://x.example/(a) b")
    assert written == r"[a\] b](https://x.example/%28a%29%20b)"
