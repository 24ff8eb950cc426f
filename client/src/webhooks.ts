import type { WebhookEvent } from "./generated/types.ts";
import { now } from "./platform.ts";

/** Verifies that a request is the service's own: Standard Webhooks, with Web Crypto. */

export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Seconds that the request's time may differ from the clock's, 300 by default. */
  tolerance?: number | undefined;
  /** The current time, in milliseconds since 1970. */
  at?: number | undefined;
}

export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly reason: "headers" | "time" | "signature" | "body";

  constructor(reason: WebhookError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * After a rotation a request carries two signatures; a request with very many is an attempt to use up the receiver's
 * time.
 */
const mostSignatures = 8;

/**
 * The event in a request, if it was signed with one of the secrets and is not old; otherwise throws a `WebhookError`
 * [client.webhooks]. `body` is the raw body, before any parsing.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
  secrets: string | readonly string[],
  { tolerance = 300, at = now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const bytes = bytesOf(body);
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  if (!id || !timestamp || !signatures) throw new WebhookError("headers", "a webhook-... header is missing");
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(at / 1000 - Number(timestamp)) > tolerance) {
    throw new WebhookError("time", "too old, or from the future");
  }
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const received = signatures.split(" ", mostSignatures).flatMap(signatureOf);
  const keys = await Promise.all((typeof secrets === "string" ? [secrets] : secrets).map(importKey));
  // the platform compares in constant time
  const checks = keys.flatMap((key) =>
    received.map((signature) => crypto.subtle.verify("HMAC", key, signature, signed)),
  );
  if (!(await Promise.all(checks)).includes(true)) {
    throw new WebhookError("signature", "not signed with any of the secrets");
  }
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new WebhookError("body", "signed, but not JSON");
  }
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return body;
  throw new TypeError("give the body as it came, a text or bytes: parsed and written again it has another signature");
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if ("get" in headers && typeof headers.get === "function") return headers.get(name);
  const plain = headers as Readonly<Record<string, string | readonly string[] | undefined>>;
  const key = Object.keys(plain).find((each) => each.toLowerCase() === name);
  const value = key === undefined ? undefined : plain[key];
  return typeof value === "string" ? value : (value?.join(" ") ?? null);
}

/** The bytes behind `v1,`; none for other versions and invalid base64. */
function signatureOf(text: string): Uint8Array<ArrayBuffer>[] {
  if (!text.startsWith("v1,")) return [];
  try {
    return [fromBase64(text.slice(3))];
  } catch {
    return [];
  }
}

/** No return type, because the platforms' types have no common name for it [client.packed]. */
async function importKey(secret: string) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  try {
    const bytes = fromBase64(secret.replace(/^whsec_/, ""));
    // awaited here, because the platform refuses an empty secret
    return await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
  } catch (cause) {
    throw new TypeError("not a webhook secret: it is whsec_ and base64", { cause });
  }
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + tail.length);
  all.set(head);
  all.set(tail, head.length);
  return all;
}
