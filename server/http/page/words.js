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
  "why": ["Why this hit", "為何有這筆結果", "为何有这条结果", "この結果の理由", "Warum dieser Treffer"],
  "why-name": [", {title}", "，{title}", "，{title}", "、{title}", ", {title}"],
  "score": [", score ", "，分數 ", "，得分 ", "、スコア ", ", Wertung "],
  "asked": ["You asked: {query}. ", "您的問題：{query}。", "您的问题：{query}。", "質問：{query}。", "Gefragt war: {query}. "],
  "words-here": ["What is marked stands in this passage.", "標示的詞出現在這個段落。", "标示的词出现在这个段落。", "印の付いた言葉がこの一節にあります。", "Was markiert ist, steht in dieser Textstelle."],
  "words-missing": [
    "None of its words stand in this passage; it is here for the post around it or for its meaning.",
    "這個段落沒有問題中的詞；它出現在此，是因為所屬的文章或意思相近。",
    "这个段落没有问题中的词；它出现在此，是因为所属的文章或意思相近。",
    "質問の言葉はこの一節にありません。記事全体、または意味の近さによる結果です。",
    "Keines der Wörter steht in dieser Textstelle; sie ist wegen ihres Beitrags oder ihrer Bedeutung hier.",
  ],
  "speaks": ["What speaks for the post", "文章的得分依據", "文章的得分依据", "記事の評価項目", "Was für den Beitrag spricht"],
  "strongly": ["How strongly", "強度", "强度", "強さ", "Wie stark"],
  "counts": ["Counts", "權重", "权重", "重み", "Zählt"],
  "adds": ["Adds", "得分", "得分", "加点", "Ergibt"],
  "together": ["Together: the post’s score, of 1", "合計：文章分數（滿分 1）", "合计：文章得分（满分 1）", "合計：記事のスコア（最大 1）", "Zusammen: Wertung des Beitrags, von 1"],
  "passage": ["Words in its best passage", "最佳段落中的詞", "最佳段落中的词", "最良の一節にある言葉", "Wörter in der besten Textstelle"],
  "coverage": ["How much of the words one passage holds", "單一段落涵蓋查詢詞的程度", "单一段落涵盖查询词的程度", "一つの一節が含む言葉の割合", "Wie viele der Wörter eine Textstelle hat"],
  "post": ["Words in the whole post", "全文中的詞", "全文中的词", "記事全体にある言葉", "Wörter im ganzen Beitrag"],
  "several": ["Words in its best passages together", "幾個最佳段落合計的詞", "几个最佳段落合计的词", "上位の一節を合わせた言葉", "Wörter in den besten Textstellen zusammen"],
  "about": ["Words in the author’s description", "作者摘要中的詞", "作者摘要中的词", "著者による説明にある言葉", "Wörter in der Beschreibung des Autors"],
  "meaning": ["Nearness in meaning of its nearest passage", "最接近段落的語意相近度", "最接近段落的语义相近度", "最も近い一節の意味の近さ", "Bedeutungsnähe der nächsten Textstelle"],
  "opening": ["Nearness in meaning of its beginning", "開頭的語意相近度", "开头的语义相近度", "冒頭の意味の近さ", "Bedeutungsnähe des Anfangs"],
  "gated_meaning": ["Nearness of its nearest passage, where words are missing", "缺少關鍵詞時，最接近段落的相近度", "缺少关键词时，最接近段落的相近度", "言葉がない場合の最も近い一節の近さ", "Nähe der nächsten Textstelle, wo Wörter fehlen"],
  "gated_opening": ["Nearness of its beginning, where words are missing", "缺少關鍵詞時，開頭的相近度", "缺少关键词时，开头的相近度", "言葉がない場合の冒頭の近さ", "Nähe des Anfangs, wo Wörter fehlen"],
  "heading": ["The question is one of its headings", "查詢就是文中的標題", "查询就是文中的标题", "質問がそのまま見出しにある", "Die Frage ist eine seiner Überschriften"],
  "verbatim": ["The question stands in it word for word", "文中有一字不差的查詢", "文中有一字不差的查询", "質問の言葉がそのまま文中にある", "Die Frage steht wörtlich darin"],
  "further": [
    "This is a further passage of the post, worth {ratio} of that: {score}. ",
    "這是同一篇文章的另一段，計為其 {ratio} 倍：{score}。",
    "这是同一篇文章的另一段，计为其 {ratio} 倍：{score}。",
    "同じ記事の別の一節で、その {ratio} 倍：{score}。",
    "Dies ist eine weitere Textstelle des Beitrags und zählt das {ratio}-Fache davon: {score}. ",
  ],
  "lifted": [
    "A translation of this post scores higher, and lends it its place: {score}. ",
    "這篇文章的譯文得分更高，因此排到這個位置：{score}。",
    "这篇文章的译文得分更高，因此排到这个位置：{score}。",
    "この記事の翻訳のほうが高得点のため、この順位になりました：{score}。",
    "Eine Übersetzung dieses Beitrags hat eine höhere Wertung und gibt ihm ihren Platz: {score}. ",
  ],
  "alone": [
    "This passage alone holds {value} of the words’ weight, ",
    "僅這個段落就占詞語權重的 {value}，",
    "仅这个段落就占词语权重的 {value}，",
    "この一節だけで言葉の重みの {value} を含み、",
    "Diese Textstelle allein trägt {value} vom Gewicht der Wörter ",
  ],
  "no-meaning": ["and meaning was not asked.", "未比較語意。", "未比较语义。", "意味は比較されていません。", "und nach der Bedeutung wurde nicht gesucht."],
  "nearer": [
    "and is {value} nearer to your query in meaning (cosine) than the blog on average.",
    "語意（餘弦）比部落格平均更接近您的問題 {value}。",
    "语义（余弦）比博客平均更接近您的问题 {value}。",
    "意味（コサイン）はブログの平均より質問に {value} 近いです。",
    "und liegt der Frage in der Bedeutung (Kosinus) um {value} näher als das Blog im Mittel.",
  ],
  "farther": [
    "and is {value} farther from your query in meaning (cosine) than the blog on average.",
    "語意（餘弦）比部落格平均更遠離您的問題 {value}。",
    "语义（余弦）比博客平均更远离您的问题 {value}。",
    "意味（コサイン）はブログの平均より質問から {value} 遠いです。",
    "und liegt der Frage in der Bedeutung (Kosinus) um {value} ferner als das Blog im Mittel.",
  ],
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
