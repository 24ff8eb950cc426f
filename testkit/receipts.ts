import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** What receivers in separate processes received, and how fast. */

export interface Receipt {
  /** `evt_...` */
  id: string;
  /** SHA-256 */
  body: string;
  /** Unix ms; it arrived between the two */
  earliest: number;
  latest: number;
}

export interface Receivers {
  /** `host:port`, in the form of WEBHOOK_ALLOW_HOSTS */
  host: string;
  /** Fetches what has arrived since the last call; returns the total number. */
  collect(): Promise<number>;
  /** What has been collected, by path, in order of arrival. */
  at(path: string): readonly Receipt[];
  close(): void;
}

type Sent = [path: string, id: string, body: string, earliest: number, latest: number];

export async function openReceivers(): Promise<Receivers> {
  const child: ChildProcess = fork(join(import.meta.dirname, "receiver-process.ts"));
  const [port] = (await once(child, "message")) as [number];
  const byPath = new Map<string, Receipt[]>();
  let count = 0;
  let asking: Promise<number> | null = null;
  const ask = async (): Promise<number> => {
    const answer = once(child, "message");
    child.send("collect");
    const [sent] = (await answer) as [Sent[]];
    for (const [path, id, body, earliest, latest] of sent) {
      const receipts = byPath.get(path) ?? [];
      byPath.set(path, receipts);
      receipts.push({ id, body, earliest, latest });
    }
    count += sent.length;
    return count;
  };
  return {
    host: `127.0.0.1:${port}`,
    collect: () => {
      asking ??= ask().finally(() => {
        asking = null;
      });
      return asking;
    },
    at: (path) => byPath.get(path) ?? [],
    close: () => child.disconnect(),
  };
}

export interface Fastest {
  /** the most requests in any one second, by the times at which the receiver read them */
  seen: number;
  /** the most requests that certainly arrived within one second, even if the receiver read them late */
  certain: number;
}

/** The busiest second of a receiver. Pure. */
export function fastestSecond(receipts: readonly Receipt[]): Fastest {
  const most = { seen: 0, certain: 0 };
  let [seenFrom, certainFrom] = [0, 0];
  for (const [last, { latest }] of receipts.entries()) {
    while ((receipts[seenFrom]?.latest ?? latest) <= latest - 1_000) seenFrom += 1;
    while ((receipts[certainFrom]?.earliest ?? latest) <= latest - 1_000) certainFrom += 1;
    most.seen = Math.max(most.seen, last - seenFrom + 1);
    most.certain = Math.max(most.certain, last - certainFrom + 1);
  }
  return most;
}

export interface Repeats {
  distinct: number;
  duplicates: number;
  /** ids that arrived with different bodies */
  changed: string[];
}

/** How often each event arrived. Pure. */
export function repeatsOf(receipts: readonly Receipt[]): Repeats {
  const bodies = new Map<string, string>();
  const changed = new Set<string>();
  for (const { id, body } of receipts) {
    const known = bodies.get(id) ?? body;
    bodies.set(id, known);
    if (known !== body) changed.add(id);
  }
  return { distinct: bodies.size, duplicates: receipts.length - bodies.size, changed: [...changed] };
}
