import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { shortWay } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { recently, send, sessionId, visitorId } from "../../testkit/storefront.ts";
import { readConfig } from "../platform/config.ts";

/** Regions as proxies send them, from the shopper's request to the figures. */

/** Cloudflare sends the code, CloudFront too; Fastly and some gateways send names, or codes with their country. */
const sent: readonly [country: string, region: string | null, value: string][] = [
  ["US", "CA", "US-CA"],
  ["US", "us-ca", "US-CA"],
  ["US", "US-NY", "US-NY"],
  ["FR", "75", "FR-75"],
  ["GB", "ENG", "GB-ENG"],
  ["US", "California", "unknown"],
  ["DE", "US-CA", "unknown"],
  ["DE", "BY-1", "unknown"],
  ["XX", "CA", "unknown"],
  ["DE", null, "unknown"],
];

let t: TestApp;
let store: TestStore;
let path: string;
beforeAll(async () => {
  t = await openTestApp({
    config: readConfig({ GEO_COUNTRY_HEADER: "cf-ipcountry", GEO_REGION_HEADER: "cf-region-code" }),
  });
  store = await t.store();
  await t.update(store, { limits: { capacity: 100_000, leak_per_second: 10_000 } });
  const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  path = `/v1/quizzes/${quiz.id}/analytics`;
  for (const [at, [country, region]] of sent.entries()) {
    const events = recently(t, shortWay, { firstId: (at + 1) * 100 });
    const headers = { "cf-ipcountry": country, ...(region === null ? {} : { "cf-region-code": region }) };
    const session = { id: sessionId(at + 1), visitor_id: visitorId(at + 1) };
    expect((await send(t, store, quiz, events, { session, headers })).status).toBe(202);
  }
});
afterAll(() => t.close());

it("splits and filters by the region that a proxy tells [figures.region]", async () => {
  const { body } = await t.request("GET", `${path}/breakdown?by=region`, { key: store.key });
  const views = Map.groupBy(sent, ([, , value]) => value);
  const expected = [...views].map(([value, all]) => [value, all.length]);
  expect(body.rows.map((row: { value: string; views: number }) => [row.value, row.views]).sort()).toEqual(
    expected.sort(),
  );
  for (const [value, count] of expected) {
    const overview = await t.request("GET", `${path}/overview?region=${value}`, { key: store.key });
    expect([value, overview.body.totals.views]).toEqual([value, count]);
    const funnel = await t.request("GET", `${path}/funnel?region=${value}`, { key: store.key });
    expect([value, funnel.body.starts]).toEqual([value, count]);
  }
});
