import { createHash } from "node:crypto";
import { expect } from "vitest";
import { appendCompletedEvent } from "../server/exports/completed-event.ts";
import { type ExportRow, fileName } from "../server/exports/export-rows.ts";
import { ownStore, sql } from "../server/platform/database/sql.ts";
import { openFiles } from "../server/platform/files/open.ts";
import type { FileStorage } from "../server/platform/files/types.ts";
import { formatId, parseId, uuidAt } from "../server/platform/ids.ts";
import type { Body, TestApp, TestStore } from "./app.ts";

/** Exports requested through the API, and put into any state that a test needs, with files like the builder's. */

export const storageOf = (t: TestApp): FileStorage => openFiles(t.foundations.config.exportStorage);

/** The answer to the request. */
export async function askExport(t: TestApp, store: TestStore, body: object): Promise<Body> {
  const answer = await t.request("POST", "/v1/exports", { key: store.key, body });
  expect([answer.status, answer.body]).toEqual([202, expect.anything()]);
  return answer.body;
}

export interface GivenExport {
  dataset?: string;
  format?: string;
  status?: string;
  /** the file's text; only written for a completed export */
  text?: string;
  files?: FileStorage;
  /** ms before now */
  age?: number;
}

const keptMs = 7 * 24 * 60 * 60 * 1000;

/** Inserts an export in a state that a builder produces; returns its public id. */
export async function putExport(t: TestApp, store: TestStore, given: GivenExport = {}): Promise<string> {
  const { dataset = "responses", format = "csv", status = "completed", text = "\ufeffa,b\r\n1,2\r\n", age = 0 } = given;
  const at = new Date(t.calendar.now() - age);
  const id = uuidAt(at.getTime(), t.foundations.random);
  const bytes = Buffer.from(text);
  const [done, over] = [status === "completed" || status === "expired", status === "expired" || status === "failed"];
  if (status === "completed") {
    const sink = await (given.files ?? storageOf(t)).write(fileName(store.uuid, { id, format }, 1));
    await sink.write(bytes);
    await sink.finish();
  }
  const expires = new Date(at.getTime() + keptMs);
  const filters = JSON.stringify({ from: null, to: null, quiz_id: null, search: null, tz: null });
  const digest = createHash("sha256").update(bytes).digest();
  await t.database
    .reader()
    .forStore(store.uuid)
    .all(sql`
      INSERT INTO exports (store_id, id, dataset, format, status, source, filters, requested_at, started_at,
        completed_at, expires_at, row_count, bytes, digest, error, claims, due_at)
      VALUES (${ownStore}, ${id}, ${dataset}, ${format}, ${status}, 'api', ${filters}::jsonb, ${at},
        ${status === "pending" ? null : at}, ${done ? at : null}, ${expires}, ${done ? 1 : null},
        ${done ? bytes.length : null}, ${done ? digest : null}, ${status === "failed" ? "Something broke" : null}, 1,
        ${over ? null : done ? expires : at})`);
  return formatId("exp", id);
}

/** An export's row, with its current state. */
export async function exportRow(t: TestApp, store: TestStore, exportId: string): Promise<Body> {
  const [row] = await t.database
    .reader()
    .forStore(store.uuid)
    .all<Body>(sql`SELECT * FROM exports WHERE store_id = ${ownStore} AND id = ${parseId("exp", exportId)}`);
  return row;
}

/** Path and query of a new download link. */
export async function linkOf(t: TestApp, store: TestStore, exportId: string): Promise<string> {
  const { status, body } = await t.request("GET", `/v1/exports/${exportId}`, { key: store.key });
  expect([status, body]).toEqual([200, expect.objectContaining({ download_url: expect.any(String) })]);
  return body.download_url.replace(t.foundations.config.baseUrl, "");
}

export async function filesIn(files: FileStorage): Promise<string[]> {
  const names: string[] = [];
  for await (const name of files.names()) names.push(name);
  return names.sort();
}

/** Marks an export as completed, with its event, like the builder. */
export async function completeExport(t: TestApp, store: TestStore, exportId: string): Promise<void> {
  const { random, calendar, config } = t.foundations;
  await t.database.transaction(async (transaction) => {
    const tx = transaction.forStore(store.uuid);
    await tx.all(sql`
      UPDATE exports SET status = 'completed', completed_at = requested_at, due_at = expires_at
      WHERE store_id = ${ownStore} AND id = ${parseId("exp", exportId)}`);
    const row = await tx.first(sql<ExportRow>`
      SELECT * FROM exports WHERE store_id = ${ownStore} AND id = ${parseId("exp", exportId)}`);
    if (row) await appendCompletedEvent(tx, { random, baseUrl: config.baseUrl, now: calendar.now() }, row);
  });
}
