import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoCatalog, demoShop } from "../../../../demo/catalog.ts";
import { createRandom } from "../../../../demo/random.ts";
import { mostLines } from "../../../../demo/storefront/cart.ts";
import { isSoldOut } from "../../../../demo/storefront/goods.ts";
import type { Answered } from "../../../../testkit/app.ts";
import { openTestDemo, type TestDemo } from "../../../../testkit/demo-shop.ts";
import { eventId } from "../../../../testkit/histories.ts";
import { send } from "../../../../testkit/storefront.ts";
import { ownStore, sql } from "../../../platform/database/sql.ts";
import { formatId, parseId, uuidAt } from "../../../platform/ids.ts";

let demo: TestDemo;
beforeAll(async () => {
  demo = await openTestDemo();
});
afterAll(() => demo.t.close());

/** A browser that keeps the cart's cookie. */
class Browser {
  cookie = "";

  async ask(method: string, url: string, body?: unknown, type?: string): Promise<Answered> {
    const headers = { ...(this.cookie ? { cookie: this.cookie } : {}), ...(type ? { "content-type": type } : {}) };
    const answer = await demo.t.request(method, url, { ...(body === undefined ? {} : { body }), headers });
    const set = answer.headers["set-cookie"];
    if (set !== undefined) this.cookie = String(set).split(";")[0] ?? "";
    return answer;
  }
  get = (url: string) => this.ask("GET", url);
  json = (url: string, body: unknown) => this.ask("POST", url, body);
  form = (url: string, fields: Record<string, string>) =>
    this.ask("POST", url, new URLSearchParams(fields).toString(), "application/x-www-form-urlencoded");
}

const good = demoCatalog.find(({ handle }) => handle === "rose-mist" || handle === "damask-rose-toning-mist")!;
const variant = good.variants[0]!;
const gone = demoCatalog.flatMap(({ variants }) => variants).find(isSoldOut)!;
let taken = 0;

/** A shopper answers the routine and leaves their email, if they do. */
async function takeQuiz(email: string | null): Promise<{ session: string; visitor: string }> {
  const { t, store, front, versions } = demo;
  taken += 1;
  const random = createRandom(`shopper ${taken}`);
  const ids = { session: `sess_${random.hex(32)}`, visitor: `vis_${random.hex(32)}` };
  const { routine } = front.quizzes;
  const at = new Date(t.calendar.now() - 60_000).toISOString();
  const event = (seq: number, fields: object) => ({ id: eventId(taken * 100 + seq), seq, at, ...fields });
  const answers = [
    event(0, { type: "answer_saved", page_key: "skin", component_key: "skin_type", option_ids: ["skin_dry"] }),
    ...(email === null
      ? []
      : [event(1, { type: "answer_saved", page_key: "contact", component_key: "email", value: email, consent: true })]),
  ];
  const quiz = { id: routine, versionId: versions.get(routine) ?? "" };
  const sent = { session: { id: ids.session, visitor_id: ids.visitor } };
  const answer = await send(t, store, quiz as Parameters<typeof send>[2], answers, sent);
  expect(answer.body).toMatchObject({ accepted: answers.length, rejected: [] });
  return ids;
}

