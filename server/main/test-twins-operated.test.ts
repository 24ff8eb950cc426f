import { Command } from "commander";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { linkOf, putExport } from "../../testkit/exports.ts";
import { inStore, TestPeople } from "../../testkit/members.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { leaveContact, settleTwin, type Twin } from "../../testkit/test-twins.ts";
import { inviteUser } from "../accounts/users.ts";
import type { CommandRunner } from "../platform/command-line/commands.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { dayMs, forgetOldRows, forgetOldRowsOf } from "../platform/retention.ts";
import { StoreCalendars } from "../platform/store-calendars.ts";
import { addStoreCommands } from "../stores/commands.ts";
import { inStoreNamed } from "../stores/find-store.ts";
import { TestTwinSweeps } from "../stores/test-twin-sweeps.ts";
import { retentions } from "./retention.ts";

let t: TestApp;
let twin: Twin;
const people = new TestPeople();
beforeAll(async () => {
  t = await openTestApp({ signedIn: people.signedIn });
});
afterAll(() => t.close());
beforeEach(async () => {
  twin = await settleTwin(t);
});

const ask = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  t.request(method, path, { key: twin.key, body, headers });
const move = (days: number) => ask("POST", "/v1/test/clock", { advance_seconds: days * 86_400 });
const ahead = async (): Promise<number> => Date.parse((await ask("GET", "/v1/test/clock")).body.now);

describe("operators of a test twin [test-stores.by-its-store]", () => {
  const deps = () => t.foundations;
  const runner: CommandRunner = {
    run: async (_options, work) => void (await work(deps())),
    runInTransaction: async (_options, work) => void (await t.database.transaction((tx) => work(tx, deps()))),
  };
  const run = async (...args: string[]) => {
    const program = new Command().exitOverride();
    addStoreCommands(program, runner, async () => ({}));
    await program.parseAsync(["node", "quizstore", ...args]);
  };

  it("are referred to its store by commands about access, plan and connection, by id and by domain", async () => {
    const domain = (await ask("GET", "/v1/test/clock")).body.shop_domain as string;
    for (const name of [twin.id, domain, domain.toUpperCase()]) {
      const refused = [
        ["key", "create", "--store", name],
        ["key", "create", "--store", name, "--test"],
        ["key", "list", "--store", name],
        ["store", "update", name, "--plan", "plus"],
        ["store", "update", name, "--commerce-secret", "long enough to be one of them"],
        ["store", "disconnect", name],
        ["store", "reconnect", name],
      ];
      for (const args of refused) await expect(run(...args)).rejects.toThrow("is a test twin");
      const invited = t.database.transaction((tx) =>
        inviteUser(tx, { ...t.foundations, baseUrl: "http://api.test" }, "a@x.test", { store: name, role: "owner" }),
      );
      await expect(invited).rejects.toThrow(domain.slice("test.".length));
    }
    await run("key", "create", "--store", twin.live.id, "--test");
    const rows = await t.database
      .reader()
      .forStore(twin.uuid)
      .all(sql`
      SELECT id FROM api_keys WHERE store_id = ${ownStore}`);
    expect(rows).toEqual([]);
    expect((await ask("GET", "/v1/store")).body.plan_class).toBe("enterprise");
  });

  it("find no such store in the dashboard, whatever they ask for", async () => {
    const operator = people.add("olga", { operator: true });
    const requests: [string, string, object?][] = [
      ["PATCH", "", { plan: "plus" }],
      ["POST", "/disconnect"],
      ["POST", "/reconnect"],
      ["POST", "/support", { reason: "to look" }],
      ["DELETE", "/support"],
    ];
    for (const [method, path, body] of requests) {
      t.passTime(10_000);
      const of = (id: string) =>
        t.request(method, `/dashboard/api/operator/stores/${id}${path}`, { headers: operator, body });
      expect([method, path, (await of(twin.id)).status]).toEqual([method, path, 404]);
    }
    const member = inStore(operator, { ...twin, id: twin.id });
    expect((await t.request("GET", "/dashboard/api/settings", { headers: member })).status).toBeGreaterThanOrEqual(403);
  });
});

