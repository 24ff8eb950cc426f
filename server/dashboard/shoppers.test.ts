import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp } from "../../testkit/app.ts";
import { postWebhook } from "../../testkit/commerce.ts";
import { inStore, TestPeople } from "../../testkit/members.ts";
import { settleTenant, type Tenant } from "../../testkit/tenants.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";

/** What the dashboard asks of a store in which something happened. */

let t: TestApp;
let tenant: Tenant;
/** of the visits that the tenant had: which of its two people is the first of a list is by chance */
let visit: number;
const people = new TestPeople();
const headers: Record<string, Record<string, string>> = {};
const ask = (method: string, path: string, as = "owner", body?: unknown) =>
  t.request(method, `/dashboard/api${path}`, { headers: headers[as] ?? {}, body });
const get = (path: string, as = "owner") => ask("GET", path, as);
beforeAll(async () => {
  t = await openTestApp({ signedIn: people.signedIn });
  tenant = await settleTenant(t, "lumen");
  for (const role of ["analyst", "editor", "owner"] as const)
    headers[role] = inStore(people.add(role, { in: [[tenant.store, role]] }), tenant.store);
  visit = Number((await get(`/v1/profiles/${tenant.names.person}`)).text.match(/lumen\.(\d)@/)?.[1]);
}, 60_000);
afterAll(() => t.close());
beforeEach(() => {
  t.passTime(60_000);
  t.calendar.advance(60_000);
});

const contact = /lumen\.\d@example\.com|\+1 ?202 ?555/;

const audited = async (): Promise<Body[]> => (await get("/audit?limit=100")).body.data;

describe("a person's timeline [dashboard-api.timeline]", () => {
  it("tells the visit with its pages, answers and products, and the order, newest first", async () => {
    const { body, status } = await get(`/profiles/${tenant.names.person}/timeline`);
    expect([status, body.has_more]).toEqual([200, false]);
    const kinds = body.data.map(({ kind }: Body) => kind);
    expect(kinds.toReversed()).toEqual([
      ...["opened", "page", "answered", "page", "answered", "answered", "answered", "answered", "page"],
      ...["shown", "added", "finished", "order"],
    ]);
    const times = body.data.map(({ at }: Body) => at);
    expect(times).toEqual(times.toSorted().reverse());
    const told = body.data.filter(({ kind }: Body) => kind === "answered").toReversed();
    expect(told.map(({ values }: Body) => values[0])).toEqual([
      ...[
        "Dry of lumen",
        String(30 + visit),
        `lumen.${visit}@example.com`,
        `+1 202 555 010${visit}`,
        "a note of lumen",
      ],
    ]);
    const [shown] = body.data.filter(({ kind }: Body) => kind === "shown");
    expect(shown.products).toMatchObject([{ title: "Cream of lumen", price: { amount: "19.50", currency: "USD" } }]);
    expect(body.data[0]).toMatchObject({ kind: "order", order: { order_name: `#lumen-${visit}` } });
    expect(shown).toMatchObject({ quiz_id: tenant.quiz.id, quiz_name: "Quiz of lumen" });
  });

  it("is cut between sessions and orders, without losing or repeating any", async () => {
    const whole = (await get(`/profiles/${tenant.names.person}/timeline`)).body.data;
    const first = (await get(`/profiles/${tenant.names.person}/timeline?limit=1`)).body;
    const rest = await get(`/profiles/${tenant.names.person}/timeline?limit=1&cursor=${first.next_cursor}`);
    const ids = [...first.data, ...rest.body.data].map(({ id }: Body) => id);
    expect([first.has_more, rest.body.has_more, ids.toSorted()]).toEqual([
      ...[true, false, whole.map(({ id }: Body) => id).toSorted()],
    ]);
    const other = await get(`/profiles/prof_${"0".repeat(32)}/timeline`);
    expect([other.status, (await get("/profiles/x/timeline")).status]).toEqual([404, 404]);
  });
});

