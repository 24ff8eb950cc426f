import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../testkit/database.ts";
import { openLog } from "../platform/log.ts";
import { copyOut } from "./copy-out.ts";

const log = openLog("error", { write: (line) => void process.stderr.write(line) });
let db: TestDatabase;
let directory: string;
let client: pg.PoolClient;
let files = 0;
beforeAll(async () => {
  db = await openTestDatabase(log);
  directory = await mkdtemp(join(tmpdir(), "copy-out-"));
});
beforeEach(async () => {
  client = await db.database.dedicated();
});
afterAll(async () => {
  await db.close();
  await rm(directory, { recursive: true, force: true });
});

const rows = (count: number) => `SELECT i, repeat('x', 1000) FROM generate_series(1, ${count}) AS i`;
const nextPath = () => join(directory, `rows-${++files}.csv`);

it("cuts files between rows, in order, one at work at a time", async () => {
  const numbers: string[] = [];
  let atWork = 0;
  const work = async (path: string) => {
    expect(++atWork).toBe(1);
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    numbers.push(...lines.map((line) => line.split("\u0002")[0] ?? ""));
    expect(lines.every((line) => line.endsWith("x".repeat(1000)))).toBe(true);
    atWork -= 1;
  };
  await copyOut(client, rows(30_000), { partBytes: 100_000, nextPath, work });
  expect(numbers).toEqual(Array.from({ length: 30_000 }, (_, index) => String(index + 1)));
  client.release();
});

it.each([
  ["a file cannot be worked on", { nextPath, work: () => Promise.reject(new Error("no room")) }, "no room"],
  [
    "a file cannot be worked on, found out while rows pile up",
    { nextPath, work: () => pause(300).then(() => Promise.reject(new Error("no room"))) },
    "no room",
  ],
  [
    "a file cannot be made",
    { nextPath: () => join(directory, "none", "rows.csv"), work: async () => undefined },
    "ENOENT",
  ],
])("fails when %s, and the connection can be used again", async (_, options, message) => {
  await expect(copyOut(client, rows(30_000), { partBytes: 1_000_000, ...options })).rejects.toThrow(message);
  expect((await client.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  client.release();
});

it("fails with a statement that fails on its way, or whose connection is lost", async () => {
  const options = { partBytes: 1_000_000, nextPath, work: async () => undefined };
  const failing = "SELECT 1 / (20000 - i), repeat('x', 1000) FROM generate_series(1, 30000) AS i";
  await expect(copyOut(client, failing, options)).rejects.toThrow("division by zero");
  const lost =
    "SELECT CASE WHEN i = 20000 THEN pg_terminate_backend(pg_backend_pid()) END, repeat('x', 1000) FROM generate_series(1, 30000) AS i";
  await expect(copyOut(client, lost, options)).rejects.toThrow();
  client.release(true);
});
