import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { readCsv } from "../../../testkit/csv.ts";
import { checkShape, deliveriesOf, handOverDue, insertEndpoint } from "../../../testkit/deliveries.ts";
import { erasePersonIn } from "../../../testkit/erasure.ts";
import { askExport, buildDepsOf, exportRecord, MemoryFiles } from "../../../testkit/export-files.ts";
import type { TestQuiz } from "../../../testkit/quizzes.ts";
import { newShopper, searchQuiz, shop } from "../../../testkit/search-quiz.ts";
import { timed } from "../../../testkit/timed.ts";
import { ownStore, sql } from "../../platform/database/sql.ts";
import { retryLater } from "../../platform/problems.ts";
import { cancelExports } from "../end-exports.ts";
import { sweepExports } from "../sweep.ts";
import { buildDueExports, ExportBuilds } from "./builds.ts";
import type { BuildDeps } from "./deps.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
let files: MemoryFiles;

beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store({ plan: "enterprise" });
  quiz = await searchQuiz(t, store, { labels: ["Dry"] });
  files = new MemoryFiles();
});
afterEach(async () => {
  for (const open of gates.splice(0)) open();
  // due work is looked for in all stores
  await cancel();
});

const cancel = () => t.database.transaction((tx) => cancelExports(tx, store.uuid, t.calendar.now()));
const deps = (more: Partial<BuildDeps> = {}) => buildDepsOf(t, files, more);
const person = async (mail: string) => {
  t.calendar.advance(1_000);
  await shop(t, store, quiz, newShopper(), { mail, years: 30 });
};
const ask = (dataset = "profiles", more: object = {}): Promise<Body> => askExport(t, store, { dataset, ...more });
const record = (id: string) => exportRecord(t, store, id);
const mailsIn = (file: Buffer | undefined) => readCsv((file ?? "").toString()).map((row) => row["email"]);
const onlyFile = () => [...files.finished.values()][0];
const days = 24 * 60 * 60 * 1000;

const gates: (() => void)[] = [];

/** What builds wait for; a test that fails must not leave them standing. */
function openedInTheEnd() {
  const gate = Promise.withResolvers<void>();
  gates.push(gate.resolve);
  return gate;
}

/** Stops a build at its first write, until it is let go on. */
function halted() {
  const reached = Promise.withResolvers<void>();
  const gate = openedInTheEnd();
  let first = true;
  files.beforeWrite = async () => {
    if (!first) return;
    first = false;
    reached.resolve();
    await gate.promise;
  };
  return { reached: reached.promise, goOn: () => gate.resolve() };
}

