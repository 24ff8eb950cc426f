import type { Database } from "../platform/database/database.ts";
import { containing } from "../platform/database/like.ts";
import { ownStore, raw, sql } from "../platform/database/sql.ts";
import { eachStoredAnswer } from "../platform/http/idempotency.ts";
import type { Secrets } from "../platform/secrets.ts";
import { eachRow } from "./each-row.ts";
import { lookInto } from "./places.ts";
import type { Note, Search } from "./search-files.ts";
import { type TenantTable, tenantTables } from "./tables.ts";
import { mayHoldContact } from "./traces.ts";

/**
 * Searches every column of a store's rows that can hold text, in the tables of all slices, as `places.ts` says; columns
 * that it does not know are searched too.
 */

const isText = (type: string): boolean => /^(text|character varying|character|jsonb?|citext)(\[\])?$/.test(type);
const isBytes = (type: string): boolean => /^bytea(\[\])?$/.test(type);
const unknownBytes = "bytes, and not known to hold text";

/** Returns the columns that it left out. */
export async function searchTables(
  { database, secrets }: { database: Database; secrets: Secrets },
  storeId: string,
  search: Search,
  note: Note,
): Promise<{ place: string; why: string }[]> {
  const leftOut: { place: string; why: string }[] = [];
  for (const table of await tenantTables(database.reader())) {
    for (const column of table.columns.filter(({ type }) => isText(type) || isBytes(type))) {
      const place = `${table.name}.${column.name}`;
      const look = lookInto(table.name, column.name) ?? (isText(column.type) ? "text" : { skipped: unknownBytes });
      if (typeof look === "object") leftOut.push({ place, why: look.skipped });
      else if (look === "sealed") await searchAnswers(database, secrets, storeId, { place, search, note });
      else await searchColumn(database, storeId, { table, column, place, asJson: look === "json" }, search, note);
    }
  }
  return leftOut;
}

/** Responses to requests with an `Idempotency-Key`, which are stored encrypted. */
async function searchAnswers(
  database: Database,
  secrets: Secrets,
  storeId: string,
  { place, search, note }: { place: string; search: Search; note: Note },
): Promise<void> {
  let [searched, values, contacts] = [0, 0, 0];
  await database.transaction((tx) =>
    eachStoredAnswer(tx.forStore(storeId), secrets, ({ body, location }) => {
      const texts = textsIn([body, location]);
      const lower = texts.join("\n").toLowerCase();
      searched += 1;
      values += Number(search.texts.some((value) => lower.includes(value)));
      contacts += Number(search.holdsContact(...texts));
    }),
  );
  note({ place, searched }, { place, found: values, what: "value" }, { place, found: contacts, what: "contact" });
}

interface SearchedColumn {
  table: TenantTable;
  column: TenantTable["columns"][number];
  place: string;
  /** its texts are JSON */
  asJson: boolean;
}

async function searchColumn(
  database: Database,
  storeId: string,
  { table, column, place, asJson }: SearchedColumn,
  search: Search,
  note: Note,
): Promise<void> {
  const isJson = asJson || /^jsonb?$/.test(column.type);
  const text = `t.${column.name}::text`;
  const rows = sql`${raw(table.name)} t WHERE t.${raw(table.name === "stores" ? "id" : "store_id")} = ${ownStore}`;
  const patterns = search.texts.flatMap((value) => [value, inJson(value)]).map(containing);
  await database.transaction(async (transaction) => {
    const tx = transaction.forStore(storeId);
    const row = await tx.first(sql<{ searched: number; found: number }>`
    SELECT count(*) AS searched, count(*) FILTER (WHERE lower(${raw(text)}) LIKE ANY (${patterns}::text[])) AS found
    FROM ${rows} AND t.${raw(column.name)} IS NOT NULL`);
    let contacts = 0;
    const candidates = sql<{
      text: string;
    }>`SELECT ${raw(text)} AS text FROM ${rows} AND ${mayHoldContact(`(${text})`)}`;
    await eachRow(tx, candidates, (candidate) => {
      if (search.holdsContact(...(isJson ? textsIn(JSON.parse(candidate.text)) : [candidate.text]))) contacts += 1;
    });
    note(
      { place, searched: row?.searched ?? 0 },
      { place, found: row?.found ?? 0, what: "value" },
      { place, found: contacts, what: "contact" },
    );
  });
}

/** All texts of a JSON value. Numbers are left out, since they look like phones and are frequent. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [...(Array.isArray(value) ? [] : [key]), ...textsIn(item)]);
}

const inJson = (value: string): string => JSON.stringify(value).slice(1, -1);
