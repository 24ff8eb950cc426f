import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../testkit/database.ts";
import { openProxy } from "../../testkit/proxy.ts";
import { Database } from "./database/database.ts";
import { openLog } from "./log.ts";
import { WakeUp } from "./wake-up.ts";

const log = openLog("silent", { write: () => undefined });
let t: TestDatabase;

beforeAll(async () => {
  t = await openTestDatabase(log);
});
afterAll(() => t.close());

const open = (database = t.database, gapMs = 20) =>
  new WakeUp({ database, elapsed: () => performance.now(), random: randomBytes, log, gapMs });

function counting(wakeUp: WakeUp, kind: "outbox" | "deliveries") {
  const count = { calls: 0 };
  wakeUp.on(kind, () => {
    count.calls += 1;
  });
  return count;
}

describe("wake-ups [operations.wake-ups]", () => {
  it("reach the listeners of this process at once, and those of others", async () => {
    const [here, there] = [open(), open()];
    const counts = [counting(here, "deliveries"), counting(there, "deliveries"), counting(there, "outbox")];
    await Promise.all([here.ready(), there.ready()]);
    const before = counts.map(({ calls }) => calls);
    const gained = () => counts.map(({ calls }, i) => calls - (before[i] ?? 0));
    here.signal("deliveries");
    expect(gained()).toEqual([1, 0, 0]);
    await expect.poll(gained).toEqual([1, 1, 0]);
    await pause(200);
    expect(gained()).toEqual([1, 1, 0]);
    await Promise.all([here.stop(), there.stop()]);
  });

  it("are sent together where they come together, the last one never dropped", async () => {
    const [here, there] = [open(t.database, 50), open()];
    const heard = counting(there, "outbox");
    await there.ready();
    const before = heard.calls;
    for (let n = 0; n < 500; n += 1) here.signal("outbox");
    await expect.poll(() => heard.calls - before).toBe(2);
    await pause(300);
    expect(heard.calls - before).toBe(2);
    here.signal("outbox");
    await expect.poll(() => heard.calls - before).toBe(3);
    await Promise.all([here.stop(), there.stop()]);
  });

  it("are heard again after the connection was lost, and the listeners look at what they missed", async () => {
    const proxy = await openProxy(t.connection);
    const connection = { ...t.connection, host: "127.0.0.1", port: proxy.port };
    const database = new Database({ connection, size: 2, log });
    const [here, there] = [open(), open(database)];
    const heard = counting(there, "deliveries");
    await there.ready();
    await proxy.cut();
    here.signal("deliveries");
    await pause(100);
    const missed = heard.calls;
    await proxy.restore();
    await expect.poll(() => heard.calls).toBe(missed + 1);
    here.signal("deliveries");
    await expect.poll(() => heard.calls).toBe(missed + 2);
    await Promise.all([here.stop(), there.stop()]);
    await database.close();
    await proxy.close();
  });

  it("do not disturb when the database is away or the process stops", async () => {
    const wakeUp = open();
    wakeUp.signal("outbox");
    await wakeUp.stop();
    wakeUp.signal("outbox");
    await wakeUp.stop();
  });
});
