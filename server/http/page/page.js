// The search page: its address tells what is looked for and read, and each change of it is shown.

import { addressOf, dotted, element, entry, FILTERS, looked, passage, told, way } from "./elements.js";
import { dated, numbered, say } from "./words.js";

const PAUSE = 150; // milliseconds without a key before a search: a fast typist's are 100 apart
const PER_PAGE = 10;
const TOKEN = "blog-search-mcp-token";

const at = (id) => document.getElementById(id);
const [box, hits, opened] = [at("query"), at("hits"), at("passage")];

let reading = new AbortController();
let searching = new AbortController();
let timer = 0;
let listed = null; // the look that the list answers
let next = null; // where its next page begins

const refusal = (sentence, status = 0) => Object.assign(new Error(sentence), { status });

// Ask the server, by POST so that it sees which page asks.
async function ask(question, given, signal) {
  const headers = { "Content-Type": "application/json" };
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  try {
    const answer = await fetch(`api/${question}`, { method: "POST", headers, body: JSON.stringify(given), signal });
    const facts = await answer.json();
    if (answer.ok) return facts;
    throw refusal(facts.error, answer.status);
  } catch (error) {
    throw "status" in error || error.name === "AbortError" ? error : refusal(say("unreachable"));
  }
}

// Make what is shown that of the page's address.
async function show() {
  const look = looked();
  document.title = look.q ? say("title", { query: look.q }) : say("search-blog");
  if (box.value.trim() !== look.q) box.value = look.q;
  for (const name of FILTERS) at(name).value = look[name];
  at("clear").hidden = !FILTERS.some((name) => look[name]);
  await Promise.all([listed === listOf(look) ? null : list(look), look.source ? open(look) : close()]);
  point(look);
}

// What of a look decides which hits there are.
const listOf = (look) => addressOf({ ...look, source: "", chunk: "" });

// Show the hits or posts of a look, from `offset` on; what is still being asked is forgotten.
async function list(look, offset = 0) {
  searching.abort();
  searching = new AbortController();
  const { signal } = searching;
  at("results").setAttribute("aria-busy", "true");
  const [section, tag, year] = FILTERS.map((name) => look[name] || null);
  const filters = { section, tag, after: year, before: year, offset };
  try {
    const page = look.q
      ? await ask("search", { query: look.q, top_k: PER_PAGE, ...filters }, signal)
      : await ask("posts", { limit: PER_PAGE, ...filters }, signal);
    if (!offset) hits.replaceChildren();
    hits.append(...(page.hits ?? page.posts).map((post, place) => entry(post, look, offset + place + 1)));
    [listed, next] = [listOf(look), page.next_offset];
    const count = say(page.total ? (look.q ? "passages" : "newest") : look.q ? "no-hits" : "no-posts", { n: page.total });
    tell(count, page.notice ?? "", null, page.confidence);
  } catch (error) {
    failed(error);
  }
  if (!signal.aborted) at("results").removeAttribute("aria-busy");
  at("more").hidden = next === null;
}

// A notice that stands in every answer is not read aloud at every key.
function tell(count, notice, role = null, kind = "") {
  at("count").textContent = count;
  if (notice !== at("notice").textContent) at("notice").replaceChildren(...(notice ? [told(notice, role, kind)] : []));
}

function failed(error) {
  if (error.name === "AbortError") return;
  if (!("status" in error)) throw error;
  [listed, next] = [null, null];
  hits.replaceChildren();
  if (error.status !== 401) return tell("", error.message, "alert");
  at("door-why").textContent = sessionStorage.getItem(TOKEN) ? error.message : "";
  at("door").hidden = false;
  at("main").hidden = true;
  at("token").focus();
}

async function open(look) {
  reading.abort();
  reading = new AbortController();
  const { signal } = reading;
  let nodes;
  try {
    nodes = await passage(look, (given) => ask("passage", given, signal));
  } catch (error) {
    if (!error.status || error.status === 401) return failed(error);
    nodes = [way(look, null), told(error.message, "alert")];
  }
  opened.replaceChildren(...nodes);
  opened.hidden = false;
  at("passage-title")?.focus({ preventScroll: true });
  turnTo(opened.querySelector(".asked"));
}

