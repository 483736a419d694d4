// A post opened at a passage: what was found, between its neighbours, as a blog shows it.

import { ask } from "./ask.js";
import { addressOf, dotted, element, facts, told } from "./parts.js";
import { language, say } from "./words.js";

const NEIGHBORS = 1;
const FURTHER = 3;

// The server leaves nothing in its HTML that can run or load, and nothing else may become HTML here.
const asItIs = { createHTML: (html) => html };
const cleaned = globalThis.trustedTypes?.createPolicy("passages", asItIs) ?? asItIs;

export async function passage(look, signal) {
  const read = (chunk, neighbors) => {
    const query = look.q.trim() ? look.q : null;
    return ask("passage", { source: look.source, chunk_index: chunk, neighbors, query }, signal);
  };
  const found = await read(Number(look.chunk), NEIGHBORS);
  const text = element("div", { class: "text", lang: found.language || null });
  const earlier = element("button", { type: "button", class: "further" }, say("earlier"));
  const later = element("button", { type: "button", class: "further" }, say("later"));
  const chunks = new Map();

  const draw = (more) => {
    for (const chunk of more.chunks) if (!chunks.has(chunk.chunk_index)) chunks.set(chunk.chunk_index, chunk);
    const order = [...chunks.keys()].sort((a, b) => a - b);
    text.replaceChildren(...order.map((index, place) => drawn(chunks.get(index), chunks.get(order[place - 1]), found.asked, look)));
    earlier.hidden = order[0] === 0;
    later.hidden = order.at(-1) === found.count - 1;
  };
  const further = async (index) => {
    try {
      draw(await read(index, FURTHER));
    } catch (error) {
      if (error.name !== "AbortError") text.append(told(error.message, null, "alert"));
    }
  };
  earlier.addEventListener("click", () => further(Math.min(...chunks.keys()) - 1));
  later.addEventListener("click", () => further(Math.max(...chunks.keys()) + 1));
  draw(found);
  const notice = found.notice ? [told(found.notice)] : [];
  return [way(look, found), top(found, look), ...notice, earlier, text, later];
}

// The way back, which stays in view, and beside it what is read, if it could be.
export function way(look, found = null) {
  const back = element("a", { href: addressOf({ ...look, source: "", chunk: "" }), class: "back" }, `← ${say("back")} `, element("kbd", {}, "Esc"));
  const title = found && element("span", { "aria-hidden": "true", lang: found.language || null }, found.title);
  return element("nav", { "aria-label": say("back-name") }, back, title);
}

function top(found, look) {
  const others = Object.entries(found.translations).map(([language, source]) =>
    element("a", { href: addressOf({ ...look, source, chunk: "0" }), hreflang: language }, say("also-in", { language })),
  );
  const outside = /^https?:\/\//i.test(found.url ?? "") ? element("a", { href: found.url, rel: "noreferrer" }, say("outside")) : null;
  return element(
    "header",
    {},
    element("h2", { id: "passage-title", tabindex: "-1", lang: found.language || null }, found.title),
    element("p", { class: "where" }, dotted(...facts(found, look), outside, ...others)),
    element("p", { class: "where" }, dotted(element("code", {}, found.source), say("place", { n: found.asked + 1, count: found.count }))),
  );
}

function drawn(chunk, before, asked, look) {
  const isAsked = chunk.chunk_index === asked;
  const path = chunk.headings.join(" › ");
  const head = path && path !== before?.headings.join(" › ") && !/^\s*#/.test(chunk.text) ? element("p", { class: "path" }, path) : null;
  const lines = say("lines", { first: String(chunk.first_line), last: String(chunk.last_line) });
  const place = element("p", { class: "place", lang: language() }, lines);
  return element("section", { class: isAsked ? "chunk asked" : "chunk", "aria-label": say(isAsked ? "found" : "beside") }, place, head, ...rendered(chunk.html, look));
}

function rendered(html, look) {
  const made = element("div");
  made.innerHTML = cleaned.createHTML(html);
  for (const link of made.querySelectorAll("a[href^='/?']")) {
    link.setAttribute("href", addressOf({ ...look, ...Object.fromEntries(new URLSearchParams(link.search)) }));
  }
  for (const wide of made.querySelectorAll("pre, table")) wide.setAttribute("tabindex", "0");
  return [...made.childNodes];
}
