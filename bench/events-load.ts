import { connect, type Socket } from "node:net";
import type { SeededStore } from "../testkit/seeded/history.ts";
import { agentOf, eventsBody, eventsEach, hex, requestCount } from "../testkit/seeded/quiz.ts";
import { percentile } from "./support.ts";

/**
 * Shoppers in a separate process: each connection sends its next request after the previous answer, at full speed or at
 * a rate.
 */

export interface Target {
  store: string;
  quiz: string;
  version: string;
}

export const targetOf = ({ publishableKey, quizzes: [first] }: SeededStore): Target => ({
  store: publishableKey,
  quiz: first?.quiz ?? "",
  version: first?.version ?? "",
});

export interface LoadPlan {
  port: number;
  targets: Target[];
  connections: number;
  milliseconds: number;
  /** distinguishes the sessions of different phases */
  phase: number;
  /** for all connections together; full speed by default */
  eventsPerSecond?: number;
  /** for sessions that continue; those of all other plans end with their fourth request */
  requestsASession?: number;
}

export interface LoadResult {
  requests: number;
  events: number;
  failures: number;
  milliseconds: number;
  /** ms, for each answer */
  p50: number;
  p99: number;
  longest: number;
}

function bodyOf({ store, quiz, version }: Target, plan: LoadPlan, number: number, part: number): string {
  const run = hex(plan.phase, 8);
  const key = `${run}${hex(number, 24)}`;
  const address = number % 10 < 3 ? `shopper${number}@example.com` : null;
  const ids = { session: `sess_${key}`, visitor: `vis_${key}` };
  const goesOn = plan.requestsASession !== undefined;
  return eventsBody({ store, quiz, version, ...ids, run, number, address, goesOn }, part);
}

class Shopper {
  readonly #plan: LoadPlan;
  readonly #next: () => number;
  readonly #socket: Socket;
  readonly latencies: number[] = [];
  failures = 0;
  #number = 0;
  #part: number;
  readonly #parts: number;
  #sentAt = 0;
  #received = "";
  #until: number;
  #turn = performance.now();
  readonly done: Promise<void>;
  #finish: () => void = () => undefined;

  constructor(plan: LoadPlan, next: () => number, until: number) {
    this.#plan = plan;
    this.#parts = plan.requestsASession ?? requestCount;
    this.#part = this.#parts;
    this.#next = next;
    this.#until = until;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#socket = connect(plan.port, "127.0.0.1", () => this.#send());
    this.#socket.setNoDelay(true);
    this.#socket.on("data", (data) => this.#receive(data));
    this.#socket.on("error", () => this.#finish());
  }

  #send(): void {
    if (performance.now() >= this.#until) {
      this.#socket.destroy();
      this.#finish();
      return;
    }
    if (this.#part === this.#parts) {
      this.#part = 0;
      this.#number = this.#next();
    }
    const target = this.#plan.targets[this.#number % this.#plan.targets.length];
    if (target === undefined) return;
    const body = bodyOf(target, this.#plan, this.#number, this.#part);
    this.#part += 1;
    this.#sentAt = performance.now();
    const agent = agentOf(this.#number);
    this.#socket.write(
      `POST /storefront/v1/events HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${agent}\r\n` +
        `Content-Type: text/plain;charset=UTF-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }

  #receive(data: Buffer): void {
    this.#received += data.toString("latin1");
    const head = this.#received.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1] ?? Number.NaN);
    if (head < 0 || !(this.#received.length >= head + 4 + length)) return;
    this.latencies.push(performance.now() - this.#sentAt);
    if (!this.#received.includes(`"accepted":${eventsEach}`)) this.failures += 1;
    this.#received = "";
    this.#pause();
  }

  /** Requests keep their schedule: after a late answer, the next one follows at once. */
  #pause(): void {
    const { eventsPerSecond, connections } = this.#plan;
    if (eventsPerSecond === undefined) this.#send();
    else {
      this.#turn += (connections * eventsEach * 1_000) / eventsPerSecond;
      setTimeout(() => this.#send(), Math.max(0, this.#turn - performance.now()));
    }
  }
}

async function run(plan: LoadPlan): Promise<LoadResult> {
  const begun = performance.now();
  let sessions = 0;
  const next = () => sessions++;
  const shoppers = Array.from({ length: plan.connections }, () => new Shopper(plan, next, begun + plan.milliseconds));
  await Promise.all(shoppers.map((shopper) => shopper.done));
  const latencies = shoppers.flatMap((shopper) => shopper.latencies);
  const failures = shoppers.reduce((sum, shopper) => sum + shopper.failures, 0);
  const requests = latencies.length;
  const milliseconds = performance.now() - begun;
  return {
    requests,
    events: (requests - failures) * eventsEach,
    failures,
    milliseconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    longest: percentile(latencies, 1),
  };
}

process.once("message", (plan: LoadPlan) => {
  void run(plan).then((result) => process.send?.(result, () => process.disconnect()));
});
