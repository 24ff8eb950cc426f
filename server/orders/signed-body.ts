import { createHmac, type Hmac, timingSafeEqual } from "node:crypto";
import type { Readable } from "node:stream";
import { invalid, Problem } from "../platform/problems.ts";

/** Reading messages of the commerce platform, which are signed [orders.signature]. */

/** Enough for an order of several hundred lines, each with taxes and discounts in two currencies. */
export const maxBytes = 5 * 1024 * 1024;

/** 32 bytes in base64 */
const signatureForm = /^[A-Za-z0-9+/]{43}=$/;

export const isSignature = (text: string | undefined): text is string => text !== undefined && signatureForm.test(text);

export const unsigned = () =>
  new Problem("invalid_api_key", { detail: "The message is not signed with the commerce secret of a known shop" });

const tooLong = () => invalid("body", `must have at most ${maxBytes} bytes`);

/** What comes with a message, and the secret of the shop that it names. */
export interface Sent {
  secret: string;
  /** what the message was sent with, in base64 */
  signature: string;
  /** the length that its header says, in bytes; null: none */
  announced: number | null;
}

/**
 * The bytes of a message that the secret signed; otherwise throws 401. They are hashed as they arrive and joined only if
 * the signature is right: joining five megabytes takes longer than hashing them, and anybody may send such a body.
 */
export async function readSigned(body: Readable, { secret, signature, announced }: Sent): Promise<Buffer> {
  if (announced !== null && announced > maxBytes) throw tooLong();
  const hmac = createHmac("sha256", secret);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // not destroyed, since the connection is needed for the answer
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLong();
      hmac.update(chunk);
      chunks.push(chunk);
    }
  } catch (error) {
    // the client hung up
    throw body.errored === null ? error : invalid("body", "does not have the length that its header says");
  }
  if (announced !== null && bytes !== announced) throw invalid("body", "does not have the length that its header says");
  assertSignature(hmac, signature);
  return Buffer.concat(chunks, bytes);
}

function assertSignature(hmac: Hmac, signature: string): void {
  // compared as text, since the platform encodes the same bytes in only one way
  const [received, expected] = [Buffer.from(signature, "latin1"), Buffer.from(hmac.digest("base64"), "latin1")];
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) throw unsigned();
}
