import {
  acceptLink as acceptLinkOperation,
  beginTotp as beginTotpOperation,
  confirmMe,
  confirmTotp as confirmTotpOperation,
  endAllSessions,
  endSession as endSessionOperation,
  getLink,
  getMe,
  getSignInOptions,
  listSessions,
  mailLink,
  removeTotp as removeTotpOperation,
  setPassword as setPasswordOperation,
  signIn,
  signOut,
  updateMe,
} from "../../contract/accounts.ts";
import {
  createToken as createTokenOperation,
  listTokens as listTokensOperation,
  revokeToken as revokeTokenOperation,
} from "../../contract/personal-tokens.ts";
import { isoTime } from "../platform/clock.ts";
import { noDeadline } from "../platform/deadline.ts";
import { type DashboardRoute, openRoute, personRoute } from "../platform/http/dashboard.ts";
import { formatId, parseId } from "../platform/ids.ts";
import { notFound, Problem } from "../platform/problems.ts";
import { acceptLink, describeLink } from "./accept-link.ts";
import { clearCookie } from "./cookie.ts";
import { originOf } from "./deps.ts";
import { readEmail } from "./emails.ts";
import { knownBrowserCookie } from "./known-browser.ts";
import { mailedLinkMs, makeLink } from "./links.ts";
import { type Mailer, signInMail } from "./mail.ts";
import { meOf } from "./me.ts";
import { memberRoutes } from "./member-routes.ts";
import { oidcStartPath } from "./oidc-routes.ts";
import { beginTotp, confirm, confirmTotp, removeTotp, rename, setPassword } from "./own-account.ts";
import { createToken, listTokens, revokeToken } from "./personal-tokens.ts";
import { endSession, endSessions, sessionCookie, sessionExpiry, sessionsOf, signedInAlready } from "./sessions.ts";
import { type SignedInNow, type SignInDeps, signInByPassword } from "./sign-in.ts";
import { userOfEmail } from "./user-rows.ts";

export interface AccountRouteDeps extends SignInDeps {
  /** null: no mail is sent */
  mailer: Mailer | null;
  /** the identity provider's name, if there is one */
  oidc: { name: string } | null;
}

export const accountRoutes = (deps: AccountRouteDeps): DashboardRoute[] => [
  ...signInRoutes(deps),
  ...ownRoutes(deps),
  ...secondFactorRoutes(deps),
  ...sessionRoutes(deps),
  ...tokenRoutes(deps),
  ...memberRoutes(deps),
];

const signedIn = ({ cookie, me }: SignedInNow) => ({ body: me, headers: { "Set-Cookie": cookie } });

function signInRoutes(deps: AccountRouteDeps): DashboardRoute[] {
  const rememberedIn = ({ cookie, me }: SignedInNow) => ({
    body: me,
    headers: { "Set-Cookie": [cookie, knownBrowserCookie(deps, me.person.email)] },
  });
  return [
    openRoute(signIn, async (request) => {
      const before = await signedInAlready(deps, request.headers.cookie, request.deadline);
      const sent = { origin: originOf(request), before, cookies: request.headers.cookie };
      return rememberedIn(await signInByPassword(deps, request.body, sent, request.deadline));
    }),
    openRoute(getSignInOptions, async () => ({
      body: { oidc: deps.oidc && { name: deps.oidc.name, url: oidcStartPath }, mail: deps.mailer !== null },
    })),
    openRoute(getLink, async ({ params, headers, deadline }) => {
      const person = await signedInAlready(deps, headers.cookie, deadline);
      return { body: await describeLink(deps, params["token"] ?? "", person, deadline) };
    }),
    openRoute(acceptLinkOperation, async (request) => {
      const person = await signedInAlready(deps, request.headers.cookie, request.deadline);
      return rememberedIn(await acceptLink(deps, request.body, person, originOf(request), request.deadline));
    }),
    openRoute(mailLink, async ({ body, address }) => {
      const { mailer } = deps;
      if (!mailer) throw new Problem("conflict", { detail: "This service sends no mail; ask its operator for a link" });
      const email = readEmail(body.email);
      await deps.guesses.chargeMail(email ?? body.email, address);
      // not awaited, so that the answer is the same, and as fast, for an unknown address
      if (email !== null) void mailTo(deps, mailer, email);
      return { body: { sent: true } };
    }),
  ];
}

