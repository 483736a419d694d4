// The list: what a look finds, how sure that is, and what to say if nothing can be found.

import { ask, Refused, token } from "./ask.js";
import { entry, FILTERS, told } from "./parts.js";
import { decimal, say } from "./words.js";

const PER_PAGE = 10;

const at = (id) => document.getElementById(id);
const hits = at("hits");

let shown = null; // which question the list answers
let next = null; // where its next page begins
let searching = new AbortController();

// What of a look decides which hits there are.
const asked = (look) => JSON.stringify(["q", ...FILTERS].map((name) => look[name]));

export const answers = (look) => shown === asked(look);
export const more = (look) => list(look, next);
export const forget = () => (shown = null);

// Show the hits or posts of a look, from `offset` on; what is still being asked is forgotten.
export async function list(look, offset = 0) {
  searching.abort();
  searching = new AbortController();
  const { signal } = searching;
  at("results").setAttribute("aria-busy", "true");
  try {
    const page = await found(look, offset, signal);
    if (!offset) hits.replaceChildren();
    hits.append(...(page.hits ?? page.posts).map((post, place) => entry(post, look, offset + place + 1)));
    [shown, next] = [asked(look), page.next_offset];
    tell(say(page.total ? (look.q ? "passages" : "newest") : look.q ? "no-hits" : "no-posts", { n: page.total }), page);
    warn(page.notice ?? "");
  } catch (error) {
    failed(error, () => list(look, offset));
  } finally {
    if (!signal.aborted) at("results").removeAttribute("aria-busy");
    at("more").hidden = next === null;
  }
}

// The server's filters are those of the page, but a year is its days.
function found({ q, section, tag, year }, offset, signal) {
  const filters = { section: section || null, tag: tag || null, after: year || null, before: year || null, offset };
  return q ? ask("search", { query: q, top_k: PER_PAGE, ...filters }, signal) : ask("posts", { limit: PER_PAGE, ...filters }, signal);
}

function tell(count, { confidence, certainty } = {}) {
  const isSure = Boolean(confidence) && hits.childElementCount > 0;
  at("count").textContent = count;
  at("sure").hidden = !isSure;
  at("sure").textContent = isSure ? say("confidence", { level: say(confidence), value: decimal(certainty, 2) }) : "";
}

// Said once: a notice that stands in every answer must not be read aloud at every key.
function warn(sentence, again) {
  if (!again && sentence === at("notice").textContent.trim()) return;
  at("notice").replaceChildren(...(sentence ? [told(sentence, again)] : []));
}

export function failed(error, again) {
  if (error.name === "AbortError") return;
  if (!(error instanceof Refused)) throw error;
  if (error.status === 401) {
    at("door-why").textContent = token() ? error.message : "";
    at("door").hidden = false;
    at("main").hidden = true;
    at("token").focus();
    return;
  }
  [shown, next] = [null, null];
  hits.replaceChildren();
  tell("");
  warn(error.message, again);
}
