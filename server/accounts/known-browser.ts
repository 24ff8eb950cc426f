import { timingSafeEqual } from "node:crypto";
import { type CookieForm, cookieForm, readCookie, writeCookie } from "./cookie.ts";
import type { AccountDeps } from "./deps.ts";

/**
 * A browser that somebody has signed in with keeps a second cookie that proves it, even after they have signed out. It
 * grants no access: guesses with it are counted separately from strangers' and hashed first, so that somebody who tries
 * passwords for an account cannot keep its owner from signing in where they do so every day [accounts.known-browsers].
 */

/** in ms of real time */
const lastsMs = 180 * 24 * 60 * 60 * 1_000;
const idBytes = 12;
const purpose = "known browser";

type Deps = Pick<AccountDeps, "baseUrl" | "secrets" | "random" | "unixNow">;

const formOf = ({ baseUrl }: Deps): CookieForm => cookieForm(baseUrl, "quizstore-known");

/** A cookie for the browser that this person has just signed in with. */
export function knownBrowserCookie(deps: Deps, email: string): string {
  const id = Buffer.from(deps.random(idBytes)).toString("base64url");
  const ends = String(deps.unixNow() + lastsMs);
  const mark = deps.secrets.sign(purpose, email, id, ends).toString("base64url");
  return writeCookie(formOf(deps), `${id}.${ends}.${mark}`, lastsMs / 1_000);
}

/** The browser's id, if this person has signed in with it; null: unknown. */
export function knownBrowserOf(deps: Deps, cookie: string | undefined, email: string): string | null {
  const [id, ends, mark, ...more] = (readCookie(formOf(deps), cookie) ?? "").split(".");
  if (id === undefined || ends === undefined || mark === undefined || more.length > 0) return null;
  const expected = deps.secrets.sign(purpose, email, id, ends);
  const signature = Buffer.from(mark, "base64url");
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return null;
  return Number(ends) > deps.unixNow() ? id : null;
}
