import { rm } from "node:fs/promises";
import type pg from "pg";
import { together } from "../platform/database/together.ts";
import { type Change, findKnown, type Known, markLatestOf, removeKnown, unlinkPeople } from "./changes.ts";
import { copyOut } from "./copy-out.ts";
import { inTransaction, type WriteConnection } from "./duck.ts";
import {
  insertLines,
  insertOrders,
  insertPeople,
  insertSessions,
  numberKeys,
  type RowsFile,
  stageSessions,
} from "./insert-files.ts";
import type { LeftOut } from "./left-out.ts";
import { type CopiedRows, type Extent, linesOf, ordersOf, peopleOf, sessionsOf } from "./source.ts";

/** Copies a whole store, or many changes, through files that PostgreSQL writes and DuckDB reads. */

export interface FileDeps {
  storeId: string;
  client: pg.PoolClient;
  /** a connection on which the store's file is selected (USE) */
  duck: WriteConnection;
  /** opens another such connection */
  secondDuck: () => Promise<WriteConnection>;
  /**
   * opens a connection that reads versions while `client` streams sessions; versions never change, so it need not share
   * the snapshot
   */
  documents: () => Promise<pg.PoolClient>;
  nextPath: () => string;
  /** size in bytes at which a file of a first load is inserted */
  partBytes: number;
  /** waits for permission to write to copies */
  write: (work: () => Promise<void>) => Promise<void>;
  /** the statements that record the state that the copy now has */
  finish: () => readonly string[];
  /** receives the rows that are left out */
  leave: (left: LeftOut) => void;
}

/**
 * Loads each file in its own transaction. The copy gets its revision with the last one, so no question uses it earlier.
 */
export async function loadFiles(deps: FileDeps): Promise<void> {
  const { duck, write, finish } = deps;
  const extent = { storeId: deps.storeId, since: null };
  const load = (rows: CopiedRows, insert: typeof insertPeople) =>
    eachFile(deps, rows, (file) => write(() => inTransaction(duck, () => insert(duck, file))));
  await load(peopleOf(extent), insertPeople);
  await loadSessions(deps, sessionsOf(extent));
  await load(ordersOf(extent), insertOrders);
  await load(linesOf(extent), insertLines);
  await write(() => inTransaction(duck, async () => markLatestOf(duck, "person IS NOT NULL"), finish));
}

/** Fetches rows into files, the next one while `insert` works on the previous. */
async function eachFile(
  { client, nextPath, partBytes }: FileDeps,
  { query, columns }: CopiedRows,
  insert: (file: RowsFile) => Promise<void>,
): Promise<void> {
  const paths: string[] = [];
  const newPath = () => {
    const path = nextPath();
    paths.push(path);
    return path;
  };
  const insertAndRemove = async (path: string) => {
    await insert({ path, columns });
    await rm(path, { force: true });
  };
  try {
    await copyOut(client, query, { partBytes, nextPath: newPath, work: insertAndRemove });
  } finally {
    for (const path of paths) await rm(path, { force: true });
  }
}

/**
 * Inserts two files at a time, since DuckDB uses only one core for a file of some ten thousand rows, however many
 * threads it may use. Numbers are assigned by one file at a time; tables are filled in parallel.
 */
async function loadSessions(deps: FileDeps, rows: CopiedRows): Promise<void> {
  const { storeId, duck, write, leave } = deps;
  const second = await deps.secondDuck();
  const documents = await deps.documents();
  /** a connection's next file waits until its previous one is inserted */
  const inserters = [duck, second].map((connection) => ({ connection, busy: Promise.resolve() }));
  let numbering = Promise.resolve();
  let files = 0;
  const insert = async (file: RowsFile) => {
    const inserter = inserters[files++ % inserters.length];
    if (!inserter) throw new Error("a load needs a connection");
    await inserter.busy;
    const { connection } = inserter;
    const staged = await stageSessions(connection, file, leave);
    numbering = numbering.then(() =>
      write(() => inTransaction(connection, () => numberKeys(connection, documents, storeId, staged))),
    );
    inserter.busy = numbering.then(() =>
      write(() => inTransaction(connection, () => insertSessions(connection, staged))),
    );
    // rethrown at the next await; until then a failure must not count as an unhandled rejection
    for (const promise of [numbering, inserter.busy]) promise.catch(() => undefined);
  };
  try {
    await eachFile(deps, rows, insert);
  } finally {
    // after a failure too, since a connection must not be closed while it is in use
    await Promise.allSettled(inserters.map(({ busy }) => busy));
    second.close();
    documents.release();
  }
  await Promise.all(inserters.map(({ busy }) => busy));
}

/**
 * Fetches and stages the files before waiting for permission to write, since fetching them over the network takes a
 * while and would hold up other writers.
 */
export async function applyFiles(deps: FileDeps, extent: Extent, changes: readonly Change[]): Promise<void> {
  const { duck, client, storeId, write, finish } = deps;
  const paths: string[] = [];
  try {
    const { staged, people, orders, lines } = await stage(deps, paths, extent);
    await write(() =>
      inTransaction(
        duck,
        async () => {
          const known = await findKnown(duck, changes);
          noteCompleted(duck, known);
          await removeKnown(duck, known, known.isOfSession !== null);
          if (people) await insertPeople(duck, people);
          if (staged) {
            await numberKeys(duck, client, storeId, staged);
            await insertSessions(duck, staged);
          }
          if (orders) await insertOrders(duck, orders);
          if (lines) await insertLines(duck, lines);
          await unlinkPeople(duck, known.gone);
          if (staged) duck.sendLater(`INSERT INTO temp.completed ${completedPeople} FROM temp.staged ${areCompleted}`);
          markLatestOf(duck, "person IN (SELECT person FROM temp.completed)");
        },
        finish,
      ),
    );
  } finally {
    for (const path of paths) await rm(path, { force: true });
  }
}

/** PostgreSQL sends the next rows while DuckDB reads the previous ones. */
async function stage({ client, duck, nextPath, leave }: FileDeps, paths: string[], extent: Extent) {
  const fetch = async ({ query, columns }: CopiedRows): Promise<RowsFile | null> => {
    let file: RowsFile | null = null;
    const newPath = () => {
      const path = nextPath();
      paths.push(path);
      return path;
    };
    const work = async (path: string) => {
      file = { path, columns };
    };
    await copyOut(client, query, { partBytes: Number.POSITIVE_INFINITY, nextPath: newPath, work });
    return file;
  };
  const sessions = await fetch(sessionsOf(extent));
  const rest = async () => ({
    people: await fetch(peopleOf(extent)),
    orders: await fetch(ordersOf(extent)),
    lines: await fetch(linesOf(extent)),
  });
  const [staged, others] = await together([
    sessions ? stageSessions(duck, sessions, leave) : Promise.resolve(null),
    rest(),
  ]);
  return { staged, ...others };
}

const completedPeople = "SELECT DISTINCT person";
const areCompleted = "WHERE person IS NOT NULL AND completed IS NOT NULL";

/** Fills `completed` with the people of the changed sessions whose newest completed session may have changed. */
function noteCompleted(duck: WriteConnection, { isOfSession }: Known): void {
  duck.sendLater(
    `CREATE OR REPLACE TEMP TABLE completed AS
     ${completedPeople} FROM sessions ${areCompleted} AND ${isOfSession ?? "false"}`,
  );
}
