import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { openCopies } from "../../testkit/copies.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { storeIdsIn } from "./copies-folder.ts";
import { recordedCopies } from "./public.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
});
afterAll(() => t.close());

it.each([true, false])(
  "deletes copies and their records when it stops, where told so: %s [copy.at-stop]",
  async (ephemeral) => {
    const directory = await mkdtemp(join(tmpdir(), "facts-at-stop-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const copies = await openCopies({ ...t.foundations, database: t.database, directory, ephemeral });
    const { folder } = copies;
    await copies.ask(store.uuid, sql`SELECT count(*) AS sessions FROM sessions`);
    const records = () => recordedCopies(t.database.reader().forStore(store.uuid));
    expect([(await storeIdsIn(folder)).length, (await records()).length]).toEqual([1, 1]);
    await copies.close();
    const left = ephemeral ? 0 : 1;
    expect([(await storeIdsIn(folder)).length, (await records()).length]).toEqual([left, left]);
    await t.database.reader().forStore(store.uuid).all(sql`DELETE FROM facts_copies WHERE store_id = ${ownStore}`);
  },
);
