import { randomBytes, randomUUID } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../../testkit/app.ts";
import { smallPlayer } from "../../../testkit/small-player.ts";
import { overdueExportFiles, overdueExports } from "../../exports/overdue.ts";
import { readConfig } from "../../platform/config.ts";
import { Database } from "../../platform/database/database.ts";
import { ownStore, sql } from "../../platform/database/sql.ts";
import { LocalFiles } from "../../platform/files/local.ts";
import { openSecrets } from "../../platform/secrets.ts";
import { overduePeople } from "../../profiles/overdue.ts";
import { overdueSessions } from "../../sessions/overdue.ts";
import { buildTarget } from "../../web/build.ts";
import { buildFolders } from "../../web/builds.ts";
import { dashboardTarget, playerTarget } from "../../web/targets.ts";
import { overdueDeliveries, overdueEndpoints, overdueEvents } from "../../webhooks/overdue.ts";
import { inspectBuilt } from "./built.ts";
import {
  type Examined,
  inspectClocks,
  inspectDatabase,
  inspectMigrations,
  inspectQueues,
  inspectSecretKey,
  inspectWebhooks,
  zonesInUse,
} from "./database.ts";
import { Findings, fail, ok } from "./findings.ts";
import { inspectDataFolder, inspectMemory, inspectStorage, inspectZones } from "./machine.ts";
import { inspectRedis } from "./redis.ts";
import { inspectSettings } from "./settings.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quizstore-doctor-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("what doctor finds of the machine [command-line.doctor]", () => {
  it("names what is wrong with what throws, with what to do, and goes on", async () => {
    const findings = new Findings();
    await findings.check("storage", "mend the rights", () => {
      throw new Error("upstream", { cause: new Error("EACCES: permission denied") });
    });
    await findings.check("cache", "mend it", () => ok("fine"));
    expect(findings.all).toEqual([
      { check: "storage", status: "fail", detail: "upstream: EACCES: permission denied", remedy: "mend the rights" },
      { check: "cache", status: "ok", detail: "fine", remedy: null },
    ]);
    expect(findings.failed).toBe(true);
  });

  it("is whether the player is built, of the sources that are here, or of none where they are not [player.build]", async () => {
    const small = await smallPlayer();
    const look = (target = playerTarget) => inspectBuilt(target, small.checkout, { dataDir: small.data });
    expect(await look()).toMatchObject({ status: "warn", detail: "the player is not built yet" });
    await buildTarget(small.checkout, playerTarget, buildFolders(playerTarget, small.checkout, small.data));
    expect(await look()).toMatchObject({
      status: "ok",
      detail: expect.stringMatching(/^built in .*built\/player\/\w+$/),
    });
    // another thing, which is not here at all
    expect(await look(dashboardTarget)).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("cannot be opened"),
    });
    await small.write("engine/answer.ts", "export const answer = String;");
    expect(await look()).toMatchObject({ status: "warn", detail: expect.stringContaining("other sources") });
    await rm(join(small.checkout, "player"), { recursive: true });
    expect((await look()).status).toBe("ok");
    await rm(join(small.checkout, "built"), { recursive: true });
    expect(await look()).toMatchObject({ status: "warn", detail: expect.stringContaining("its sources are not here") });
    await small.remove();
  });

  it("is a storage that cannot be written, by its reason, and leaves nothing in one that can", async () => {
    const config = readConfig({ DATA_DIR: folder, EXPORT_STORAGE: join(folder, "exports") });
    expect((await inspectStorage(new LocalFiles(config.exportStorage), config, "a")).status).not.toBe("fail");
    // not even the folder
    expect(await readdir(folder)).not.toContain("exports");
    await mkdir(config.exportStorage);
    expect((await inspectStorage(new LocalFiles(config.exportStorage), config, "a")).detail).toContain(
      "can be written",
    );
    expect(await readdir(config.exportStorage)).toEqual([]);
    await writeFile(join(folder, "file"), "");
    const findings = new Findings();
    await findings.check("storage", "mend it", () =>
      inspectStorage(new LocalFiles(join(folder, "file")), { ...config, exportStorage: join(folder, "file") }, "a"),
    );
    expect(findings.all[0]?.detail).toMatch(/ENOTDIR|EEXIST/);
  });

  it("is a secret key that others can read", async () => {
    const config = readConfig({ DATA_DIR: folder });
    const key = join(folder, "secret.key");
    await writeFile(key, "x".repeat(64), { mode: 0o600 });
    expect((await inspectDataFolder(config)).status).not.toBe("fail");
    await chmod(key, 0o644);
    expect(await inspectDataFolder(config)).toMatchObject({
      status: "fail",
      remedy: expect.stringContaining("chmod 600"),
    });
  });

  it("is more memory for copies than there is", () => {
    expect(inspectMemory(readConfig({ FACTS_MEMORY_MB: "64" })).status).toBe("ok");
    expect(inspectMemory(readConfig({ FACTS_MEMORY_MB: "900000" }))).toMatchObject({ status: "warn" });
  });

  it("is a BASE_URL that only this machine reaches, whether it was set or follows from the port", () => {
    const look = (settings: Record<string, string>) =>
      inspectSettings(readConfig(settings), settings["BASE_URL"] !== undefined).detail;
    const server = { DATABASE_URL: "postgres://db/quizstore" };
    expect(look({ ...server, PORT: "8081" })).toBe(
      "BASE_URL is not set: links in answers name http://localhost:8081, which only this machine reaches",
    );
    for (const host of [
      "localhost:8080",
      "localhost.",
      "shop.localhost",
      "127.0.0.1",
      "127.1",
      "[::1]:80",
      "0.0.0.0",
    ]) {
      const told = look({ ...server, BASE_URL: `http://${host}` });
      expect([host, told]).toEqual([host, expect.stringMatching(/^BASE_URL is http:\S+, which only this machine/)]);
    }
    for (const host of ["quiz.example.com", "localhost.example.com", "192.168.0.4", "[2001:db8::1]", "128.0.0.1"])
      expect(look({ ...server, BASE_URL: `https://${host}` })).toBe("well-formed");
    // a trial on somebody's own machine
    expect(look({})).toBe("well-formed");
    expect(look({ BASE_URL: "http://localhost:8080" })).toBe("well-formed");
  });

  it("is zone data that is old, or lacks a zone of a store", () => {
    expect(inspectZones(["Europe/Berlin"], 2026, "2025b")).toEqual(
      ok("Node's time-zone data is release 2025b; one zone is in use"),
    );
    expect(inspectZones(["Europe/Berlin", "UTC"], 2026, "2024b")).toEqual({
      status: "warn",
      detail: "Node's time-zone data is release 2024b, which is more than a year old; 2 zones are in use",
      remedy: expect.stringMatching(/^update Node: /),
    });
    for (const none of ["", "unknown"]) {
      expect(inspectZones([], 2026, none)).toMatchObject({
        status: "warn",
        detail: "Node does not say how old its time-zone data is; 0 zones are in use",
      });
    }
    // what this Node says of itself is understood
    expect(inspectZones([], Number.parseInt(process.versions["tz"] ?? "", 10)).detail).toContain("data is release 2");
    expect(inspectZones(["Europe/Berlin", "Mars/Olympus"], 2026, "2026a")).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("Mars/Olympus"),
    });
  });

  it("is a Redis that is away", async () => {
    const away = await inspectRedis(
      "redis://:hush@127.0.0.1:1",
      () => performance.now(),
      () => 0.5,
    );
    expect(away).toMatchObject({ status: "fail", detail: expect.stringContaining("ECONNREFUSED") });
    expect(JSON.stringify(away)).not.toContain("hush");
    expect(
      (
        await inspectRedis(
          null,
          () => 0,
          () => 0,
        )
      ).status,
    ).toBe("ok");
  });
});

