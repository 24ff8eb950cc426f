import type { ProfileSearch } from "../../../contract/search.ts";
import type { CopyQuery, CopyReader } from "../../columnar-copy/public.ts";
import type { Runner } from "../../platform/database/sql.ts";
import type { Deadline } from "../../platform/deadline.ts";
import { invalidFields } from "../../platform/problems.ts";
import type { VersionCache } from "../../quizzes/public.ts";
import { checkSearch } from "./check.ts";
import { compilePage, matchingPeople } from "./compile.ts";
import { type NumberRow, Numbers, numbersQuestion } from "./numbers.ts";
import { Parameters } from "./parameters.ts";
import type { Search } from "./terms.ts";

/** Everybody whom a search finds, however many they are. */

/** So many are named one by one; of more it is kept, in a bit each, who is among them. */
export const namedAtMost = 5_000;

export interface Matches {
  /** of the copy they were found in */
  revision: number;
  /** UUIDs; null: more than can be named */
  named: readonly string[] | null;
  /** by the number that the database gave a person */
  has(person: number): boolean;
}

export async function allMatches(
  { facts, db, versions, deadline }: { facts: CopyReader; db: Runner; versions: VersionCache; deadline: Deadline },
  storeId: string,
  body: ProfileSearch,
): Promise<Matches> {
  const checked = await checkSearch(db, versions, storeId, body, "search");
  if ("errors" in checked) throw invalidFields(checked.errors);
  const { result, revision } = await facts.read(storeId, (put) => find(put, checked.search), deadline);
  return { revision, ...result };
}

async function find(put: CopyQuery, search: Search): Promise<Omit<Matches, "revision">> {
  const lookUp = numbersQuestion(search);
  const numbers = new Numbers(lookUp ? await put<NumberRow>(lookUp) : []);
  const first = await put<{ id: string }>(compilePage(search, numbers, { after: null, limit: namedAtMost + 1 }));
  const named = first.length > namedAtMost ? null : first.map(({ id }) => id);
  const parameters = new Parameters();
  const sql = `SELECT p.person // ${wordBits} AS word, bit_or(CAST(1 AS BIGINT) << (p.person % ${wordBits})) AS bits
    ${matchingPeople(search, numbers, parameters)} GROUP BY word ORDER BY word`;
  const words = await put<{ word: number; bits: number }>(parameters.question(sql));
  const bitmap = new Uint32Array((words.at(-1)?.word ?? -1) + 1);
  for (const { word, bits } of words) bitmap[word] = bits;
  return { named, has: (person) => (((bitmap[Math.floor(person / wordBits)] ?? 0) >>> (person % wordBits)) & 1) === 1 };
}

const wordBits = 32;
