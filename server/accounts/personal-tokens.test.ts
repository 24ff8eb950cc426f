import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Role } from "../../contract/roles.ts";
import { type Browser, invitedBy, signedIn } from "../../testkit/accounts.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { toolsOf } from "../../testkit/erasure.ts";
import { patience } from "../../testkit/slowness.ts";
import { settleTenant, type Tenant } from "../../testkit/tenants.ts";
import { eraseStore } from "../erasure/erase-store.ts";
import { newKeyText } from "../stores/public.ts";
import { endTokensOfStore, forgetExpiredTokens } from "./public.ts";
import { codeOf, stepAt } from "./totp.ts";
import { disableUser, enableUser } from "./users.ts";

/** Programs that act for a person. */

let t: TestApp;
let store: TestStore;
let other: TestStore;
const unixMs = Date.parse("2026-05-01T10:00:00.000Z");
beforeAll(async () => {
  t = await openTestApp({ unixNow: () => unixMs });
  [store, other] = [await t.store(), await t.store()];
});
afterAll(() => t.close());
beforeEach(() => t.passTime(3_600_000));

const minute = 60_000;
const day = 24 * 60 * minute;
const inDays = (days: number) => new Date(t.calendar.now() + days * day).toISOString();
const make = (browser: Browser, given: Record<string, unknown> = {}) =>
  browser.request("POST", "/me/tokens", {
    body: { name: "Assistant", store_id: store.id, expires_at: inDays(30), ...given },
  });
const list = async (browser: Browser) => (await browser.request("GET", "/me/tokens")).body.data;

let people = 0;
/** somebody new of the store */
const person = (role: Role, of = store) => {
  people += 1;
  return signedIn(t, `person-${people}@tokens.example`, { store: of, role, password: "a long pass phrase" });
};
const tokenOf = async (browser: Browser, given = {}): Promise<string> => (await make(browser, given)).body.token;

const call = (token: string, path = "/v1/store", method = "GET", headers = {}, body?: unknown) =>
  t.request(method, `/dashboard/api${path}`, { headers: { authorization: `Bearer ${token}`, ...headers }, body });
const statusOf = async (token: string) => (await call(token)).status;

describe("personal tokens", () => {
  it("are made with a name and an end, shown once, kept as a hash, and listed with their use [accounts.tokens]", async () => {
    const ada = await person("editor");
    t.calendar.advance(minute);
    const made = await make(ada, { name: " Laptop " });
    expect([made.status, made.body.name, made.body.store]).toEqual([
      ...[201, "Laptop", { id: store.id, name: expect.any(String), role: "editor" }],
    ]);
    const { token, ...listed } = made.body;
    expect(token).toMatch(/^svc_user_[0-9A-Za-z]{36}$/);
    expect(await list(ada)).toEqual([listed]);
    expect([listed.head, listed.last_four, listed.last_used_at]).toEqual([token.slice(0, 13), token.slice(-4), null]);
    expect(await statusOf(token)).toBe(200);
    await expect
      .poll(async () => (await list(ada))[0].last_used_at, { timeout: 5_000 * patience })
      .toBe(new Date(t.calendar.now() - (t.calendar.now() % minute)).toISOString());
    const rows = await t.database.reader().all({ sql: "SELECT * FROM personal_tokens", parameters: [] });
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token.slice(9, 39));
  });

  it("are refused by field: no name, a store of others, an end that is past or far away [accounts.tokens]", async () => {
    const ada = await person("owner");
    for (const [given, field] of [
      [{ name: " " }, "body.name"],
      [{ store_id: other.id }, "body.store_id"],
      [{ expires_at: inDays(0) }, "body.expires_at"],
      [{ expires_at: inDays(367) }, "body.expires_at"],
      [{ expires_at: null }, "body.expires_at"],
      [{ scopes: [] }, "body.scopes"],
    ] as const) {
      const answer = await make(ada, given);
      expect([answer.status, answer.body.errors?.[0].field]).toEqual([422, field]);
    }
    expect(await list(ada)).toEqual([]);
  });

  it("ask for the password again, and are at most fifty [accounts.tokens, dashboard-api.password-again]", async () => {
    const ada = await person("analyst");
    for (let made = 0; made < 50; made += 1) expect((await make(ada)).status).toBe(201);
    expect((await make(ada)).body.title).toBe("conflict");
    t.calendar.advance(11 * minute);
    expect((await make(ada)).body.title).toBe("password_required");
  });

  it("are seen and revoked by their person alone, at once [accounts.tokens]", async () => {
    const [ada, bob] = [await person("owner"), await person("owner")];
    const { id, token } = (await make(ada)).body;
    expect(await list(bob)).toEqual([]);
    expect((await bob.request("DELETE", `/me/tokens/${id}`)).status).toBe(404);
    expect(await statusOf(token)).toBe(200);
    expect((await ada.request("DELETE", `/me/tokens/${id}`)).status).toBe(204);
    expect((await ada.request("DELETE", `/me/tokens/${id}`)).status).toBe(404);
    expect(await statusOf(token)).toBe(401);
  });

  it("stand in the store's log when they are made and revoked, without their text [accounts.audit]", async () => {
    const ada = await person("owner");
    const { id, token } = (await make(ada, { name: "Logged" })).body;
    await ada.request("DELETE", `/me/tokens/${id}`);
    const { text, body } = await ada.request("GET", "/audit?limit=100", { store });
    const rows = body.data.filter(({ target }: { target: string }) => target === id);
    expect(rows.map(({ action, actor, details }: Record<string, object>) => [action, actor, details])).toEqual(
      expect.arrayContaining([
        ["token.created", expect.objectContaining({ kind: "person", role: "owner" }), expect.anything()],
        ["token.revoked", expect.objectContaining({ kind: "person", role: "owner" }), { name: "Logged" }],
      ]),
    );
    expect(text).not.toContain(token);
  });
});

