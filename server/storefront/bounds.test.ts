import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  maxAnswerLength,
  maxEventsPerSession,
  maxSessionBytes,
  maxShownProducts,
  rejectReasons,
} from "../../contract/storefront.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { eventId, historyStart } from "../../testkit/histories.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { choose, enter, opened, say } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { countRows, recently, type Sent, send, sessionId, sessionRow } from "../../testkit/storefront.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
/** takes the longest texts, and numbers without bounds */
const roomy = {
  ...finderDocument,
  pages: finderDocument.pages.map((page) => ({
    ...page,
    components: page.components.map((part) => {
      if (part.kind === "text") return { ...part, max_length: maxAnswerLength };
      return part.kind === "number" ? { ...part, min: null, max: null, step: 1e-9 } : part;
    }),
  })),
};
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  quiz = await makeQuiz(t, store, { document: roomy, publish: true });
});

const post = (events: unknown[], sent?: Sent) => send(t, store, quiz, events, sent);
const later = (script: Parameters<typeof recently>[1], firstId: number) =>
  recently(t, script, { firstId, minutesAgo: 1 });
const reasonsOf = (body: { rejected: { reason: string }[] }) => body.rejected.map(({ reason }) => reason);

describe("what a live session holds at most", () => {
  it("takes 300 events, refuses more as too_many_events, and still knows those that it has [storefront.session-bounds]", async () => {
    const script = Array.from({ length: maxEventsPerSession + 1 }, (_, index) => enter("skin", "next", { seq: index }));
    const events = recently(t, script);
    for (let at = 0; at < 300; at += 100) expect((await post(events.slice(at, at + 100))).body.accepted).toBe(100);
    const { body } = await post([events[299], events[300]]);
    expect(body).toEqual({ accepted: 0, duplicates: 1, rejected: [{ id: eventId(300), reason: "too_many_events" }] });
    expect(await countRows(t, store, "session_events")).toBe(300);
  });

  it("takes 256 KB of event data, refuses more as session_too_large, and takes what still fits [storefront.session-bounds]", async () => {
    const long = "x".repeat(maxAnswerLength);
    const size = JSON.stringify({ page_key: "contact", component_key: "remark", value: long }).length;
    const fitting = Math.floor(maxSessionBytes / size);
    const script = Array.from({ length: fitting + 2 }, (_, seq) => say("contact", "remark", long, { seq }));
    const events = recently(t, script);
    for (let at = 0; at < events.length; at += 10) await post(events.slice(at, at + 10));
    expect(await countRows(t, store, "session_events")).toBe(fitting);
    expect(reasonsOf((await post([events.at(-1)])).body)).toEqual(["session_too_large"]);
    expect((await post(later([enter("skin", "next", { seq: 900 })], 900))).body.accepted).toBe(1);
  });

  it("takes products of the version and of the catalog only, and 1,000 of them [storefront.known-products, storefront.session-bounds]", async () => {
    const { reader } = t.database;
    await reader
      .call(t.database)
      .forStore(store.uuid)
      .all(sql`INSERT INTO products (store_id, product_id, title, had_variants, updated_at)
            SELECT ${ownStore}::uuid, 'gid://shopify/Product/' || n, 'Soap', false, ${new Date(t.calendar.now())}::timestamptz FROM generate_series(5001, 6100) n`);
    const show = (ids: (string | number)[], seq: number) => ({
      type: "products_shown" as const,
      page_key: "result",
      block_key: "picks",
      products: ids.map((id) => ({ product_id: typeof id === "number" ? `gid://shopify/Product/${id}` : id })),
      seq,
    });
    const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
    const first = await post(recently(t, [show(["5001", 5002, "invented", 9], 0), show(["invented"], 1)]));
    expect(first.body).toEqual({
      accepted: 1,
      duplicates: 0,
      rejected: [{ id: eventId(1), reason: "unknown_product" }],
    });
    const shown = (await sessionRow(t, store, sessionId(1)))?.state.shown.map(({ product_id }) => product_id);
    expect(shown).toEqual(["5001", "gid://shopify/Product/5002"]);
    const blocks = [0, 1, 2, 3].map((part) => show(range(5003 + part * 250, part === 3 ? 248 : 250), 10 + part));
    expect((await post(later(blocks, 10))).body.accepted).toBe(4);
    const { body } = await post(later([show([6050], 20), show([5003], 21)], 20));
    expect(body).toMatchObject({ accepted: 1, rejected: [{ id: eventId(20), reason: "too_many_products" }] });
    expect((await sessionRow(t, store, sessionId(1)))?.state.shown).toHaveLength(maxShownProducts);
  });

  it("keeps of the hidden pages those of the version [storefront.known-pages]", async () => {
    const invented = Array.from({ length: 400 }, (_, index) => `page ${index}`);
    await post(recently(t, [opened(), enter("age", "next", { hidden_page_keys: ["skin", ...invented] })]));
    const rows = await t.database.reader().all(sql<{ data: object }>`
      SELECT data FROM session_events WHERE store_id = ${store.uuid} AND type = 'page_entered'`);
    expect(rows).toEqual([{ data: { page_key: "age", cause: "next", hidden_page_keys: ["skin"] } }]);
  });

  it("refuses events older than 72 hours by corrected time as too_old, whatever the browser's clock [storefront.old-events]", async () => {
    const hour = 3_600_000;
    for (const skew of [0, 90 * 24 * hour, -90 * 24 * hour]) {
      const sentAt = t.calendar.now() + skew;
      const at = (age: number) => new Date(sentAt - age).toISOString();
      const [one, two] = recently(t, [opened(), enter("skin", "start")], { firstId: skew === 0 ? 0 : 10 }) as object[];
      const id = sessionId(skew === 0 ? 1 : skew > 0 ? 2 : 3);
      const events = [
        { ...one, at: at(72 * hour + 1) },
        { ...two, at: at(72 * hour) },
      ];
      const { body } = await post(events, { sentAt, session: { id } });
      expect([body.accepted, reasonsOf(body)]).toEqual([1, ["too_old"]]);
      expect((await sessionRow(t, store, id))?.opened_at.getTime()).toBe(t.calendar.now() - 72 * hour);
    }
  });

  it("refuses numbers beyond a million millions and nearer to 0 than 1e-9 as invalid_value, and takes 0 [storefront.number-bounds]", async () => {
    const answers = [1e300, 1e12 + 1, -1e13, 5e-324, 9e-10, 1e12, -1e12, 1e-9, 0].map((value, seq) =>
      say("age", "years", value, { seq }),
    );
    const { body } = await post(recently(t, answers));
    expect(body.accepted).toBe(4);
    expect(body.rejected).toEqual([0, 1, 2, 3, 4].map((id) => ({ id: eventId(id), reason: "invalid_value" })));
  });

  it("clears an answer by `value: []`, on every kind of question [engine.clearing]", async () => {
    const set = [choose("skin", "skin_type", 1), say("age", "years", 30), say("contact", "remark", "hm")];
    await post(recently(t, [opened(), ...set]));
    const cleared = later(
      set.map((event, index) => ({ ...event, seq: 10 + index })),
      10,
    ).map((event) => ({ ...event, option_ids: null, value: [] }));
    expect((await post(cleared)).body).toEqual({ accepted: 3, duplicates: 0, rejected: [] });
    expect((await sessionRow(t, store, sessionId(1)))?.state.answers).toEqual([]);
  });

  it("names its reasons in the contract", () => {
    for (const reason of ["too_many_events", "session_too_large", "too_old", "unknown_product", "too_many_products"]) {
      expect(rejectReasons).toContain(reason);
    }
  });
});

