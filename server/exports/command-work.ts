import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { access, rename, rm } from "node:fs/promises";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { FieldError } from "../../contract/errors.ts";
import { type ExportRequest, type ExportSummary, exportRequest } from "../../contract/exports.ts";
import type { Calendar } from "../platform/clock.ts";
import { type CommandDeps, type StoreOption, uuidArgument } from "../platform/command-line/commands.ts";
import { readJsonFile } from "../platform/command-line/files.ts";
import { Progress } from "../platform/command-line/print.ts";
import { FileMissing } from "../platform/files/types.ts";
import { compileCheck } from "../platform/http/shapes.ts";
import { OperatorError, UsageError } from "../platform/operator-error.ts";
import { Problem } from "../platform/problems.ts";
import { VersionCache } from "../quizzes/public.ts";
import { storeNamed } from "../stores/public.ts";
import { type ExportRow, exportAnswer, fileName, nameForPeople, readExport, readExports } from "./export-rows.ts";
import { mistakesInForm, requestExport } from "./request-export.ts";

/** Implements `quizstore export ...` [command-line.export-create, command-line.export-download]. */

export interface CreateOptions extends StoreOption {
  dataset: string;
  format: string;
  csvStyle?: string;
  headers?: string;
  from?: string;
  to?: string;
  tz?: string;
  quiz?: string;
  search?: string;
  wait?: boolean;
}

export interface DownloadOptions extends StoreOption {
  out?: string;
  force?: boolean;
}

interface Parts extends Pick<CommandDeps, "config" | "database" | "elapsed" | "random" | "files"> {
  calendar: Calendar;
}

const checkRequest = compileCheck<ExportRequest>(exportRequest, "body");
const allowAll = () => undefined;

export async function createExport(parts: Parts, options: CreateOptions): Promise<ExportSummary> {
  const { database } = parts;
  const store = await storeNamed(database.reader(), options.store);
  const fields = {
    ...{ dataset: options.dataset, format: options.format, from: options.from, to: options.to, tz: options.tz },
    ...{ csv_style: options.csvStyle, headers: options.headers, quiz_id: options.quiz },
    search: options.search === undefined ? undefined : await readJsonFile(options.search),
  };
  const present = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const { value: body, errors } = checkRequest(present);
  const wrong = errors.length > 0 ? errors : mistakesInForm(body);
  if (wrong.length > 0) throw new UsageError(mistakes(wrong));
  const request = { body, source: "dashboard", assertMay: allowAll } as const;
  const deps = { ...parts, versions: new VersionCache() };
  const row = await database
    .transaction((tx) => requestExport(tx.forStore(store.id), deps, request))
    .catch((error: unknown) => {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      throw new OperatorError(error.extra.errors ? mistakes(error.extra.errors) : error.message);
    });
  return summaryOf(parts, options.wait ? await builtRow(parts, store.id, row) : row);
}

/** Formats errors of body fields with the options that they came from. */
const mistakes = (errors: readonly FieldError[]): string =>
  errors
    .map(
      ({ field, message }) =>
        `${field
          .replace(/^body\./, "--")
          .replace("--quiz_id", "--quiz")
          .replace("--csv_style", "--csv-style")} ${message}`,
    )
    .join("; ");

const summaryOf = ({ config, calendar }: Parts, row: ExportRow): ExportSummary =>
  exportAnswer(row, { baseUrl: config.baseUrl, now: calendar.now() });

const pollMs = 500;
const reportEveryMs = 10_000;

async function builtRow(
  { database, elapsed, calendar }: Parts,
  storeId: string,
  requested: ExportRow,
): Promise<ExportRow> {
  const began = elapsed();
  let reported = { status: "", at: 0 };
  for (;;) {
    const row = await readExport(database.reader().forStore(storeId), requested.id, calendar.now());
    const passed = elapsed() - began;
    if (row.status !== reported.status || passed - reported.at >= reportEveryMs) {
      reported = { status: row.status, at: passed };
      process.stderr.write(`${row.dataset}: ${row.status} after ${Math.round(passed / 1000)} s${hint(row, passed)}\n`);
    }
    if (row.status === "failed") throw new OperatorError(`the export failed: ${row.error ?? "for an unknown reason"}`);
    if (row.status === "completed") return row;
    await pause(pollMs);
  }
}

const hint = ({ status }: ExportRow, passed: number): string =>
  status === "pending" && passed >= reportEveryMs ? "; is a server or a worker running?" : "";

export async function listNewest(parts: Parts, storeName: string): Promise<ExportSummary[]> {
  const db = parts.database.reader();
  const store = await storeNamed(db, storeName);
  const rows = await readExports(db.forStore(store.id), null, 100);
  return rows.map((row) => summaryOf(parts, row));
}

export async function downloadExport(parts: Parts, exportId: string, options: DownloadOptions) {
  const { database, calendar } = parts;
  const db = database.reader();
  const store = await storeNamed(db, options.store);
  const uuid = uuidArgument("exp", exportId, "an export");
  const row = await readExport(db.forStore(store.id), uuid, calendar.now()).catch((error: unknown) => {
    if (error instanceof Problem && error.title === "not_found")
      throw new OperatorError(`this store has no export ${exportId}, or it has expired`);
    throw error;
  });
  if (row.status !== "completed") throw new OperatorError(`the export is ${row.status}, so there is no file`);
  const out = options.out ?? nameForPeople(row);
  if (!options.force && (await exists(out)))
    throw new OperatorError(`${out} is there already; use --force to replace it`);
  try {
    const source = await parts.files.read(fileName(store.id, row, row.claims));
    const sha256 = await save(source, out, row);
    return { export_id: exportId, file: out, rows: row.row_count, bytes: row.bytes, sha256 };
  } catch (error) {
    if (error instanceof FileMissing)
      throw new OperatorError("the storage of exports has lost this file; request another");
    throw error;
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Writes to a temporary name, and renames it only once the file is complete and its digest matches. Returns its SHA-256
 * in hexadecimal.
 */
async function save(source: NodeJS.ReadableStream, out: string, row: ExportRow): Promise<string> {
  const unfinished = `${out}.part`;
  const bar = new Progress(out, row.bytes ?? 0);
  const hash = createHash("sha256");
  let done = 0;
  const watched = new Transform({
    transform(bytes: Buffer, _encoding, next) {
      hash.update(bytes);
      done += bytes.length;
      bar.update(Math.min(done, row.bytes ?? done));
      next(null, bytes);
    },
  });
  try {
    await pipeline(source, watched, createWriteStream(unfinished, { mode: 0o600 }));
    const digest = hash.digest();
    if (!row.digest?.equals(digest)) throw new OperatorError("the file is not what was built; request another export");
    await rename(unfinished, out);
    return digest.toString("hex");
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
