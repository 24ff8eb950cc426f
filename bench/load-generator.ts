import { setTimeout as pause } from "node:timers/promises";
import { Agent, request } from "undici";
import { createRandom } from "../demo/random.ts";
import type { LoadTarget, Shot, World } from "./load-mix.ts";
import { nextShot } from "./load-mix.ts";
import { LoadSessions, type SessionTotals } from "./load-sessions.ts";
import { type GroupReport, type KindReport, openHistogram, record, Tally, type Times, timesOf } from "./load-tally.ts";

/**
 * Clients in a separate process. Requests start when they are due, whatever happened to earlier ones, and their times
 * count from then: an answer that delays others is visible in their times too.
 */

export interface GeneratorPlan {
  origin: string;
  targets: LoadTarget[];
}

export interface RunOrder {
  requestsPerSecond: number;
  milliseconds: number;
  /** at the beginning; errors in it count, its times do not */
  warmUpMs: number;
}

export interface MinuteReport {
  minute: number;
  reads: GroupReport;
  errors: number;
}

export interface RunReport {
  kinds: KindReport[];
  reads: GroupReport;
  errors: number;
  /** answers per second of the run and of the time needed afterwards for the remaining ones */
  answeredPerSecond: number;
  /** how much later than due requests were sent: if this is large, the generator itself was measured */
  sentLate: Times;
  /** age of the facts in analytics answers, ms */
  factsAge: Times;
}

export interface RunTotals {
  acknowledged: SessionTotals;
  sent: SessionTotals;
}

export type Order = { order: "prepare"; plan: GeneratorPlan } | { order: "run"; run: RunOrder } | { order: "totals" };

export type Report =
  | { report: "prepared"; milliseconds: number }
  | { report: "minute"; minute: MinuteReport }
  | { report: "ran"; run: RunReport }
  | { report: "totals"; totals: RunTotals };

const timeoutMs = 30_000;
/**
 * With this many requests in flight, further ones count as errors and are not sent: the program has long fallen behind.
 */
const underWayAtMost = 5_000;

const tell = (report: Report): void => void process.send?.(report);

interface Answer {
  status: number;
  text: string;
  bytes: number;
  etag: string | null;
}

type Sent = Pick<Shot, "method" | "path" | "headers" | "body" | "large">;

class Generator {
  readonly #agent = new Agent({
    connections: 1_000,
    pipelining: 1,
    keepAliveTimeout: 60_000,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  readonly #origin: string;
  readonly #world: World;
  readonly #underWay = new Set<Promise<void>>();
  #tally = new Tally();
  #minute = new Tally();
  #sentLate = openHistogram();
  #factsAge = openHistogram();

  constructor({ origin, targets }: GeneratorPlan) {
    this.#origin = origin;
    this.#world = {
      targets,
      sessions: new LoadSessions(),
      random: createRandom("load"),
      dueAt: Date.now(),
      etags: new Map(),
      people: new Map(),
      turns: 0,
      exports: 0,
      exportAsked: (target, path) => this.#track(this.#follow(target, path)),
      factsAge: (milliseconds) => record(this.#factsAge, milliseconds),
    };
  }

