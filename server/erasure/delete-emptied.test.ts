import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { toolsOf } from "../../testkit/erasure.ts";
import { leaveContact, settleTwin, type Twin } from "../../testkit/test-twins.ts";
import { ownStore, raw, sql } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";
import { deleteEmptied } from "./delete-emptied.ts";
import { eraseStore } from "./erase-store.ts";
import { tenantTables } from "./tables.ts";

let t: TestApp;
let twin: Twin;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  twin = await settleTwin(t);
});

const hourMs = 3_600_000;
const ask = (method: string, path: string, body?: object) => t.request(method, path, { key: twin.key, body });

describe("an emptied test twin [test-stores.emptied]", () => {
  const rowsOf = async (table: "quizzes" | "sessions" | "outbox", uuid: string) => {
    const db = t.database.reader().forStore(uuid);
    const statements = {
      quizzes: sql`SELECT id FROM quizzes WHERE store_id = ${ownStore}`,
      sessions: sql`SELECT id FROM sessions WHERE store_id = ${ownStore}`,
      outbox: sql`SELECT id FROM outbox WHERE store_id = ${ownStore}`,
    };
    return (await db.all(statements[table])).length;
  };

  it("has nothing left but its keys, and what it had is deleted later", async () => {
    await leaveContact(t, twin, "gone@example.com");
    await leaveContact(t, twin.live, "stays@example.com");
    await ask("POST", "/v1/test/clock", { advance_seconds: 86_400 });
    const before = (await ask("GET", "/v1/test/clock")).body;
    expect((await ask("DELETE", "/v1/test/data")).status).toBe(204);
    for (const path of ["/v1/quizzes", "/v1/profiles", "/v1/events", "/v1/webhooks"])
      expect((await ask("GET", path)).body.data).toEqual([]);
    const after = (await ask("GET", "/v1/test/clock")).body;
    expect(after).toMatchObject({ publishable_key: before.publishable_key, shop_domain: before.shop_domain });
    expect([after.ahead_seconds, after.store_id === before.store_id]).toEqual([0, false]);
    expect(await rowsOf("sessions", twin.uuid)).toBe(1);
    expect(await deleteEmptied(t.database, t.calendar.now())).toBe(0);
    expect(await deleteEmptied(t.database, t.calendar.now() + hourMs)).toBeGreaterThan(5);
    for (const table of ["quizzes", "sessions", "outbox"] as const) expect(await rowsOf(table, twin.uuid)).toBe(0);
    expect(await rowsOf("sessions", twin.live.uuid)).toBe(1);
    const kept = { ...twin, uuid: parseId("store", after.store_id) ?? "" };
    await leaveContact(t, kept, "again@example.com");
    expect((await ask("GET", "/v1/profiles")).body.data).toHaveLength(1);
    expect((await ask("DELETE", "/v1/test/data")).status).toBe(204);
  });

  it("has no rows any more when its store is erased, and neither has what was emptied before [erasure.redacted-shop]", async () => {
    await leaveContact(t, twin, "emptied@example.com");
    expect((await ask("DELETE", "/v1/test/data")).status).toBe(204);
    const now = (await ask("GET", "/v1/test/clock")).body;
    const present = { ...twin, uuid: parseId("store", now.store_id) ?? "" };
    await ask("POST", "/v1/test/clock", { advance_seconds: 86_400 });
    await leaveContact(t, present, "erased@example.com");
    const other = await settleTwin(t);
    await leaveContact(t, other, "other@example.com");
    expect([await rowsOf("sessions", twin.uuid), await rowsOf("sessions", present.uuid)]).toEqual([1, 1]);
    await t.database.transaction((tx) => eraseStore(tx, twin.live.uuid, toolsOf(t), { by: "test" }));
    const kept = new Set(["stores", "store_revisions", "facts_copies", "changes"]);
    for (const { name } of await tenantTables(t.database.reader())) {
      const left = async (uuid: string) =>
        (
          await t.database
            .reader()
            .forStore(uuid)
            .all(sql`SELECT 1 FROM ${raw(name)} WHERE store_id = ${ownStore}`)
        ).length;
      if (!kept.has(name)) expect([name, await left(twin.uuid), await left(present.uuid)]).toEqual([name, 0, 0]);
    }
    expect(await rowsOf("sessions", other.uuid)).toBe(1);
    await deleteEmptied(t.database, t.calendar.now() + hourMs);
    const row = await t.database.reader().first(sql`SELECT id FROM stores WHERE id = ${twin.uuid}`);
    expect(row).toBeUndefined();
  });
});
