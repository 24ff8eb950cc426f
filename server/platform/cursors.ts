import { timingSafeEqual } from "node:crypto";
import { raw, type Statement, sql } from "./database/sql.ts";
import { uuidBytes, uuidFromBytes } from "./ids.ts";
import { invalid } from "./problems.ts";
import type { Secrets } from "./secrets.ts";

/**
 * Signed cursors [api.cursors]: the position after which a list continues. The signature binds it to the store, the
 * route and the filters, so that a cursor sent anywhere else is refused like a made-up one.
 */
export interface Place {
  /** the row's sort time, in milliseconds */
  at: number;
  /** the row's UUID, which breaks ties */
  id: string;
  /** for lists whose rows change their places: the store's revision when paging began, whose places count [api.paging] */
  asOf?: number;
  /**
   * in cursors of earlier releases, instead of `asOf`: the number of the newest row when paging began; newer ones are
   * left out
   */
  upTo?: number;
}

/** The place of a row in a list that is ordered by time of creation. */
export const placeOf = ({ created_at: at, id }: { created_at: Date; id: string }): Place => ({ at: at.getTime(), id });

/** The condition for the rows after the last one shown, newest first; none for the first page. */
export const older = (than: Place | null, columns = "created_at, id"): Statement =>
  than === null ? raw("") : sql`AND (${raw(columns)}) < (${new Date(than.at)}, ${than.id}::uuid)`;

/** Orders places like the lists, newest first and then by higher UUID. */
export const newestFirst = (a: Place, b: Place): number => b.at - a.at || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

export interface CursorBinding {
  storeId: string;
  /** operation id */
  route: string;
  /** everything that determines the list's content; not the limit, which may change between pages */
  filters: unknown;
}

const macLength = 16;
const placeLength = 24;
const boundLength = 8;
/**
 * Added to `asOf`, which is where earlier releases read `upTo`: while both run side by side, they continue each other's
 * lists, and the earlier ones leave nobody out.
 */
const asOfBase = 2 ** 52;

export function writeCursor(secrets: Secrets, binding: CursorBinding, place: Place): string {
  const bound = place.asOf === undefined ? place.upTo : asOfBase + place.asOf;
  const body = Buffer.alloc(placeLength + (bound === undefined ? 0 : boundLength));
  body.writeBigInt64BE(BigInt(place.at));
  uuidBytes(place.id).copy(body, 8);
  if (bound !== undefined) body.writeBigInt64BE(BigInt(bound), placeLength);
  return Buffer.concat([body, mac(secrets, binding, body)]).toString("base64url");
}

/** Throws the 422 of `query.cursor` for anything that was not issued for this very list. */
export function readCursor(secrets: Secrets, binding: CursorBinding, text: string): Place {
  const bytes = Buffer.from(text, "base64url");
  const length = bytes.length - macLength;
  const canonical = [placeLength, placeLength + boundLength].includes(length) && bytes.toString("base64url") === text;
  const body = bytes.subarray(0, length);
  if (!canonical || !timingSafeEqual(bytes.subarray(length), mac(secrets, binding, body))) {
    throw invalid("query.cursor", "is not a cursor of this list; leave it out to begin with the first page");
  }
  const place = { at: Number(body.readBigInt64BE()), id: uuidFromBytes(body.subarray(8, placeLength)) };
  if (length === placeLength) return place;
  const bound = Number(body.readBigInt64BE(placeLength));
  return bound < asOfBase ? { ...place, upTo: bound } : { ...place, asOf: bound - asOfBase };
}

const mac = (secrets: Secrets, binding: CursorBinding, body: Buffer): Buffer =>
  secrets.sign("cursor", binding.storeId, binding.route, JSON.stringify(binding.filters), body).subarray(0, macLength);

/**
 * Reads a page from the cursor's position on. It reads one row more than requested, to learn whether there are more.
 */
export async function readPage<Row, Item>(
  list: { secrets: Secrets; binding: CursorBinding; cursor: string | undefined; limit: number },
  read: (after: Place | null, rows: number) => Promise<Row[]>,
  placeOf: (row: Row) => Place,
  answerOf: (row: Row) => Item,
): Promise<{ data: Item[]; has_more: boolean; next_cursor: string | null }> {
  const { secrets, binding, cursor, limit } = list;
  const after = cursor === undefined ? null : readCursor(secrets, binding, cursor);
  const { rows, ...more } = cutPage(await read(after, limit + 1), limit, secrets, binding, placeOf);
  return { data: rows.map(answerOf), ...more };
}

export interface CursorPage<Row> {
  rows: Row[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Drops the extra row of a page, and makes the cursor of its last row. */
export function cutPage<Row>(
  rows: Row[],
  limit: number,
  secrets: Secrets,
  binding: CursorBinding,
  placeOf: (row: Row) => Place,
): CursorPage<Row> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { rows: page, has_more: more, next_cursor: more ? writeCursor(secrets, binding, placeOf(last)) : null };
}
