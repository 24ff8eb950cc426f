import {
  createInvitation,
  listAudit as listAuditOperation,
  listInvitations,
  listMembers,
  type Member,
  removeMember as removeMemberOperation,
  revokeInvitation as revokeInvitationOperation,
  updateMember,
} from "../../contract/members.ts";
import type { Operation } from "../../contract/operation.ts";
import type { CalledBy, Caller } from "../platform/caller.ts";
import { isoTime } from "../platform/clock.ts";
import type { StoreTransaction } from "../platform/database/sql.ts";
import { type DashboardRoute, memberRoute } from "../platform/http/dashboard.ts";
import { type Request, readRoute, writeRoute } from "../platform/http/operations.ts";
import { formatId, parseId } from "../platform/ids.ts";
import { notFound } from "../platform/problems.ts";
import { type AuditActor, listAudit, recordAudit } from "./audit.ts";
import type { AccountDeps } from "./deps.ts";
import { readEmail } from "./emails.ts";
import type { Guesses } from "./guessing.ts";
import { invite, openInvitations, revokeInvitation } from "./invitations.ts";
import { invitationMail, type Mailer, type Sent } from "./mail.ts";
import { changeRole, holdMembers, type MemberRow, membersOf, removeMember } from "./memberships.ts";
import { userOfId } from "./user-rows.ts";

/** What owners do with their store's people. */

interface MemberRouteDeps extends AccountDeps {
  mailer: Mailer | null;
  guesses: Guesses;
}

export const memberRoutes = (deps: MemberRouteDeps): DashboardRoute[] =>
  [
    readRoute(listMembers, async (_request, db) => ({ data: (await membersOf(db)).map(memberOf) })),
    updateMemberRoute(deps),
    removeMemberRoute(deps),
    readRoute(listInvitations, async (_request, db) => ({ data: await openInvitations(db, deps.calendar.now()) })),
    createInvitationRoute(deps),
    revokeInvitationRoute(deps),
    readRoute(listAuditOperation, async ({ query }, db) => listAudit(db, deps.secrets, query)),
  ].map(memberRoute);

const memberOf = (row: MemberRow): Member => ({
  user_id: formatId("user", row.user_id),
  email: row.email,
  name: row.name,
  role: row.role,
  since: isoTime(row.created_at),
  signed_in_at: row.signed_in_at && isoTime(row.signed_in_at),
  disabled: row.disabled_at !== null,
  two_factor: row.has_totp,
});

const actorOf = ({ caller, address }: { caller: Caller; address: string }): AuditActor => ({
  by: caller.by,
  admin: caller.admin,
  address,
});

/** Members are people. */
function personOf({ by }: Caller): Extract<CalledBy, { kind: "person" }> {
  if (by.kind !== "person") throw new Error("a key called an operation that is only for people");
  return by;
}

function idOf(prefix: "user" | "inv", text: string | undefined): string {
  const id = parseId(prefix, text ?? "");
  if (id === null) throw notFound();
  return id;
}

/**
 * Somebody who changes or ends their own membership has other rights behind the change: theirs are looked at before it,
 * under the lock with which rights are changed. Returns whether that is so.
 */
async function checkedBefore(request: OwnRequest, tx: StoreTransaction, userId: string): Promise<boolean> {
  if (personOf(request.caller).person.userId !== userId) return false;
  await holdMembers(tx);
  await request.assertUnchanged(tx);
  return true;
}

type OwnRequest = Pick<Request<Operation>, "caller" | "assertUnchanged">;

const updateMemberRoute = (deps: MemberRouteDeps) =>
  writeRoute(updateMember, async (request, tx) => {
    const userId = idOf("user", request.params["user_id"]);
    const { role } = request.body;
    const rightsChecked = await checkedBefore(request, tx, userId);
    const before = await changeRole(tx, userId, role, new Date(deps.calendar.now()));
    const row = (await membersOf(tx)).find((member) => member.user_id === userId);
    if (!row) throw notFound();
    if (before !== role) {
      const action = { action: "member.role_changed", target: row.email, details: { from: before, to: role } };
      await recordAudit(tx, deps, actorOf(request), action);
    }
    return { body: memberOf(row), rightsChecked };
  });

const removeMemberRoute = (deps: MemberRouteDeps) =>
  writeRoute(removeMemberOperation, async (request, tx) => {
    const userId = idOf("user", request.params["user_id"]);
    const rightsChecked = await checkedBefore(request, tx, userId);
    const role = await removeMember(tx, userId, new Date(deps.calendar.now()));
    const user = await userOfId(tx, userId);
    await recordAudit(tx, deps, actorOf(request), { action: "member.removed", target: user?.email, details: { role } });
    return { body: null, rightsChecked };
  });

const createInvitationRoute = (deps: MemberRouteDeps) =>
  writeRoute(createInvitation, async (request, tx) => {
    const { caller, body } = request;
    const { person, supportUntil } = personOf(caller);
    const { mailer } = deps;
    // checked first, because transactions that lock members must not wait for the limiter
    const isMailed = mailer !== null && (await deps.guesses.mayWrite(readEmail(body.email) ?? body.email));
    const made = await invite(tx, deps, { ...body, madeBy: person.userId, until: supportUntil });
    await recordAudit(tx, deps, actorOf(request), {
      action: "member.invited",
      target: made.email,
      details: { role: body.role },
    });
    const letter = invitationMail(made.email, made.url, { by: person.email, store: caller.store.name });
    const answer = {
      id: formatId("inv", made.id),
      email: made.email,
      role: body.role,
      invited_by: person.email,
      created_at: isoTime(made.createdAt),
      expires_at: isoTime(made.expiresAt),
      url: made.url,
      mailed: false,
    };
    if (!isMailed) return { body: answer };
    return { body: answer, committed: async () => ({ ...answer, mailed: await isAccepted(mailer.send(letter)) }) };
  });

/** ms that somebody who invites waits for the mail server; a slower one may still accept the letter */
const mailWaitMs = 5_000;

async function isAccepted(sending: Promise<Sent>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<Sent | null>();
  const timer = setTimeout(() => resolve(null), mailWaitMs);
  const sent = await Promise.race([sending, late]);
  clearTimeout(timer);
  return sent?.accepted ?? false;
}

const revokeInvitationRoute = (deps: MemberRouteDeps) =>
  writeRoute(revokeInvitationOperation, async (request, tx) => {
    const id = idOf("inv", request.params["invitation_id"]);
    const email = await revokeInvitation(tx, deps, id);
    await recordAudit(tx, deps, actorOf(request), { action: "invitation.revoked", target: email });
    return { body: null };
  });
