import type { AuditEntry } from "../../contract/members.ts";
import type { CalledBy, SignedIn } from "../platform/caller.ts";
import { type Calendar, isoTime } from "../platform/clock.ts";
import { older, type Place, readPage } from "../platform/cursors.ts";
import { ownStore, raw, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { storedJson } from "../platform/database/stored-json.ts";
import { formatId, type RandomBytes, uuidAt } from "../platform/ids.ts";
import { dayMs, type Retention } from "../platform/retention.ts";
import type { Secrets } from "../platform/secrets.ts";

/** Who did what in a store, when and from where [accounts.audit]; written in the same transaction. */

export type AuditActor =
  /** a person of the store, an operator who supports it, or a key */
  | { by: CalledBy; admin: string; address: string }
  /** somebody who is signed in, or has just signed in */
  | { person: Pick<SignedIn, "userId" | "email">; role?: string | undefined; address: string }
  | "command line"
  | "system";

export interface AuditedAction {
  /** `thing.done`, such as `key.created` */
  action: string;
  /** what was changed: a public id, or the address of somebody without one */
  target?: string | undefined;
  /** further details for an owner; never a secret */
  details?: Readonly<Record<string, unknown>> | undefined;
}

interface Actor {
  kind: "person" | "key" | "command_line" | "system";
  id: string | null;
  name: string;
  role: string | null;
  support: boolean;
  address: string | null;
}

const nobody = { id: null, role: null, support: false, address: null };

function actorOf(who: AuditActor): Actor {
  if (who === "command line") return { ...nobody, kind: "command_line", name: "command line" };
  if (who === "system") return { ...nobody, kind: "system", name: "system" };
  if ("person" in who) {
    const { person, role = null, address } = who;
    return { ...nobody, kind: "person", id: person.userId, name: person.email, role, address };
  }
  const { by, admin, address } = who;
  if (by.kind === "key") return { ...nobody, kind: "key", id: by.keyId, name: admin, address };
  const { person, role, support } = by;
  return { kind: "person", id: person.userId, name: person.email, role, support, address };
}

export async function recordAudit(
  tx: StoreTransaction,
  { calendar, random }: { calendar: Calendar; random: RandomBytes },
  who: AuditActor,
  { action, target, details = {} }: AuditedAction,
): Promise<void> {
  const now = calendar.now();
  const { kind, id, name, role, support, address } = actorOf(who);
  await tx.all(sql`
    INSERT INTO audit_log
      (store_id, id, at, actor_kind, actor_id, actor, role, support, address, action, target, details)
    VALUES (${ownStore}, ${uuidAt(now, random)}, ${new Date(now)}, ${kind}, ${id}, ${name}, ${role}, ${support}, ${address},
      ${action}, ${target ?? null}, ${storedJson(details)})`);
}

interface AuditRow {
  id: string;
  at: Date;
  actor_kind: Actor["kind"];
  actor_id: string | null;
  actor: string;
  role: string | null;
  support: boolean;
  address: string | null;
  action: string;
  target: string | null;
  details: Record<string, unknown>;
}

interface AuditQuery {
  cursor?: string;
  limit?: number;
  action?: string;
}

/** Newest first. */
export async function listAudit(db: StoreRunner, secrets: Secrets, query: AuditQuery) {
  const { cursor, limit = 20, action } = query;
  const binding = { storeId: db.storeId, route: "listAudit", filters: { action: action ?? null } };
  const read = (after: Place | null, rows: number) =>
    db.all(sql<AuditRow>`
      SELECT id, at, actor_kind, actor_id, actor, role, support, address, action, target, details FROM audit_log
      WHERE store_id = ${ownStore} ${action === undefined ? raw("") : sql`AND action = ${action}`}
        ${older(after, "at, id")}
      ORDER BY at DESC, id DESC LIMIT ${rows}`);
  return readPage({ secrets, binding, cursor, limit }, read, ({ at, id }) => ({ at: at.getTime(), id }), answerOf);
}

const actorPrefix = { person: "user", key: "key" } as const;

const answerOf = (row: AuditRow): AuditEntry => ({
  id: formatId("aud", row.id),
  at: isoTime(row.at),
  actor: {
    kind: row.actor_kind,
    id:
      row.actor_id !== null && (row.actor_kind === "person" || row.actor_kind === "key")
        ? formatId(actorPrefix[row.actor_kind], row.actor_id)
        : null,
    name: row.actor,
    role: row.role as AuditEntry["actor"]["role"],
    support: row.support,
  },
  address: row.address,
  action: row.action,
  target: row.target,
  details: row.details,
});

/** Longer than a year, so that questions after the annual accounts can still be answered. */
export const auditRetention: Retention = {
  table: "audit_log",
  keptMs: 400 * dayMs,
  olderThan: (moment) => sql`at < ${new Date(moment)}`,
};
