/**
 * Parses and writes the query part of an address for the router [dashboard.addresses]: texts, and lists of texts for
 * repeated names. Nothing is quoted or parsed as JSON, so that addresses stay readable. Pure.
 */

export type Search = Record<string, string | string[]>;

export function parseSearch(text: string): Search {
  const found: Search = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const known = Object.hasOwn(found, name) ? found[name] : undefined;
    // never a name that every object inherits
    if (name === "__proto__") continue;
    found[name] = known === undefined ? value : [known, value].flat();
  }
  return found;
}

/** Drops empty values: null, undefined, "", and empty lists. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const each of [value].flat()) {
      if (each !== null && each !== undefined && each !== "") written.append(name, String(each));
    }
  }
  // commas and colons need no escaping there, and people read addresses
  const text = written.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return text === "" ? "" : `?${text}`;
}

/** The parameter's single text, or null. */
export const oneOf = (search: Readonly<Record<string, unknown>>, name: string): string | null => {
  const [first] = [search[name]].flat();
  return typeof first === "string" && first !== "" ? first : null;
};

/** All texts of the parameter. */
export const allOf = (search: Readonly<Record<string, unknown>>, name: string): string[] =>
  [search[name]].flat().filter((each): each is string => typeof each === "string" && each !== "");