describe("the demo's storefront", () => {
  it("shows products, and a quiz in each of its three modes [demo.storefront]", async () => {
    const { status, text, headers } = await new Browser().get("/demo");
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    const { routine, gift, consultation, publishableKey } = demo.front.quizzes;
    expect(text).toContain(`<quiz-store quiz="${routine}" store="${publishableKey}" mode="inline">`);
    expect(text).toContain(`<quiz-store quiz="${gift}" store="${publishableKey}" mode="popup" trigger="click">`);
    expect(text).toContain(
      `<quiz-store quiz="${consultation}" store="${publishableKey}" mode="drawer" trigger="click">`,
    );
    for (const quiz of [gift, consultation]) expect(text).toContain(`data-quizstore-open="${quiz}"`);
    for (const { handle } of demoCatalog) expect(text).toContain(`href="/demo/products/${handle}"`);
    const page = await new Browser().get(`/demo/products/${good.handle}`);
    expect(page.text).toContain(`<h1>${good.title}</h1>`);
    expect((await new Browser().get("/demo/")).headers["location"]).toBe("/demo");
  });

  it("shows a picture of everything that its pages name [demo.pictures]", async () => {
    const browser = new Browser();
    const { text } = await browser.get("/demo");
    const named = new Set(
      [...text.matchAll(/(?:src|href)="(\/demo\/pictures\/[^"]+)"/g)].map(([, path]) => path ?? ""),
    );
    expect(named.size).toBeGreaterThan(demoCatalog.length);
    for (const path of named) {
      const { status, headers, text: svg } = await browser.get(path);
      expect([path, status, headers["content-type"]]).toEqual([path, 200, "image/svg+xml; charset=utf-8"]);
      expect(headers["content-security-policy"]).toBe("default-src 'none'; sandbox; frame-ancestors 'none'");
      expect(svg).toMatch(/^<svg /);
    }
    expect((await browser.get("/demo/pictures/products/none.svg")).status).toBe(404);
  });

  it("is where the pictures and products of its quizzes are, as shoppers are told of them [demo.pictures]", async () => {
    const { routine, publishableKey } = demo.front.quizzes;
    const { text, body } = await new Browser().get(`/storefront/v1/quizzes/${routine}?store=${publishableKey}`);
    expect(text).not.toContain("cdn.lumen-fern.example");
    const named = new Set([...text.matchAll(/"http:\/\/api\.test(\/demo\/[^"]+)"/g)].map(([, path]) => path ?? ""));
    expect(named.size).toBeGreaterThan(20);
    for (const path of named) expect([path, (await new Browser().get(path)).status]).toEqual([path, 200]);
    expect(body.document.presentation.cover_image_url).toBe("http://api.test/demo/pictures/quiz/cover-routine.svg");
  });

  it("runs its own scripts alone, is not framed and not indexed [demo.bounds]", async () => {
    const [one, other] = [await new Browser().get("/demo"), await new Browser().get("/demo")];
    const rules = String(one.headers["content-security-policy"]);
    const [, nonce = ""] = /script-src 'self' 'nonce-([^']+)'/.exec(rules) ?? [];
    expect(nonce.length).toBeGreaterThan(20);
    for (const tag of one.text.match(/<(script|style)[^>]*>/g) ?? []) expect(tag).toContain(`nonce="${nonce}"`);
    expect(one.text).not.toMatch(/ (on[a-z]+|style)=/);
    expect(rules).toContain("default-src 'none'");
    expect(rules).toContain("frame-ancestors 'none'");
    expect(rules).not.toContain("unsafe");
    expect(other.text).not.toContain(nonce);
    expect([one.headers["x-robots-tag"], one.headers["cache-control"]]).toEqual(["noindex, nofollow", "no-store"]);
    expect(one.text.match(/(?:src|href|action)="https?:[^"]*"/g)).toBe(null);
    expect(one.text).not.toContain(demo.store.key);
  });

  it("is not there without the demo shop [demo.storefront]", async () => {
    demo.offer(false);
    try {
      const asked: [string, string][] = [
        ["GET", "/demo"],
        ["GET", "/demo/cart"],
        ["GET", "/demo/cart.js"],
        ["GET", `/demo/products/${good.handle}`],
        ["GET", "/demo/pictures/icon.svg"],
        ["POST", "/demo/cart/add.js"],
        ["POST", "/demo/checkout"],
      ];
      for (const [method, url] of asked)
        expect([url, (await new Browser().ask(method, url)).status]).toEqual([url, 404]);
    } finally {
      demo.offer(true);
    }
    // a newcomer who mistypes an address reads so, and a program gets a problem
    const browser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
    for (const url of ["/demo/shelves", "/demo/products/none"]) {
      const { statusCode, headers, body } = await demo.t.app.inject({ url, ...browser });
      expect([url, statusCode, headers["content-type"]]).toEqual([url, 404, "text/html; charset=utf-8"]);
      expect(body).toContain("There is no such page in the demo shop");
      expect((await demo.t.app.inject({ url })).headers["content-type"]).toBe("application/problem+json");
    }
    // the type of what a test puts in place of a part does not foresee that there is none
    const none = demo.t.compose({ demo: null });
    expect((await none.inject({ url: "/demo" })).statusCode).toBe(404);
    expect((await none.inject({ url: "/demo/shelves", ...browser })).headers["content-type"]).toBe(
      "application/problem+json",
    );
  });
});

