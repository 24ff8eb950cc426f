import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, pagesOf } from "../journeys/http.ts";
import { cleanUp, freshFolder, until } from "../journeys/program.ts";
import { type StorefrontEvent, Visit } from "../journeys/visit.ts";
import { freePort } from "../testkit/machine.ts";
import { type RealProcess, startProcess } from "../testkit/real-processes.ts";
import { embeddedSettings } from "./kill-targets.ts";
import { clientOf, type HardShop, liveOf, openHardShop, openOperator } from "./shops.ts";
import { mountSmallDisk, type SmallDisk } from "./small-disk.ts";
import type { HardRun, HardSuite } from "./suite.ts";

/**
 * Fills disks, one after another: that of export files, of the columnar copy, and of the database. Whatever needs them
 * fails with a clear message, nothing acknowledged is lost, the program keeps running, and everything works once there
 * is space again.
 */

const people = 300;
const backWithinSeconds = 45;

interface Sent {
  visit: Visit;
  events: StorefrontEvent[];
}

interface Ground {
  run: HardRun;
  program: RealProcess;
  url: string;
  shop: HardShop;
  api: Client;
  acknowledged: Sent[];
  exportsFolder: string;
}

interface Export {
  id: string;
  status: string;
  error: string | null;
  row_count: number | null;
  started_at: string | null;
}

/** One person's session; returns the status of the answer. */
async function shop({ shop: at, url, acknowledged }: Ground): Promise<number> {
  const visit = new Visit(liveOf(at, url), { from: Date.now(), step: 1 });
  const mail = `${randomUUID()}@example.com`;
  const events = [visit.opened(), visit.chose("first", "pick", "one"), visit.wrote("contact", "mail", mail, true)];
  const { status } = await visit.send(...events);
  if (status === 202) acknowledged.push({ visit, events });
  return status;
}

const exportOf = async (api: Client, id: string): Promise<Export> => (await api.get<Export>(`/v1/exports/${id}`)).body;

const finished = (api: Client, id: string): Promise<Export> =>
  until(
    () => exportOf(api, id),
    ({ status }) => status === "completed" || status === "failed",
    90,
  );

const requestExport = async (api: Client): Promise<string> =>
  (await api.post<Export>("/v1/exports", { dataset: "profiles" })).body.id;

/** Full for a moment: the export is tried again. Full permanently, only at full size: it fails with a clear message. */
async function fullForExports({ run, api, acknowledged, exportsFolder }: Ground, disk: SmallDisk): Promise<string[]> {
  const failures: string[] = [];
  await disk.fill();
  const first = await requestExport(api);
  await pause(2_500);
  const meanwhile = await exportOf(api, first);
  if (meanwhile.status !== "pending") failures.push(`an export on a full disk is ${meanwhile.status}`);
  await disk.makeRoom();
  const done = await finished(api, first);
  if (done.status !== "completed" || done.row_count !== acknowledged.length)
    failures.push(`with room again, the export is ${done.status} with ${done.row_count} rows: ${done.error}`);
  run.say(`export files: ${meanwhile.status} while the disk was full, ${done.status} once there was room`);
  if (run.scale < 1) return failures;
  await disk.fill();
  const failed = await finished(api, await requestExport(api));
  await disk.makeRoom();
  if (failed.status !== "failed" || !/^The export .*\.$/.test(failed.error ?? ""))
    failures.push(`an export on a disk that stays full is ${failed.status}: ${failed.error}`);
  const left = (await readdir(exportsFolder, { recursive: true })).filter((name) => name.endsWith(".part"));
  if (left.length > 0) failures.push(`left over: ${left.join(", ")}`);
  const again = await finished(api, await requestExport(api));
  if (again.status !== "completed") failures.push(`a later export is ${again.status}: ${again.error}`);
  run.say(`export files: ${failed.status} in a sentence where the disk stays full, ${again.status} afterwards`);
  return failures;
}

interface Overview {
  totals: { views: number };
  freshness: { stale: boolean; pending: boolean };
}

async function fullForCopy(ground: Ground, disk: SmallDisk): Promise<string[]> {
  const { run, api, shop: at, acknowledged } = ground;
  const failures: string[] = [];
  const path = `/v1/quizzes/${at.quizId}/analytics/overview`;
  await disk.fill();
  const statuses = new Map<string, number>();
  for (let n = 0; n < 40; n += 1) {
    await shop(ground);
    for (const asked of [api.get<Overview>(path), api.post<Overview>("/v1/profiles/search", { has_email: true })]) {
      const answer = await asked;
      const later = answer.status === 503 && /^[1-9]/.test(answer.headers.get("retry-after") ?? "");
      if (answer.status !== 200 && !later) failures.push(`a full copy: ${answer.status} ${answer.text}`);
      statuses.set(String(answer.status), (statuses.get(String(answer.status)) ?? 0) + 1);
    }
  }
  await disk.makeRoom();
  const began = performance.now();
  const right = await until(
    () => api.get<Overview>(path),
    ({ status, body }) => status === 200 && body.totals.views === acknowledged.length,
    backWithinSeconds,
  );
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  if (right.status !== 200 || right.body.totals.views !== acknowledged.length)
    failures.push(`with room again, ${right.status} ${right.text.slice(0, 300)} of ${acknowledged.length} views`);
  const answers = [...statuses].map(([status, count]) => `${count} of ${status}`).join(", ");
  run.say(`columnar copy: questions answered ${answers} while its disk was full; right again after ${seconds} s`);
  return failures;
}

