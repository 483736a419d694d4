// What is looked at, as it stands in the page's address: a search can be linked, and Back works.

export const FILTERS = ["section", "tag", "after", "before"];
const NAMES = ["q", ...FILTERS, "source", "chunk"];

export function looked() {
  const parameters = new URLSearchParams(location.search);
  return Object.fromEntries(NAMES.map((name) => [name, parameters.get(name) ?? ""]));
}

export function addressOf(look) {
  const parameters = new URLSearchParams();
  for (const name of NAMES) if (look[name]) parameters.set(name, look[name]);
  const written = parameters.toString();
  return written ? `/?${written}` : "/";
}

// What of a look decides which hits there are.
export const asked = (look) => JSON.stringify(["q", ...FILTERS].map((name) => look[name]));

export const filtersOf = (look) =>
  Object.fromEntries(FILTERS.filter((name) => look[name]).map((name) => [name, look[name]]));
