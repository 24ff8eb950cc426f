import { Readable } from "node:stream";
import { expect } from "vitest";
import { buildDueExports } from "../server/exports/writing/builds.ts";
import type { BuildDeps } from "../server/exports/writing/deps.ts";
import { ownStore, sql } from "../server/platform/database/sql.ts";
import { FileMissing, type FileSink, type FileStorage } from "../server/platform/files/types.ts";
import { parseId } from "../server/platform/ids.ts";
import { VersionCache } from "../server/quizzes/public.ts";
import type { Body, TestApp, TestStore } from "./app.ts";

/** Exports in tests: requested through the API and built directly, with their files in memory. */

export class MemoryFiles implements FileStorage {
  readonly finished = new Map<string, Buffer>();
  readonly begun = new Map<string, Buffer[]>();
  /** Called before each write; it may wait or throw. */
  beforeWrite: (name: string) => Promise<void> | void = () => undefined;

  async write(name: string): Promise<FileSink> {
    const pieces: Buffer[] = [];
    this.begun.set(name, pieces);
    return {
      write: async (bytes) => {
        await this.beforeWrite(name);
        pieces.push(Buffer.from(bytes));
      },
      finish: async () => {
        this.begun.delete(name);
        this.finished.set(name, Buffer.concat(pieces));
      },
      abort: async () => void this.begun.delete(name),
    };
  }

  async read(name: string): Promise<Readable> {
    const file = this.finished.get(name);
    if (!file) throw new FileMissing(name);
    return Readable.from([file]);
  }

  async remove(name: string): Promise<void> {
    this.finished.delete(name);
    this.begun.delete(name);
  }

  async *names(): AsyncGenerator<string> {
    yield* [...this.finished.keys(), ...this.begun.keys()];
  }

  close(): void {
    // nothing to release
  }
}

export function buildDepsOf(t: TestApp, storage: FileStorage, more: Partial<BuildDeps> = {}): BuildDeps {
  const { database, calendar, random, log, facts, config } = t.foundations;
  if (!facts) throw new Error("the app has no columnar copies");
  const elapsed = () => performance.now();
  const versions = new VersionCache();
  return { database, calendar, elapsed, random, log, facts, versions, storage, baseUrl: config.baseUrl, ...more };
}

/** Requests an export; returns its summary. */
export async function askExport(t: TestApp, store: TestStore, body: object): Promise<Body> {
  t.passTime(60_000);
  const answer = await t.request("POST", "/v1/exports", { key: store.key, body });
  if (answer.status !== 202) throw new Error(answer.text);
  return answer.body;
}

export interface ExportRecord {
  id: string;
  status: string;
  claims: number;
  error: string | null;
  row_count: number | null;
  bytes: number | null;
  digest: Buffer | null;
  started_at: Date | null;
  completed_at: Date | null;
  expires_at: Date;
  due_at: Date | null;
  lease_id: string | null;
  lease_until: Date | null;
}

/** @param id public id */
export async function exportRecord(t: TestApp, store: TestStore, id: string): Promise<ExportRecord> {
  const row = await t.database
    .reader()
    .forStore(store.uuid)
    .first(sql<ExportRecord>`SELECT * FROM exports WHERE store_id = ${ownStore} AND id = ${parseId("exp", id)}`);
  if (!row) throw new Error("there is no such export");
  return row;
}

/** Requests and builds an export; returns its file. */
export async function exportedFile(
  t: TestApp,
  store: TestStore,
  body: object,
  more: Partial<BuildDeps> = {},
): Promise<Buffer> {
  const files = new MemoryFiles();
  const { id } = await askExport(t, store, body);
  await buildDueExports(buildDepsOf(t, files, more));
  expect(await exportRecord(t, store, id)).toMatchObject({ status: "completed", error: null });
  const [file] = [...files.finished.values()];
  return file ?? Buffer.alloc(0);
}

/** The text of the file. */
export const exported = async (...given: Parameters<typeof exportedFile>): Promise<string> =>
  (await exportedFile(...given)).toString();
