// The index's state, and what of it may be chosen among.

import { counted, dotted, element } from "./elements.js";

const AGES = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

export function showIndex(index, place) {
  const names = index.languages.map(([language, posts]) => `${language} ${posts}`).join(", ");
  const facts = dotted(
    counted(index.posts, "post", "posts"),
    counted(index.chunks, "chunk", "chunks"),
    names || null,
    index.embedder,
    element("span", {}, "read ", element("time", { datetime: index.created, title: index.created }, age(index.created))),
    `generation ${index.generation}`,
  );
  const notice = index.notice ? element("p", { class: "notice" }, index.notice) : null;
  place.replaceChildren(...[element("p", {}, ...facts), notice].filter(Boolean));
}

export function offer(index, sections, tags, days) {
  const chosen = sections.value;
  sections.replaceChildren(
    element("option", { value: "" }, "All"),
    ...index.sections.map(([name, posts]) => element("option", { value: name }, `${name} (${posts})`)),
  );
  sections.value = chosen;
  tags.replaceChildren(...index.tags.map(([name, posts]) => element("option", { value: name }, counted(posts, "post", "posts"))));
  for (const day of days) {
    day.min = index.first_day ?? "";
    day.max = index.last_day ?? "";
  }
}

function age(created) {
  const seconds = (Date.now() - Date.parse(created)) / 1000;
  const [unit, size] = AGES.find(([, length]) => seconds >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-Math.round(seconds / size), unit);
}
