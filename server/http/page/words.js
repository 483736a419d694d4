// What the page says, in the language of most of the blog's posts. What the server says stays in English.

const LANGUAGES = ["en", "zh-Hant", "zh-Hans", "ja", "de"];

// A bar parts what is said of one and of any other number.
const WORDS = {
  "search-blog": ["Search the blog", "搜尋部落格", "搜索博客", "ブログを検索", "Blog durchsuchen"],
  "search-site": ["Search {site}", "搜尋 {site}", "搜索 {site}", "{site} を検索", "{site} durchsuchen"],
  "title": ["{query} – search", "{query} – 搜尋", "{query} – 搜索", "{query} – 検索", "{query} – Suche"],
  "skip": ["Skip to the hits", "跳到搜尋結果", "跳到搜索结果", "検索結果へ移動", "Zu den Treffern springen"],
  "what": ["What to search for", "要搜尋什麼", "要搜索什么", "検索する内容", "Wonach gesucht wird"],
  "example": ["A question, a few words, an identifier", "一個問題、幾個詞或一個識別字", "一个问题、几个词或一个标识符", "質問、いくつかの言葉、識別子", "Eine Frage, ein paar Wörter, ein Bezeichner"],
  "keys": [
    "Hits appear as you type. Arrow keys move through them, Enter opens one, Escape goes back.",
    "輸入時即顯示結果。方向鍵在結果間移動，Enter 開啟，Esc 返回。",
    "输入时即显示结果。方向键在结果间移动，Enter 打开，Esc 返回。",
    "入力中に結果が表示されます。矢印キーで移動、Enter で開く、Esc で戻ります。",
    "Treffer erscheinen beim Tippen. Pfeiltasten wandern durch sie, die Eingabetaste öffnet einen, Escape führt zurück.",
  ],
  "filters": ["Filters", "篩選", "筛选", "絞り込み", "Filter"],
  "section": ["Section", "分類", "分类", "セクション", "Bereich"],
  "tag": ["Tag", "標籤", "标签", "タグ", "Schlagwort"],
  "year": ["Year", "年份", "年份", "年", "Jahr"],
  "all": ["All", "全部", "全部", "すべて", "Alle"],
  "any": ["Any", "不限", "不限", "指定なし", "Beliebig"],
  "often": ["Frequent tags", "常用標籤", "常用标签", "よく使われるタグ", "Häufige Schlagwörter"],
  "clear": ["Clear filters", "清除篩選", "清除筛选", "絞り込みを解除", "Filter aufheben"],
  "only": ["Only {name}", "只看 {name}", "只看 {name}", "{name} だけを表示", "Nur {name}"],
  "door": ["This server asks for a token.", "此伺服器需要權杖（token）。", "此服务器需要令牌（token）。", "このサーバーにはトークンが必要です。", "Dieser Server verlangt ein Token."],
  "enter": ["Open", "開啟", "打开", "開く", "Öffnen"],
  "door-note": [
    "It stays in this tab and is forgotten with it.",
    "只保留在此分頁，關閉後即清除。",
    "仅保留在此标签页，关闭后即清除。",
    "このタブにだけ保存され、閉じると消えます。",
    "Es bleibt in diesem Tab und wird mit ihm vergessen.",
  ],
  "hits": ["Hits", "搜尋結果", "搜索结果", "検索結果", "Treffer"],
  "more": ["More", "更多", "更多", "もっと見る", "Mehr"],
  "index": ["The index", "索引", "索引", "インデックス", "Der Index"],
  "passages": ["{n} passage|{n} passages", "{n} 個段落", "{n} 个段落", "該当箇所 {n} 件", "{n} Textstelle|{n} Textstellen"],
  "posts": ["{n} post|{n} posts", "{n} 篇文章", "{n} 篇文章", "{n} 件の記事", "{n} Beitrag|{n} Beiträge"],
  "chunks": ["{n} chunk|{n} chunks", "{n} 個片段", "{n} 个片段", "{n} 個のチャンク", "{n} Abschnitt|{n} Abschnitte"],
  "newest": ["{n} post|{n} posts, newest first", "{n} 篇文章，由新到舊", "{n} 篇文章，由新到旧", "{n} 件の記事（新しい順）", "{n} Beitrag|{n} Beiträge, neueste zuerst"],
  "no-hits": ["No hits", "沒有結果", "没有结果", "結果はありません", "Keine Treffer"],
  "no-posts": ["No post passes these filters", "沒有符合篩選條件的文章", "没有符合筛选条件的文章", "条件に合う記事はありません", "Kein Beitrag passt zu diesen Filtern"],
  "confidence": ["Confidence {level}", "可信度：{level}", "可信度：{level}", "確信度：{level}", "Verlässlichkeit: {level}"],
  "with-confidence": [", confidence {level}", "，可信度：{level}", "，可信度：{level}", "、確信度：{level}", ", Verlässlichkeit: {level}"],
  "high": ["high", "高", "高", "高", "hoch"],
  "medium": ["medium", "中", "中", "中", "mittel"],
  "low": ["low", "低", "低", "低", "niedrig"],
  "sure-high": [
    "The search found as much of this as of questions that the blog answers.",
    "找到的內容，與部落格能回答的問題一樣充分。",
    "找到的内容，与博客能回答的问题一样充分。",
    "ブログが答えている質問と同じくらい、内容が見つかりました。",
    "Die Suche fand hierzu so viel wie zu Fragen, die das Blog beantwortet.",
  ],
  "sure-medium": [
    "The search found somewhat less of this than of most questions that the blog answers. Read before you rely on it.",
    "找到的內容，比部落格能回答的多數問題少一些。採信之前請先閱讀原文。",
    "找到的内容，比博客能回答的多数问题少一些。采信之前请先阅读原文。",
    "ブログが答えている多くの質問より、見つかった内容はやや少なめです。本文を確かめてからお使いください。",
    "Die Suche fand hierzu etwas weniger als zu den meisten Fragen, die das Blog beantwortet. Erst lesen, dann darauf bauen.",
  ],
  "sure-low": [
    "The search found far less of this than of questions that the blog answers. The hits are the nearest there is; the blog may hold nothing on this.",
    "找到的內容，遠少於部落格能回答的問題。以下只是最接近的結果，部落格可能沒有寫過這個主題。",
    "找到的内容，远少于博客能回答的问题。以下只是最接近的结果，博客可能没有写过这个主题。",
    "ブログが答えている質問より、見つかった内容はずっと少なめです。最も近いものを示していますが、この話題の記事はないかもしれません。",
    "Die Suche fand hierzu weit weniger als zu Fragen, die das Blog beantwortet. Dies sind die nächstliegenden Treffer; vielleicht steht dazu nichts im Blog.",
  ],
  "certainty": [
    "(Estimated probability of an answer: {value}.)",
    "（估計有答案的機率：{value}。）",
    "（估计有答案的概率：{value}。）",
    "（答えがある推定確率：{value}）",
    "(Geschätzte Wahrscheinlichkeit einer Antwort: {value}.)",
  ],
  "again": ["Try again", "再試一次", "重试", "再試行", "Noch einmal"],
  "back": ["Back to the hits", "回到搜尋結果", "返回搜索结果", "検索結果に戻る", "Zurück zu den Treffern"],
  "back-name": ["Back", "返回", "返回", "戻る", "Zurück"],
  "earlier": ["Earlier in this post", "本文前面的內容", "本文前面的内容", "この記事の前の部分", "Weiter vorn in diesem Beitrag"],
  "later": ["Later in this post", "本文後面的內容", "本文后面的内容", "この記事の続き", "Weiter hinten in diesem Beitrag"],
  "markdown": ["Markdown source", "Markdown 原始碼", "Markdown 源码", "Markdown ソース", "Markdown-Quelltext"],
  "also-in": ["also in {language}", "另有{language}版", "另有{language}版", "{language}版もあります", "auch auf {language}"],
  "newer": ["Newer post on this, of {date}", "同主題的較新文章（{date}）", "同主题的较新文章（{date}）", "同じ話題の新しい記事（{date}）", "Neuerer Beitrag dazu vom {date}"],
  "outside": ["on the blog ↗", "在部落格上閱讀 ↗", "在博客上阅读 ↗", "ブログで読む ↗", "im Blog ↗"],
  "place": ["chunk {n} of {count}", "第 {n} 段，共 {count} 段", "第 {n} 段，共 {count} 段", "{count} 個中 {n} 番目のチャンク", "Abschnitt {n} von {count}"],
  "lines": ["lines {first} to {last}", "第 {first} 至 {last} 行", "第 {first} 至 {last} 行", "{first}～{last} 行目", "Zeilen {first} bis {last}"],
  "found": ["What was found", "找到的內容", "找到的内容", "見つかった箇所", "Fundstelle"],
  "found-lines": ["What was found: {lines}", "找到的內容：{lines}", "找到的内容：{lines}", "見つかった箇所：{lines}", "Fundstelle: {lines}"],
  "beside": ["Beside it", "前後文", "上下文", "前後の部分", "Umgebung"],
  "picture": ["Picture", "圖片", "图片", "画像", "Bild"],
  "read": ["read {when}", "{when}讀取", "{when}读取", "{when}に読み込み", "gelesen {when}"],
  "generation": ["generation {n}", "第 {n} 代", "第 {n} 代", "第 {n} 世代", "Generation {n}"],
  // docs/troubleshooting.md has a row for each of these two.
  "unreachable": [
    "The server does not answer. Start it again with blog-server --http, then try again.",
    "伺服器沒有回應。請用 blog-server --http 重新啟動，然後再試一次。",
    "服务器没有响应。请用 blog-server --http 重新启动，然后重试。",
    "サーバーが応答しません。blog-server --http で再び起動してから、再試行してください。",
    "Der Server antwortet nicht. Er lässt sich mit blog-server --http neu starten; dann noch einmal versuchen.",
  ],
  "unreadable": [
    "The answer is not one of this server's. Look at what stands between it and this page, then try again.",
    "收到的回應不是這個伺服器的。請檢查它與此頁面之間的設備或程式，然後再試一次。",
    "收到的响应不是这个服务器的。请检查它与此页面之间的设备或程序，然后重试。",
    "このサーバーのものではない応答です。サーバーとこのページの間にあるものを確かめてから、再試行してください。",
    "Die Antwort stammt nicht von diesem Server. Was steht zwischen ihm und dieser Seite? Danach noch einmal versuchen.",
  ],
};