async function fullForDatabase(ground: Ground, disk: SmallDisk): Promise<string[]> {
  const { run, api, acknowledged, program } = ground;
  const failures: string[] = [];
  await disk.fill();
  const statuses = new Map<number, number>();
  const posts = Math.max(150, Math.round(2_000 * run.scale));
  for (let n = 0; n < posts; n += 1) {
    const status = await shop(ground);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status !== 202 && status !== 503) failures.push(`a batch was answered ${status}`);
    if (n % 20 === 0) {
      const read = await api.get("/v1/quizzes");
      if (read.status !== 200 && read.status !== 503) failures.push(`a read was answered ${read.status} ${read.text}`);
    }
  }
  await disk.makeRoom();
  const began = performance.now();
  const back = await until(
    () => shop(ground),
    (status) => status === 202,
    backWithinSeconds,
  );
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  if (back !== 202) failures.push(`with room again, a batch is answered ${back} after ${backWithinSeconds} s`);
  if (program.ended()) failures.push(`the program ended: ${program.log().slice(-1_000)}`);
  for (const { visit, events } of acknowledged.slice(-posts)) {
    const again = await visit.send(...events);
    if (again.body.duplicates !== events.length) failures.push(`acknowledged and lost: ${again.status} ${again.text}`);
  }
  const listed = new Set((await pagesOf<{ id: string }>(api, "/v1/profiles?limit=100")).flat().map(({ id }) => id));
  if (listed.size < acknowledged.length) failures.push(`${listed.size} people of ${acknowledged.length} acknowledged`);
  const answers = [...statuses].map(([status, count]) => `${count} of ${status}`).join(", ");
  run.say(`database: batches answered ${answers} while its disk was full; taken again after ${seconds} s, none lost`);
  return failures;
}

async function run(hard: HardRun): Promise<readonly string[]> {
  const data = await freshFolder();
  hard.atEnd(() => cleanUp(data));
  const inside = join(data, "disk");
  const disks: Record<"database" | "copy" | "files", SmallDisk> | string = await mountAll(inside, hard);
  if (typeof disks === "string") {
    hard.say(`skipped: no disk can be mounted here (${disks})`);
    return [];
  }
  const port = await freePort();
  const exportsFolder = join(inside, "exports");
  const shared = { EXPORT_STORAGE: exportsFolder, LOG_LEVEL: "info" };
  const program = startProcess(["start", "--no-demo"], { ...shared, DATA_DIR: inside, PORT: String(port) });
  hard.atEnd(() => program.stop());
  await program.untilReady();
  const opened = await openOperator({
    ...shared,
    ...(await embeddedSettings(inside)),
    DATA_DIR: join(data, "operator"),
  });
  const atShop = await openHardShop(opened, {
    limits: { analytics_soft_ttl_seconds: 1, export_page_pause_ms: 0 },
  }).finally(() => opened.close());
  const url = `http://127.0.0.1:${port}`;
  const api = clientOf(atShop, url);
  const ground: Ground = { run: hard, program, url, shop: atShop, api, acknowledged: [], exportsFolder };
  for (let n = 0; n < people; n += 1) await shop(ground);
  await api.get(`/v1/quizzes/${atShop.quizId}/analytics/overview`);
  return [
    ...(await fullForExports(ground, disks.files)),
    ...(await fullForCopy(ground, disks.copy)),
    ...(await fullForDatabase(ground, disks.database)),
  ];
}

/**
 * Nested: the program's folder, and in it those of the copy and of export files; or the reason why that is impossible.
 */
async function mountAll(inside: string, hard: HardRun) {
  try {
    const database = await mountSmallDisk(inside, 400);
    hard.atEnd(() => database.close());
    const copy = await mountSmallDisk(join(inside, "facts"), 64);
    hard.atEnd(() => copy.close());
    const files = await mountSmallDisk(join(inside, "exports"), 8);
    hard.atEnd(() => files.close());
    return { database, copy, files };
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  }
}

export const suite: HardSuite = {
  name: "disk-full",
  what: "full disks of export files, of the columnar copy and of the database: clear answers, nothing lost, all well with room",
  short: 0.05,
  run,
};
