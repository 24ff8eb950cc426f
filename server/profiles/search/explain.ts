import type { SearchExplanation } from "../../../contract/search.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { joined, raw, sql } from "../../platform/database/sql.ts";
import { filterConditions, hasBits, masksOfPeople } from "./compile.ts";
import { bitsOfGroup, findHits } from "./hits.ts";
import type { Numbers } from "./numbers.ts";
import { allOf } from "./parts.ts";
import type { Search } from "./terms.ts";

/**
 * How many people each group and each slot of a search matches on its own, among those who pass its filters
 * [search.explain]. One statement counts them all: every slot is already a bit of a person's mask, so counting all
 * costs little more than counting one.
 */
export async function explainSearch(put: CopyQuery, search: Search, numbers: Numbers): Promise<SearchExplanation> {
  const hits = findHits(search.groups, { numbers, latestOnly: search.latestOnly });
  const bitSets = hits.groups.flatMap((group) => [bitsOfGroup(group), ...group.slots]);
  // no mask has the bit of a slot that cannot match, so it counts 0
  const counts = bitSets.map((bits, index) => sql`count(*) FILTER (WHERE ${hasBits(bits)}) AS c${raw(index)}`);
  const conditions = filterConditions(search.person, search.span, numbers);
  const masks = hits.sql === null ? sql`(SELECT 0 AS person, 0 AS mask)` : masksOfPeople(hits.sql);
  const [row = {}] = await put(sql<Record<string, number>>`
    SELECT ${joined([sql`count(*) AS filters`, ...counts])}
    FROM people p LEFT JOIN ${masks} h ON h.person = p.person WHERE ${allOf(conditions)}`);
  const people = bitSets.map((_, index) => row[`c${index}`] ?? 0).values();
  const next = () => ({ people: people.next().value ?? 0 });
  return {
    filters: row["filters"] ?? 0,
    groups: hits.groups.map((group) => ({ ...next(), all: group.slots.map(next) })),
  };
}
