import type { Run } from "../run/types.ts";
import type { Keeper } from "./types.ts";

/**
 * Stores a run's events and state [player.idle]. After 30 idle minutes in an open tab the run continues as a new
 * session, to which the way so far is reported, because the server has ended the old one. A finished run stays in its
 * session, even when pages are viewed again.
 *
 * @returns a function that disconnects them
 */
export function keepRun(run: Run, keeper: Keeper): () => void {
  const off = [
    run.onAct(() => {
      if (run.view.finished || !keeper.isIdle) return;
      keeper.beginNext();
      run.replay();
    }),
    run.onEvent((event) => keeper.add(event)),
    run.onView(() => keeper.save(run.saved)),
  ];
  return () => {
    for (const one of off) one();
  };
}
