import { sweepExports } from "../exports/sweep.ts";
import { openFiles } from "../platform/files/open.ts";
import { forgetOldRows } from "../platform/retention.ts";
import { VersionCache } from "../quizzes/public.ts";
import { sweepSessions } from "../sessions/sweep.ts";
import type { Foundations } from "./compose.ts";
import { type DueTask, Worker } from "./worker.ts";

/** Every slice's due work, each at its own pace; returns how to stop it. */
export function composeWorker(foundations: Foundations): () => Promise<void> {
  const { config, database, calendar, random, log, files = openFiles(config.exportStorage) } = foundations;
  const versions = new VersionCache();
  const sweep = { versions, now: () => calendar.now(), random, log };
  const tasks: DueTask[] = [
    { name: "idle sessions", everyMs: 1_000, run: () => untilDone(() => sweepSessions(database, sweep), 100) },
    {
      name: "export files",
      everyMs: 1_000,
      run: () => untilDone(() => sweepExports({ database, calendar, log, files }), 100),
    },
    { name: "retention", everyMs: 10 * 60 * 1000, run: () => forgetOldRows(database, calendar) },
  ];
  const worker = new Worker(tasks, log);
  return async () => {
    await worker.stop();
    files.close();
  };
}

/** A sweep that found as many as it looks for at once may have left some. */
async function untilDone(sweep: () => Promise<number>, atOnce: number): Promise<void> {
  while ((await sweep()) >= atOnce);
}
