import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SignedIn } from "../platform/caller.ts";
import { sql, type Transaction } from "../platform/database/sql.ts";
import { Problem } from "../platform/problems.ts";
import { grant, proveEmail, targetOf } from "./accept-link.ts";
import { recordAudit } from "./audit.ts";
import { clearCookie, cookieForm, readCookie, writeCookie } from "./cookie.ts";
import { type Origin, originOf } from "./deps.ts";
import { readEmail } from "./emails.ts";
import { type AuthorizationRequest, type IdentityProvider, type Known, providerCode } from "./identity-provider.ts";
import { consumeLink, type LinkRow, openLink } from "./links.ts";
import { storesOf } from "./memberships.ts";
import { signedInAlready } from "./sessions.ts";
import { enter, type SignedInNow, type SignInDeps } from "./sign-in.ts";
import { lockedUser, makeUser, type UserRow, userOfEmail } from "./user-rows.ts";

/**
 * Redirects to the identity provider and back [accounts.oidc]: two addresses that browsers open; scripts never call
 * them.
 */

export const oidcStartPath = "/dashboard/api/oidc/start";
export const oidcCallbackPath = "/dashboard/api/oidc/callback";

/** how long somebody may be away, in ms of real time */
const awayMs = 10 * 60 * 1_000;
const purpose = "oidc";
const home = "/dashboard";
const longestReturn = 500;

interface PendingSignIn extends AuthorizationRequest {
  returnTo: string;
  /** token of an invitation that was open when its person left for the provider */
  link: string | null;
  at: number;
}

export interface OidcDeps extends SignInDeps {
  provider: IdentityProvider;
}

export function registerOidc(app: FastifyInstance, deps: OidcDeps): void {
  const cookie = cookieForm(deps.baseUrl, "quizstore-oidc");
  const onRequest = (request: FastifyRequest) => deps.guesses.chargeAddress(request.address);
  app.get<{ Querystring: Record<string, string | undefined> }>(oidcStartPath, { onRequest }, async (request, reply) => {
    try {
      const { url, ...checks } = await deps.provider.ask();
      const returnTo = ownPath(deps.baseUrl, request.query["return_to"]);
      const pending: PendingSignIn = { ...checks, returnTo, link: linkIn(returnTo), at: deps.unixNow() };
      const sealed = deps.secrets.encrypt(JSON.stringify(pending), purpose).toString("base64url");
      reply.header("Set-Cookie", writeCookie(cookie, sealed, awayMs / 1_000));
      return await leadTo(reply, url.href);
    } catch (error) {
      return refused(deps, reply, error, ownPath(deps.baseUrl, request.query["return_to"]));
    }
  });
  app.get(oidcCallbackPath, { onRequest }, async (request, reply) => {
    reply.header("Set-Cookie", clearCookie(cookie));
    let returnTo = home;
    try {
      const pending = openPendingSignIn(deps, readCookie(cookie, request.headers.cookie));
      returnTo = pending.returnTo;
      const { search } = new URL(request.raw.url ?? "", deps.baseUrl);
      const known = await deps.provider.answer(pending, search);
      const { cookie: session, made } = await signInKnown(deps, known, pending.link, request);
      reply.header("Set-Cookie", session);
      // if the link created the account, it is used up, and its page has nothing more to say
      const isUsed = pending.link !== null && made;
      return await leadTo(reply, deps.baseUrl + (isUsed ? home : returnTo));
    } catch (error) {
      return refused(deps, reply, error, returnTo);
    }
  });
}

const leadTo = (reply: FastifyReply, url: string): FastifyReply =>
  reply.header("Cache-Control", "no-store").header("Referrer-Policy", "no-referrer").redirect(url);

/** A path of the dashboard, whatever was requested, so that no link of this server redirects to another site. */
function ownPath(baseUrl: string, text: string | undefined): string {
  const url =
    text !== undefined && text.length <= longestReturn && URL.canParse(text, baseUrl) ? new URL(text, baseUrl) : null;
  const isOwn = url?.origin === new URL(baseUrl).origin && /^\/dashboard(\/|$)/.test(url.pathname);
  return url && isOwn ? url.pathname + url.search : home;
}

/** The token of the link whose page the person came from. */
const linkIn = (path: string): string | null => /^\/dashboard\/link\/([\w-]{43})$/.exec(path)?.[1] ?? null;

function openPendingSignIn({ secrets, unixNow }: OidcDeps, sealed: string | null): PendingSignIn {
  if (sealed === null) throw new Error("this browser did not start the sign-in");
  const pending = JSON.parse(secrets.decrypt(Buffer.from(sealed, "base64url"), purpose)) as PendingSignIn;
  if (pending.at <= unixNow() - awayMs) throw new Error("the answer came too late");
  return pending;
}

/** An account that another subject of the provider signs in to. */
class OtherIdentity extends Error {}

/**
 * The page shows the refusal in words, and leads on to the person's destination. The cause is logged without the
 * person.
 */
