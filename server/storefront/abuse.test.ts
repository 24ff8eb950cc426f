import { afterEach, describe, expect, it, vi } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { content, page, quizDocument } from "../../testkit/document-parts.ts";
import { eventId } from "../../testkit/histories.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { opened } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { batchOf, recently, send, sessionId } from "../../testkit/storefront.ts";
import { noDeadline } from "../platform/deadline.ts";
import { countedAddress, type SenderLimits } from "../platform/limiter/senders.ts";
import { previewLink } from "../quizzes/public.ts";
import { storefrontLimits } from "./limits.ts";

const apps: TestApp[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

const rule = (capacity: number) => ({ capacity, leakPerSecond: 1 });
const wide = rule(1_000);

async function openShop(limits: Partial<SenderLimits>) {
  const t = await openTestApp({ storefrontLimits: { address: wide, network: wide, store: wide, ...limits } });
  apps.push(t);
  const store = await t.store();
  const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  const path = `/storefront/v1/quizzes/${quiz.id}?store=${store.publishableKey}`;
  const from = (address: string, body: object) =>
    t.app.inject({ method: "POST", url: "/storefront/v1/events", payload: body, remoteAddress: address });
  const batch = (events: object[]) => batchOf(t, store, quiz, events);
  return { t, store, quiz, path, from, batch };
}

describe("limits of shoppers' requests", () => {
  it("answer 429 with Retry-After to an address, and to a store, beyond theirs [storefront.sender-limits]", async () => {
    for (const limits of [{ address: rule(4) }, { store: rule(4) }]) {
      const { t, store, quiz, path } = await openShop(limits);
      expect((await t.request("GET", path)).status).toBe(200);
      // a request, a kilobyte and an event
      expect((await send(t, store, quiz, recently(t, [opened({ min: 0 })]))).status).toBe(202);
      const refused = await t.request("GET", path);
      expect([refused.status, refused.body.title, refused.headers["retry-after"]]).toEqual([429, "rate_limited", "1"]);
      expect(refused.headers["access-control-allow-origin"]).toBe("*");
      t.passTime(1_000);
      expect((await t.request("GET", path)).status).toBe(200);
    }
  });

  it("have one request of a refused address processed at a time, and others' meanwhile [api.refused-senders]", async () => {
    const { t, path } = await openShop({ address: rule(8) });
    const order: string[] = [];
    const ask = async (remoteAddress: string): Promise<number> => {
      const { statusCode } = await t.app.inject({ url: path, remoteAddress });
      order.push(remoteAddress);
      return statusCode;
    };
    const [refused, sameSubnet, other] = ["2001:db8::1", "2001:db8::2", "2001:db8:1::1"];
    while ((await ask(refused)) !== 429);
    // it may send again, but was refused within the last ten seconds
    t.passTime(6_000);
    // each of these keeps the place for a quarter of a second
    for (let before = 0; before < 8; before += 1) {
      expect(t.app.refusedSenders.enter(countedAddress(refused), noDeadline)).not.toBeNull();
    }
    order.length = 0;
    expect(await Promise.all([sameSubnet, other].map(ask))).toEqual([200, 200]);
    expect(order).toEqual([other, sameSubnet]);
  });

  it("are paced for a whole network, however many addresses it sends from [storefront.sender-refusals]", async () => {
    const { t, path } = await openShop({ network: rule(1) });
    const pace = vi.spyOn(t.app.refusals, "pace");
    const ask = async (remoteAddress: string) => (await t.app.inject({ url: path, remoteAddress })).statusCode;
    const answered = [await ask("2001:db8:0:1::1"), await ask("2001:db8:0:2::1"), await ask("2001:db8:0:3::1")];
    expect(answered).toEqual([200, 429, 429]);
    expect(pace).toHaveBeenCalledTimes(2);
    expect(new Set(pace.mock.calls.flat()).size).toBe(1);
  });

  it("are charged by kilobytes and by events, before the body is read and before any event is looked at [storefront.sender-charges]", async () => {
    const { t, from, batch, store } = await openShop({ address: rule(40) });
    const events = (count: number) => Array.from({ length: count }, (_, index) => ({ id: eventId(index) }));
    const padded = { store: store.publishableKey, padding: "x".repeat(30 * 1024) };
    // 1 and 31 kilobytes: refused for what it lacks, and charged
    expect((await from("192.0.2.1", padded)).statusCode).toBe(422);
    expect((await from("192.0.2.1", padded)).statusCode).toBe(429);
    expect((await from("192.0.2.2", padded)).statusCode).toBe(422);
    const many = await from("192.0.2.3", batch(events(50)));
    expect([many.statusCode, many.json().title]).toEqual([429, "rate_limited"]);
    expect((await from("192.0.2.3", batch(events(20)))).statusCode).toBe(202);
    expect((await from("192.0.2.3", batch(events(20)))).statusCode).toBe(429);
    t.passTime(30_000);
    expect((await from("192.0.2.3", batch(events(20)))).statusCode).toBe(202);
  });

  it("are charged by the bytes of a document that is sent or has to be made, and of a preview [storefront.sender-charges]", async () => {
    const { t, store } = await openShop({});
    const texts = Array.from({ length: 8 }, (_, index) => content(`c${index}`, `<p>${"x".repeat(15_000)}</p>`));
    const quiz = await makeQuiz(t, store, { document: quizDocument([page("a", texts)]), publish: true });
    const path = `/storefront/v1/quizzes/${quiz.id}?store=${store.publishableKey}`;
    const tag = String((await t.request("GET", path)).headers["etag"]);
    // 120 kB are 14 units of a document, 58 of a preview
    const app = t.compose({ storefrontLimits: { address: rule(40), network: wide, store: wide } });
    const ask = (url: string, remoteAddress: string, headers: Record<string, string> = {}) =>
      app.inject({ url, headers, remoteAddress }).then(({ statusCode }) => statusCode);
    const known = { "if-none-match": tag };
    expect(await ask(path, "192.0.2.1", known)).toBe(304);
    expect(await ask(path, "192.0.2.1", known)).toBe(304);
    expect(await ask(path, "192.0.2.1")).toBe(200);
    expect(await ask(path, "192.0.2.1")).toBe(429);
    for (let count = 0; count < 30; count += 1) expect(await ask(path, "192.0.2.2", known)).toBe(304);
    const { secrets, calendar, config } = t.foundations;
    const deps = { secrets, baseUrl: config.baseUrl, now: calendar.now() };
    const { url } = await previewLink(t.database.reader(), deps, { quiz: quiz.id, version: undefined, hours: 1 });
    const preview = `/storefront/v1/previews/${url.split("/").at(-1)}`;
    expect(await ask(preview, "192.0.2.3")).toBe(429);
  });

  it("count a body of unannounced length as the largest [storefront.sender-charges]", async () => {
    const { t } = await openShop({ address: rule(300) });
    const ask = () =>
      t.app.inject({
        method: "POST",
        url: "/storefront/v1/events",
        headers: { "transfer-encoding": "chunked", "content-type": "application/json" },
        payload: "{}",
      });
    expect((await ask()).statusCode).toBe(422);
    expect((await ask()).statusCode).toBe(429);
  });

  it("are one limit for a /64 of IPv6, a wider one for its /48, and the same for both forms of an IPv4 address [storefront.sender-addresses]", async () => {
    const { from } = await openShop({ address: rule(4), network: rule(7) });
    const ask = async (address: string) => (await from(address, { store: "pub_x" })).statusCode;
    expect(await ask("2001:db8:1:1::1")).toBe(422);
    expect(await ask("2001:db8:1:1:ffff::2")).toBe(422);
    expect(await ask("2001:db8:1:1:5::3")).toBe(429);
    expect(await ask("2001:db8:1:2::1")).toBe(422);
    expect(await ask("2001:db8:1:3::1")).toBe(429);
    expect(await ask("2001:db8:2:3::1")).toBe(422);
    expect(await ask("192.0.2.9")).toBe(422);
    expect(await ask("::ffff:192.0.2.9")).toBe(422);
    expect(await ask("192.0.2.9")).toBe(429);
  });

  it("charge whoever asks for stores that there are not, and take nothing of any store [storefront.unknown-store]", async () => {
    const { from, batch, t, path } = await openShop({ address: rule(25), store: rule(1) });
    const unknown = () => from("192.0.2.1", { ...batch([{}]), store: `pub_${"0".repeat(32)}` });
    expect((await unknown()).statusCode).toBe(404);
    expect((await unknown()).statusCode).toBe(429);
    expect((await t.request("GET", path)).status).toBe(200);
  });

  it("let nobody use up a store's alone, and fit two hundred shoppers of one office [storefront.sender-limits]", async () => {
    const { address, network, store } = storefrontLimits;
    expect(store.capacity / address.capacity).toBeGreaterThanOrEqual(10);
    expect(store.leakPerSecond / network.leakPerSecond).toBeGreaterThan(3);
    const { t, from, batch, path } = await openShop(storefrontLimits);
    const shoppers = Array.from({ length: 200 }, (_, index) => index);
    // all at once: the document, then two requests of two events each
    for (const number of shoppers) {
      const document = await t.app.inject({ url: path, remoteAddress: "192.0.2.1" });
      const event = (id: number) => ({ ...recently(t, [opened({ min: 0 })])[0], id: eventId(number * 10 + id) });
      const own = { ...batch([event(1), event(2)]).session, id: sessionId(10 + number) };
      const answers = [batch([event(1), event(2)]), batch([event(3), event(4)])].map(async (body) => {
        return (await from("192.0.2.1", { ...body, session: own })).statusCode;
      });
      expect([document.statusCode, ...(await Promise.all(answers))]).toEqual([200, 202, 202]);
    }
  });
});

describe("bodies of shoppers' requests", () => {
  it("have at most 256 KiB: a longer one is a 422 of the body, whether its length is announced or not [storefront.body-size]", async () => {
    const { t, batch } = await openShop({});
    const post = (payload: string, headers: Record<string, string> = {}) =>
      t.app.inject({
        method: "POST",
        url: "/storefront/v1/events",
        headers: { "content-type": "application/json", ...headers },
        payload,
      });
    const fits = JSON.stringify({ ...batch([{}]), padding: "" });
    const padded = (length: number) => fits.replace('"padding":""', `"padding":"${"x".repeat(length - fits.length)}"`);
    expect((await post(padded(262_144))).statusCode).toBe(202);
    for (const headers of [{}, { "transfer-encoding": "chunked" }] as Record<string, string>[]) {
      const refused = await post(padded(262_145), headers);
      expect(refused.statusCode).toBe(422);
      expect(refused.json().errors).toEqual([{ field: "body", message: "must have at most 262144 bytes" }]);
      expect(refused.headers["access-control-allow-origin"]).toBe("*");
    }
  });
});