let column = 0;

export const language = () => LANGUAGES[column];

export function say(name, facts = {}) {
  const forms = (WORDS[name]?.[column] ?? name).split("|");
  const text = forms.length > 1 && facts.n === 1 ? forms[0] : forms.at(-1);
  return text.replace(/\{(\w+)\}/g, (_, fact) => (typeof facts[fact] === "number" ? numbered(facts[fact]) : facts[fact]));
}

// Speak the language of a BCP 47 tag from now on, English if it is none of ours; what stands in the page too.
export function speak(tag) {
  const [main, ...others] = tag.toLowerCase().split("-");
  const script = others.some((part) => ["hant", "tw", "hk", "mo"].includes(part)) ? "zh-Hant" : "zh-Hans";
  column = Math.max(0, LANGUAGES.indexOf(main === "zh" ? script : main));
  document.documentElement.lang = language();
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
  for (const node of document.querySelectorAll("[data-hint]")) node.placeholder = say(node.dataset.hint);
  for (const node of document.querySelectorAll("[data-name]")) node.setAttribute("aria-label", say(node.dataset.name));
}

export const decimal = (value, digits) =>
  value.toLocaleString(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const numbered = (number) => number.toLocaleString(language());

// A day as people write it; one that no calendar has stays as it is.
export function dated(day) {
  const time = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(time.getTime()) ? day : new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeZone: "UTC" }).format(time);
}

export function languageName(tag) {
  try {
    return new Intl.DisplayNames(language(), { type: "language" }).of(tag);
  } catch {
    return tag;
  }
}
