import type { FastifyInstance, FastifyRequest } from "fastify";
import { invalid } from "../problems.ts";

/** Bodies (A3): JSON whatever the route, an empty one is `{}`, and every way to get one wrong is a 422 of `body`. */

export const maxBodyBytes = 1024 * 1024;

const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

export function parseJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw invalid("body", "is not valid UTF-8");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("body", "is not valid JSON");
  }
}

export function acceptJsonBodies(app: FastifyInstance, contentTypes: RegExp = jsonType): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: maxBodyBytes }, (request, bytes, done) => {
    try {
      done(null, readBody(request, bytes as Buffer, contentTypes));
    } catch (error) {
      done(error as Error);
    }
  });
}

function readBody(request: FastifyRequest, bytes: Buffer, contentTypes: RegExp): unknown {
  if (bytes.length === 0) return {};
  if (request.headers["content-encoding"] !== undefined)
    throw invalid("body", "must be sent without a content encoding");
  if (!contentTypes.test(request.headers["content-type"] ?? "")) {
    throw invalid("body", "must be JSON, sent with content-type: application/json");
  }
  const value = parseJson(bytes);
  if (hasNul(value)) throw invalid("body", "must not contain NUL characters");
  return value;
}

/** PostgreSQL holds no NUL in texts; said here once rather than by each place that would store one. */
function hasNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\u0000");
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(([name, inner]) => name.includes("\u0000") || hasNul(inner));
}
