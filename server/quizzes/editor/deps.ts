import type { Answer, Audited } from "../../platform/http/operations.ts";
import type { QuizRouteDeps } from "../deps.ts";

export type EditorDeps = QuizRouteDeps;

/** An answer with the draft's new entity tag, and entries for the audit log. */
export function answered<Body extends { revision: number }>(
  body: Body,
  audit: readonly Audited[],
  location?: string,
): Answer<Body> {
  return {
    body,
    headers: { ETag: `"${body.revision}"` },
    audit,
    ...(location === undefined ? {} : { location }),
  };
}
