/**
 * What no route of this program could take, seen in the bytes of a JSON text before it is parsed: parsing a megabyte of
 * brackets, and then walking through them, costs a hundred times as much as this one pass [api.body-bounds]. It takes 1
 * to 2 ns a byte, whatever the bytes are. Bytes that are no JSON may confuse it; the parser refuses those.
 */

/** Deeper than anything that this program takes; checks and writers recurse, and must not run out of stack. */
export const maxDepth = 64;

const [quote, backslash, letterU, zero] = [0x22, 0x5c, 0x75, 0x30];
const [openBracket, closeBracket, openBrace, closeBrace, colon] = [0x5b, 0x5d, 0x7b, 0x7d, 0x3a];

export interface ScanRules {
  /** whether texts may hold NUL characters. PostgreSQL holds none: said here once rather than by each place that stores. */
  nul: boolean;
  /** fields of all objects together. To parse one whose name was not seen before costs up to a microsecond. */
  maxFields: number;
}

export function findFault(bytes: Uint8Array, { nul, maxFields }: ScanRules): string | null {
  let [depth, fields] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      for (at += 1; at < bytes.length && bytes[at] !== quote; at += 1) {
        if (bytes[at] !== backslash) continue;
        at += 1;
        if (!nul && escapesNul(bytes, at)) return "must not contain NUL characters";
      }
    } else if (byte === openBracket || byte === openBrace) {
      depth += 1;
      if (depth > maxDepth) return `must not be nested more than ${maxDepth} levels deep`;
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    else if (byte === colon) {
      fields += 1;
      if (fields > maxFields) return `must not have more than ${maxFields} fields`;
    }
  }
  return null;
}

const escapesNul = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === letterU &&
  bytes[at + 1] === zero &&
  bytes[at + 2] === zero &&
  bytes[at + 3] === zero &&
  bytes[at + 4] === zero;
