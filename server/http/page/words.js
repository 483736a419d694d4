// What the page says, in the browser's language, else in English. What the server says stays in English.

const LANGUAGES = ["en", "zh-Hant", "zh-Hans"];

// Texts by name, in the order of LANGUAGES; a bar parts what is said of one and of any other number.
const WORDS = await (await fetch(new URL("words.json", import.meta.url))).json();

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
