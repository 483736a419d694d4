// A rendered passage: the server's tree of nodes as elements. What is not named here is a span.

import { addressOf } from "./address.js";
import { element, leadsOut } from "./elements.js";
import { say } from "./words.js";

const NAMES = new Set(
  "p ul ol li blockquote hr br em strong s code mark h3 h4 h5 h6 thead tbody tr th td".split(" "),
);

// `look` is what the links to other posts are opened with.
export const rendered = (nodes, look) => nodes.map((node) => (typeof node === "string" ? node : made(node, look)));

function made([name, facts, ...children], look) {
  const inside = rendered(children, look);
  if (name === "a") return link(facts, inside, look);
  if (name === "img") return element("span", { class: "picture" }, inside.join("") || say("picture"));
  if (name === "pre") return element("pre", { tabindex: "0" }, element("code", {}, inside));
  if (name === "table") return element("div", { class: "table", tabindex: "0" }, element("table", {}, inside));
  const own = { start: facts.start ?? null, class: facts.align ?? null };
  return element(NAMES.has(name) ? name : "span", own, inside);
}

function link({ href, source, chunk }, inside, look) {
  if (source) return element("a", { href: addressOf({ ...look, source, chunk: String(chunk) }) }, inside);
  return href && leadsOut(href) ? element("a", { href, rel: "noreferrer", class: "out" }, inside) : element("span", {}, inside);
}
