import { expect } from "vitest";
import { openApiDocument } from "../contract/openapi.ts";
import type { Operation } from "../contract/operation.ts";
import { readAbout } from "../server/main/about.ts";
import type { Answered, Body } from "./app.ts";

/** Compares the headers of answers with those that openapi.json declares. */

/** The OpenAPI document of these operations. */
export const describedBy = (operations: readonly Operation[]): Body =>
  JSON.parse(JSON.stringify(openApiDocument(operations, readAbout())));

/** Headers of the API itself; others belong to HTTP, caches and browsers. */
const told = [
  ...["request-id", "ratelimit", "ratelimit-policy", "retry-after", "www-authenticate", "etag", "location"],
  ...["idempotent-replayed", "deprecation", "sunset", "link", "allow", "accept-ranges", "content-range"],
];

/**
 * Fails if an answer has a header that is not declared for its status, or lacks a mandatory one. Returns the names of
 * its declared headers.
 */
export function expectDeclared(document: Body, { id, path, method }: Operation, answer: Answered): string[] {
  const { responses } = document.paths[path][method.toLowerCase()];
  const declared: Record<string, { $ref?: string }> = responses[answer.status]?.headers;
  expect([id, answer.status, typeof declared]).toEqual([id, answer.status, "object"]);
  const names = Object.keys(declared).map((name) => name.toLowerCase());
  const sent = told.filter((name) => answer.headers[name] !== undefined);
  expect(names).toEqual(expect.arrayContaining(sent));
  const due = Object.entries(declared).flatMap(([name, { $ref = "" }]) => {
    const shared = document.components.headers[$ref.split("/").at(-1) ?? ""];
    return shared?.required === true ? [name.toLowerCase()] : [];
  });
  expect([id, answer.status, sent]).toEqual([id, answer.status, expect.arrayContaining(due)]);
  return sent;
}
