import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { personalTokenPrefix } from "../../contract/personal-tokens.ts";
import type { RandomBytes } from "../platform/ids.ts";

/**
 * The text of an API key [api.keys]: `svc_live_`, or `svc_test_` for a test twin, 30 random characters of base 62 (178
 * bits), and 6 of a CRC-32, so that a mistyped key is refused without a look-up. Only a hash is stored. A personal
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

/** Whether it has the prefix of a personal token, even if mistyped. */
export const isPersonal = (text: string): boolean => text.startsWith(prefixes.person);

/** Whether it is a complete key or token with a correct checksum. */
export function isWhole(text: string): boolean {
  if (!form.test(text)) return false;
  const secret = text.slice(prefixLength, prefixLength + secretLength);
  return checksum(secret) === text.slice(-checksumLength);
}

/** SHA-256; a key has too many random bits for a slower hash to add anything. */
export const hashKey = (text: string): Buffer => Buffer.from(hashText(text), "hex");

/** The same hash as text, for cache look-ups, by the fast one-shot call because every request needs it. */
export const hashText = (text: string): string => hash("sha256", text, "hex");

/** The readable parts that are stored: the first 4 characters after the prefix, and the last 4. */
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

/** The key or token in an Authorization header; null: neither. */
export const bearer = (authorization: string | undefined): string | null =>
  bearerForm.exec(authorization ?? "")?.[1] ?? null;
