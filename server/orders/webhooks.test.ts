import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import {
  commerceUrl,
  domainOf,
  orderRow,
  type Posted,
  postWebhook,
  shopOrder,
  shopTime,
} from "../../testkit/commerce.ts";
import { exchange, listen } from "../../testkit/raw-http.ts";
import { countRows } from "../../testkit/storefront.ts";
import { ownStore, type Statement, sql } from "../platform/database/sql.ts";
import { MemoryLimiter } from "../platform/limiter/memory.ts";

let t: TestApp;
let store: TestStore;
let now: number;
beforeAll(async () => {
  t = await openTestApp();
  now = t.calendar.now();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
});

const post = (topic: string, payload: unknown, more: Partial<Posted> = {}) =>
  postWebhook(t, store, { topic, payload, ...more });
const first = <Row>(statement: Statement<Row>) => t.database.reader().forStore(store.uuid).first(statement);
const revision = async () =>
  (await first(sql<{ revision: number }>`SELECT revision FROM store_revisions WHERE store_id = ${ownStore}`))?.revision;

describe("the signature", () => {
  it("lets a message in that the store's secret signed, whatever the case of the domain [orders.signature]", async () => {
    const answer = await post("orders/create", shopOrder(1, now));
    expect([answer.status, answer.text]).toEqual([200, "{}"]);
    const domain = (await domainOf(t, store)).toUpperCase();
    expect((await post("orders/create", shopOrder(2, now), { domain })).status).toBe(200);
    expect(await countRows(t, store, "orders")).toBe(2);
  });

  it("is over the raw bytes, not over what they mean [orders.signature]", async () => {
    const text = JSON.stringify(shopOrder(1, now), null, 2).replaceAll("Ship", "\\u0053hip");
    expect((await post("orders/create", text)).status).toBe(200);
    const signed = createHmac("sha256", store.commerceSecret)
      .update(JSON.stringify(shopOrder(3, now)))
      .digest("base64");
    const other = await post("orders/create", shopOrder(4, now), { headers: { "x-shopify-hmac-sha256": signed } });
    expect(other.status).toBe(401);
    expect(await countRows(t, store, "orders")).toBe(1);
  });

  it("missing or wrong, or of an unknown shop: 401, and nothing is read [orders.signature]", async () => {
    const other = await t.store();
    const cases: Partial<Posted>[] = [
      { secret: other.commerceSecret },
      { secret: `${store.commerceSecret}\n` },
      { domain: "nobody.example.com" },
      { domain: "" },
      { domain: await domainOf(t, other) },
      { headers: { "x-shopify-hmac-sha256": "" } },
      { headers: { "x-shopify-hmac-sha256": "AAAA" } },
      { headers: { "x-shopify-hmac-sha256": "é".repeat(22) } },
      { headers: { "x-shopify-hmac-sha256": createHmac("sha256", store.commerceSecret).update("{").digest("hex") } },
    ];
    for (const more of cases) {
      const answer = await post("app/uninstalled", "{ not json", more);
      expect([more, answer.status, answer.body.title]).toEqual([more, 401, "invalid_api_key"]);
    }
    const bare = await t.request("POST", commerceUrl);
    expect(bare.status).toBe(401);
    expect(await countRows(t, store, "commerce_deliveries")).toBe(0);
  });

  it("of an unknown shop, or of no form that it could have, is refused before the body is read [orders.signature]", async () => {
    const port = await listen(t.compose({}));
    const head = (domain: string, signature: string) =>
      `POST ${commerceUrl} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n` +
      `X-Shopify-Shop-Domain: ${domain}\r\nX-Shopify-Hmac-Sha256: ${signature}\r\n\r\n{`;
    const due = createHmac("sha256", "x").update("x").digest("base64");
    for (const bytes of [
      head("nobody.example.com", due),
      head(await domainOf(t, store), "short"),
      head(await domainOf(t, store), `${due}=`),
    ]) {
      const [answer] = await exchange(port, [bytes]);
      expect([answer?.status, JSON.parse(answer?.text ?? "{}").title]).toEqual([401, "invalid_api_key"]);
    }
  });

  it("answers other methods with 405, and a signed body that is not JSON, or no order, with 422 [orders.unreadable]", async () => {
    expect((await t.request("GET", commerceUrl)).status).toBe(405);
    const broken = await post("orders/create", "{");
    expect([broken.status, broken.body.errors[0].field]).toEqual([422, "body"]);
    for (const [topic, payload, field] of [
      ["orders/create", { name: "no id" }, "id"],
      ["orders/create", { id: 4, line_items: [{ price: "1,234.56" }] }, "line_items[0].price"],
      ["products/create", { title: "no id" }, "id"],
      ["products/create", { id: 4 }, "title"],
      ["products/delete", {}, "id"],
    ] as const) {
      const { status, body } = await post(topic, payload);
      expect([status, body.errors[0].field]).toEqual([422, `body.${field}`]);
      // the sentence begins with the field's place: its message does not name it again
      expect(body.errors[0].message).toMatch(/^must be /);
      expect(body.detail).toBe(`body.${field} ${body.errors[0].message}`);
    }
    expect(await countRows(t, store, "commerce_deliveries")).toBe(0);
  });

  it("takes orders of more than a mebibyte, and refuses endless ones [orders.limits]", async () => {
    const note = "x".repeat(3 * 1024 * 1024);
    expect((await post("orders/create", shopOrder(1, now, { note }))).status).toBe(200);
    expect((await post("orders/create", shopOrder(1, now, { note: note + note }))).status).toBe(422);
  });
});