describe("what a personal token opens", () => {
  let own: Tenant;
  let theirs: Tenant;
  beforeAll(async () => {
    [own, theirs] = [await settleTenant(t, "own"), await settleTenant(t, "theirs")];
  }, 60_000);

  it("is what its person's role allows, and no contact that the role hides [accounts.token-rights]", async () => {
    const expected = {
      analyst: { "/v1/quizzes": 200, "/v1/analytics/summary": 200, "/v1/profiles": 403, "/v1/webhooks": 403 },
      editor: { "/v1/quizzes": 200, "/v1/analytics/summary": 200, "/v1/profiles": 403, "/v1/webhooks": 200 },
      owner: { "/v1/quizzes": 200, "/v1/analytics/summary": 200, "/v1/profiles": 200, "/v1/webhooks": 200 },
    };
    for (const [role, paths] of Object.entries(expected)) {
      const token = await tokenOf(await person(role as Role, own.store), { store_id: own.store.id });
      for (const [path, status] of Object.entries(paths)) {
        const answer = await call(token, path);
        expect([role, path, answer.status]).toEqual([role, path, status]);
        if (status === 403) expect(answer.body.title).toBe("insufficient_role");
        if (role !== "owner") expect(answer.text).not.toContain("own.0@example.com");
      }
    }
  });

  it("is one store, whichever others the person belongs to [accounts.token-rights]", async () => {
    const ada = await person("owner", own.store);
    const { person: me } = (await ada.request("GET", "/me")).body;
    const token = await tokenOf(ada, { store_id: own.store.id });
    await ada.request("POST", "/links/use", {
      body: { token: await invitedBy(t, me.email, { store: theirs.store, role: "owner" }) },
    });
    expect((await call(token, "/v1/store", "GET", { "quizstore-store": own.store.id })).body.name).toBe("Shop of own");
    const named = await call(token, "/v1/store", "GET", { "quizstore-store": theirs.store.id });
    expect([named.status, named.body.title]).toEqual([404, "not_found"]);
    for (const path of [`/v1/quizzes/${theirs.names.quiz}`, `/v1/profiles/${theirs.names.person}`])
      expect((await call(token, path)).status).toBe(404);
  });

  it("is no operation of keys, and none of the dashboard's own [accounts.token-rights, dashboard-api.tokens]", async () => {
    const token = await tokenOf(await person("owner"));
    expect((await t.request("GET", "/v1/store", { key: token })).body.title).toBe("invalid_api_key");
    for (const path of ["/me", "/me/tokens", "/keys", "/members", "/audit", "/settings"])
      expect([path, (await call(token, path)).body.title]).toEqual([path, "not_signed_in"]);
    const made = await call(token, "/keys", "POST", {}, { name: "x", scopes: ["quizzes:read"] });
    expect(made.body.title).toBe("not_signed_in");
  });

  it("is no secret: nobody is there to give the password again [dashboard-api.tokens]", async () => {
    const token = await tokenOf(await person("owner", own.store), { store_id: own.store.id });
    const secret = await call(token, `/v1/webhooks/${own.names.endpoint}/reveal-secret`, "POST");
    expect([secret.status, secret.body.title]).toEqual([403, "password_required"]);
    const editor = await tokenOf(await person("analyst", own.store), { store_id: own.store.id });
    const lesser = await call(editor, `/v1/webhooks/${own.names.endpoint}/reveal-secret`, "POST");
    expect(lesser.body.title).toBe("insufficient_role");
  });

  it("is changed from anywhere, and told of in the log with the person and the token [dashboard-api.tokens, dashboard-api.audit]", async () => {
    const ada = await person("owner", own.store);
    const { id, token } = (await make(ada, { store_id: own.store.id })).body;
    const archived = await call(token, `/v1/quizzes/${own.names.quiz}/archive`, "POST", {
      origin: "https://x.example",
    });
    expect(archived.status).toBe(200);
    await call(token, `/v1/quizzes/${own.names.quiz}/unarchive`, "POST");
    const { body } = await ada.request("GET", "/audit?action=quiz.archived", { store: own.store });
    const me = (await ada.request("GET", "/me")).body.person;
    expect(body.data[0].actor).toMatchObject({ kind: "person", id: me.id, role: "owner", support: false });
    expect(body.data[0].details).toEqual({ token: id });
  });
});

