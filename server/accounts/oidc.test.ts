import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { browserOf, invitedBy, linkFor, signedIn, tokenOf } from "../../testkit/accounts.ts";
import { openTestApp, requester, type TestApp, type TestStore } from "../../testkit/app.ts";
import { oidcClient, type RunningProvider, runProvider, signInAt } from "../../testkit/identity-provider.ts";
import { writtenOnEveryNode } from "../../testkit/node-writes.ts";
import { secretWaysOf } from "./identity-provider.ts";
import { codeOf, stepAt } from "./totp.ts";
import { disableUser, loginLink } from "./users.ts";

const callback = "http://api.test/dashboard/api/oidc/callback";
let t: TestApp;
let ask: ReturnType<typeof requester>;
let store: TestStore;
let provider: RunningProvider;
beforeAll(async () => {
  t = await openTestApp();
  provider = await runProvider(callback);
  ask = asking(provider);
  store = await t.store();
});
afterAll(async () => {
  await t.close();
  await provider.close();
});
beforeEach(() => t.passTime(3_600_000));

const asking = ({ issuer }: Pick<RunningProvider, "issuer">, secret = oidcClient.clientSecret) =>
  requester(
    t.compose({
      config: {
        ...t.foundations.config,
        oidcIssuer: issuer,
        oidcClientId: oidcClient.clientId,
        oidcClientSecret: secret,
        oidcName: "Example SSO",
      },
    }),
  );

const cookiesOf = (headers: Record<string, unknown>): string[] =>
  [headers["set-cookie"] ?? []].flat().map((set) => String(set).split(";")[0] ?? "");
const startedWith = async (query = "") => {
  const started = await ask("GET", `/dashboard/api/oidc/start${query}`);
  expect(started.status).toBe(302);
  return { cookie: cookiesOf(started.headers)[0] ?? "", url: String(started.headers["location"]) };
};
const comeBack = (url: URL, cookie: string) => ask("GET", url.pathname + url.search, { headers: { cookie } });

/** All of it: there, signed in as `name`, and back. */
async function signInAs(name: string, query = "") {
  const { cookie, url } = await startedWith(query);
  const back = await comeBack(await signInAt(url, name, callback), cookie);
  const session = cookiesOf(back.headers).find((pair) => pair.startsWith("quizstore=")) ?? null;
  return { back, session, location: String(back.headers["location"]) };
}
const me = async (session: string | null) => ask("GET", "/dashboard/api/me", { headers: { cookie: session ?? "" } });

