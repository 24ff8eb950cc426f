import type { SignedIn } from "../platform/caller.ts";
import { sql, type Transaction } from "../platform/database/sql.ts";
import { Problem } from "../platform/problems.ts";
import { lockedUser, type UserRow } from "./user-rows.ts";

/**
 * The signed-in person, locked until the transaction ends: whoever is being disabled, or whose session is being ended,
 * changes nothing of the account afterwards [dashboard-api.rights-kept]. Throws 401.
 */
export async function lockedPerson(tx: Transaction, { userId, sessionId }: SignedIn): Promise<UserRow> {
  const user = await lockedUser(tx, userId);
  const session = await tx.first(sql`
    SELECT id FROM user_sessions WHERE id = ${sessionId} AND user_id = ${userId} FOR SHARE`);
  if (!user || user.disabled_at !== null || !session) throw new Problem("not_signed_in");
  return user;
}
