// Elements from data. Text only ever becomes a text node, so that nothing in a post is markup.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

// The characters of `text` from `start` to `end`, those inside `marks` as <mark>.
export function marked(text, marks, start = 0, end = text.length) {
  const nodes = [];
  let at = start;
  for (const [from, to] of marks) {
    if (to <= at || from >= end) continue;
    const first = Math.max(from, at);
    const last = Math.min(to, end);
    if (first > at) nodes.push(text.slice(at, first));
    nodes.push(element("mark", {}, text.slice(first, last)));
    at = last;
  }
  if (at < end) nodes.push(text.slice(at, end));
  return nodes;
}

// Facts on one line, with a dot between them.
export function dotted(...facts) {
  return facts
    .filter((fact) => fact !== null)
    .flatMap((fact, place) => (place ? [element("span", { class: "dot", "aria-hidden": "true" }, " · "), fact] : [fact]));
}

// What comes from posts and from a site's settings is a link only where it leads to a page.
export const leadsOut = (url) => /^https?:\/\//i.test(url);
