import { longestWebhookUrl } from "../../contract/webhooks.ts";
import type { Caller } from "../platform/caller.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";
import { invalid, invalidFields, Problem } from "../platform/problems.ts";
import { assertScope } from "../platform/scopes.ts";
import type { WebhookRouteDeps } from "./deps.ts";

/** What an endpoint is told to do, and what of it is refused [webhooks.create]. */

export interface Configuration {
  url: string;
  topics: readonly string[];
  include_pii: boolean;
  /** UUIDs; null: every quiz */
  quiz_ids: readonly string[] | null;
  description: string | null;
}

const sameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each) => other.includes(each));

const sameQuizzes = (one: readonly string[] | null, other: readonly string[] | null): boolean =>
  one === null || other === null ? one === other : sameSet(one, other);

/** Addresses aside: sets of topics and quizzes have no order. */
export const sameConfiguration = (one: Configuration, other: Configuration): boolean =>
  sameSet(one.topics, other.topics) &&
  one.include_pii === other.include_pii &&
  sameQuizzes(one.quiz_ids, other.quiz_ids) &&
  one.description === other.description;

/** Whether two addresses are one to whoever calls them, however they are written [webhooks.same-address]. */
export const sameAddress = (one: string, other: string): boolean =>
  one === other || addressOf(one) === addressOf(other);

function addressOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  // is not sent
  parsed.hash = "";
  return parsed.href;
}

/** Throws 422 `webhook_url_unsafe`. Asks the resolver, so that no transaction may be under way. */
export async function assertSafeUrl({ vetUrl }: WebhookRouteDeps, url: string): Promise<void> {
  // an index holds it, whose entries are bounded in bytes
  if (Buffer.byteLength(url) > longestWebhookUrl)
    throw invalid("body.url", `must have at most ${longestWebhookUrl} bytes`);
  const reason = await vetUrl(url);
  if (reason !== null) throw new Problem("webhook_url_unsafe", { detail: `The webhook address is refused: ${reason}` });
}

/** Throws 422 `webhook_pii_required` [webhooks.contacts-topic]. */
export function assertPiiForTopics({ topics, include_pii: includePii }: Pick<Configuration, "topics" | "include_pii">) {
  if (topics.includes("identity.captured") && !includePii) throw new Problem("webhook_pii_required");
}

/** Throws 403 where the endpoint is to take contacts and the caller may not read them [webhooks.pii-scope]. */
export function assertMaySendContacts(caller: Caller, includePii: boolean): void {
  if (includePii) assertScope(caller, "profiles:read");
}

/** The UUIDs behind ids whose form was checked. */
export const quizUuids = (ids: readonly string[] | null): string[] | null =>
  ids?.map((id) => parseId("quiz", id) ?? id) ?? null;

/**
 * Throws 422 that names each quiz which the store does not have, or has deleted. `known` are those that the endpoint
 * names already: deleting a quiz does not turn a repeat into a mistake.
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
