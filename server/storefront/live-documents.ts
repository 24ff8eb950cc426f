import { createHash } from "node:crypto";
import type { QuizDocument } from "../../engine/document.ts";
import type { NamedProducts } from "../orders/catalog.ts";
import type { Database } from "../platform/database/database.ts";
import type { StoreRunner } from "../platform/database/sql.ts";
import { type Deadline, type ElapsedClock, noDeadline } from "../platform/deadline.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";
import { SingleFlight } from "../platform/single-flight.ts";
import { livePublication, liveVersion, type Publication } from "../quizzes/public.ts";
import { namedProducts, playerFacts, surroundingsOf } from "./live-answer.ts";

/** An answer as it is sent. */
export interface Representation {
  bytes: Buffer;
  /** of its entity tag, without quotes */
  tag: string;
}

/** An answer of two parts: the version, which never changes, and what surrounds it, which changes with the shop. */
interface CachedDocument extends Representation {
  /** what it was made of */
  publication: Publication;
  /** how many of the bytes are the version's */
  versionBytes: number;
  named: NamedProducts;
}

export interface LiveDocumentsDeps {
  database: Database;
  elapsed: ElapsedClock;
  /** of all documents that are kept; a hundred large ones, thousands of usual ones */
  mostBytes?: number;
  /** changes the JSON text that is sent */
  pointImages?: ((json: string) => string) | undefined;
}

interface DocumentRequest {
  deadline?: Deadline;
  /** with what the player is told beside the document (live-answer.ts) */
  isForPlayer?: boolean;
  /** called where a version was made for this caller, not for those who asked meanwhile */
  onMade?: () => void;
}

const usualMostBytes = 64 * 1024 * 1024;
/** what an entry takes beside its bytes, about */
const overheadBytes = 600;
/** a named product's id */
const namedBytes = 80;

/**
 * A shop whose catalog is written all the time has its answers renewed in a twentieth of a processor's time, all of its
 * quizzes together, and a hundred usual ones at once; past that they stay as they were for some seconds
 * [storefront.catalog-storms]. Of an answer the database takes about as long.
 */
const renewal = { leastMs: 2, msAMegabyte: 20, share: 0.05, atOnceMs: 200 } as const;
const storesRenewed = 10_000;

/**
 * Live documents as they are sent [storefront.live-version], made once for each version: to read, write out and hash
 * one of a megabyte takes 30 ms of a processor, in which nobody else is served. What is live, and how often the catalog
 * was written, is read from the database each time, by the quiz's key, so that nothing that was unpublished, renamed or
 * deleted is sent; it costs a fifth of a millisecond. A shop writes its catalog with every sale: then the products alone
 * are read again, and the answer stays the same one unless they differ [storefront.catalog]; where that happens all the
 * time, not each time.
 */
export class LiveDocuments {
  readonly #database: Database;
  readonly #pointImages: (json: string) => string;
  /** by store, quiz and whether it is for the player */
  readonly #cached: LeastRecentlyUsed<CachedDocument>;
  /** by store: elapsed time at which what was renewed for it comes to its share of the time */
  readonly #renewedUntil = new LeastRecentlyUsed<number>(storesRenewed);
  readonly #elapsed: ElapsedClock;
  /** those who ask for the same document while it is made wait for one */
  readonly #making = new SingleFlight<CachedDocument | null>();