describe("an identity provider", () => {
  it("is told of on the sign-in page [accounts.oidc]", async () => {
    const options = await ask("GET", "/dashboard/api/sign-in/options");
    expect(options.body.oidc).toEqual({ name: "Example SSO", url: "/dashboard/api/oidc/start" });
  });

  it("signs in who has an account of a verified address, then by their subject [accounts.oidc]", async () => {
    await signedIn(t, "ada@sso.example", { store, role: "editor" });
    provider.accounts.set("ada", { email: "Ada@SSO.example", email_verified: true });
    const first = await signInAs("ada", "?return_to=%2Fdashboard%2Fquizzes%3Fstore%3Dx");
    expect(first.location).toBe("http://api.test/dashboard/quizzes?store=x");
    expect((await me(first.session)).body).toMatchObject({
      person: { email: "ada@sso.example" },
      stores: [{ id: store.id, role: "editor" }],
    });
    // another address there later changes nothing, since the subject is known
    provider.accounts.set("ada", { email: "other@sso.example", email_verified: true });
    const second = await signInAs("ada");
    expect((await me(second.session)).body.person.email).toBe("ada@sso.example");
    expect(second.location).toBe("http://api.test/dashboard");
  });

  it("writes nothing that every node of a cluster has [operations.node-writes]", async () => {
    await signedIn(t, "way@sso.example", { store, role: "editor" });
    provider.accounts.set("way", { email: "way@sso.example", email_verified: true });
    expect(await writtenOnEveryNode(() => signInAs("way"))).toEqual([]);
  });

  it("lets nobody in without an account, or whose address it has not verified [accounts.oidc]", async () => {
    await signedIn(t, "bob@sso.example", { store, role: "editor" });
    provider.accounts.set("nobody", { email: "nobody@sso.example", email_verified: true });
    provider.accounts.set("claims", { email: "bob@sso.example", email_verified: false });
    provider.accounts.set("silent", { email: "bob@sso.example" });
    for (const name of ["nobody", "claims", "silent"]) {
      const { session, location } = await signInAs(name);
      expect([session, location]).toEqual([null, "http://api.test/dashboard/sign-in?problem=no_account"]);
    }
    const { location } = await signInAs("nobody", "?return_to=/dashboard/people");
    expect(location).toBe("http://api.test/dashboard/sign-in?problem=no_account&return_to=%2Fdashboard%2Fpeople");
  });

  it("lets in who opened an invitation of theirs, and no other's [accounts.oidc]", async () => {
    const token = await invitedBy(t, "new@sso.example", { store, role: "analyst" });
    provider.accounts.set("thief", { email: "thief@sso.example", email_verified: true });
    expect((await signInAs("thief", `?return_to=/dashboard/link/${token}`)).session).toBeNull();
    provider.accounts.set("new", { email: "new@sso.example", email_verified: true, name: "New" });
    const { session, location } = await signInAs("new", `?return_to=/dashboard/link/${token}`);
    expect(location).toBe("http://api.test/dashboard");
    expect((await me(session)).body).toMatchObject({
      person: { email: "new@sso.example", name: "New", has_password: false },
      stores: [{ id: store.id, role: "analyst" }],
    });
  });

  it("lets in no disabled person [accounts.disabled]", async () => {
    await signedIn(t, "off@sso.example", { store, role: "editor" });
    provider.accounts.set("off", { email: "off@sso.example", email_verified: true });
    expect((await signInAs("off")).session).not.toBeNull();
    const deps = { ...t.foundations, baseUrl: t.foundations.config.baseUrl };
    await t.database.transaction((tx) => disableUser(tx, deps, "off@sso.example"));
    expect((await signInAs("off")).session).toBeNull();
  });

  it("takes no second subject of one address, says so on the page and in the log [accounts.oidc-one]", async () => {
    const owner = await signedIn(t, "one@sso.example", { store, role: "owner" });
    for (const name of ["first", "second"])
      provider.accounts.set(name, { email: "one@sso.example", email_verified: true });
    expect((await signInAs("first")).session).not.toBeNull();
    const refused = "http://api.test/dashboard/sign-in?problem=other_identity";
    for (let time = 0; time < 2; time += 1) {
      const { session, location } = await signInAs("second");
      expect([session, location]).toEqual([null, refused]);
    }
    // nor in the browser in which the person is signed in, whose session goes on
    const { cookie, url } = await startedWith();
    const back = await comeBack(await signInAt(url, "second", callback), `${cookie}; ${owner.cookie()}`);
    expect(String(back.headers["location"])).toBe(refused);
    const log = (await owner.request("GET", "/audit?action=person.sign_in_refused", { store })).body.data;
    expect(log).toMatchObject(Array(3).fill({ target: "one@sso.example", details: { by: "identity provider" } }));
    expect((await signInAs("first")).session).not.toBeNull();
    // a person whose account there was replaced
    const deps = { ...t.foundations, baseUrl: t.foundations.config.baseUrl };
    await t.database.transaction((tx) => loginLink(tx, deps, "one@sso.example", { withoutIdentity: true }));
    expect((await signInAs("second")).session).not.toBeNull();
    expect((await signInAs("first")).location).toBe(refused);
  });

  it("ties an account to one of two subjects that come at once [accounts.oidc-one]", async () => {
    await signedIn(t, "both@sso.example", { store, role: "editor" });
    const names = ["left", "right", "middle"];
    for (const name of names) provider.accounts.set(name, { email: "both@sso.example", email_verified: true });
    const sessions = (await Promise.all(names.map((name) => signInAs(name)))).map(({ session }) => session);
    expect(sessions.filter((session) => session !== null)).toHaveLength(1);
  });

  it("is not believed what this browser did not ask, nor twice [accounts.oidc]", async () => {
    await signedIn(t, "eve@sso.example", { store, role: "owner" });
    provider.accounts.set("eve", { email: "eve@sso.example", email_verified: true });
    const refused = "http://api.test/dashboard/sign-in?problem=provider_failed";
    const { cookie, url } = await startedWith();
    const answer = await signInAt(url, "eve", callback);
    const other = await startedWith();
    const elsewhere = await comeBack(answer, other.cookie);
    expect([elsewhere.headers["location"], cookiesOf(elsewhere.headers)]).toEqual([refused, ["quizstore-oidc="]]);
    expect((await comeBack(answer, "")).headers["location"]).toBe(refused);
    expect((await comeBack(answer, `${cookie}x`)).headers["location"]).toBe(refused);
    const forged = new URL(answer);
    forged.searchParams.set("state", "made up");
    expect((await comeBack(forged, cookie)).headers["location"]).toBe(refused);
    expect((await comeBack(answer, cookie)).headers["location"]).toBe("http://api.test/dashboard");
    expect((await comeBack(answer, cookie)).headers["location"]).toBe(refused);
  });

  it("leads back to this service alone [accounts.oidc]", async () => {
    await signedIn(t, "dan@sso.example", { store, role: "owner" });
    provider.accounts.set("dan", { email: "dan@sso.example", email_verified: true });
    for (const to of [
      "https://evil.example/dashboard",
      "//evil.example/dashboard",
      "/\\evil.example",
      "/demo",
      "javascript:alert(1)",
    ]) {
      const { location } = await signInAs("dan", `?return_to=${encodeURIComponent(to)}`);
      expect(location).toBe("http://api.test/dashboard");
    }
  });

  it("that is away is said on the page, and asked again the next time [accounts.oidc]", async () => {
    const started = await asking({ issuer: "http://127.0.0.1:9" })("GET", "/dashboard/api/oidc/start");
    expect(started.headers["location"]).toBe("http://api.test/dashboard/sign-in?problem=provider_failed");
    expect((await t.request("GET", "/dashboard/api/oidc/start")).status).toBe(404);
  });

  it("may put the address into its token [accounts.oidc]", async () => {
    const talkative = await runProvider(callback, { claimsInToken: true });
    const usual = ask;
    ask = asking(talkative);
    try {
      await signedIn(t, "tom@sso.example", { store, role: "owner" });
      talkative.accounts.set("tom", { email: "tom@sso.example", email_verified: true });
      expect((await me((await signInAs("tom")).session)).body.person.email).toBe("tom@sso.example");
    } finally {
      ask = usual;
      await talkative.close();
    }
  });

  it.each([
    { secretWays: ["client_secret_basic"] },
    { secretWays: ["client_secret_post"] },
    { secretWays: ["client_secret_post", "client_secret_basic"], strict: true },
    { secretWays: ["client_secret_basic", "client_secret_post"], strict: true },
  ] as const)("is sent the secret in a way that it takes: %o [accounts.oidc-secret]", async (options) => {
    const particular = await runProvider(callback, options);
    const usual = ask;
    ask = asking(particular);
    try {
      const email = `${randomUUID()}@sso.example`;
      await signedIn(t, email, { store, role: "owner" });
      particular.accounts.set(email, { email, email_verified: true });
      // the second time it is known
      for (let time = 0; time < 2; time += 1)
        expect((await me((await signInAs(email)).session)).body.person.email).toBe(email);
    } finally {
      ask = usual;
      await particular.close();
    }
  });

  it("that names no way is sent the secret as the standard says [accounts.oidc-secret]", () => {
    expect(secretWaysOf({ issuer: "x" })).toEqual(["client_secret_basic"]);
    const named = ["private_key_jwt", "client_secret_post"];
    expect(secretWaysOf({ issuer: "x", token_endpoint_auth_methods_supported: named })).toEqual(["client_secret_post"]);
  });

  it("that refuses has its code logged, and nothing of the person [accounts.oidc-secret]", async () => {
    const usual = ask;
    const logged = () => t.logged.flatMap((line) => (line.includes("provider_error") ? [JSON.parse(line)] : []));
    const before = logged().length;
    try {
      ask = asking(provider, "another secret");
      provider.accounts.set("ada", { email: "ada@sso.example", email_verified: true });
      expect((await signInAs("ada")).session).toBeNull();
      ask = usual;
      const { cookie, url } = await startedWith();
      const state = new URL(url).searchParams.get("state");
      const denied = `?error=access_denied&error_description=ada%40sso.example&state=${state}&iss=${encodeURIComponent(provider.issuer)}`;
      const back = await comeBack(new URL(callback + denied), cookie);
      expect(back.headers["location"]).toBe("http://api.test/dashboard/sign-in?problem=provider_failed");
      const lines = logged().slice(before);
      expect(lines.map(({ provider_error: code }) => code)).toEqual(["invalid_client", "access_denied"]);
      expect(JSON.stringify(lines)).not.toMatch(/ada@sso|another secret/);
    } finally {
      ask = usual;
    }
  });

  it("ends the session that the browser had before, and leaves links as they are [accounts.oidc]", async () => {
    const browser = await signedIn(t, "old@sso.example", { store, role: "owner" });
    provider.accounts.set("old", { email: "old@sso.example", email_verified: true });
    const { cookie, url } = await startedWith();
    const answer = await signInAt(url, "old", callback);
    const back = await comeBack(answer, `${cookie}; ${browser.cookie()}`);
    expect(back.headers["location"]).toBe("http://api.test/dashboard");
    expect((await browser.request("GET", "/me")).status).toBe(401);
    expect(tokenOf(await linkFor(t, "old@sso.example"))).toMatch(/^[\w-]{43}$/);
  });

  it("takes an account away from whoever made it for another's address, their app too [accounts.email-proven]", async () => {
    const owner = await signedIn(t, "host@sso.example", { store, role: "owner" });
    const body = { email: "heir@sso.example", role: "analyst" };
    const made = await owner.request("POST", "/invitations", { store, body });
    const squatter = browserOf(t);
    const password = "the squatter's own";
    const token = tokenOf(made.body.url);
    expect((await squatter.request("POST", "/links/use", { body: { token, password } })).status).toBe(200);
    const { secret } = (await squatter.request("POST", "/me/totp")).body;
    const code = codeOf(secret, stepAt(Date.now()));
    expect((await squatter.request("POST", "/me/totp/confirm", { body: { code } })).status).toBe(200);
    provider.accounts.set("heir", { email: "heir@sso.example", email_verified: true });
    const { session } = await signInAs("heir");
    expect((await me(session)).body.person).toMatchObject({
      email: "heir@sso.example",
      has_password: false,
      totp: false,
    });
    expect((await squatter.request("GET", "/me")).status).toBe(401);
    // the provider's word is there now: what the person sets from here on stays
    const headers = { cookie: session ?? "", "sec-fetch-site": "same-origin" };
    const set = await ask("POST", "/dashboard/api/me/password", {
      headers,
      body: { password: "the heir's own words" },
    });
    expect(set.status).toBe(200);
    expect((await me((await signInAs("heir")).session)).body.person.has_password).toBe(true);
  });

  it("makes nobody a member of a store that is disconnected since [accounts.store-gone]", async () => {
    const closing = await t.store();
    const token = await invitedBy(t, "late@sso.example", { store: closing, role: "editor" });
    await t.database.reader().all({
      sql: "UPDATE stores SET disconnected_at = $2 WHERE id = $1",
      parameters: [closing.uuid, new Date(t.calendar.now())],
    });
    provider.accounts.set("late", { email: "late@sso.example", email_verified: true });
    expect((await signInAs("late", `?return_to=/dashboard/link/${token}`)).session).toBeNull();
  });
});
