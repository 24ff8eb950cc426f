import { forgetEndedSessions, forgetExpiredTokens } from "../accounts/public.ts";
import { deleteEmptied } from "../erasure/delete-emptied.ts";
import { sweepExports } from "../exports/sweep.ts";
import { ExportBuilds } from "../exports/writing/builds.ts";
import { removeLeftOvers } from "../exports/writing/left-overs.ts";
import { unixNow } from "../platform/clock.ts";
import { inSharedTime } from "../platform/own-time.ts";
import { forgetOldRows, forgetOldRowsOf } from "../platform/retention.ts";
import type { WakeUp } from "../platform/wake-up.ts";
import { recountPeople } from "../profiles/recount.ts";
import { VersionCache } from "../quizzes/public.ts";
import { sweepSessions } from "../sessions/sweep.ts";
import { TestTwinSweeps } from "../stores/test-twin-sweeps.ts";
import { deleteLeftDeliveries } from "../webhooks/delete-endpoint.ts";
import { fanOutAtOnce, sweepOutbox } from "../webhooks/fan-out.ts";
import { placeEvents } from "../webhooks/feed-places.ts";
import { Deliverer } from "../webhooks/send/deliverer.ts";
import type { Foundations } from "./compose.ts";
import { eventPayloads } from "./event-payloads.ts";
import { retentions } from "./retention.ts";
import { type DueTask, Worker } from "./worker.ts";

const sessionsAtOnce = 100;
const peopleAtOnce = 50;
const tenMinutes = 10 * 60 * 1000;

interface WorkerFoundations extends Foundations {
  /** notifies of due work at once; missed work is found a second later */
  wakeUp: Pick<WakeUp, "on">;
}

/** Runs all slices' due work, each at its own interval and when notified; returns a function that stops it. */
export function composeWorker(foundations: WorkerFoundations): () => Promise<void> {
  const { config, database, calendar, random, files, facts, log, wakeUp } = foundations;
  const versions = new VersionCache();
  const now = () => calendar.now();
  const sweep = { versions, now, random, log };
  const handOver = { builders: eventPayloads({ baseUrl: config.baseUrl, versions }), now, random, log };
  const deliverer = new Deliverer({
    ...foundations,
    unixNow,
    allowHosts: config.webhookAllowHosts,
  });
  // an export's rows are read from the columnar copy
  const builds = new ExportBuilds({ ...foundations, facts, versions, storage: files, baseUrl: config.baseUrl });
  database.excludeStores(() => calendar.moved);
  /** tasks that run in shared time, and in the time of each store that has a calendar of its own */
  const storeTasks: DueTask[] = [
    {
      name: "idle sessions",
      everyMs: 1_000,
      run: () => untilDone(() => sweepSessions(database, sweep), sessionsAtOnce),
    },
    {
      name: "people",
      everyMs: 1_000,
      run: () => untilDone(() => recountPeople(database, { now, random, log }), peopleAtOnce),
    },
    { name: "events", everyMs: 1_000, run: () => untilDone(() => sweepOutbox(database, handOver), fanOutAtOnce) },
    { name: "event places", everyMs: 1_000, run: () => untilNone(() => placeEvents(database, { now, log })) },
    { name: "export files", everyMs: 1_000, run: () => sweepExports({ database, files, calendar, log }) },
    { name: "exports", everyMs: 1_000, run: () => builds.sweep() },
  ];
  const testTwins = new TestTwinSweeps({
    ...{ database, calendar, log },
    works: [...storeTasks.map(({ run }) => run), ...[(storeId: string) => deliverer.lookIn(storeId)]],
    worksOfMove: [(storeId) => forgetOldRowsOf(database, calendar, retentions, storeId)],
  });
  const tasks: DueTask[] = [
    // a notification arrives in the time of the code that sent it
    ...storeTasks.map((task) => ({ ...task, run: () => inSharedTime(task.run) })),
    { name: "deliveries", everyMs: 1_000, run: () => deliverer.sweep() },
    { name: "test stores", everyMs: 1_000, run: () => testTwins.sweep() },
    { name: "emptied test stores", everyMs: tenMinutes, run: () => deleteEmptied(database, calendar.sharedNow()) },
    { name: "left-over exports", everyMs: tenMinutes, run: () => removeLeftOvers(database, files) },
    { name: "retention", everyMs: tenMinutes, run: () => forgetOldRows(database, calendar, retentions) },
    { name: "ended sign-ins", everyMs: tenMinutes, run: () => forgetEndedSessions(database.reader(), calendar.now()) },
    { name: "expired tokens", everyMs: tenMinutes, run: () => forgetExpiredTokens(database.reader(), calendar.now()) },
    { name: "deliveries of deleted endpoints", everyMs: tenMinutes, run: () => deleteLeftDeliveries(database) },
  ];
  const worker = new Worker(tasks, log);
  const unsubscribes = [
    wakeUp.on("outbox", () => worker.wake("events")),
    wakeUp.on("deliveries", () => worker.wake("deliveries")),
    wakeUp.on("exports", () => worker.wake("exports")),
  ];
  return async () => {
    for (const stopListening of unsubscribes) stopListening();
    await worker.stop();
    await Promise.all([deliverer.stop(), builds.stop()]);
  };
}

/** Repeats a sweep that handles one store at a time. */
async function untilNone(sweep: () => Promise<number>): Promise<void> {
  while ((await sweep()) > 0);
}

/** Repeats a sweep while it finds as many as it looks for at once, because more may be left. */
async function untilDone(sweep: () => Promise<number>, atOnce: number): Promise<void> {
  while ((await sweep()) >= atOnce);
}
