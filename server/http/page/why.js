// Why a hit is here: the terms of its score, in words.

import { element, marked } from "./elements.js";

const KINDS = {
  passage: "Words in its best passage",
  post: "Words in the whole post",
  several: "Words in its best passages together",
  about: "Words in the author’s description",
  meaning: "Nearness in meaning of its nearest passage",
  opening: "Nearness in meaning of its beginning",
  gated_meaning: "Nearness of its nearest passage, where words are missing",
  gated_opening: "Nearness of its beginning, where words are missing",
};

const SURE = {
  high: "The search found as much of this as of questions that the blog answers.",
  medium: "The search found somewhat less of this than of most questions that the blog answers. Read before you rely on it.",
  low: "The search found far less of this than of questions that the blog answers. The hits are the nearest there is; the blog may hold nothing on this.",
};

export const sure = (confidence, certainty) =>
  `${SURE[confidence] ?? ""} (Estimated probability of an answer: ${certainty.toFixed(2)}.)`;

export function why(hit, query) {
  const inside = element("div", { class: "reasons" });
  const details = element(
    "details",
    { class: "why", lang: "en" },
    element("summary", {}, "Why this hit", element("span", { class: "unseen" }, `, ${hit.title}`), score(hit.score)),
    inside,
  );
  details.addEventListener("toggle", () => inside.childElementCount || inside.append(...told(hit, query)));
  return details;
}

function score(value) {
  return element(
    "span",
    { class: "score" },
    element("span", { class: "unseen" }, ", score "),
    bar(value),
    value.toFixed(2),
  );
}

function told(hit, query) {
  const words = element("p", { class: "asked" }, "You asked: ", element("q", {}, marked(query, hit.answered)), ". ");
  words.append(hit.answered.length ? "What is marked stands in this passage." : "None of its words stand in this passage; it is here for the post around it or for its meaning.");
  return [words, table(hit), element("p", {}, ...alone(hit))];
}

function table(hit) {
  const rows = hit.reasons.map(({ kind, share, value }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, KINDS[kind] ?? kind),
      element("td", {}, bar(value), value.toFixed(2)),
      element("td", {}, `${Math.round(share * 100)} %`),
      element("td", {}, (share * value).toFixed(3)),
    ),
  );
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...["What speaks for the post", "How strongly", "Counts", "Adds"].map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, rows),
    element("tfoot", {}, element("tr", {}, element("th", { scope: "row", colspan: "3" }, "Together: the post’s score, of 1"), element("td", {}, hit.own_score.toFixed(3)))),
  );
}

function alone(hit) {
  const said = [];
  const ratio = hit.own_score ? hit.score / hit.own_score : 1;
  if (ratio < 0.9995) said.push(`This is a further passage of the post, worth ${ratio.toFixed(2)} of that: ${hit.score.toFixed(3)}. `);
  if (ratio > 1.0005) said.push(`A translation of this post scores higher, and lends it its place: ${hit.score.toFixed(3)}. `);
  said.push(`This passage alone holds ${(hit.lexical ?? 0).toFixed(2)} of the words’ weight, `);
  said.push(hit.dense === null ? "and meaning was not asked." : `and is ${Math.abs(hit.dense).toFixed(2)} ${hit.dense < 0 ? "farther from" : "nearer to"} your query in meaning (cosine) than the blog on average.`);
  return said;
}

function bar(value) {
  const made = element("span", { class: "bar", "aria-hidden": "true" });
  made.style.setProperty("--value", Math.min(Math.max(value, 0), 1));
  return made;
}
