import type { Database } from "./database/database.ts";
import { sql } from "./database/sql.ts";
import type { ElapsedClock } from "./deadline.ts";

/**
 * Calendar time, for stored times and business schedules (idle sessions, expiries, retention). All processes share it,
 * because it is derived from one row in the database. It runs `speed` times as fast as real time, and never goes back,
 * not even over a restart at another speed or after the machine's own clock was set back.
 */
export interface Calendar {
  /** milliseconds since 1970 */
  now(): number;
  /** the calendar time after that much real time: for leases, which do not run faster [time.clock] */
  afterReal(milliseconds: number): number;
}

/** Real time, ms since 1970: for checking signatures and codes made by others. */
export const unixNow = (): number => Math.floor(performance.timeOrigin + performance.now());

/** A reading of the database's clock, paired with this process's elapsed time. */
interface Anchor {
  calendar: number;
  elapsed: number;
}

const resyncMs = 30_000;

export class SharedCalendar implements Calendar {
  readonly #database: Database;
  readonly #elapsed: ElapsedClock;
  #speed: number;
  #anchor: Anchor;
  #latest = 0;
  #timer: NodeJS.Timeout;

  private constructor(database: Database, elapsed: ElapsedClock, speed: number, anchor: Anchor) {
    this.#database = database;
    this.#elapsed = elapsed;
    this.#speed = speed;
    this.#anchor = anchor;
    this.#timer = setInterval(() => void this.resync(), resyncMs).unref();
  }

  /** `speed`: sets the speed for all processes; null keeps the stored one. */
  static async open(database: Database, elapsed: ElapsedClock, speed: number | null): Promise<SharedCalendar> {
    const found = await readCalendar(database, speed);
    const anchor = { calendar: found.now, elapsed: elapsed() };
    return new SharedCalendar(database, elapsed, found.speed, anchor);
  }

  now(): number {
    const passed = (this.#elapsed() - this.#anchor.elapsed) * this.#speed;
    this.#latest = Math.max(this.#latest, Math.floor(this.#anchor.calendar + passed));
    return this.#latest;
  }

  afterReal(milliseconds: number): number {
    return this.now() + milliseconds * this.#speed;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Reads the shared calendar again; runs by itself every half minute. */
  async resync(): Promise<void> {
    try {
      const found = await readCalendar(this.#database, null);
      // counted from after the reading, so that no process is ever ahead of the database
      this.#anchor = { calendar: found.now, elapsed: this.#elapsed() };
      this.#speed = found.speed;
    } catch {
      // the database is away: elapsed time continues from the last reading, and the next round tries again
    }
  }
}

/**
 * Reads the calendar and stores the latest time it showed [time.clock-steps]. A speed other than the stored one starts
 * a new anchor at the current calendar time; so does a database clock that went back, so that the calendar pauses
 * rather than going back.
 */
async function readCalendar(database: Database, speed: number | null): Promise<{ now: number; speed: number }> {
  return database.transaction(async (tx) => {
    const row = await tx.first(sql<{ now: number; speed: number }>`
      /* clock */
      INSERT INTO calendar AS c (only_row, anchor_calendar, anchor_database, speed, latest)
      VALUES (true, clock_timestamp(), clock_timestamp(), ${speed ?? 1}::float8, clock_timestamp())
      ON CONFLICT (only_row) DO UPDATE SET
        anchor_calendar = ${presentTime}, anchor_database = clock_timestamp(),
        speed = coalesce(${speed}::float8, c.speed), latest = ${presentTime}
      RETURNING floor(extract(epoch FROM latest) * 1000)::float8 AS now, speed`);
    if (!row) throw new Error("the calendar has no row");
    return row;
  });
}

const presentTime = sql`greatest(
  c.latest,
  c.anchor_calendar + (clock_timestamp() - c.anchor_database) * c.speed
)`;

const dayMs = 86_400_000;
const padded = (count: number, digits: number) =>
  Array.from({ length: count }, (_, number) => String(number).padStart(digits, "0"));
/** `Date` supports no later time */
const lastMs = 8.64e15;
const [twoDigits, threeDigits] = [padded(60, 2), padded(1_000, 3)];
/** the last formatted day, with its text up to the hour */
let cachedDay = { start: Number.NaN, text: "" };

export const timeOrNull = (at: Date | number | null): string | null => (at === null ? null : isoTime(at));

/** Like `Date.toISOString`, in half the time: times formatted together are mostly of one day. */
export function isoTime(at: Date | number): string {
  const ms = Number(at);
  if (!Number.isInteger(ms) || Math.abs(ms) > lastMs) return new Date(ms).toISOString();
  if (!(ms >= cachedDay.start && ms < cachedDay.start + dayMs)) {
    const start = Math.floor(ms / dayMs) * dayMs;
    cachedDay = { start, text: new Date(start).toISOString().slice(0, -"00:00:00.000Z".length) };
  }
  const inDay = ms - cachedDay.start;
  const seconds = Math.floor(inDay / 1_000);
  const minutes = Math.floor(seconds / 60);
  const time = `${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}`;
  return `${cachedDay.text}${time}.${threeDigits[inDay % 1_000]}Z`;
}
