import type { Random } from "../../demo/random.ts";
import { checkAll } from "./checks.ts";
import { commerceMessage } from "./commerce.ts";
import { drain, workerRound } from "./due.ts";
import { changeEndpoint, createEndpoint, useEndpoint } from "./endpoints.ts";
import { crash, hurtCopies, restartWorker, troubleAhead } from "./faults.ts";
import { analytics, exports, lists, searches } from "./integrators.ts";
import type { Shop } from "./ledger.ts";
import { changePlan, editQuiz, erase, openShop } from "./operators.ts";
import { heal } from "./receivers.ts";
import { shop as shopping } from "./shoppers.ts";
import type { World } from "./world.ts";

/** One seed: two shops, a number of steps, and the final checks. */

export interface SeedResult {
  seed: number;
  steps: number;
  /** equal in every run of the seed */
  trace: string;
  failures: string[];
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const calendarStart = Date.parse("2026-03-10T12:00:00.000Z");
/** outbox and deliveries are kept for 30 days, which no seed may exceed */
const skippedAtMost = 12 * day;

interface Step {
  name: string;
  weight: number;
  /** returns how many steps it performed; without a number, one */
  run: () => unknown;
}

/** What happens in a seed: none has everything, so that some have much of one thing. */
interface Mix {
  webhooks: boolean;
  orders: boolean;
  exports: boolean;
  questions: boolean;
  faults: boolean;
  erasures: boolean;
  pauses: boolean;
  days: boolean;
}

const drawMix = (random: Random): Mix => ({
  webhooks: random.chance(0.6),
  orders: random.chance(0.6),
  exports: random.chance(0.4),
  questions: random.chance(0.5),
  faults: random.chance(0.5),
  erasures: random.chance(0.25),
  pauses: random.chance(0.15),
  days: random.chance(0.3),
});

class Play {
  readonly #world: World;
  readonly #shops: readonly [Shop, Shop];
  readonly #mix: Mix;
  #skipped = 0;

  constructor(world: World, shops: readonly [Shop, Shop], mix: Mix) {
    this.#world = world;
    this.#shops = shops;
    this.#mix = mix;
  }

  /** Runs with one of the two shops; its answers must not contain the other's texts. */
  async #of(run: (world: World, shop: Shop) => Promise<void>): Promise<void> {
    const [first, second] = this.#shops;
    const [one, other] = this.#world.draws.steps.chance(0.8) ? [first, second] : [second, first];
    this.#world.foreign = [other.marker, other.store.id, other.store.uuid];
    await run(this.#world, one);
    this.#world.foreign = [];
  }

  async #round(ms: number): Promise<void> {
    await workerRound(this.#world, this.#shops, ms);
  }

  async #skip(milliseconds: number): Promise<void> {
    if (this.#skipped + milliseconds > skippedAtMost) return;
    this.#skipped += milliseconds;
    // everything waiting for an answer would have received it long before
    await this.#world.pass(100);
    this.#world.time.skip(milliseconds);
  }

