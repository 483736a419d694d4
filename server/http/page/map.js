// The map: the server's trees of SVG as elements, moved through with the arrow keys, and the same posts as lists.

import { ask } from "./ask.js";
import { element } from "./elements.js";
import { numbered, say, speak } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const NAMES = new Set("svg g a circle rect line text title desc".split(" "));
const ASIDE = 2; // how much farther a dot counts that lies aside of the arrow's way

const place = document.getElementById("maps");

function drawn([name, facts, ...children]) {
  const made = document.createElementNS(SVG, NAMES.has(name) ? name : "g");
  for (const [key, value] of Object.entries(facts)) made.setAttribute(key, value);
  made.append(...children.map((child) => (typeof child === "string" ? child : drawn(child))));
  return made;
}

function shown({ blog, map, years, subjects, counts, missing }) {
  const picture = drawn(map);
  const dots = [...picture.querySelectorAll(".dots a")];
  const told = element("p", { class: "told", "aria-hidden": "true" }, "\u00a0");
  const figure = element("figure", {}, picture, told);
  follow(figure, dots, told);
  return element(
    "section",
    {},
    blog && element("h2", {}, blog),
    figure,
    missing ? element("p", { class: "notice" }, say("map-missing", { n: missing })) : null,
    element("h2", {}, say("map-list")),
    ...subjects.map(([name, count], subject) => listed(name, count, subject, dots)),
    ...(years ? [element("h2", {}, say("map-years")), element("figure", {}, drawn(years)), table(subjects, counts)] : []),
  );
}

// One dot can be reached with Tab, the others with the arrow keys; what is pointed at is named below.
// An SVG that listens for the focus would take it itself.
function follow(figure, dots, told) {
  const at = new Map(dots.map((dot) => [dot, ["cx", "cy"].map((key) => Number(dot.lastChild.getAttribute(key)))]));
  const tell = ({ target }) => {
    const dot = target.closest("a");
    if (dot) told.textContent = dot.firstChild.textContent;
  };
  for (const dot of dots) dot.setAttribute("tabindex", dot === dots.at(-1) ? "0" : "-1");
  figure.addEventListener("pointerover", tell);
  figure.addEventListener("focusin", tell);
  figure.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const from = event.target.closest("a");
    if (!way || !from) return;
    event.preventDefault();
    const far = (dot) => {
      const [x, y] = at.get(dot).map((value, axis) => value - at.get(from)[axis]);
      const ahead = x * way[0] + y * way[1];
      return ahead > 0 ? ahead + ASIDE * Math.abs(x * way[1] + y * way[0]) : Infinity;
    };
    const next = dots.reduce((best, dot) => (far(dot) < far(best) ? dot : best), from);
    from.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

function listed(name, count, subject, dots) {
  const items = dots
    .filter((dot) => dot.classList.contains(`s${subject}`))
    .reverse()
    .map((dot) => element("li", {}, element("a", { href: dot.getAttribute("href") }, dot.firstChild.textContent)));
  const colour = drawn(["svg", { viewBox: "0 0 10 10", class: "swatch", "aria-hidden": "true" }, ["rect", { width: "10", height: "10", rx: "2", class: `s${subject}` }]]);
  return element("details", {}, element("summary", {}, colour, `${name} (${numbered(count)})`), element("ul", {}, items));
}

function table(subjects, counts) {
  const head = element("tr", {}, element("th", {}, say("subject")), ...counts.map(([year]) => element("th", { scope: "col" }, year)));
  const rows = subjects.map(([name], subject) =>
    element("tr", {}, element("th", { scope: "row" }, name), ...counts.map(([, of]) => element("td", {}, numbered(of[subject])))),
  );
  return element("details", {}, element("summary", {}, say("map-table")), element("div", { class: "table", tabindex: "0" }, element("table", {}, element("thead", {}, head), element("tbody", {}, rows))));
}

async function begin() {
  try {
    speak((await ask("index", {})).language);
    document.title = say("map");
    const { maps } = await ask("map", {});
    place.replaceChildren(...maps.map(shown));
  } catch (error) {
    const way = error.status === 401 ? element("a", { href: "/" }, say("to-search")) : null;
    place.replaceChildren(element("p", { class: "notice", role: "alert", lang: "en" }, error.message, " ", way));
  }
}

begin();