describe("the demo's cart [demo.cart]", () => {
  it("answers as the commerce platform's, attributes included", async () => {
    const browser = new Browser();
    const session = `sess_${"c".repeat(32)}`;
    const items = [{ id: variant.id, quantity: 2, properties: { _quiz_session: session } }];
    const added = await browser.json("/demo/cart/add.js", { items });
    expect([added.status, added.body.items]).toEqual([
      200,
      [expect.objectContaining({ variant_id: variant.id, quantity: 2, properties: { _quiz_session: session } })],
    ]);
    const attributes = { _quiz_session: session, _quiz_visitor: `vis_${"d".repeat(32)}` };
    const updated = await browser.json("/demo/cart/update.js", { attributes });
    expect([updated.status, updated.body.attributes, updated.body.item_count]).toEqual([200, attributes, 2]);
    expect((await browser.get("/demo/cart.js")).body).toEqual(updated.body);
    const { text } = await browser.get("/demo/cart");
    expect(text).toContain("from a quiz");
    expect(text).toContain("<span data-count>2</span>");
  });

  it("takes one item by itself, and a global id", async () => {
    const browser = new Browser();
    await browser.json("/demo/cart/add.js", { id: `gid://shopify/ProductVariant/${variant.id}`, quantity: 1 });
    expect((await browser.get("/demo/cart.js")).body.item_count).toBe(1);
  });

  it("refuses what is sold out with a sentence, and changes nothing", async () => {
    const browser = new Browser();
    const answer = await browser.json("/demo/cart/add.js", { items: [{ id: gone.id, quantity: 1 }] });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      status: 422,
      message: "Cart Error",
      description: expect.stringContaining("sold out"),
    });
    expect((await browser.get("/demo/cart.js")).body.item_count).toBe(0);
  });

  it("works by forms alone", async () => {
    const browser = new Browser();
    const added = await browser.form("/demo/cart/add", { id: String(variant.id), quantity: "2" });
    expect([added.status, added.headers["location"]]).toEqual([303, "/demo/cart"]);
    await browser.form("/demo/cart/change", { line: "0", quantity: "5" });
    expect((await browser.get("/demo/cart.js")).body.item_count).toBe(5);
    for (const quantity of ["11", "-1", "1e1", ""]) {
      const odd = await browser.form("/demo/cart/change", { line: "0", quantity });
      expect([quantity, odd.status, odd.text.includes("At most 10 of")]).toEqual([quantity, 422, true]);
    }
    expect((await browser.get("/demo/cart.js")).body.item_count).toBe(5);
    await browser.form("/demo/cart/change", { line: "0", quantity: "5", remove: "1" });
    expect((await browser.get("/demo/cart.js")).body.item_count).toBe(0);
    const refused = await browser.form("/demo/cart/add", { id: String(gone.id), quantity: "1" });
    expect([refused.status, refused.text.includes("sold out")]).toEqual([422, true]);
    for (const form of ["cart/add", "cart/change", "checkout"]) {
      expect([form, (await browser.get(`/demo/${form}`)).headers["location"]]).toEqual([form, "/demo/cart"]);
    }
  });

  it("is filled by a link, attributes included", async () => {
    const browser = new Browser();
    const session = `sess_${"e".repeat(32)}`;
    const link = `/cart/${variant.id}:2?storefront=true&attributes[_quiz_session]=${session}`;
    const { status, headers } = await browser.get(link);
    expect([status, headers["location"]]).toEqual([303, "/demo/cart"]);
    const { body } = await browser.get("/demo/cart.js");
    expect([body.item_count, body.attributes]).toEqual([2, { _quiz_session: session }]);
    const all = demoCatalog.flatMap(({ variants }) => variants.filter((each) => !isSoldOut(each))).slice(0, mostLines);
    expect((await browser.get(`/cart/${all.map(({ id }) => `${id}:10`).join(",")}`)).status).toBe(303);
    expect((await browser.get("/demo/cart.js")).body.item_count).toBe(10 * mostLines);
    for (const odd of ["/cart/", "/cart/x", "/cart/4711:1", `/cart/${variant.id}:0`, `/cart/${variant.id}`]) {
      expect([odd, (await browser.get(odd)).status]).toEqual([odd, 422]);
    }
  });

  it("is added to by a link, however often [demo.cart]", async () => {
    const browser = new Browser();
    const [session, visitor] = [`sess_${"e".repeat(32)}`, `vis_${"e".repeat(32)}`];
    const next = `/cart/update?attributes[_quiz_session]=${session}&attributes[_quiz_visitor]=${visitor}`;
    const query = new URLSearchParams({
      "items[0][id]": String(variant.id),
      "items[0][quantity]": "2",
      "items[0][properties][_quiz_session]": session,
      return_to: next,
    });
    for (const count of [2, 4]) {
      const { status, headers } = await browser.get(`/cart/add?${query}`);
      expect([status, headers["location"]]).toEqual([303, `/demo/cart/add?${query}`]);
      expect((await browser.get(String(headers["location"]))).headers["location"]).toBe("/demo/cart");
      const { body } = await browser.get("/demo/cart.js");
      expect([body.item_count, body.attributes]).toEqual([count, { _quiz_session: session, _quiz_visitor: visitor }]);
      expect(body.items[0].properties).toEqual({ _quiz_session: session });
    }
    for (const odd of ["items[0][id]=4711", `items[0][id]=${variant.id}&items[0][quantity]=x`])
      expect([odd, (await browser.get(`/demo/cart/add?${odd}`)).status]).toEqual([odd, 422]);
  });

  it.each([
    ["text that is no JSON", "{", "application/json"],
    ["another kind of body", "x", "text/plain"],
    ["a list", "[1]", "application/json"],
    ["items that are none", '{"items":[null,7,"x"]}', "application/json"],
    ["a long body", `{"id":"${"1".repeat(17_000)}"}`, "application/json"],
  ])("refuses %s", async (_what, body, type) => {
    expect((await new Browser().ask("POST", "/demo/cart/add.js", body, type)).status).toBe(422);
  });
});

