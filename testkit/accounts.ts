import type { Role } from "../contract/roles.ts";
import { ensureUser } from "../server/accounts/user-rows.ts";
import { inviteUser, loginLink } from "../server/accounts/users.ts";
import type { Answered, TestApp, TestStore } from "./app.ts";

/** People who sign in the normal way, each with a browser's cookies. */
export interface Browser {
  request(method: string, url: string, options?: BrowserRequest): Promise<Answered>;
  /** the Cookie header of the next request */
  cookie(): string;
}

interface BrowserRequest {
  body?: unknown;
  store?: TestStore;
  headers?: Record<string, string>;
}

/** Stores and deletes cookies as answers tell it to, like a browser. */
export function browserOf(t: Pick<TestApp, "request">): Browser {
  const cookies = new Map<string, string>();
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return {
    cookie,
    async request(method, url, { body, store, headers = {} } = {}) {
      const sent = {
        "sec-fetch-site": "same-origin",
        ...(cookies.size > 0 ? { cookie: cookie() } : {}),
        ...(store ? { "quizstore-store": store.id } : {}),
        ...headers,
      };
      const answer = await t.request(method, `/dashboard/api${url}`, {
        headers: sent,
        ...(body === undefined ? {} : { body }),
      });
      for (const set of [answer.headers["set-cookie"] ?? []].flat()) {
        const [pair = "", ...attributes] = String(set).split(/; */);
        const name = pair.slice(0, pair.indexOf("="));
        if (attributes.includes("Max-Age=0")) cookies.delete(name);
        else cookies.set(name, pair.slice(name.length + 1));
      }
      return answer;
    },
  };
}

export const tokenOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1);

type App = Pick<TestApp, "request" | "database" | "foundations">;

const depsOf = ({ foundations }: App) => ({ ...foundations, baseUrl: foundations.config.baseUrl });

/** Does the same as `quizstore user invite`. */
export async function invitedBy(
  t: App,
  email: string,
  options: { store?: Pick<TestStore, "id">; role?: Role; operator?: true },
) {
  const { store, ...others } = options;
  const given = { ...others, ...(store ? { store: store.id } : {}) };
  const { url } = await t.database.transaction((tx) => inviteUser(tx, depsOf(t), email, given));
  return tokenOf(url);
}

/** Does the same as `quizstore user login-link`. */
export async function linkFor(t: App, email: string): Promise<string> {
  return tokenOf((await t.database.transaction((tx) => loginLink(tx, depsOf(t), email))).url);
}

/** The browser of a person who used a link from the command line. */
export async function signedIn(
  t: App,
  email: string,
  options: { store?: Pick<TestStore, "id">; role?: Role; operator?: true; password?: string } = {},
): Promise<Browser> {
  const { password, ...invitation } = options;
  const browser = browserOf(t);
  const isInvited = invitation.store !== undefined || invitation.operator === true;
  if (!isInvited) await t.database.transaction((tx) => ensureUser(tx, t.foundations, email));
  const token = isInvited ? await invitedBy(t, email, invitation) : await linkFor(t, email);
  const answer = await browser.request("POST", "/links/use", { body: { token, ...(password ? { password } : {}) } });
  if (answer.status !== 200) throw new Error(`${email} was not signed in: ${answer.text}`);
  return browser;
}
