import { open, rm } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import type pg from "pg";
import { copyOut } from "./copy-out.ts";
import type { LeftOut } from "./left-out.ts";
import type { SyncNote } from "./metrics.ts";
import { both, inTransaction } from "./slot.ts";
import { type CopiedRows, changesSince, type Extent, linesOf, ordersOf, peopleOf, sessionsOf } from "./source.ts";
import {
  type StagedParts,
  settleChanged,
  stageChanges,
  stageSessions,
  takeLines,
  takeOrders,
  takeOutChanged,
  takePeople,
  takeSessionKeys,
  takeSessions,
  takeShownProducts,
  touchStaged,
} from "./take-over.ts";
import { takeStagedVersions } from "./versions.ts";

/** Many changes of a store, by way of files. */

export type Changed = Extent & { since: number };

export interface Taken<Of = Extent> {
  extent: Of;
  /** writes down what the copy is of now */
  settle: () => Promise<void>;
  note: SyncNote;
}

interface ManyTools {
  client: pg.PoolClient;
  duck: DuckDBConnection;
  /** how large a file of sessions grows before the next is begun */
  partBytes: number;
  nextPath: () => string;
  /** waits for the right to write to copies */
  write: (work: () => Promise<void>) => Promise<void>;
}

export async function takeMany(tools: ManyTools, { extent, settle, note }: Taken<Changed>): Promise<void> {
  const { client, duck } = tools;
  const paths: string[] = [];
  const leave = (left: LeftOut) => note.leftOut.push(left);
  try {
    const { changes, staged, more, rows, people, orders, lines } = await stage(tools, paths, extent, leave);
    await tools.write(() =>
      inTransaction(duck, async () => {
        await takeOutChanged(duck, changes);
        await takePeople(duck, ...people);
        let joined = 0;
        const take = async (some: StagedParts | null) => {
          if (!some) return;
          await takeStagedVersions(duck, client, extent.storeId);
          await takeSessionKeys(duck);
          await takeShownProducts(duck, some);
          await takeSessions(duck, some);
          joined += await touchStaged(duck, some);
        };
        await take(staged);
        for (const path of more) await take(await stageSessions(duck, path, rows, leave));
        await takeOrders(duck, ...orders);
        await takeLines(duck, ...lines);
        await settleChanged(duck, changes, joined);
        await settle();
      }),
    );
  } finally {
    for (const path of paths) await rm(path, { force: true });
  }
}

/**
 * Fetched and staged before the turn at writing, since so much takes the network a while: it does not hold up others.
 * PostgreSQL hands over while DuckDB reads what came before. Of sessions the first file is staged: what several of them
 * hold would take too much memory at once.
 */
async function stage(
  { client, duck, partBytes: sessionBytes, nextPath: pathOf }: ManyTools,
  paths: string[],
  extent: Changed,
  leave: (left: LeftOut) => void,
) {
  const fetch = async (rows: CopiedRows, partBytes = Number.POSITIVE_INFINITY): Promise<string[]> => {
    const own: string[] = [];
    const nextPath = () => {
      const path = pathOf();
      paths.push(path);
      own.push(path);
      return path;
    };
    await copyOut(client, rows.query, { partBytes, nextPath, take: async () => undefined });
    if (own.length === 0) await (await open(nextPath(), "wx", 0o600)).close();
    return own;
  };
  const whole = async (rows: CopiedRows): Promise<[string, CopiedRows]> => [(await fetch(rows))[0] ?? "", rows];
  const rows = sessionsOf(extent);
  const changed = await whole(changesSince(extent.storeId, extent.since));
  const [changes, [first = "", ...more]] = await both(stageChanges(duck, ...changed), fetch(rows, sessionBytes));
  const rest = async () => ({
    people: await whole(peopleOf(extent)),
    orders: await whole(ordersOf(extent)),
    lines: await whole(linesOf(extent)),
  });
  const [staged, others] = await both(stageSessions(duck, first, rows, leave), rest());
  return { changes, staged, more, rows, ...others };
}
