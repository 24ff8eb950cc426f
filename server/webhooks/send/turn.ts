import type { Plan } from "../../../contract/limits.ts";
import type { Calendar } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Runner, Transaction } from "../../platform/database/sql.ts";
import { build } from "../../platform/database/statements.ts";
import type { Deadlines, ElapsedClock } from "../../platform/deadline.ts";
import { formatId, type RandomBytes } from "../../platform/ids.ts";
import { Problem } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { findStore } from "../../stores/public.ts";
import { validSecrets } from "../secrets.ts";
import {
  type Claimed,
  claimDue,
  type EndpointKey,
  firstWaiting,
  giveUp,
  retryInterrupted,
  type Settled,
  settle,
} from "./delivery-rows.ts";
import { announceDisabled, healthAfter } from "./health.ts";

/**
 * One turn of an endpoint at the database: takes or keeps its lease, records what came of attempts, claims what is next.
 * One transaction that begins by locking the endpoint's row, so that turns, changes of the endpoint and new deliveries
 * come one after the other (see `insertDeliveries`).
 */

export const leaseMs = 10_000;
/** A turn that takes longer has lost its connection, most likely: it must end while the lease still stands. */
const turnMs = 7_000;

export interface TurnDeps {
  database: Database;
  calendar: Calendar;
  elapsed: ElapsedClock;
  deadlines: Deadlines;
  random: RandomBytes;
  secrets: Secrets;
  /** UUID of this process's deliverer */
  holder: string;
}

export interface Turn {
  /** whether this process has the lease, as far as it knows */
  held: boolean;
  /** ids of claimed deliveries in hand, those in `settled` included; null: nothing has gone wrong, all claimed are in hand */
  reclaimExcept: readonly string[] | null;
  settled: readonly Settled[];
  /** calendar ms until which the receiver wants to be left alone, as heard since the last turn */
  pauseUntil: number | null;
  /** deliveries in hand after this turn that are not settled */
  inHand: number;
  /** how many to claim */
  claim: number;
  /** null: keep the lease; else give it back, and let others have it after so many real ms */
  releaseAfterMs: number | null;
}

export interface HeldEndpoint {
  url: string;
  /** newest first */
  secrets: string[];
  /** changes with everything that concerns what is sent where */
  version: number;
  perSecond: number;
  failing: boolean;
  /** calendar ms */
  pausedUntil: number | null;
}

export type TurnResult =
  /** deleted, with all its deliveries */
  | { kind: "gone" }
  /** another process has the lease */
  | { kind: "lost" }
  | {
      kind: "held";
      endpoint: HeldEndpoint;
      /** nothing may be sent: disabled, or the plan is paused */
      stopped: boolean;
      claimed: Claimed[];
      /** more is due than was claimed */
      moreDue: boolean;
      /** real ms until the first of those that wait is due; null: none waits, or one is due already */
      dueInMs: number | null;
      /** elapsed ms at which the lease runs out; null: it was given back */
      leaseEnd: number | null;
      /** another holder's lease ran out: it may have sent until a moment ago */
      takenOver: boolean;
    };

const endpointColumns = [
  "id",
  "url",
  "status",
  "secret",
  "previous_secret",
  "previous_secret_expires_at",
  "updated_at",
  "failing_since",
  "next_due_at",
  "paused_until",
  "lease_id",
  "lease_until",
] as const;

export interface EndpointRow {
  id: string;
  url: string;
  status: string;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_expires_at: Date | null;
  updated_at: Date;
  failing_since: Date | null;
  next_due_at: Date | null;
  paused_until: Date | null;
  lease_id: string | null;
  lease_until: Date | null;
}

export async function takeTurn(deps: TurnDeps, key: EndpointKey, turn: Turn): Promise<TurnResult> {
  // few turns are taken at once: those of a node that hangs would hold up the others
  if (deps.database.isAway(key.storeId)) throw new Problem("dependency_unavailable");
  const deadline = deps.deadlines.open(turnMs);
  try {
    return await deps.database.transaction((tx) => turnWithin(tx, deps, key, turn), deadline);
  } finally {
    deps.deadlines.close(deadline);
  }
}

async function turnWithin(tx: Transaction, deps: TurnDeps, key: EndpointKey, turn: Turn): Promise<TurnResult> {
  const row = await lockEndpoint(tx, key);
  if (!row) return { kind: "gone" };
  const now = deps.calendar.now();
  const mine = row.lease_id === deps.holder;
  const free = row.lease_until === null || row.lease_until.getTime() <= now;
  // what was sent under a lease that is lost still counts, where nobody has claimed it since
  if (turn.held ? !mine : !mine && !free) {
    await settle(tx, key, turn.settled);
    return { kind: "lost" };
  }
  return work(tx, deps, key, turn, row, now);
}

const lockEndpoint = (db: Runner, { storeId, id }: EndpointKey): Promise<EndpointRow | undefined> =>
  db.first(
    build
      .selectFrom("webhook_endpoints")
      .select(endpointColumns)
      .where("store_id", "=", storeId)
      .where("id", "=", id)
      .forNoKeyUpdate(),
  );