describe("a personal token", () => {
  it("that is mistyped, unknown or of another kind is refused in one way, whatever cookie comes with it [accounts.token-rights]", async () => {
    const ada = await person("owner");
    const token = await tokenOf(ada);
    const unknown = newKeyText(t.foundations.random, "person");
    const told = async (text: string, headers = {}) => {
      const { status, body, headers: sent } = await call(text, "/v1/store", "GET", headers);
      const { request_id: _, ...rest } = body;
      return [status, sent["www-authenticate"], rest];
    };
    const refused = await told(unknown);
    expect(refused).toMatchObject([401, "Bearer", { title: "invalid_api_key" }]);
    for (const text of ["svc_user_", "svc_user_x", `${token}a`, `${token.slice(0, -1)}_`])
      expect(await told(text)).toEqual(refused);
    expect(await told(unknown, { cookie: ada.cookie(), "sec-fetch-site": "same-origin" })).toEqual(refused);
    // a key of the store is no person, and a proxy's own password is neither
    for (const other of [store.key, "abc"]) {
      const { body } = await call(other);
      expect(body.title).toBe("not_signed_in");
    }
    const basic = { authorization: "Basic abc", cookie: ada.cookie(), "sec-fetch-site": "same-origin" };
    expect((await t.request("GET", "/dashboard/api/v1/store", { headers: basic })).status).toBe(200);
  });

  it("ends with its time, and is forgotten a month later [accounts.token-rights]", async () => {
    const ada = await person("owner");
    const token = await tokenOf(ada, { expires_at: inDays(3) });
    t.calendar.advance(3 * day - 1);
    expect(await statusOf(token)).toBe(200);
    t.calendar.advance(1);
    expect(await statusOf(token)).toBe(401);
    const forget = () => forgetExpiredTokens(t.database.reader(), t.calendar.now());
    const rows = () =>
      t.database
        .reader()
        .all({ sql: "SELECT id FROM personal_tokens WHERE last_four = $1", parameters: [token.slice(-4)] });
    t.calendar.advance(30 * day - 1);
    await forget();
    expect(await rows()).toHaveLength(1);
    t.calendar.advance(1);
    await forget();
    expect(await rows()).toHaveLength(0);
  });

  it("has the rights that its person has now, and ends for good when they are removed [accounts.token-rights]", async () => {
    const [owner, ada] = [await person("owner"), await person("owner")];
    const { id, email } = (await ada.request("GET", "/me")).body.person;
    const token = await tokenOf(ada);
    expect((await call(token, "/v1/profiles")).status).toBe(200);
    await owner.request("PATCH", `/members/${id}`, { store, body: { role: "analyst" } });
    expect((await call(token, "/v1/profiles")).body.title).toBe("insufficient_role");
    expect(await statusOf(token)).toBe(200);
    await owner.request("DELETE", `/members/${id}`, { store });
    expect(await statusOf(token)).toBe(401);
    await signedIn(t, email, { store: other, role: "owner" });
    await ada.request("POST", "/links/use", { body: { token: await invitedBy(t, email, { store, role: "owner" }) } });
    expect(await statusOf(token)).toBe(401);
  });

  it("ends for good when its person is disabled, sets a password or adds an authenticator [accounts.token-rights]", async () => {
    const ada = await person("owner");
    const { email } = (await ada.request("GET", "/me")).body.person;
    const deps = { ...t.foundations, baseUrl: t.foundations.config.baseUrl };
    let token = await tokenOf(ada);
    await ada.request("POST", "/me/password", { body: { password: "another long pass phrase" } });
    expect([await statusOf(token), await list(ada)]).toEqual([401, []]);
    token = await tokenOf(ada);
    const { secret } = (await ada.request("POST", "/me/totp")).body;
    const confirmed = await ada.request("POST", "/me/totp/confirm", { body: { code: codeOf(secret, stepAt(unixMs)) } });
    expect([confirmed.status, await statusOf(token)]).toEqual([200, 401]);
    token = await tokenOf(ada);
    await t.database.transaction((tx) => disableUser(tx, deps, email));
    expect(await statusOf(token)).toBe(401);
    await t.database.transaction((tx) => enableUser(tx, deps, email));
    expect(await statusOf(token)).toBe(401);
  });

  it("creates a webhook endpoint without seeing its secret, in a repeat neither, whoever was first [dashboard-api.tokens, webhooks.secret]", async () => {
    const ada = await person("owner");
    const token = await tokenOf(ada);
    const create = (key: string, name: string, by: "token" | "session") => {
      const sent = {
        body: { url: `https://${name}.example.com/`, topics: ["quiz.started"] },
        headers: { "idempotency-key": `${key}-${name}` },
      };
      return by === "session"
        ? ada.request("POST", "/v1/webhooks", { store, ...sent })
        : t.request("POST", "/dashboard/api/v1/webhooks", {
            ...sent,
            headers: { ...sent.headers, authorization: `Bearer ${token}` },
          });
    };
    const { secret: _, ...shown } = (await create("a", "one", "token")).body;
    expect(_).toBeUndefined();
    expect(shown).toMatchObject({ url: "https://one.example.com/" });
    const made = await create("b", "two", "session");
    expect([made.status, made.body.secret]).toEqual([201, expect.stringMatching(/^whsec_/)]);
    const repeat = await create("b", "two", "token");
    expect([repeat.status, repeat.headers["idempotent-replayed"]]).toEqual([201, "true"]);
    expect(repeat.text).not.toContain("whsec_");
    // a person sees it again within ten minutes of the password, and not after them
    expect((await create("b", "two", "session")).text).toBe(made.text);
    t.calendar.advance(10 * 60_000);
    for (const name of ["two", "three"]) {
      const stale = await create("b", name, "session");
      expect([stale.status, stale.body.title]).toEqual([403, "password_required"]);
    }
    expect((await create("c", "three", "token")).status).toBe(201);
  });

  it("is none that somebody makes while they are removed or disabled [accounts.token-rights]", async () => {
    const owner = await person("owner");
    for (let round = 0; round < 5; round += 1) {
      const ada = await person("editor");
      const { id } = (await ada.request("GET", "/me")).body.person;
      const remove = () => owner.request("DELETE", `/members/${id}`, { store });
      let [made, removed] = await Promise.all([make(ada), remove()]);
      // on a cluster the two can wait for each other, and one is asked to come again
      if (removed.status === 503) removed = await remove();
      expect(removed.status).toBe(204);
      if (made.status === 201) expect(await statusOf(made.body.token)).toBe(401);
      const rows = await t.database.reader().all({
        sql: "SELECT t.id FROM personal_tokens t JOIN users u ON u.id = t.user_id WHERE 'user_' || replace(u.id::text, '-', '') = $1",
        parameters: [id],
      });
      expect(rows).toEqual([]);
    }
  });

  it("ends with its store: disconnected, connected again or erased [accounts.token-rights, accounts.store-gone]", async () => {
    const gone = await t.store();
    const token = await tokenOf(await person("owner", gone), { store_id: gone.id });
    expect(await statusOf(token)).toBe(200);
    await t.database.transaction((tx) => endTokensOfStore(tx, gone.uuid));
    expect(await statusOf(token)).toBe(401);
    await t.database
      .reader()
      .all({ sql: "UPDATE stores SET disconnected_at = NULL WHERE id = $1", parameters: [gone.uuid] });
    expect(await statusOf(token)).toBe(401);
    const erased = await t.store();
    await tokenOf(await person("owner", erased), { store_id: erased.id });
    await t.database.transaction((tx) => eraseStore(tx, erased.uuid, toolsOf(t), { by: "test" }));
    const left = await t.database
      .reader()
      .all({ sql: "SELECT id FROM personal_tokens WHERE store_id = $1", parameters: [erased.uuid] });
    expect(left).toEqual([]);
  });
});
