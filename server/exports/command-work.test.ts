import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { putExport, storageOf } from "../../testkit/exports.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { createExport, downloadExport, listNewest } from "./command-work.ts";
import { fileName, parseExportId } from "./export-rows.ts";

let t: TestApp;
let store: TestStore;
let folder: string;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
  folder = mkdtempSync(join(tmpdir(), "quizstore-export-"));
});
afterAll(async () => {
  await t.close();
  rmSync(folder, { recursive: true });
});

const create = (given: object) =>
  createExport(t.foundations, { store: store.id, dataset: "profiles", format: "csv", ...given });
const set = (id: string, status: string) =>
  t.database
    .reader()
    .forStore(store.uuid)
    .all(
      sql`UPDATE exports SET status = ${status}, error = 'Something broke' WHERE store_id = ${ownStore} AND id = ${parseExportId(id)}`,
    );

describe("quizstore export create [command-line.export-create]", () => {
  it("asks for what the API would ask for, on the dashboard's behalf", async () => {
    const quiz = await makeQuiz(t, store, { publish: true });
    const search = join(folder, "search.json");
    writeFileSync(search, JSON.stringify({ has_email: true }));
    const made = await create({ format: "json", from: "2026-03-01", tz: "Europe/Berlin", quiz: quiz.id, search });
    expect(made).toMatchObject({
      ...{ dataset: "profiles", format: "json", status: "pending", source: "dashboard" },
      filters: { from: "2026-03-01", to: null, quiz_id: quiz.id, search: { has_email: true }, tz: "Europe/Berlin" },
    });
    expect((await listNewest(t.foundations, store.id))[0]).toEqual(made);
    await expect(create({})).rejects.toThrow("An export of profiles is being built");
    await set(made.id, "failed");
  });

  it("takes the layout of the file", async () => {
    const made = await create({ csvStyle: "plain", headers: "texts" });
    expect(made).toMatchObject({ format: "csv", csv_style: "plain", headers: "texts" });
    await set(made.id, "failed");
  });

  it.each([
    [
      { format: "json", csvStyle: "plain", headers: "keys" },
      "--csv-style is only used with format csv; --headers is not",
    ],
    [{ from: "yesterday" }, "--from must be a day as YYYY-MM-DD"],
    [{ from: "2026-03-02", to: "2026-03-01", tz: "X" }, "--from must not be after to; --tz must be an IANA timezone"],
    [{ quiz: "quiz_1" }, "--quiz must be an id as quiz_ and 32"],
    [{ quiz: `quiz_${"0".repeat(32)}` }, "--quiz is not a quiz of this store"],
    [{ store: "nobody.example.com" }, "there is no store nobody.example.com"],
    [{ search: "/nowhere.json" }, "there is no file /nowhere.json"],
  ])("says in a sentence what is wrong with %j", async (given, sentence) => {
    await expect(create(given)).rejects.toThrow(sentence);
  });

  it("waits for the file, or for what went wrong", async () => {
    for (const status of ["completed", "failed"]) {
      // exports of one moment are in no order that could be told beforehand
      t.calendar.advance(1);
      const waiting = create({ dataset: "responses", wait: true }).catch((error: Error) => error.message);
      let [newest] = await listNewest(t.foundations, store.id);
      while (newest?.dataset !== "responses" || newest.status !== "pending") {
        await pause(20);
        [newest] = await listNewest(t.foundations, store.id);
      }
      await set(newest.id, status);
      const outcome = await waiting;
      if (status === "completed") expect(outcome).toMatchObject({ id: newest.id, status: "completed" });
      else expect(outcome).toBe("the export failed: Something broke");
    }
  });
});

describe("quizstore export download [command-line.export-download]", () => {
  const text = "\ufeffa\r\n1\r\n";
  const download = (id: string, given = {}) =>
    downloadExport(t.foundations, id, { store: store.id, out: join(folder, "out.csv"), ...given });

  it("saves the file whole, for its owner's eyes, and never over another one unasked", async () => {
    const id = await putExport(t, store, { text });
    const out = join(folder, "out.csv");
    const sha256 = createHash("sha256").update(text).digest("hex");
    expect(await download(id)).toEqual({ export_id: id, file: out, rows: 1, bytes: 9, sha256 });
    expect(readFileSync(out, "utf8")).toBe(text);
    expect(statSync(out).mode & 0o077).toBe(0);
    writeFileSync(out, "mine");
    await expect(download(id)).rejects.toThrow(`${out} is there already`);
    expect(readFileSync(out, "utf8")).toBe("mine");
    await download(id, { force: true });
    expect(readFileSync(out, "utf8")).toBe(text);
  });

  it("leaves nothing behind of a file that is not what was built", async () => {
    const id = await putExport(t, store, { text });
    const name = fileName(store.uuid, { id: parseExportId(id) ?? "", format: "csv" }, 1);
    const sink = await storageOf(t).write(name);
    await sink.write(Buffer.from("something else"));
    await sink.finish();
    const out = join(folder, "other.csv");
    await expect(download(id, { out })).rejects.toThrow("not what was built");
    expect(readdirSync(folder).filter((file) => file.startsWith("other"))).toEqual([]);
    await storageOf(t).remove(name);
    await expect(download(id, { out })).rejects.toThrow("has lost this file");
  });

  it("says why there is no file", async () => {
    const other = await t.store();
    const out = join(folder, "none.csv");
    const pending = await putExport(t, other, { status: "pending" });
    const theirs = { store: other.id, out };
    await expect(download(pending, theirs)).rejects.toThrow("the export is pending, so there is no file");
    await expect(download(pending, { out })).rejects.toThrow("this store has no export");
    await expect(download("exp_1", { out })).rejects.toThrow("is not the id of an export");
    const expired = await putExport(t, other, { status: "expired" });
    await expect(download(expired, theirs)).rejects.toThrow("or it has expired");
  });
});
