"""Read the text of a request once for all detectors, and search it for phrases and denials.

Detectors look into the two sets first: that costs a fraction of a search, and most requests have
none of the words that a detector looks for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

from cases.itinerary.format import Request

_WORD = re.compile("[a-z]+")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")

# Text beyond these lengths is not searched, so that no request takes long.
LONGEST_TEXT = 20_000
LONGEST_FIELD = 500
# The longest phrase that a reason quotes.
LONGEST_QUOTE = 60
# How many characters around a phrase are searched for words that deny it.
REACH = 40


class Wording(NamedTuple):
    """`low` is `text` in lower case; every character has the same position in both."""

    text: str
    low: str
    words: set[str]  # Latin words
    han: set[str]  # Chinese characters

    def quote(self, start: int, end: int) -> str:
        return " ".join(self.text[start:end].split())[:LONGEST_QUOTE]


class Mention(NamedTuple):
    start: int
    end: int
    words: str
    is_denied: bool


def read(text: str) -> Wording:
    """Normalise full-width letters, digits and curly apostrophes, and collect the words."""
    if text.isascii():
        low = text.lower()
        return Wording(text, low, set(_WORD.findall(low)), set())
    text = unicodedata.normalize("NFKC", text).replace("’", "'")
    low = text.lower()
    if len(low) != len(text):  # a few capitals become two letters
        text = low
    return Wording(text, low, set(_WORD.findall(low)), set(_HAN.findall(low)))


def read_wording(request: Request) -> Wording:
    """Read the text of the request together with its goals."""
    text = request.text[:LONGEST_TEXT]
    if not request.goals:
        return read(text)
    goals = "\n".join(request.goals)[:LONGEST_TEXT]
    return read(f"{text}\n{goals}".replace("_", " "))


def field_wording(value: str | list[str] | None) -> Wording:
    """Read a field of the request, which may have underscores: `children_under_10`."""
    text = value if isinstance(value, str) else ", ".join(value or ())
    return read(text[:LONGEST_FIELD].replace("_", " "))


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def latin(pattern: str) -> re.Pattern[str]:
    # ASCII, so that a Chinese character next to a Latin word ends the word.
    return re.compile(pattern, re.ASCII | re.VERBOSE)


# Only these words may come between a "not" and what it denies: "we cannot walk far with children"
# does not deny the children.
_DENIED_BEFORE = latin(
    r"""
    (?: \b (?: no | not | none | nobody | without | never | neither | nor | non | cannot ) | n't )
    [\s-]+
    (?: (?: a | an | any | the | my | our | all | other | one | is | are | be(?:ing)? | too | very
          | so | really | small | young | little | known | severe | physical | special
          | need(?:ing)? | ha(?:ve|s|ving) | us(?:e|es|ing)? | requir(?:e|ing) | want | wish
          | plan(?:ning)? | travel(?:l?ing)? | going | com(?:e|ing) | bring(?:ing)?
          | with | of | in | on | to | for | during | around | over ) \s+ ){0,5} $
    | (?: 不 | 没 | 沒 | 无 | 無 | (?<! 除 ) 非 | (?<! [特分] ) [别別] | 勿 | 未 | 拒绝 | 拒絕 )
      (?: 需要 | 需 | 用 | 要 | 想 | 会 | 會 | 再 | 带 | 帶 | 有 | 是 | 坐 | 乘 | 使用 | 太
        | 着 | 任何 | 去 | 跟 | 和 | 必 | 存在 | 搞 | 做 | 当 | 走 | 安排 | 什么 | 式
        | 打算 ){0,4} $
    """
)
_DENIED_AFTER = latin(
    r"""
    \s* (?: access(?:ibility)? \s+ | users? \s+ )?
      (?: (?: is | are | was | were | will | do | does | am ) \s* )? (?: n't | not ) \s+
      (?: be \s+ )? (?: needed | required | necessary | coming | joining | included | travel+ing )
    | \s* [:=?]+ \s* (?: no | none | false | 0 | 无 | 無 | 否 | 没有 ) (?! \w )
    | [就也都并]? (?: 不需要 | 不用 | 不[去来來] (?! [\u3400-\u9fff] ) | 不同行 | 不随行 | 没来
        | 沒來 | 除外 | 没有?问题 | 沒有?問題 | 没有?事 | 沒有?事 | 很好 | 健康 )
    """
)


def is_denied(low: str, start: int, end: int) -> bool:
    if _DENIED_BEFORE.search(low[max(0, start - REACH) : start]):
        return True
    return bool(_DENIED_AFTER.match(low, end, end + REACH))


class Phrases:
    """Phrases to search for, in both scripts.

    Every Latin phrase contains one of `keys`, and only the text around these words is searched.
    Every Chinese phrase contains one of the characters in `han_keys`. A Chinese pattern is quick
    if each of its branches begins with a plain character.
    """

    def __init__(
        self, keys: str = "", phrases: str = "", *, han_keys: str = "", han_phrases: str = ""
    ) -> None:
        self.keys, self.han_keys = word_set(keys), frozenset(han_keys)
        self.phrases, self.han_phrases = latin(phrases), latin(han_phrases)

    def are_absent(self, wording: Wording) -> bool:
        return self.keys.isdisjoint(wording.words) and self.han_keys.isdisjoint(wording.han)

    def matches(self, wording: Wording) -> Iterator[re.Match[str]]:
        low, start, end = wording.low, 0, 0
        for left, right in occurrences(self.keys, wording):
            if left - REACH > end:
                yield from self.phrases.finditer(low, start, end)
                start = left - REACH
            end = right + REACH
        if end:
            yield from self.phrases.finditer(low, start, end)
        if not self.han_keys.isdisjoint(wording.han):
            yield from self.han_phrases.finditer(low)

    def first(
        self, wording: Wording, denied: Callable[[str, int, int], bool] = is_denied
    ) -> Mention | None:
        """Return the first mention that is not denied; if all are denied, the first one."""
        if self.are_absent(wording):
            return None
        first_denied: Mention | None = None
        for match in self.matches(wording):
            start, end = match.span()
            if not denied(wording.low, start, end):
                return Mention(start, end, wording.quote(start, end), is_denied=False)
            if first_denied is None:
                first_denied = Mention(start, end, wording.quote(start, end), is_denied=True)
        return first_denied


def occurrences(keys: frozenset[str], wording: Wording) -> list[tuple[int, int]]:
    """Return the positions of the words, from left to right."""
    if keys.isdisjoint(wording.words):
        return []
    low, places = wording.low, []
    for key in keys & wording.words:
        start = low.find(key)
        while start >= 0:
            end = start + len(key)
            if is_whole(low, start, end):
                places.append((start, end))
            start = low.find(key, end)
    return sorted(places)


def is_whole(low: str, start: int, end: int) -> bool:
    """Whether no letter touches the word: "kid" is not a word in "Kidwelly"."""
    return not ("a" <= low[start - 1 : start] <= "z" or "a" <= low[end : end + 1] <= "z")


_CLAUSE_END = re.compile(r"[,.;!?\n。]")
LONGEST_CLAUSE = 120


def clause_around(low: str, start: int, end: int) -> str:
    """Return the text around a phrase up to the next comma or full stop."""
    before = _CLAUSE_END.split(low[max(0, start - LONGEST_CLAUSE) : start])[-1]
    after = _CLAUSE_END.split(low[end : end + LONGEST_CLAUSE], maxsplit=1)[0]
    return before + low[start:end] + after
