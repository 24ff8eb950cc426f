import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { exportRow, filesIn, type GivenExport, linkOf, putExport, storageOf } from "../../testkit/exports.ts";
import { ownStore, sql, type Transaction } from "../platform/database/sql.ts";
import { type FileStorage, storageFailed } from "../platform/files/types.ts";
import { cancelExports, forgetExports } from "./end-exports.ts";
import { fileName, parseExportId } from "./export-rows.ts";
import { sweepExports } from "./sweep.ts";

let t: TestApp;
let store: TestStore;
let files: FileStorage;
beforeAll(async () => {
  t = await openTestApp();
  files = storageOf(t);
});
afterAll(() => t.close());
beforeEach(async () => {
  t.passTime(60_000);
  store = await t.store();
});

const weekMs = 7 * 24 * 60 * 60 * 1000;
const sweep = (storage = files) => sweepExports({ ...t.foundations, files: storage });
const fileOf = (id: string, claim = 1) => fileName(store.uuid, { id: parseExportId(id) ?? "", format: "csv" }, claim);
const ownFiles = async () => (await filesIn(files)).filter((name) => name.startsWith(store.uuid));
const statusOf = async (id: string) => {
  const { status, due_at: due } = await exportRow(t, store, id);
  return [status, due?.getTime() ?? null];
};
const put = (given: GivenExport = {}) => putExport(t, store, given);
const inTransaction = (work: (tx: Transaction) => Promise<unknown>) => t.database.transaction(work);

describe("the sweep [exports.expiry]", () => {
  it("expires an export at its end and removes its file", async () => {
    const [old, young] = [await put({ age: 60_000 }), await put()];
    t.calendar.advance(weekMs - 60_001);
    expect(await sweep()).toBe(0);
    t.calendar.advance(1);
    expect(await sweep()).toBe(1);
    expect(await statusOf(old)).toEqual(["expired", null]);
    expect((await statusOf(young))[0]).toBe("completed");
    expect(await ownFiles()).toEqual([fileOf(young)]);
    const list = await t.request("GET", "/v1/exports", { key: store.key });
    expect(list.body.data.map(({ status }: { status: string }) => status)).toEqual(["completed", "expired"]);
    expect((await t.request("GET", `/v1/exports/${old}`, { key: store.key })).status).toBe(404);
    t.calendar.advance(60_000);
    expect([await sweep(), await sweep(), await ownFiles()]).toEqual([1, 0, []]);
  });

  it("tries again where the storage fails, a minute later, and nobody reads the file meanwhile", async () => {
    const id = await put();
    t.calendar.advance(weekMs - 1000);
    const link = await linkOf(t, store, id);
    t.calendar.advance(1000);
    const broken: FileStorage = {
      write: (name) => files.write(name),
      read: (name, range) => files.read(name, range),
      remove: async () => Promise.reject(storageFailed(new Error("away"))),
      names: () => files.names(),
      close: () => files.close(),
    };
    await sweep(broken);
    expect(await statusOf(id)).toEqual(["expired", t.calendar.now() + 60_000]);
    expect((await t.request("GET", link)).status).toBe(404);
    expect([await sweep(), await ownFiles()]).toEqual([0, [fileOf(id)]]);
    expect(t.logged.join()).toContain("could not be removed");
    t.calendar.advance(60_000);
    expect([await sweep(), await ownFiles()]).toEqual([1, []]);
  });

  it("removes what every claim of a failed export has left, once", async () => {
    const id = await put({ status: "failed" });
    for (const claim of [1, 2, 3]) await (await files.write(fileOf(id, claim))).finish();
    await t.database
      .reader()
      .forStore(store.uuid)
      .all(sql`
        UPDATE exports SET claims = 3, due_at = ${new Date(t.calendar.now())}
        WHERE store_id = ${ownStore} AND id = ${parseExportId(id)}`);
    expect([await sweep(), await ownFiles(), await statusOf(id)]).toEqual([1, [], ["failed", null]]);
    expect(await sweep()).toBe(0);
  });

  it("leaves alone what is being built, and shares the work with another sweep", async () => {
    const building = [await put({ status: "pending" }), await put({ status: "running", dataset: "profiles" })];
    const ids = [await put(), await put(), await put()];
    t.calendar.advance(weekMs);
    const before = await Promise.all(building.map((id) => exportRow(t, store, id)));
    await Promise.all([sweep(), sweep()]);
    for (const id of ids) expect(await statusOf(id)).toEqual(["expired", null]);
    expect(await Promise.all(building.map((id) => exportRow(t, store, id)))).toEqual(before);
  });
});

describe("an erasure [exports.erasure]", () => {
  const forget = () => inTransaction((tx) => forgetExports(tx.forStore(store.uuid), () => false, t.calendar.now()));

  it("expires the store's files of people at once, and has builds begin again", async () => {
    const other = await t.store();
    const theirs = await putExport(t, other, { dataset: "profiles" });
    const [people, answers, figures] = [
      await put({ dataset: "profiles" }),
      await put({ dataset: "responses" }),
      await put({ dataset: "quiz_analytics" }),
    ];
    const running = await put({ dataset: "profiles", status: "running" });
    const link = await linkOf(t, store, people);
    await forget();
    expect((await t.request("GET", link)).status).toBe(404);
    const now = t.calendar.now();
    expect([await statusOf(people), await statusOf(answers)]).toEqual([
      ["expired", now],
      ["expired", now],
    ]);
    expect((await statusOf(figures))[0]).toBe("completed");
    expect(await exportRow(t, store, running)).toMatchObject({ status: "pending", started_at: null, lease_id: null });
    await sweep();
    expect(await ownFiles()).toEqual([fileOf(figures)]);
    expect((await exportRow(t, other, theirs)).status).toBe("completed");
  });
});

describe("a disconnected store [exports.disconnect]", () => {
  it("has no file left, and none that is being made", async () => {
    const [done, pending, failed] = [
      await put(),
      await put({ dataset: "profiles", status: "pending" }),
      await put({ status: "failed" }),
    ];
    const link = await linkOf(t, store, done);
    await inTransaction((tx) => cancelExports(tx, store.uuid, t.calendar.now()));
    expect((await t.request("GET", link)).status).toBe(404);
    await sweep();
    expect([await statusOf(done), await statusOf(pending), await ownFiles()]).toEqual([
      ["expired", null],
      ["failed", null],
      [],
    ]);
    expect((await exportRow(t, store, pending)).error).toBe("The store was disconnected");
    expect((await exportRow(t, store, failed)).error).toBe("Something broke");
  });
});
