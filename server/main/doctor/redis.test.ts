import { createClient } from "redis";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { startRedis, type TestRedis } from "../../../testkit/redis.ts";
import { RedisLimiter } from "../../platform/limiter/redis.ts";
import { probeNames, refusalCode } from "../../platform/redis-probe.ts";
import { inspectRedis } from "./redis.ts";

const [server, node, other] = await Promise.all([
  startRedis(),
  startRedis("--cluster-enabled", "yes"),
  startRedis("--cluster-enabled", "yes"),
]);
afterAll(async () => {
  for (const each of [server, node, other]) await each?.stop();
});

let redis: TestRedis;
beforeEach((context) => {
  if (!server) return context.skip("redis-server is not on PATH");
  redis = server;
});

const clientOf = async ({ url }: Pick<TestRedis, "url">) => {
  const client = await createClient({ url }).connect();
  onTestFinished(() => client.destroy());
  return client;
};

async function opened(url: string) {
  const refusals: (string | null)[] = [];
  const limiter = await RedisLimiter.open({
    url,
    random: () => 0.5,
    commandTimeoutMs: 5_000,
    onRefusal: (code) => void refusals.push(code),
  });
  onTestFinished(() => limiter.close());
  const charge = {
    ...{ storeId: "s", keyId: "k", cost: 1 },
    ...{ key: { capacity: 10, leakPerSecond: 1 }, store: { capacity: 10, leakPerSecond: 1 } },
  };
  return { limiter, refusals, charge };
}

const inspect = (url: string) =>
  inspectRedis(
    url,
    () => performance.now(),
    () => 0.5,
  );

describe("a Redis that answers, but refuses what limits need [operations.health, command-line.doctor]", () => {
  /** A user who may do what docs/operations.md lists. */
  const documented =
    "~limiter:* ~slots:* ~answer:* ~making:* +eval +evalsha +time +get +set +del +zremrangebyscore +zscore +zcard +zadd +zrem +pexpire";

  it("works for a user with the commands and keys that the docs list", async () => {
    const admin = await clientOf(redis);
    await admin.sendCommand(["ACL", "SETUSER", "narrow", "reset", "on", ">hush", ...documented.split(" ")]);
    const url = redis.url.replace("//", "//narrow:hush@");
    const { limiter, charge } = await opened(url);
    expect(await limiter.probe()).toEqual({ works: true });
    expect((await limiter.admit(charge)).admitted).toBe(true);
    expect(await inspect(url)).toMatchObject({
      status: "ok",
      detail: expect.stringMatching(/^Redis of no known version/),
    });
  });

  it.each(["-@scripting", "-zadd", "-evalsha"])("is named where its user may not: %s", async (without) => {
    const admin = await clientOf(redis);
    await admin.sendCommand(["ACL", "SETUSER", "less", "reset", "on", ">hush", "~*", "+@all", without]);
    const url = redis.url.replace("//", "//less:hush@");
    const { limiter, refusals } = await opened(url);
    expect(await limiter.probe()).toEqual({ works: false, code: "NOPERM" });
    expect(refusals).toEqual(["NOPERM"]);
    const seen = await inspect(url);
    expect(seen).toMatchObject({ status: "fail", detail: expect.stringContaining("cannot limit (NOPERM)") });
    expect(seen.remedy).toContain("docs/operations.md");
    expect(JSON.stringify(seen)).not.toContain("hush");
  });

  it("is named where it is full and evicts nothing, and works again when there is room", async () => {
    const admin = await clientOf(redis);
    const { limiter, refusals, charge } = await opened(redis.url);
    await admin.configSet("maxmemory", "1mb");
    try {
      await expect(limiter.admit(charge)).rejects.toThrow();
      await expect(limiter.admit(charge)).rejects.toThrow();
      expect(await limiter.probe()).toEqual({ works: false, code: "OOM" });
      expect(refusals).toEqual(["OOM"]);
      expect(await inspect(redis.url)).toMatchObject({
        status: "fail",
        remedy: expect.stringContaining("allkeys-lru"),
      });
      await admin.configSet("maxmemory", "64mb");
      expect(await limiter.probe()).toEqual({ works: true });
      expect(refusals).toEqual(["OOM", null]);
      expect(await inspect(redis.url)).toMatchObject({ status: "warn", detail: expect.stringContaining("noeviction") });
      await admin.configSet("maxmemory-policy", "allkeys-lru");
      expect((await inspect(redis.url)).status).toBe("ok");
    } finally {
      await admin.configSet({ maxmemory: "0", "maxmemory-policy": "noeviction" });
    }
  });

  it("is named where it is a replica, or one node of a cluster", async () => {
    const admin = await clientOf(redis);
    await admin.sendCommand(["REPLICAOF", "127.0.0.1", "1"]);
    const { limiter } = await opened(redis.url);
    expect(await limiter.probe()).toEqual({ works: false, code: "READONLY" });
    await admin.sendCommand(["REPLICAOF", "NO", "ONE"]);
    if (!node || !other) throw new Error("no nodes");
    const [one, two] = [await clientOf(node), await clientOf(other)];
    const slots = await Promise.all(probeNames.map((name) => one.clusterKeySlot(`limiter:{${name}}`)));
    expect(new Set(slots.map((slot) => Math.floor(slot / 2_048))).size).toBe(8);
    await one.sendCommand(["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    await expect.poll(async () => (await one.clusterInfo()).includes("cluster_state:ok")).toBe(true);
    const { limiter: clustered } = await opened(node.url);
    // a cluster of one node has every key
    expect(await clustered.probe()).toEqual({ works: true });
    await one.sendCommand(["CLUSTER", "MEET", "127.0.0.1", String(other.port)]);
    const id = await two.clusterMyId();
    await expect.poll(() => one.clusterNodes(), { timeout: 20_000 }).toContain(id);
    // a slot with keys stays where it is
    await one.flushAll();
    const moved = Array.from({ length: 2_048 }, (_, n) => String(14_336 + n));
    await Promise.all(moved.map((slot) => one.sendCommand(["CLUSTER", "SETSLOT", slot, "NODE", id])));
    expect(await clustered.probe()).toEqual({ works: false, code: "MOVED" });
    expect(await inspect(node.url)).toMatchObject({ status: "fail", remedy: expect.stringContaining("Redis Cluster") });
  });

  it("gives its reason by a code alone, which names no host and no key", () => {
    const codes = [
      ["NOPERM User less has no permissions to run the 'eval' command", "NOPERM"],
      ["OOM command not allowed when used memory > 'maxmemory'.", "OOM"],
      ["MOVED 866 10.0.0.1:6379", "MOVED"],
      ["ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed", "OOM"],
      [
        "ERR The user executing the script can't run this command or subcommand script: f_1, on @user_script:9.",
        "NOPERM",
      ],
      ["ERR unknown command 'EVAL'", "ERR"],
      ["something else", null],
    ] as const;
    for (const [message, code] of codes) expect(refusalCode(new Error(message))).toBe(code);
  });
});
