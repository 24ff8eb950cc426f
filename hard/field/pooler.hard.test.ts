import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startDebianPostgres } from "../../journeys/debian-postgres.ts";
import { run } from "../../journeys/program.ts";
import { Database } from "../../server/platform/database/database.ts";
import { sql } from "../../server/platform/database/sql.ts";
import { Deadlines } from "../../server/platform/deadline.ts";
import { openLog } from "../../server/platform/log.ts";
import { freePort } from "../../testkit/machine.ts";
import { patience } from "../../testkit/slowness.ts";
import { timed } from "../../testkit/timed.ts";
import { unpack } from "./debian-packages.ts";

/**
 * Debian's PgBouncer in front of Debian's PostgreSQL, as docs/operations.md sets it up. It downloads packages, and is
 * therefore run by hand: npm test -- --suite hard/field/pooler.hard.test.ts
 */

const postgres = await startDebianPostgres();
const packages = await unpack("pgbouncer", "libevent-2.1-7", "libc-ares2");
const log = openLog("silent", { write: () => undefined });

let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "quizstore-pooler-"));
});
afterAll(async () => {
  await postgres?.stop();
  await packages?.remove();
  await rm(data, { recursive: true, force: true });
});

/** Returns the address of a database behind a PgBouncer with these settings. */
async function pooled(database: string, ...settings: readonly string[]): Promise<string> {
  if (!postgres || !packages) throw new Error("not installed");
  const folder = await mkdtemp(join(tmpdir(), "pgbouncer-"));
  await chmod(folder, 0o755);
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  const { port: far } = new URL(postgres.url(database));
  const lines = ["[databases]", `* = host=127.0.0.1 port=${far}`, "[pgbouncer]", "listen_addr = 127.0.0.1"];
  const users = join(folder, "users");
  await writeFile(users, '"quizstore" ""\n');
  lines.push(`listen_port = ${port}`, "unix_socket_dir =", "auth_type = trust", `auth_file = ${users}`, ...settings);
  await writeFile(file, `${lines.join("\n")}\n`);
  // it refuses to run as root
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  await chmod(packages.folder, 0o755);
  await chmod(join(packages.folder, ".."), 0o755);
  const program = spawn(join(packages.folder, "usr/sbin/pgbouncer"), [file], {
    env: packages.environment,
    stdio: "ignore",
    ...account,
  });
  onTestFinished(async () => {
    program.kill("SIGKILL");
    await once(program, "close");
    await rm(folder, { recursive: true, force: true });
  });
  const url = `postgres://quizstore@127.0.0.1:${port}/${database}`;
  for (let tries = 0; tries < 100 * patience; tries += 1) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => undefined);
    const isOpen = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end();
    if (isOpen) return url;
    await pause(50);
  }
  throw new Error("PgBouncer does not answer");
}

const quizstore = (url: string, ...args: string[]) =>
  run([...args, "--data", data], { DATABASE_URL: url, SECRET_KEY: "a key of this test, of more than 32 letters" });

describe.skipIf(!postgres || !packages)("PgBouncer", () => {
  const documented = ["pool_mode = session", "default_pool_size = 80", "max_client_conn = 200"];

  it("in session mode, with the settings of the docs, is one through which everything works", async () => {
    const url = await pooled("postgres", ...documented);
    const migrated = await quizstore(url, "migrate");
    expect([migrated.status, migrated.stderr]).toEqual([0, ""]);
    const made = await quizstore(
      url,
      "store",
      "create",
      "--name",
      "Pooled",
      "--shop-domain",
      "pooled.myshopify.com",
      "--plan",
      "plus",
      ...["--timezone", "UTC", "--currency", "EUR"],
    );
    expect([made.status, made.stderr]).toEqual([0, ""]);
    const { stdout } = await quizstore(url, "doctor");
    expect(stdout).toMatch(/^ok {3}connection: not encrypted, through a pooler in session mode, which has \d+ conn/m);
  });

  it("passes on cancels, and keeps time-outs", async () => {
    const url = await pooled("postgres", ...documented);
    const database = new Database({ connection: { connectionString: url }, size: 2, log });
    const deadlines = new Deadlines(() => performance.now());
    const sleeping = deadlines.within(300, (deadline) => database.reader(deadline).all(sql`SELECT pg_sleep(60)`));
    const { ranMs } = await timed(() => expect(sleeping).rejects.toMatchObject({ title: "timeout" }));
    expect(ranMs).toBeLessThan(4_000);
    const active = () =>
      database.reader().all(sql`SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(60)%'
        AND pid <> pg_backend_pid()`);
    await expect.poll(active).toEqual([]);
    const [row] = await database.reader().all(sql<{ ms: string }>`SELECT current_setting('statement_timeout') AS ms`);
    expect(row?.ms).toBe("30s");
    deadlines.stop();
    await database.close();
  });

  it("with its default pool of 20 is too small, which doctor says", async () => {
    const { stdout } = await quizstore(await pooled("postgres", "pool_mode = session"), "doctor");
    expect(stdout).toMatch(/^WARN connection: .*had 20 connections free.*\n.*default_pool_size/m);
  });

  it.each(["transaction", "statement"])("in %s mode is refused by name", async (mode) => {
    const url = await pooled("template1", `pool_mode = ${mode}`);
    const migrated = await quizstore(url, "migrate");
    expect([migrated.status, migrated.stderr]).toEqual([1, expect.stringContaining("transaction or statement mode")]);
    const { stdout } = await quizstore(url, "doctor");
    expect(stdout).toMatch(/^FAIL connection: .*transaction or statement mode\n.*pool_mode = session/m);
  });
});
