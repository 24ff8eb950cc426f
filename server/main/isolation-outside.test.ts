import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../contract/api.ts";
import { dashboardOperations } from "../../contract/dashboard/index.ts";
import { type Answered, type Body, openTestApp, type TestApp } from "../../testkit/app.ts";
import { commerceUrl, domainOf, orderRow, postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { putExport } from "../../testkit/exports.ts";
import { sessionRow } from "../../testkit/storefront.ts";
import { marksOf, type Names, nobodys, portrait, settleTenant, type Tenant } from "../../testkit/tenants.ts";
import { parseId } from "../platform/ids.ts";
import { signPreview } from "../quizzes/public.ts";
import { screens } from "../web/dashboard-routes.ts";

/**
 * What lies outside of the contract, and needs no key: nothing there leads from one store to another [api.one-store].
 */

let t: TestApp;
let ours: Tenant;
let theirs: Tenant;
let before: Map<string, Body>;
let marks: string[];
beforeAll(async () => {
  t = await openTestApp();
  [ours, theirs] = [await settleTenant(t, "own", 2), await settleTenant(t, "canary", 3)];
  before = await portrait(t, theirs);
  marks = marksOf(before, await portrait(t, ours));
}, 60_000);
afterAll(() => t.close());

/** Status and body, without the request's id. */
const told = ({ status, text }: Answered): [number, string] => [
  status,
  text.replaceAll(/req_[0-9a-f]{32}/g, "<request>"),
];
const nobody = nobodys();

function expectNothingOfTheirs({ text }: Answered): void {
  expect(marks.filter((mark) => text.includes(mark))).toEqual([]);
}

it("every address outside of the contract is known here, so that none is left out", () => {
  // what people ask is asked by each role, of their own store and of another's, in server/dashboard/matrix.test.ts
  const mounted = operations.map(({ path }) => `/dashboard/api${path}`);
  const declared = [...operations, ...dashboardOperations].map(({ path }) => path);
  const known = [...declared, ...mounted].map((path) => path.replaceAll(/\{([a-z_]+)\}/g, ":$1"));
  const outside = [...t.app.allowed.keys()].filter((path) => !known.includes(path));
  expect(outside.sort()).toEqual(
    [
      // the same for everybody
      ...["/embed.js", "/player/:file"],
      ...["/docs", "/docs/:name", "/docs/images/:file", "/docs/recipes/:file", "/docs/rules/:name", "/docs/search"],
      ...["/docs/assets/docs.css", "/docs/assets/docs.js", "/docs/assets/icon.svg", "/reference", "/reference/:name"],
      ...["/docs.md", "/reference.md", "/errors.md"],
      ...["/llms.txt", "/llms-full.txt"],
      // asks /v1 with the key that its caller has
      "/mcp",
      ...["/dashboard", "/dashboard/", screens, `${screens}/*`, "/dashboard/assets/:file"],
      ...["/", "/errors", "/errors/:name", "/healthz", "/openapi.json", "/readyz"],
      "/dashboard/openapi.json",
      // below
      ...["/exports/:export_id", commerceUrl],
      ...[
        "/storefront/v1/country",
        "/storefront/v1/events",
        "/storefront/v1/quizzes",
        "/storefront/v1/quizzes/:quiz_id",
      ],
      ...["/storefront/v1/quizzes/:quiz_id/products", "/storefront/v1/previews/:token/products"],
      ...["/storefront/v1/previews/:token", "/preview/:token", "/q/:publishable_key/:quiz_id"],
    ].sort(),
  );
});

describe("a page of the dashboard", () => {
  it("tells nobody whether there is such a quiz or person [api.one-store]", async () => {
    for (const [kind, name] of [
      ["quizzes", "quiz"],
      ["profiles", "person"],
    ] as const) {
      const asked = [theirs.names[name], ours.names[name], nobody[name]];
      const answers = await Promise.all(asked.map((id) => t.request("GET", `/dashboard/${kind}/${id}`)));
      expect(new Set(answers.map((answer) => JSON.stringify(told(answer)))).size).toBe(1);
    }
  });
});

describe("the storefront", () => {
  const quizUrl = (quiz: string, key: string) => `/storefront/v1/quizzes/${quiz}?store=${key}`;

  it("serves a store's quiz under that store's key alone [storefront.live-version, api.one-store]", async () => {
    const unknown = told(await t.request("GET", quizUrl(nobody.quiz, ours.names.publishable)));
    expect(unknown[0]).toBe(404);
    const keys = [
      ours.names.publishable,
      nobody.publishable,
      ours.names.store,
      ours.store.uuid,
      ours.store.key,
      "pub_",
      "%00",
    ];
    for (const key of keys) {
      const answer = await t.request("GET", quizUrl(theirs.names.quiz, key));
      expect([key, told(answer)]).toEqual([key, unknown]);
    }
    for (const name of ["version", "person", "session", "endpoint"] as const) {
      expect(told(await t.request("GET", quizUrl(theirs.names[name], theirs.names.publishable)))).toEqual(unknown);
    }
    expect(told(await t.request("GET", quizUrl(ours.names.quiz, theirs.names.publishable)))).toEqual(unknown);
    const list = await t.request("GET", `/storefront/v1/quizzes?store=${ours.names.publishable}`);
    expect([list.status, list.body.data.length]).toEqual([200, 2]);
    expectNothingOfTheirs(list);
  });

  // a page of a player that is not built, as here, answers 503 for what it would show
  it.each([
    ["/storefront/v1/previews", 200],
    ["/preview", 503],
  ])(
    "shows by a preview link a quiz of the link's store alone, at %s [storefront.previews, api.one-store]",
    async (path, status) => {
      const { secrets } = t.foundations;
      const theirQuiz = parseId("quiz", theirs.names.quiz) ?? "";
      const expires = t.calendar.now() + 3_600_000;
      const opened = (storeId: string) => {
        const token = signPreview(secrets, { storeId, quizId: theirQuiz, versionId: null, expires });
        return t.request("GET", `${path}/${token}`);
      };
      expect((await opened(theirs.store.uuid)).status).toBe(status);
      const refused = await opened(ours.store.uuid);
      expect(refused.status).toBe(404);
      expectNothingOfTheirs(refused);
    },
  );

  it("chooses products for a store's own versions under its own key alone [storefront.ruled-products, api.one-store]", async () => {
    const ask = (quiz: string, version_id: string, store: string) =>
      t.request("POST", `/storefront/v1/quizzes/${quiz}/products`, { body: { store, version_id, block_keys: ["x"] } });
    const { names } = theirs;
    const unknown = told(await ask(nobody.quiz, nobody.version, ours.names.publishable));
    expect(unknown[0]).toBe(404);
    expect((await ask(names.quiz, names.version, names.publishable)).status).toBe(200);
    for (const [quiz, version] of [
      [names.quiz, names.version],
      [ours.names.quiz, names.version],
      [names.quiz, ours.names.version],
    ] as const)
      expect(told(await ask(quiz, version, ours.names.publishable))).toEqual(unknown);
  });

  it("does not take another store's entity tag for its own [api.one-store]", async () => {
    const other = await t.request("GET", quizUrl(theirs.names.quiz, theirs.names.publishable));
    const headers = { "if-none-match": String(other.headers["etag"]) };
    const answer = await t.request("GET", quizUrl(ours.names.quiz, ours.names.publishable), { headers });
    expect(answer.status).toBe(200);
    expectNothingOfTheirs(answer);
  });

  const batch = (names: Names, event: object = { type: "quiz_opened" }) => ({
    store: names.publishable,
    sent_at: new Date(t.calendar.now()).toISOString(),
    session: {
      ...{ id: names.session, visitor_id: names.visitor, quiz_id: names.quiz, version_id: names.version },
      channel: "embed",
    },
    events: [
      {
        id: "evt_00000000-0000-4000-8000-00000000ffff",
        seq: 900,
        at: new Date(t.calendar.now()).toISOString(),
        ...event,
      },
    ],
  });
  const post = (names: Names, event?: object) =>
    t.request("POST", "/storefront/v1/events", { body: batch(names, event) });

  it("takes no event for another store's quiz or version [storefront.quiz-version]", async () => {
    for (const place of [["quiz"], ["version"], ["quiz", "version"]] as const) {
      const withNames = (from: Names): Names => ({
        ...ours.names,
        ...Object.fromEntries(place.map((name) => [name, from[name]])),
      });
      const answer = await post(withNames(theirs.names));
      expect([place, told(answer)]).toEqual([place, told(await post(withNames(nobody)))]);
      expect(answer.status).toBe(422);
    }
    const keyed = { ...ours.names, publishable: theirs.names.publishable };
    expect(told(await post(keyed))[0]).toBe(422);
  });

  it("knows no key of another store's quiz [api.one-store]", async () => {
    const answer = (from: Names) =>
      post(ours.names, { type: "answer_saved", page_key: from.page, component_key: from.component, value: "x" });
    expect(told(await answer(theirs.names))).toEqual(told(await answer(nobody)));
    expect((await answer(theirs.names)).body.rejected[0].reason).toBe("unknown_page");
  });

  it("lets nobody write into another store's session, or know its visitor, who know their ids [api.one-store]", async () => {
    const stolen = { ...ours.names, session: theirs.names.session, visitor: theirs.names.visitor };
    const answer = await post(stolen, { type: "page_entered", page_key: ours.names.page, cause: "next" });
    expect([answer.status, answer.body.accepted]).toEqual([202, 1]);
    expect(await sessionRow(t, ours.store, stolen.session)).toMatchObject({ is_returning: false, profile_id: null });
  });
});

describe("the commerce platform", () => {
  it("is believed for the shop whose secret signed, and no other [orders.signature]", async () => {
    const payload = shopOrder(77, t.calendar.now());
    const topic = "orders/create";
    const wrong = [
      { secret: theirs.store.commerceSecret },
      { domain: await domainOf(t, theirs.store) },
      { domain: "nobody.example.com" },
      { domain: ours.names.store },
    ];
    const answers = await Promise.all(wrong.map((more) => postWebhook(t, ours.store, { topic, payload, ...more })));
    expect(new Set(answers.map((answer) => JSON.stringify(told(answer)))).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
    for (const { store } of [ours, theirs]) expect(await orderRow(t, store, 77)).toBeUndefined();
  });

  it("may use the same message and order ids in two shops, and its orders find no session of another [orders.repeats, api.one-store]", async () => {
    const webhookId = "11111111-2222-3333-4444-555555555555";
    const [first, second] = [ours, theirs].map(({ names }) => names.session);
    const properties = [
      { name: "_quiz_session", value: second },
      { name: "_quiz_session", value: first },
    ];
    // an order that the other store has too
    const payload = shopOrder(9000, t.calendar.now(), {
      name: "#ours",
      email: "canary.0@example.com",
      lines: [{ properties }],
    });
    const { status } = await postWebhook(t, theirs.store, { topic: "orders/unheard-of", payload: {}, webhookId });
    const taken = await postWebhook(t, ours.store, { topic: "orders/updated", payload, webhookId });
    expect([status, taken.status]).toEqual([200, 200]);
    expect(await orderRow(t, ours.store, 9000)).toMatchObject({ name: "#ours" });
    expect(await orderRow(t, theirs.store, 9000)).toMatchObject({ name: "#canary-0" });
  });

  it("erases people of the shop that it speaks for, whoever else has their contacts [erasure.redacted-customer]", async () => {
    const customer = { id: 1, email: "canary.0@example.com", phone: "+12025550100" };
    for (const topic of ["customers/redact", "customers/data_request"]) {
      expect(
        (await postWebhook(t, ours.store, { topic, payload: { customer, orders_to_redact: [9000] } })).status,
      ).toBe(200);
    }
    const found = await t.request("GET", "/v1/profiles?q=canary.0", { key: theirs.store.key });
    expect(found.body.data).toHaveLength(1);
  });

  it("answers alike whatever the body of a message that it did not sign [orders.signature]", async () => {
    const domain = await domainOf(t, theirs.store);
    const bodies = ["{}", "{not json", JSON.stringify({ id: 1 })];
    for (const body of bodies) {
      const signature = createHmac("sha256", ours.store.commerceSecret).update(body).digest("base64");
      const headers = {
        "x-shopify-topic": "shop/redact",
        "x-shopify-shop-domain": domain,
        "x-shopify-hmac-sha256": signature,
      };
      expect((await t.request("POST", commerceUrl, { body, headers })).status).toBe(401);
    }
  });
});

describe("a download link", () => {
  const parts = (link: string) => {
    const [path = "", token = ""] = link.split("?token=");
    return { path, token };
  };

  let sibling = "";

  it("opens the one file that it was made for [exports.one-file]", async () => {
    const unknown = told(await t.request("GET", `/exports/${nobody.export}?token=${"A".repeat(72)}`));
    expect(unknown[0]).toBe(404);
    const [own, foreign] = [parts(ours.link), parts(theirs.link)];
    sibling = await putExport(t, theirs.store, { text: "sibling of canary" });
    const wrong = [
      `${own.path}?token=${foreign.token}`,
      `${foreign.path}?token=${own.token}`,
      `/exports/${sibling}?token=${foreign.token}`,
      `/exports/${theirs.names.quiz}?token=${foreign.token}`,
      foreign.path,
      `${foreign.path}?token=`,
      `${theirs.link}&token=${own.token}`,
      `${theirs.link}&store=${ours.names.store}`,
      `${theirs.link}=`,
      `${foreign.path}?token=${foreign.token.slice(0, -1)}`,
      `${foreign.path}?token=${foreign.token}A`,
      `${foreign.path}?token=${Buffer.from(foreign.token, "base64url").toString("hex")}`,
      `${foreign.path}?token=${theirs.store.key}`,
    ];
    for (let at = 0; at < foreign.token.length; at += 1) {
      const other = foreign.token[at] === "A" ? "B" : "A";
      wrong.push(`${foreign.path}?token=${foreign.token.slice(0, at)}${other}${foreign.token.slice(at + 1)}`);
    }
    for (const url of wrong) {
      const answer = await t.request("GET", url, { key: ours.store.key });
      expect([url, told(answer)]).toEqual([url, unknown]);
    }
    expect((await t.request("GET", theirs.link)).text).toBe("other file of canary");
  });

  it("changed nothing of the other store, nor did anything above [api.one-store]", async () => {
    const after = Object.fromEntries(await portrait(t, theirs));
    const without = ({ listExports, ...shown }: Record<string, Body>) => ({
      ...shown,
      listExports: listExports.data.filter(({ id }: { id: string }) => id !== sibling),
    });
    expect(without(after)).toEqual(without(Object.fromEntries(before)));
  });

  it("opens nothing from an hour after its making on, as little as one that was made up [exports.one-file]", async () => {
    t.calendar.advance(60 * 60_000);
    const answer = await t.request("GET", theirs.link);
    expect(told(answer)).toEqual(told(await t.request("GET", `/exports/${nobody.export}?token=x`)));
  });
});
