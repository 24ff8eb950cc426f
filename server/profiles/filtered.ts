import type { CopyReader } from "../columnar-copy/public.ts";
import type { Place } from "../platform/cursors.ts";
import type { Runner } from "../platform/database/sql.ts";
import { written } from "../platform/database/statements.ts";
import type { Deadline } from "../platform/deadline.ts";
import { holdsContact, likePart, peopleHolding } from "./list-filters.ts";
import { compilePage, type PageRow } from "./search/compile.ts";
import { type NumberRow, Numbers, numbersQuestion } from "./search/numbers.ts";
import type { Search } from "./search/terms.ts";

/** One page of those whom a filtered list is about: found in the columnar copy, as a search finds them. */

export interface FilteredList {
  storeId: string;
  search: Search;
  /** part of a contact, which the copy does not hold */
  q: string | undefined;
}

/** people of whom it is asked at once whether they hold a contact that many hold */
const walkedAtOnce = 500;

export async function filteredPage(
  { facts, db, deadline }: { facts: CopyReader; db: Runner; deadline: Deadline },
  { storeId, search, q }: FilteredList,
  { after, limit }: { after: Place | null; limit: number },
): Promise<Place[]> {
  const read = async (page: { after: Place | null; limit: number; of?: readonly string[] }): Promise<Place[]> => {
    const { result } = await facts.read(
      storeId,
      async (put) => {
        const lookUp = numbersQuestion(search);
        const numbers = new Numbers(lookUp ? await put<NumberRow>(lookUp) : []);
        return put<PageRow>(compilePage(search, numbers, page));
      },
      deadline,
    );
    return result.map(({ id, last_seen: at, newest }) => ({ id, at, upTo: page.after?.upTo ?? newest }));
  };
  if (q === undefined) return read({ after, limit });
  const of = await peopleHolding(db, storeId, q);
  if (of !== null) return of.length === 0 ? [] : read({ after, limit, of });
  const found: Place[] = [];
  for (let from = after; ; ) {
    const people = await read({ after: from, limit: walkedAtOnce });
    found.push(...(await holding(db, storeId, q, people)));
    const last = people.at(-1);
    if (found.length >= limit || people.length < walkedAtOnce || last === undefined) return found.slice(0, limit);
    from = last;
  }
}

async function holding(db: Runner, storeId: string, q: string, people: readonly Place[]): Promise<Place[]> {
  const ids = people.map(({ id }) => id);
  const rows = await db.all(
    written<{ id: string }>(
      `SELECT p.id FROM profiles p WHERE p.store_id = $1 AND p.id = ANY($2::uuid[]) AND ${holdsContact("$3")}`,
      [storeId, ids, likePart(q)],
    ),
  );
  const held = new Set(rows.map((row) => row.id));
  return people.filter(({ id }) => held.has(id));
}
