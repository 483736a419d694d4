// Hits and posts as entries of a list; each is a link to itself, opened.

import { addressOf } from "./address.js";
import { dotted, element, marked } from "./elements.js";
import { dated, language, say } from "./words.js";

export function hitEntry(hit, look, number) {
  const preview = element("p", { class: "preview" }, marked(hit.preview, hit.marks));
  return entry(hit, { ...look, source: hit.source, chunk: String(hit.chunk_index) }, number, hit.headings, preview);
}

export function postEntry(post, look, number) {
  const said = post.description ? element("p", { class: "preview" }, post.description) : null;
  return entry(post, { ...look, source: post.source, chunk: "0" }, number, [], said);
}

function entry(post, opened, number, headings, ...below) {
  const link = element("a", { href: addressOf(opened), class: "open", id: `hit-${number}` }, post.title);
  const where = element("p", { class: "where" }, headings.length ? path(headings) : null, element("span", { lang: language() }, ...facts(post, opened)));
  return element("li", { lang: post.language || null, value: number }, element("h3", {}, link), where, ...below);
}

// Section, date and tags; a section or tag is a link that filters by it.
export function facts(post, look) {
  const narrowed = (name, value) => {
    const href = addressOf({ ...look, source: "", chunk: "", [name]: value });
    return element("a", { href, class: name, title: say("only", { name: value }) }, value);
  };
  return dotted(
    post.section ? narrowed("section", post.section) : null,
    post.date ? element("time", { datetime: post.date }, dated(post.date)) : null,
    ...post.tags.slice(0, 6).map((tag) => narrowed("tag", tag)),
  );
}

const path = (headings) => element("span", { class: "path" }, headings.join(" › "));