describe("the clock of a test twin [test-stores.clock]", () => {
  it("ends preview links, those from before a move and those from after it", async () => {
    const quiz = await makeQuiz(t, twin);
    const link = async () => (await ask("POST", `/v1/quizzes/${quiz.id}/preview`, {})).body;
    const open = ({ url }: { url: string }) => t.request("GET", `/storefront/v1/previews/${url.split("/").at(-1)}`);
    const before = await link();
    expect((await open(before)).status).toBe(200);
    const days = Math.ceil((Date.parse(before.expires_at) - t.calendar.now()) / dayMs);
    await move(days);
    expect((await open(before)).status).toBe(404);
    const after = await link();
    expect((await open(after)).status).toBe(200);
    await move(days);
    expect((await open(after)).status).toBe(404);
  });

  it("ends the time in which a repeated request is answered without being performed again", async () => {
    const headers = { "idempotency-key": "once-a-day" };
    const url = `https://hooks.example.com/${twin.uuid}`;
    const make = () => ask("POST", "/v1/webhooks", { url, topics: ["quiz.finished"] }, headers);
    const first = await make();
    expect(first.status).toBe(201);
    await ask("POST", "/v1/test/clock", { advance_seconds: 23 * 3_600 });
    expect((await make()).headers["idempotent-replayed"]).toBe("true");
    await ask("POST", "/v1/test/clock", { advance_seconds: 3_600 });
    const again = await make();
    // performed again: it answers that the address has an endpoint already
    expect([again.status, again.headers["idempotent-replayed"]]).toEqual([200, undefined]);
  });

  it("ends download links in a process too that has not heard of the move yet", async () => {
    const link = await linkOf(t, twin, await putExport(t, twin, { text: "{}" }));
    const unaware = () => t.compose({ calendar: new StoreCalendars(t.calendar) });
    expect((await unaware().inject({ url: link })).statusCode).toBe(200);
    await ask("POST", "/v1/test/clock", { advance_seconds: 3_600 });
    expect((await unaware().inject({ url: link })).statusCode).toBe(404);
  });

  it("is the time in which commands work for the twin", async () => {
    await move(40);
    const now = await inStoreNamed(t.foundations, twin.id, async () => t.foundations.calendar.now());
    expect(now).toBe(await ahead());
    const live = await inStoreNamed(t.foundations, twin.live.id, async () => t.foundations.calendar.now());
    expect(live).toBe(t.calendar.now());
  });
});

describe("what falls due by a move of the clock [test-stores.due]", () => {
  const events = async (): Promise<number> => (await ask("GET", "/v1/events")).body.data.length;
  const { calendar } = { calendar: () => t.foundations.calendar };
  const handed = (uuid: string) =>
    t.database
      .reader()
      .forStore(uuid)
      .all(sql`
      UPDATE outbox SET due_at = NULL, feed_position = NULL WHERE store_id = ${ownStore}`);

  it("includes rows that are kept for a while, of the twin alone, and in shared time the records of copies", async () => {
    for (const store of [twin, twin.live]) {
      await leaveContact(t, store, "seen@example.com");
      await handed(store.uuid);
    }
    const node = "0198f000-0000-7000-8000-000000000019";
    await t.database
      .reader()
      .forStore(twin.uuid)
      .all(sql`
      INSERT INTO facts_copies (store_id, node, slot, revision, seen_at)
      VALUES (${ownStore}, ${node}, 1, 1, ${new Date(t.calendar.now())})`);
    const rows = async (table: "changes" | "facts_copies", uuid: string): Promise<number> => {
      const db = t.database.reader().forStore(uuid);
      const all =
        table === "changes"
          ? await db.all(sql`SELECT id FROM changes WHERE store_id = ${ownStore}`)
          : await db.all(sql`SELECT node FROM facts_copies WHERE store_id = ${ownStore} AND node = ${node}`);
      return all.length;
    };
    await move(31);
    expect(await events()).toBeGreaterThan(0);
    await forgetOldRows(t.database, calendar(), retentions);
    expect([await events(), await rows("changes", twin.uuid)]).toEqual([0, 0]);
    expect(await rows("facts_copies", twin.uuid)).toBe(1);
    expect(await rows("changes", twin.live.uuid)).toBeGreaterThan(0);
  });

  it("is deleted within seconds of the move, and looked for once", async () => {
    const looked: string[] = [];
    const sweeps = new TestTwinSweeps({
      ...{ database: t.database, calendar: calendar(), log: t.foundations.log, works: [] },
      worksOfMove: [
        async (storeId) => {
          if (storeId === twin.uuid) looked.push(storeId);
          return forgetOldRowsOf(t.database, calendar(), retentions, storeId);
        },
      ],
    });
    await leaveContact(t, twin, "seen@example.com");
    await handed(twin.uuid);
    for (const days of [20, 11]) {
      expect(await events()).toBeGreaterThan(0);
      await move(days);
      for (let rounds = 0; rounds < 3; rounds += 1) await sweeps.sweep();
    }
    expect([await events(), looked.length]).toEqual([0, 2]);
  });
});
