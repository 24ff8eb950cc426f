import { topicsAbout } from "../../contract/events.ts";
import { longestWebhookUrl } from "../../contract/webhooks.ts";
import type { Caller } from "../platform/caller.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";
import { invalid, invalidFields, Problem } from "../platform/problems.ts";
import { assertScope } from "../platform/scopes.ts";
import type { WebhookRouteDeps } from "./deps.ts";

/** The configuration of an endpoint, and the checks that refuse a bad one [webhooks.create]. */

export interface Configuration {
  url: string;
  topics: readonly string[];
  include_pii: boolean;
  /** UUIDs; null means every quiz */
  quiz_ids: readonly string[] | null;
  description: string | null;
}

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));

const sameQuizzes = (a: readonly string[] | null, b: readonly string[] | null): boolean =>
  a === null || b === null ? a === b : sameSet(a, b);

/** Compares everything but the URL. Topics and quizzes are compared as sets. */
export const sameConfiguration = (a: Configuration, b: Configuration): boolean =>
  sameSet(a.topics, b.topics) &&
  a.include_pii === b.include_pii &&
  sameQuizzes(a.quiz_ids, b.quiz_ids) &&
  a.description === b.description;

/** Whether two URLs lead to the same receiver, however they are written [webhooks.same-address]. */
export const sameAddress = (a: string, b: string): boolean => a === b || addressOf(a) === addressOf(b);

function addressOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  // a fragment is never sent
  parsed.hash = "";
  return parsed.href;
}

/** Throws 422 `webhook_url_unsafe`. Resolves the host name, so call it outside any transaction. */
export async function assertSafeUrl({ vetUrl }: WebhookRouteDeps, url: string): Promise<void> {
  // the URL is indexed, and an index entry has a limited size in bytes
  if (Buffer.byteLength(url) > longestWebhookUrl)
    throw invalid("body.url", `must have at most ${longestWebhookUrl} bytes`);
  const reason = await vetUrl(url);
  if (reason !== null) throw new Problem("webhook_url_unsafe", { detail: `The webhook address is refused: ${reason}` });
}

/** Throws 422 `webhook_pii_required` [webhooks.contacts-topic]. */
export function assertPiiForTopics({ topics, include_pii: includePii }: Pick<Configuration, "topics" | "include_pii">) {
  if (topics.some((topic) => topicsAbout("contact").includes(topic)) && !includePii)
    throw new Problem("webhook_pii_required");
}

/** Throws 403 if the endpoint would receive contacts and the caller may not read them [webhooks.pii-scope]. */
export function assertMaySendContacts(caller: Caller, includePii: boolean): void {
  if (includePii) assertScope(caller, "profiles:read");
}

/** The UUIDs of quiz ids whose form was already checked. */
export const quizUuids = (ids: readonly string[] | null): string[] | null =>
  ids?.map((id) => parseId("quiz", id) ?? id) ?? null;

/**
 * Throws 422 naming each quiz that the store does not have or has deleted. `known` are the quizzes that the endpoint
 * already names; they always pass, so that repeating a request still works after a quiz was deleted.
 */
export async function assertQuizzes(
  db: StoreRunner,
  quizIds: readonly string[] | null,
  known: readonly string[],
): Promise<void> {
  const added = (quizIds ?? []).filter((id) => !known.includes(id));
  if (added.length === 0) return;
  const rows = await db.all(sql<{ id: string }>`
    SELECT id FROM quizzes WHERE store_id = ${ownStore} AND id = ANY(${added}::uuid[]) AND deleted_at IS NULL`);
  const found = new Set([...rows.map(({ id }) => id), ...known]);
  const errors = (quizIds ?? []).flatMap((id, index) =>
    found.has(id) ? [] : [{ field: `body.quiz_ids.${index}`, message: "is not a quiz of this store" }],
  );
  if (errors.length > 0) throw invalidFields(errors);
}
