// A post opened at a passage: what was found, between its neighbours, as a blog shows it or as its author wrote it.

import { addressOf } from "./address.js";
import { ask } from "./ask.js";
import { dotted, element, marked } from "./elements.js";
import { facts } from "./hits.js";
import { language, languageName, say } from "./words.js";

const NEIGHBORS = 1;
const FURTHER = 3;

// The server leaves nothing in its HTML that can run or load, and nothing else may become HTML here.
const asItIs = { createHTML: (html) => html };
const cleaned = globalThis.trustedTypes?.createPolicy("passages", asItIs) ?? asItIs;

let asSource = false; // as long as the page is open

export async function passage(look, signal) {
  const given = { source: look.source, chunk_index: Number(look.chunk), neighbors: NEIGHBORS };
  const found = await ask("passage", withQuery(given, look), signal);
  const text = element("div", { class: "text", lang: found.language || null });
  const source = element("button", { type: "button", class: "source", "aria-pressed": String(asSource) }, say("markdown"));
  const earlier = element("button", { type: "button", class: "further" }, say("earlier"));
  const later = element("button", { type: "button", class: "further" }, say("later"));
  const chunks = new Map(found.chunks.map((chunk) => [chunk.chunk_index, chunk]));

  const draw = () => {
    const order = [...chunks.keys()].sort((a, b) => a - b);
    text.replaceChildren(...order.map((index, place) => drawn(chunks.get(index), chunks.get(order[place - 1]), found.asked, look)));
    earlier.hidden = order[0] === 0;
    later.hidden = order.at(-1) === found.count - 1;
  };
  const read = async (index) => {
    try {
      const more = await ask("passage", withQuery({ ...given, chunk_index: index, neighbors: FURTHER }, look), signal);
      for (const chunk of more.chunks) if (!chunks.has(chunk.chunk_index)) chunks.set(chunk.chunk_index, chunk);
      draw();
    } catch (error) {
      if (error.name !== "AbortError") text.append(element("p", { class: "notice", role: "alert", lang: "en" }, error.message));
    }
  };
  source.addEventListener("click", () => {
    asSource = !asSource;
    source.setAttribute("aria-pressed", String(asSource));
    draw();
  });
  earlier.addEventListener("click", () => read(Math.min(...chunks.keys()) - 1));
  later.addEventListener("click", () => read(Math.max(...chunks.keys()) + 1));
  draw();
  return { notice: found.notice, title: found.title, nodes: [way(look, found), top(found, look, source), earlier, text, later] };
}

const withQuery = (given, look) => (look.q.trim() ? { ...given, query: look.q } : given);

// The way back, which stays in view, and beside it what is read, if it could be.
export function way(look, found = null) {
  const back = element("a", { href: addressOf({ ...look, source: "", chunk: "" }), class: "back" }, `← ${say("back")} `, element("kbd", {}, "Esc"));
  const title = found && element("span", { "aria-hidden": "true", lang: found.language || null }, found.title);
  return element("nav", { "aria-label": say("back-name") }, back, title);
}

function top(found, look, source) {
  const others = Object.entries(found.translations).map(([language, source]) =>
    element("a", { href: addressOf({ ...look, source, chunk: "0" }), hreflang: language }, say("also-in", { language: languageName(language) })),
  );
  const outside = /^https?:\/\//i.test(found.url ?? "") ? element("a", { href: found.url, rel: "noreferrer" }, say("outside")) : null;
  return element(
    "header",
    {},
    element("h2", { id: "passage-title", tabindex: "-1", lang: found.language || null }, found.title),
    element("p", { class: "where" }, ...dotted(...facts(found, look).filter((fact) => !fact.classList?.contains("dot")), outside, ...others)),
    element("p", { class: "where" }, ...dotted(element("code", {}, found.source), say("place", { n: found.asked + 1, count: found.count }))),
    source,
  );
}

function drawn(chunk, before, asked, look) {
  const isAsked = chunk.chunk_index === asked;
  const path = chunk.headings.join(" › ");
  const head = path && path !== before?.headings.join(" › ") && !/^\s*#/.test(chunk.text) ? element("p", { class: "path" }, path) : null;
  const lines = say("lines", { first: String(chunk.first_line), last: String(chunk.last_line) });
  const place = element("p", { class: "place", lang: language() }, isAsked ? say("found-lines", { lines }) : lines);
  const text = asSource ? [element("pre", { class: "source", tabindex: "0" }, marked(chunk.text, chunk.marks))] : rendered(chunk.html, look);
  return element("section", { class: isAsked ? "chunk asked" : "chunk", "aria-label": say(isAsked ? "found" : "beside") }, place, head, ...text);
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
