"""Decide which checklist question a fact informs, by the words of the question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType


class Topic(StrEnum):
    BUFFERS = "buffers"
    MEALS = "meals"
    FALLBACKS = "fallbacks"
    MONEY = "money"
    WISHES = "wishes"
    PACE = "pace"
    CONSTRAINTS = "constraints"
    STYLE = "style"
    CONSISTENCY = "consistency"
    GENERAL = "general"


# The first list names the topic, the second only suggests it. A star matches any ending.
_WORDS = {
    Topic.BUFFERS: (
        "buffer* transfer* queu* security gap 缓冲 接驳 换乘 排队 安检",
        "transport* transit travel 交通 路上",
    ),
    Topic.MEALS: (
        "lunch* dinner* breakfast* meal* 午餐 晚餐 早餐 用餐 吃饭",
        "rest break 休息",
    ),
    Topic.FALLBACKS: (
        "fallback* backup* alternative* contingenc* 备选 备用 替代",
        "weather crowd* rain* disrupt* 天气 拥挤 下雨",
    ),
    Topic.MONEY: (
        "budget* cost* price* money expens* 预算 费用 花费 价格",
        "fee ticket 门票 明细",
    ),
    Topic.WISHES: ("must-* must avoid* 必去 必游 避开 不去", "wish* 愿望"),
    Topic.PACE: ("pace* tempo 节奏", "group* relax* rush* 群体 人群"),
    Topic.CONSTRAINTS: (
        "diet* mobility accessib* wheelchair* 饮食 行动 忌口 无障碍",
        "constraint* limitation* allerg* 限制",
    ),
    Topic.CONSISTENCY: (
        "consisten* contradict* summary summaries 一致 矛盾 摘要 概述",
        "overview headline* 概览 相符",
    ),
    Topic.STYLE: ("style* goal* interest* theme* 风格 目标 兴趣 主题", "history photo* 历史 摄影"),
}


def _pattern(words: str) -> re.Pattern[str]:
    """Match English words in singular and plural, and Chinese words anywhere."""
    choices = [
        re.escape(word) if not word.isascii() else rf"\b{_with_endings(word)}\b"
        for word in words.split()
    ]
    return re.compile("|".join(choices), re.IGNORECASE | re.ASCII)


def _with_endings(word: str) -> str:
    return re.escape(word[:-1]) + r"\w*" if word.endswith("*") else re.escape(word) + "s?"


_PATTERNS = {topic: (_pattern(strong), _pattern(weak)) for topic, (strong, weak) in _WORDS.items()}
_STRONG = 100


def topics_for(questions: Sequence[tuple[str, str]]) -> Mapping[Topic, str]:
    """Map each topic to the key of the question it informs, given (key, text) pairs.

    The first question wins a tie. Topics without a question are left out, and so is GENERAL.
    """
    return _topics_for(tuple(questions))


@lru_cache(maxsize=50)
def _topics_for(questions: tuple[tuple[str, str], ...]) -> Mapping[Topic, str]:
    """Cached: all cases of a release have the questions of one rubric."""
    found: dict[Topic, tuple[int, str]] = {}
    for key, text in questions:
        scores = _scores(text)
        named = any(score >= _STRONG for score in scores.values())
        for topic, score in scores.items():
            # A question that names one topic does not suggest others.
            if score >= (_STRONG if named else 1) and score > found.get(topic, (0, ""))[0]:
                found[topic] = score, key
    return MappingProxyType({topic: key for topic, (_, key) in found.items()})


def _scores(text: str) -> dict[Topic, int]:
    return {
        topic: _STRONG * len({word.lower() for word in strong.findall(text)})
        + len({word.lower() for word in weak.findall(text)})
        for topic, (strong, weak) in _PATTERNS.items()
    }
