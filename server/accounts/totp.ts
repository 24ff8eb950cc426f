import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { RandomBytes } from "../platform/ids.ts";

/** Codes of authenticator apps (RFC 6238: SHA-1, 6 digits, 30 seconds), and recovery codes. Pure. */

const stepMs = 30_000;
const digits = 6;
const seedBytes = 20;
/** in steps: a phone's clock may be half a minute off, either way */
const drift = 1;
const recoveryCount = 10;

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function newSeed(random: RandomBytes): string {
  let text = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of random(seedBytes)) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32[(buffer >> bits) & 31];
    }
  }
  return text;
}

/** The address in the QR code that an app scans. */
export function seedAddress(seed: string, email: string, service: string): string {
  const label = `${encodeURIComponent(service)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${seed}&issuer=${encodeURIComponent(service)}`;
}

export const stepAt = (unixMs: number): number => Math.floor(unixMs / stepMs);

export function codeOf(seed: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", decode(seed)).update(counter).digest();
  const number = mac.readUInt32BE(mac.readUInt8(mac.length - 1) & 0x0f) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The time step of the code, if it is later than the last one used; null: the code is invalid. */
export function stepOfCode(seed: string, code: string, unixMs: number, lastStep: number): number | null {
  const typed = Buffer.from(code);
  if (typed.length !== digits) return null;
  const now = stepAt(unixMs);
  let found: number | null = null;
  for (let step = now - drift; step <= now + drift; step += 1) {
    if (timingSafeEqual(typed, Buffer.from(codeOf(seed, step))) && step > lastStep) found = step;
  }
  return found;
}

/** Ten codes of 50 random bits, without characters that look alike. */
export const newRecoveryCodes = (random: RandomBytes): string[] =>
  Array.from({ length: recoveryCount }, () => {
    const signs = [...random(10)].map((byte) => recoverySigns[byte % recoverySigns.length]).join("");
    return `${signs.slice(0, 5)}-${signs.slice(5)}`;
  });

/** 32 characters: without i, l and 1, and with o instead of 0 */
const recoverySigns = "abcdefghjkmnopqrstuvwxyz23456789";

/** Spaces, the dash and capitals are ignored, and 0 is read as o. */
export const hashRecoveryCode = (code: string): Buffer =>
  hash("sha256", code.toLowerCase().replaceAll(/[\s-]/g, "").replaceAll("0", "o"), "buffer");

/** Whether the text is a code of an app, as opposed to a recovery code. */
export const isAppCode = (code: string): boolean => /^\d{6}$/.test(code);

function decode(seed: string): Buffer {
  const bytes: number[] = [];
  let buffer = 0;
  let bits = 0;
  for (const letter of seed) {
    buffer = ((buffer << 5) | base32.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((buffer >> bits) & 0xff);
    }
  }
  return Buffer.from(bytes);
}
