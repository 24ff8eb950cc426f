import { readdir, readFile } from "node:fs/promises";
import type pg from "pg";
import { median } from "./support.ts";

/** Memory of the processes of a load run, in MB, every five seconds. */

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

const fieldOf = async (file: string, field: RegExp): Promise<number> =>
  Number(field.exec(await readFile(file, "utf8").catch(() => ""))?.[1] ?? 0) / 1_024;

const parentOf = async (pid: number | string): Promise<number> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
};

/**
 * All processes of the server that the client is connected to; memory that they share counts once. 0 where they run on
 * another machine, or cannot be looked at.
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

  /** The last readings, as `serve 210 MB, work 140 MB`. */
  line(): string {
    const parts = this.#watched.map(
      ({ name }) => `${name} ${Math.round(this.#readings.get(name)?.at(-1)?.megabytes ?? 0)}`,
    );
    return `${parts.join(", ")} MB`;
  }

  /**
   * From the median of the first third to that of the last one, ten minutes each in a run of thirty: V8 takes and gives back
   * its heap in steps of up to a hundred MB, so that a single minute says little.
   */
  stop(): Growth[] {
    clearInterval(this.#timer);
    const third = (performance.now() - this.#begun) / 3;
    return this.#watched.map(({ name }) => {
      const medianOf = (from: number, to: number) => {
        const within = (this.#readings.get(name) ?? []).filter(({ at }) => at > from && at <= to);
        return median(within.map(({ megabytes }) => megabytes));
      };
      const [early, late] = [medianOf(0, third), medianOf(2 * third, 3 * third)];
      return { name, early, late, percent: early === 0 ? 0 : (late / early - 1) * 100 };
    });
  }
}
