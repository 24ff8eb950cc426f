import { forgetOldRows } from "../platform/retention.ts";
import type { Foundations } from "./compose.ts";
import { type DueTask, Worker } from "./worker.ts";

/** Every slice's due work, each at its own pace; returns how to stop it. */
export function composeWorker(foundations: Foundations): () => Promise<void> {
  const { database, calendar, log } = foundations;
  const tasks: DueTask[] = [
    { name: "retention", everyMs: 10 * 60 * 1000, run: () => forgetOldRows(database, calendar) },
  ];
  const worker = new Worker(tasks, log);
  return () => worker.stop();
}
