import { setImmediate as nextTurn } from "node:timers/promises";
import type { Steps } from "../../engine/steps.ts";

/** Does work in steps with a turn of the event loop for each, so that a large document holds up nobody else [api.turns]. */
export async function inSteps<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    // what was read before may have taken its share of this turn
    await nextTurn();
    const step = steps.next();
    if (step.done) return step.value;
  }
}