async function work(
  tx: Transaction,
  deps: TurnDeps,
  key: EndpointKey,
  turn: Turn,
  row: EndpointRow,
  now: number,
): Promise<TurnResult> {
  const at = new Date(now);
  // counted from before the lease is written, so that it never seems longer here than it is there
  const leaseEnd = turn.releaseAfterMs === null ? deps.elapsed() + leaseMs : null;
  const recorded = await settle(tx, key, turn.settled);
  const health = healthAfter(
    row,
    // what another address answered, before the endpoint was changed, says nothing about this one
    turn.settled.filter(({ claimed, url }) => recorded.has(claimed.id) && url === row.url),
  );
  if (turn.reclaimExcept !== null || !turn.held) await retryInterrupted(tx, key, at, turn.reclaimExcept ?? []);
  const store = await findStore(tx, formatId("store", key.storeId));
  const plan: Plan = store?.plan ?? "other";
  const disabled = health.status === "disabled";
  if (disabled) await giveUp(tx, key, "endpoint_disabled", "infinity");
  else if (plan === "other") await giveUp(tx, key, "plan_paused", at);
  if (disabled && row.status === "enabled") await announceDisabled(tx, deps, key, row.url, health);
  const paused = Math.max(turn.pauseUntil ?? 0, row.paused_until?.getTime() ?? 0);
  const stopped = disabled || plan === "other";
  const takenOver = !turn.held && row.lease_id !== null;
  const mayClaim = !stopped && paused <= now && !takenOver && leaseEnd !== null;
  const perSecond = store?.allowances.webhook_sends_per_second ?? 1;
  const wanted = mayClaim ? claimable(turn, row, perSecond) : 0;
  const claimed = wanted > 0 ? await claimDue(tx, key, at, wanted) : [];
  const full = wanted > 0 && claimed.length === wanted;
  const waiting = full ? at : await firstWaiting(tx, key);
  await write(tx, deps, key, turn, {
    row,
    health,
    now,
    nextDue: turn.inHand + claimed.length > 0 ? foundAgain(row, waiting, deps.calendar.afterReal(leaseMs)) : waiting,
    pausedUntil: paused > now ? new Date(paused) : null,
  });
  return {
    kind: "held",
    endpoint: {
      url: row.url,
      secrets: validSecrets(deps.secrets, key.storeId, row, now),
      version: row.updated_at.getTime(),
      perSecond,
      failing: health.failing_since !== null,
      pausedUntil: paused > now ? paused : null,
    },
    stopped,
    claimed,
    moreDue: waiting !== null && waiting <= at,
    dueInMs: waiting !== null && waiting > at ? realMs(deps.calendar, waiting.getTime() - now) : null,
    leaseEnd,
    takenOver,
  };
}

/** As real time, of calendar time that may go faster. */
function realMs(calendar: Calendar, milliseconds: number): number {
  const second = calendar.afterReal(1_000) - calendar.now();
  return (milliseconds * 1_000) / second;
}

/** A lane that has only just begun knows neither the store's rate nor that the receiver was down when it was last tried. */
const claimable = ({ held, claim }: Turn, { failing_since }: EndpointRow, perSecond: number): number =>
  held ? claim : Math.min(claim, failing_since === null ? perSecond : 1);

/**
 * What is in hand has to be found again if this process ends: at the latest when its lease has run out. A time that is
 * early enough stays, since it is indexed, and a busy endpoint has many turns a second.
 */
function foundAgain({ next_due_at: set }: EndpointRow, waiting: Date | null, leaseEnds: number): Date {
  if (set !== null && set.getTime() <= Math.min(leaseEnds, waiting?.getTime() ?? leaseEnds)) return set;
  return new Date(Math.min(leaseEnds, waiting?.getTime() ?? leaseEnds));
}

interface Written {
  row: EndpointRow;
  health: ReturnType<typeof healthAfter>;
  now: number;
  nextDue: Date | null;
  pausedUntil: Date | null;
}

async function write(
  tx: Transaction,
  { calendar, holder }: TurnDeps,
  { storeId, id }: EndpointKey,
  { releaseAfterMs }: Turn,
  { row, health, now, nextDue, pausedUntil }: Written,
): Promise<void> {
  const lease =
    releaseAfterMs === null
      ? { lease_id: holder, lease_until: new Date(calendar.afterReal(leaseMs)) }
      : { lease_id: null, lease_until: releaseAfterMs > 0 ? new Date(calendar.afterReal(releaseAfterMs)) : null };
  const disabling = health.status !== row.status;
  await tx.all(
    build
      .updateTable("webhook_endpoints")
      .set({
        ...lease,
        next_due_at: nextDue,
        paused_until: pausedUntil,
        failing_since: health.failing_since,
        ...(disabling
          ? {
              status: health.status,
              disabled_reason: health.disabled_reason,
              disabled_at: health.disabled_at,
              updated_at: new Date(now),
            }
          : {}),
      })
      .where("store_id", "=", storeId)
      .where("id", "=", id),
  );
}
