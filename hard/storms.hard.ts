import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { SharedCalendar } from "../server/platform/clock.ts";
import { sql } from "../server/platform/database/sql.ts";
import { type OwnApi, openOwnApi } from "../testkit/own-api.ts";
import { openOwnServer } from "../testkit/own-database.ts";
import { openProxy, type TcpProxy } from "../testkit/proxy.ts";
import { clientOf, type HardShop, openHardShop } from "./shops.ts";
import { inWords, storm, untilWell } from "./storm-clients.ts";
import { type HardRun, type HardSuite, sized } from "./suite.ts";

/**
 * A database whose connections are cut, occupied by others or slow, and whose clock jumps: 503 in the meantime, never
 * 500, and everything is normal a moment later.
 */

const maxConnections = 40;
/** number of connections in the API's pool */
const poolSize = 20;
const wellWithinMs = 15_000;
const clients = 12;

const serverSettings = { max_connections: String(maxConnections), superuser_reserved_connections: "1", fsync: "off" };

interface Storm {
  run: HardRun;
  api: OwnApi;
  shop: HardShop;
  proxy: TcpProxy;
}

/** Causes a fault while clients send requests, and reports their answers and the time of recovery. */
async function weather(it: Storm, name: string, trouble: () => Promise<string>): Promise<string[]> {
  const { run, api, shop } = it;
  const asking = storm(shop, api.url, clients);
  const what = await trouble();
  const tally = await asking.stop();
  const back = await untilWell(shop, api.url, wellWithinMs);
  const slots = await slotsAreFree(it);
  run.say(`${name}: ${what}; ${inWords(tally)}; well after ${Math.round(back ?? -1)} ms, ${slots ?? "all"} slots free`);
  return [
    ...tally.odd.slice(0, 3).map((odd) => `${name}: ${odd}`),
    ...(back === null ? [`${name}: not well within ${wellWithinMs} ms`] : []),
    ...(slots === null ? [] : [`${name}: ${slots} of ${poolSize} connections could be had`]),
  ];
}

/** Checks whether as many connections are available as usual; null, or the available number. */
async function slotsAreFree({ api }: Storm): Promise<number | null> {
  const taken = await Promise.allSettled(Array.from({ length: poolSize - 1 }, () => api.opened.database.dedicated()));
  const had = taken.filter((each) => each.status === "fulfilled");
  for (const { value } of had) value.release();
  // one connection of the pool listens for wake-ups
  return had.length === poolSize - 1 ? null : had.length;
}

const cuts = (it: Storm) => async (): Promise<string> => {
  const count = sized(it.run, 100, 3);
  for (let n = 0; n < count; n += 1) {
    await pause(it.run.random() * 300);
    await it.proxy.cut();
    await pause(it.run.random() < 0.5 ? 0 : it.run.random() * 400);
    await it.proxy.restore();
  }
  return `${count} times all connections cut`;
};

const taken = (it: Storm) => async (): Promise<string> => {
  const rounds = sized(it.run, 10);
  let most = 0;
  for (let n = 0; n < rounds; n += 1) {
    const others: pg.Client[] = [];
    await it.proxy.cut();
    for (;;) {
      const other = new pg.Client({ ...it.api.database.connection });
      other.on("error", () => undefined);
      const connected = await other.connect().then(
        () => true,
        () => false,
      );
      if (!connected) break;
      others.push(other);
    }
    await it.proxy.restore();
    most = Math.max(most, others.length);
    await pause(500 + it.run.random() * 500);
    for (const other of others) await other.end();
    await pause(200);
  }
  return `${rounds} times up to ${most} of ${maxConnections} connections taken by others`;
};

const slow = (it: Storm) => async (): Promise<string> => {
  const rounds = sized(it.run, 10);
  for (let n = 0; n < rounds; n += 1) {
    it.proxy.delay(20 + it.run.random() * 200);
    await pause(1_000);
    it.proxy.delay(0);
    await pause(200);
  }
  return `${rounds} times a second of answers up to 220 ms late each way`;
};

const swallowed = (it: Storm) => async (): Promise<string> => {
  const rounds = sized(it.run, 3);
  for (let n = 0; n < rounds; n += 1) {
    it.proxy.swallow(true);
    await pause(1_000);
    it.proxy.swallow(false);
    await it.proxy.cut();
    await it.proxy.restore();
    await pause(200);
  }
  return `${rounds} times a second of packets lost`;
};

/** Many times more concurrent requests than connections. */
async function crowd({ run, api, shop }: Storm): Promise<string[]> {
  const asking = storm(shop, api.url, sized(run, 500, 60));
  await pause(2_000);
  const tally = await asking.stop();
  run.say(`a crowd: ${inWords(tally)}`);
  return tally.odd.slice(0, 3).map((odd) => `a crowd: ${odd}`);
}

