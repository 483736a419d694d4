// Markdown dressed, not rendered: every character of the author's stays where it is, and what is
// only a sign steps back. So marks fall where the search saw them, and nothing can go missing.

import { element, marked } from "./elements.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}\s/;
const TABLE = /^\s*\|/;
const LINES = /^\s*(?:[-*+]|\d+[.)]|>)\s|^ {4}|^\t/;
const INLINE =
  /(?<tick>`{1,3})(?<code>[^`]{1,300})\k<tick>|(?<sign>\*\*|__)(?=\S)(?<strong>[^*_]{1,300})\k<sign>|(?<![\w*])\*(?=[^\s*])(?<em>[^*\n]{1,300})\*(?![\w*])|\[(?<label>[^\][\n]{1,300})\](?<target>\([^()\s]{0,600}\))/g;

export function dressed(text, marks) {
  return blocks(text).map(({ kind, start, end }) => {
    if (kind === "code") return element("pre", { tabindex: "0" }, marked(text, marks, start, end));
    if (kind === "table") return element("div", { class: "table", tabindex: "0" }, rows(text, marks, start, end));
    return element("p", { class: kind }, inline(text, marks, start, end, kind));
  });
}

// Runs of lines of one kind, in order, as { kind, start, end }.
function blocks(text) {
  const found = [];
  let fence = null;
  let open = null;
  let at = 0;
  for (const line of text.split("\n")) {
    const [start, end] = [at, at + line.length];
    at = end + 1;
    const kind = fence ? "code" : kindOf(line);
    if (fence && line.trim().startsWith(fence) && !line.trim().slice(fence.length).trim()) fence = null;
    else if (!fence && kind === "code") fence = FENCE.exec(line)[1];
    if (kind === null) open = null;
    else if (open && kind !== "heading" && joins(open.kind, kind)) open.end = end;
    else found.push((open = { kind, start, end }));
    if (kind === "heading" || (kind === "code" && !fence)) open = null;
  }
  return found;
}

function kindOf(line) {
  if (!line.trim()) return null;
  if (FENCE.test(line)) return "code";
  if (HEADING.test(line)) return "heading";
  if (TABLE.test(line)) return "table";
  return LINES.test(line) ? "lines" : "prose";
}

// A table's lines, the signs between its cells kept; each cell begins with its sign.
function rows(text, marks, start, end) {
  const made = [];
  for (let from = start; from < end; ) {
    const to = Math.min(end, (text.indexOf("\n", from) + 1 || end + 1) - 1);
    const line = text.slice(from, to);
    const ends = [...line.matchAll(/(?<!\\)\|/g)].map((sign) => from + sign.index).concat(to);
    const cells = ends.slice(1).map((cellEnd, place) => element("span", {}, inline(text, marks, ends[place], cellEnd, "cell")));
    made.push(element("div", { class: /^[\s|:-]+$/.test(line) ? "rule" : null }, cells));
    from = to + 1;
  }
  return made;
}

const joins = (before, kind) => before === kind || (before === "lines" && kind === "prose");

function inline(text, marks, start, end, kind) {
  const nodes = [];
  let at = start;
  const plain = (to) => {
    nodes.push(...marked(text, marks, at, to));
    at = to;
  };
  const dress = (to, name) => {
    nodes.push(element(name === "sign" ? "span" : name, name === "sign" ? { class: "sign" } : {}, marked(text, marks, at, to)));
    at = to;
  };
  if (kind === "heading") dress(start + text.slice(start, end).search(/[^#\s]|$/), "sign");
  if (kind === "cell" && start < end) dress(start + 1, "sign");
  INLINE.lastIndex = at;
  for (let found; (found = INLINE.exec(text)) && found.index + found[0].length <= end; ) {
    const { tick, code, sign, strong, em, label } = found.groups;
    const [before, inside, name] = tick ? [tick, code, "code"] : sign ? [sign, strong, "strong"] : em ? ["*", em, "em"] : ["[", label, "u"];
    plain(found.index);
    dress(at + before.length, "sign");
    dress(at + inside.length, name);
    dress(found.index + found[0].length, "sign");
  }
  plain(end);
  return nodes;
}
