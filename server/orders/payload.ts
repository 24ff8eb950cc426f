import { createHash } from "node:crypto";
import { isObject } from "../../engine/read.ts";
import { uuidFromBytes } from "../platform/ids.ts";
import type { JsonThread } from "../platform/json/json-thread.ts";
import { JsonFault, type JsonRules, readJson } from "../platform/json/read-json.ts";
import { moneyDigits } from "../platform/money.ts";

/**
 * Reads the commerce platform's payloads [orders.unreadable]. They come from outside, so missing or invalid fields are
 * left out, and only identifying fields are required.
 */

/** Says what is wrong with a payload, without any of its content. */
export class PayloadError extends Error {
  /** path of the invalid field, such as `line_items[0].price`; null for the payload as a whole */
  readonly field: string | null;
  /** the message without the field at its beginning */
  readonly fault: string;

  constructor(fault: string, { field = null, cause }: { field?: string | null; cause?: unknown } = {}) {
    super(field === null ? fault : `${field} ${fault}`, cause === undefined ? {} : { cause });
    this.field = field;
    this.fault = fault;
  }
}

/** A payload that could not be read, by its index from 0. */
export interface Refused {
  index: number;
  detail: string;
}

/** Reads each payload, and collects those that cannot be read. */
export function readEach<Item>(payloads: readonly unknown[], read: (payload: unknown) => Item) {
  const items: Item[] = [];
  const refused: Refused[] = [];
  for (const [index, payload] of payloads.entries()) {
    try {
      items.push(read(payload));
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error;
      refused.push({ index, detail: error.message });
    }
  }
  return { items, refused };
}

/** Keeps, of several messages about the same item, the one that would win if they were applied one by one. */
export function newestOfEach<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  comesAfter: (item: Item, known: Item) => boolean,
): Item[] {
  const newest = new Map<string, Item>();
  for (const item of items) {
    const known = newest.get(idOf(item));
    if (known === undefined || comesAfter(item, known)) newest.set(idOf(item), item);
  }
  return [...newest.values()];
}

export type Fields = Readonly<Record<string, unknown>>;

/**
 * Numbers that are not small integers stay their text [orders.digits]. The largest order has some 100,000 fields.
 */
const rules: JsonRules = { nul: true, maxFields: 250_000, maxValues: 500_000, digits: "exact" };

/** Parses a file's text. Throws a PayloadError. */
export function parsePlatformJson(json: Uint8Array | string): unknown {
  try {
    return readJson(typeof json === "string" ? Buffer.from(json) : json, rules);
  } catch (error) {
    throw asPayloadError(error);
  }
}

/** The same for a message, which may be large. */
export async function parseMessage(bytes: Uint8Array, thread: JsonThread): Promise<unknown> {
  try {
    return await thread.parse(bytes, rules);
  } catch (error) {
    throw asPayloadError(error);
  }
}

const asPayloadError = (error: unknown): unknown =>
  error instanceof JsonFault ? new PayloadError(error.message, { cause: error.cause }) : error;

export const fieldsOf = (value: unknown): Fields | null => (isObject(value) ? value : null);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text that PostgreSQL can store; null if blank. */
export function textOf(value: unknown): string | null {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text.trim() !== "" ? text.replaceAll("\u0000", "").toWellFormed() : null;
}

/** The decimal text of an id. */
export const platformId = (value: unknown): string | null =>
  (typeof value === "number" && Number.isSafeInteger(value) && value > 0) ||
  (typeof value === "string" && /^[1-9]\d{0,19}$/.test(value))
    ? String(value)
    : null;

export const globalId = (kind: "Product" | "ProductVariant" | "Order", id: string | number): string =>
  `gid://shopify/${kind}/${id}`;

const decimalForm = new RegExp(`^-?\\d{1,${moneyDigits.whole}}(\\.\\d{1,${moneyDigits.fraction}})?$`);

/** A decimal string as received, within the allowed number of digits; null for anything else. */
export function decimalOf(value: unknown): string | null {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  return decimalForm.test(text) ? text : null;
}

/** An amount in the shop's own currency, as opposed to the customer's, from a `*_set` field. */
export function shopMoney(set: unknown): { amount: string | null; currency: string | null } {
  const money = fieldsOf(fieldsOf(set)?.["shop_money"]);
  return { amount: decimalOf(money?.["amount"]), currency: currencyOf(money?.["currency_code"]) };
}

export const isLeftOut = (value: unknown): boolean => value === undefined || value === null || value === "";

/**
 * The money in a field, or else in its `*_set` field; "0" if both are missing [orders.money]. Throws a PayloadError for
 * a value that cannot be read, since treating it as zero would be wrong.
 *
 * @param place path prefix of the fields, such as `line_items[0].`
 */
export function moneyIn(fields: Fields, name: string, place = ""): string {
  const set = fields[`${name}_set`];
  const amount = decimalOf(fields[name]) ?? shopMoney(set).amount;
  if (amount !== null) return amount;
  if (!isLeftOut(fields[name])) throw noMoney(`${place}${name}`);
  const money = fieldsOf(fieldsOf(set)?.["shop_money"]);
  if (!isLeftOut(set) && !isLeftOut(money?.["amount"])) throw noMoney(`${place}${name}_set.shop_money.amount`);
  return "0";
}

const noMoney = (field: string) =>
  new PayloadError(
    `must be a decimal number of at most ${moneyDigits.whole} digits before the point and ${moneyDigits.fraction} behind it`,
    { field },
  );

export function currencyOf(value: unknown): string | null {
  const code = textOf(value)?.trim().toUpperCase();
  return code !== undefined && /^[A-Z]{3}$/.test(code) ? code : null;
}

const timeForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;

/** A time with an offset, in ms. */
export function timeOf(value: unknown): number | null {
  const text = textOf(value)?.trim();
  if (text === undefined || !timeForm.test(text)) return null;
  const time = Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));
  return Number.isNaN(time) ? null : time;
}

/**
 * All values with a name among note attributes or line properties. Those are lists of `{name, value}`, or a single
 * object from some shops' own code.
 */
export function attributesNamed(attributes: unknown, name: string): string[] {
  const object = fieldsOf(attributes);
  const pairs = object
    ? Object.entries(object)
    : listOf(attributes).map((entry): [unknown, unknown] => {
        const pair = fieldsOf(entry);
        return [pair?.["name"] ?? pair?.["key"], pair?.["value"]];
      });
  return pairs.flatMap(([key, value]) => (key === name ? (textOf(value)?.trim() ?? []) : []));
}

/** A UUID derived from a global id (version 8, RFC 9562); the same id always gives the same UUID. */
export function uuidOfGlobalId(gid: string): string {
  const bytes = createHash("sha256").update(gid).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return uuidFromBytes(bytes);
}
