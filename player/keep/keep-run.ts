import type { Run } from "../run/types.ts";
import type { Keeper } from "./types.ts";

/**
 * Keeps what a run tells, and where it stands [player.idle]. After 30 idle minutes in an open tab the run goes on as a
 * new session, which is told the way so far: the server's has ended. A finished one stays, whatever is looked at again.
 *
 * @returns what ends it
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
