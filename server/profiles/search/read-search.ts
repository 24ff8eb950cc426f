import type { FieldError } from "../../../contract/errors.ts";
import type { ProfileSearch, SearchSlot } from "../../../contract/search.ts";
import { searchLimits } from "../../../contract/search-terms.ts";
import { parseId } from "../../platform/ids.ts";
import { readTerm } from "./read-term.ts";
import type { Search, SessionSpan, Term } from "./terms.ts";
import { separated } from "./words.ts";

const mostErrors = 20;

/**
 * Converts a body that matches the contract into a search, or returns its errors by dotted path under `place` (`body`,
 * or `body.search` for an export) [search.body]. Pure: `check-search.ts` checks quizzes and their contents.
 */
export function readSearch(body: ProfileSearch, place: string): { search: Search } | { errors: FieldError[] } {
  const errors: FieldError[] = [];
  const { from = null, to = null, match, groups = [] } = body;
  if (from !== null && to !== null && from > to)
    errors.push({ field: `${place}.from`, message: "must not be after to" });
  const read = groups.map((group, g) =>
    group.all.map((slot, s) => readSlot(`${place}.groups.${g}.all.${s}`, slot, errors)),
  );
  if (wordsToMatch(read.flat(2)) > searchLimits.words)
    errors.push({ field: `${place}.groups`, message: `has more than ${searchLimits.words} words to match` });
  if (errors.length > 0) return { errors: errors.slice(0, mostErrors) };
  const quizId = body.quiz_id === undefined ? null : parseId("quiz", body.quiz_id);
  const span: SessionSpan = { from, to, quizId };
  return { search: { person: body, span, latestOnly: match === "latest_completed_per_quiz", groups: read } };
}

function readSlot(at: string, slot: SearchSlot, errors: FieldError[]): Term[] {
  const { any, ...own } = slot;
  if (any === undefined) return collect(readTerm(at, own), errors);
  for (const field of Object.keys(own)) errors.push({ field: `${at}.${field}`, message: "is not used beside any" });
  return any.flatMap((term, index) => collect(readTerm(`${at}.any.${index}`, term), errors));
}

function collect(read: ReturnType<typeof readTerm>, errors: FieldError[]): Term[] {
  if ("term" in read) return [read.term];
  errors.push(...read.errors);
  return [];
}

/** The number of different words to match; if there are too many, a number above the limit. */
function wordsToMatch(terms: readonly Term[]): number {
  const texts = terms.flatMap(({ condition }) =>
    "text" in condition && condition.op === "matches" ? [condition.text] : [],
  );
  const found = new Set<string>();
  for (const text of new Set(texts)) {
    for (const word of separated(text)) found.add(word);
    // the rest would take 50 ms in a search that is refused anyway
    if (found.size > searchLimits.words) break;
  }
  return found.size;
}
