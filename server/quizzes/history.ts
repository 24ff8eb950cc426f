import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { uuidAt } from "../platform/ids.ts";
import type { Actor, QuizDeps } from "./deps.ts";

/** Who did what to a quiz [quizzes.history], written by the transaction that did it. */
export type QuizAction =
  | "imported"
  | "created"
  | "duplicated"
  | "edited"
  | "restored"
  | "saved"
  | "published"
  | "archived"
  | "unarchived"
  | "deleted";

/** The order of several actions of one request, which have the same millisecond. */
export const orderWithin: readonly QuizAction[] = [
  "imported",
  "created",
  "duplicated",
  "edited",
  "restored",
  "saved",
  "published",
];

export interface QuizHistoryEntry {
  /** UUIDs */
  quizId: string;
  versionId?: string;
  action: QuizAction;
  at: Date;
}

export async function recordHistory(
  tx: StoreTransaction,
  deps: QuizDeps,
  by: Actor,
  entry: QuizHistoryEntry,
): Promise<void> {
  const { quizId, at, action, versionId = null } = entry;
  await tx.all(sql`
    INSERT INTO quiz_history (store_id, id, quiz_id, at, action, version_id, admin, source, key_id)
    VALUES (${ownStore}, ${uuidAt(at.getTime(), deps.random)}, ${quizId}, ${at}, ${action}, ${versionId}, ${by.admin},
      ${by.source}, ${by.keyId})`);
}
