import type { ByteRange } from "../platform/files/types.ts";
import { matchesTag } from "../platform/http/etag.ts";

/** Which form of a file, and how much of it, a request asks for (RFC 9110, sections 12.5.3, 13 and 14). Pure. */

export interface FileRequest {
  acceptEncoding: string | undefined;
  range: string | undefined;
  ifRange: string | undefined;
  ifNoneMatch: string | undefined;
}

export interface FileState {
  bytes: number;
  /** of the file as it is, without quotes */
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
  // a part is of the file as it is, whatever else the client would take
  const gzip = requested === null && prefersGzip(request.acceptEncoding);
  const tag = gzip ? gzipTag(file.tag) : file.tag;
  if (matchesTag(request.ifNoneMatch, tag)) return { kind: "unchanged", tag };
  if (requested === null) return { kind: "whole", gzip, tag };
  const range = resolved(requested, file.bytes);
  return range === null ? { kind: "beyond" } : { kind: "part", range, tag };
}

/** Other bytes under the same strong tag would let a client put two files together. */
const gzipTag = (tag: string): string => `${tag}-gzip`;

/** `If-Range` compares strongly, and no file has a date to compare. */
const mayResume = (ifRange: string | undefined, tag: string): boolean =>
  ifRange === undefined || ifRange.trim() === `"${tag}"`;

interface RequestedRange {
  /** null: the last `end` bytes */
  start: number | null;
  /** null: up to the file's end */
  end: number | null;
}

const single = /^bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i;

/**
 * One range of bytes; null for several, other units and what is malformed: those are answered with the whole file
 * [exports.ranges].
 */
function rangeIn(header: string): RequestedRange | null {
  const match = single.exec(header);
  if (!match) return null;
  const [start, end] = [match[1], match[2]].map((text) => (text ? Number(text) : null));
  if (start === undefined || end === undefined || (start === null && end === null)) return null;
  return start !== null && end !== null && start > end ? null : { start, end };
}

/** Null: the file has none of these bytes. */
function resolved({ start, end }: RequestedRange, bytes: number): ByteRange | null {
  if (start === null) {
    const length = Math.min(end ?? 0, bytes);
    return length === 0 ? null : { start: bytes - length, end: bytes - 1 };
  }
  return start >= bytes ? null : { start, end: Math.min(end ?? bytes, bytes - 1) };
}

/**
 * Whether gzip is what the client asks for, rather than one of the codings that HTTP clients list by themselves: the
 * digest of a coded answer is another one, it cannot be resumed, and coding it costs time that the shop's traffic needs
 * [exports.gzip].
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
