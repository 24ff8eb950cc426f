import { createHmac, randomUUID } from "node:crypto";
import { Pool } from "undici";
import { Visit } from "../journeys/visit.ts";
import type { AttackedShop, Ground, WorldQuiz } from "./attack-world.ts";

/** Sends an attacker's requests from one address, and records the outcomes. */

export interface Request {
  /** its name in the figures */
  label?: string;
  method: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
}

export interface Reply {
  /** 599: no answer in time */
  status: number;
  ms: number;
  text: string;
  /** size of the answer's body */
  bytes: number;
}

export interface Tally {
  requests: number;
  /** bytes of requests, head and body */
  sent: number;
  /** bytes of answers' bodies */
  answered: number;
  statuses: Map<number, number>;
  slowestMs: number;
  /** reasons for which events were refused, and how often */
  reasons: Map<string, number>;
  /** by label */
  kinds: Map<string, { requests: number; ms: number; slowestMs: number }>;
}

const newTally = (): Tally => ({
  ...{ requests: 0, sent: 0, answered: 0, slowestMs: 0 },
  ...{ statuses: new Map<number, number>(), reasons: new Map<string, number>(), kinds: new Map() },
});

const count = <K>(counts: Map<K, number>, key: K, times = 1): void =>
  void counts.set(key, (counts.get(key) ?? 0) + times);

export const describe = <K>(counts: ReadonlyMap<K, number>): string =>
  [...counts].map(([what, times]) => `${times} x ${what}`).join(", ") || "none";

/** The size of a request in HTTP/1.1, without what every request has. */
export function bytesOf({ method, path, headers = {}, body = "" }: Request): number {
  const head = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  return method.length + path.length + 12 + head + Buffer.byteLength(body);
}

export interface SenderOptions {
  connections?: number;
  /** one of 127.0.0.0/8: the program treats each as a separate address */
  from?: string;
  timeoutMs?: number;
}

let addresses = 0;

/** A local address that has sent nothing yet. */
export function nextAddress(): string {
  addresses += 1;
  return `127.${1 + (addresses >> 15)}.${(addresses >> 7) & 255}.${1 + (addresses & 127)}`;
}

export class Sender {
  readonly #pool: Pool;
  readonly #timeoutMs: number;
  tally = newTally();

  constructor(url: string, { connections = 4, from = "127.0.0.1", timeoutMs = 60_000 }: SenderOptions = {}) {
    const times = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
    this.#pool = new Pool(url, { connections, pipelining: 1, localAddress: from, ...times });
    this.#timeoutMs = timeoutMs;
  }

  async send(request: Request): Promise<Reply> {
    const from = performance.now();
    const reply = await this.#ask(request).catch((error) => ({ status: 599, text: String(error), bytes: 0 }));
    const ms = performance.now() - from;
    const { tally } = this;
    tally.requests += 1;
    tally.sent += bytesOf(request);
    tally.answered += reply.bytes;
    tally.slowestMs = Math.max(tally.slowestMs, ms);
    count(tally.statuses, reply.status);
    const kind = tally.kinds.get(request.label ?? "") ?? { requests: 0, ms: 0, slowestMs: 0 };
    tally.kinds.set(request.label ?? "", kind);
    kind.requests += 1;
    kind.ms += ms;
    kind.slowestMs = Math.max(kind.slowestMs, ms);
    for (const [, reason = ""] of reply.text.matchAll(/"reason":"([a-z_]+)"/g)) count(tally.reasons, reason);
    return { ...reply, ms };
  }

  async #ask({ method, path, headers = {}, body }: Request): Promise<Omit<Reply, "ms">> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const answer = await this.#pool.request({
      ...{ method: method as "GET", path, signal, body: body ?? null },
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    });
    const bytes = await answer.body.bytes();
    return { status: answer.statusCode, text: Buffer.from(bytes).toString(), bytes: bytes.length };
  }

  /** Sends all requests, as many at once as there are lanes; returns the replies. */
  async sendAll(requests: Iterable<Request>, lanes: number, until = Number.POSITIVE_INFINITY): Promise<Reply[]> {
    const replies: Reply[] = [];
    await this.sendOn(requests, lanes, until, (reply) => replies.push({ ...reply, text: reply.text.slice(0, 2_000) }));
    return replies;
  }

  /** The same without collecting the replies, for any number of requests. */
  async sendOn(
    requests: Iterable<Request>,
    lanes: number,
    until: number,
    answered?: (reply: Reply) => void,
  ): Promise<void> {
    const steps = requests[Symbol.iterator]();
    const lane = async () => {
      for (let next = steps.next(); !next.done && performance.now() < until; next = steps.next()) {
        const reply = await this.send(next.value);
        answered?.(reply);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  /** Totals since the last call. */
  take(): Tally {
    const taken = this.tally;
    this.tally = newTally();
    return taken;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/** `12 requests, 3 MB, slowest 40 ms; 12 x 202; refused: 5 x invalid` */
export function tallyLine({ requests, sent, slowestMs, statuses, reasons }: Tally): string {
  const refused = reasons.size > 0 ? `; events refused: ${describe(reasons)}` : "";
  const size = sent > 1e5 ? `${(sent / 1e6).toFixed(1)} MB` : `${(sent / 1e3).toFixed(1)} kB`;
  return `${requests} requests, ${size}, slowest ${slowestMs.toFixed(0)} ms; ${describe(statuses)}${refused}`;
}

/** A shopper's browser at one of the attacked store's quizzes. */
export function visitTo({ url, victim }: Pick<Ground, "url" | "victim">, quiz: WorldQuiz, session: object = {}): Visit {
  return new Visit({ url, store: victim.publishableKey, ...quiz }, { session: { ...session }, step: 1 });
}

export const eventsRequest = (visit: Visit, events: Parameters<Visit["batch"]>[0], over = {}): Request => ({
  ...{ method: "POST", path: "/storefront/v1/events", body: JSON.stringify(visit.batch(events, over)) },
});

/** A message of the commerce platform, signed with the store's secret. */
export function signedRequest({ commerceSecret, domain }: AttackedShop, topic: string, payload: unknown): Request {
  const body = JSON.stringify(payload);
  const headers = {
    ...{ "x-shopify-topic": topic, "x-shopify-shop-domain": domain, "x-shopify-webhook-id": randomUUID() },
    "x-shopify-hmac-sha256": createHmac("sha256", commerceSecret).update(body).digest("base64"),
  };
  return { method: "POST", path: "/commerce/v1/shopify/webhooks", headers, body };
}
