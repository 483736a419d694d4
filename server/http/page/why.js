// Why a hit is here: the terms of its score, in words.

import { element, marked } from "./elements.js";
import { decimal, language, say } from "./words.js";

export const sure = (confidence, certainty) =>
  `${say(`sure-${confidence}`)} ${say("certainty", { value: decimal(certainty, 2) })}`;

export function why(hit, query) {
  const inside = element("div", { class: "reasons" });
  const details = element(
    "details",
    { class: "why", lang: language() },
    element("summary", {}, say("why"), element("span", { class: "unseen" }, say("why-name", { title: hit.title })), score(hit.score)),
    inside,
  );
  details.addEventListener("toggle", () => inside.childElementCount || inside.append(...told(hit, query)));
  return details;
}

function score(value) {
  return element(
    "span",
    { class: "score" },
    element("span", { class: "unseen" }, say("score")),
    bar(value),
    decimal(value, 2),
  );
}

function told(hit, query) {
  const [before, after] = say("asked", { query: "\0" }).split("\0");
  const words = element("p", { class: "asked" }, before, element("q", {}, marked(query, hit.answered)), after);
  words.append(say(hit.answered.length ? "words-here" : "words-missing"));
  return [words, table(hit), element("p", {}, ...alone(hit))];
}

function table(hit) {
  const rows = hit.reasons.map(({ kind, share, value }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, say(kind)),
      element("td", {}, bar(value), decimal(value, 2)),
      element("td", {}, `${Math.round(share * 100)} %`),
      element("td", {}, decimal(share * value, 3)),
    ),
  );
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...["speaks", "strongly", "counts", "adds"].map((name) => element("th", { scope: "col" }, say(name))))),
    element("tbody", {}, rows),
    element("tfoot", {}, element("tr", {}, element("th", { scope: "row", colspan: "3" }, say("together")), element("td", {}, decimal(hit.own_score, 3)))),
  );
}

function alone(hit) {
  const ratio = hit.own_score ? hit.score / hit.own_score : 1;
  const score = decimal(hit.score, 3);
  const nearness = hit.dense === null ? "no-meaning" : hit.dense < 0 ? "farther" : "nearer";
  return [
    ratio < 0.9995 ? say("further", { ratio: decimal(ratio, 2), score }) : "",
    ratio > 1.0005 ? say("lifted", { score }) : "",
    say("alone", { value: decimal(hit.lexical ?? 0, 2) }),
    say(nearness, { value: decimal(Math.abs(hit.dense ?? 0), 2) }),
  ];
}

function bar(value) {
  const made = element("span", { class: "bar", "aria-hidden": "true" });
  made.style.setProperty("--value", Math.min(Math.max(value, 0), 1));
  return made;
}
