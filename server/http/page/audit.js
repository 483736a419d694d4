// The state of the blog: how much there is of each kind, then what it is and where.

import { addressOf } from "./address.js";
import { ask, keepToken, Refused, token } from "./ask.js";
import { dotted, element } from "./elements.js";
import { numbered, say, speak } from "./words.js";

const MOST = 50; // findings of each kind; the command lists more
const NAMED = 3; // posts that a finding names

const at = (id) => document.getElementById(id);

const named = (source, words) => element("a", { href: addressOf({ source, chunk: "0" }) }, words);

// A draft is in no index and cannot be opened.
function finding(kind, { source, line, detail, others }) {
  const place = line ? `${source}:${line}` : source;
  const more = others.slice(0, NAMED).map((other) => named(other, `→ ${other}`));
  const first = kind === "stale-drafts" ? place : named(source, place);
  return element("li", {}, element("p", { class: "where" }, ...dotted(source ? first : null, ...more)), element("p", { lang: "en" }, detail));
}

function section(kind, count, found) {
  const rest = count > found.length ? [element("p", { class: "where" }, say("first-of", { shown: found.length, n: count }))] : [];
  return element("section", { id: kind, "aria-labelledby": `${kind}-title` }, element("h2", { id: `${kind}-title` }, `${say(kind)} (${numbered(count)})`), ...rest, element("ol", {}, ...found.map((each) => finding(kind, each))));
}

function show({ posts, counts, findings, notice }) {
  const kinds = Object.entries(counts);
  at("count").textContent = say("posts", { n: posts });
  at("notice").replaceChildren(...(notice ? [element("p", { class: "notice", lang: "en" }, notice)] : []));
  const rows = kinds.map(([kind, count]) =>
    element("tr", {}, element("td", {}, numbered(count)), element("th", { scope: "row" }, count ? element("a", { href: `#${kind}` }, say(kind)) : say(kind))));
  at("counts").replaceChildren(element("table", {}, element("tbody", {}, ...rows)));
  at("findings").replaceChildren(...kinds.filter(([, count]) => count).map(([kind, count]) => section(kind, count, findings[kind])));
}

async function begin() {
  try {
    const index = await ask("index", {});
    at("door").hidden = true;
    at("main").hidden = false;
    speak(index.language);
    document.title = say("audit");
    show(await ask("audit", { limit: MOST }));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const isShut = error.status === 401;
    at("door").hidden = !isShut;
    at("main").hidden = isShut;
    if (isShut) {
      at("door-why").textContent = token() ? error.message : "";
      speak(navigator.language);
      at("token").focus();
    } else {
      at("count").textContent = "";
      at("notice").replaceChildren(element("p", { class: "notice", role: "alert", lang: "en" }, error.message));
    }
  }
}

at("door").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken(at("token").value);
  begin();
});
begin();
