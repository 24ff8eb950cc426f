import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OperatorError } from "../operator-error.ts";
import type { UnexpectedExit } from "./embedded-cluster.ts";
import { ask, clearAway, copyData, isRunning, open, scratch } from "./fixtures/clusters.ts";

const root = scratch();
const data = join(root, "data");

beforeAll(async () => {
  // What a run killed inside initdb leaves.
  mkdirSync(join(data, "postgres.initdb-1", "base"), { recursive: true });
  const first = await open(data, "command");
  expect(first.adopted).toBe(false);
  await first.stop();
});

afterAll(() => clearAway(root, [data]));

async function refusal(attempt: Promise<unknown>): Promise<OperatorError> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof OperatorError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("the first start [operations.embedded]", () => {
  it("leaves one whole cluster, nothing half-made and no process behind", async () => {
    expect(readdirSync(data).sort()).toEqual(["postgres", "postgres.lock", "postgres.log"]);
    expect(existsSync(join(data, "postgres", "postmaster.pid"))).toBe(false);
  });

  it("makes a UTF-8 database with the builtin locale, checksums and durable commits, reached by the socket only", async () => {
    // as earlier releases left it
    chmodSync(join(data, "postgres.lock"), 0o644);
    const postgres = await open(data, "command");
    const { connection } = postgres;
    expect(await ask(connection, "SELECT datlocale FROM pg_database WHERE datname = current_database()")).toBe(
      "C.UTF-8",
    );
    expect(await ask(connection, "SHOW server_encoding")).toBe("UTF8");
    expect(await ask(connection, "SHOW data_checksums")).toBe("on");
    expect(await ask(connection, "SHOW synchronous_commit")).toBe("on");
    expect(await ask(connection, "SHOW listen_addresses")).toBe("");
    expect(await ask(connection, "SELECT reset_val FROM pg_settings WHERE name = 'fsync'")).toBe("off");
    expect(statSync(connection.host).mode & 0o777).toBe(0o700);
    expect(statSync(join(data, "postgres.lock")).mode & 0o777).toBe(0o600);
    expect(connection).toMatchObject({ database: "quizstore", user: "quizstore" });
    await postgres.stop();
    expect(isRunning(postgres.postmasterPid)).toBe(false);
    expect(existsSync(connection.host)).toBe(false);
  });
});

describe("several programs on one data directory [operations.one-server]", () => {
  it("refuses a second server, naming the pid of the first", async () => {
    const first = await open(data, "server");
    const refused = await refusal(open(data, "server"));
    expect(refused.message).toContain(`Another quizstore is running on this data directory (pid ${process.pid})`);
    expect(await ask(first.connection, "SELECT 1")).toBe(1);
    await first.stop();
  });

  it("stops PostgreSQL only when the last user leaves, in whatever order they leave", async () => {
    const server = await open(data, "server");
    const command = await open(data, "command");
    expect(command).toMatchObject({
      adopted: true,
      postmasterPid: server.postmasterPid,
      connection: server.connection,
    });
    await server.stop();
    expect(await ask(command.connection, "SELECT 1")).toBe(1);
    const successor = await open(data, "server");
    expect(successor).toMatchObject({ adopted: true, postmasterPid: command.postmasterPid });
    await command.stop();
    expect(isRunning(successor.postmasterPid)).toBe(true);
    await successor.stop();
    await successor.stop();
    expect(isRunning(successor.postmasterPid)).toBe(false);
  });

  it("lets programs that start and leave at the same moment share one PostgreSQL", async () => {
    const all = await Promise.all(
      ["server", "command", "command", "command"].map((role) => open(data, role === "server" ? "server" : "command")),
    );
    expect(new Set(all.map((one) => one.postmasterPid)).size).toBe(1);
    expect(all.filter((one) => !one.adopted)).toHaveLength(1);
    await Promise.all(all.map((one) => one.stop()));
    expect(all.some((one) => isRunning(one.postmasterPid))).toBe(false);
  });
});

describe("a PostgreSQL that ends unasked [operations.embedded-restart]", () => {
  it("is restarted for a server, which keeps its connection and its exclusive lock", async () => {
    const server = await open(data, "server");
    const exits: UnexpectedExit[] = [];
    server.onExit((exit) => exits.push(exit));
    const before = server.postmasterPid;
    process.kill(before, "SIGKILL");
    await expect.poll(() => server.postmasterPid, { timeout: 15_000 }).not.toBe(before);
    expect(exits).toEqual([{ postmasterPid: before, restarting: true }]);
    expect(await ask(server.connection, "SELECT 1")).toBe(1);
    expect((await refusal(open(data, "server"))).message).toContain("Another quizstore");
    await server.stop();
    expect(isRunning(server.postmasterPid)).toBe(false);
  });

  it("leaves a pid file that does not block the next start, though its pid is in use again", async () => {
    const postgres = await open(data, "command");
    const owner = statSync(join(data, "postgres"));
    process.kill(postgres.postmasterPid, "SIGKILL");
    await expect.poll(() => isRunning(postgres.postmasterPid)).toBe(false);
    // The same user's process, else PostgreSQL itself would see that the pid is another's.
    const stranger = spawn("sleep", ["60"], process.getuid?.() === 0 ? { uid: owner.uid, gid: owner.gid } : {});
    await once(stranger, "spawn");
    const pidFile = join(data, "postgres", "postmaster.pid");
    writeFileSync(pidFile, readFileSync(pidFile, "utf8").replace(/^\d+/, String(stranger.pid)));
    const next = await open(data, "server");
    expect(next.adopted).toBe(false);
    expect(await ask(next.connection, "SELECT 1")).toBe(1);
    await next.stop();
    expect(isRunning(stranger.pid ?? 0)).toBe(true);
    stranger.kill();
    await postgres.stop();
  });

  it("leaves an empty pid file after a crash of the machine, which does not block the next start either", async () => {
    writeFileSync(join(data, "postgres", "postmaster.pid"), "");
    const next = await open(data, "command");
    expect(await ask(next.connection, "SELECT 1")).toBe(1);
    await next.stop();
  });
});

describe("what cannot be started says why [operations.embedded-refusals]", () => {
  it("names both versions of a database that another PostgreSQL made", async () => {
    const foreign = copyData(data, join(root, "foreign"));
    writeFileSync(join(foreign, "postgres", "PG_VERSION"), "16\n");
    const refused = await refusal(open(foreign, "server"));
    expect(refused.message).toMatch(/made by PostgreSQL 16; this program brings PostgreSQL 18\b.*DATABASE_URL/);
  });

  it("refuses a data directory that is a file, and a cluster folder with something else in it", async () => {
    const file = join(root, "file");
    writeFileSync(file, "");
    expect((await refusal(open(file, "command"))).message).toContain(`${file} is a file`);
    expect((await refusal(open(join(file, "below"), "command"))).message).toContain("is a file, or is inside one");
    const other = join(root, "other");
    mkdirSync(join(other, "postgres", "photos"), { recursive: true });
    expect((await refusal(open(other, "command"))).message).toContain("holds no PostgreSQL database");
    expect(existsSync(join(other, "postgres", "photos"))).toBe(true);
  });
});
