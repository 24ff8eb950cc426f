import { readdir, readFile } from "node:fs/promises";
import type pg from "pg";

/** Memory of a load run's processes, in MB, every five seconds. */

export interface Watched {
  name: string;
  /** MB */
  memory(): Promise<number>;
}

export interface Growth {
  name: string;
  early: number;
  late: number;
  percent: number;
}

const everyMs = 5_000;
const minuteMs = 60_000;
const warmMs = 6 * minuteMs;

const fieldOf = async (file: string, field: RegExp): Promise<number> =>
  Number(field.exec(await readFile(file, "utf8").catch(() => ""))?.[1] ?? 0) / 1_024;

const parentOf = async (pid: number | string): Promise<number> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
};

/**
 * Measures all processes of the server that the client is connected to; shared memory counts once. 0 if they run on
 * another machine, or cannot be inspected.
 */
export async function postgresMemory(client: pg.Client): Promise<() => Promise<number>> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const postmaster = await parentOf(rows[0]?.pid ?? 0);
  return async () => {
    if (postmaster <= 1) return 0;
    const all = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    let sum = 0;
    for (const pid of all) {
      if (Number(pid) !== postmaster && (await parentOf(pid)) !== postmaster) continue;
      sum += await fieldOf(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+)/m);
    }
    return sum;
  };
}

export class MemoryWatch {
  readonly #watched: readonly Watched[];
  readonly #readings = new Map<string, { at: number; megabytes: number }[]>();
  readonly #begun = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor(watched: readonly Watched[]) {
    this.#watched = watched;
    this.#timer = setInterval(() => void this.#read(), everyMs);
  }

  async #read(): Promise<void> {
    const at = performance.now() - this.#begun;
    for (const { name, memory } of this.#watched) {
      const readings = this.#readings.get(name) ?? [];
      this.#readings.set(name, readings);
      readings.push({ at, megabytes: await memory() });
    }
  }

  /** The latest readings, as `serve 210 MB, work 140 MB`. */
  line(): string {
    const parts = this.#watched.map(
      ({ name }) => `${name} ${Math.round(this.#readings.get(name)?.at(-1)?.megabytes ?? 0)}`,
    );
    return `${parts.join(", ")} MB`;
  }

  /**
   * Growth from the mean of the sixth minute to that of the last: before that, the open columnar copies grow to the
   * size that each has after its first change. In runs below twelve minutes, from the second quarter to the last.
   */
  stop(): Growth[] {
    clearInterval(this.#timer);
    const length = performance.now() - this.#begun;
    const part = Math.min(minuteMs, length / 4);
    const warm = length >= 2 * warmMs ? warmMs - minuteMs : part;
    return this.#watched.map(({ name }) => {
      const meanOf = (from: number, to: number) => {
        const within = (this.#readings.get(name) ?? []).filter(({ at }) => at > from && at <= to);
        return within.reduce((sum, { megabytes }) => sum + megabytes, 0) / Math.max(1, within.length);
      };
      const [early, late] = [meanOf(warm, warm + part), meanOf(length - part, length)];
      return { name, early, late, percent: early === 0 ? 0 : (late / early - 1) * 100 };
    });
  }
}