describe("a build", () => {
  it("goes from pending over running to completed, with true figures [exports.request]", async () => {
    await person("a@example.com");
    const asked = await ask();
    expect(asked.status).toBe("pending");
    const halt = halted();
    const builds = new ExportBuilds(deps());
    expect(await builds.sweep()).toBe(1);
    await halt.reached;
    const running = await record(asked.id);
    expect(running).toMatchObject({ status: "running", claims: 1, completed_at: null, row_count: null });
    expect(running.started_at?.getTime()).toBe(t.calendar.now());
    t.calendar.advance(5_000);
    halt.goOn();
    await builds.idle();
    const [[name, file] = ["", Buffer.alloc(0)]] = [...files.finished];
    const done = await record(asked.id);
    expect(done).toMatchObject({ status: "completed", row_count: 1, bytes: file.length, lease_id: null, error: null });
    expect(done.digest).toEqual(createHash("sha256").update(file).digest());
    expect(done.started_at?.getTime()).toBe(t.calendar.now() - 5_000);
    expect(done.expires_at.getTime()).toBe(t.calendar.now() + 7 * days);
    expect(name).toBe(`${store.uuid}/${done.id}-1.csv`);
  });

  it("tells of what was true when it began, whatever changes meanwhile [exports.moment]", async () => {
    for (const name of ["a", "b", "c"]) await person(`${name}@example.com`);
    const profiles = await ask();
    t.calendar.advance(1_000);
    await ask("responses", { quiz_id: quiz.id });
    const builds = new ExportBuilds(deps({ limits: { pageRows: 1, batchRows: 1 } }));
    const halt = halted();
    // all of it comes to the file in one piece: the snapshot is older than that
    await builds.sweep();
    await halt.reached;
    await person("late@example.com");
    await person("a@example.com");
    halt.goOn();
    await builds.idle();
    expect(mailsIn(onlyFile())).toEqual(["c", "b", "a"].map((name) => `${name}@example.com`));
    expect((await record(profiles.id)).row_count).toBe(3);
    // it waited for the other one, and began after the changes
    await buildDueExports(deps());
    expect(readCsv(([...files.finished.values()][1] ?? "").toString())).toHaveLength(5);
  });

  it("sees one state on every page [exports.moment]", async () => {
    for (let number = 0; number < 6; number++) await person(`p${number}@example.com`);
    await t.update(store, { limits: { export_page_pause_ms: 40 } });
    await ask();
    const builds = new ExportBuilds(deps({ limits: { pageRows: 1, batchRows: 1 } }));
    await builds.sweep();
    await new Promise((resolve) => setTimeout(resolve, 60));
    // were it seen, the first would come twice or the last not at all
    await person("p0@example.com");
    await person("p9@example.com");
    await builds.idle();
    const mails = mailsIn(onlyFile());
    expect(mails).toEqual([5, 4, 3, 2, 1, 0].map((number) => `p${number}@example.com`));
  });

  it("puts export.completed into the outbox, as reading it answers, without a link [exports.event]", async () => {
    await insertEndpoint(t, store, { topics: ["export.completed"] });
    const woken: string[] = [];
    t.database.onAnnounced((work) => woken.push(work));
    const { id } = await ask();
    await buildDueExports(deps());
    await handOverDue(t);
    const [delivery, ...more] = await deliveriesOf(t, store);
    expect(more).toEqual([]);
    checkShape(delivery?.envelope);
    const { body } = await t.request("GET", `/v1/exports/${id}`, { key: store.key });
    expect(delivery?.envelope.data.object).toEqual({ ...body, download_url: null, download_url_expires_at: null });
    expect(delivery?.envelope.created).toBe(body.completed_at);
    expect(woken).toContain("outbox");
  });

  it("is one of a store at a time, oldest first, and two of a process [exports.workers]", async () => {
    const first = await ask("responses", { format: "json" });
    t.calendar.advance(1_000);
    const second = await ask();
    const others = [await t.store(), await t.store()];
    const theirs: Body[] = [];
    for (const other of others) {
      t.calendar.advance(1_000);
      theirs.push(await askExport(t, other, { dataset: "profiles" }));
    }
    const gate = openedInTheEnd();
    files.beforeWrite = () => gate.promise;
    const builds = new ExportBuilds(deps());
    expect([await builds.sweep(), await builds.sweep()]).toEqual([2, 0]);
    const statuses = async () => [
      (await record(first.id)).status,
      (await record(second.id)).status,
      ...(await Promise.all(others.map(async (other, i) => (await exportRecord(t, other, theirs[i].id)).status))),
    ];
    expect(await statuses()).toEqual(["running", "pending", "running", "pending"]);
    // another process finds the second store, and not the one that is being worked at
    const elsewhere = new ExportBuilds(deps());
    expect(await elsewhere.sweep()).toBe(1);
    expect(await statuses()).toEqual(["running", "pending", "running", "running"]);
    gate.resolve();
    await Promise.all([builds.idle(), elsewhere.idle()]);
    await buildDueExports(deps());
    expect(new Set(await statuses())).toEqual(new Set(["completed"]));
  });

  it("is taken by one of many who look at once [exports.workers]", async () => {
    await ask();
    await ask("responses", { quiz_id: quiz.id });
    const halt = halted();
    const all = Array.from({ length: 6 }, () => new ExportBuilds(deps()));
    const begun = await Promise.all(all.map((builds) => builds.sweep()));
    expect(begun.reduce((a, b) => a + b)).toBe(1);
    halt.goOn();
    await Promise.all(all.map((builds) => builds.idle()));
    expect(files.finished.size).toBe(1);
  });
});

