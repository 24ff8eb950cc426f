/**
 * What stands behind the question mark, as the router has it [dashboard.addresses]: texts, and lists of texts where a name
 * is repeated. Nothing is quoted or parsed as JSON, so that an address reads as people would write it. Pure.
 */

export type Search = Record<string, string | string[]>;

export function parseSearch(text: string): Search {
  const found: Search = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const known = Object.hasOwn(found, name) ? found[name] : undefined;
    // never a name that objects have by birth
    if (name === "__proto__") continue;
    found[name] = known === undefined ? value : [known, value].flat();
  }
  return found;
}

/** Leaves out what is empty: null, undefined, "", and lists without entries. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const each of [value].flat()) {
      if (each !== null && each !== undefined && each !== "") written.append(name, String(each));
    }
  }
  // commas and colons need no escape there, and addresses are read by people
  const text = written.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return text === "" ? "" : `?${text}`;
}

/** One text of the search, or null. */
export const oneOf = (search: Readonly<Record<string, unknown>>, name: string): string | null => {
  const [first] = [search[name]].flat();
  return typeof first === "string" && first !== "" ? first : null;
};

/** Every text of that name. */
export const allOf = (search: Readonly<Record<string, unknown>>, name: string): string[] =>
  [search[name]].flat().filter((each): each is string => typeof each === "string" && each !== "");
