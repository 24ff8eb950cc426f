import { describe, expect, it } from "vitest";
import { reduceSession } from "../../server/sessions/reduce.ts";
import { openedRecorder } from "../../testkit/opened-recorders.ts";
import { ShopperWorld } from "../../testkit/shopper-browsers.ts";
import { finderQuiz } from "../../testkit/small-quizzes.ts";
import { createRun } from "../run/create-run.ts";
import { recordRun } from "./record-run.ts";

const minute = 60_000;

async function begun() {
  const world = new ShopperWorld();
  const tab = world.openTab();
  const { recorder, faults } = await openedRecorder(tab);
  const run = createRun(finderQuiz, null);
  const off = recordRun(run, recorder);
  run.start();
  return { world, tab, recorder, faults, run, off };
}

/** What the server makes of a session that it took. */
function reducedOf(world: ShopperWorld, id: string) {
  const events = [...(world.taken.get(id)?.values() ?? [])].map((event) => ({ ...event, time: Date.parse(event.at) }));
  return reduceSession({ quiz: finderQuiz, events, country: null, now: world.now });
}

describe("a run that is kept", () => {
  it("goes on after a reload on each page as it was, and arrives as one session [player.resume, player.delivery]", async () => {
    const { world, tab, recorder, run } = await begun();
    let shopper = { recorder, run };
    const steps = [
      () => shopper.run.answer("skin_type", { option_ids: ["skin_type_2"] }),
      () => shopper.run.next(),
      () => shopper.run.answer("years", { value: 40 }),
      () => shopper.run.next(),
      () => shopper.run.answer("strength", { option_ids: ["strength_1"] }),
      () => shopper.run.next(),
      () => shopper.run.next(),
    ];
    for (const step of steps) {
      step();
      await world.pass(1);
      tab.tell("hide");
      tab.load(true);
      const opened = await openedRecorder(tab);
      const { earlier } = opened.recorder;
      expect(earlier.kind).toBe("reloaded");
      const again = createRun(finderQuiz, earlier.kind === "none" ? null : earlier.saved);
      expect(again.view).toEqual(shopper.run.view);
      recordRun(again, opened.recorder);
      again.start();
      shopper = { recorder: opened.recorder, run: again };
    }
    await world.pass(minute);
    const { state, rejections } = reducedOf(world, recorder.sessionId);
    expect(state).toMatchObject({ status: "completed", terminal_page_key: "result", answered_count: 3 });
    expect(state.visits.map(({ entries }) => entries)).toEqual([1, 1, 1, 1, 1]);
    expect([...rejections, world.taken.size]).toEqual([1]);
  });

  it("goes on as a new session after 30 idle minutes, which is told the way so far [player.idle]", async () => {
    const { world, recorder, run, faults } = await begun();
    const id = recorder.sessionId;
    run.answer("skin_type", { option_ids: ["skin_type_2"] });
    run.next();
    await world.pass(31 * minute);
    run.close();
    await world.pass(minute);
    expect(recorder.sessionId).toBe(id);
    run.skip();
    run.answer("strength", { option_ids: ["strength_1"] });
    run.back();
    run.skip();
    run.next();
    run.next();
    await world.pass(minute);
    expect(recorder.sessionId).not.toBe(id);
    expect(reducedOf(world, id).state).toMatchObject({ status: "left", end_reason: "timed_out", last_page_key: "age" });
    const { state, rejections } = reducedOf(world, recorder.sessionId);
    expect([...rejections]).toEqual([]);
    expect(state).toMatchObject({ status: "completed", answered_count: 2, terminal_page_key: "result" });
    expect([run.view.finished, faults]).toEqual([true, []]);
  });

  it("stays in its session once it is finished, however late the shopper comes back to it [player.idle]", async () => {
    const { world, recorder, run } = await begun();
    const id = recorder.sessionId;
    run.answer("skin_type", { option_ids: ["skin_type_3"] });
    run.next();
    run.next();
    await world.pass(40 * minute);
    run.addProduct("gid://shopify/Product/1", null, 1);
    await world.pass(minute);
    expect([recorder.sessionId, world.taken.size]).toEqual([id, 1]);
    expect(reducedOf(world, id).state).toMatchObject({ status: "completed", added: [{ quantity: 1 }] });
  });

  it("is not kept any more after that was ended [player.restart]", async () => {
    const { world, run, off } = await begun();
    await world.pass(minute);
    off();
    run.answer("skin_type", { option_ids: ["skin_type_3"] });
    await world.pass(minute);
    expect([...world.taken.values()].map((events) => events.size)).toEqual([2]);
  });
});
