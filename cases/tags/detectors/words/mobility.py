"""Words for `mobility-limited`: aids, injuries and age."""

from __future__ import annotations

from cases.tags.detectors.wording import Phrases, latin

STRONG = Phrases(
    """wheelchair wheelchairs chair chairs disabled disability disabilities handicap handicapped
    mobility crutch crutches amputee amputees paraplegic quadriplegic paralysed paralyzed prosthetic
    prosthesis rollator rollators arthritis step walking walk stand climb stairs knee knees hip hips
    ankle ankles leg legs foot cane walker stick""",
    r"""\b wheel [\s-]? chairs? (?! \s+ (?: basketball | tennis | rugby | rac(?:e|ing) ) ) \b
    | \b disabled \b | \b disabilit(?:y|ies) \b | \b handicap(?:ped)? \b
    | \b (?: limited | reduced | restricted | impaired | poor ) \s+ mobility \b
    | \b mobility [\s-]+ (?: issues? | problems? | impair(?:ed|ments?) | limit(?:ed|ations?) | aids?
        | difficult(?:y|ies) | constraints? | needs | challenge[sd]? | scooters? | concerns?
        | restrict(?:ed|ions?) )
    | \b crutch(?:es)? \b | \b amputees? \b | \b paraplegic | \b quadriplegic | \b paraly[sz]ed \b
    | \b prosthe(?:tic|sis) | \b rollators? \b | \b arthritis \b | \b step [\s-] free \b
    | \b (?: hardly | barely ) \s+ walk \b | \b with \s+ a \s+ (?: cane | walker | stick ) \b
    | \b walking [\s-]+ (?: sticks? | canes? | frames? | aids? | difficult(?:y|ies) | problems? )
    | (?: \b can \s? not | \b can't | \b unable \s+ to | \b difficulty | \b trouble
        | \b struggles? \s+ to ) \s+ (?: walk | stand | climb | (?: do | manage | handle | with )
        \s+ stairs )
    | \b (?: bad | injured | broken | sore | weak | arthritic ) \s+
      (?: knees? | hips? | legs? | ankles? )
    | \b (?: knee | hip | ankle | leg | foot ) \s+ (?: problems? | issues? | pain | surgery
        | operation | injur(?:y|ies) | replacement | trouble )""",
    han_keys="轮輪便腿残殘障瘫癱肢拐器膝板炎折走爬站腰脚腳",
    han_phrases="""轮椅 | 輪椅 | 行动不(?:便|方便) | 行動不(?:便|方便) | 残[疾障] | 殘[疾障] | 身障
    | 瘫痪 | 癱瘓 | 偏[瘫癱] | 截肢 | 拐杖 | 拄拐 | 助行器 | 半月板 | 关节炎 | 關節炎
    | 骨折 (?! [价價] ) | 无 (?<! [通流言]无 ) 障碍 | 無 (?<! [通流言]無 ) 障礙 | 膝[盖蓋关關]
    | 走不[了动動] | 不能 (?: 长时间 | 長時間 | 久 )? [走爬站] (?! 回头 | 回頭 | 重复 | 弯路 )
    | 无法 (?: 长时间 | 久 )? (?: 行?走 | 爬 | 站 ) | 無法 (?: 長時間 | 久 )? (?: 行?走 | 爬 | 站 )
    | 行走 (?: 困[难難] | 不便 ) | 走路 (?: 困[难難] | 不便 | 不方便 | 吃力 ) | 腿[脚腳]不
    | 腿部? (?: 受[伤傷] | 有[伤傷] | 不好 | 疼 | 痛 | 做[过過]?手[术術] )
    | 脚部? (?: 受伤 | 有伤 | 不好 | 疼 | 痛 ) | 腳部? (?: 受傷 | 有傷 | 不好 | 疼 | 痛 )
    | 腰部? (?: 受[伤傷] | 有[伤傷] | 不好 | 疼 | 痛 )""",
)
# Age and the wish to walk less are weak hints: many older people walk well.
WEAK = Phrases(
    """elderly seniors senior grandparents grandparent grandma grandmother grandpa grandfather older
    aged walking walks walk stairs steps""",
    r"""\b elderly \b | \b seniors \b | \b senior \s+ (?: citizens? | travell?ers? | couples?
        | parents | people | guests? )
    | \b grand (?: parents? | ma | mother | pa | father ) \b
    | \b older \s+ (?: parents | adults | people | travell?ers? | relatives ) | \b aged \s+ parents
    | \b (?: less | little | minimal | limited | minimi[sz]e | avoid | reduce ) \s+ (?: the \s+ )?
      (?: amount \s+ of \s+ )? (?: long \s+ )? walk(?:ing|s) \b
    | (?: \b not | n't | \b without ) \s+ (?: [a-z]+ \s+ ){0,3}? walk(?:ing)? \s+
      (?: too \s+ | very \s+ )? (?: much | far | long | a \s+ lot ) \b
    | \b (?: avoid | no | fewer | without ) \s+ (?: too \s+ many \s+ | steep \s+ )?
      (?: stairs | steps ) \b""",
    han_keys="走体體老爷爺奶外姥辈輩高岁歲",
    han_phrases="""少走 (?! 弯路 | 彎路 | 回头路 | 回頭路 | 冤枉路 ) | 走路少 | 老人 | 老年 | 奶奶
    | 爷爷 | 爺爺 | 外公 | 外婆 | 姥[姥爷爺] | 长辈 | 長輩 | 高[龄齡]
    | 不[想要用] [^,.;!?。]{0,6}? 走 (?: 很多 | 太多 | 太久 | 多 | 远 | 遠 | 长 | 長 | 路 )
    | 别 [^,.;!?。]{0,3}? 走 (?: 很多 | 太多 | 太久 | 远 ) | 避免 [^,.;!?。]{0,4} 走路
    | 尽量不走 | 儘量不走 | 体力 (?: 不好 | 差 | 有限 | 不支 ) | 體力 (?: 不好 | 差 | 有限 )
    | 6\\d[岁歲] | 7\\d[岁歲] | 8\\d[岁歲] | 9\\d[岁歲]""",
)
# Shorter words are enough in the field for mobility.
IN_FIELD = latin(
    r"""\b (?: canes? | (?<! slow\s ) walker | scooter | impaired | limited | reduced | restricted
        | knees? | hips? | legs? | stairs | steps | accessib(?:le|ility) ) \b
    | [腿膝腰髋髖爬] | [楼樓]梯 | 台[阶階]"""
)
NO_NEED = latin(
    r"""[\s.。,!-]* (?: none | no | nil | n/?a | null | normal | good | fit | full | fully \s mobile
        | active | ok | 正常 | 良好 | 无 (?! 障 ) .* | 無 (?! 障 ) .* | [没沒]有.*
        | no \s (?: needs? | issues? | problems? | limitations? | restrictions? | special .* ) )
    [\s.。,!-]*"""
)
