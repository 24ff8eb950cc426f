import type { Database } from "../platform/database/database.ts";
import { containing } from "../platform/database/like.ts";
import { ownStore, raw, sql } from "../platform/database/sql.ts";
import { eachRow } from "./each-row.ts";
import type { Note, Search } from "./search-files.ts";
import { type TenantTable, tenantTables } from "./tables.ts";
import { mayHoldContact } from "./traces.ts";

/** Searches every column of a store's rows that can hold text, in the tables of all slices, including future ones. */

/** Columns whose content does not come from shoppers, with the reason. */
const notOfShoppers = new Map([
  ["api_keys.admin", "accounts of the shop's staff"],
  ["quiz_history.admin", "accounts of the shop's staff"],
]);

const isText = (type: string): boolean => /^(text|character varying|character|jsonb?|citext)(\[\])?$/.test(type);
const isBytes = (type: string): boolean => /^bytea(\[\])?$/.test(type);

const encrypted = "encrypted or hashed; stored responses to repeated requests contain no contact";

/** Returns the columns that it left out. */
export async function searchTables(
  database: Database,
  storeId: string,
  search: Search,
  note: Note,
): Promise<{ place: string; why: string }[]> {
  const leftOut: { place: string; why: string }[] = [];
  for (const table of await tenantTables(database.reader())) {
    const columns = table.columns.filter(({ type }) => isText(type));
    for (const { name, type } of table.columns) {
      const place = `${table.name}.${name}`;
      const why = notOfShoppers.get(place) ?? (isBytes(type) ? encrypted : undefined);
      if (why !== undefined) leftOut.push({ place, why });
    }
    const searched = columns.filter(({ name }) => !notOfShoppers.has(`${table.name}.${name}`));
    for (const { name } of searched) await searchColumn(database, storeId, { table, column: name }, search, note);
  }
  return leftOut;
}

async function searchColumn(
  database: Database,
  storeId: string,
  { table, column }: { table: TenantTable; column: string },
  search: Search,
  note: Note,
): Promise<void> {
  const place = `${table.name}.${column}`;
  const isJson = /^jsonb?$/.test(table.columns.find(({ name }) => name === column)?.type ?? "");
  const text = `t.${column}::text`;
  const rows = sql`${raw(table.name)} t WHERE t.${raw(table.name === "stores" ? "id" : "store_id")} = ${ownStore}`;
  const patterns = search.texts.flatMap((value) => [value, inJson(value)]).map(containing);
  await database.transaction(async (transaction) => {
    const tx = transaction.forStore(storeId);
    const row = await tx.first(sql<{ searched: number; found: number }>`
    SELECT count(*) AS searched, count(*) FILTER (WHERE lower(${raw(text)}) LIKE ANY (${patterns}::text[])) AS found
    FROM ${rows} AND t.${raw(column)} IS NOT NULL`);
    let contacts = 0;
    const candidates = sql<{
      text: string;
    }>`SELECT ${raw(text)} AS text FROM ${rows} AND ${mayHoldContact(`(${text})`)}`;
    await eachRow(tx, candidates, (candidate) => {
      if (search.holdsContact(isJson ? textsIn(JSON.parse(candidate.text)) : candidate.text)) contacts += 1;
    });
    note(
      { place, searched: row?.searched ?? 0 },
      { place, found: row?.found ?? 0, what: "value" },
      { place, found: contacts, what: "contact" },
    );
  });
}

/** All texts of a JSON value, one per line. Numbers are left out, since they look like phones and are frequent. */
function textsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .flatMap(([key, item]) => [Array.isArray(value) ? "" : key, textsIn(item)])
    .filter((text) => text !== "")
    .join("\n");
}

const inJson = (value: string): string => JSON.stringify(value).slice(1, -1);
