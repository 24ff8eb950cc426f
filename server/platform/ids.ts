import type { IdPrefix } from "../../contract/common.ts";

/**
 * Ids [api.ids]. The database stores UUIDs (16 bytes); addresses and bodies show `prefix_` and their 32 hexadecimal
 * digits.
 */

export type RandomBytes = (size: number) => Uint8Array;

const shape = /^[0-9a-f]{32}$/;

/** The UUID of a public id, or null if the text is no id of that kind. */
export function parseId(prefix: IdPrefix, text: string): string | null {
  if (!text.startsWith(prefix) || text[prefix.length] !== "_") return null;
  const hex = text.slice(prefix.length + 1);
  return shape.test(hex) ? dashed(hex) : null;
}

export const formatId = (prefix: IdPrefix, uuid: string): string => `${prefix}_${uuid.replaceAll("-", "")}`;

const dashed = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;

/**
 * UUID version 7 (RFC 9562): the time in milliseconds comes first, so that rows of the same time are adjacent in an
 * index.
 */
export function uuidAt(milliseconds: number, random: RandomBytes): string {
  const bytes = Buffer.from(random(16));
  bytes.writeUIntBE(milliseconds, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return dashed(bytes.toString("hex"));
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text is a UUID in the form that the database returns: in lower case, with dashes. */
export const isUuid = (text: string): boolean => uuidForm.test(text);

export const uuidBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll("-", ""), "hex");
export const uuidFromBytes = (bytes: Buffer): string => dashed(bytes.toString("hex"));

/**
 * Request ids [api.request-ids]: taken from a pool of random bytes, because every request needs one and each draw costs
 * a system call.
 */
export function requestIds(random: RandomBytes): () => string {
  const size = 16 * 256;
  let pool = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at === pool.length) {
      pool = Buffer.from(random(size));
      at = 0;
    }
    at += 16;
    return `req_${pool.toString("hex", at - 16, at)}`;
  };
}
