// Elements from data, and the address in which what is looked at stands: a search can be linked, and Back works.
// Text only ever becomes a text node, so that nothing in a post is markup.

import { dated, language, say } from "./words.js";

export const FILTERS = ["section", "tag", "year"];
const NAMES = ["q", ...FILTERS, "source", "chunk"];

export function looked() {
  const parameters = new URLSearchParams(location.search);
  return Object.fromEntries(NAMES.map((name) => [name, parameters.get(name) ?? ""]));
}

export function addressOf(look) {
  const written = new URLSearchParams(NAMES.filter((name) => look[name]).map((name) => [name, look[name]])).toString();
  return written ? `/?${written}` : "/";
}

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

// What the server says, with a button that asks again if that may help.
export function told(sentence, again, role = null) {
  const retry = again ? element("button", { type: "button" }, say("again")) : null;
  retry?.addEventListener("click", again);
  return element("p", { class: "notice", role, lang: "en" }, sentence, " ", retry);
}

// A text with its runs inside `marks` as <mark>.
function marked(text, marks) {
  let at = 0;
  const nodes = marks.flatMap(([from, to]) => {
    const before = text.slice(at, from);
    at = to;
    return [before, element("mark", {}, text.slice(from, to))];
  });
  return [...nodes, text.slice(at)];
}

// Facts on one line, with a dot between them.
export function dotted(...facts) {
  return facts
    .filter((fact) => fact !== null)
    .flatMap((fact, place) => (place ? [element("span", { class: "dot", "aria-hidden": "true" }, " · "), fact] : [fact]));
}

// Section, date and tags; a section or tag is a link that filters by it.
export function facts(post, look) {
  const narrowed = (name, value) => {
    const href = addressOf({ ...look, source: "", chunk: "", [name]: value });
    return element("a", { href, class: name, title: say("only", { name: value }) }, value);
  };
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
  const where = element("p", { class: "where" }, path, element("span", { lang: language() }, dotted(...facts(post, opened))));
  const said = post.preview ?? post.description;
  const below = said ? element("p", { class: "preview" }, marked(said, post.marks ?? [])) : null;
  return element("li", { lang: post.language || null, value: number }, element("h3", {}, link), where, below);
}
