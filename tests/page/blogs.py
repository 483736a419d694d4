"""Three small blogs in languages other than English, for tests and pictures of the page."""

from __future__ import annotations

from collections.abc import Mapping

CHINESE = {
    "快取/kv-cache.md": """---
title: KV 快取為什麼省時間
date: 2025-03-04
tags: [快取, 推論]
description: 逐字生成時，哪些計算可以保留下來。
---
模型每產生一個字，都要看過**前面所有的字**。若把每一層的鍵與值保留在記憶體之中，就不必重新計算。

## 要花多少記憶體

每個字的大小是 `2 × 層數 × 頭數 × 維度`，另見[量化筆記](../量化/int8.md)：

| 模型 | 層數 | 每千字 |
|---|--:|--:|
| 小 | 24 | 98 MB |
| 大 | 80 | 328 MB |

> 快取愈長，能同時服務的人就愈少。

1. 先估算一次對話的長度。
2. 再決定[快取的上限](https://zh.wikipedia.org/wiki/快取)。

```python
def 大小(層數, 頭數, 維度):
    return 2 * 層數 * 頭數 * 維度
```
""",
    "量化/int8.md": """---
title: 用 INT8 量化向量
date: 2024-11-20
tags: [量化, 推論]
description: 大小變成四分之一，搜尋結果幾乎不變。
---
把每個浮點數縮成一個位元組，向量的大小就只剩四分之一，快取也能放進更多內容。
""",
    "搜尋/bigram.md": """---
title: 中文搜尋為什麼用雙字詞
date: 2025-01-12
tags: [搜尋, 斷詞]
description: 不必斷詞，也不會漏掉新詞。
---
中文沒有空格，把相鄰的兩個字當作一個詞，就能找到任何新詞。
""",
}

GERMAN = {
    "betrieb/zwischenspeicher.md": """---
title: Warum ein Zwischenspeicher schneller antwortet
date: 2025-03-04
tags: [Zwischenspeicher, Betrieb]
description: Was sich zu behalten lohnt und was nicht.
---
Der Server hält **die häufigsten Antworten** im Speicher und muss sie nicht noch einmal berechnen.

## Wie groß er sein darf

Die Obergrenze steht in `cache.toml`, siehe auch [die Messung der Antwortzeiten](messung.md):

| Größe | Treffer | Antwortzeit |
|---|--:|--:|
| 64 MB | 71 % | 12 ms |
| 256 MB | 93 % | 4 ms |

> Ein Zwischenspeicher ohne Obergrenze ist ein Speicherleck mit gutem Namen.

1. Zuerst die Antwortzeiten messen.
2. Dann [die Verdrängung](https://de.wikipedia.org/wiki/Cache) wählen.

```toml
[cache]
size = "256 MB"
```
""",
    "betrieb/messung.md": """---
title: Antwortzeiten richtig messen
date: 2024-11-20
tags: [Messung, Betrieb]
description: Perzentile statt Mittelwerte.
---
Wer nur den Mittelwert betrachtet, sieht die langsamen Antworten nicht. Der Zwischenspeicher wird
vor jeder Messung geleert.
""",
    "suche/wortformen.md": """---
title: Wortformen in der Suche
date: 2025-01-12
tags: [Suche, Sprache]
description: Warum „Häuser“ auch „Haus“ findet.
---
Die Suche führt jedes Wort auf seinen Stamm zurück, damit jede Form die andere findet.
""",
}

JAPANESE = {
    "運用/cache.md": """---
title: キャッシュで応答が速くなる理由
date: 2025-03-04
tags: [キャッシュ, 運用]
description: 何を残し、何を捨てるか。
---
サーバーは**よく使われる応答**をキャッシュに残しておくので、もう一度計算する必要がありません。

## どこまで大きくするか

上限は `cache.toml` に書きます。[応答時間の測り方](measure.md)も読んでください。

| 大きさ | ヒット率 | 応答時間 |
|---|--:|--:|
| 64 MB | 71 % | 12 ms |
| 256 MB | 93 % | 4 ms |

> 上限のないキャッシュは、名前の良いメモリリークです。

1. まず応答時間を測ります。
2. 次に[追い出しの方法](https://ja.wikipedia.org/wiki/キャッシュ)を選びます。
""",
    "運用/measure.md": """---
title: 応答時間の測り方
date: 2024-11-20
tags: [計測, 運用]
description: 平均ではなくパーセンタイルで見る。
---
平均だけを見ていると、遅い応答に気づきません。計測の前にはキャッシュを空にします。
""",
    "検索/bigram.md": """---
title: 日本語の検索と二文字の組
date: 2025-01-12
tags: [検索, 言語]
description: 分かち書きをしなくても見つかる。
---
日本語には空白がないので、隣り合う二文字を一つの語として扱います。
""",
}

BLOGS: Mapping[str, Mapping[str, str]] = {"zh-Hant": CHINESE, "de": GERMAN, "ja": JAPANESE}
