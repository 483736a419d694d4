"""A small blog in Chinese, for tests and pictures of the page."""

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

BLOGS: Mapping[str, Mapping[str, str]] = {"zh-Hant": CHINESE}
