import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { type Backup, backUp, erasePersonIn, replayIn, restore, verifyIn } from "../../testkit/erasure.ts";
import type { ScriptedEvent } from "../../testkit/histories.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { choose, enter, finish, opened, say } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { recently, send } from "../../testkit/storefront.ts";
import { readConfig } from "../platform/config.ts";

let t: TestApp;
const dataDir = mkdtempSync(join(tmpdir(), "quizstore-erasure-"));
beforeAll(async () => {
  // so that phones written as at home are known as such
  t = await openTestApp({
    config: readConfig({ BASE_URL: "http://api.test", DATA_DIR: dataDir, GEO_COUNTRY_HEADER: "cf-ipcountry" }),
  });
});
afterAll(async () => {
  await t.close();
  rmSync(dataDir, { recursive: true });
});

const emails = ["p1@mail.example", "p2@mail.example", "p3@mail.example"];
const phones = ["+491510000001", "+491510000002"];
/** as typed, with the digits that all forms have in common */
const written = (value: string, form: number): string => {
  if (value.includes("@")) return [value, ` ${value.toUpperCase()} `][form % 2] ?? value;
  return [value, `0${value.slice(3, 6)} / ${value.slice(6)}`][form % 2] ?? value;
};

const typing = fc.record({
  field: fc.constantFrom("mail", "mail", "phone", "remark"),
  pick: fc.nat(5),
  form: fc.nat(1),
  clear: fc.nat(6).map((n) => n === 0),
});
const visit = fc.record({
  typed: fc.array(typing, { maxLength: 4 }),
  finished: fc.boolean(),
  order: fc.option(fc.nat(4), { nil: null }),
});
type Visit = typeof visit extends fc.Arbitrary<infer Value> ? Value : never;

function scriptOf({ typed, finished }: Visit, remark: string): ScriptedEvent[] {
  const answers = typed.map(({ field, pick, form, clear }) => {
    if (clear) return say("contact", field, null);
    if (field === "remark") {
      const others = [...emails, ...phones];
      return say("contact", "remark", pick > 2 ? `${remark} ${written(others[pick % 5] ?? "", form)}` : remark);
    }
    const values = field === "mail" ? emails : phones;
    return say("contact", field, written(values[pick % values.length] ?? "", form), { consent: true });
  });
  const end = finished ? [enter("result"), finish("result")] : [];
  return [
    opened(),
    enter("skin", "start"),
    choose("skin", "skin_type", 3),
    enter("contact", "jump"),
    ...answers,
    ...end,
  ];
}

interface World {
  store: TestStore;
  remarks: Map<string, string>;
}

async function open(visits: readonly Visit[]): Promise<World> {
  const store = await t.store();
  const quiz: TestQuiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  const remarks = new Map<string, string>();
  const headers = { "cf-ipcountry": "DE" };
  for (const [index, one] of visits.entries()) {
    const id = randomUUID();
    const remark = `remark-of-${index}-end`;
    remarks.set(id, remark);
    const session = { id: `sess_${id.replaceAll("-", "")}`, visitor_id: `vis_${id.replaceAll("-", "")}` };
    const events = recently(t, scriptOf(one, remark), { minutesAgo: 200 - 20 * index, firstId: 100 * index });
    await send(t, store, quiz, events, { session, headers });
    if (one.order === null) continue;
    const value = [...emails, ...phones][one.order] ?? "";
    const contact = value.includes("@") ? { email: value } : { phone: value };
    await postWebhook(t, store, { topic: "orders/create", payload: shopOrder(index + 1, t.calendar.now(), contact) });
  }
  return { store, remarks };
}

type Rows = Record<string, unknown>[];
/** by id, since a column that an erasure changes must not change the order */
const rowsOf = (backup: Backup, table: string): Rows =>
  ((backup.get(table) ?? []) as Rows).toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
const placeOf = ({ id, order_id, value }: Rows[number]): string => String(id ?? order_id ?? value);

/** Everything that is counted, of sessions, orders and people. */
const counted = (backup: Backup) => ({
  sessions: rowsOf(backup, "sessions").map(({ id, status, started_at, completed_at, profile_id, state }) => {
    // without its fold a session is worked out from its events when it goes on
    const { answers: _, contacts: __, fold: ___, ...figures } = state as Record<string, unknown>;
    return { id, status, started_at, completed_at, profile_id, figures };
  }),
  orders: rowsOf(backup, "orders"),
  lines: rowsOf(backup, "order_lines"),
  people: rowsOf(backup, "profiles").map(({ removed_at: _, ...figures }) => figures),
  events: rowsOf(backup, "session_events").map(({ id, type, seq, at }) => ({ id, type, seq, at })),
});

const textOf = (backup: Backup, leftOut: readonly string[] = []): string =>
  JSON.stringify([...backup].filter(([name]) => !leftOut.includes(name))).toLowerCase();
const digits = (text: string): string => text.replaceAll(/[ ()/.-]/g, "");

function expectGone(after: Backup, values: readonly string[]): void {
  const text = textOf(after, ["changes", "facts_copies"]);
  for (const value of values) {
    const form = value.startsWith("+") ? value.slice(3) : value;
    // not by the matcher, which would print everything
    expect((value.startsWith("+") ? digits(text) : text).includes(form), value).toBe(false);
  }
}

it("leaves none of an erased person's values in any column, keeps every count, and does so again after a restore [erasure.person, erasure.answers, erasure.counts, erasure.restore]", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(visit, { minLength: 2, maxLength: 6 }), fc.nat(), async (visits, chosen) => {
      const { store, remarks } = await open(visits);
      const before = await backUp(t, store);
      const people = rowsOf(before, "profiles").map(({ id }) => String(id));
      const erased = people.filter((_, index) => (chosen >> index) & 1);
      const held = rowsOf(before, "identities");
      const values = [
        ...held.filter(({ profile_id }) => erased.includes(String(profile_id))).map(({ value }) => String(value)),
        ...rowsOf(before, "sessions")
          .filter(({ profile_id }) => erased.includes(String(profile_id)))
          .map(({ id }) => remarks.get(String(id)) ?? ""),
      ];
      for (const id of erased) await erasePersonIn(t, store, id);
      const after = await backUp(t, store);
      expectGone(after, values);
      expect(counted(after)).toEqual(counted(before));
      const left = held.filter(({ profile_id }) => !erased.includes(String(profile_id)));
      expect(
        rowsOf(after, "identities")
          .map(({ value }) => value)
          .sort(),
      ).toEqual(left.map(({ value }) => value).sort());
      for (const id of erased) expect(await verifyIn(t, store, id, values)).toMatchObject({ ok: true, found: [] });
      await restore(t, store, before);
      await replayIn(t);
      const again = await backUp(t, store);
      expectGone(again, values);
      expect(counted(again)).toEqual(counted(before));
    }),
    { numRuns: 12, interruptAfterTimeLimit: 60_000 },
  );
}, 100_000);