describe("a build that does not come to its end", () => {
  it("is begun afresh by another worker when its own was lost, whose file nobody gets [exports.lost-worker]", async () => {
    await person("a@example.com");
    const { id } = await ask();
    const halt = halted();
    const lost = new ExportBuilds(deps());
    await lost.sweep();
    await halt.reached;
    expect(await buildDueExports(deps())).toBe(0);
    await person("b@example.com");
    t.calendar.advance(30_000);
    expect(await buildDueExports(deps())).toBe(1);
    expect(await record(id)).toMatchObject({ status: "completed", claims: 2, row_count: 2 });
    halt.goOn();
    await lost.idle();
    expect(await record(id)).toMatchObject({ status: "completed", claims: 2, row_count: 2 });
    expect([...files.finished.keys()].map((name) => name.slice(-5))).toEqual(["2.csv"]);
  });

  it("takes away what its lost worker had begun, before it is begun afresh [exports.lost-worker]", async () => {
    await ask();
    const halt = halted();
    const lost = new ExportBuilds(deps());
    await lost.sweep();
    await halt.reached;
    expect([...files.begun.keys()].map((name) => name.slice(-5))).toEqual(["1.csv"]);
    t.calendar.advance(30_000);
    expect(await buildDueExports(deps())).toBe(1);
    expect([...files.begun.keys()]).toEqual([]);
    halt.goOn();
    await lost.idle();
    expect([...files.finished.keys()].map((name) => name.slice(-5))).toEqual(["2.csv"]);
  });

  it("fails when its worker was lost for the third time [exports.failure]", async () => {
    const { id } = await ask();
    const gate = openedInTheEnd();
    files.beforeWrite = () => gate.promise;
    const workers: ExportBuilds[] = [];
    for (const claims of [1, 2, 3]) {
      const worker = new ExportBuilds(deps());
      workers.push(worker);
      expect(await worker.sweep()).toBe(1);
      expect(await record(id)).toMatchObject({ status: "running", claims });
      t.calendar.advance(30_000);
    }
    expect(await buildDueExports(deps())).toBe(0);
    const failed = await record(id);
    expect(failed).toMatchObject({ status: "failed", claims: 3, row_count: null, lease_id: null });
    expect(failed.error).toMatch(/^The export .*\.$/);
    gate.resolve();
    await Promise.all(workers.map((worker) => worker.idle()));
    expect((await record(id)).status).toBe("failed");
    expect(files.finished.size).toBe(0);
    // the way is free for another one
    expect((await ask()).status).toBe("pending");
  });

  it("keeps its lease while somebody is at it [exports.lost-worker]", async () => {
    const { id } = await ask();
    const halt = halted();
    const builds = new ExportBuilds(deps({ limits: { renewMs: 20 } }));
    await builds.sweep();
    await halt.reached;
    for (let round = 0; round < 3; round++) {
      t.calendar.advance(20_000);
      const renewed = new Date(t.calendar.now() + 30_000);
      await expect.poll(async () => (await record(id)).lease_until).toEqual(renewed);
      expect(await buildDueExports(deps())).toBe(0);
    }
    halt.goOn();
    await builds.idle();
    expect(await record(id)).toMatchObject({ status: "completed", claims: 1 });
  });

  it("is tried three times in all where something fails, a while apart, and then fails for good [exports.failure]", async () => {
    const { id } = await ask();
    files.beforeWrite = () => {
      throw retryLater("dependency_unavailable", 2);
    };
    expect(await buildDueExports(deps())).toBe(1);
    expect(await record(id)).toMatchObject({ status: "pending", claims: 1, started_at: null, error: null });
    expect(await buildDueExports(deps())).toBe(0);
    t.calendar.advance(10_000);
    expect(await buildDueExports(deps())).toBe(1);
    t.calendar.advance(20_000);
    expect(await buildDueExports(deps())).toBe(1);
    const failed = await record(id);
    expect(failed).toMatchObject({ status: "failed", claims: 3 });
    expect(failed.error).toMatch(/^The export could not be built/);
    expect(files.begun.size + files.finished.size).toBe(0);
  });

  it("fails at once where it takes longer than a snapshot may last [exports.failure]", async () => {
    for (const name of ["a", "b", "c"]) await person(`${name}@example.com`);
    await t.update(store, { limits: { export_page_pause_ms: 200 } });
    const { id } = await ask();
    files.beforeWrite = () => new Promise((resolve) => setTimeout(resolve, 400));
    await buildDueExports(deps({ limits: { snapshotMs: 300, pageRows: 1, batchRows: 1 } }));
    const failed = await record(id);
    expect(failed).toMatchObject({ status: "failed", claims: 1 });
    expect(failed.error).toMatch(/fewer days/);
    expect(files.finished.size).toBe(0);
  });

  it("is handed back when its worker stops, and begins nothing afterwards [exports.stop]", async () => {
    for (const name of ["a", "b", "c"]) await person(`${name}@example.com`);
    await t.update(store, { limits: { export_page_pause_ms: 10_000 } });
    const { id } = await ask();
    const builds = new ExportBuilds(deps({ limits: { pageRows: 1, batchRows: 1 } }));
    await builds.sweep();
    await builds.stop();
    expect(await record(id)).toMatchObject({ status: "pending", claims: 1, error: null });
    expect(await builds.sweep()).toBe(0);
    await t.update(store, { limits: { export_page_pause_ms: 0 } });
    await buildDueExports(deps());
    expect(await record(id)).toMatchObject({ status: "completed", claims: 2 });
  });
});

