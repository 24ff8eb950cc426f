import type { Run } from "../run/types.ts";
import type { SessionRecorder } from "./types.ts";

/**
 * Stores a run's events and state [player.idle]. After 30 idle minutes in an open tab the run continues as a new
 * session, to which the way so far is reported, because the server has ended the old one. A finished run stays in its
 * session, even when pages are viewed again.
 *
 * @returns a function that disconnects them
 */
export function recordRun(run: Run, recorder: SessionRecorder): () => void {
  const off = [
    run.onAct(() => {
      if (run.view.finished || !recorder.isIdle) return;
      recorder.beginNext();
      run.replay();
    }),
    run.onEvent((event) => recorder.add(event)),
    run.onView(() => recorder.save(run.saved)),
  ];
  return () => {
    for (const unsubscribe of off) unsubscribe();
  };
}
