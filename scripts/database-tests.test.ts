import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { databaseTests } from "./database-tests.ts";

/** Which tests CI also runs against Debian's PostgreSQL. */

const root = join(import.meta.dirname, "..");
const found = await databaseTests(["server", "testkit", "engine"]);

it("names every test that opens a database, by whatever part of the testkit", async () => {
  const openers = [
    ...["server/sessions/sweep.test.ts", "server/webhooks/send/holders.test.ts", "server/orders/webhooks.test.ts"],
    ...["server/columnar-copy/survival.test.ts", "server/platform/database/outages.test.ts"],
    ...["server/exports/download.test.ts", "server/profiles/walks.property.test.ts", "server/erasure/erase.test.ts"],
  ];
  expect(openers.filter((file) => !found.includes(file))).toEqual([]);
});

it("names none that works without one, and no hard test", async () => {
  const pure = ["server/quizzes/safe-html.test.ts", "server/sessions/reduce.property.test.ts"];
  expect(found.filter((file) => pure.includes(file) || /\.hard\.|^engine/.test(file))).toEqual([]);
  for (const file of pure) expect(await readFile(join(root, file), "utf8")).not.toContain("openTest");
});