// Bring the passage and its first mark into view; in a column of its own nothing else moves.
function turnTo(chunk) {
  const before = scrollY;
  (chunk?.previousElementSibling ? chunk : opened).scrollIntoView();
  chunk?.querySelector("mark")?.scrollIntoView({ block: "nearest" });
  if (matchMedia("(min-width: 68rem)").matches) scrollTo(0, before);
}

function close() {
  reading.abort();
  if (opened.hidden) return;
  opened.hidden = true;
  opened.replaceChildren();
  (hits.querySelector("[aria-current]") ?? box).focus();
}

// The entry that stands open is the list's current one.
function point(look) {
  hits.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const open = [...hits.querySelectorAll("a.open")].find((link) => link.getAttribute("href") === addressOf(look));
  if (look.source) open?.setAttribute("aria-current", "true");
}

function go(address, replaces = false) {
  history[replaces ? "replaceState" : "pushState"](null, "", address);
  show();
}

// What stands in the form, as an address; typing on is no new place to come back to.
function ofForm() {
  clearTimeout(timer);
  const look = { q: box.value.trim() };
  for (const name of FILTERS) look[name] = at(name).value.trim();
  const before = looked();
  if (addressOf(look) !== listed || before.source) go(addressOf(look), Boolean(before.q) === Boolean(look.q) && !before.source);
}

function typed(event) {
  clearTimeout(timer);
  if (!event.isComposing) timer = setTimeout(ofForm, PAUSE);
}

function move(key) {
  const stops = [box, ...hits.querySelectorAll("a.open")];
  const place = stops.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  const target = step && place >= 0 ? stops[place + step] : null;
  target?.focus();
  target?.closest("li")?.scrollIntoView({ block: "nearest" });
  return Boolean(target);
}

function pressed(event) {
  const { key, target } = event;
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === "/" && !target.matches("input, select")) box.select();
  else if (key === "Enter" && target === box) ofForm();
  else if (key === "Escape" && !opened.hidden) go(listOf(looked()));
  else if (key === "Escape" && hits.contains(target)) box.focus();
  else if (!move(key)) return;
  event.preventDefault();
}

function clicked(event) {
  const link = event.target.closest("a[href='./'], a[href^='?']");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.getAttribute("href"));
}

// The index's state stands below everything, and what may be chosen in the form.
function describe(index) {
  const counts = [say("posts", { n: index.posts }), say("chunks", { n: index.chunks })];
  const made = say("read", { when: dated(index.created.slice(0, 10)) });
  const notice = index.notice ? [told(index.notice)] : [];
  at("index").replaceChildren(element("p", {}, dotted(...counts, made)), ...notice);
  if (index.site) at("blog").textContent = say("search-site", { site: index.site.replace(/^https?:\/\//, "") });
  const offers = { section: index.sections, year: index.years, tags: index.tags };
  for (const [field, names] of Object.entries(offers)) {
    at(field).closest("label")?.toggleAttribute("hidden", names.length < 2);
    at(field).append(...names.map(([name, posts]) => element("option", { value: name }, `${name} (${numbered(posts)})`)));
  }
}

async function begin() {
  try {
    describe(await ask("index", {}));
  } catch (error) {
    return failed(error);
  }
  at("door").hidden = true;
  at("main").hidden = false;
  await show();
}

box.addEventListener("compositionend", typed);
box.addEventListener("input", typed);
for (const name of FILTERS) at(name).addEventListener("change", ofForm);
at("clear").addEventListener("click", () => {
  for (const name of FILTERS) at(name).value = "";
  ofForm();
  box.focus();
});
at("more").addEventListener("click", () => list(looked(), next));
at("door").addEventListener("submit", (event) => {
  event.preventDefault();
  // A header carries ASCII alone, and no token has anything else.
  sessionStorage.setItem(TOKEN, at("token").value.trim().replace(/[^!-~]/g, "?"));
  begin();
});
document.addEventListener("keydown", pressed);
document.addEventListener("click", clicked);
addEventListener("popstate", show);
at("filters").open = matchMedia("(min-width: 40rem)").matches || FILTERS.some((name) => looked()[name]);
if (!looked().source) box.focus();
begin();
