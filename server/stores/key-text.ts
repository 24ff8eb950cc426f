import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { personalTokenPrefix } from "../../contract/personal-tokens.ts";
import type { RandomBytes } from "../platform/ids.ts";

/**
 * The text of an API key [api.keys]: `svc_live_`, or `svc_test_` of a test twin, 30 random characters of base 62 (178
 * bits), and 6 of a CRC-32, so that a mistyped key is refused without a look-up. Only a hash of it is kept. A person's
 * token has the same form.
 */
const prefixes = { live: "svc_live_", test: "svc_test_", person: personalTokenPrefix } as const;
export type KeyKind = keyof typeof prefixes;
const prefixLength = prefixes.live.length;
const secretLength = 30;
const checksumLength = 6;
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const form = new RegExp(`^(${Object.values(prefixes).join("|")})[0-9A-Za-z]{${secretLength + checksumLength}}$`);

export function newKeyText(random: RandomBytes, kind: KeyKind = "live"): string {
  let secret = "";
  while (secret.length < secretLength) {
    for (const byte of random(secretLength * 2)) {
      // bytes past the last whole multiple of 62 would make the first characters likelier
      if (byte < 248 && secret.length < secretLength) secret += alphabet[byte % 62];
    }
  }
  return prefixes[kind] + secret + checksum(secret);
}

export const isKeyText = (text: string): boolean => !isPersonal(text) && isWhole(text);

export const isTokenText = (text: string): boolean => isPersonal(text) && isWhole(text);

/** Whether it is meant to be a person's token, whole or mistyped. */
export const isPersonal = (text: string): boolean => text.startsWith(prefixes.person);

/** Whether it is a key or token as one was made, with no character mistyped. */
export function isWhole(text: string): boolean {
  if (!form.test(text)) return false;
  const secret = text.slice(prefixLength, prefixLength + secretLength);
  return checksum(secret) === text.slice(-checksumLength);
}

/** SHA-256; a key has too many random bits for a slower hash to add anything. */
export const hashKey = (text: string): Buffer => Buffer.from(hashText(text), "hex");

/** The same hash as text, to look up what is remembered: hashing in one call is what a request can afford. */
export const hashText = (text: string): string => hash("sha256", text, "hex");

/** The readable parts that are kept: the first 4 characters after the prefix, and the last 4. */
export const keyHead = (text: string): string => text.slice(0, prefixLength + 4);
export const keyLastFour = (text: string): string => text.slice(-4);

function checksum(secret: string): string {
  let rest = crc32(secret);
  let text = "";
  for (let index = 0; index < checksumLength; index += 1) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

const bearerForm = /^Bearer +([^ ]+) *$/i;

/** What an Authorization header carries; null: no key and no token. */
export const bearer = (authorization: string | undefined): string | null =>
  bearerForm.exec(authorization ?? "")?.[1] ?? null;