describe("deliveries and events [dashboard-api.deliveries]", () => {
  it("are found by status and topic", async () => {
    const path = `/webhooks/${tenant.names.endpoint}/deliveries`;
    const dead = (await get(`${path}?status=dead`)).body.data;
    expect(dead.map(({ id }: Body) => id)).toEqual([tenant.names.delivery]);
    const finished = (await get(`${path}?topic=quiz.finished`)).body.data;
    expect(finished.length).toBe(2);
    expect((await get(`${path}?status=lost`)).body.errors[0].field).toBe("query.status");
  });

  it("hold contacts for owners, and none for editors", async () => {
    const path = `/webhooks/${tenant.names.endpoint}/deliveries`;
    const [delivery] = (await get(`${path}?topic=identity.captured`)).body.data;
    const one = await get(`${path}/${delivery.id}`);
    expect([one.status, one.body.payload.data.object.identity.value]).toEqual([200, expect.stringMatching(contact)]);
    const hidden = await get(`${path}/${delivery.id}`, "editor");
    expect([hidden.body.payload, hidden.body.last_response]).toEqual([null, null]);
    const event = `/v1/events/${delivery.event_id}`;
    expect((await get(`${event}?include_pii=true`)).text).toMatch(contact);
    expect((await get(`${event}?include_pii=true`, "editor")).status).toBe(403);
    const without = await get(event, "editor");
    expect([without.status, without.body.data.object.identity.value]).toEqual([200, null]);
    expect(without.text).not.toMatch(contact);
    expect((await get(event, "analyst")).status).toBe(403);
  });

  it("are counted by what became of them in a day", async () => {
    const { data } = (await get("/webhooks/health")).body;
    const health = data.find(({ endpoint_id }: Body) => endpoint_id === tenant.names.endpoint);
    expect(health).toMatchObject({ day: { failed: 1, delivered: 0 }, last_delivered_at: null });
    expect(health.day.waiting).toBeGreaterThan(4);
  });
});

describe("files of people [dashboard-api.export-contacts]", () => {
  it("are for owners: nobody else has a link, or hears what was searched for", async () => {
    const path = `/v1/exports/${tenant.names.export}`;
    expect((await get(path)).body.download_url).toContain("/exports/");
    for (const role of ["editor", "analyst"]) {
      const answer = await get(path, role);
      expect([answer.status, answer.body.download_url]).toEqual([200, undefined]);
      const listed = await get("/v1/exports", role);
      expect([listed.body.data.length, listed.text.includes("text of lumen")]).toEqual([3, false]);
      const refused = await ask("POST", "/v1/exports", role, { dataset: "profiles" });
      expect([refused.status, refused.body.required]).toEqual([403, ["owner"]]);
    }
    expect((await get("/v1/exports")).text).toContain("text of lumen");
    const asked = await ask("POST", "/v1/exports", "editor", { dataset: "quiz_analytics" });
    expect([asked.status, asked.body.source]).toEqual([202, "dashboard"]);
  });
});

describe("where something is [dashboard-api.where]", () => {
  it("is told to those who may see it there", async () => {
    const { quiz, person, endpoint, event, export: file } = tenant.names;
    for (const [id, kind, screen] of [
      [quiz, "quiz", `/dashboard/quizzes/${quiz}`],
      [person, "profile", `/dashboard/profiles/${person}`],
      [endpoint, "webhook", `/dashboard/developers/webhooks/${endpoint}`],
      [event, "event", "/dashboard/developers/events"],
      [file, "export", "/dashboard/exports"],
    ])
      expect((await get(`/where/${id}`)).body).toEqual({ kind, store_id: tenant.store.id, url: screen });
    expect((await get(`/where/${quiz}`, "analyst")).status).toBe(200);
    for (const id of [person, endpoint, event]) expect((await get(`/where/${id}`, "analyst")).status).toBe(404);
    const stranger = people.add("stranger", { in: [[await t.store(), "owner"]] });
    const elsewhere = await t.request("GET", `/dashboard/api/where/${quiz}`, { headers: stranger });
    const nowhere = await t.request("GET", `/dashboard/api/where/quiz_${"0".repeat(32)}`, { headers: stranger });
    expect([elsewhere.status, nowhere.status, (await get("/where/toString")).status]).toEqual([404, 404, 404]);
  });
});

