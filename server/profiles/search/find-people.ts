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

/** Up to this many people are listed by id; larger results are only a bitmap of person numbers. */
export const namedAtMost = 5_000;

/** All people whom a search finds, however many. */
export interface FoundPeople {
  /** revision of the copy that was searched */
  revision: number;
  /** UUIDs; null if there are more than `namedAtMost` */
  named: readonly string[] | null;
  /** takes the `number` of a person */
  has(person: number): boolean;
}

/**
 * Finds all matching people, in a copy at least as new as this call. Throws like `CopyReader.read`, and 422 for an
 * invalid search (see `checkSearch`).
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
