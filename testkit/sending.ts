import { randomBytes } from "node:crypto";
import type pg from "pg";
import type { Plan, StoreAllowances } from "../contract/limits.ts";
import type { Calendar } from "../server/platform/clock.ts";
import type { Database } from "../server/platform/database/database.ts";
import { joined, ownStore, raw, sql } from "../server/platform/database/sql.ts";
import { parseId, uuidAt } from "../server/platform/ids.ts";
import { openLog } from "../server/platform/log.ts";
import { openSecrets, type Secrets } from "../server/platform/secrets.ts";
import { createStore, updateStore } from "../server/stores/admin.ts";
import { insertDeliveries } from "../server/webhooks/deliveries.ts";
import { newSecret, sealSecret } from "../server/webhooks/secrets.ts";
import { Sender, type SenderDeps } from "../server/webhooks/send/attempt.ts";
import { Deliverer, type DelivererDeps } from "../server/webhooks/send/deliverer.ts";
import { ManualCalendar } from "./app.ts";
import { openTestDatabase } from "./database.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { patience } from "./slowness.ts";

/** Stores, endpoints and deliveries created without the API, and deliverers that send them. */

type DelivererOptions = Parameters<Sending["deliverer"]>[0];

/** A receiver, and deliverers that send to it until the end of a test. */
export class Delivering {
  readonly #sending: Sending;
  readonly #stopping: (() => Promise<void>)[] = [];
  receiver: Receiver;

  private constructor(sending: Sending, receiver: Receiver) {
    this.#sending = sending;
    this.receiver = receiver;
  }

  static open = async (sending: Sending): Promise<Delivering> => new Delivering(sending, await openReceiver());

  /** A deliverer that is allowed to send to the receiver. */
  deliver(options: Partial<DelivererOptions> = {}): ReturnType<Sending["deliverer"]> {
    const running = this.#sending.deliverer({ allowHosts: [this.receiver.host], ...options });
    this.atEnd(() => running.stop(0));
    return running;
  }

  atEnd(stop: () => Promise<void>): void {
    this.#stopping.push(stop);
  }

