import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { withClient } from "../testkit/nodes.ts";

/** Process ids of the PostgreSQL servers' first processes: the server's, then its cluster's workers'. Only on Linux. */
export async function serversOf(connection: pg.ClientConfig, workers: readonly number[]): Promise<number[]> {
  const pids: number[] = [];
  for (const port of [connection.port, ...workers]) {
    pids.push(await withClient({ ...connection, ...(port === undefined ? {} : { port }) }, firstProcess));
  }
  return pids;
}

async function firstProcess(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder");
  return Number.parseInt(readFileSync(join(rows[0]?.folder ?? "", "postmaster.pid"), "utf8"), 10);
}

/** Linux counts processor time in hundredths of a second. */
const tickUs = 10_000;

interface Times {
  parent: number;
  own: number;
  /** of children that have ended */
  ended: number;
}

function timesOf(pid: string): Times | null {
  try {
    // the name, in parentheses, may contain spaces
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent, own: user + system, ended: endedUser + endedSystem };
  } catch {
    // it ended meanwhile
    return null;
  }
}

/** Processor time of a server so far, in us: of its first process and the others, also those that ended. */
export function processorTimeOf(server: number): number {
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const times = timesOf(pid);
    if (times === null) continue;
    if (Number(pid) === server) ticks += times.own + times.ended;
    else if (times.parent === server) ticks += times.own;
  }
  return ticks * tickUs;
}
