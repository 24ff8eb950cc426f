import type { FastifyInstance, FastifyRequest } from "fastify";
import { invalid } from "../problems.ts";

/** Bodies (A3): JSON whatever the route, an empty one is `{}`, and every way to get one wrong is a 422 of `body`. */

export const maxBodyBytes = 1024 * 1024;

const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** `nul`: whether texts may hold NUL characters, for a caller that takes them out. */
export function parseJson(bytes: Buffer, nul = false): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw invalid("body", "is not valid UTF-8");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid("body", "is not valid JSON");
  }
  const fault = findFault(value, text, nul);
  if (fault !== null) throw invalid("body", fault);
  return value;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** the route compares texts and stores none: NUL characters in them are literal */
    nul?: boolean;
  }
}

export interface BodyRules {
  contentTypes: RegExp;
  /** how the content types are told to a caller that sent another one */
  asked: string;
  /** whether texts may hold NUL characters; the route takes them out then */
  nul: boolean;
}

const jsonOnly: BodyRules = { contentTypes: jsonType, asked: "content-type: application/json", nul: false };

export function acceptJsonBodies(app: FastifyInstance, rules: BodyRules = jsonOnly): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: maxBodyBytes }, (request, bytes, done) => {
    try {
      done(null, readBody(request, bytes as Buffer, rules));
    } catch (error) {
      done(error as Error);
    }
  });
}

function readBody(request: FastifyRequest, bytes: Buffer, rules: BodyRules): unknown {
  if (bytes.length === 0) return {};
  if (request.headers["content-encoding"] !== undefined)
    throw invalid("body", "must be sent without a content encoding");
  if (!rules.contentTypes.test(request.headers["content-type"] ?? "")) {
    throw invalid("body", `must be JSON, sent with ${rules.asked}`);
  }
  return parseJson(bytes, rules.nul || request.routeOptions.config.nul === true);
}

/** Deeper than anything that this API takes; checks and writers recurse, and must not run out of stack. */
const maxDepth = 64;

/**
 * What no place of this API could take, or null. PostgreSQL holds no NUL in texts: said here once rather than by each
 * place that would store one. Most bodies hold neither the escape of a NUL nor enough brackets to look further.
 */
function findFault(value: unknown, text: string, nul: boolean): string | null {
  if ((nul || !text.includes("\\u0000")) && !bracketsBeyond(text, maxDepth)) return null;
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: inner, depth } = next;
    if (!nul && typeof inner === "string" && inner.includes("\u0000")) return "must not contain NUL characters";
    if (inner === null || typeof inner !== "object") continue;
    if (depth > maxDepth) return `must not be nested more than ${maxDepth} levels deep`;
    for (const name of Object.keys(inner)) {
      if (!nul && name.includes("\u0000")) return "must not contain NUL characters";
      open.push({ value: (inner as Record<string, unknown>)[name], depth: depth + 1 });
    }
  }
  return null;
}

function bracketsBeyond(text: string, limit: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length && count <= limit; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x5b || character === 0x7b) count += 1;
  }
  return count > limit;
}