describe("limits of messages", () => {
  const rule = (capacity: number) => ({ capacity, leakPerSecond: 1 });
  const wide = rule(100_000);
  const open = async (limits: { address?: ReturnType<typeof rule>; store?: ReturnType<typeof rule> }) => {
    const commerceLimits = { address: wide, network: wide, store: wide, ...limits };
    const port = await listen(t.compose({ commerceLimits, limiter: new MemoryLimiter(() => 0) }));
    const domain = await domainOf(t, store);
    /** a message of which only the beginning is sent */
    const head = (length: number | null, body = "{") =>
      `POST ${commerceUrl} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Shopify-Topic: orders/create\r\n` +
      `${length === null ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`}\r\nX-Shopify-Shop-Domain: ${domain}\r\n` +
      `X-Shopify-Hmac-Sha256: ${createHmac("sha256", store.commerceSecret).update(body).digest("base64")}\r\n\r\n`;
    const ask = async (bytes: string) => {
      const [answer] = await exchange(port, [bytes]);
      return [answer?.status, JSON.parse(answer?.text ?? "{}").title ?? null];
    };
    return { head, ask };
  };

  it("are of an address, by the kilobytes that it announces, before the body is read [orders.limits]", async () => {
    const { head, ask } = await open({ address: rule(3_000) });
    const limited = [429, "rate_limited"];
    expect(await ask(head(5_000_000))).toEqual(limited);
    expect(await ask(head(null))).toEqual(limited);
    // ten for the message, one for its kilobyte, of 3,000 that nothing was taken from so far
    const bogus = `${head(2).replace(/Sha256: .{8}/, "Sha256: AAAAAAAA")}{}`;
    expect(await ask(bogus)).toEqual([401, "invalid_api_key"]);
    expect(await ask(head(2_990 * 1_024))).toEqual(limited);
  });

  it("are of a shop, for what its secret signed alone [orders.limits]", async () => {
    const { head, ask } = await open({ store: rule(15) });
    const bogus = `${head(2).replace(/Sha256: .{8}/, "Sha256: AAAAAAAA")}{}`;
    for (let number = 0; number < 5; number += 1) expect(await ask(bogus)).toEqual([401, "invalid_api_key"]);
    expect((await ask(`${head(2, "{}")}{}`))[0]).toBe(422);
    expect(await ask(`${head(2, "{}")}{}`)).toEqual([429, "rate_limited"]);
  });

  it("see how deep a signed message is before it is parsed [orders.unreadable]", async () => {
    const deep = `${'{"a":'.repeat(800_000)}1`;
    const before = process.cpuUsage();
    const answer = await post("orders/create", deep);
    expect([answer.status, answer.body.errors[0].message]).toEqual([
      422,
      "must not be nested more than 64 levels deep",
    ]);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(400);
  });
});

describe("messages", () => {
  it("are taken once, though sent again, even with another content [orders.repeats]", async () => {
    const webhookId = "c7a2-one";
    await post("orders/create", shopOrder(1, now, { total_price: "10.00" }), { webhookId });
    const before = await revision();
    const later = { total_price: "99.00", updated_at: shopTime(now + 60_000) };
    const again = await post("orders/updated", shopOrder(1, now, later), { webhookId });
    expect([again.status, again.text]).toEqual([200, "{}"]);
    expect(await orderRow(t, store, 1)).toMatchObject({ total: "10.00" });
    expect(await revision()).toBe(before);
    const other = await t.store();
    await postWebhook(t, other, { topic: "orders/create", payload: shopOrder(1, now), webhookId });
    expect(await countRows(t, other, "orders")).toBe(1);
  });

  it("that failed may come again under their id [orders.repeats]", async () => {
    const webhookId = "c7a2-two";
    expect((await post("orders/create", { id: null }, { webhookId })).status).toBe(422);
    expect((await post("orders/create", shopOrder(1, now), { webhookId })).status).toBe(200);
    expect(await countRows(t, store, "orders")).toBe(1);
  });

  it("of the same id at the same moment are taken once [orders.repeats]", async () => {
    const send = (id: number) => post("orders/create", shopOrder(id, now), { webhookId: "c7a2-three" });
    const answers = await Promise.all([1, 2, 3, 4, 5].map(send));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
    expect(await countRows(t, store, "orders")).toBe(1);
  });

  it("of unknown topics are answered and left [orders.topics]", async () => {
    for (const topic of ["carts/update", "", "ORDERS", "__proto__"]) {
      expect((await post(topic, "not even json")).status).toBe(200);
    }
    expect(await revision()).toBe(0);
  });

  it("record every change under the store's revision [orders.revision]", async () => {
    await post("orders/create", shopOrder(1, now));
    expect(await revision()).toBe(1);
    expect(await first(sql`SELECT revision, kind FROM changes WHERE store_id = ${ownStore}`)).toEqual({
      revision: 1,
      kind: "order",
    });
    await post("orders/create", shopOrder(1, now, { test: true }));
    await post("orders/updated", shopOrder(1, now, { updated_at: shopTime(now - 60_000) }));
    expect(await revision()).toBe(1);
  });
});

describe("the catalog and the shop", () => {
  const product = { id: 788032119674292922n, title: "Example T-Shirt", body_html: null, image: null, images: [] };
  const text = (more: object = {}) =>
    JSON.stringify({ ...product, id: 0, ...more }).replace('"id":0', `"id":${product.id}`);

  it("takes products and their deletion, ids past 2^53 included [orders.catalog, orders.deleted-products, orders.digits]", async () => {
    await post("products/create", text({ updated_at: shopTime(now - 60_000), variants: [] }));
    await post("products/update", text({ title: "Shirt", updated_at: shopTime(now - 30_000) }));
    await post("products/update", text({ title: "Late", updated_at: shopTime(now - 40_000) }));
    const read = () => first(sql`SELECT product_id, title, deleted_at FROM products WHERE store_id = ${ownStore}`);
    const expected = { product_id: "gid://shopify/Product/788032119674292922", title: "Shirt" };
    expect(await read()).toEqual({ ...expected, deleted_at: null });
    await post("products/delete", `{"id": ${product.id}}`);
    expect(await read()).toEqual({ ...expected, deleted_at: new Date(now) });
  });

  it("follows name, currency and timezone of the shop, and leaves what it cannot use [orders.shop]", async () => {
    const read = () => first(sql`SELECT name, currency, timezone FROM stores WHERE id = ${ownStore}`);
    const shop = { id: 548380009, domain: "shop.apple.com", timezone: "(GMT-05:00) Eastern Time (US & Canada)" };
    await post("shop/update", { ...shop, name: "Super Toys", currency: "CAD", iana_timezone: "America/New_York" });
    const taken = { name: "Super Toys", currency: "CAD", timezone: "America/New_York" };
    expect(await read()).toEqual(taken);
    await post("shop/update", { ...shop, name: " ", currency: "" });
    await post("shop/update", { name: null, currency: null, iana_timezone: null });
    expect(await read()).toEqual(taken);
    for (const zone of ["Japan", "Etc/GMT+5", "CET"]) {
      expect((await post("shop/update", { ...shop, iana_timezone: zone })).status).toBe(200);
      expect(await read()).toEqual({ ...taken, timezone: zone });
    }
  });

  it("refuses a shop's timezone that is none, with all else that the message says [orders.shop]", async () => {
    const read = () => first(sql`SELECT name, currency, timezone FROM stores WHERE id = ${ownStore}`);
    const kept = await read();
    for (const zone of ["EST5EDT4", "japan", "GMT-05:00", "", " UTC", 5, {}]) {
      const { status, body } = await post("shop/update", { name: "Other", currency: "CHF", iana_timezone: zone });
      expect([zone, status, body.errors]).toEqual([
        zone,
        422,
        [{ field: "body.iana_timezone", message: "is not the name of a timezone" }],
      ]);
    }
    expect(await read()).toEqual(kept);
  });

  it("disconnects the store when the app is uninstalled: its keys end, and nothing but redactions is heard [orders.uninstalled]", async () => {
    expect((await t.request("GET", "/v1/store", { key: store.key })).status).toBe(200);
    await post("app/uninstalled", { id: 548380009, name: "Super Toys" });
    t.passTime(60_000);
    expect((await t.request("GET", "/v1/store", { key: store.key })).status).toBe(401);
    expect((await post("orders/create", shopOrder(1, now))).status).toBe(200);
    expect(await countRows(t, store, "orders")).toBe(0);
    expect((await post("shop/redact", { shop_id: 954889 })).status).toBe(200);
    expect(await countRows(t, store, "commerce_requests")).toBe(1);
  });
});

describe("privacy requests", () => {
  const customer = { id: 191167, email: " John@Example.com", phone: "555-625-1199" };
  const redact = { shop_id: 954889, shop_domain: "x", customer, orders_to_redact: [299938, 280263, 220458] };
  const request = () =>
    first(
      sql<{
        topic: string;
        subject: object | null;
        done_at: Date | null;
      }>`SELECT topic, subject, done_at FROM commerce_requests WHERE store_id = ${ownStore}`,
    );

  it("to erase are done at once, and nothing personal is kept of them [orders.privacy-requests]", async () => {
    const answer = await post("customers/redact", redact);
    expect([answer.status, answer.text]).toEqual([200, "{}"]);
    expect(await request()).toEqual({ topic: "customers/redact", subject: null, done_at: new Date(now) });
  });

  it("to hand out data are recorded [orders.privacy-requests]", async () => {
    const { orders_to_redact, ...more } = redact;
    await post("customers/data_request", { ...more, orders_requested: orders_to_redact, data_request: { id: 9999 } });
    expect(await request()).toEqual({
      topic: "customers/data_request",
      subject: {
        emails: ["john@example.com"],
        phones: [],
        order_ids: ["gid://shopify/Order/299938", "gid://shopify/Order/280263", "gid://shopify/Order/220458"],
      },
      done_at: null,
    });
    expect(await countRows(t, store, "commerce_requests")).toBe(1);
  });

  it("take customers and orders that are null [orders.privacy-requests]", async () => {
    expect((await post("customers/redact", { customer: null, orders_to_redact: null })).status).toBe(200);
    await t.database.reader().forStore(store.uuid).all(sql`DELETE FROM commerce_requests WHERE store_id = ${ownStore}`);
    await post("customers/data_request", { customer: null });
    expect((await request())?.subject).toEqual({ emails: [], phones: [], order_ids: [] });
  });
});
