import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { homeOf } from "../../testkit/nodes.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { opened } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { batchOf, recently, send, sessionId, sessionRow } from "../../testkit/storefront.ts";
import { Database } from "../platform/database/database.ts";
import { type Statement, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { findStore } from "../stores/public.ts";
import type { SessionAttributes } from "./attributes.ts";
import { TrafficValues } from "./traffic-values.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
  quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
});
afterAll(() => t.close());

/** As if as many live sessions had come with values of their own before. */
const filled = (shop: TestStore, dimension: number, count: number) =>
  t.database.transaction((tx) =>
    tx.all(
      sql`INSERT INTO traffic_values (store_id, dimension, hash)
         SELECT ${shop.uuid}::uuid, ${dimension}::smallint, -n FROM generate_series(1, ${count}::integer) n`,
    ),
  );

let sessions = 0;
async function open(session: object, shop = store, own = quiz) {
  sessions += 1;
  const id = sessionId(sessions);
  const answer = await send(t, shop, own, recently(t, [opened({ min: 0 })]), { session: { id, ...session } });
  expect([answer.status, answer.body.accepted]).toEqual([202, 1]);
  const row = await sessionRow(t, shop, id);
  if (row === undefined) throw new Error("the session was not opened");
  return row;
}

describe("the texts that traffic is told by [storefront.traffic-values]", () => {
  it("are 50 channels of a store; what comes after them counts as other, what came before stays", async () => {
    const shop = await t.store();
    const own = await makeQuiz(t, shop, { document: finderDocument, publish: true });
    for (let number = 0; number < 50; number += 1) {
      expect((await open({ channel: `c${number}` }, shop, own)).channel).toBe(`c${number}`);
    }
    expect((await open({ channel: "c50" }, shop, own)).channel).toBe("other");
    expect((await open({ channel: "c51" }, shop, own)).channel).toBe("other");
    expect((await open({ channel: "c49" }, shop, own)).channel).toBe("c49");
    // each store has its own, and another process counts the same
    expect((await open({ channel: "c50" })).channel).toBe("c50");
    const facts = { channel: "c50" } as SessionAttributes;
    const again = { channel: "c7" } as SessionAttributes;
    await t.database.transaction((tx) => new TrafficValues().bound(tx.forStore(shop.uuid), [bare(facts), bare(again)]));
    expect([facts.channel, again.channel]).toEqual(["other", "c7"]);
  });

  it("are counted as they come, so that a new one costs as little beside thousands as beside none", async () => {
    const shop = await t.store();
    const own = await makeQuiz(t, shop, { document: finderDocument, publish: true });
    const counts = () =>
      t.database.transaction((tx) =>
        tx.all(sql<{ dimension: number; held: number }>`
          SELECT dimension, held FROM traffic_value_counts WHERE store_id = ${shop.uuid} ORDER BY dimension`),
      );
    // those that were there before they were counted as they came
    await filled(shop, 1, 7);
    for (const placement of ["top", "foot", "top", "side"]) await open({ placement, channel: "embed" }, shop, own);
    expect(await counts()).toEqual([
      { dimension: 0, held: 1 },
      { dimension: 1, held: 10 },
    ]);
    await t.database.transaction((tx) =>
      tx.all(sql`UPDATE traffic_value_counts SET held = 5000 WHERE store_id = ${shop.uuid} AND dimension = 1`),
    );
    // the count is believed: the rows are not counted again
    expect((await open({ placement: "late" }, shop, own)).placement).toBe("other");
    expect((await open({ placement: "side" }, shop, own)).placement).toBe("side");
  });

  it("are looked up one by one, however many the store has", async () => {
    const shop = await t.store();
    for (let dimension = 1; dimension <= 4; dimension += 1) await filled(shop, dimension, 4_900);
    await t.database.transaction((tx) => tx.all(sql`ANALYZE traffic_values`));
    // what the connection has read of the table, or its shards, and their indexes lately
    const read = sql<{ read: number }>`
      SELECT coalesce(sum(pg_stat_get_xact_tuples_returned(c.oid)), 0)::integer AS read FROM pg_class c
      WHERE c.relname ~ '^traffic_values(_pkey)?(_\\d+)?$'`;
    let number = 0;
    const home = await homeOf(t.connection, inject("workers"), shop.uuid);
    // without this setting, a node hides its shards from the catalog
    const connection = { ...home, options: "-c citus.override_table_visibility=off" };
    const database = new Database({ connection, size: 1, log: t.foundations.log });
    const readFor = () =>
      database.transaction(async (tx) => {
        number += 1;
        const [before] = await tx.all(read);
        const fresh = { placement: `p${number}`, page_url: `u${number}`, referrer_host: `r${number}` };
        await new TrafficValues().bound(tx.forStore(shop.uuid), [bare(fresh as SessionAttributes)]);
        const [after] = await tx.all(read);
        return (after?.read ?? 0) - (before?.read ?? 0);
      });
    // the first counts those that were there; a plan for any number of values is made after five
    expect(await readFor()).toBeGreaterThan(10_000);
    for (let times = 0; times < 8; times += 1) expect(await readFor()).toBeLessThan(50);
    await database.close();
  });

  it("are 5,000 of each other field", async () => {
    const shop = await t.store();
    const own = await makeQuiz(t, shop, { document: finderDocument, publish: true });
    for (let dimension = 1; dimension <= 8; dimension += 1) await filled(shop, dimension, 4_999);
    const said = (word: string) => ({
      placement: word,
      page_url: `https://shop.example.com/${word}`,
      referrer: `https://${word}.example.com`,
      utm: { source: word, medium: word, campaign: word, content: word, term: word },
    });
    const [last, next, before] = [
      await open(said("last"), shop, own),
      await open(said("next"), shop, own),
      await open(said("last"), shop, own),
    ];
    const told = ({ placement, page_url, referrer_host, utm_source }: typeof last) => {
      return [placement, page_url, referrer_host, utm_source];
    };
    expect(told(last)).toEqual(["last", "https://shop.example.com/last", "last.example.com", "last"]);
    expect(told(next)).toEqual(["other", "other", "other", "other"]);
    expect(told(before)).toEqual(told(last));
    expect((await open({}, shop, own)).utm_source).toBeNull();
  });

  it("bind no history from elsewhere, and are not used up by it", async () => {
    const shop = await t.store();
    const own = await makeQuiz(t, shop, { document: finderDocument, publish: true });
    await filled(shop, 4, 5_000);
    const batch = batchOf(t, shop, own, recently(t, [opened({ min: 0 })]), { session: { utm: { source: "old" } } });
    const facts = await findStore(t.database.reader(), shop.id);
    if (!facts) throw new Error("the store is gone");
    await t.api.intake.submit({
      store: facts,
      batch,
      origin: { userAgent: null, country: null, region: null },
      mode: { kind: "history", emit: false },
      sender: null,
    });
    expect((await sessionRow(t, shop, batch.session.id))?.utm_source).toBe("old");
    expect((await open({ utm: { source: "old" } }, shop, own)).utm_source).toBe("other");
  });

  it("are looked up once where sessions keep naming them, however many are named in other stores", async () => {
    const values = new TrafficValues();
    const asked: string[] = [];
    const name = async (storeId: string, ...channels: string[]): Promise<void> => {
      const all = async ({ parameters }: Statement) => {
        // the other statement reads the store's counts
        if (parameters.length === 0) return [];
        asked.push(storeId);
        const given = JSON.parse(String(parameters[0])) as { dimension: number; hash: number }[];
        return given.map(({ dimension, hash }) => ({ dimension, hash: String(hash) }));
      };
      const opening = channels.map((channel) => bare({ channel } as SessionAttributes));
      // of a runner nothing else is used
      await values.bound({ storeId, all } as unknown as StoreTransaction, opening);
      expect(opening.map(({ channel }) => channel)).toEqual(channels);
    };
    await name("a", "own");
    for (let shop = 0; shop < 105; shop += 1) {
      await name(`other ${shop}`, ...Array.from({ length: 1_000 }, (_, number) => `c${number}`));
      if (shop % 40 === 0) await name("a", "own");
    }
    await name("a", "own");
    expect(asked.filter((storeId) => storeId === "a")).toHaveLength(1);
  });

  it("are the same whatever is sent together, over several processes, as one list kept in order", async () => {
    const word = fc.integer({ min: 0, max: 70 }).map((number) => `w${number}`);
    const groups = fc.array(fc.tuple(fc.boolean(), fc.array(word, { minLength: 1, maxLength: 12 })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(groups, async (given) => {
        const shop = await t.store();
        const processes = [new TrafficValues(), new TrafficValues()];
        const listed = new Set<string>();
        for (const [second, words] of given) {
          const opening = words.map((channel) => bare({ channel } as SessionAttributes));
          const undone = words.length === 7;
          const work = t.database.transaction(async (tx) => {
            await processes[Number(second)]?.bound(tx.forStore(shop.uuid), opening);
            if (undone) throw new RangeError("undone");
          });
          await work.catch((error: unknown) => {
            if (!(error instanceof RangeError)) throw error;
          });
          if (undone) continue;
          for (const each of words) if (listed.size < 50) listed.add(each);
          expect(opening.map((facts) => facts.channel)).toEqual(
            words.map((each) => (listed.has(each) ? each : "other")),
          );
        }
      }),
      { numRuns: 15 },
    );
  });
});

/** Facts of which only some are of interest. */
function bare(facts: SessionAttributes): SessionAttributes {
  const names = ["placement", "page_url", "referrer_host", "utm_source", "utm_medium", "utm_campaign"] as const;
  for (const name of [...names, "utm_content", "utm_term"] as const) facts[name] ??= null;
  return facts;
}