  /** Has every store's copy created, and looks up people for later requests. */
  async prepare(): Promise<number> {
    const begun = performance.now();
    const left = [...this.#world.targets];
    const prepareNext = async (): Promise<void> => {
      for (let target = left.shift(); target; target = left.shift()) {
        const headers = { authorization: `Bearer ${target.key}` };
        const ask = async (path: string) => {
          let answer = await this.#send({ method: "GET", path, headers });
          // two hundred first loads at once may lack memory
          for (; answer.status === 503; answer = await this.#send({ method: "GET", path, headers })) await pause(1_000);
          if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
          return answer.text;
        };
        while ((await ask("/v1/analytics/overview")).includes('"pending":true')) await pause(500);
        const { data } = JSON.parse(await ask("/v1/profiles?limit=20")) as { data: { id: string }[] };
        this.#world.people.set(
          target.id,
          data.map(({ id }) => id),
        );
      }
    };
    await Promise.all([prepareNext(), prepareNext()]);
    return performance.now() - begun;
  }

  async run({ requestsPerSecond, milliseconds, warmUpMs }: RunOrder): Promise<RunReport> {
    this.#tally = new Tally();
    this.#minute = new Tally();
    this.#sentLate = openHistogram();
    this.#factsAge = openHistogram();
    const begun = performance.now();
    const warmUp = new Tally();
    const count = Math.floor((milliseconds / 1_000) * requestsPerSecond);
    let minute = 1;
    for (let number = 0; number < count; ) {
      const now = performance.now();
      for (; number < count; number += 1) {
        const due = begun + (number / requestsPerSecond) * 1_000;
        if (due > now) break;
        this.#shoot(due, due - begun < warmUpMs ? [warmUp] : [this.#tally, this.#minute]);
      }
      if (now - begun >= minute * 60_000) this.#tellMinute(minute++);
      await pause(1);
    }
    while (this.#underWay.size > 0) await Promise.all([...this.#underWay]);
    const seconds = (performance.now() - begun) / 1_000;
    return {
      kinds: this.#tally.kinds(),
      reads: this.#tally.group("reads"),
      errors: this.#tally.errors + warmUp.errors,
      answeredPerSecond: count / seconds,
      sentLate: timesOf(this.#sentLate),
      factsAge: timesOf(this.#factsAge),
    };
  }

  totals(): RunTotals {
    const { sessions } = this.#world;
    return { acknowledged: sessions.acknowledged(), sent: sessions.sent() };
  }

  #tellMinute(minute: number): void {
    tell({
      report: "minute",
      minute: { minute, reads: this.#minute.group("reads"), errors: this.#minute.errors },
    });
    this.#minute = new Tally();
  }

  #shoot(due: number, tallies: readonly Tally[]): void {
    this.#world.dueAt = performance.timeOrigin + due;
    const shot = nextShot(this.#world);
    record(this.#sentLate, performance.now() - due);
    if (this.#underWay.size > underWayAtMost) for (const tally of tallies) tally.count(shot, "not sent", 0);
    else this.#track(this.#fire(shot, due, tallies).then(() => undefined));
  }

  #track(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  async #fire(shot: Shot, due: number, tallies: readonly Tally[]): Promise<Answer | null> {
    let answer: Answer | null = null;
    let outcome: number | string;
    try {
      answer = await this.#send(shot);
      outcome = answer.status;
    } catch (error) {
      outcome = (error as NodeJS.ErrnoException).code ?? "no answer";
    }
    const milliseconds = performance.now() - due;
    for (const tally of tallies) tally.count(shot, outcome, milliseconds);
    if (answer && shot.statuses.includes(answer.status)) shot.answered?.(answer.text, answer.etag, answer.status);
    return answer;
  }

  async #send({ method, path, headers, body, large }: Sent): Promise<Answer> {
    const url = path.startsWith("http") ? path : this.#origin + path;
    const given = body === undefined ? {} : { body };
    const response = await request(url, { method, headers, ...given, dispatcher: this.#agent });
    const etag = response.headers["etag"];
    const answer = { status: response.statusCode, text: "", bytes: 0, etag: typeof etag === "string" ? etag : null };
    if (large) {
      for await (const chunk of response.body) answer.bytes += (chunk as Buffer).length;
    } else {
      const bytes = Buffer.from(await response.body.arrayBuffer());
      answer.text = bytes.toString();
      answer.bytes = bytes.length;
    }
    return answer;
  }

  /** Polls an export each second until it is complete, then downloads it, in addition to the rate. */
  async #follow({ key }: LoadTarget, path: string): Promise<void> {
    const shot = { group: "exports", method: "GET", headers: {}, statuses: [200] } as const;
    const headers = { authorization: `Bearer ${key}` };
    for (;;) {
      await pause(1_000);
      const polled = { ...shot, kind: "export polled", path, headers };
      const answer = await this.#fire(polled, performance.now(), [this.#tally]);
      if (answer?.status !== 200) return;
      const { status, download_url, bytes } = JSON.parse(answer.text) as Record<string, string | number | undefined>;
      if (status === "pending" || status === "running") continue;
      const download = { ...shot, kind: "export downloaded", large: true, path: String(download_url ?? "") };
      if (status !== "completed") return this.#tally.count(download, `export ${status}`, 0);
      const file = await this.#fire(download, performance.now(), [this.#tally]);
      if (file && file.bytes !== bytes) this.#tally.count(download, "wrong length", 0);
      return;
    }
  }
}

let generator: Generator | undefined;

async function obey(order: Order): Promise<void> {
  if (order.order === "prepare") {
    generator = new Generator(order.plan);
    tell({ report: "prepared", milliseconds: await generator.prepare() });
  } else if (generator === undefined) {
    throw new Error("nothing was prepared");
  } else if (order.order === "run") {
    tell({ report: "ran", run: await generator.run(order.run) });
  } else {
    tell({ report: "totals", totals: generator.totals() });
  }
}

process.on("message", (order: Order) => void obey(order));
process.on("disconnect", () => process.exit());
