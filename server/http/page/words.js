// What the page says, in the browser's language, else in English. What the server says stays in English.

const LANGUAGES = ["en", "zh-Hant", "zh-Hans"];

// A bar parts what is said of one and of any other number.
const WORDS = {
  "search-blog": ["Search the blog", "搜尋部落格", "搜索博客"],
  "search-site": ["Search {site}", "搜尋 {site}", "搜索 {site}"],
  "title": ["{query} – search", "{query} – 搜尋", "{query} – 搜索"],
  "skip": ["Skip to the hits", "跳到搜尋結果", "跳到搜索结果"],
  "what": ["What to search for", "要搜尋什麼", "要搜索什么"],
  "example": ["A question, a few words, an identifier", "一個問題、幾個詞或一個識別字", "一个问题、几个词或一个标识符"],
  "keys": [
    "Hits appear as you type. Arrow keys move through them, Enter opens one, Escape goes back.",
    "輸入時即顯示結果。方向鍵在結果間移動，Enter 開啟，Esc 返回。",
    "输入时即显示结果。方向键在结果间移动，Enter 打开，Esc 返回。",
  ],
  "filters": ["Filters", "篩選", "筛选"],
  "section": ["Section", "分類", "分类"],
  "tag": ["Tag", "標籤", "标签"],
  "year": ["Year", "年份", "年份"],
  "all": ["All", "全部", "全部"],
  "any": ["Any", "不限", "不限"],
  "clear": ["Clear filters", "清除篩選", "清除筛选"],
  "door": ["This server asks for a token.", "此伺服器需要權杖（token）。", "此服务器需要令牌（token）。"],
  "enter": ["Open", "開啟", "打开"],
  "hits": ["Hits", "搜尋結果", "搜索结果"],
  "more": ["More", "更多", "更多"],
  "passages": ["{n} passage|{n} passages", "{n} 個段落", "{n} 个段落"],
  "posts": ["{n} post|{n} posts", "{n} 篇文章", "{n} 篇文章"],
  "chunks": ["{n} chunk|{n} chunks", "{n} 個片段", "{n} 个片段"],
  "newest": ["{n} post|{n} posts, newest first", "{n} 篇文章，由新到舊", "{n} 篇文章，由新到旧"],
  "no-hits": ["No hits", "沒有結果", "没有结果"],
  "no-posts": ["No post passes these filters", "沒有符合篩選條件的文章", "没有符合筛选条件的文章"],
  "back": ["Back to the hits", "回到搜尋結果", "返回搜索结果"],
  "earlier": ["Earlier in this post", "本文前面的內容", "本文前面的内容"],
  "later": ["Later in this post", "本文後面的內容", "本文后面的内容"],
  "also-in": ["also in {language}", "另有{language}版", "另有{language}版"],
  "outside": ["on the blog ↗", "在部落格上閱讀 ↗", "在博客上阅读 ↗"],
  "place": ["chunk {n} of {count}", "第 {n} 段，共 {count} 段", "第 {n} 段，共 {count} 段"],
  "lines": ["lines {first} to {last}", "第 {first} 至 {last} 行", "第 {first} 至 {last} 行"],
  "found": ["What was found", "找到的內容", "找到的内容"],
  "beside": ["Beside it", "前後文", "上下文"],
  "read": ["read {when}", "{when}讀取", "{when}读取"],
  "unreachable": [
    "The server does not answer. Start it again with blog-search-mcp serve --http, then try again.",
    "伺服器沒有回應。請用 blog-search-mcp serve --http 重新啟動，然後再試一次。",
    "服务器没有响应。请用 blog-search-mcp serve --http 重新启动，然后重试。",
  ],
};

const [main, ...others] = navigator.language.toLowerCase().split("-");
const script = others.some((part) => ["hant", "tw", "hk", "mo"].includes(part)) ? "zh-Hant" : "zh-Hans";
const column = Math.max(0, LANGUAGES.indexOf(main === "zh" ? script : main));
export const language = LANGUAGES[column];

export function say(name, facts = {}) {
  const forms = WORDS[name][column].split("|");
  const text = forms.length > 1 && facts.n === 1 ? forms[0] : forms.at(-1);
  return text.replace(/\{(\w+)\}/g, (_, fact) => (typeof facts[fact] === "number" ? numbered(facts[fact]) : facts[fact]));
}

export const numbered = (number) => number.toLocaleString(language);
export const dated = (day) => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(`${day}T00:00:00Z`));

document.documentElement.lang = language;
for (const node of document.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
for (const node of document.querySelectorAll("[data-hint]")) node.placeholder = say(node.dataset.hint);
