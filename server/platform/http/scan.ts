/**
 * Finds what no route accepts in the bytes of a JSON text before it is parsed: parsing a megabyte of brackets and
 * walking through them costs a hundred times as much as this one pass [api.body-bounds], which takes 1 to 2 ns a byte
 * for any input. Invalid JSON may confuse it; the parser refuses that.
 */

/** Deeper than anything that this program accepts; checks and writers recurse, and must not overflow the stack. */
export const maxDepth = 64;

const [quote, backslash, letterU, zero] = [0x22, 0x5c, 0x75, 0x30];
const [openBracket, closeBracket, openBrace, closeBrace, colon, comma] = [0x5b, 0x5d, 0x7b, 0x7d, 0x3a, 0x2c];

export interface ScanRules {
  /**
   * whether texts may contain NUL characters. PostgreSQL cannot store them, so they are refused here once rather than
   * at each place that stores texts.
   */
  nul: boolean;
  /**
   * maximum number of fields in all objects together. Parsing a field with an unseen name costs up to a microsecond.
   */
  maxFields: number;
  /** maximum number of entries of all lists and objects together: reading, checking and storing one costs 10 to 100 ns */
  maxValues: number;
}

export function findFault(bytes: Uint8Array, { nul, maxFields, maxValues }: ScanRules): string | null {
  let [depth, fields, values] = [0, 0, 0];
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
      values += 1;
      if (depth > maxDepth) return `must not be nested more than ${maxDepth} levels deep`;
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    else if (byte === colon) {
      fields += 1;
      if (fields > maxFields) return `must not have more than ${maxFields} fields`;
    } else if (byte === comma) values += 1;
  }
  return values > maxValues ? `must not have more than ${maxValues} values` : null;
}

const escapesNul = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === letterU &&
  bytes[at + 1] === zero &&
  bytes[at + 2] === zero &&
  bytes[at + 3] === zero &&
  bytes[at + 4] === zero;
