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

// A text with its runs inside `marks` as <mark>.
export function marked(text, marks) {
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
