import type { FieldError } from "../../../contract/errors.ts";

/**
 * An answer with its entity tag: `tag` is the opaque part, without quotes. Whoever has an answer with the same tag is told
 * so in place of it, unless the tag is of a `part`: of what a change would name in If-Match, while the rest of the answer
 * may be another one.
 */
export class Tagged<Body> {
  readonly tag: string;
  readonly body: Body;
  readonly of: "all" | "part";

  constructor(tag: string, body: Body, of: "all" | "part" = "all") {
    this.tag = tag;
    this.body = body;
    this.of = of;
  }
}

/** One of a list: what is no tag between two commas counts for nothing. */
const listed = /(?:^|,)\s*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?=,|$)/g;

/**
 * Whether an `If-None-Match` header names the tag (RFC 9110 13.1.2): a list of tags or `*`, compared weakly
 * [api.if-none-match].
 *
 * @param tag without quotes
 */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return Array.from(header.matchAll(listed), (match) => match[1]).includes(tag);
}

const longestIfNoneMatch = 1_024;

/** What is wrong with an `If-None-Match` header, if anything. */
export const ifNoneMatchErrors = (header: string | undefined): FieldError[] =>
  header !== undefined && header.length > longestIfNoneMatch
    ? [{ field: "header.If-None-Match", message: `must have at most ${longestIfNoneMatch} characters` }]
    : [];
