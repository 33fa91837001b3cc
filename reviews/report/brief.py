"""The report in at most ninety words, to copy into a message. Every number is in the summary.

`templates/reviews/report/brief.txt` has the sentences, each with its importance and its place.
In Chinese two characters count as one word, because most words have two; numbers, names and other
runs of letters count as one each.
"""

from __future__ import annotations

import re

MOST_WORDS = 90
# Words of a long question or name that are quoted.
LONGEST_QUOTE = 14

HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]+")
# Importance (hundreds) with the place in the text (the rest), and the sentence.
LINE = re.compile(r"^\s*(\d{3}) (.+)$", re.MULTILINE)


def count_words(text: str) -> int:
    han = sum(-(-len(run) // 2) for run in HAN.findall(text))
    others = re.sub(r"[，。：；、（）“”《》？！]", " ", HAN.sub(" ", text)).split()
    return han + sum(any(character.isalnum() for character in word) for word in others)


def write_brief(lines: str) -> str:
    """Join as many whole sentences as fit, the most important ones first."""
    chosen: list[tuple[int, int, str]] = []
    room = MOST_WORDS
    found = [(int(line[1]), line[2].strip()) for line in LINE.finditer(lines)]
    for number, (place, sentence) in sorted(enumerate(found), key=lambda numbered: numbered[1][0]):
        words = count_words(sentence)
        if words <= room:
            chosen.append((place % 100, number, sentence))
            room -= words
    # After a Chinese full stop there is no space.
    return re.sub("(?<=。) ", "", " ".join(sentence for *_place, sentence in sorted(chosen)))


def shorten(text: str) -> str:
    """Cut the text so that one long question does not take all the room."""
    cut = text = " ".join(text.split())
    if count_words(text) <= LONGEST_QUOTE:
        return text
    while cut and count_words(cut) > LONGEST_QUOTE:
        cut = cut[:-1]
    return f"{cut.rstrip()}…"
