import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../../testkit/app.ts";
import { askExport, buildDepsOf, exportRecord, MemoryFiles } from "../../../testkit/export-files.ts";
import { buildDueExports } from "./builds.ts";
import { removeLeftOvers } from "./left-overs.ts";

let t: TestApp;

beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

it("takes left-over files away; those of completed exports and of others stay [exports.left-overs]", async () => {
  const store = await t.store({ plan: "enterprise" });
  const files = new MemoryFiles();
  const { id } = await askExport(t, store, { dataset: "profiles" });
  await buildDueExports(buildDepsOf(t, files));
  const [name = ""] = files.finished.keys();
  const left = [name.replace("-1.csv", "-2.csv"), name.replace("-1.csv", "-1.json"), name.replace(/^.{8}/, "00000000")];
  for (const each of [...left, "readme.txt"]) files.finished.set(each, Buffer.from("x"));
  files.begun.set(`${store.uuid}/${store.uuid}-1.csv`, []);
  expect(await removeLeftOvers(t.database, files)).toBe(4);
  expect([...files.finished.keys()].sort()).toEqual([name, "readme.txt"].sort());
  expect(files.begun.size).toBe(0);
  expect((await exportRecord(t, store, id)).status).toBe("completed");
});
