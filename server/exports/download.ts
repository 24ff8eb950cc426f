import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Database } from "../platform/database/database.ts";
import { assertTimeLeft, type Deadline } from "../platform/deadline.ts";
import { FileMissing, type FileStorage, storageFailed } from "../platform/files/types.ts";
import { formatId } from "../platform/ids.ts";
import { invalid, notFound, Problem } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { StoreCalendars } from "../platform/store-calendars.ts";
import { findStore } from "../stores/public.ts";
import { type ExportRow, fileName, nameForPeople, parseExportId, readExport } from "./export-rows.ts";
import { downloadUrl, readLink } from "./links.ts";
import { chooseRepresentation, type Representation } from "./representation.ts";

/** Serves download links, outside `/v1` and without a key [exports.one-file, exports.download]. */

export interface DownloadDeps {
  database: Database;
  files: FileStorage;
  calendar: StoreCalendars;
  secrets: Secrets;
}

export function registerDownloads(app: FastifyInstance, deps: DownloadDeps): void {
  app.route({
    method: ["GET", "HEAD"],
    url: downloadUrl,
    exposeHeadRoute: false,
    handler: (request, reply) => download(request, reply, deps),
  });
}

interface Finished {
  storeId: string;
  row: ExportRow;
  bytes: number;
  digest: Buffer;
}

async function download(request: FastifyRequest, reply: FastifyReply, deps: DownloadDeps): Promise<FastifyReply> {
  const found = await findFile(request, deps);
  const { headers } = request;
  const chosen = chooseRepresentation(
    {
      range: headers.range,
      ifRange: headers["if-range"] as string | undefined,
      ifNoneMatch: headers["if-none-match"],
    },
    { bytes: found.bytes, tag: tagOf(found) },
  );
  if (chosen.kind === "beyond") {
    reply.header("Content-Range", `bytes */${found.bytes}`);
    throw new Problem("range_not_satisfiable");
  }
  if (request.method === "HEAD" || chosen.kind === "unchanged") {
    describe(reply, found, chosen);
    return reply.send();
  }
  const range = chosen.kind === "part" ? chosen.range : undefined;
  const source = await openFile(found, range, request.deadline, deps);
  describe(reply, found, chosen);
  return reply.send(source);
}

/** Throws 404 whatever is wrong with the link. */
async function findFile(request: FastifyRequest, { database, calendar, secrets }: DownloadDeps): Promise<Finished> {
  const { token, ...others } = request.query as Record<string, string | string[]>;
  const exportId = parseExportId((request.params as { export_id: string }).export_id);
  if (exportId === null || typeof token !== "string" || Object.keys(others).length > 0) throw notFound();
  if (Object.keys((request.body ?? {}) as object).length > 0) throw invalid("body", "is not taken by this route");
  // a store's calendar may be ahead of the shared one, never behind
  const signed = readLink(secrets, { exportId, token, now: () => calendar.sharedNow() });
  const store = signed && (await findStore(database.reader(request.deadline), formatId("store", signed.storeId)));
  if (!store) throw notFound();
  // this process may not have heard of a move yet [test-stores.clock]
  calendar.learn(store);
  const now = (storeId: string) => calendar.of(storeId).now();
  const link = readLink(secrets, { exportId, token, now });
  if (link === null) throw notFound();
  const db = database.reader(request.deadline).forStore(link.storeId);
  const row = await readExport(db, exportId, now(link.storeId));
  if (row.status !== "completed") throw notFound();
  const { bytes, digest } = row;
  if (bytes === null || digest === null) throw new Error("a completed export lacks its size or digest");
  return { storeId: link.storeId, row, bytes, digest };
}

/**
 * Opens the file and waits for its first bytes, so that a failing storage causes a 502 rather than a truncated
 * response.
 */
async function openFile(
  { storeId, row }: Finished,
  range: { start: number; end: number } | undefined,
  deadline: Deadline,
  { database, files, calendar }: DownloadDeps,
): Promise<Readable> {
  try {
    const source = await files.read(fileName(storeId, row, row.claims), range);
    await firstBytes(source, deadline);
    return source;
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error;
    // either the file was removed after its row was read, or the storage has lost it
    const left = await readExport(database.reader(deadline).forStore(storeId), row.id, calendar.of(storeId).now());
    throw left.status === "completed" ? storageFailed(error) : notFound();
  }
}

async function firstBytes(source: Readable, deadline: Deadline): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (error: unknown) => reject(storageFailed(error));
  const forget = deadline.onExpiry(() => source.destroy());
  source.once("readable", resolve).once("error", fail).once("close", resolve);
  try {
    await promise;
    assertTimeLeft(deadline);
  } catch (error) {
    source.destroy();
    throw error;
  } finally {
    forget();
    source.off("readable", resolve).off("error", fail).off("close", resolve);
  }
}

const tagOf = ({ digest }: Finished): string => digest.toString("base64url");

/** RFC 9530 [exports.digest]. */
const digestField = (digest: Buffer): string => `sha-256=:${digest.toString("base64")}:`;

const contentTypes: Record<string, string> = {
  csv: "text/csv; charset=utf-8; header=present",
  json: "application/json; charset=utf-8",
  ndjson: "application/x-ndjson; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  parquet: "application/vnd.apache.parquet",
};

/**
 * The file is sent as it is stored, whatever coding the client accepts, and `no-transform` keeps proxies from changing
 * that: what is compressed on the way has another digest and cannot be resumed [exports.as-stored].
 */
function describe(reply: FastifyReply, found: Finished, chosen: Exclude<Representation, { kind: "beyond" }>): void {
  const { row, bytes, digest } = found;
  reply
    .header("ETag", `"${tagOf(found)}"`)
    .header("Accept-Ranges", "bytes")
    .header("Cache-Control", "private, no-store, no-transform")
    .header("Repr-Digest", digestField(digest))
    .header("Referrer-Policy", "no-referrer");
  if (chosen.kind === "unchanged") {
    reply.code(304);
    return;
  }
  reply
    .type(contentTypes[row.format] ?? "application/octet-stream")
    .header("Content-Disposition", `attachment; filename="${nameForPeople(row)}"`);
  if (chosen.kind === "whole") {
    reply.header("Content-Length", bytes);
    return;
  }
  const { start, end } = chosen.range;
  reply
    .code(206)
    .header("Content-Range", `bytes ${start}-${end}/${bytes}`)
    .header("Content-Length", end - start + 1);
}
