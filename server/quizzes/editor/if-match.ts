import type { IncomingHttpHeaders } from "node:http";
import { isoTime } from "../../platform/clock.ts";
import { isTag } from "../../platform/http/etag.ts";
import { invalid, Problem } from "../../platform/problems.ts";
import { type DraftState, draftTag } from "./state.ts";

/** The draft that a change is meant for [editor.revisions]. */

const tagForm = /^(?:W\/)?"([\w:;-]{1,40})"$/;

/**
 * The tag in If-Match. Throws 428 without one, and 422 unless it is a single tag: an unconditional change would
 * overwrite somebody else's. A proxy that compresses makes a tag weak or marks it; it still names the same draft.
 */
export function namedTag(headers: IncomingHttpHeaders): string {
  const header = headers["if-match"];
  if (header === undefined) throw new Problem("if_match_required");
  const tag = tagForm.exec(header.trim())?.[1];
  if (tag === undefined) throw invalid("header.If-Match", "must be the one ETag that the draft was read with");
  return tag;
}

/** A 412 that says who changed the draft last, and when. */
function draftChanged(state: DraftState): Problem {
  const saved_at = isoTime(state.saved_at);
  const { saved_by } = state;
  const detail = `${saved_by ?? "Somebody else"} changed this draft at ${saved_at}; nothing was overwritten`;
  return new Problem("draft_changed", {
    detail,
    extra: { draft: { revision: state.draft_revision, saved_at, saved_by } },
  });
}

export function assertNamed(tag: string, state: DraftState): void {
  if (!isTag(tag, draftTag(state))) throw draftChanged(state);
}
