import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../testkit/database.ts";
import { timed } from "../../testkit/timed.ts";
import { isoTime, SharedCalendar } from "./clock.ts";
import { openLog } from "./log.ts";

let t: TestDatabase;
let admin: pg.Client;
const open: SharedCalendar[] = [];
const calendar = async (speed: number | null, elapsed = () => performance.now()) => {
  const made = await SharedCalendar.open(t.database, elapsed, speed);
  open.push(made);
  return made;
};
beforeAll(async () => {
  t = await openTestDatabase(openLog("silent", { write: () => undefined }));
  admin = new pg.Client(t.connection);
  await admin.connect();
});
beforeEach(() => admin.query("DELETE FROM calendar"));
afterEach(() => {
  for (const each of open.splice(0)) each.stop();
});
afterAll(async () => {
  await admin.end();
  await t.close();
});

const databaseNow = async () => {
  const { rows } = await admin.query("SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now");
  return rows[0].now as number;
};

describe("the calendar [time.clock, time.clock-steps]", () => {
  it("begins with the database's time and goes with it", async () => {
    const { result: one, tookMs } = await timed(() => calendar(null));
    const before = await databaseNow();
    const now = one.now();
    // known as exactly as the database's answer came soon
    const inexact = Math.max(500, tookMs);
    expect(now - before).toBeGreaterThan(-inexact);
    expect(now - (await databaseNow())).toBeLessThan(inexact);
    await pause(50);
    expect(one.now() - now).toBeGreaterThanOrEqual(45);
    expect(isoTime(one.now())).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("runs 60 times as fast at CLOCK_SPEED 60, for every process that follows", async () => {
    let elapsed = 0;
    const owner = await calendar(60, () => elapsed);
    const follower = await calendar(null, () => elapsed);
    const [a, b] = [owner.now(), follower.now()];
    elapsed += 30_000;
    expect([owner.now() - a, follower.now() - b]).toEqual([1_800_000, 1_800_000]);
  });

  it("is the same in two processes", async () => {
    const opened = await timed(async () => [await calendar(60), await calendar(null)] as const);
    const [one, other] = opened.result;
    await pause(100);
    const { tookMs } = await timed(() => other.resync());
    // a speed of 60 makes a minute of each second that a statement takes
    expect(Math.abs(one.now() - other.now())).toBeLessThan(60 * Math.max(200, opened.tookMs + tookMs));
  });

  it("never goes back when it is opened again, at another speed or the same", async () => {
    let latest = 0;
    for (const speed of [1, 60, 1, null, 1_000, 2, null, 1]) {
      const next = await calendar(speed);
      expect(next.now()).toBeGreaterThanOrEqual(latest);
      await pause(20);
      latest = next.now();
      await next.resync();
      expect(next.now()).toBeGreaterThanOrEqual(latest);
      latest = next.now();
      next.stop();
    }
  });

  it("stands, and does not return, when the database's clock was set back", async () => {
    const one = await calendar(1);
    const before = one.now();
    // the same as a server clock that lost an hour: what it showed lies ahead of what it shows
    await admin.query(
      `UPDATE calendar SET anchor_database = anchor_database + interval '1 hour', latest = to_timestamp($1::float8 / 1000)`,
      [before],
    );
    await one.resync();
    expect(one.now()).toBeGreaterThanOrEqual(before);
    const other = await calendar(null);
    expect(other.now()).toBeGreaterThanOrEqual(before);
    expect(other.now() - before).toBeLessThan(5_000);
    await pause(30);
    // and it goes on from there
    expect(other.now()).toBeGreaterThan(before);
  });

  it("follows a change of speed by another process", async () => {
    let elapsed = 0;
    const follower = await calendar(null, () => elapsed);
    await calendar(60);
    await follower.resync();
    const before = follower.now();
    elapsed += 1_000;
    expect(follower.now() - before).toBeGreaterThanOrEqual(59_000);
  });

  it("goes on by elapsed time while the database is away", async () => {
    let elapsed = 0;
    const away = await openTestDatabase(openLog("silent", { write: () => undefined }));
    const one = await SharedCalendar.open(away.database, () => elapsed, 1);
    await away.close();
    const before = one.now();
    elapsed += 5_000;
    await one.resync();
    expect(one.now() - before).toBe(5_000);
    one.stop();
  });
});

it("writes any moment as Date does, one after the other in any order [time.timestamps]", () => {
  const moment = fc.oneof(
    fc.integer({ min: -8.64e15, max: 8.64e15 }),
    fc.integer({ min: 1_780_000_000_000 - 86_400_000, max: 1_780_000_000_000 + 86_400_000 }),
    fc.constantFrom(0, -1, 86_399_999, 86_400_000, -86_400_000, 253_402_300_799_999, 253_402_300_800_000, 1.5, -0.5),
  );
  fc.assert(
    fc.property(fc.array(moment), (moments) => {
      for (const each of moments) {
        expect(isoTime(each)).toBe(new Date(each).toISOString());
        expect(isoTime(new Date(each))).toBe(new Date(each).toISOString());
      }
    }),
  );
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
  expect(() => isoTime(8.64e15 + 1)).toThrow(RangeError);
});
