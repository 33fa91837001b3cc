"""Chinese cities and the tag of each.

A destination in Latin letters needs no table: its slug is its tag. The table also lists the names
that are searched for in a text.
"""

from __future__ import annotations

# tag: simplified name, and the traditional one where it differs
_NAMES = """
beijing: 北京
shanghai: 上海
tianjin: 天津
chongqing: 重庆 重慶
guangzhou: 广州 廣州
shenzhen: 深圳
zhuhai: 珠海
foshan: 佛山
dongguan: 东莞 東莞
shantou: 汕头 汕頭
chaozhou: 潮州
hangzhou: 杭州
ningbo: 宁波 寧波
wenzhou: 温州 溫州
shaoxing: 绍兴 紹興
jiaxing: 嘉兴 嘉興
huzhou: 湖州
zhoushan: 舟山
nanjing: 南京
suzhou: 苏州 蘇州
wuxi: 无锡 無錫
changzhou: 常州
yangzhou: 扬州 揚州
hefei: 合肥
huangshan: 黄山 黃山
fuzhou: 福州
xiamen: 厦门 廈門
quanzhou: 泉州
nanchang: 南昌
jingdezhen: 景德镇 景德鎮
jinan: 济南 濟南
qingdao: 青岛 青島
yantai: 烟台 煙台 煙臺
weihai: 威海
zhengzhou: 郑州 鄭州
luoyang: 洛阳 洛陽
kaifeng: 开封 開封
wuhan: 武汉 武漢
yichang: 宜昌
changsha: 长沙 長沙
zhangjiajie: 张家界 張家界
nanning: 南宁 南寧
guilin: 桂林
beihai: 北海
haikou: 海口
sanya: 三亚 三亞
chengdu: 成都
leshan: 乐山 樂山
jiuzhaigou: 九寨沟 九寨溝
guiyang: 贵阳 貴陽
kunming: 昆明
dali: 大理
lijiang: 丽江 麗江
xishuangbanna: 西双版纳 西雙版納
lhasa: 拉萨 拉薩
xian: 西安
taiyuan: 太原
datong: 大同
pingyao: 平遥 平遙
shijiazhuang: 石家庄 石家莊
qinhuangdao: 秦皇岛 秦皇島
chengde: 承德
hohhot: 呼和浩特
shenyang: 沈阳 瀋陽
dalian: 大连 大連
changchun: 长春 長春
harbin: 哈尔滨 哈爾濱
lanzhou: 兰州 蘭州
dunhuang: 敦煌
xining: 西宁 西寧
yinchuan: 银川 銀川
urumqi: 乌鲁木齐 烏魯木齊
kashgar: 喀什
hong-kong: 香港
macau: 澳门 澳門
taipei: 台北 臺北
"""

CHINESE: dict[str, str] = {
    name: tag
    for line in _NAMES.strip().split("\n")
    for tag, _colon, names in [line.partition(": ")]
    for name in names.split()
}

# Other ways to write them in Latin letters, as slugs.
_ALIASES = {
    "peking": "beijing",
    "xi-an": "xian",
    "macao": "macau",
    "haerbin": "harbin",
    "lasa": "lhasa",
    "wulumuqi": "urumqi",
    "huhehaote": "hohhot",
    "kashi": "kashgar",
    "hongkong": "hong-kong",
}
PINYIN: dict[str, str] = {tag: tag for tag in CHINESE.values()} | _ALIASES
# The names as they appear in lower-case text. "Dali" alone is more often the painter.
LATIN: dict[str, str] = {
    slug.replace("-", " "): tag for slug, tag in PINYIN.items() if slug not in ("xi-an", "dali")
} | {"xi'an": "xian"}