describe("what doctor finds of the database [command-line.doctor]", () => {
  let test: TestApp;
  let plain: Database;
  let opened: Examined;

  beforeAll(async () => {
    test = await openTestApp();
    // catalogs and the migrations' table are left to operators by the rules of statements
    plain = new Database({ connection: test.connection, size: 1, log: test.foundations.log });
    opened = { ...test.foundations, elapsed: () => performance.now() };
  });

  afterAll(async () => {
    await plain.close();
    await test.close();
  });

  const withUrl = (more: Partial<Examined>): Examined => ({
    ...opened,
    config: readConfig({ DATABASE_URL: "postgres://localhost/x" }),
    ...more,
  });

  it("is how fast it answers, and a server that would lose what it accepted", async () => {
    const seen = await inspectDatabase(withUrl({ database: plain }));
    expect(seen.detail).toMatch(/^PostgreSQL \d+.* answers in \d+ ms/);
    const rows = await plain.reader().all<{ fsync: string }>(sql`SHOW fsync`);
    if (rows[0]?.fsync === "off")
      expect(seen).toMatchObject({ status: "fail", remedy: expect.stringContaining("crash") });
    else expect(seen.status).not.toBe("fail");
  });

  it("is a schema that is behind this program", async () => {
    const [row] = await plain.reader().all<{ at: number }>(sql`SELECT max(number) AS at FROM schema_migrations`);
    const at = row?.at ?? 0;
    expect(await inspectMigrations(test, at)).toEqual(ok(`at migration ${at}`));
    const behind = fail(`at migration ${at}, this program knows ${at + 1}`, "run quizstore migrate");
    expect(await inspectMigrations(test, at + 1)).toEqual(behind);
    expect((await inspectMigrations(test, at - 1)).status).toBe("warn");
    expect((await inspectMigrations(null, at)).status).toBe("ok");
  });

  it("is a clock that is apart from this machine's", async () => {
    const wall = () => performance.timeOrigin + performance.now();
    expect((await inspectClocks(opened, wall)).status).toBe("ok");
    expect((await inspectClocks(opened, () => wall() + 10_000)).status).toBe("warn");
    expect((await inspectClocks(opened, () => wall() - 3_600_000)).status).toBe("fail");
  });

  it("is whether the secret key opens what is stored", async () => {
    expect((await inspectSecretKey(opened)).detail).toBe("nothing is encrypted yet");
    await test.store();
    expect(await inspectSecretKey(opened)).toEqual(ok("a stored secret opens with it"));
    const other = openSecrets("another secret key, which is as long", randomBytes);
    expect((await inspectSecretKey({ ...opened, secrets: other })).status).toBe("fail");
  });

  it("is due work that nobody does, in every queue, graver where workers are other machines", async () => {
    const queues = [
      ...[
        overdueSessions,
        overduePeople,
        overdueEvents,
        overdueEndpoints,
        overdueDeliveries,
        overdueExports,
        overdueExportFiles,
      ],
    ];
    expect((await inspectQueues(opened, queues)).status).toBe("ok");
    const store = await test.store();
    const put = (secondsAgo: number) =>
      test.database.reader().all({
        sql: `INSERT INTO outbox (store_id, id, topic, created_at, due_at, data)
              VALUES ($1, $2, 'quiz.started', $3, $3, '{}')`,
        parameters: [store.uuid, randomUUID(), new Date(test.calendar.now() - secondsAgo * 1_000)],
      });
    await put(30);
    expect((await inspectQueues(opened, queues)).status).toBe("ok");
    await put(90);
    expect(await inspectQueues(opened, queues)).toMatchObject({
      status: "warn",
      detail: "outbox: 2, the oldest for 90 s",
    });
    await put(3_600);
    expect((await inspectQueues(opened, queues)).status).toBe("warn");
    expect((await inspectQueues(withUrl({}), queues)).status).toBe("fail");
  });

  it("is endpoints that fail or were disabled, and the zones in use", async () => {
    expect((await inspectWebhooks(opened)).status).toBe("ok");
    const store = await test.store({ timezone: "Asia/Kathmandu" });
    const made = await test.request("POST", "/v1/webhooks", {
      key: store.key,
      body: { url: "https://a.example.com/hook", topics: ["quiz.finished"] },
    });
    expect(made.status).toBe(201);
    const at = new Date(test.calendar.now());
    await test.database
      .reader()
      .forStore(store.uuid)
      .all(sql`UPDATE webhook_endpoints SET failing_since = ${at} WHERE store_id = ${ownStore}`);
    expect(await inspectWebhooks(opened)).toMatchObject({
      status: "warn",
      detail: "1 endpoints fail at present, 0 were disabled for failing or being gone",
    });
    expect(await zonesInUse(opened)).toEqual(["Asia/Kathmandu", "UTC"]);
  });
});
