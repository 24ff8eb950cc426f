import { randomBytes } from "node:crypto";
import { Pool } from "undici";
import { type StorefrontEvent, Visit } from "../journeys/visit.ts";
import type { NeighbourPlan, NeighbourReport } from "./attack-neighbours.ts";

/**
 * Honest clients in a separate process, so that the attacker's work does not delay them: shoppers and readers of other
 * stores, and the attacked store's own shoppers, each with their own address. Requests are sent when they are due,
 * whatever happened to earlier ones, and timed from then.
 */

interface Shot {
  path: string;
  headers?: Record<string, string>;
  body?: string;
  status: number;
}

interface Kind {
  name: string;
  from: string;
  next: () => Shot;
}

interface Noted {
  due: number;
  ms: number | null;
  status: number;
}

/** An honest visit in three requests, then the next one. */
function shopper(live: NeighbourPlan["own"]): () => Shot {
  const visits = function* (): Generator<Shot> {
    for (;;) {
      const visit = new Visit({ url: "", ...live }, { from: Date.now() - 5_000, step: 100 });
      const send = (...events: StorefrontEvent[]): Shot => {
        return { path: "/storefront/v1/events", body: JSON.stringify(visit.batch(events)), status: 202 };
      };
      yield send(visit.opened(), visit.entered("first", "start"), visit.chose("first", "pick", "one"));
      const mail = `${randomBytes(6).toString("hex")}@example.com`;
      yield send(visit.entered("contact"), visit.wrote("contact", "mail", mail, true));
      yield send(visit.entered("result"), visit.finished("result"));
    }
  };
  const steps = visits();
  return () => steps.next().value;
}

function reader(keys: readonly string[]): () => Shot {
  const paths = ["/v1/store", "/v1/quizzes?limit=20", "/v1/profiles?limit=20", "/v1/analytics/overview", "/v1/events"];
  let turn = 0;
  return () => {
    turn += 1;
    const key = keys[turn % keys.length] ?? "";
    return { path: paths[turn % paths.length] ?? "", headers: { authorization: `Bearer ${key}` }, status: 200 };
  };
}

class Neighbour {
  readonly kind: Kind;
  readonly #pool: Pool;
  #noted: Noted[] = [];
  /** the first answer of each unexpected status */
  #samples = new Map<number, string>();

  constructor(url: string, kind: Kind) {
    this.kind = kind;
    this.#pool = new Pool(url, { connections: 16, pipelining: 1, localAddress: kind.from });
  }

  async fire(due: number): Promise<void> {
    const { path, headers, body, status } = this.kind.next();
    const note: Noted = { due, ms: null, status: 0 };
    this.#noted.push(note);
    try {
      const answer = await this.#pool.request({
        ...{ method: body ? "POST" : "GET", path, body: body ?? null, signal: AbortSignal.timeout(60_000) },
        headers: { ...headers, ...(body ? { "content-type": "text/plain;charset=UTF-8" } : {}) },
      });
      const text = await answer.body.text();
      note.status = answer.statusCode === status ? 200 : answer.statusCode;
      if (note.status !== 200) this.#sample(note.status, `${JSON.stringify(answer.headers)} ${text}`);
    } catch (error) {
      note.status = 599;
      this.#sample(599, String(error));
    }
    note.ms = performance.now() - due;
  }

  #sample(status: number, text: string): void {
    if (!this.#samples.has(status)) this.#samples.set(status, text.slice(0, 700));
  }

  /** Since the last report; requests without an answer so far count with the time they have waited. */
  report(): NeighbourReport["kinds"][string] {
    const noted = this.#noted;
    this.#noted = [];
    const times = noted.map(({ due, ms }) => ms ?? performance.now() - due).sort((a, b) => a - b);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
    const wrong: Record<string, number> = {};
    for (const { status } of noted) if (status !== 200 && status !== 0) wrong[status] = (wrong[status] ?? 0) + 1;
    const samples = [...this.#samples.values()];
    this.#samples = new Map();
    return { requests: noted.length, p50: at(0.5), p99: at(0.99), slowest: at(1), wrong, samples };
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

function begin({ url, own, others, perSecond }: NeighbourPlan): void {
  let turn = 0;
  const theirs = others.map(shopper);
  const kinds: Kind[] = [
    { name: "its own shoppers", from: "127.0.0.2", next: shopper(own) },
    { name: "others' shoppers", from: "127.0.0.3", next: () => (theirs[turn++ % theirs.length] as () => Shot)() },
    { name: "others' reads", from: "127.0.0.4", next: reader(others.map(({ key }) => key)) },
  ];
  const neighbours = kinds.map((kind) => new Neighbour(url, kind));
  const started = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (; sent < ((performance.now() - started) / 1_000) * perSecond; sent += 1) {
      const due = started + (sent / perSecond) * 1_000;
      void neighbours[sent % neighbours.length]?.fire(due);
    }
  }, 5);
  process.on("message", (order) => {
    if (order === "report") {
      const reports = neighbours.map((neighbour) => [neighbour.kind.name, neighbour.report()] as const);
      process.send?.({ kinds: Object.fromEntries(reports) });
    }
    if (order === "pause") clearInterval(timer);
  });
}

process.once("message", (plan) => begin(plan as NeighbourPlan));
process.on("disconnect", () => process.exit());
