import { createHash } from "node:crypto";
import type { Database } from "../platform/database/database.ts";
import { type Deadline, type ElapsedClock, noDeadline } from "../platform/deadline.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";
import { RememberedReads } from "../platform/remembered-reads.ts";
import { livePublication, liveVersion } from "../quizzes/public.ts";

/** An answer as it is sent. */
export interface Representation {
  bytes: Buffer;
  /** of its entity tag, without quotes */
  tag: string;
}

interface Kept extends Representation {
  /** of the publication that it was made from */
  versionId: string;
  name: string;
}

/** Of all documents that are kept; a hundred large ones, thousands of usual ones. */
const keptBytes = 64 * 1024 * 1024;
/** what an entry takes beside its bytes, about */
const overheadBytes = 400;

/**
 * Live documents as they are sent [storefront.live-version], made once for each version: to read, write out and hash
 * one of a megabyte takes 30 ms of a processor, in which nobody else is served. What is live is read from the database
 * each time, by the quiz's key, so that nothing that was unpublished, renamed or deleted is sent; it costs a fifth of a
 * millisecond.
 */
export class LiveDocuments {
  readonly #database: Database;
  /** by store and quiz */
  readonly #kept: LeastRecentlyUsed<Kept>;
  /** those who ask for the same document while it is made wait for one */
  readonly #made: RememberedReads<Kept | null>;

  constructor(database: Database, elapsed: ElapsedClock, mostBytes = keptBytes) {
    this.#database = database;
    this.#kept = new LeastRecentlyUsed(mostBytes, ({ bytes }) => bytes.length + overheadBytes);
    this.#made = new RememberedReads({ elapsed, rememberedMs: 0, atMost: 1 });
  }

  /** Of what is kept at the moment. */
  get bytes(): number {
    return this.#kept.size;
  }

  /** null: the store has no such live quiz. */
  async find(storeId: string, quizId: string, deadline: Deadline = noDeadline): Promise<Representation | null> {
    const live = await livePublication(this.#database.reader(deadline).forStore(storeId), quizId);
    if (live === null) return null;
    const key = `${storeId} ${quizId}`;
    const kept = this.#kept.get(key);
    if (kept && kept.versionId === live.versionId && kept.name === live.name) return kept;
    const made = await this.#made.find(`${key} ${live.versionId} ${live.name}`, deadline, (shared) =>
      this.#make(storeId, quizId, shared),
    );
    if (made !== null) this.#kept.set(key, made);
    return made;
  }

  async #make(storeId: string, quizId: string, deadline: Deadline): Promise<Kept | null> {
    const live = await liveVersion(this.#database.reader(deadline).forStore(storeId), quizId);
    if (live === null) return null;
    return { ...represented(live), versionId: live.version_id, name: live.name };
  }
}

export function represented(answer: object): Representation {
  const bytes = Buffer.from(JSON.stringify(answer));
  return { bytes, tag: createHash("sha256").update(bytes).digest("base64url").slice(0, 22) };
}
