// The list: what a look finds, how sure that is, and what to say if nothing can be found.

import { asked, filtersOf } from "./address.js";
import { ask, Refused, token } from "./ask.js";
import { element } from "./elements.js";
import { hitEntry, postEntry } from "./hits.js";
import { decimal, say, speak } from "./words.js";

const PER_PAGE = 10;

const at = (id) => document.getElementById(id);
const hits = at("hits");

let shown = null; // which question the list answers
let next = null; // where its next page begins
let searching = new AbortController();

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
    const page = look.q ? await found(look, offset, signal) : await listed(look, offset, signal);
    if (!offset) hits.replaceChildren();
    hits.append(...page.entries);
    [shown, next] = [asked(look), page.next];
    tell(page.count, page.confidence, page.certainty);
    warn(page.notice);
  } catch (error) {
    failed(error, () => list(look, offset));
  } finally {
    if (!signal.aborted) at("results").removeAttribute("aria-busy");
    at("more").hidden = next === null;
  }
}

async function found(look, offset, signal) {
  const page = await ask("search", { query: look.q, top_k: PER_PAGE, offset, ...filtersOf(look) }, signal);
  const count = page.total ? say("passages", { n: page.total }) : say("no-hits");
  const entries = page.hits.map((hit, place) => hitEntry(hit, look, offset + place + 1));
  return { ...page, entries, count, next: page.next_offset };
}

async function listed(look, offset, signal) {
  const page = await ask("posts", { limit: PER_PAGE, offset, ...filtersOf(look) }, signal);
  const count = page.total ? say("newest", { n: page.total }) : say("no-posts");
  const entries = page.posts.map((post, place) => postEntry(post, look, offset + place + 1));
  return { entries, count, next: page.next_offset, notice: null };
}

function tell(count, confidence, certainty) {
  const isSure = Boolean(confidence) && hits.childElementCount > 0;
  at("count").textContent = count;
  at("sure").hidden = !isSure;
  at("sure").textContent = isSure ? say("confidence", { level: say(confidence), value: decimal(certainty, 2) }) : "";
}

// Said once: a notice that stands in every answer must not be read aloud at every key.
function warn(sentence, again) {
  if (!again && (sentence ?? "") === at("notice").textContent.trim()) return;
  const retry = again ? element("button", { type: "button" }, say("again")) : null;
  retry?.addEventListener("click", again);
  at("notice").replaceChildren(...(sentence ? [element("p", { class: "notice", lang: "en" }, sentence, " ", retry)] : []));
}

export function failed(error, again) {
  if (error.name === "AbortError") return;
  if (!(error instanceof Refused)) throw error;
  if (error.status === 401) {
    at("door-why").textContent = token() ? error.message : "";
    speak(navigator.language); // that of the blog is not known yet
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