describe("what needs attention [dashboard-api.attention]", () => {
  const kinds = async (as = "owner") =>
    (await get("/attention", as)).body.data.map(({ kind, severity }: Body) => `${severity} ${kind}`);

  it("is nothing in a store in which all is well, and hints in a new one", async () => {
    expect(await kinds()).toEqual([]);
    const fresh = await t.store();
    const mine = inStore(people.add("nina", { in: [[fresh, "owner"]] }), fresh);
    const { body } = await t.request("GET", "/dashboard/api/attention", { headers: mine });
    expect(body.data.map(({ kind }: Body) => kind)).toEqual(["no_orders_connected", "no_quiz_live"]);
  });

  it("lists webhooks that fail, drafts that differ and credits, problems first", async () => {
    const { store, names } = tenant;
    await t.update(store, { limits: { credits_limit: 2 } });
    const db = t.database.reader().forStore(store.uuid);
    const at = new Date(t.calendar.now());
    const endpoint = parseId("whe", names.endpoint);
    await db.all(
      sql`UPDATE webhook_endpoints SET failing_since = ${at} WHERE store_id = ${ownStore} AND id = ${endpoint}`,
    );
    await db.all(sql`
      UPDATE quizzes SET draft = jsonb_set(draft, '{pages,0,title}', '"New"')
      WHERE store_id = ${ownStore} AND id = ${parseId("quiz", names.quiz)}`);
    t.passTime(6_000);
    expect(await kinds()).toEqual(["problem webhook_failing", "problem credits", "hint draft_differs"]);
    expect(await kinds("analyst")).toEqual(["problem credits", "hint draft_differs"]);
    await t.update(store, { plan: "other" });
    t.passTime(6_000);
    expect(await kinds()).toContain("problem plan_paused");
    await t.update(store, { plan: "enterprise", limits: {} });
    t.passTime(6_000);
  });
});

describe("an erasure [dashboard-api.erasure]", () => {
  it("is counted before, takes the contacts away, and is in the log; data is read before [dashboard-api.person-data, dashboard-api.audit]", async () => {
    const { person } = tenant.names;
    const data = await get(`/profiles/${person}/data`);
    expect(data.body.data.identities.map(({ value }: Body) => value).toSorted()).toEqual([
      ...[`+1202555010${visit}`, `lumen.${visit}@example.com`],
    ]);
    expect(Object.keys(data.body.data)).toContain("session_events");
    t.calendar.advance(1_000);
    const counted = (await get(`/profiles/${person}/erasure`)).body;
    expect(counted).toMatchObject({ sessions: 1, contacts: 2, answers: 3, orders: 1, exports: 2 });
    const stale = people.add("stale", { in: [[tenant.store, "owner"]], confirmedAt: 0 });
    const path = `/dashboard/api/profiles/${person}/erase`;
    const unproven = await t.request("POST", path, { headers: inStore(stale, tenant.store) });
    expect([unproven.status, unproven.body.title]).toEqual([403, "password_required"]);
    expect((await ask("POST", `/profiles/${person}/erase`, "editor")).status).toBe(403);
    const erased = await ask("POST", `/profiles/${person}/erase`);
    expect([erased.status, erased.body.sessions]).toEqual([200, 1]);
    expect((await ask("POST", `/profiles/${person}/erase`)).status).toBe(404);
    expect((await get(`/profiles/${person}/timeline`)).status).toBe(404);
    const rows = (await audited()).filter(({ target }) => target === person);
    expect(rows.map(({ action, actor }) => [action, actor.name])).toEqual([
      ["profile.erased", "owner@people.example"],
      ["profile.data_read", "owner@people.example"],
    ]);
    expect(JSON.stringify(rows)).not.toMatch(contact);
  });
});

