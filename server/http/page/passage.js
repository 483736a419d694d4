// A post opened at a passage: what was found, between its neighbours, in the author's own words.

import { addressOf } from "./address.js";
import { ask } from "./ask.js";
import { dotted, element } from "./elements.js";
import { facts } from "./hits.js";
import { dressed } from "./markdown.js";

const NEIGHBORS = 1;
const FURTHER = 3;

export async function passage(look, signal) {
  const given = { source: look.source, chunk_index: Number(look.chunk), neighbors: NEIGHBORS };
  const found = await ask("passage", withQuery(given, look), signal);
  const text = element("div", { class: "text", lang: found.language || null });
  const earlier = element("button", { type: "button", class: "further" }, "Earlier in this post");
  const later = element("button", { type: "button", class: "further" }, "Later in this post");
  const chunks = new Map(found.chunks.map((chunk) => [chunk.chunk_index, chunk]));

  const draw = () => {
    const order = [...chunks.keys()].sort((a, b) => a - b);
    text.replaceChildren(...order.map((index, place) => drawn(chunks.get(index), chunks.get(order[place - 1]), found.asked)));
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
  earlier.addEventListener("click", () => read(Math.min(...chunks.keys()) - 1));
  later.addEventListener("click", () => read(Math.max(...chunks.keys()) + 1));
  draw();
  return { notice: found.notice, title: found.title, nodes: [way(look, found), top(found, look), earlier, text, later] };
}

const withQuery = (given, look) => (look.q.trim() ? { ...given, query: look.q } : given);

// The way back, which stays in view, and beside it what is read, if it could be.
export function way(look, found = null) {
  const back = element("a", { href: addressOf({ ...look, source: "", chunk: "" }), class: "back" }, "← Back to the hits ", element("kbd", {}, "Esc"));
  const title = found && element("span", { "aria-hidden": "true", lang: found.language || null }, found.title);
  return element("nav", { "aria-label": "Back" }, back, title);
}

function top(found, look) {
  const others = Object.entries(found.translations).map(([language, source]) =>
    element("a", { href: addressOf({ ...look, source, chunk: "0" }), hreflang: language }, `also in ${language}`),
  );
  const outside = found.url ? element("a", { href: safe(found.url), rel: "noreferrer" }, "on the blog ↗") : null;
  return element(
    "header",
    {},
    element("h2", { id: "passage-title", tabindex: "-1", lang: found.language || null }, found.title),
    element("p", { class: "where" }, ...dotted(...facts(found, look).filter((fact) => !fact.classList?.contains("dot")), outside, ...others)),
    element("p", { class: "where" }, ...dotted(element("code", {}, found.source), `chunk ${found.asked + 1} of ${found.count}`)),
  );
}

// A post's address comes from its site's settings; only what leads to a page is a link.
const safe = (url) => (/^https?:\/\//i.test(url) ? url : null);

function drawn(chunk, before, asked) {
  const isAsked = chunk.chunk_index === asked;
  const path = chunk.headings.join(" › ");
  const head = path && path !== before?.headings.join(" › ") && !/^\s*#/.test(chunk.text) ? element("p", { class: "path" }, path) : null;
  const lines = element("p", { class: "place", lang: "en" }, isAsked ? "What was found: " : "", `lines ${chunk.first_line} to ${chunk.last_line}`);
  return element("section", { class: isAsked ? "chunk asked" : "chunk", "aria-label": isAsked ? "What was found" : "Beside it" }, lines, head, ...dressed(chunk.text, chunk.marks));
}
