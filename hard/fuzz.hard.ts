import { Pool } from "undici";
import { createRandom, type Random } from "../demo/random.ts";
import { Checker } from "./fuzz-check.ts";
import { type FuzzDocument, readDocument } from "./fuzz-document.ts";
import { afterwards } from "./fuzz-follow.ts";
import { keyShot, methodShot, pageShot, pathShot } from "./fuzz-odd.ts";
import { cursorShot, ofTwins, operationShot } from "./fuzz-requests.ts";
import { commerceShot, eventsShot, storefrontReadShot } from "./fuzz-shoppers.ts";
import { curlLine, type FuzzAnswer, type Shot } from "./fuzz-shot.ts";
import { openWorld, type World } from "./fuzz-world.ts";
import { loggedFaults } from "./shops.ts";
import { type HardRun, type HardSuite, sized } from "./suite.ts";

/** Number of concurrent requests. */
const lanes = 8;
/** A run with this many faults is stopped. */
const faultsAtMost = 500;
const shownPerKind = 2;

export const suite: HardSuite = {
  name: "fuzz",
  what: "random requests, right and wrong, to every operation of openapi.json and what shoppers and shops call",
  short: 0.03,
  run: runFuzz,
};

class Fuzz {
  readonly #run: HardRun;
  readonly #world: World;
  readonly #document: FuzzDocument;
  readonly #checker: Checker;
  readonly #pool: Pool;
  readonly failures: string[] = [];
  readonly statuses = new Map<number, number>();
  readonly labels = new Map<string, number>();
  /** operations that were performed, and how often */
  readonly performed = new Map<string, number>();
  readonly #kinds = new Map<string, number>();
  /** the steps that moved or emptied the test twin, when each was sent and when it was answered */
  readonly #twinMoves: number[] = [];
  sent = 0;
  faults = 0;

  constructor(run: HardRun, world: World, document: FuzzDocument) {
    this.#run = run;
    this.#world = world;
    this.#document = document;
    this.#checker = new Checker(document, world.known);
    this.#pool = new Pool(world.program.url, { connections: lanes, pipelining: 1, headersTimeout: 45_000 });
  }

  async lane(steps: Iterator<number>): Promise<void> {
    for (let next = steps.next(); !next.done && this.faults < faultsAtMost; next = steps.next()) {
      await this.step(next.value);
      if (next.value > 0 && next.value % 10_000 === 0) this.#run.say(`${next.value} steps, ${this.faults} faults`);
    }
  }