describe("a build during which", () => {
  it("a person is erased begins again without them [exports.erasure]", async () => {
    await person("a@example.com");
    await person("b@example.com");
    const { id } = await ask();
    const halt = halted();
    const builds = new ExportBuilds(deps());
    await builds.sweep();
    await halt.reached;
    const { body } = await t.request("GET", "/v1/profiles?q=a@example.com", { key: store.key });
    await erasePersonIn(t, store, body.data[0].id);
    expect((await record(id)).status).toBe("pending");
    halt.goOn();
    await builds.idle();
    expect(files.finished.size).toBe(0);
    await buildDueExports(deps());
    expect(await record(id)).toMatchObject({ status: "completed", claims: 2, row_count: 1 });
    expect(mailsIn(onlyFile())).toEqual(["b@example.com"]);
    // the session is counted on, and says nothing any more
    files.finished.clear();
    await ask("responses", { format: "json" });
    await buildDueExports(deps());
    const text = (onlyFile() ?? "").toString();
    expect(JSON.parse(text).items).toHaveLength(2);
    expect(text).toContain("b@example.com");
    expect(text).not.toContain("a@example.com");
  });

  it("an erasure is under way begins after it [exports.erasure]", async () => {
    await person("a@example.com");
    const { id } = await ask();
    const erasing = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const erasure = t.database.transaction(async (tx) => {
      await tx
        .forStore(store.uuid)
        .all(sql`SELECT revision FROM store_revisions WHERE store_id = ${ownStore} FOR UPDATE`);
      held.resolve();
      await erasing.promise;
      await tx
        .forStore(store.uuid)
        .all(sql`UPDATE profiles SET removed_at = ${new Date(t.calendar.now())} WHERE store_id = ${ownStore}`);
    });
    await held.promise;
    const built = buildDueExports(deps());
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await record(id)).status).toBe("pending");
    erasing.resolve();
    await erasure;
    await built;
    expect(await record(id)).toMatchObject({ status: "completed", row_count: 0 });
  });

  it("the store is disconnected leaves no file [exports.disconnect]", async () => {
    const { id } = await ask();
    const halt = halted();
    const builds = new ExportBuilds(deps());
    await builds.sweep();
    await halt.reached;
    await cancel();
    halt.goOn();
    await builds.idle();
    expect((await record(id)).status).toBe("failed");
    await sweepExports({ ...t.foundations, files });
    expect(files.finished.size + files.begun.size).toBe(0);
  });

  it("the claim is lost stops reading soon [exports.lost-worker]", async () => {
    for (const name of ["a", "b", "c"]) await person(`${name}@example.com`);
    await t.update(store, { limits: { export_page_pause_ms: 60_000 } });
    await ask();
    const builds = new ExportBuilds(deps({ limits: { renewMs: 20, pageRows: 1, batchRows: 1 } }));
    await builds.sweep();
    await cancel();
    expect((await timed(() => builds.idle())).ranMs).toBeLessThan(5_000);
    expect(files.finished.size).toBe(0);
  });
});
