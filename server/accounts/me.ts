import type { Me } from "../../contract/accounts.ts";
import type { Plan } from "../../contract/limits.ts";
import { confirmedMs } from "../platform/caller.ts";
import { isoTime } from "../platform/clock.ts";
import { type Runner, sql } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";
import { Problem } from "../platform/problems.ts";
import { storesOf } from "./memberships.ts";
import { sessionExpiry } from "./sessions.ts";
import { hasTotp, type UserRow, userOfId } from "./user-rows.ts";

/** The person of a session, in the form that they see. */
export async function meOf(db: Runner, userId: string, sessionId: string): Promise<Me> {
  const [user, session, stores] = await Promise.all([
    userOfId(db, userId),
    db.first(sql<{ created_at: Date; confirmed_at: Date }>`
      SELECT created_at, confirmed_at FROM user_sessions WHERE id = ${sessionId}`),
    storesOf(db, userId),
  ]);
  if (!user || !session) throw new Problem("not_signed_in");
  const confirmedAt = session.confirmed_at.getTime();
  return {
    person: personOf(user),
    session: {
      id: formatId("ses", sessionId),
      confirmed_at: isoTime(confirmedAt),
      confirmed_until: isoTime(confirmedAt + confirmedMs),
      expires_at: isoTime(sessionExpiry(session.created_at.getTime())),
    },
    stores: stores.map((store) => ({ ...store, id: formatId("store", store.id), plan: store.plan as Plan })),
  };
}

const personOf = (user: UserRow): Me["person"] => ({
  id: formatId("user", user.id),
  email: user.email,
  name: user.name,
  operator: user.operator,
  has_password: user.password !== null,
  totp: hasTotp(user),
  recovery_codes_left: user.recovery_codes.length,
  created_at: isoTime(user.created_at),
});
