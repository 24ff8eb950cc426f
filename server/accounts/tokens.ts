import { hash } from "node:crypto";
import type { RandomBytes } from "../platform/ids.ts";

/** Secrets of 256 random bits for a cookie or a link. Only their hash is stored. */

const form = /^[A-Za-z0-9_-]{43}$/;

export const newToken = (random: RandomBytes): string => Buffer.from(random(32)).toString("base64url");

/** Anything else is refused without a query. */
export const isToken = (text: string): boolean => form.test(text);

/** SHA-256: a token has too many random bits for a slower hash to add anything. */
export const hashToken = (text: string): Buffer => hash("sha256", text, "buffer");
