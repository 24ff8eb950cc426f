import type { FastifyReply, FastifyRequest } from "fastify";
import { matchesTag } from "../platform/http/etag.ts";
import { chooseCoding } from "./coding.ts";
import type { ServedFile } from "./open-built.ts";

/**
 * A file's bytes in the coding that suits the request, with the matching headers; null: the client has the current
 * bytes already.
 */
export function codedFile(request: FastifyRequest, reply: FastifyReply, file: ServedFile): Buffer | null {
  const coding = chooseCoding(request.headers["accept-encoding"]);
  const bytes = { br: file.brotli, gzip: file.gzip, identity: file.plain }[coding];
  const tag = `${file.tag}-${coding}`;
  reply.header("ETag", `"${tag}"`).header("Vary", "Accept-Encoding");
  if (matchesTag(request.headers["if-none-match"], tag)) return null;
  if (coding !== "identity") reply.header("Content-Encoding", coding);
  return bytes;
}