describe("customers' requests for their data [dashboard-api.data-requests]", () => {
  const customer = { id: 1, email: "Asks@Example.com", phone: null };
  const other = `/data-requests/${"0".repeat(8)}-0000-7000-8000-${"0".repeat(12)}`;
  const newest = async () => (await get("/data-requests")).body.data[0];

  it("are listed and told of, read as often as needed, and forget their customer when they are closed", async () => {
    const payload = { customer, orders_requested: [9] };
    await postWebhook(t, tenant.store, { topic: "customers/data_request", payload });
    t.passTime(6_000);
    const waiting = { kind: "data_request_waiting", severity: "problem", url: "/dashboard/settings/data-requests" };
    expect((await get("/attention")).body.data).toContainEqual(expect.objectContaining(waiting));
    expect((await get("/attention", "editor")).text).not.toContain("data_request");
    const { request_id: id, answered_at } = await newest();
    expect(answered_at).toBeNull();
    for (let time = 0; time < 2; time += 1) {
      const { body } = await get(`/data-requests/${id}/data`);
      expect(body).toMatchObject({ request_id: id, store: "Shop of lumen" });
      expect(body.asked_for).toEqual({
        emails: ["asks@example.com"],
        phones: [],
        order_ids: ["gid://shopify/Order/9"],
      });
      expect(Object.keys(body.data)).toContain("session_events");
    }
    t.calendar.advance(1_000);
    const closed = await ask("POST", `/data-requests/${id}/close`);
    expect(closed.body).toEqual({ ...(await newest()), answered_at: new Date(t.calendar.now()).toISOString() });
    t.calendar.advance(1_000);
    expect((await ask("POST", `/data-requests/${id}/close`)).body).toEqual(closed.body);
    expect((await get(`/data-requests/${id}/data`)).status).toBe(404);
    const rows = (await audited()).filter(({ target }) => target === id);
    expect(rows.map(({ action }) => action)).toEqual([
      ...["data_request.answered", "data_request.read", "data_request.read"],
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/asks@/i);
    t.passTime(6_000);
    expect((await get("/attention")).text).not.toContain("data_request");
  });

  it("are the owner's, with the password given lately, and those of another store are not there", async () => {
    await postWebhook(t, tenant.store, { topic: "customers/data_request", payload: { customer } });
    const { request_id: id } = await newest();
    const elsewhere = await t.store();
    const stranger = inStore(people.add("otto", { in: [[elsewhere, "owner"]] }), elsewhere);
    const stale = inStore(people.add("late", { in: [[tenant.store, "owner"]], confirmedAt: 0 }), tenant.store);
    for (const [method, what] of [
      ["GET", "data"],
      ["POST", "close"],
    ] as const) {
      const path = `/data-requests/${id}/${what}`;
      const knock = (headers: Record<string, string>) => t.request(method, `/dashboard/api${path}`, { headers });
      expect((await ask(method, path, "editor")).status).toBe(403);
      expect((await knock(stale)).body.title).toBe("password_required");
      expect((await knock(stranger)).status).toBe(404);
      expect((await ask(method, `${other}/${what}`)).status).toBe(404);
      expect((await ask(method, `/data-requests/nonsense/${what}`)).status).toBe(404);
    }
    expect((await newest()).answered_at).toBeNull();
    await ask("POST", `/data-requests/${id}/close`);
  });
});

it("what people change stands in the log once, with who and what, and nothing secret [dashboard-api.audit]", async () => {
  const made = await ask("POST", "/keys", "owner", { name: "Logged", scopes: ["quizzes:read"] });
  const quiz = tenant.names.quiz;
  await ask("POST", `/v1/quizzes/${quiz}/archive`, "editor");
  await ask("POST", `/v1/quizzes/${quiz}/unarchive`, "editor");
  const revealed = await ask("POST", `/v1/webhooks/${tenant.names.endpoint}/reveal-secret`);
  const secret = await ask("PUT", "/commerce/secret", "owner", { secret: "canary secret of the platform" });
  expect([revealed.status, secret.status]).toEqual([200, 200]);
  await ask("PATCH", "/settings", "owner", { timezone: "Mars/Olympus" });
  const rows = await audited();
  const since = rows.filter(({ at }) => Date.parse(at) === t.calendar.now());
  expect(since.map(({ action, actor, target }) => [action, actor.role, target]).toSorted()).toEqual([
    ["commerce.secret_set", "owner", null],
    ["key.created", "owner", made.body.id],
    ["quiz.archived", "editor", quiz],
    ["quiz.unarchived", "editor", quiz],
    ["webhook.secret_revealed", "owner", tenant.names.endpoint],
  ]);
  const created = since.find(({ action }) => action === "key.created");
  expect(created?.["details"]).toEqual({ name: "Logged", scopes: ["quizzes:read"] });
  for (const hidden of ["canary secret", made.body.key, revealed.body.secret])
    expect(JSON.stringify(rows)).not.toContain(hidden);
  expect((await get("/audit", "editor")).status).toBe(403);
});
