import { createHmac } from "node:crypto";

/** Signatures by Standard Webhooks (decisions F). */

const secretPrefix = "whsec_";

export interface Signed {
  /** the `evt_` id, the same on every attempt */
  id: string;
  /** Unix seconds of this attempt, real time: receivers hold it against their own clock */
  timestamp: number;
  body: Uint8Array;
}

/** `whsec_` secrets, the newest first; during a rotation's overlap there are two, and so two signatures. */
export function signatureHeaders({ id, timestamp, body }: Signed, secrets: readonly string[]): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret, "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}
