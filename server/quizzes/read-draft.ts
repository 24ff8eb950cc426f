/** Reading a document that may be a draft, which need not be valid: what cannot be read is left out. */

export type Fields = Readonly<Record<string, unknown>>;

const objectsIn = (value: unknown): Fields[] =>
  Array.isArray(value)
    ? value.filter((entry): entry is Fields => typeof entry === "object" && entry !== null && !Array.isArray(entry))
    : [];

export const fieldsOf = (document: unknown): Fields => objectsIn([document])[0] ?? {};

/** A list's entries that have this key, since nothing can be asked about one without. */
export const keyed = (value: unknown, key: string): Fields[] =>
  objectsIn(value).filter((entry) => typeof entry[key] === "string");

export const text = (value: unknown): string => (typeof value === "string" ? value : "");
