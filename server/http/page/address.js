// What is looked at, as it stands in the page's address: a search can be linked, and Back works.

export const FILTERS = ["section", "tag", "year"];
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

// The filters as the server has them: a year is its days.
export const filtersOf = ({ section, tag, year }) =>
  Object.fromEntries(Object.entries({ section, tag, after: year, before: year }).filter(([, value]) => value));
