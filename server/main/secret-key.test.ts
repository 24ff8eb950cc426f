import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { sql } from "../platform/database/sql.ts";
import { openSecrets } from "../platform/secrets.ts";
import { createStore } from "../stores/admin.ts";
import { openSecretKey } from "./secret-key.ts";

let t: TestApp;
let dataDir: string;

beforeEach(async () => {
  t = await openTestApp();
  dataDir = await mkdtemp(join(tmpdir(), "quizstore-key-"));
});

afterEach(async () => {
  await t.close();
  await rm(dataDir, { recursive: true });
});

const open = (secretKey: string | null = null, databaseUrl: string | null = null) =>
  openSecretKey({ secretKey, databaseUrl, dataDir }, t.database.reader(), randomBytes);
const file = () => join(dataDir, "secret.key");
const key = "k".repeat(40);

/** The first store, whose secret is encrypted with the key. */
const addStore = (secretKey: string) =>
  t.database.transaction((tx) =>
    createStore(
      tx,
      { calendar: t.calendar, random: randomBytes, secrets: openSecrets(secretKey, randomBytes) },
      { name: "S", shopDomain: "s.example.com", plan: "plus", timezone: "UTC", currency: "EUR" },
    ),
  );

describe("the secret key", () => {
  it("is made once beside an embedded database, for its owner alone [operations.secret-key]", async () => {
    const sealed = (await open()).encrypt("text", "purpose");
    expect((await open()).decrypt(sealed, "purpose")).toBe("text");
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await readFile(file(), "utf8")).trim()).toMatch(/^[0-9a-f]{64}$/);
  });

  it("has to be given with a server's database [operations.secret-key]", async () => {
    await expect(open(null, "postgres://db")).rejects.toThrow("SECRET_KEY is required with DATABASE_URL");
    expect(await open(key, "postgres://db")).toBeDefined();
  });

  it("is refused where it is not the one that stores were made with, wherever it comes from [operations.secret-key]", async () => {
    await addStore(key);
    expect(await open(key)).toBeDefined();
    await expect(open("x".repeat(40))).rejects.toThrow("SECRET_KEY is not the key that the secrets of this database");
    await writeFile(file(), "y".repeat(40));
    await expect(open()).rejects.toThrow(`${file()} is not the key`);
    await writeFile(file(), `${key}\n`);
    expect(await open()).toBeDefined();
  });

  it("is not made anew where stores need the old one [operations.secret-key]", async () => {
    await addStore(key);
    await expect(open()).rejects.toThrow(`${file()} is missing`);
    expect(await readdir(dataDir)).toEqual([]);
  });

  it("may be another once every secret of a store was emptied, the old one being lost [operations.secret-key]", async () => {
    await addStore(key);
    // by hand, as docs/operations.md says
    await t.database.reader().all(sql`UPDATE stores SET commerce_secret = '' WHERE shop_domain = ${"s.example.com"}`);
    expect(await open("x".repeat(40))).toBeDefined();
  });
});
