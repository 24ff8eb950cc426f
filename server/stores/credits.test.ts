import { expect, it } from "vitest";
import type { Store } from "../platform/caller.ts";
import type { Database } from "../platform/database/database.ts";
import type { Statement } from "../platform/database/sql.ts";
import { noDeadline } from "../platform/deadline.ts";
import { Credits } from "./credits.ts";

it("of a store that is asked all the time are counted once, however many other stores are asked [api.credits]", async () => {
  const counted: string[] = [];
  const first = (id: string) => async (statement: Statement) => {
    if (statement.sql.includes("count(*)")) counted.push(id);
    return { revision: 1, used: 7 };
  };
  // of the database nothing else is used
  const database = { reader: () => ({ forStore: (id: string) => ({ first: first(id) }) }) } as unknown as Database;
  const credits = new Credits(database, { now: () => 0, afterReal: (ms) => ms });
  const used = (id: string) => credits.used({ id, timezone: "UTC" } as Store, noDeadline);
  expect(await used("a")).toBe(7);
  for (let index = 0; index < 10_500; index += 1) {
    await used(`other ${index}`);
    if (index % 4_000 === 0) expect(await used("a")).toBe(7);
  }
  expect(await used("a")).toBe(7);
  expect(counted.filter((id) => id === "a")).toEqual(["a"]);
});
