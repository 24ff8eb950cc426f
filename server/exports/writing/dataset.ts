import { type FoundPeople, findPeople } from "../../profiles/search/find-people.ts";
import type { Column } from "./csv.ts";
import type { BuildContext } from "./deps.ts";
import { inSnapshot, type Snapshot } from "./snapshot.ts";

/** A dataset, ready to be read: what its rows are, and which columns a table of them has. */
export interface Dataset<Row> {
  columns: readonly Column<Row>[];
  /** Hands over the rows in their order, some at a time, as the JSON format has them. */
  read: (add: (rows: readonly Row[]) => Promise<void>) => Promise<void>;
}

/** Writes a dataset while the state that it is read from lasts. */
export type WriteDataset = <Row>(dataset: Dataset<Row>) => Promise<void>;

/** How often a snapshot is taken anew, where the copy that was searched has meanwhile learned more than it shows. */
const snapshotsAtMost = 3;

/**
 * Opens the state of the store that a file of people or their sessions is read from, and finds whom it is about; null:
 * everybody [exports.search].
 *
 * People are found by the columnar copy, which only ever goes forward: it is brought to at least what the snapshot
 * shows, and where it came to know more in those milliseconds, a later snapshot is taken. A store that changes many
 * times a second keeps the third: who was found by what he did a moment after it is in the file as he was at it.
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
