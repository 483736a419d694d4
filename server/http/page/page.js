// The search page: what is typed or clicked becomes a look, a look becomes what is shown.

import { ask, keepToken, Refused } from "./ask.js";
import { answers, failed, forget, list, more } from "./list.js";
import { addressOf, dotted, element, FILTERS, looked, told } from "./parts.js";
import { passage, way } from "./passage.js";
import { dated, numbered, say, speak } from "./words.js";

const PAUSE = 150; // milliseconds without a key before a search: a fast typist's are 100 apart

const at = (id) => document.getElementById(id);
const box = at("query");
const hits = at("hits");
const opened = at("passage");

let reading = new AbortController();
let timer = 0;
let composing = false;

// Make what is shown that of the page's address.
async function show() {
  const look = looked();
  document.title = look.q ? say("title", { query: look.q }) : say("search-blog");
  if (box.value.trim() !== look.q && !composing) box.value = look.q;
  for (const name of FILTERS) at(name).value = chosen(at(name), look[name]);
  at("clear").hidden = !FILTERS.some((name) => look[name]);
  await Promise.all([answers(look) ? null : list(look), look.source ? open(look) : close()]);
  point(look);
}

// A value that the index does not offer is a choice all the same.
function chosen(field, value) {
  if (field.tagName === "SELECT" && ![...field.options].some((option) => option.value === value)) {
    field.append(element("option", { value }, value));
  }
  return value;
}

async function open(look) {
  reading.abort();
  reading = new AbortController();
  try {
    enter(await passage(look, reading.signal));
    at("passage-title").focus({ preventScroll: true });
    turnTo(opened.querySelector(".asked"));
  } catch (error) {
    if (!(error instanceof Refused) || error.status === 401) return failed(error);
    enter([way(look), told(error.message, null, "alert")]);
  }
}

function enter(nodes) {
  opened.replaceChildren(...nodes);
  opened.hidden = false;
  document.body.classList.add("reading");
}

// Bring the passage and its first mark into view; in a column of its own nothing else moves.
function turnTo(chunk) {
  const before = scrollY;
  (chunk.previousElementSibling ? chunk : opened).scrollIntoView();
  chunk.querySelector("mark")?.scrollIntoView({ block: "nearest" });
  if (matchMedia("(min-width: 68rem)").matches) scrollTo(0, before);
}

function close() {
  reading.abort();
  if (opened.hidden) return;
  opened.hidden = true;
  opened.replaceChildren();
  document.body.classList.remove("reading");
  (hits.querySelector("[aria-current]") ?? box).focus();
}

// The entry that stands open is the list's current one.
function point(look) {
  const href = look.source ? addressOf(look) : null;
  for (const link of hits.querySelectorAll("a.open")) {
    if (link.getAttribute("href") === href) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

function go(address, replaces = false) {
  history[replaces ? "replaceState" : "pushState"](null, "", address);
  return show();
}

// What stands in the form, as an address; typing on is no new place to come back to.
function ofForm() {
  clearTimeout(timer);
  const look = { q: box.value.trim(), source: "", chunk: "" };
  for (const name of FILTERS) look[name] = at(name).value.trim();
  const address = addressOf(look);
  if (address !== location.pathname + location.search) go(address, Boolean(looked().q) === Boolean(look.q) && !looked().source);
}

function typed() {
  clearTimeout(timer);
  if (!composing) timer = setTimeout(ofForm, PAUSE);
}

function move(key) {
  const links = [...hits.querySelectorAll("a.open")];
  const place = links.indexOf(document.activeElement);
  const steps = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: links.length - 1 };
  const onBox = document.activeElement === box;
  if (place < 0 && !(onBox && key === "ArrowDown")) return false;
  const target = steps[key] < 0 ? box : links[steps[key]];
  target?.focus();
  target?.closest("li")?.scrollIntoView({ block: "nearest" });
  return Boolean(target);
}

function pressed(event) {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const { key, target } = event;
  const writes = target.matches("input, select, textarea");
  if (key === "/" && !writes) {
    event.preventDefault();
    box.focus();
    box.select();
  } else if (key === "Escape" && !opened.hidden) {
    event.preventDefault();
    go(addressOf({ ...looked(), source: "", chunk: "" }));
  } else if (key === "Escape" && hits.contains(target)) {
    box.focus();
  } else if (["ArrowDown", "ArrowUp", "Home", "End"].includes(key) && move(key)) {
    event.preventDefault();
  }
}

function clicked(event) {
  const link = event.target.closest("a[href='/'], a[href^='/?']");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  point({});
  link.setAttribute("aria-current", "true");
  go(link.getAttribute("href"));
}

// The index's state, below everything.
function describe(index) {
  const names = index.languages.map(([language, posts]) => `${language} ${posts}`).join(", ");
  const made = element("time", { datetime: index.created, title: index.created }, say("read", { when: dated(index.created.slice(0, 10)) }));
  const counts = [say("posts", { n: index.posts }), say("chunks", { n: index.chunks })];
  const notice = index.notice ? [told(index.notice)] : [];
  at("index").replaceChildren(element("p", {}, dotted(...counts, names || null, index.embedder, made)), ...notice);
}

function offer(field, names) {
  const chosen = field.value;
  const options = names.map(([name, posts]) => element("option", { value: name }, `${name} (${numbered(posts)})`));
  field.replaceChildren(element("option", { value: "" }, say("all")), ...options);
  field.value = chosen;
}

async function begin() {
  try {
    const index = await ask("index", {});
    at("door").hidden = true;
    at("main").hidden = false;
    if (index.site) at("blog").textContent = say("search-site", { site: index.site.replace(/^https?:\/\//, "") });
    describe(index);
    offer(at("section"), index.sections);
    offer(at("year"), index.years);
    at("tags").replaceChildren(...index.tags.map(([name, posts]) => element("option", { value: name }, say("posts", { n: posts }))));
  } catch (error) {
    failed(error, begin);
    return;
  }
  forget();
  await show();
}

box.addEventListener("compositionstart", () => (composing = true));
box.addEventListener("compositionend", () => {
  composing = false;
  typed();
});
box.addEventListener("input", typed);
for (const name of FILTERS) at(name).addEventListener("change", ofForm);
at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  ofForm();
});
at("clear").addEventListener("click", () => {
  for (const name of FILTERS) at(name).value = "";
  ofForm();
  box.focus();
});
at("more").addEventListener("click", () => more(looked()));
at("door").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken(at("token").value);
  begin();
});
document.addEventListener("keydown", pressed);
document.addEventListener("click", clicked);
addEventListener("popstate", show);
if (!looked().source) box.focus();
speak(navigator.language);
begin();
