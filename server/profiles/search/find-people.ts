import type { ProfileSearch } from "../../../contract/search.ts";
import type { CopyQuery, CopyReader } from "../../columnar-copy/public.ts";
import { raw, type StoreRunner, sql } from "../../platform/database/sql.ts";
import type { Deadline } from "../../platform/deadline.ts";
import { invalidFields } from "../../platform/problems.ts";
import type { VersionCache } from "../../quizzes/public.ts";
import { checkSearch } from "./check-search.ts";
import { compilePage, matchingPeople } from "./compile.ts";
import { readNumbers } from "./numbers.ts";
import type { Search } from "./terms.ts";

/** Up to so many are listed by id; of more there is a bitmap of their numbers alone. */
export const namedAtMost = 5_000;

/** Everybody whom a search finds, however many they are. */
export interface FoundPeople {
  /** of the copy they were found in */
  revision: number;
  /** UUIDs; null: more than can be named */
  named: readonly string[] | null;
  /** by the number that the database gave a person */
  has(person: number): boolean;
}

/**
 * Finds everybody who matches, in a copy that is at least as new as this call; throws as `CopyReader.read`, and a 422
 * for a search that cannot be put (see `checkSearch`).
 */
export async function findPeople(
  {
    copies,
    db,
    versions,
    deadline,
  }: { copies: CopyReader; db: StoreRunner; versions: VersionCache; deadline: Deadline },
  body: ProfileSearch,
): Promise<FoundPeople> {
  const checked = await checkSearch(db, versions, body, "search");
  if ("errors" in checked) throw invalidFields(checked.errors);
  const { result, revision } = await copies.read(db.storeId, (put) => find(put, checked.search), deadline);
  return { revision, ...result };
}

async function find(put: CopyQuery, search: Search): Promise<Omit<FoundPeople, "revision">> {
  const numbers = await readNumbers(put, search);
  const first = await put(compilePage(search, numbers, { after: null, limit: namedAtMost + 1 }));
  const named = first.length > namedAtMost ? null : first.map(({ id }) => id);
  const words = await put(sql<{ word: number; bits: number }>`
  SELECT p.person // ${raw(wordBits)} AS word,
    bit_or(CAST(1 AS BIGINT) << (p.person % ${raw(wordBits)})) AS bits
  ${matchingPeople(search, numbers)} GROUP BY word ORDER BY word`);
  const bitmap = new Uint32Array((words.at(-1)?.word ?? -1) + 1);
  for (const { word, bits } of words) bitmap[word] = bits;
  return { named, has: (person) => (((bitmap[Math.floor(person / wordBits)] ?? 0) >>> (person % wordBits)) & 1) === 1 };
}

const wordBits = 32;