  constructor({ database, elapsed, mostBytes = usualMostBytes, pointImages = (json) => json }: LiveDocumentsDeps) {
    this.#database = database;
    this.#elapsed = elapsed;
    this.#pointImages = pointImages;
    this.#cached = new LeastRecentlyUsed(mostBytes, ({ bytes, named }) => {
      return bytes.length + overheadBytes + namedBytes * (named.productIds.length + named.variantIds.length);
    });
  }

  /** Of what is kept at the moment. */
  get bytes(): number {
    return this.#cached.size;
  }

  /** Null: the store has no such live quiz. */
  async find(
    storeId: string,
    quizId: string,
    { deadline = noDeadline, isForPlayer = false, onMade = () => undefined }: DocumentRequest = {},
  ): Promise<Representation | null> {
    const live = await livePublication(this.#database.reader(deadline).forStore(storeId), quizId);
    if (live === null) return null;
    const key = `${storeId} ${quizId} ${isForPlayer}`;
    const cached = this.#cached.get(key);
    if (cached && isSame(cached.publication, live)) return cached;
    if (cached && isSameVersion(cached.publication, live) && !this.#mayRenew(storeId)) return cached;
    const made = await this.#making.run(`${key} ${JSON.stringify(live)}`, deadline, (shared) => {
      const db = this.#database.reader(shared).forStore(storeId);
      if (!cached || !isSameVersion(cached.publication, live)) {
        onMade();
        return this.#make(db, quizId, live, isForPlayer ? playerFacts : () => ({}));
      }
      this.#countRenewal(storeId, cached);
      return this.#renew(db, cached, live);
    });
    if (made !== null) this.#cached.set(key, made);
    return made;
  }

  #mayRenew(storeId: string): boolean {
    const ahead = (this.#renewedUntil.get(storeId) ?? 0) - this.#elapsed();
    return ahead * renewal.share <= renewal.atOnceMs;
  }

  #countRenewal(storeId: string, { bytes, versionBytes }: CachedDocument): void {
    const ms = renewal.leastMs + (renewal.msAMegabyte * (bytes.length - versionBytes)) / 1_000_000;
    const from = Math.max(this.#elapsed(), this.#renewedUntil.get(storeId) ?? 0);
    this.#renewedUntil.set(storeId, from + ms / renewal.share);
  }

  async #make(
    db: StoreRunner,
    quizId: string,
    seen: Publication,
    more: (document: QuizDocument) => object,
  ): Promise<CachedDocument | null> {
    const live = await liveVersion(db, quizId);
    if (live === null) return null;
    const named = namedProducts(live.document);
    // without the brace that the surroundings end with
    const version = Buffer.from(this.#pointImages(JSON.stringify({ ...live, ...more(live.document) }).slice(0, -1)));
    const publication = { ...seen, versionId: live.version_id, name: live.name };
    return this.#complete(db, { version, named, publication });
  }

  /** The catalog was written, or the store changed: the version's part stays as it is. */
  async #renew(db: StoreRunner, cached: CachedDocument, publication: Publication): Promise<CachedDocument> {
    const { bytes, versionBytes, named } = cached;
    const renewed = await this.#complete(db, { version: bytes.subarray(0, versionBytes), named, publication });
    return renewed.tag === cached.tag ? { ...cached, publication } : renewed;
  }

  async #complete(
    db: StoreRunner,
    { version, named, publication }: { version: Buffer; named: NamedProducts; publication: Publication },
  ): Promise<CachedDocument> {
    const surroundings = await surroundingsOf(db, named, publication.shop);
    // what follows the version's last field
    const rest = Buffer.from(`,${this.#pointImages(JSON.stringify(surroundings).slice(1))}`);
    const bytes = Buffer.concat([version, rest]);
    return { bytes, tag: tagOf(bytes), publication, versionBytes: version.length, named };
  }
}

const isSameVersion = (one: Publication, other: Publication): boolean =>
  one.versionId === other.versionId && one.name === other.name;

const isSame = (one: Publication, other: Publication): boolean =>
  isSameVersion(one, other) &&
  one.catalogWrites === other.catalogWrites &&
  one.shop.name === other.shop.name &&
  one.shop.currency === other.shop.currency &&
  one.shop.shopDomain === other.shop.shopDomain;

const tagOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("base64url").slice(0, 22);

export function represented(json: string): Representation {
  const bytes = Buffer.from(json);
  return { bytes, tag: tagOf(bytes) };
}
