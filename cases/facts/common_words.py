"""Words that names share without meaning the same place: data, no rules."""

from __future__ import annotations

# Kinds of places, a line each. Two names with words of different kinds are two places: Golden Gate
# Bridge and Golden Gate Park.
KINDS = """
museum: 博物馆 博物院 纪念馆 展览馆 美术馆 艺术馆 科技馆 museum gallery institute
park: 公园 花园 园林 植物园 park garden arboretum conservatory
animals: 动物园 水族馆 海洋馆 海洋公园 zoo aquarium
learning: 大学 学院 书院 图书馆 university college school library
worship: 寺庙 教堂 church cathedral temple
square: 广场 square plaza
street: 步行街 商业街 美食街 老街 古街 大街 大道 路 street avenue road boardwalk
gate: 城楼 城门
water: 海滩 码头 beach lake river bay harbor harbour pier wharf island
heights: 山 mountain hill
tower: tower
bridge: 大桥 bridge
way: trail
home: 故居 house home mansion palace castle
capitol: capitol
memory: monument memorial statue
bell: bell
stage: 剧院 theater theatre
market: 夜市 市场 market mall 购物中心 商场
station: 车站 火车站 机场 station airport
night: 酒店 饭店 hotel
"""

# Other words that do not tell one place from another.
PLACES_ZH = """
风景名胜区 风景区 旅游区 景区 景点 名胜 度假区 度假村 度假 文化区 艺术区 开发区 街区 商圈 园区
国家公园 森林公园 湿地公园 地质公园 主题公园 主题乐园 遗址公园 乐园 体育馆 旧址 遗址 街道 古镇
古城 古村 中心 大厦 基地 观景台 餐厅 餐馆 小店 商店 店铺 店 历史 文化 艺术 国家 国际 世界 城市
中国 传统 著名 特色 自然 野生 免费 收费 室内 室外
"""
LITTLE_EN = "the a an of and at in on to for from by with near around its"
PLACES_EN = """
center centre building hall shop
store resort restaurant cafe bar walk district area site place attraction sight landmark tour
observatory visit national state city town county regional public metropolitan international
world american historic historical history heritage art science nature natural botanic botanical
child children family modern old new great grand downtown north south east west upper lower
united exhibition exhibit show
"""

# What people want to avoid at a place, which is not a part of its name.
BOTHER_ZH = (
    "排长队 排队 人太多 人多 拥挤 人挤人 太多 打卡 过度商业化 商业化 太贵 昂贵 的 地方 场所 类"
)
BOTHER_EN = """
queue line wait waiting crowd crowded busy long expensive overpriced touristy any all too very
no not avoid place spot thing
"""

# What a list of the sights of a day may name besides sights.
NO_SIGHT_ZH = """
早餐 午餐 晚餐 早饭 午饭 晚饭 用餐 就餐 美食 小吃 早茶 火锅 休息 午休 自由活动 自由时间 自由安排
入住 退房 酒店 民宿 返程 返回 回程 返家 离开 出发 启程 抵达 到达 接机 送机 机场 高铁 航班 购物 逛街
夜景 夜游 夜宵 日出 日落 天气 交通 预算 人流 缓冲 休整 适应
"""
NO_SIGHT_EN = """
breakfast lunch dinner brunch meal meals food snack rest relax free leisure arrival arrive arrives
arriving departure depart departing leave check check-in check-out checkout checkin hotel travel
traveling transfer return returning flight fly train drive driving shopping weather budget day
morning afternoon evening night then
"""

# What a plan says before the name of a sight.
GOING_ZH = "游览 参观 前往 打卡 漫步 夜游 探访 逛 登 上午 下午 中午 晚上 傍晚 早上 夜间"
GOING_EN = """
visit visiting explore exploring see tour touring enjoy discover stroll walk through along around to
the a an at in morning afternoon evening highlights include including
"""
