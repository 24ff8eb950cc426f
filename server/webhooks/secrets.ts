import type { RandomBytes } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";

/** Signing secrets of endpoints [webhooks.secret]: `whsec_` followed by 32 bytes in base64, encrypted at rest. */

/** How long the previous secret also signs after a rotation, in ms [webhooks.rotation]. */
export const overlapMs = 24 * 60 * 60 * 1000;

export const newSecret = (random: RandomBytes): string => `whsec_${Buffer.from(random(32)).toString("base64")}`;

/** Binds a secret to its row: copied to another endpoint's row, it does not decrypt. */
const purpose = (storeId: string, endpointId: string): string => `webhook:${storeId}:${endpointId}`;

export const sealSecret = (secrets: Secrets, storeId: string, endpointId: string, secret: string): Buffer =>
  secrets.encrypt(secret, purpose(storeId, endpointId));

export const openSecret = (secrets: Secrets, storeId: string, endpointId: string, sealed: Buffer): string =>
  secrets.decrypt(sealed, purpose(storeId, endpointId));

interface SealedSecrets {
  /** UUID */
  id: string;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_expires_at: Date | null;
}

/** The secrets that sign at `now` (calendar time in ms), newest first: one, or two after a rotation. */
export function validSecrets(secrets: Secrets, storeId: string, endpoint: SealedSecrets, now: number): string[] {
  const { id, secret, previous_secret: previous, previous_secret_expires_at: until } = endpoint;
  const open = (sealed: Buffer) => openSecret(secrets, storeId, id, sealed);
  if (previous === null || until === null || until.getTime() <= now) return [open(secret)];
  return [open(secret), open(previous)];
}
