// The index's state, and what of it may be chosen among.

import { addressOf } from "./address.js";
import { dotted, element } from "./elements.js";
import { dated, numbered, say } from "./words.js";

const OFTEN = 8; // tags that stand below the filters; the others are offered where one is typed

export function showIndex(index, place) {
  const names = index.languages.map(([language, posts]) => `${language} ${posts}`).join(", ");
  const facts = dotted(
    say("posts", { n: index.posts }),
    say("chunks", { n: index.chunks }),
    names || null,
    index.embedder,
    element("time", { datetime: index.created, title: index.created }, say("read", { when: dated(index.created.slice(0, 10)) })),
    say("generation", { n: index.generation }),
  );
  const notice = index.notice ? element("p", { class: "notice", lang: "en" }, index.notice) : null;
  place.replaceChildren(...[element("p", {}, ...facts), notice].filter(Boolean));
}

export function offer(index, sections, years, tags) {
  choose(sections, index.sections);
  choose(years, index.years);
  offered = index.tags.map(([name]) => name);
  tags.replaceChildren(...index.tags.map(([name, posts]) => element("option", { value: name }, say("posts", { n: posts }))));
}

let offered = [];

function choose(field, names) {
  const chosen = field.value;
  const options = names.map(([name, posts]) => element("option", { value: name }, `${name} (${numbered(posts)})`));
  field.replaceChildren(element("option", { value: "" }, say("all")), ...options);
  field.value = chosen;
}

// The tags that most posts have, each a link that filters by it; that of the one chosen takes it away.
export function showOften(look, place) {
  const links = offered.slice(0, OFTEN).map((tag) => {
    const isChosen = look.tag.toLowerCase() === tag;
    const href = addressOf({ ...look, source: "", chunk: "", tag: isChosen ? "" : tag });
    return element("a", { href, class: "tag", "aria-current": isChosen && "true" }, tag);
  });
  place.hidden = !links.length;
  place.replaceChildren(...links);
}
