import type { Calendar } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { ownStore, type StoreTransaction, sql } from "../../platform/database/sql.ts";
import type { Deadlines, ElapsedClock } from "../../platform/deadline.ts";
import { formatId, type RandomBytes } from "../../platform/ids.ts";
import { Problem } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { findStore } from "../../stores/public.ts";
import { appendDisabledEvent } from "../disabled-event.ts";
import { validSecrets } from "../secrets.ts";
import { claimDue, firstWaiting, giveUp, recordOutcomes, retryInterrupted } from "./delivery-rows.ts";
import { type EndpointStatus, statusAfter } from "./endpoint-status.ts";
import type { Claimed, Outcome } from "./outcome.ts";

/**
 * The transaction of an endpoint's sender: takes or renews the endpoint's lease, records the outcomes of attempts, and
 * claims the next deliveries [webhooks.lease]. It locks the endpoint's row first, which serializes the senders of
 * several processes, changes to the endpoint, and new deliveries (see `insertDeliveries`).
 */

export const leaseMs = 10_000;
/** Shorter than the lease: a transaction that takes longer has most likely lost its connection. */
const transactionMs = 7_000;

export interface EndpointKey {
  /** UUID */
  storeId: string;
  /** UUID */
  id: string;
}

export interface TransactionDeps {
  database: Database;
  calendar: Calendar;
  elapsed: ElapsedClock;
  deadlines: Deadlines;
  random: RandomBytes;
  secrets: Secrets;
  /** UUID of this process's deliverer */
  holder: string;
}

export interface TransactionInput {
  /** whether this process believes it has the lease */
  hasLease: boolean;
  /**
   * ids of the claimed deliveries in hand, including those in `outcomes`; null if nothing went wrong and every claimed
   * delivery is known to be in hand
   */
  reclaimExcept: readonly string[] | null;
  outcomes: readonly Outcome[];
  /** calendar ms until which the receiver asked for a pause, as heard since the last transaction */
  pauseUntil: number | null;
  /** number of deliveries that are still in hand after this transaction */
  inHand: number;
  /** how many deliveries to claim */
  claim: number;
  /** null: keep the lease; otherwise release it, and let other processes take it after this many real ms */
  releaseAfterMs: number | null;
}

export interface LeasedEndpoint {
  url: string;
  /** newest first */
  secrets: string[];
  /** changes with the address, secrets and other configuration [webhooks.changed-endpoint] */
  version: number;
  perSecond: number;
  failing: boolean;
  /** calendar ms */
  pausedUntil: number | null;
}

export type TransactionResult =
  /** the endpoint was deleted, with all its deliveries */
  | { kind: "gone" }
  /** another process has the lease */
  | { kind: "lost" }
  | {
      kind: "held";
      endpoint: LeasedEndpoint;
      /** nothing may be sent: the endpoint is disabled, or the plan is paused */
      stopped: boolean;
      claimed: Claimed[];
      /** more deliveries are due than were claimed */
      moreDue: boolean;
      /** real ms until the next waiting delivery is due; null: none waits, or one is due already */
      dueInMs: number | null;
      /** elapsed ms at which the lease expires; null: it was released */
      leaseEnd: number | null;
      /** the previous holder's lease expired, and it may have been sending until a moment ago */
      takenOver: boolean;
    };

interface EndpointRow extends EndpointStatus {
  id: string;
  url: string;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_expires_at: Date | null;
  updated_at: Date;
  next_due_at: Date | null;
  paused_until: Date | null;
  lease_id: string | null;
  lease_until: Date | null;
}

export async function claimAndRecord(
  deps: TransactionDeps,
  { storeId, id }: EndpointKey,
  input: TransactionInput,
): Promise<TransactionResult> {
  const { database, deadlines } = deps;
  // few of these run at once; waiting for an unresponsive node would hold up the other endpoints
  if (database.isAway(storeId)) throw new Problem("dependency_unavailable");
  return deadlines.within(transactionMs, (deadline) =>
    database.transaction(async (outer) => {
      const tx = outer.forStore(storeId);
      const row = await lockEndpoint(tx, id);
      if (!row) return { kind: "gone" };
      const now = deps.calendar.now();
      const mine = row.lease_id === deps.holder;
      const free = row.lease_until === null || row.lease_until.getTime() <= now;
      if (input.hasLease ? mine : mine || free) return withLease(tx, deps, input, row, now);
      // attempts made under a lost lease still count, unless another process has claimed the delivery since
      await recordOutcomes(tx, id, input.outcomes, { locked: true });
      return { kind: "lost" };
    }, deadline),
  );
}

const lockEndpoint = (tx: StoreTransaction, endpointId: string): Promise<EndpointRow | undefined> =>
  tx.first(sql<EndpointRow>`
    SELECT id, url, status, disabled_reason, disabled_at, failing_since, secret, previous_secret,
      previous_secret_expires_at, updated_at, next_due_at, paused_until, lease_id, lease_until
    FROM webhook_endpoints WHERE store_id = ${ownStore} AND id = ${endpointId} FOR NO KEY UPDATE`);