  steps(): Step[] {
    const world = this.#world;
    const { steps: random } = world.draws;
    const { webhooks, orders, exports: files, questions, faults, erasures, pauses, days } = this.#mix;
    const when = (holds: boolean, weight: number) => (holds ? weight : 0);
    return [
      { name: "shop", weight: 30, run: () => shopping(world, this.#shops, random.int(1, 8)) },
      { name: "seconds", weight: 12, run: () => this.#skip(random.int(1, 90) * second) },
      { name: "half an hour", weight: 1.5, run: () => this.#skip(random.pick([29, 30, 31, 45]) * minute) },
      { name: "hours", weight: 1.5, run: () => this.#skip(random.int(1, 9) * hour) },
      { name: "days", weight: when(days, 0.6), run: () => this.#skip(random.int(1, 4) * day) },
      { name: "worker", weight: 5, run: () => this.#round(random.int(1, 3_000)) },
      { name: "upkeep", weight: 0.3, run: () => world.worker.upkeep() },
      { name: "order", weight: when(orders, 8), run: () => this.#of(commerceMessage) },
      { name: "quiz", weight: 1.2, run: () => this.#of(editQuiz) },
      { name: "endpoint", weight: when(webhooks, 1.5), run: () => this.#of(createEndpoint) },
      { name: "change endpoint", weight: when(webhooks, 3), run: () => this.#of(changeEndpoint) },
      { name: "use endpoint", weight: when(webhooks, 4), run: () => this.#of(useEndpoint) },
      { name: "export", weight: when(files, 4), run: () => this.#of(exports) },
      { name: "list", weight: 5, run: () => this.#of(lists) },
      { name: "search", weight: when(questions, 1), run: () => this.#of(searches) },
      { name: "analytics", weight: when(questions, 2), run: () => this.#of(analytics) },
      { name: "erase", weight: when(erasures, 1.2), run: () => this.#of(erase) },
      { name: "plan", weight: when(pauses, 1), run: () => this.#plan() },
      { name: "trouble", weight: when(faults, 5), run: () => troubleAhead(world) },
      { name: "crash", weight: when(faults, 2), run: () => crash(world, () => this.#round(500)) },
      { name: "restart", weight: when(faults, 1), run: () => restartWorker(world) },
      { name: "copies", weight: when(faults && questions, 0.5), run: () => hurtCopies(world) },
      { name: "limiter", weight: when(faults, 1), run: () => this.#limiter() },
    ];
  }

  #limiter(): void {
    this.#world.limiter.failing = true;
  }

  async #plan(): Promise<void> {
    await changePlan(this.#world, this.#shops[0], "other");
  }

  /** What exists from the first step on. */
  async begin(): Promise<void> {
    const world = this.#world;
    if (!this.#mix.webhooks) return;
    for (let count = world.draws.steps.int(1, 3); count > 0; count--) await this.#of(createEndpoint);
  }

  /** Faults do not last forever. */
  async mend(): Promise<void> {
    const { draws, limiter } = this.#world;
    if (limiter.failing && draws.steps.chance(0.2)) limiter.failing = false;
    if (this.#shops[0].plan === "other" && draws.steps.chance(0.1))
      await changePlan(this.#world, this.#shops[0], "plus");
  }

  /** Ends all faults, and completes all waiting work. */
  async end(): Promise<void> {
    const world = this.#world;
    world.limiter.failing = false;
    world.life.trouble = null;
    world.worker.life.trouble = null;
    for (const shop of this.#shops) {
      heal(shop);
      await changePlan(world, shop, "plus");
    }
    await drain(world, this.#shops);
    for (const shop of this.#shops) await checkAll(world, shop);
    // longer than the age up to which an older answer may be used
    world.time.skip(11 * minute);
    for (const run of [lists, searches, analytics, analytics, analytics]) await this.#of(run);
  }
}

export async function runSeed(world: World, seed: number, steps: number): Promise<SeedResult> {
  await world.begin(seed, calendarStart + (seed % 50) * 7 * hour);
  const { steps: random } = world.draws;
  const mix = drawMix(random);
  let done = 0;
  let doing = "opening";
  try {
    const shops = [await openShop(world, `canary${seed}a`), await openShop(world, `canary${seed}b`)] as const;
    const play = new Play(world, shops, mix);
    await play.begin();
    const possible = play.steps().filter((step) => step.weight > 0);
    while (done < steps && world.failures.length === 0) {
      const step = random.weighted(possible, ({ weight }) => weight);
      doing = step.name;
      const counted = await step.run();
      done += typeof counted === "number" && counted > 0 ? counted : 1;
      await play.mend();
      world.trace(`${done} ${doing} ${world.time.now()}`);
      for (const line of world.errorsLogged()) world.fail(`the program logged an error: ${line.slice(0, 1_500)}`);
    }
    if (world.failures.length === 0) {
      doing = "the end";
      await play.end();
    }
  } catch (error) {
    world.fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const failures = world.failures.map((failure) => `seed ${seed}, step ${done} (${doing}): ${failure}`);
  return { seed, steps: done, trace: world.traced(), failures };
}
