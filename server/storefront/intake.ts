import { type BatchAnswer, batchShape, type EventBatch } from "../../contract/storefront.ts";
import { mayConcernOrders, ordersName, rematchOrders } from "../orders/ingest.ts";
import type { Store } from "../platform/caller.ts";
import type { Calendar } from "../platform/clock.ts";
import { CoalescedReads } from "../platform/coalesced-reads.ts";
import type { Database } from "../platform/database/database.ts";
import type { StoreHomes } from "../platform/database/store-homes.ts";
import { type Deadline, Deadlines, type ElapsedClock } from "../platform/deadline.ts";
import { heldBytes } from "../platform/held-bytes.ts";
import { compileCheck } from "../platform/http/shapes.ts";
import { parseId, type RandomBytes } from "../platform/ids.ts";
import { invalid, invalidFields } from "../platform/problems.ts";
import { StoreCalendars } from "../platform/store-calendars.ts";
import { resolvePeople } from "../profiles/resolve-people.ts";
import type { CompiledVersion, VersionCache } from "../quizzes/public.ts";
import { catalogProducts, GroupIngest, type IncomingBatch, isRobot, type SessionOrigin } from "../sessions/public.ts";
import { readEvent, readSession } from "./events.ts";
import { GroupQueue, type QueueLimits, queueLimits } from "./group-queue.ts";
import { measureCommit, measureQueue, measureRequest, measureRobot } from "./metrics.ts";

/** The intake of shopper events: a request is read, waits in the queue, and is committed with a group of others. */

export interface Submission {
  store: Store;
  /** its frame has been checked (`readBatch`), its events not yet */
  batch: EventBatch;
  origin: SessionOrigin;
  /** `history`: imported, with its own times; no webhooks unless `emit` [sessions.imports] */
  mode: { kind: "live" } | { kind: "history"; emit: boolean };
  deadline?: Deadline;
  /** whose share of the queue it uses; null: an operator's */
  sender: string | null;
}

export interface IntakeDeps {
  database: Database;
  /** by default every group is committed through `database` */
  homes?: StoreHomes;
  calendar: Calendar;
  elapsed: ElapsedClock;
  random: RandomBytes;
  versions: VersionCache;
  intakeLimits?: Partial<QueueLimits>;
}

/** Time limit of a group's transaction, in ms; its requests are then asked to retry. */
const groupTimeoutMs = 10_000;

const checkFrame = compileCheck<EventBatch>(batchShape, "body");

/**
 * Checks a request's body as a batch, but not its events; throws 422 for an invalid frame [storefront.request-shape].
 */
export function readBatch(body: unknown): EventBatch {
  const { value, errors } = checkFrame(body);
  if (errors.length > 0) throw invalidFields(errors);
  return value;
}

/** The only entrance for shopper events: from HTTP, imports and the demo [storefront.groups]. */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #deadlines: Deadlines;
  readonly #calendars: StoreCalendars;
  readonly #queue: GroupQueue<IncomingBatch, BatchAnswer>;
  readonly #versionReads = new CoalescedReads<CompiledVersion | null>();

  constructor(deps: IntakeDeps) {
    const { database, calendar, elapsed, random, versions } = deps;
    this.#deps = deps;
    this.#deadlines = new Deadlines(elapsed);
    const calendars = StoreCalendars.over(calendar);
    this.#calendars = calendars;
    const now = () => calendars.now();
    const orders = { mayConcernOrders, ordersName, rematchOrders };
    const sessions = new GroupIngest(deps.homes ?? database, { versions, now, random, resolvePeople, orders });
    const limits = { ...queueLimits, ...deps.intakeLimits };
    this.#queue = new GroupQueue<IncomingBatch, BatchAnswer>({
      limits,
      elapsed,
      // sets the store's calendar, since another store's finished group may have started this one
      commit: (storeId, batches) =>
        calendars.within({ id: storeId }, () =>
          this.#deadlines.within(groupTimeoutMs, (deadline) =>
            measureCommit(storeId, batches.length, () => sessions.ingest(storeId, batches, deadline)),
          ),
        ),
    });
    measureQueue(limits, () => this.#queue.fill);
  }

  /**
   * Resolves when the events are committed [storefront.accepted]. Throws 422 for a version that does not belong to the
   * store's quiz [storefront.quiz-version], 429 `rate_limited` to a sender with too much in the queue, 503
   * `dependency_unavailable` if the queue is full or the database unavailable, 504 if the deadline passes. History
   * waits for room instead, so that any number of submissions may be in flight.
   */
  submit(submission: Submission): Promise<BatchAnswer> {
    return measureRequest(() => this.#submit(submission));
  }

  async #submit(submission: Submission): Promise<BatchAnswer> {
    const { store, deadline, mode, sender } = submission;
    const incoming = await this.#calendars.within(store, () => this.#read(submission));
    const size = { bytes: heldBytes(incoming), events: incoming.events.length, sender };
    return mode.kind === "history"
      ? this.#queue.submitWhenRoom(store.id, incoming, size, deadline)
      : this.#queue.submit(store.id, incoming, size, deadline);
  }

  /** Accepts nothing more; resolves when everything accepted is committed or rejected. */
  async close(): Promise<void> {
    await this.#queue.close();
    this.#deadlines.stop();
  }

  /** Shared, since after a start or a publish many requests need the same version, whose document can be large. */
  #readVersion({ id: storeId }: Store, versionId: string, deadline?: Deadline): Promise<CompiledVersion | null> {
    const { database, versions } = this.#deps;
    return this.#versionReads.read(
      `${storeId} ${versionId}`,
      (shared) => versions.get(database.reader(shared).forStore(storeId), versionId),
      deadline,
    );
  }

  async #read({ store, batch, origin, mode, deadline }: Submission): Promise<IncomingBatch> {
    const { session } = batch;
    const history = mode.kind === "history";
    const { database } = this.#deps;
    const receivedAt = this.#calendars.now();
    const versionId = uuidOf("ver", session.version_id);
    const quizId = uuidOf("quiz", session.quiz_id);
    const runner = () => database.reader(deadline).forStore(store.id);
    const version =
      this.#deps.versions.kept(store.id, versionId) ?? (await this.#readVersion(store, versionId, deadline));
    if (version === null) throw invalid("body.session.version_id", "is not a saved version of this store");
    if (version.quizId !== quizId) throw invalid("body.session.quiz_id", "is not the quiz of this version");
    const events = batch.events.map(readEvent);
    return {
      sessionId: uuidOf("sess", session.id),
      visitorId: uuidOf("vis", session.visitor_id),
      quizId,
      versionId,
      session: readSession(session),
      origin,
      isRobot: measureRobot(store.testOf === undefined && isRobot(origin.userAgent)),
      sentAt: Date.parse(batch.sent_at),
      receivedAt,
      history,
      emits: !history || mode.emit,
      catalog: history ? new Set() : await catalogProducts(runner, version.quiz, events),
      events,
    };
  }
}

/** The UUID of an id; the frame's check has already validated its shape. */
function uuidOf(prefix: "sess" | "vis" | "quiz" | "ver", id: string): string {
  const uuid = parseId(prefix, id);
  if (uuid === null) throw invalid("body.session", "has a malformed id");
  return uuid;
}
