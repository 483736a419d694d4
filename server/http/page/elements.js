// Elements from data: entries of the list, and a post opened at a passage. Text only ever becomes a text node.
// What is looked at stands in the address, so that a search can be linked and Back works. Addresses
// are relative: a proxy may serve the page below a path.

import { dated, language, say } from "./words.js";

const NEIGHBORS = 1;
const FURTHER = 3;
export const FILTERS = ["section", "tag", "year"];
const NAMES = ["q", ...FILTERS, "source", "chunk"];

export function looked() {
  const parameters = new URLSearchParams(location.search);
  return Object.fromEntries(NAMES.map((name) => [name, parameters.get(name) ?? ""]));
}

export function addressOf(look) {
  const written = new URLSearchParams(NAMES.filter((name) => look[name]).map((name) => [name, look[name]]));
  return written.size ? `?${written}` : "./";
}

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value) made.setAttribute(key, value);
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

// What the server says.
export const told = (sentence, role = null, kind = "") =>
  element("p", { class: `notice ${kind}`.trim(), role, lang: "en" }, sentence);

// A text with its runs inside `marks`, which count characters, as <mark>.
function marked(text, marks) {
  const letters = [...text];
  const bounds = [...marks.flat(), letters.length];
  const runs = bounds.map((end, place) => letters.slice(bounds[place - 1] ?? 0, end).join(""));
  return runs.map((run, place) => (place % 2 ? element("mark", {}, run) : run));
}

// Facts on one line, with a dot between them.
export const dotted = (...facts) => facts.filter((fact) => fact !== null).flatMap((fact, place) => (place ? [" · ", fact] : [fact]));

// Section, date and tags; a section or tag is a link that filters by it.
function facts(post, look) {
  const narrowed = (name, value) =>
    element("a", { href: addressOf({ ...look, source: "", chunk: "", [name]: value }), class: name }, value);
  return [
    post.section ? narrowed("section", post.section) : null,
    post.date ? element("time", { datetime: post.date }, dated(post.date)) : null,
    ...post.tags.slice(0, 6).map((tag) => narrowed("tag", tag)),
  ];
}

// A hit or a post as an entry of the list; it is a link to itself, opened.
export function entry(post, look, number) {
  const opened = { ...look, source: post.source, chunk: String(post.chunk_index ?? 0) };
  const link = element("a", { href: addressOf(opened), class: "open", id: `hit-${number}` }, post.title);
  const path = post.headings?.length ? element("span", { class: "path" }, post.headings.join(" › ")) : null;
  const where = element("p", { class: "where", lang: language }, dotted(path, ...facts(post, opened)));
  const said = post.preview ?? post.description;
  const below = said ? element("p", { class: "preview" }, marked(said, post.marks ?? [])) : null;
  return element("li", { lang: post.language }, element("h3", {}, link), where, below);
}

// The server leaves nothing in its HTML that can run or load, and nothing else may become HTML here.
const asItIs = { createHTML: (html) => html };
const cleaned = globalThis.trustedTypes?.createPolicy("passages", asItIs) ?? asItIs;

// What was found, between its neighbours, as a blog shows it.
export async function passage(look, ask) {
  const read = (chunk, neighbors) => ask({ source: look.source, chunk_index: chunk, neighbors, query: look.q || null });
  const found = await read(Number(look.chunk), NEIGHBORS);
  const text = element("div", { class: "text", lang: found.language });
  const chunks = new Map();
  const [earlier, later] = ["earlier", "later"].map((name) => element("button", { type: "button", class: "further" }, say(name)));

  const draw = (more) => {
    for (const chunk of more.chunks) if (!chunks.has(chunk.chunk_index)) chunks.set(chunk.chunk_index, chunk);
    const order = [...chunks.keys()].sort((a, b) => a - b);
    text.replaceChildren(...order.map((index) => drawn(chunks.get(index), chunks.get(index - 1), found.asked, look)));
    earlier.hidden = order[0] === 0;
    later.hidden = order.at(-1) === found.count - 1;
  };
  earlier.addEventListener("click", async () => draw(await read(Math.min(...chunks.keys()) - 1, FURTHER)));
  later.addEventListener("click", async () => draw(await read(Math.max(...chunks.keys()) + 1, FURTHER)));
  draw(found);
  return [way(look, found), top(found, look), earlier, text, later];
}

// The way back and what is read, which stay in view.
export function way(look, found) {
  const back = element("a", { href: addressOf({ ...look, source: "", chunk: "" }), class: "back" }, `← ${say("back")}`);
  const day = found?.date ? element("time", { datetime: found.date }, dated(found.date)) : null;
  const title = found ? element("span", { class: "title", lang: found.language }, found.title) : null;
  return element("nav", {}, back, title, day, found ? onBlog(found) : null);
}

const onBlog = (found) =>
  /^(https?|obsidian):\/\//i.test(found.url ?? "") ? element("a", { href: found.url, rel: "noreferrer" }, say("outside")) : null;

function top(found, look) {
  const others = Object.entries(found.translations).map(([language, source]) =>
    element("a", { href: addressOf({ ...look, source, chunk: "0" }), hreflang: language }, say("also-in", { language })),
  );
  return element(
    "header",
    {},
    element("h2", { id: "passage-title", tabindex: "-1", lang: found.language }, found.title),
    element("p", { class: "where" }, dotted(...facts(found, look), ...others)),
    element("p", { class: "where" }, dotted(element("code", {}, found.source), say("place", { n: found.asked + 1, count: found.count }))),
  );
}

function drawn(chunk, before, asked, look) {
  const isAsked = chunk.chunk_index === asked;
  const path = chunk.headings.join(" › ");
  const head = path && path !== before?.headings.join(" › ") && !/^\s*#/.test(chunk.text) ? element("p", { class: "path" }, path) : null;
  const lines = say("lines", { first: String(chunk.first_line), last: String(chunk.last_line) });
  const place = element("p", { class: "place", lang: language }, lines);
  return element("section", { class: isAsked ? "chunk asked" : "chunk", "aria-label": isAsked ? say("found") : null }, place, head, ...rendered(chunk.html, look));
}

function rendered(html, look) {
  const made = element("div");
  made.innerHTML = cleaned.createHTML(html);
  for (const link of made.querySelectorAll("a[href^='?']")) {
    link.setAttribute("href", addressOf({ ...look, ...Object.fromEntries(new URLSearchParams(link.search)) }));
  }
  for (const wide of made.querySelectorAll("pre, table")) wide.setAttribute("tabindex", "0");
  return [...made.childNodes];
}
