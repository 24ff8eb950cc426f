import type { ByteRange } from "../platform/files/types.ts";
import { matchesTag } from "../platform/http/etag.ts";

/**
 * Decides whether a request gets the file as a whole or in part, and whether with gzip (RFC 9110, sections 12.5.3, 13
 * and 14). Pure.
 */

export interface FileRequest {
  acceptEncoding: string | undefined;
  range: string | undefined;
  ifRange: string | undefined;
  ifNoneMatch: string | undefined;
}

export interface FileState {
  bytes: number;
  /** ETag of the uncompressed file, without quotes */
  tag: string;
}

export type Representation =
  | { kind: "whole"; gzip: boolean; tag: string }
  | { kind: "part"; range: ByteRange; tag: string }
  | { kind: "unchanged"; tag: string }
  | { kind: "beyond" };

export function chooseRepresentation(request: FileRequest, file: FileState): Representation {
  const requested =
    request.range === undefined || !mayResume(request.ifRange, file.tag) ? null : rangeIn(request.range);
  // ranges always refer to the uncompressed file, whatever encodings the client accepts
  const gzip = requested === null && prefersGzip(request.acceptEncoding);
  const tag = gzip ? gzipTag(file.tag) : file.tag;
  if (matchesTag(request.ifNoneMatch, tag)) return { kind: "unchanged", tag };
  if (requested === null) return { kind: "whole", gzip, tag };
  const range = resolved(requested, file.bytes);
  return range === null ? { kind: "beyond" } : { kind: "part", range, tag };
}

/** Different bytes under the same strong ETag would let a client combine parts of two encodings. */
const gzipTag = (tag: string): string => `${tag}-gzip`;

/** `If-Range` uses strong comparison. Files have no Last-Modified, so a date never matches. */
const mayResume = (ifRange: string | undefined, tag: string): boolean =>
  ifRange === undefined || ifRange.trim() === `"${tag}"`;

interface RequestedRange {
  /** null means the last `end` bytes */
  start: number | null;
  /** null means to the end of the file */
  end: number | null;
}

const single = /^bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i;

/**
 * Parses a single byte range. Returns null for several ranges, other units and malformed headers, which are answered
 * with the whole file [exports.ranges].
 */
function rangeIn(header: string): RequestedRange | null {
  const match = single.exec(header);
  if (!match) return null;
  const [start, end] = [match[1], match[2]].map((text) => (text ? Number(text) : null));
  if (start === undefined || end === undefined || (start === null && end === null)) return null;
  return start !== null && end !== null && start > end ? null : { start, end };
}

/** Returns null if the file has none of these bytes. */
function resolved({ start, end }: RequestedRange, bytes: number): ByteRange | null {
  if (start === null) {
    const length = Math.min(end ?? 0, bytes);
    return length === 0 ? null : { start: bytes - length, end: bytes - 1 };
  }
  return start >= bytes ? null : { start, end: Math.min(end ?? bytes, bytes - 1) };
}

/**
 * Whether the client explicitly prefers gzip, as opposed to the list of encodings that HTTP clients send by default. A
 * compressed response has a different digest and cannot be resumed, and compressing it takes time that the shop's
 * traffic needs [exports.gzip].
 */
function prefersGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  const weights = new Map<string, number>();
  for (const part of header.split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const quality = parameters.find((text) => text.startsWith("q="))?.slice(2);
    if (coding !== "") weights.set(coding === "x-gzip" ? "gzip" : coding, quality === undefined ? 1 : Number(quality));
  }
  const gzip = weights.get("gzip") ?? 0;
  if (!(gzip > 0)) return false;
  const identity = weights.get("identity") ?? (weights.get("*") === 0 ? 0 : null);
  if (identity === 0) return true;
  const others = [...weights.keys()].filter((coding) => coding !== "gzip" && coding !== "identity" && coding !== "*");
  return others.length === 0 && gzip >= (identity ?? 0);
}