  async step(step: number): Promise<void> {
    const random = createRandom(`${this.#run.seed}/${step}`);
    const first = this.#shot(random);
    const moves = this.#twinMoves.length;
    const answer = await this.#fire(first, step);
    if (answer === null) return;
    // a twin that another step moves by a day or empties has forgotten its keys [test-stores.clock]
    const mayForget = () => first.key?.store === "twin" && this.#twinMoves.slice(moves).some((by) => by !== step);
    for (const shot of afterwards(first, answer, random, this.#document.operations, mayForget)) {
      if ((await this.#fire(shot, step)) === null) return;
    }
  }

  #shot(random: Random): Shot {
    const { known, keys, full, twin, shop, commerce } = this.#world;
    const { operations } = this.#document;
    const weights: [number, () => Shot][] = [
      [2, () => methodShot(this.#document, random.pick(keys), random, known)],
      [2, () => pathShot(this.#document, random.pick(keys), random, known)],
      [2, () => keyShot(this.#document, keys, random, known)],
      [3, () => pageShot(random, known)],
      [3, () => this.#cursorShot(random)],
      [8, () => eventsShot(shop, random, known)],
      [4, () => storefrontReadShot(shop, random, known)],
      [8, () => commerceShot(commerce, random, known)],
      [
        68,
        () => {
          const operation = random.weighted(operations, ({ cost }) => (cost === "analytics" ? 1 : 2));
          const likely = ofTwins(operation) ? twin : full;
          return operationShot(operation, random.chance(0.75) ? likely : random.pick(keys), random, known);
        },
      ],
    ];
    return random.weighted(weights, ([weight]) => weight)[1]();
  }

  #cursorShot(random: Random): Shot {
    const { known, full } = this.#world;
    if (known.cursors.items.length === 0) return pageShot(random, known);
    const cursor = random.pick(known.cursors.items);
    const operation = this.#document.operations.find(({ id }) => id === cursor.operation);
    return operation ? cursorShot(cursor, operation, full, random) : pageShot(random, known);
  }

  /** The answer; null if it failed. */
  async #fire(shot: Shot, step: number): Promise<FuzzAnswer | null> {
    const movesTwin = shot.method !== "GET" && shot.path.startsWith("/v1/test/");
    if (movesTwin) this.#twinMoves.push(step);
    const answer = await this.#send(shot);
    if (movesTwin) this.#twinMoves.push(step);
    this.sent += 1;
    count(this.statuses, answer.status);
    count(this.labels, shot.label);
    const fault = this.#checker.fault(shot, answer);
    if (fault === null) {
      this.#learn(shot, answer);
      return answer;
    }
    this.faults += 1;
    const kind = `${shot.operation?.id ?? shot.path.slice(0, 20)} ${fault.slice(0, 60)}`;
    count(this.#kinds, kind);
    if ((this.#kinds.get(kind) ?? 0) > shownPerKind) return null;
    const url = this.#world.program.url;
    const shown = `${answer.status} ${JSON.stringify(answer.headers)}\n      ${answer.text.slice(0, 1_500)}`;
    const line = `step ${step}, ${shot.label}, key ${shot.key?.name ?? "-"}: ${fault}\n    ${curlLine(url, shot)}\n    ${shown}`;
    this.failures.push(line);
    return null;
  }

  async #send(shot: Shot): Promise<FuzzAnswer> {
    const { method, path, body } = shot;
    // undici expects header values in latin1
    const headers = shot.headers.map((text) => Buffer.from(text).toString("latin1"));
    try {
      // undici's types allow neither unusual methods nor raw headers, which are sent here
      const response = await this.#pool.request({ method, path, headers, body } as never);
      // its text() would remove a byte-order mark
      const bytes = Buffer.from(await response.body.arrayBuffer());
      const text = bytes.toString();
      return {
        ...{ status: response.statusCode, headers: response.headers },
        ...{ length: bytes.length, text, body: parsed(text) },
      };
    } catch (error) {
      // a missing answer is a fault like any other
      return { status: 599, headers: {}, length: 0, text: String(error), body: null };
    }
  }

  #learn(shot: Shot, { status, text, body }: FuzzAnswer): void {
    const { operation, key } = shot;
    if (!operation || status >= 300) return;
    count(this.performed, operation.id);
    if (key?.store !== "main") return;
    const { known, full } = this.#world;
    known.learnIds(text);
    known.learn(body);
    const cursor = (body as { next_cursor?: unknown } | null)?.next_cursor;
    if (typeof cursor !== "string" || key !== full) return;
    const path = shot.path.replace(/([?&])cursor=[^&]*&?/, "$1").replace(/[?&]$/, "");
    const sent = typeof shot.body === "string" ? shot.body : null;
    known.cursors.add({ text: cursor, operation: operation.id, path, body: sent });
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

const count = <K>(counts: Map<K, number>, key: K): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Log entries that must not exist: failures of the program, and personal data. */
function logFaults({ stdout, stderr }: World["program"], keys: World["keys"]): string[] {
  const log = stdout() + stderr();
  const secrets = keys.flatMap(({ header }) => header?.replace("Bearer ", "") ?? []);
  const told = secrets.some((secret) => log.includes(secret)) ? ["the log holds a key"] : [];
  return [...loggedFaults(log, 10), ...told];
}

async function runFuzz(run: HardRun): Promise<readonly string[]> {
  const document = readDocument();
  const total = sized(run, 100_000, 200);
  const world = await openWorld(run, { sessions: sized(run, 1_000, 100), doomed: sized(run, 12, 2) });
  const fuzz = new Fuzz(run, world, document);
  run.atEnd(() => fuzz.close());
  const started = performance.now();
  const steps = Array.from({ length: total }, (_, step) => step)[Symbol.iterator]();
  await Promise.all(Array.from({ length: lanes }, () => fuzz.lane(steps)));
  const seconds = (performance.now() - started) / 1_000;
  const byStatus = [...fuzz.statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${times} of ${status}`);
  run.say(
    `${fuzz.sent} requests in ${seconds.toFixed(0)} s, ${Math.round(fuzz.sent / seconds)} a second: ${byStatus.join(", ")}`,
  );
  const labels = [...fuzz.labels]
    .filter(([label]) => !label.includes(", "))
    .map(([label, times]) => `${label} ${times}`);
  run.say(labels.join(", "));
  const never = document.operations.filter(({ id }) => !fuzz.performed.has(id)).map(({ id }) => id);
  run.say(
    `performed: ${fuzz.performed.size} of ${document.operations.length} operations${never.length > 0 ? `, never ${never.join(", ")}` : ""}`,
  );
  const blind = never.length > 0 && run.scale >= 0.2 ? [`never got as far as performing ${never.join(", ")}`] : [];
  return [...fuzz.failures, ...blind, ...logFaults(world.program, world.keys)];
}
