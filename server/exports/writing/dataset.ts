import type { TSchema } from "typebox";
import { type FoundPeople, findPeople } from "../../profiles/search/find-people.ts";
import type { Column } from "./columns.ts";
import type { BuildContext } from "./deps.ts";
import { inSnapshot, type Snapshot } from "./snapshot.ts";

/** A dataset ready to be read. */
export interface Dataset<Row> {
  /** the API's shape of a row, whose order its fields take in JSON; without it they keep their own */
  shape?: TSchema;
  /** one, or one for each quiz if the format has sheets; read one after another */
  parts: readonly Part<Row>[];
}

/** Rows that make one table, and its columns. */
export interface Part<Row> {
  /** for people */
  name: string;
  /** empty if the format has no columns */
  columns: readonly Column<Row>[];
  /** Passes on the rows in order and in batches, in the form of the JSON format. */
  read: (add: (rows: readonly Row[]) => Promise<void>) => Promise<void>;
}

/** Writes a dataset while the snapshot or copy that it is read from is open. */
export type WriteDataset = <Row>(dataset: Dataset<Row>) => Promise<void>;

/** How many snapshots are taken at most when the searched copy turns out to be newer than the snapshot. */
const snapshotsAtMost = 3;

/**
 * Opens a snapshot for a file of people or their sessions, and finds the people it is about; null means everybody
 * [exports.search].
 *
 * People are found in the columnar copy, which only moves forward. It is brought to at least the snapshot's revision;
 * if it got ahead in those milliseconds, a later snapshot is taken. For a store that changes many times a second the
 * third snapshot is used as it is: a person found by something they did a moment later then appears without it.
 */
export async function withPeople(
  { deps, claimed, deadline }: BuildContext,
  work: (snapshot: Snapshot, people: FoundPeople | null) => Promise<void>,
): Promise<void> {
  const { search } = claimed.filters;
  const { database, facts, versions } = deps;
  for (let attempt = 1; ; attempt++) {
    const done = await inSnapshot(database, deadline, claimed.storeId, async (snapshot) => {
      const around = { copies: facts, db: snapshot.db.forStore(claimed.storeId), versions, deadline };
      const people = search === null ? null : await findPeople(around, search);
      if (people !== null && people.revision !== snapshot.revision && attempt < snapshotsAtMost) return false;
      await work(snapshot, people);
      return true;
    });
    if (done) return;
  }
}
