import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { eachStore } from "./each-store.ts";
import { Problem } from "./problems.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

it("does the work of every store though one of them cannot be reached, and says so at the end [operations.due-work]", async () => {
  const stores = [await t.store(), await t.store(), await t.store()].map(({ uuid }) => uuid);
  const done: string[] = [];
  const work = async (storeId: string) => {
    if (storeId === stores[1]) throw new Problem("dependency_unavailable");
    done.push(storeId);
    return 2;
  };
  await expect(eachStore(t.database, work)).rejects.toMatchObject({ title: "dependency_unavailable" });
  expect(done.sort()).toEqual([stores[0], stores[2]].sort());
  expect(await eachStore(t.database, async () => 2)).toBe(6);
});