async function refused(deps: OidcDeps, reply: FastifyReply, error: unknown, returnTo: string): Promise<FastifyReply> {
  const problem = refusalOf(error);
  if (problem === "provider_failed") {
    const code = await providerCode(error);
    deps.log.warn({ err: error, provider_error: code }, "signing in by the identity provider failed");
  }
  const query = new URLSearchParams({ problem });
  if (returnTo !== home) query.set("return_to", returnTo);
  return leadTo(reply, `${deps.baseUrl}${home}/sign-in?${query}`);
}

function refusalOf(error: unknown): "other_identity" | "no_account" | "provider_failed" {
  if (error instanceof OtherIdentity) return "other_identity";
  const isNobody = error instanceof Problem && (error.title === "sign_in_failed" || error.title === "link_gone");
  return isNobody ? "no_account" : "provider_failed";
}

async function signInKnown(
  deps: OidcDeps,
  known: Known,
  link: string | null,
  request: FastifyRequest,
): Promise<SignedInNow & { made: boolean }> {
  const origin = originOf(request);
  const before = await signedInAlready(deps, request.headers.cookie, request.deadline);
  const signedIn = await deps.database.transaction(async (tx) => {
    const there = await userOfIdentity(tx, known);
    const { user, made, isOther } = there
      ? { user: there, made: false, isOther: false }
      : await firstTime(tx, deps, known, { link, origin, before });
    if (!user || user.disabled_at !== null) throw new Problem("sign_in_failed");
    if (!isOther) return { ...(await enter(tx, deps, user, { origin, way: "identity provider", before })), made };
    await recordRefusal(tx, deps, user, origin);
    return null;
  }, request.deadline);
  // behind the commit, so that the refusal stays in the logs
  if (signedIn === null) throw new OtherIdentity("the account signs in with another subject of the provider");
  return signedIn;
}

async function recordRefusal(tx: Transaction, deps: OidcDeps, user: UserRow, { address }: Origin): Promise<void> {
  const details = { by: "identity provider", address };
  for (const { id } of await storesOf(tx, user.id))
    await recordAudit(tx.forStore(id), deps, "system", {
      ...{ action: "person.sign_in_refused", target: user.email, details },
    });
}

async function userOfIdentity(tx: Transaction, { issuer, subject }: Known): Promise<UserRow | undefined> {
  const row = await tx.first(sql<{ user_id: string }>`
    SELECT user_id FROM user_identities WHERE issuer = ${issuer} AND subject = ${subject}`);
  return row && lockedUser(tx, row.user_id);
}

/**
 * Finds the account by the verified address, or creates one if an invitation of that address was opened. `isOther`: the
 * account has an identity of this provider and takes no other, since a provider may give an address to somebody else
 * later, or verify it twice [accounts.oidc-one].
 */
async function firstTime(
  tx: Transaction,
  deps: OidcDeps,
  known: Known,
  { link, origin, before }: { link: string | null; origin: Origin; before: SignedIn | null },
): Promise<{ user: UserRow | null; made: boolean; isOther: boolean }> {
  const nobody = { user: null, made: false, isOther: false };
  const email = known.email === null ? null : readEmail(known.email);
  if (email === null) return nobody;
  const found = await userOfEmail(tx, email);
  // locked, so that of two subjects at once one is the first
  const there = found && (await lockedUser(tx, found.id));
  if (there?.disabled_at) return nobody;
  const user =
    there ?? (link === null ? undefined : await invited(tx, deps, { email, name: known.name, link, origin }));
  if (!user) return nobody;
  await proveEmail(tx, deps, user, { isMaker: before?.userId === user.id });
  const other = await tx.first(sql`
    SELECT subject FROM user_identities WHERE user_id = ${user.id} AND issuer = ${known.issuer} LIMIT 1`);
  if (other) return { user, made: false, isOther: true };
  await tx.all(sql`
    INSERT INTO user_identities (issuer, subject, user_id, created_at)
    VALUES (${known.issuer}, ${known.subject}, ${user.id}, ${new Date(deps.calendar.now())})`);
  return { user, made: !there, isOther: false };
}

interface Invited {
  email: string;
  name: string;
  link: string;
  origin: Origin;
}

async function invited(tx: Transaction, deps: OidcDeps, { email, name, link: token, origin }: Invited) {
  const link = await openInvitation(tx, deps, token);
  if (link?.email !== email) return undefined;
  await consumeLink(tx, deps, link.id);
  const user = await makeUser(tx, deps, { email, name, provenAt: new Date(deps.calendar.now()) });
  if (!user) return undefined;
  await grant(tx, deps, link, user, origin);
  return user;
}

/** Null if the link is no longer valid. */
async function openInvitation(tx: Transaction, deps: OidcDeps, token: string): Promise<LinkRow | null> {
  try {
    const link = await openLink(tx, deps, token);
    await targetOf(tx, deps, link);
    return link.kind === "invitation" ? link : null;
  } catch (error) {
    if (error instanceof Problem && (error.title === "not_found" || error.title === "link_gone")) return null;
    throw error;
  }
}