describe("a session whose row was written by the release before (upgrades)", () => {
  it("goes on from all of its events, and knows how many it has", async () => {
    await post(recently(t, [opened({ min: 0 }), enter("skin", "start"), choose("skin", "skin_type", 1)]));
    const before = await sessionRow(t, store, sessionId(1));
    const uuid = parseId("sess", sessionId(1));
    await t.database
      .reader()
      .forStore(store.uuid)
      .all(sql`UPDATE sessions SET state = state - 'fold' WHERE store_id = ${ownStore} AND id = ${uuid}`);
    await post(later([enter("age", "next", { seq: 9 })], 9));
    const after = await sessionRow(t, store, sessionId(1));
    expect(after?.state.visits.map(({ page_key }) => page_key)).toEqual(["skin", "age"]);
    expect(after?.state.fold).toMatchObject({ events: 4, seq: 9 });
    expect(after?.state.answers).toEqual(before?.state.answers);
    const own = t.database.reader().forStore(store.uuid);
    await own.all(sql`UPDATE sessions SET state = state - 'fold' WHERE store_id = ${ownStore} AND id = ${uuid}`);
    await own.all(sql`
            INSERT INTO session_events (store_id, session_id, id, seq, at, received_at, type, data)
            SELECT ${ownStore}, ${uuid}, ('00000000-0000-4000-9000-' || lpad(n::text, 12, '0'))::uuid, 100 + n, ${new Date(historyStart)}::timestamptz, ${new Date(historyStart)}::timestamptz, 'quiz_opened', '{}'
            FROM generate_series(1, 296) n`);
    expect(reasonsOf((await post(later([enter("skin", "back", { seq: 900 })], 900))).body)).toEqual([
      "too_many_events",
    ]);
  });
});
