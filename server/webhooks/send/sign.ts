import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

/** Signatures according to Standard Webhooks [webhooks.signature]. */

const secretPrefix = "whsec_";

export interface Signed {
  /** the `evt_` id, the same on every attempt */
  id: string;
  /** Unix seconds of this attempt in real time, since receivers compare it with their own clock */
  timestamp: number;
  body: Uint8Array;
}

/**
 * Prepares keys once for many signatures: createHmac prepares raw bytes anew each time, which costs more than signing.
 */
export const signingKeys = (secrets: readonly string[]): KeyObject[] => secrets.map(keyOf);

function keyOf(secret: string): KeyObject {
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  return createSecretKey(text, "base64");
}

/** One signature for each `whsec_` secret or prepared key, newest first; two while a rotated secret is still valid. */
export function signatureHeaders(
  { id, timestamp, body }: Signed,
  keys: readonly (string | KeyObject)[],
): Record<string, string> {
  const signatures = keys.map((key) => {
    const prepared = typeof key === "string" ? keyOf(key) : key;
    const digest = createHmac("sha256", prepared).update(`${id}.${timestamp}.`).update(body).digest("base64");
    return `v1,${digest}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}
