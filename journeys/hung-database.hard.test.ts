import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../testkit/machine.ts";
import { openProxy, type TcpProxy } from "../testkit/proxy.ts";
import { client } from "./http.ts";
import { openDatabase } from "./machines.ts";
import { answers, cleanUp, freshFolder, launch, type Running, run, type Settings } from "./program.ts";

/** Processes that are told to stop while their database keeps connections open and answers nothing. */

/** what the tightest of the deployment files gives a process, in ms */
const grace = 45_000;

let database: Awaited<ReturnType<typeof openDatabase>>;
let proxy: TcpProxy;
let folder: string;
let settings: Settings;
let key: string;

beforeAll(async () => {
  [database, folder] = await Promise.all([openDatabase(), freshFolder()]);
  proxy = await openProxy(database.connection);
  const { user = "postgres", database: name } = database.connection;
  settings = {
    DATABASE_URL: `postgres://${user}:none@127.0.0.1:${proxy.port}/${name}`,
    SECRET_KEY: randomBytes(32).toString("hex"),
    BASE_URL: "https://quiz.test",
  };
  const command = async (...more: string[]) => {
    const { json, stderr } = await run([...more, "--data", join(folder, "operator"), "--json"], settings);
    expect(json, stderr).toBeDefined();
    return json as Record<string, string>;
  };
  const facts = ["--plan", "plus", "--timezone", "UTC", "--currency", "EUR", "--name", "Shop"];
  const shop = await command("store", "create", "--shop-domain", "hung.example.com", ...facts);
  ({ key = "" } = await command("key", "create", "--store", shop["store_id"] ?? "", "--scopes", "quizzes:read"));
}, 120_000);

afterAll(async () => {
  proxy?.swallow(false);
  await proxy?.close();
  await database?.drop();
  await cleanUp(folder);
});

/** The time to stop, in ms, and the exit status. */
async function timed(running: Running): Promise<{ ms: number; status: number | null }> {
  const began = performance.now();
  const status = await running.stop();
  return { ms: performance.now() - began, status };
}

describe("a database that hangs", () => {
  it("does not keep `serve` and `work` from stopping within the graces [operations.grace]", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const args = ["serve", "--data", join(folder, "serve"), "--port", String(port)];
    const serve = await launch(args, settings, () => answers(url));
    const isReady = ({ stderr }: { stderr: () => string }): boolean => stderr().includes('"ready"');
    const work = await launch(["work", "--data", join(folder, "work")], settings, isReady);
    expect((await client(url, key).get("/v1/quizzes")).status).toBe(200);
    proxy.swallow(true);
    // more than there are connections
    const asked = Array.from({ length: 40 }, (_, at) => client(url, key).get(`/v1/quizzes?limit=${at + 1}`));
    const statuses = Promise.allSettled(asked);
    await pause(2_000);
    const stopped = await Promise.all([timed(serve), timed(work)]);
    for (const { ms } of stopped) expect(ms).toBeLessThan(grace);
    // those under way were answered, that the database did not
    const answered = (await statuses).map((one) => (one.status === "fulfilled" ? one.value.status : 0));
    expect(answered.filter((status) => status !== 503 && status !== 504)).toEqual([]);
    proxy.swallow(false);
  }, 150_000);

  it("does not keep a process that is still starting, nor a command, from stopping [operations.grace]", async () => {
    proxy.swallow(true);
    const args = ["serve", "--data", join(folder, "starting"), "--port", String(await freePort())];
    const serve = await launch(args, settings, () => pause(3_000, true));
    const command = await launch(["store", "list", "--data", join(folder, "operator")], settings, () =>
      pause(3_000, true),
    );
    for (const { ms } of await Promise.all([timed(serve), timed(command)])) expect(ms).toBeLessThan(grace);
    proxy.swallow(false);
  }, 150_000);
});
