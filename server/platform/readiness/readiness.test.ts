import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../testkit/database.ts";
import { Database } from "../database/database.ts";
import { sql } from "../database/sql.ts";
import { openLog } from "../log.ts";
import { checkCache, checkCopies, checkDatabase } from "./checks.ts";
import { type CheckResult, ReadinessProbe, readinessCode } from "./readiness.ts";

const fine: CheckResult = { status: "ok", detail: "fine" };

describe("whether the process is ready [operations.health]", () => {
  let now = 0;
  const probe = (checks: Record<string, () => CheckResult | Promise<CheckResult>>) =>
    new ReadinessProbe({ checks, elapsed: () => now, timeoutMs: 20 });

  it("says so, with every check by its name", async () => {
    const found = await probe({ database: () => fine }).read();
    expect(found).toEqual({
      status: "ready",
      checks: { database: fine, process: { status: "ok", detail: "serving" } },
    });
    expect(readinessCode(found)).toBe(200);
  });

  it("goes on taking requests while something is degraded", async () => {
    const found = await probe({ cache: () => ({ status: "degraded", detail: "away" }) }).read();
    expect([found.status, readinessCode(found)]).toEqual(["degraded", 200]);
  });

  it("is not ready when a check fails, throws or never ends, and tells nobody what the error said", async () => {
    const found = await probe({
      a: () => Promise.reject(new Error("postgres://me:hush@10.0.0.1")),
      b: () => new Promise(() => undefined),
      c: () => {
        throw new Error("/var/lib/secret");
      },
      d: () => fine,
    }).read();
    expect([found.status, readinessCode(found)]).toEqual(["not_ready", 503]);
    expect(Object.entries(found.checks).map(([name, { status }]) => `${name} ${status}`)).toEqual([
      "a failed",
      "b failed",
      "c failed",
      "d ok",
      "process ok",
    ]);
    expect(JSON.stringify(found)).not.toMatch(/hush|10\.0\.0\.1|\/var/);
  });

  it("asks once a second however many ask, and shares one look", async () => {
    let looks = 0;
    const shared = probe({ database: () => Promise.resolve(fine).finally(() => (looks += 1)) });
    await Promise.all(Array.from({ length: 50 }, () => shared.read()));
    now += 999;
    await shared.read();
    expect(looks).toBe(1);
    now += 1;
    await shared.read();
    expect(looks).toBe(2);
  });

  it("is not ready any more once it stops, at once and not a second later", async () => {
    const stopping = probe({ database: () => fine });
    expect((await stopping.read()).status).toBe("ready");
    stopping.stop();
    const found = await stopping.read();
    expect([found.status, found.checks["process"]?.status, found.checks["database"]?.status]).toEqual([
      "not_ready",
      "failed",
      "ok",
    ]);
  });
});

describe("the checks", () => {
  let test: TestDatabase;
  let probes: Database;
  const log = openLog("silent", { write: () => undefined });

  beforeAll(async () => {
    test = await openTestDatabase(log);
    // this table is nobody's but the migrations', which the rules of statements leave to them
    probes = new Database({ connection: test.connection, size: 1, log });
  });

  afterAll(async () => {
    await probes.close();
    await test.close();
  });

  const newest = async (): Promise<number> => {
    const [row] = await test.database
      .reader({
        remaining: () => 1_000,
        expired: false,
        onExpiry: () => () => undefined,
      })
      .all<{ number: number }>(sql`/* migration */ SELECT max(number) AS number FROM schema_migrations`);
    return row?.number ?? 0;
  };

  it("find a database that this program can work with, and say which migration it is at", async () => {
    const number = await newest();
    const found = await checkDatabase(probes, number)();
    expect(found).toEqual({ status: "ok", detail: `at migration ${number}, this program knows ${number}` });
  });

  it("find a database that is behind the program, and not one that is ahead and suits it", async () => {
    const number = await newest();
    expect((await checkDatabase(probes, number + 1)())?.status).toBe("failed");
    expect((await checkDatabase(probes, number - 1)())?.status).toBe("ok");
  });

  it("find a database that needs a newer program", async () => {
    const number = await newest();
    const away = { remaining: () => 1_000, expired: false, onExpiry: () => () => undefined };
    const set = (needs: number) =>
      test.database
        .reader(away)
        .all(sql`/* migration */ UPDATE schema_migrations SET oldest_program = ${needs} WHERE number = ${number}`);
    await set(number);
    expect((await checkDatabase(probes, number - 1)())?.status).toBe("failed");
    expect((await checkDatabase(probes, number)())?.status).toBe("ok");
    await set(0);
  });

  it("find the folder of copies missing", async () => {
    const folder = await mkdtemp(join(tmpdir(), "quizstore-copies-"));
    expect((await checkCopies(folder)())?.status).toBe("ok");
    if (process.getuid?.() !== 0) {
      await chmod(folder, 0o500);
      expect((await checkCopies(folder)())?.status).toBe("failed");
    }
    await rm(folder, { recursive: true });
    expect(await checkCopies(folder)()).toEqual({
      status: "failed",
      detail: "the folder of copies cannot be written",
    });
  });

  it("call a Redis that is away or refuses a degradation, since writes are refused everywhere alike [operations.health]", async () => {
    const states = ["in memory", "works", "away", { code: "OOM" }] as const;
    expect(await Promise.all(states.map((state) => checkCache(async () => state)()))).toEqual([
      { status: "ok", detail: "in memory" },
      { status: "ok", detail: "Redis is connected" },
      { status: "degraded", detail: "Redis cannot be reached; writes are refused until it is back" },
      { status: "degraded", detail: "Redis answers, but cannot limit (OOM); writes are refused until it can" },
    ]);
  });
});
