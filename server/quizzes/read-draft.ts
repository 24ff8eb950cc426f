import { withFallbacks } from "../../engine/recall.ts";

/** Reads a document that may be a draft, and so invalid: unreadable parts are skipped. */

export type Fields = Readonly<Record<string, unknown>>;

const objectsIn = (value: unknown): Fields[] =>
  Array.isArray(value)
    ? value.filter((entry): entry is Fields => typeof entry === "object" && entry !== null && !Array.isArray(entry))
    : [];

export const fieldsOf = (document: unknown): Fields => objectsIn([document])[0] ?? {};

/** A list's entries that have this key; entries without it cannot be referred to. */
export const keyed = (value: unknown, key: string): Fields[] =>
  objectsIn(value).filter((entry) => typeof entry[key] === "string");

/** A text of the document as it is read where no shopper is [engine.recall-fallbacks]. */
export const wording = (value: unknown): string => withFallbacks(text(value));

export const text = (value: unknown): string => (typeof value === "string" ? value : "");
