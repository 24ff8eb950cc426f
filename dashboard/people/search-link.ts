import { matchModes, termKinds, termOperators } from "../../contract/search-terms.ts";
import {
  type DraftSearch,
  type DraftSlot,
  type DraftTerm,
  personFlags,
  readBody,
  type SearchState,
  writeBody,
} from "./search-state.ts";

/**
 * A search as text for an address [dashboard-people.links]: JSON in base64url, which mail programs and chats neither
 * change nor cut off. They end links at quotes, brackets and full stops.
 */

export const writeSearchText = (state: SearchState): string => textOfBody(writeBody(state));

/** The same for a request body, for links from elsewhere. */
export function textOfBody(body: DraftSearch): string {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Reads a search from text, or null if it is none; unknown parts are dropped. */
export function readSearchText(text: string): SearchState | null {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isObject(body) ? readBody(readDraft(body)) : null;
  } catch {
    return null;
  }
}

/**
 * Longest text in the query part: servers refuse addresses beyond a few thousand characters, so a longer one goes
 * behind `#`, which is never sent to them.
 */
const longestInQuery = 4_000;

export interface SearchPlace {
  search: string | undefined;
  hash: string | undefined;
}

export function placeSearch(state: SearchState): SearchPlace {
  const body = writeBody(state);
  if (Object.keys(body).length === 0) return { search: undefined, hash: undefined };
  const text = textOfBody(body);
  return text.length > longestInQuery ? { search: undefined, hash: text } : { search: text, hash: undefined };
}

export const textAt = (place: SearchPlace): string => place.search ?? place.hash ?? "";

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const keep = (json: Json, field: string, fits: (value: unknown) => boolean): Json =>
  Object.hasOwn(json, field) && fits(json[field]) ? { [field]: json[field] } : {};

const isText = (value: unknown) => typeof value === "string";
const isFlag = (value: unknown) => typeof value === "boolean";
const isOperand = (value: unknown) => typeof value === "string" || typeof value === "number";
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isOneOf = (values: readonly string[]) => (value: unknown) => typeof value === "string" && values.includes(value);

function readDraft(json: Json): DraftSearch {
  const groups = list(json["groups"])
    .filter(isObject)
    .map((group) => ({ all: list(group["all"]).filter(isObject).map(readSlot) }));
  return {
    ...keep(json, "from", isText),
    ...keep(json, "to", isText),
    ...keep(json, "quiz_id", isText),
    ...Object.assign({}, ...personFlags.map((flag) => keep(json, flag, isFlag))),
    ...keep(json, "match", isOneOf(matchModes)),
    ...(Array.isArray(json["groups"]) ? { groups } : {}),
  };
}

function readSlot(slot: Json): DraftSlot {
  return Array.isArray(slot["any"]) ? { any: slot["any"].filter(isObject).map(readTerm) } : readTerm(slot);
}

const termFields: Record<keyof DraftTerm, (value: unknown) => boolean> = {
  quiz_id: isText,
  kind: isOneOf(termKinds),
  op: isOneOf(termOperators),
  page_key: isText,
  component_key: isText,
  dimension_id: isText,
  option_ids: isTexts,
  option_labels: isTexts,
  min: isOperand,
  max: isOperand,
  value: isOperand,
  outcome: isText,
};

const readTerm = (term: Json): DraftTerm =>
  Object.assign({}, ...Object.entries(termFields).map(([field, fits]) => keep(term, field, fits)));
