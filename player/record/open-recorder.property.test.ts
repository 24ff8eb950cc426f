import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ShopperEvent } from "../../contract/storefront.ts";
import { openedRecorder, savedOn } from "../../testkit/opened-recorders.ts";
import { type FakeTab, ShopperWorld, settled } from "../../testkit/shopper-browsers.ts";
import type { SessionRecorder } from "./types.ts";

const steps = [
  { weight: 30, value: "answer" },
  { weight: 8, value: "pass" },
  { weight: 5, value: "wait" },
  { weight: 3, value: "idle" },
  { weight: 5, value: "reload" },
  { weight: 4, value: "reload_at_once" },
  { weight: 4, value: "revisit" },
  { weight: 4, value: "kill" },
  { weight: 3, value: "kill_at_once" },
  { weight: 4, value: "hide" },
  { weight: 3, value: "restart" },
  { weight: 4, value: "offline" },
  { weight: 6, value: "online" },
  { weight: 6, value: "up" },
  { weight: 3, value: "down" },
  { weight: 2, value: "failing" },
  { weight: 3, value: "busy" },
  { weight: 3, value: "walled" },
] as const;
type StepKind = (typeof steps)[number]["value"];

const arbitrarySchedule = fc.record({
  locks: fc.constantFrom("held" as const, "held" as const, "none" as const, "rejected" as const),
  steps: fc.array(
    fc.record({
      kind: fc.oneof(...steps.map(({ weight, value }) => ({ weight, arbitrary: fc.constant(value) }))),
      tab: fc.nat(1),
    }),
    { maxLength: 60, size: "max" },
  ),
});

/** A shopper with two tabs, and a naive note of what each session was told. */
class Shopper {
  readonly world = new ShopperWorld();
  readonly tabs: { tab: FakeTab; recorder: SessionRecorder }[] = [];
  /** values of the answers by session, in order */
  readonly given = new Map<string, number[]>();
  /** answers that were given in the moment of a crash: they may be lost */
  readonly unsure = new Set<number>();
  readonly consent: boolean;
  readonly denial: string | null;
  #values = 0;

  constructor(consent: boolean, denial: string | null) {
    this.consent = consent;
    this.denial = denial;
  }

  async open(index: number, tab: FakeTab): Promise<void> {
    tab.denial = this.denial;
    tab.hasStorage = this.consent && this.denial === null;
    const { recorder } = await openedRecorder(tab, { consent: this.consent });
    this.tabs[index] = { tab, recorder };
    const { earlier, sessionId } = recorder;
    // what is kept of the run and what is kept of its events agree, wherever the page ended
    const last = this.given.get(sessionId)?.findLast((value) => !this.unsure.has(value)) ?? 0;
    if (earlier.kind === "none") expect(this.given.has(sessionId)).toBe(false);
    else expect([last, ...this.unsure]).toContain(earlier.saved.progress);
    if (earlier.kind === "left" && this.#values % 2 === 0) recorder.beginNext();
  }

  answer(index: number): number {
    const recorder = this.#at(index).recorder;
    if (recorder.isIdle) recorder.beginNext();
    const value = ++this.#values;
    recorder.add({ type: "answer_saved", page_key: "p", component_key: "c", value });
    recorder.save({ ...savedOn("p"), progress: value });
    this.given.set(recorder.sessionId, [...(this.given.get(recorder.sessionId) ?? []), value]);
    return value;
  }

  async take(kind: StepKind, index: number): Promise<void> {
    const { world } = this;
    const { tab, recorder } = this.#at(index);
    if (kind === "answer") this.answer(index);
    else if (kind === "pass") return world.pass(100);
    else if (kind === "wait") return world.pass(60_000);
    else if (kind === "idle") return world.pass(31 * 60_000);
    else if (kind === "restart") recorder.beginNext();
    else if (kind === "hide") {
      tab.tell("hide");
      await settled();
      tab.tell("show");
    } else if (kind === "offline" || kind === "online") world.setOnline(kind === "online");
    else if (kind === "up" || kind === "down" || kind === "failing" || kind === "busy") {
      world.mood = kind;
      world.proxy = () => null;
    } else if (kind === "walled") world.proxy = () => new Response("<html></html>", { status: 403 });
    else await this.#leave(kind, index);
    await settled();
  }

  async #leave(kind: "reload" | "reload_at_once" | "revisit" | "kill" | "kill_at_once", index: number): Promise<void> {
    const { tab } = this.#at(index);
    // without storage nothing outlives a page that is gone without a word
    if (this.denial !== null || !this.consent) return;
    if (kind === "kill_at_once") this.unsure.add(this.answer(index));
    if (kind === "kill" || kind === "kill_at_once") {
      tab.kill();
      await settled();
      return this.open(index, this.world.openTab());
    }
    if (kind === "reload_at_once") this.answer(index);
    tab.tell("hide");
    tab.load(kind !== "revisit");
    await this.open(index, tab);
  }

  /** Everything is well again for long enough. */
  async calm(): Promise<void> {
    const { world } = this;
    world.mood = "up";
    world.proxy = () => null;
    world.setOnline(true);
    await world.pass(3 * 60_000);
  }

  #at(index: number): { tab: FakeTab; recorder: SessionRecorder } {
    const found = this.tabs[index];
    if (found === undefined) throw new Error("no such tab");
    return found;
  }
}

function check({ world, given, unsure }: Shopper): void {
  expect(world.faults).toEqual([]);
  for (const [session, values] of given) {
    const events = [...(world.taken.get(session)?.values() ?? [])].sort((one, other) => one.seq - other.seq);
    const arrived = events.map((event) => (event as ShopperEvent & { value: number }).value);
    const isLost = (value: number) => unsure.has(value) && !arrived.includes(value);
    expect([session, arrived]).toEqual([session, values.filter((value) => !isLost(value))]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  }
  for (const [key, text] of world.local.texts) if (key.includes(":sess_")) expect(JSON.parse(text).events).toEqual([]);
}

async function play(
  shopper: Shopper,
  { steps: taken, locks }: { steps: { kind: StepKind; tab: number }[]; locks: ShopperWorld["locks"] },
) {
  shopper.world.locks = locks;
  for (const index of [0, 1]) await shopper.open(index, shopper.world.openTab());
  for (const { kind, tab } of taken) await shopper.take(kind, tab);
  await shopper.calm();
  check(shopper);
}

describe("a recorder in a hostile world", () => {
  it("brings every answer exactly once, in order, from two tabs, through crashes and outages [player.delivery, player.one-sender, player.numbers]", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySchedule, (schedule) => play(new Shopper(true, null), schedule)),
      { numRuns: 300, seed: 20261123 },
    );
  });

  it("does so without storage, and without consent, for as long as the pages live [player.no-storage, player.consent]", async () => {
    const without = fc.constantFrom({ consent: false, denial: null }, { consent: true, denial: "SecurityError" });
    await fc.assert(
      fc.asyncProperty(without, arbitrarySchedule, async ({ consent, denial }, schedule) => {
        const shopper = new Shopper(consent, denial);
        await play(shopper, schedule);
        expect([...shopper.world.local.texts]).toEqual([]);
      }),
      { numRuns: 100, seed: 20261124 },
    );
  });
});
