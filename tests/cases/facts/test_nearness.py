"""Names that are alike without being the same."""

import pytest

from cases.facts.nearness import LONGEST_NAME, MOST_NAMES, NearNames, prepare


def is_near(first: str, second: str, *cities: str) -> bool:
    one, other = prepare(first, cities), prepare(second, cities)
    assert one.is_near(other) == other.is_near(one)
    return one.is_near(other)


@pytest.mark.parametrize(
    ("wanted", "title"),
    [
        ("大熊猫基地", "云州大熊猫繁育研究基地"),
        ("古石墙", "云州石墙"),
        ("云州古石墙", "云州石墙"),
        ("竹影寺博物馆", "重修竹影寺"),
        ("白鹭湖心乐园", "白鹭湖心度假区"),
        ("Copper Mill National Park", "The Copper Mill, Saltford"),
        ("Heron Aquarium Saltford", "Heron Aquarium, Saltford"),
        ("Space Centre Saltford", "Saltford Space Centre"),
        ("Copper Mill Observatory", "Copper Mill"),
        ("Kestrel Gallery", "The Kestrel, Saltford"),
        ("Café Kestrel", "Kestrel's cafe"),
    ],
)
def test_names_of_one_place_are_near(wanted: str, title: str) -> None:
    assert is_near(wanted, title, "云州", "Saltford")


@pytest.mark.parametrize(
    ("wanted", "title"),
    [
        ("望月门城楼", "望月门广场"),  # a gate and a square
        ("东山公园", "东山路步行街"),
        ("云州博物馆", "云州科技馆"),  # only the city and the kind
        ("北风路步行街", "南风路步行街"),
        ("国家博物馆", "旧宫博物院"),
        ("鹿鸣书院", "鹿鸣山"),
        ("湖", "白鹭湖"),
        ("竹影寺", "Bamboo Temple"),
        ("Copper Mill Bridge", "Copper Mill Park"),  # different kinds
        ("Saltford Museum", "Saltford Zoo"),
        ("Saltford Museum", "Museum of Art, Saltford"),
        ("Kestrel Statue", "Kestrel Park"),
        ("Kestrel", "The Two Kestrel Kings Hollow"),  # one word of many
        ("Mill Ox", "Ox"),  # a short word
        ("Heron Cliff Hut", "Heron Otter Hut"),
        ("", "Copper Mill"),
        ("the", "the"),
        ("", ""),
    ],
)
def test_names_of_two_places_are_not_near(wanted: str, title: str) -> None:
    assert not is_near(wanted, title, "云州", "Saltford")


@pytest.mark.parametrize(
    ("avoided", "title", "expected"),
    [
        ("网红店排队", "网红打卡店", True),
        ("网红店排队", "百年老店", False),
        ("博物馆太多", "云州博物馆", True),
        ("zoos", "Saltford Zoo", True),
        ("crowded viral shops", "Viral Bubble Tea Shop", True),
        ("long lines at aquariums", "Heron Aquarium", True),
        ("crowded places", "Market Place", False),  # nothing is left of it
        ("tourist traps", "Tourist Information", False),
        ("排队", "排骨店", False),
    ],
)
def test_what_is_avoided_need_not_be_one_place(avoided: str, title: str, expected: bool) -> None:
    found = NearNames([("it", title)], ["云州", "Saltford"]).all_like(avoided)
    assert found == (["it"] if expected else [])


def test_only_the_beginning_of_a_name_and_so_many_names_are_compared() -> None:
    long = "竹影寺" + "院" * LONGEST_NAME
    assert prepare(long) == prepare(long + "白鹭湖")
    many = [(number, f"Kestrel{number} Hollow") for number in range(MOST_NAMES + 1)]
    names = NearNames(many, [])
    assert names.all(f"Hollow Kestrel{MOST_NAMES - 1}") == [MOST_NAMES - 1]
    assert names.all(f"Hollow Kestrel{MOST_NAMES}") == []
