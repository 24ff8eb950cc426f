import type { FieldError } from "../../../contract/errors.ts";

/**
 * An answer with its entity tag: `tag` is the opaque part, without quotes. A client that has an answer with the same
 * tag gets a 304, unless the tag is of a `part`: of what a change would name in If-Match, while the rest of the answer
 * may differ.
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

/** One tag of a list; anything between two commas that is no tag is ignored. */
const listed = /(?:^|,)\s*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?=,|$)/g;

/**
 * What proxies that compress append to a tag: `-gzip`, `-br` and so on by Apache, lighttpd and Caddy, `--gzip` by
 * Jetty, `;gzip` by Django and Roxen, `-df` by Traffic Server. nginx, Varnish, HAProxy and Cloudflare only make it
 * weak.
 */
const codings = /^(?:(?:--?|[;:])(?:x-)?(?:gzip|br|zstd|deflate|compress|bzip2|df))+$/;

/**
 * Whether a tag that a client sent is the given one, perhaps marked by a proxy that compressed the answer: weakly
 * compared, it still means the same answer [api.if-none-match, editor.revisions]. Both are without quotes.
 */
export const isTag = (sent: string, tag: string): boolean =>
  sent === tag || (sent.startsWith(tag) && codings.test(sent.slice(tag.length)));

/**
 * Whether an `If-None-Match` header contains the tag (RFC 9110 13.1.2): a list of tags or `*`, compared weakly
 * [api.if-none-match].
 *
 * @param tag without quotes
 */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return [...header.matchAll(listed)].some(([, sent = ""]) => isTag(sent, tag));
}

const longestIfNoneMatch = 1_024;

/** The errors of an `If-None-Match` header. */
export const ifNoneMatchErrors = (header: string | undefined): FieldError[] =>
  header !== undefined && header.length > longestIfNoneMatch
    ? [{ field: "header.If-None-Match", message: `must have at most ${longestIfNoneMatch} characters` }]
    : [];
