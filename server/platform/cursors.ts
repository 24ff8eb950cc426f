import { timingSafeEqual } from "node:crypto";
import { uuidBytes, uuidFromBytes } from "./ids.ts";
import { invalid } from "./problems.ts";
import type { Secrets } from "./secrets.ts";

/**
 * Signed cursors (8.3, A7): the place after which a list goes on. The signature binds it to the store, the route and
 * the filters, so that a cursor sent anywhere else is refused like one that was made up.
 */
export interface Place {
  /** the row's time of ordering, in milliseconds */
  at: number;
  /** the row's UUID, which breaks ties */
  id: string;
}

export interface CursorBinding {
  storeId: string;
  /** operation id */
  route: string;
  /** everything that decides what is listed; not the limit, which may change between pages */
  filters: unknown;
}

const macLength = 16;
const placeLength = 24;

export function writeCursor(secrets: Secrets, binding: CursorBinding, place: Place): string {
  const body = Buffer.alloc(placeLength);
  body.writeBigInt64BE(BigInt(place.at));
  uuidBytes(place.id).copy(body, 8);
  return Buffer.concat([body, mac(secrets, binding, body)]).toString("base64url");
}

/** Throws the 422 of `query.cursor` for anything that this service did not write for just this list. */
export function readCursor(secrets: Secrets, binding: CursorBinding, text: string): Place {
  const bytes = Buffer.from(text, "base64url");
  const canonical = bytes.length === placeLength + macLength && bytes.toString("base64url") === text;
  const body = bytes.subarray(0, placeLength);
  if (!canonical || !timingSafeEqual(bytes.subarray(placeLength), mac(secrets, binding, body))) {
    throw invalid("query.cursor", "is not a cursor of this list; leave it out to begin with the first page");
  }
  return { at: Number(body.readBigInt64BE()), id: uuidFromBytes(body.subarray(8)) };
}

const mac = (secrets: Secrets, binding: CursorBinding, body: Buffer): Buffer =>
  secrets.sign("cursor", binding.storeId, binding.route, JSON.stringify(binding.filters), body).subarray(0, macLength);

export interface CursorPage<Row> {
  rows: Row[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Cuts a list that was read with one row more than asked for, and writes the cursor of its last row. */
export function cutPage<Row>(
  rows: Row[],
  limit: number,
  secrets: Secrets,
  binding: CursorBinding,
  placeOf: (row: Row) => Place,
): CursorPage<Row> {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { rows: kept, has_more: more, next_cursor: more ? writeCursor(secrets, binding, placeOf(last)) : null };
}