/** Moving the anchor back has the same effect as moving the clock forward. */
const jump = (api: OwnApi, milliseconds: number) =>
  api.opened.database
    .reader()
    .all(
      sql`UPDATE calendar SET anchor_database = anchor_database - ${Math.round(milliseconds)} * interval '1 millisecond'`,
    );

const upToADay = (run: HardRun): number => (run.random() - 0.5) * 2 * 86_400_000;

/** The clock of the database's host jumps back and forth: two processes' calendars are read again and again. */
async function calendars({ run, api }: Storm): Promise<string[]> {
  const clock = () => performance.now();
  const { database } = api.opened;
  const both = [await SharedCalendar.open(database, clock, 1), await SharedCalendar.open(database, clock, null)];
  const latest = both.map((calendar) => calendar.now());
  const jumps = sized(run, 300, 20);
  let [back, stood] = [0, 0];
  const began = clock();
  for (let n = 0; n < jumps; n += 1) {
    await jump(api, upToADay(run));
    await pause(10 * run.random());
    for (const [index, calendar] of both.entries()) {
      const before = calendar.now();
      if (run.random() < 0.7) await calendar.resync();
      if (calendar.now() < before || before < (latest[index] ?? 0)) back += 1;
      latest[index] = calendar.now();
    }
  }
  // The clock is steady again. A calendar that was not read again while the database's clock went back waits for the
  // database by at most the time of the jumps; after that both must continue.
  for (const calendar of both) await calendar.resync();
  await pause(clock() - began);
  const stands: { calendar: SharedCalendar; at: number; lag: number }[] = [];
  for (const calendar of both) {
    const reading = clock();
    await calendar.resync();
    // It counts from after the reading, so it waits for the database by as much as the reading took on a busy machine.
    stands.push({ calendar, at: calendar.now(), lag: clock() - reading });
  }
  await pause(300);
  for (const { calendar, at, lag } of stands) if (calendar.now() - at < 250 - lag) stood += 1;
  for (const calendar of both) calendar.stop();
  run.say(`${jumps} jumps of the database's clock, up to a day either way: ${back} times back, ${stood} stood still`);
  return back + stood === 0 ? [] : [`the calendar went back ${back} times, and stood still ${stood} times`];
}

/** What is counted in real time continues while the calendar jumps: as many requests are admitted as usual. */
async function limits({ run, api }: Storm): Promise<string[]> {
  const rule = { capacity: 20, leak_per_second: 10 };
  const shop = await openHardShop(api.opened, { limits: { ...rule } });
  const asking = clientOf(shop, api.url);
  const began = performance.now();
  let [admitted, asked, jumps] = [0, 0, 0];
  while (performance.now() - began < 3_000) {
    if (asked % 10 === 0) {
      await jump(api, upToADay(run));
      await api.opened.sharedCalendar.resync();
      jumps += 1;
    }
    asked += 1;
    if ((await asking.get("/v1/store")).status === 200) admitted += 1;
  }
  const due = rule.capacity + (rule.leak_per_second * (performance.now() - began)) / 1_000;
  run.say(`${jumps} jumps beside ${asked} requests: ${admitted} admitted, ${Math.floor(due)} by the rule`);
  return Math.abs(admitted - due) <= 3 ? [] : [`${admitted} requests were admitted, ${due} by the rule`];
}

async function run(hard: HardRun): Promise<readonly string[]> {
  const opened = Promise.withResolvers<TcpProxy>();
  const api = await openOwnApi({
    openDatabase: () => openOwnServer(serverSettings),
    throughPort: async (connection) => {
      const proxy = await openProxy(connection);
      hard.atEnd(() => proxy.close());
      opened.resolve(proxy);
      return proxy.port;
    },
  });
  hard.atEnd(() => api.close());
  const shop = await openHardShop(api.opened);
  const it: Storm = { run: hard, api, shop, proxy: await opened.promise };
  return [
    ...(await weather(it, "cuts", cuts(it))),
    ...(await weather(it, "taken", taken(it))),
    ...(await weather(it, "slow", slow(it))),
    ...(await weather(it, "lost", swallowed(it))),
    ...(await crowd(it)),
    ...(await limits(it)),
    ...(await calendars(it)),
  ];
}

export const suite: HardSuite = {
  name: "storms",
  what: "connections cut, taken, slow and lost, crowds, and a clock that jumps: 503 meanwhile, all as before afterwards",
  short: 0.02,
  run,
};
