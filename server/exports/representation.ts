import type { ByteRange } from "../platform/files/types.ts";
import { matchesTag } from "../platform/http/etag.ts";

/** Decides whether a request gets the file as a whole or in part (RFC 9110, sections 13 and 14). Pure. */

export interface FileRequest {
  range: string | undefined;
  ifRange: string | undefined;
  ifNoneMatch: string | undefined;
}

export interface FileState {
  bytes: number;
  /** its ETag, without quotes */
  tag: string;
}

export type Representation =
  | { kind: "whole" }
  | { kind: "part"; range: ByteRange }
  | { kind: "unchanged" }
  | { kind: "beyond" };

export function chooseRepresentation(request: FileRequest, file: FileState): Representation {
  if (matchesTag(request.ifNoneMatch, file.tag)) return { kind: "unchanged" };
  const requested =
    request.range === undefined || !mayResume(request.ifRange, file.tag) ? null : rangeIn(request.range);
  if (requested === null) return { kind: "whole" };
  const range = resolved(requested, file.bytes);
  return range === null ? { kind: "beyond" } : { kind: "part", range };
}

/**
 * `If-Range` uses strong comparison: the bytes behind a tag that a proxy has marked are not the file's. Files have no
 * Last-Modified, so a date never matches.
 */
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
