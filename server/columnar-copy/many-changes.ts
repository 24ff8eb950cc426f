import { open, rm } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import type pg from "pg";
import { copyOut } from "./copy-out.ts";
import type { LeftOut } from "./left-out.ts";
import type { SyncNote } from "./metrics.ts";
import { both, inTransaction } from "./slot.ts";
import { type CopiedRows, changesSince, type Extent, linesOf, ordersOf, peopleOf, sessionsOf } from "./source.ts";
import {
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
} from "./take-over.ts";
import { takeStagedVersions } from "./versions.ts";

/** Many changes of a store, by way of files: as much as fits a file of each kind, which DuckDB reads at once. */

export type Changed = Extent & { since: number };

export interface Taken<Of = Extent> {
  extent: Of;
  /** writes down what the copy is of now */
  settle: () => Promise<void>;
  note: SyncNote;
}

interface ManyDeps {
  client: pg.PoolClient;
  duck: DuckDBConnection;
  nextPath: () => string;
  /** waits for the right to write to copies */
  write: (work: () => Promise<void>) => Promise<void>;
}

export async function takeMany(deps: ManyDeps, { extent, settle, note }: Taken<Changed>): Promise<void> {
  const { client, duck } = deps;
  const paths: string[] = [];
  const leave = (left: LeftOut) => note.leftOut.push(left);
  try {
    const { changes, staged, people, orders, lines } = await stage(deps, paths, extent, leave);
    await deps.write(() =>
      inTransaction(duck, async () => {
        await takeOutChanged(duck, changes);
        await takePeople(duck, ...people);
        if (staged) {
          await takeStagedVersions(duck, client, extent.storeId);
          await takeSessionKeys(duck);
          await takeShownProducts(duck, staged);
          await takeSessions(duck, staged);
        }
        await takeOrders(duck, ...orders);
        await takeLines(duck, ...lines);
        await settleChanged(duck, changes, staged);
        await settle();
      }),
    );
  } finally {
    for (const path of paths) await rm(path, { force: true });
  }
}

/**
 * Fetched and staged before the turn at writing, since so much takes the network a while: it does not hold up others.
 * PostgreSQL hands over while DuckDB reads what came before.
 */
async function stage(
  { client, duck, nextPath }: ManyDeps,
  paths: string[],
  extent: Changed,
  leave: (left: LeftOut) => void,
) {
  const fetch = async (rows: CopiedRows): Promise<[string, CopiedRows]> => {
    const path = nextPath();
    paths.push(path);
    const none = await open(path, "wx", 0o600);
    await none.close();
    await copyOut(client, rows.query, {
      partBytes: Number.POSITIVE_INFINITY,
      nextPath: () => path,
      take: async () => undefined,
    });
    return [path, rows];
  };
  const changed = await fetch(changesSince(extent.storeId, extent.since));
  const [changes, sessions] = await both(stageChanges(duck, ...changed), fetch(sessionsOf(extent)));
  const rest = async () => ({
    people: await fetch(peopleOf(extent)),
    orders: await fetch(ordersOf(extent)),
    lines: await fetch(linesOf(extent)),
  });
  const [staged, others] = await both(stageSessions(duck, ...sessions, leave), rest());
  return { changes, staged, ...others };
}
