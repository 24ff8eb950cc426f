import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shortQuiz } from "./documents.ts";
import { installedFolder } from "./installed.ts";
import { openDatabase } from "./machines.ts";
import { cleanUp, freshFolder, launch, type Outcome, perform, run, type Settings, until } from "./program.ts";
import { openShop } from "./shop.ts";

/** Commands where the database is not: in an empty folder, or without the DATABASE_URL that only the servers have. */

let folder: string;
let server: Awaited<ReturnType<typeof openDatabase>>;
/** as a systemd unit's file has them */
let settings: Settings;
let store_id: string;

beforeAll(async () => {
  [folder, server] = await Promise.all([freshFolder(), openDatabase()]);
  settings = { DATABASE_URL: server.url, SECRET_KEY: "a key of this test, of more than 32 letters" };
  await writeFile(join(folder, "quiz.json"), JSON.stringify(shortQuiz));
  await writeFile(join(folder, "lines.ndjson"), "");
  await mkdir(join(folder, "ledger"));
  await mkdir(join(folder, "machine"));
  const facts = ["--plan", "plus", "--timezone", "UTC", "--currency", "EUR", "--name", "Shop"];
  const made = await atServer("machine", "store", "create", "--shop-domain", "there.example.com", ...facts, "--json");
  ({ store_id } = made.json as { store_id: string });
}, 60_000);

afterAll(async () => {
  await server?.drop();
  await cleanUp(folder);
});

const atServer = (data: string, ...args: string[]): Promise<Outcome> =>
  perform([...args, "--data", join(folder, data)], settings);
const without = (data: string, ...args: string[]): Promise<Outcome> => perform([...args, "--data", join(folder, data)]);

/** Of each group of commands, those that open the database. */
const commands = (): string[][] => {
  const [at, quiz] = [["--store", "there.example.com"], `quiz_${"0".repeat(32)}`];
  const facts = ["--plan", "plus", "--timezone", "UTC", "--currency", "EUR", "--name", "Shop"];
  return [
    ["store", "create", "--shop-domain", "new.example.com", ...facts],
    ["store", "list"],
    ["key", "create", ...at],
    ["user", "list"],
    ["quiz", "import", join(folder, "quiz.json"), ...at],
    ["quiz", "history", quiz],
    ["person", "merges", ...at],
    ["person", "replay-erasures"],
    ["import", "orders", join(folder, "lines.ndjson"), ...at],
    ["export", "list", ...at],
    ["demo", ...at],
    ["listen", ...at],
    ["database", "copy", "--to", server.url],
    ["database", "open"],
  ];
};

describe("without a database", () => {
  it("every command refuses, and leaves the folder as it is [operations.no-database]", async () => {
    const empty = join(folder, "empty");
    await mkdir(empty);
    await writeFile(join(empty, "erasures.ndjson"), "\n");
    for (const args of commands()) {
      for (const name of ["empty", "missing"]) {
        expect([args, await without(name, ...args)]).toEqual([
          args,
          expect.objectContaining({
            ...{ status: 1, stdout: "" },
            stderr: `quizstore: no database in ${join(folder, name)}: set DATABASE_URL or run quizstore start\n`,
          }),
        ]);
      }
    }
    expect([await readdir(empty), await readdir(folder)]).toEqual([
      ["erasures.ndjson"],
      expect.not.arrayContaining(["missing"]),
    ]);
  }, 120_000);

  it("`migrate` creates one, and then they work [operations.no-database]", async () => {
    expect((await without("fresh", "migrate")).status).toBe(0);
    expect((await without("fresh", "store", "list")).status).toBe(0);
  }, 60_000);
});

describe("where processes have used a server database", () => {
  it("none uses or creates another one, until the mark is deleted [operations.moved-database]", async () => {
    // the machine had an embedded database before
    expect((await without("moved", "migrate")).status).toBe(0);
    await openShop(join(folder, "moved"));
    expect((await atServer("moved", "store", "list")).stdout).toContain("there.example.com");
    const mark = join(folder, "moved", "server-database");
    expect(await readFile(mark, "utf8")).not.toMatch(/postgres:|127\.0\.0\.1|\/tmp/);
    const stderr = `quizstore: ${join(folder, "moved")} belongs to a server database: set DATABASE_URL, or delete ${mark} to use an embedded database there\n`;
    for (const args of [...commands(), ["migrate"], ["start", "--port", "0", "--no-demo"]]) {
      const outcome = await without("moved", ...args);
      expect([args, outcome]).toEqual([args, expect.objectContaining({ status: 1, stdout: "", stderr })]);
    }
    const doctor = await without("moved", "doctor");
    expect([doctor.status, doctor.stdout]).toEqual([1, expect.stringContaining("belongs to a server database")]);
    await rm(mark);
    expect((await without("moved", "store", "list")).status).toBe(0);
  }, 120_000);

  it("`doctor` leaves no mark, and no command makes a folder for one [operations.moved-database]", async () => {
    await mkdir(join(folder, "looked"));
    await atServer("looked", "doctor");
    await atServer("nowhere", "store", "list");
    expect([await readdir(join(folder, "looked")), await readdir(folder)]).toEqual([
      [],
      expect.not.arrayContaining(["nowhere"]),
    ]);
  }, 60_000);
});