async function mailTo(deps: AccountRouteDeps, mailer: Mailer, email: string): Promise<void> {
  try {
    const url = await deps.database.transaction(async (tx) => {
      const user = await userOfEmail(tx, email);
      if (!user || user.disabled_at !== null) return null;
      // earlier links stay valid: otherwise anybody could withdraw a link that its person is about to use, by
      // requesting another
      const link = { kind: "sign_in", email, lastsMs: mailedLinkMs, madeBy: user.id, mailed: true } as const;
      return (await makeLink(tx, deps, link)).url;
    }, noDeadline);
    if (url !== null) void mailer.send(signInMail(email, url, "an hour"));
  } catch (error) {
    deps.log.error({ err: error }, "a sign-in link could not be created");
  }
}

function ownRoutes(deps: AccountRouteDeps): DashboardRoute[] {
  return [
    personRoute(getMe, async ({ person, deadline }) => ({
      body: await meOf(deps.database.reader(deadline), person.userId, person.sessionId),
    })),
    personRoute(updateMe, async ({ person, body, deadline }) => ({
      body: await rename(deps, person, body.name, deadline),
    })),
    personRoute(signOut, async ({ person, deadline }) => {
      await endSession(deps.database.reader(deadline), person.userId, person.sessionId);
      return { body: null, headers: { "Set-Cookie": clearCookie(sessionCookie(deps.baseUrl)) } };
    }),
    personRoute(confirmMe, async (request) =>
      signedIn(await confirm(deps, request.person, request.body, originOf(request), request.deadline)),
    ),
    personRoute(setPasswordOperation, async (request) => {
      const { person, body, deadline } = request;
      return signedIn(await setPassword(deps, person, body.password, originOf(request), deadline));
    }),
  ];
}

function secondFactorRoutes(deps: AccountRouteDeps): DashboardRoute[] {
  return [
    personRoute(beginTotpOperation, async ({ person, deadline }) => ({
      body: await beginTotp(deps, person, deadline),
    })),
    personRoute(confirmTotpOperation, async (request) => {
      const { person, body, deadline } = request;
      const { cookie, recoveryCodes } = await confirmTotp(deps, person, body.code, originOf(request), deadline);
      return { body: { recovery_codes: recoveryCodes }, headers: { "Set-Cookie": cookie } };
    }),
    personRoute(removeTotpOperation, async (request) =>
      signedIn(await removeTotp(deps, request.person, originOf(request), request.deadline)),
    ),
  ];
}

function sessionRoutes(deps: AccountRouteDeps): DashboardRoute[] {
  return [
    personRoute(listSessions, async ({ person, deadline }) => {
      const rows = await sessionsOf(deps.database.reader(deadline), person.userId, deps.calendar.now());
      const data = rows.map(({ id, created_at: createdAt, used_at: usedAt, user_agent, address }) => ({
        id: formatId("ses", id),
        current: id === person.sessionId,
        created_at: isoTime(createdAt),
        used_at: isoTime(usedAt),
        expires_at: isoTime(sessionExpiry(createdAt.getTime())),
        user_agent,
        address,
      }));
      return { body: { data } };
    }),
    personRoute(endSessionOperation, async ({ person, params, deadline }) => {
      const id = parseId("ses", params["session_id"] ?? "");
      const ended = id !== null && (await endSession(deps.database.reader(deadline), person.userId, id));
      if (!ended) throw notFound();
      return { body: null };
    }),
    personRoute(endAllSessions, async ({ person, query, deadline }) => {
      const exceptId = query.keep_this ? person.sessionId : null;
      await endSessions(deps.database.reader(deadline), person.userId, exceptId);
      if (exceptId !== null) return { body: null };
      return { body: null, headers: { "Set-Cookie": clearCookie(sessionCookie(deps.baseUrl)) } };
    }),
  ];
}

function tokenRoutes(deps: AccountRouteDeps): DashboardRoute[] {
  return [
    personRoute(listTokensOperation, async ({ person, deadline }) => ({
      body: { data: await listTokens(deps.database.reader(deadline), person.userId) },
    })),
    personRoute(createTokenOperation, async (request) => ({
      body: await createToken(deps, request.person, request.body, originOf(request), request.deadline),
    })),
    personRoute(revokeTokenOperation, async (request) => {
      const id = parseId("tok", request.params["token_id"] ?? "");
      const revoked = id !== null && (await revokeToken(deps, request.person, id, originOf(request), request.deadline));
      if (!revoked) throw notFound();
      return { body: null };
    }),
  ];
}
