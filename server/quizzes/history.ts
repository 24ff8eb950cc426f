import type { Transaction } from "../platform/database/sql.ts";
import { build } from "../platform/database/statements.ts";
import { uuidAt } from "../platform/ids.ts";
import type { Actor, QuizDeps } from "./deps.ts";

/** Who did what to a quiz [quizzes.history], written by the transaction that did it. */
export type QuizAction = "imported" | "saved" | "published" | "archived" | "unarchived" | "deleted";

export interface QuizDeed {
  /** UUIDs */
  quizId: string;
  versionId?: string;
  action: QuizAction;
  at: Date;
}

export async function recordDeed(
  tx: Transaction,
  deps: QuizDeps,
  storeId: string,
  by: Actor,
  deed: QuizDeed,
): Promise<void> {
  await tx.all(
    build.insertInto("quiz_history").values({
      store_id: storeId,
      id: uuidAt(deed.at.getTime(), deps.random),
      quiz_id: deed.quizId,
      at: deed.at,
      action: deed.action,
      version_id: deed.versionId ?? null,
      admin: by.admin,
      source: by.source,
      key_id: by.keyId,
    }),
  );
}
