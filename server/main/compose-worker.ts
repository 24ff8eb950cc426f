import { forgetOldRows } from "../platform/retention.ts";
import { VersionCache } from "../quizzes/public.ts";
import { sweepSessions } from "../sessions/sweep.ts";
import { deleteLeftDeliveries } from "../webhooks/delete-endpoint.ts";
import { fanOutAtOnce, sweepOutbox } from "../webhooks/fan-out.ts";
import { Deliverer } from "../webhooks/send/deliverer.ts";
import type { Foundations } from "./compose.ts";
import { eventPayloads } from "./event-payloads.ts";
import { type DueTask, Worker } from "./worker.ts";

const sessionsAtOnce = 100;
const tenMinutes = 10 * 60 * 1000;

/** Every slice's due work, each at its own pace and when it is told that there is some; returns how to stop it. */
export function composeWorker(foundations: Foundations): () => Promise<void> {
  const { config, database, calendar, random, log, wakeUp } = foundations;
  const versions = new VersionCache();
  const now = () => calendar.now();
  const sweep = { versions, now, random, log };
  const handOver = { builders: eventPayloads({ baseUrl: config.baseUrl, versions }), now, random, log };
  const deliverer = new Deliverer({
    ...foundations,
    unixNow: () => Math.floor(performance.timeOrigin + performance.now()),
    allowHosts: config.webhookAllowHosts,
  });
  const tasks: DueTask[] = [
    {
      name: "idle sessions",
      everyMs: 1_000,
      run: () => untilDone(() => sweepSessions(database, sweep), sessionsAtOnce),
    },
    { name: "events", everyMs: 1_000, run: () => untilDone(() => sweepOutbox(database, handOver), fanOutAtOnce) },
    { name: "deliveries", everyMs: 1_000, run: () => deliverer.look() },
    { name: "retention", everyMs: tenMinutes, run: () => forgetOldRows(database, calendar) },
    { name: "deliveries of deleted endpoints", everyMs: tenMinutes, run: () => deleteLeftDeliveries(database) },
  ];
  const worker = new Worker(tasks, log);
  const deaf = [
    wakeUp?.on("outbox", () => worker.wake("events")),
    wakeUp?.on("deliveries", () => worker.wake("deliveries")),
  ];
  return async () => {
    for (const stopListening of deaf) stopListening?.();
    await worker.stop();
    await deliverer.stop();
  };
}

/** A sweep that found as many as it looks for at once may have left some. */
async function untilDone(sweep: () => Promise<number>, atOnce: number): Promise<void> {
  while ((await sweep()) >= atOnce);
}