async function withLease(
  tx: StoreTransaction,
  deps: TransactionDeps,
  input: TransactionInput,
  row: EndpointRow,
  now: number,
): Promise<TransactionResult> {
  const at = new Date(now);
  // measured before the lease is written, so that this process never believes in the lease longer than the database
  // does
  const leaseEnd = input.releaseAfterMs === null ? deps.elapsed() + leaseMs : null;
  const recorded = await recordOutcomes(tx, row.id, input.outcomes, { locked: true });
  const status = statusAfter(
    row,
    // a response from the endpoint's previous address says nothing about the current one
    input.outcomes.filter(({ claimed, url }) => recorded.has(claimed.id) && url === row.url),
  );
  if (input.reclaimExcept !== null || !input.hasLease)
    await retryInterrupted(tx, row.id, at, input.reclaimExcept ?? []);
  const store = await findStore(tx, formatId("store", tx.storeId));
  const disabled = status.status === "disabled";
  const planPaused = (store?.plan ?? "other") === "other";
  if (disabled) await giveUp(tx, row.id, "endpoint_disabled", "infinity");
  else if (planPaused) await giveUp(tx, row.id, "plan_paused", at);
  const { failing_since, disabled_at, disabled_reason } = status;
  if (disabled && row.status === "enabled" && disabled_at !== null) {
    const endpoint = { id: row.id, url: row.url, failing_since, disabled_at, disabled_reason };
    await appendDisabledEvent(tx, { random: deps.random, now }, endpoint);
  }
  const paused = Math.max(input.pauseUntil ?? 0, row.paused_until?.getTime() ?? 0);
  const pausedUntil = paused > now ? paused : null;
  const stopped = disabled || planPaused;
  const takenOver = !input.hasLease && row.lease_id !== null;
  const mayClaim = !stopped && pausedUntil === null && !takenOver && leaseEnd !== null;
  const perSecond = store?.allowances.webhook_sends_per_second ?? 1;
  const atMost = mayClaim ? claimable(input, row, perSecond) : 0;
  const claimed = atMost > 0 ? await claimDue(tx, row.id, at, atMost) : [];
  const full = atMost > 0 && claimed.length === atMost;
  const waiting = full ? at : await firstWaiting(tx, row.id);
  const nextDue =
    input.inHand + claimed.length > 0 ? foundAgain(row, waiting, deps.calendar.afterReal(leaseMs)) : waiting;
  await saveEndpoint(tx, deps, input, { row, status, at, nextDue, pausedUntil });
  return {
    kind: "held",
    endpoint: {
      url: row.url,
      secrets: validSecrets(deps.secrets, tx.storeId, row, now),
      version: row.updated_at.getTime(),
      perSecond,
      failing: status.failing_since !== null,
      pausedUntil,
    },
    stopped,
    claimed,
    moreDue: waiting !== null && waiting <= at,
    dueInMs: waiting !== null && waiting > at ? realMs(deps.calendar, waiting.getTime() - now) : null,
    leaseEnd,
    takenOver,
  };
}

/** Converts calendar ms to real ms; calendar time may run faster than real time. */
function realMs(calendar: Calendar, milliseconds: number): number {
  const second = calendar.afterReal(1_000) - calendar.now();
  return (milliseconds * 1_000) / second;
}

/** Before its first transaction a sender knows neither the store's rate nor whether the receiver was failing. */
const claimable = ({ hasLease, claim }: TransactionInput, { failing_since }: EndpointRow, perSecond: number): number =>
  hasLease ? claim : Math.min(claim, failing_since === null ? perSecond : 1);

/**
 * If this process ends, its deliveries in hand must be found again, at the latest when its lease has expired. A
 * `next_due_at` that is early enough is left alone, since the column is indexed and a busy endpoint has many
 * transactions a second.
 */
function foundAgain({ next_due_at: set }: EndpointRow, waiting: Date | null, leaseEnds: number): Date {
  const latest = Math.min(leaseEnds, waiting?.getTime() ?? leaseEnds);
  return set !== null && set.getTime() <= latest ? set : new Date(latest);
}

interface EndpointChanges {
  row: EndpointRow;
  status: EndpointStatus;
  at: Date;
  nextDue: Date | null;
  /** calendar ms */
  pausedUntil: number | null;
}

async function saveEndpoint(
  tx: StoreTransaction,
  { calendar, holder }: TransactionDeps,
  { releaseAfterMs }: TransactionInput,
  { row, status, at, nextDue, pausedUntil }: EndpointChanges,
): Promise<void> {
  const [lease, leasedMs] = releaseAfterMs === null ? [holder, leaseMs] : [null, releaseAfterMs];
  const updated = status.status === row.status ? row.updated_at : at;
  await tx.all(sql`
    UPDATE webhook_endpoints SET lease_id = ${lease},
      lease_until = ${leasedMs > 0 ? new Date(calendar.afterReal(leasedMs)) : null},
      next_due_at = ${nextDue}, paused_until = ${pausedUntil === null ? null : new Date(pausedUntil)},
      failing_since = ${status.failing_since}, status = ${status.status}, disabled_reason = ${status.disabled_reason},
      disabled_at = ${status.disabled_at}, updated_at = ${updated}
    WHERE store_id = ${ownStore} AND id = ${row.id}`);
}