describe("an order of the demo", () => {
  async function buy(browser: Browser, email: string): Promise<string> {
    const placed = await browser.form("/demo/checkout", { email });
    expect([placed.status, placed.text]).toEqual([303, expect.anything()]);
    return String(placed.headers["location"]);
  }

  it("arrives signed, and is its shopper's [demo.orders, demo.receipt]", async () => {
    const { t, store } = demo;
    const { session, visitor } = await takeQuiz("ada@example.com");
    const browser = new Browser();
    const items = [{ id: variant.id, quantity: 2, properties: { _quiz_session: session } }];
    await browser.json("/demo/cart/add.js", { items });
    await browser.json("/demo/cart/update.js", { attributes: { _quiz_session: session, _quiz_visitor: visitor } });
    const receipt = await buy(browser, "someone.else@example.com");

    const people = await t.request("GET", "/v1/profiles?q=ada@example.com&has_order=true", { key: store.key });
    expect(people.body.data).toHaveLength(1);
    const [{ id: profile }] = people.body.data;
    const person = await t.request("GET", `/v1/profiles/${profile}`, { key: store.key });
    const total = (Number(variant.price) * 2 + (Number(variant.price) * 2 >= 50 ? 0 : 5.95)).toFixed(2);
    expect(person.body.orders).toEqual([
      expect.objectContaining({ matched_tier: "line_item", amount: { amount: total, currency: demoShop.currency } }),
    ]);

    const page = await browser.get(receipt);
    expect(page.status).toBe(200);
    for (const told of [session, profile, "quiz.started", "profile.created", "a line of it carries"]) {
      expect(page.text).toContain(told);
    }
    expect(page.text).toContain(
      `curl -s -H &quot;Authorization: Bearer $KEY&quot; &quot;http://api.test/v1/profiles/${profile}&quot;`,
    );
    for (const secret of [store.key, store.commerceSecret, "someone.else", "ada@"])
      expect(page.text).not.toContain(secret);
    expect((await browser.get("/demo/cart.js")).body).toMatchObject({
      item_count: 0,
      attributes: { _quiz_session: session },
    });
  });

  it("of two quizzes tells of both, and which one it is counted for [demo.receipt]", async () => {
    const [first, second] = [await takeQuiz(null), await takeQuiz("grace@example.com")];
    const browser = new Browser();
    for (const { session } of [first, second]) {
      await browser.json("/demo/cart/add.js", { id: variant.id, properties: { _quiz_session: session } });
    }
    const { text } = await browser.get(await buy(browser, "d@example.com"));
    for (const { session } of [first, second]) expect(text).toContain(`<code>${session}</code>, under way`);
    expect(text.match(/for which the order is counted/g)).toHaveLength(1);
    expect(text.match(/quiz\.started/g)).toHaveLength(2);
    expect(text).toMatch(/prof_[0-9a-f]{32}/);
  });

  it("tells of what is among the 10,000 events since its quiz, however many a busy shop has [demo.bounds]", async () => {
    const { t, store } = demo;
    const { session } = await takeQuiz(null);
    const later = Array.from({ length: 10_001 }, (_, n) =>
      uuidAt(t.calendar.now() + 1 + n, (size) => new Uint8Array(size)),
    );
    await t.database.transaction((tx) =>
      tx.forStore(store.uuid).all(sql`INSERT INTO outbox (store_id, id, topic, created_at, session_id, data)
      SELECT ${ownStore}, id, 'quiz.finished', ${new Date(t.calendar.now())}::timestamptz,
        CASE WHEN n IN (9000, 10001) THEN ${parseId("sess", session)}::uuid END, '{}'
      FROM unnest(${later}::uuid[]) WITH ORDINALITY AS later (id, n)`),
    );
    const browser = new Browser();
    await browser.json("/demo/cart/add.js", { id: variant.id, properties: { _quiz_session: session } });
    const { text } = await browser.get(await buy(browser, "e@example.com"));
    const listed = (n: number) => text.includes(formatId("evt", later[n - 1] ?? ""));
    expect([text.includes("quiz.started"), listed(9_000), listed(10_001)]).toEqual([true, true, false]);
  });

  it("of somebody without a contact, or without a quiz, says so [demo.receipt]", async () => {
    const { session } = await takeQuiz(null);
    const browser = new Browser();
    await browser.json("/demo/cart/add.js", { items: [{ id: variant.id, properties: { _quiz_session: session } }] });
    expect((await browser.get(await buy(browser, "b@example.com"))).text).toContain("Nobody yet.");
    const plain = new Browser();
    await plain.json("/demo/cart/add.js", { id: variant.id });
    expect((await plain.get(await buy(plain, "c@example.com"))).text).toContain("No quiz.");
    const forgotten = await plain.get(`/demo/orders/${"0".repeat(32)}`);
    expect([forgotten.status, forgotten.text.includes("not kept any more")]).toEqual([404, true]);
  });

  it("needs an email and something to buy, and says what is wrong beside it [demo.orders]", async () => {
    const browser = new Browser();
    expect((await browser.form("/demo/checkout", { email: "ada@example.com" })).status).toBe(422);
    await browser.json("/demo/cart/add.js", { id: variant.id });
    const typed = `"><script>alert(1)</script>`;
    const refused = await browser.form("/demo/checkout", { email: typed });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("Write an email address");
    expect(refused.text).toContain('aria-invalid="true"');
    expect(refused.text).not.toContain("<script>alert");
    expect((await browser.get("/demo/cart.js")).body.item_count).toBe(1);
  });

  it("that is not taken leaves the cart as it was [demo.orders]", async () => {
    const app = demo.t.compose({ commerceLimits: refusing });
    const browser = new Browser();
    await browser.json("/demo/cart/add.js", { id: variant.id });
    const answer = await app.inject({
      method: "POST",
      url: "/demo/checkout",
      headers: { cookie: browser.cookie, "content-type": "application/x-www-form-urlencoded" },
      payload: "email=ada%40example.com",
    });
    expect([answer.statusCode, answer.headers["set-cookie"]]).toEqual([503, undefined]);
    expect(answer.body).toContain("Your cart is as it was");
  });

  it("is one of a few a minute, and nothing of it is logged [demo.bounds]", async () => {
    const { t } = demo;
    t.passTime(60_000);
    t.logged.length = 0;
    const browser = new Browser();
    const statuses: number[] = [];
    for (let tries = 0; tries < 25; tries++) {
      await browser.json("/demo/cart/add.js", { id: variant.id });
      statuses.push((await browser.form("/demo/checkout", { email: "grace.hopper@example.com" })).status);
      if (statuses.at(-1) === 429) break;
    }
    expect(statuses.slice(0, -1)).toEqual(Array(20).fill(303));
    expect(statuses.at(-1)).toBe(429);
    t.passTime(2_000);
    expect((await browser.form("/demo/checkout", { email: "grace.hopper@example.com" })).status).toBe(303);
    expect(t.logged.join("")).toContain("the demo's storefront sold something");
    expect(t.logged.join("")).not.toMatch(/grace|hopper|sess_|vis_/);
  });
});

const nothing = { capacity: 1, leakPerSecond: 0.001 };
const refusing = { address: nothing, network: nothing, store: nothing };