  async end(): Promise<void> {
    for (const stop of this.#stopping.splice(0)) await stop();
    await this.receiver.close();
  }
}

export interface SentEndpoint {
  /** UUIDs */
  storeId: string;
  id: string;
  secret: string;
}

export interface DeliveryState {
  id: string;
  event_id: string;
  status: string;
  attempts: number;
  next_attempt_at: Date;
  delivered_at: Date | null;
  last_status_code: number | null;
  last_response: string | null;
  last_error: string | null;
}

export interface EndpointState {
  status: string;
  disabled_reason: string | null;
  disabled_at: Date | null;
  failing_since: Date | null;
  next_due_at: Date | null;
  paused_until: Date | null;
  lease_id: string | null;
  lease_until: Date | null;
}

export interface Sending {
  database: Database;
  connection: pg.ClientConfig;
  calendar: ManualCalendar;
  secrets: Secrets;
  logged: string[];
  store(options?: { plan?: Plan; limits?: Partial<StoreAllowances> }): Promise<string>;
  update(storeId: string, change: { plan?: Plan; limits?: Partial<StoreAllowances> }): Promise<void>;
  endpoint(storeId: string, url: string, more?: Record<string, unknown>): Promise<SentEndpoint>;
  /** changes a row like the API's PATCH, including `updated_at` */
  change(endpoint: SentEndpoint, columns: Record<string, unknown>): Promise<void>;
  /** adds deliveries; returns their UUIDs */
  add(endpoint: SentEndpoint, count?: number, payload?: (n: number) => string): Promise<string[]>;
  /** oldest first */
  deliveries(endpoint: SentEndpoint): Promise<DeliveryState[]>;
  state(endpoint: SentEndpoint): Promise<EndpointState>;
  /** sweeps every 50 ms until it is stopped */
  deliverer(options: SendingOptions): RunningDeliverer;
  close(): Promise<void>;
}

export interface SendingOptions extends Partial<Omit<DelivererDeps, "sender">> {
  allowHosts: readonly string[];
  sender?: Partial<SenderDeps>;
  /** false: the caller sweeps */
  looks?: boolean;
}

export interface RunningDeliverer {
  deliverer: Deliverer;
  stop(graceMs?: number): Promise<void>;
}

/** Resolves when `holds` becomes true; fails with its source text otherwise. */
export async function eventually(holds: () => unknown, withinMs = 10_000): Promise<void> {
  const end = performance.now() + withinMs * patience;
  for (;;) {
    if (await holds()) return;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const sendingSecretKey = "a secret key for tests, long enough";

const unixNow = () => performance.timeOrigin + performance.now();

/** A manual calendar that also advances with real time: for leases whose holders have to agree on the time. */
export function going(calendar: ManualCalendar): Calendar {
  const started = performance.now();
  const now = () => calendar.now() + Math.floor(performance.now() - started);
  return { now, afterReal: (milliseconds) => now() + milliseconds };
}

type Ground = Pick<DelivererDeps, "database" | "calendar" | "random" | "secrets" | "log">;

function run(ground: Ground, { sender, allowHosts, looks = true, ...options }: SendingOptions): RunningDeliverer {
  // a receiver in a test process that stalls for a moment is no receiver that hangs
  const times = { attemptMs: 8_000 * patience, connectMs: 4_000 * patience };
  const made = new Sender({ unixNow, allow: allowHosts, ...times, ...sender });
  const elapsed = () => performance.now();
  const deliverer = new Deliverer({ ...ground, elapsed, unixNow, allowHosts, sender: made, ...options });
  const timer = looks ? setInterval(() => void deliverer.sweep(), 50) : undefined;
  if (looks) void deliverer.sweep();
  let stopped: Promise<void> | null = null;
  const stop = (graceMs?: number) => {
    clearInterval(timer);
    stopped ??= deliverer.stop(graceMs);
    return stopped;
  };
  return { deliverer, stop };
}

export async function openSending(): Promise<Sending> {
  const logged: string[] = [];
  const log = openLog("debug", { write: (line: string) => void logged.push(line) });
  const { database, connection, close } = await openTestDatabase(log);
  const calendar = new ManualCalendar();
  const secrets = openSecrets(sendingSecretKey, randomBytes);
  const deps = { calendar, random: randomBytes, secrets };
  const running = new Set<RunningDeliverer>();
  const newId = () => uuidAt(calendar.now(), randomBytes);
  const update: Sending["update"] = (storeId, change) =>
    database.transaction(async (tx) => void (await updateStore(tx, storeId, change)));
  const reader = database.reader();
  return {
    database,
    connection,
    calendar,
    secrets,
    logged,
    update,
    store: async ({ plan = "plus", limits } = {}) => {
      const shopDomain = `shop-${randomBytes(8).toString("hex")}.example.com`;
      const given = { name: "Shop", shopDomain, plan, timezone: "UTC", currency: "USD" };
      const made = await database.transaction((tx) => createStore(tx, deps, given));
      const storeId = parseId("store", made.store_id) ?? "";
      if (limits) await update(storeId, { limits });
      return storeId;
    },
    endpoint: async (storeId, url, more = {}) => {
      const endpoint = { storeId, id: newId(), secret: newSecret(randomBytes) };
      const sealed = sealSecret(secrets, storeId, endpoint.id, endpoint.secret);
      await reader
        .forStore(storeId)
        .all(sql`INSERT INTO webhook_endpoints (store_id, id, url, topics, include_pii, status, secret, created_at, updated_at)
              VALUES (${ownStore}, ${endpoint.id}, ${url}, '{quiz.finished}', false, 'enabled', ${sealed}, ${new Date(calendar.now())}, ${new Date(calendar.now())})`);
      if (Object.keys(more).length > 0) await changeRow(endpoint, more);
      return endpoint;
    },
    change: (endpoint, columns) => {
      calendar.advance(1);
      return changeRow(endpoint, { ...columns, updated_at: new Date(calendar.now()) });
    },
    add: async (endpoint, count = 1, payload = (n) => JSON.stringify({ n })) => {
      const ids = Array.from({ length: count }, newId).sort();
      const common = { endpointId: endpoint.id, topic: "quiz.finished", sessionId: null, profileId: null };
      const rows = ids.map((id, n) => ({ id, eventId: newId(), payload: payload(n), ...common }));
      await database.transaction((tx) =>
        insertDeliveries(tx.forStore(endpoint.storeId), rows, new Date(calendar.now())),
      );
      return ids;
    },
    deliveries: ({ storeId, id }) =>
      reader
        .forStore(storeId)
        .all<DeliveryState>(sql`SELECT id, event_id, status, attempts, next_attempt_at, delivered_at, last_status_code, last_response, last_error
              FROM webhook_deliveries WHERE store_id = ${ownStore} AND endpoint_id = ${id} ORDER BY id`),
    state: async ({ storeId, id }) => {
      const row = await reader
        .forStore(storeId)
        .first<EndpointState>(sql`SELECT * FROM webhook_endpoints WHERE store_id = ${ownStore} AND id = ${id}`);
      if (!row) throw new Error("the endpoint is gone");
      return row;
    },
    deliverer: (options) => {
      const one = run({ database, ...deps, log }, options);
      running.add(one);
      return one;
    },
    close: async () => {
      for (const one of running) await one.stop(0);
      await close();
    },
  };

  async function changeRow({ storeId, id }: SentEndpoint, columns: Record<string, unknown>): Promise<void> {
    const changes = Object.entries(columns).map(([name, value]) => sql`${raw(name)} = ${value}`);
    await reader.forStore(storeId).all(sql`
      UPDATE webhook_endpoints SET ${joined(changes)} WHERE store_id = ${ownStore} AND id = ${id}`);
  }
}