describe("person replay-erasures", () => {
  const line = (store: string) =>
    JSON.stringify({
      ...{ id: "018f0000-0000-7000-8000-000000000001", store_id: store, scope: "people", profile_ids: [] },
      ...{ session_ids: [], order_ids: [], hashes: [], erased_by: "operator", revision: 1 },
      erased_at: "2026-05-04T10:00:00.000Z",
    });
  const uuidOf = (id: string) => id.slice("store_".length).replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  const replay = (...args: string[]) => atServer("ledger", "person", "replay-erasures", ...args);
  const ledger = () => join(folder, "ledger", "erasures.ndjson");
  const saved = () => join(folder, "saved.ndjson");

  it("fails where nothing can have been replayed, and says why [erasure.replay-command]", async () => {
    const refused = async (...args: string[]) => {
      const { status, stdout, stderr } = await replay(...args);
      expect([status, stdout]).toEqual([1, ""]);
      return stderr;
    };
    await writeFile(ledger(), `${line("018f0000-0000-7000-8000-0000000000ff")}\n`);
    expect(await refused()).toMatch(
      /none of the 1 erasures in the ledger is of a store in this database; see that DATABASE_URL/,
    );
    await writeFile(ledger(), `${line(uuidOf(store_id)).slice(0, 50)}\n`);
    expect(await refused()).toMatch(/no line of the ledger can be read \(1 are damaged\)/);
    await writeFile(ledger(), "");
    await writeFile(saved(), "\n");
    expect(await refused("--ledger", saved())).toMatch(/the file of --ledger holds no erasures/);
    const { status, stderr } = await atServer("ledgr", "person", "replay-erasures");
    expect([status, stderr]).toEqual([1, expect.stringContaining(`there is no folder ${join(folder, "ledgr")}`)]);
  }, 60_000);

  it("succeeds where there is nothing to do yet, and where something was done [erasure.replay-command]", async () => {
    await rm(ledger(), { force: true });
    expect(await replay("--json")).toMatchObject({ status: 0, json: { in_file: 0, replayed: 0, noted: 0 } });
    await writeFile(ledger(), `${line(uuidOf(store_id))}\n`);
    expect(await replay("--json")).toMatchObject({ status: 0, json: { in_file: 1, replayed: 1, unknown_stores: 0 } });
    expect(await replay("--json")).toMatchObject({ status: 0, json: { in_file: 1, replayed: 0, unknown_stores: 0 } });
  }, 60_000);
});

describe("a database of another release's PostgreSQL", () => {
  it("ends the start with a status of its own, and names the copy [operations.lasting-failures, operations.embedded-refusals]", async () => {
    const data = await installedFolder();
    await writeFile(join(data, "postgres", "PG_VERSION"), "17\n");
    const { status, stderr } = await run(["start", "--data", data, "--port", "0", "--no-demo"], {
      LOG_LEVEL: "silent",
    });
    expect([status, stderr]).toEqual([
      78,
      expect.stringMatching(/made by PostgreSQL 17; this program brings .* run quizstore database copy --to URL/),
    ]);
    await cleanUp(data);
  }, 60_000);
});

describe("database open", () => {
  it("prints an address that works while it runs, beside other commands [operations.database-open]", async () => {
    const data = join(folder, "opened");
    const shown = (text: string) => /^postgres:\S+$/m.exec(text)?.[0] ?? "";
    const open = await launch(["database", "open", "--create", "--data", data], {}, async () => true);
    const url = await until(
      async () => shown(open.stdout()),
      (text) => text !== "",
      60,
    );
    expect(url).toMatch(/^postgres:\/\/\/quizstore\?host=%2F\S+&port=\d+&user=quizstore$/);
    expect((await without("opened", "store", "list")).status).toBe(0);
    const used = await run(["store", "list", "--data", join(folder, "elsewhere")], { ...settings, DATABASE_URL: url });
    expect([used.status, used.stderr]).toEqual([0, ""]);
    expect(await open.stop()).toBe(0);
  }, 120_000);
});
