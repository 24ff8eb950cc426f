import { createHash } from "node:crypto";
import { PassThrough, pipeline, type Readable } from "node:stream";
import { createGzip } from "node:zlib";
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
      // the digest of a gzip response follows in a trailer, which HTTP/1.0 does not support
      acceptEncoding: request.raw.httpVersion === "1.0" ? undefined : String(headers["accept-encoding"] ?? ""),
      range: headers.range,
      ifRange: headers["if-range"] as string | undefined,
      ifNoneMatch: headers["if-none-match"],
    },
    { bytes: found.bytes, tag: found.digest.toString("base64url") },
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
  return reply.send(chosen.kind === "whole" && chosen.gzip ? compressed(source, reply) : source);
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

/** RFC 9530: `sha-256` of the bytes, for a header or a trailer [exports.digest]. */
const digestField = (digest: Buffer): string => `sha-256=:${digest.toString("base64")}:`;

const contentTypes: Record<string, string> = {
  csv: "text/csv; charset=utf-8; header=present",
  json: "application/json; charset=utf-8",
  ndjson: "application/x-ndjson; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  parquet: "application/vnd.apache.parquet",
};

function describe(
  reply: FastifyReply,
  { row, bytes, digest }: Finished,
  chosen: Exclude<Representation, { kind: "beyond" }>,
): void {
  reply
    .header("ETag", `"${chosen.tag}"`)
    .header("Vary", "Accept-Encoding")
    .header("Accept-Ranges", "bytes")
    .header("Cache-Control", "private, no-store")
    .header("Referrer-Policy", "no-referrer");
  if (chosen.kind === "unchanged") {
    reply.code(304);
    return;
  }
  reply
    .type(contentTypes[row.format] ?? "application/octet-stream")
    .header("Content-Disposition", `attachment; filename="${nameForPeople(row)}"`);
  if (chosen.kind === "whole" && chosen.gzip) {
    reply.header("Content-Encoding", "gzip").header("Unencoded-Digest", digestField(digest));
    return;
  }
  reply.header("Repr-Digest", digestField(digest));
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

/** Level 6 would take three times as long for slightly smaller output. */
const gzipLevel = 3;

/** Compresses the file. Its digest goes into the trailer, since it is known only when all bytes are sent. */
function compressed(source: Readable, reply: FastifyReply): Readable {
  const hash = createHash("sha256");
  const coded = new PassThrough();
  coded.on("data", (bytes: Buffer) => hash.update(bytes));
  coded.pause();
  reply.trailer("Repr-Digest", (_reply, _payload, done) => done(null, digestField(hash.digest())));
  // a failure destroys all three streams, which cuts the response off
  pipeline(source, createGzip({ level: gzipLevel }), coded, () => undefined);
  return coded;
}
