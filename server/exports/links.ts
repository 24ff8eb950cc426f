import { timingSafeEqual } from "node:crypto";
import { formatId, uuidBytes, uuidFromBytes } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { ExportRow } from "./export-rows.ts";

/**
 * Download links [exports.links, exports.one-file]. A link works without a key, so that a browser can open it. It
 * contains the store, the export and its expiry, all signed, and opens only that file.
 */

export const downloadUrl = "/exports/:export_id";

const validMs = 60 * 60 * 1000;
const storeLength = 16;
const bodyLength = storeLength + 6;
const macLength = 32;

/** Creates a link that is valid for an hour, but not longer than the file is kept. Times in ms. */
export function mintLink(
  secrets: Secrets,
  { storeId, row, now }: { storeId: string; row: Pick<ExportRow, "id" | "expires_at">; now: number },
): { path: string; expiresAt: number } {
  const expiresAt = Math.min(now + validMs, row.expires_at.getTime());
  const body = Buffer.alloc(bodyLength);
  uuidBytes(storeId).copy(body);
  body.writeUIntBE(expiresAt, storeLength, 6);
  const token = Buffer.concat([body, mac(secrets, row.id, body)]).toString("base64url");
  return { path: `/exports/${formatId("exp", row.id)}?token=${token}`, expiresAt };
}

/**
 * The store whose export the token opens; null if the token is forged, belongs to another export, or has expired.
 *
 * @param now returns the calendar time of a store in ms
 */
export function readLink(
  secrets: Secrets,
  { exportId, token, now }: { exportId: string; token: string; now: (storeId: string) => number },
): { storeId: string } | null {
  const bytes = Buffer.from(token, "base64url");
  // only the canonical encoding is accepted, since no other was ever issued
  if (bytes.length !== bodyLength + macLength || bytes.toString("base64url") !== token) return null;
  const body = bytes.subarray(0, bodyLength);
  if (!timingSafeEqual(bytes.subarray(bodyLength), mac(secrets, exportId, body))) return null;
  const storeId = uuidFromBytes(body.subarray(0, storeLength));
  return body.readUIntBE(storeLength, 6) <= now(storeId) ? null : { storeId };
}

const mac = (secrets: Secrets, exportId: string, body: Buffer): Buffer =>
  secrets.sign("export link", uuidBytes(exportId), body);
