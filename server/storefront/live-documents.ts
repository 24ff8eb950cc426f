import { createHash } from "node:crypto";
import type { QuizDocument } from "../../engine/document.ts";
import { playerFacts } from "../../engine/player-facts.ts";
import type { NamedProducts } from "../orders/offered-products.ts";
import type { Database } from "../platform/database/database.ts";
import type { StoreRunner } from "../platform/database/sql.ts";
import { type Deadline, type ElapsedClock, noDeadline } from "../platform/deadline.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";
import { SingleFlight } from "../platform/single-flight.ts";
import { livePublication, liveVersion, type Publication } from "../quizzes/public.ts";
import { namedProducts, surroundingsOf } from "./live-answer.ts";

/** An answer in the form in which it is sent. */
export interface Representation {
  bytes: Buffer;
  /** for its entity tag, without quotes */
  tag: string;
}

/** An answer in two parts: the version, which never changes, and its surroundings, which change with the shop. */
interface CachedDocument extends Representation {
  /** from which it was built */
  publication: Publication;
  /** number of leading bytes that belong to the version */
  versionBytes: number;
  named: NamedProducts;
}

export interface LiveDocumentsDeps {
  database: Database;
  elapsed: ElapsedClock;
  /** limit for all cached documents together: a hundred large ones, thousands of usual ones */
  mostBytes?: number;
  /** rewrites addresses in the JSON text before it is sent */
  pointImages?: ((json: string) => string) | undefined;
}

interface DocumentRequest {
  deadline?: Deadline;
  /** whether to add what the player needs in addition to the document (live-answer.ts) */
  isForPlayer?: boolean;
  /** called if a version was built for this caller, but not for others waiting for it */
  onMade?: () => void;
}

const usualMostBytes = 64 * 1024 * 1024;
/** approximate memory of an entry in addition to its bytes */
const overheadBytes = 600;
/** for the id of a named product */
const namedBytes = 80;

/**
 * If a shop's catalog is written constantly, renewing the answers of all its quizzes together may take a twentieth of a
 * processor's time, and a hundred usual ones at once; beyond that they stay unchanged for some seconds
 * [storefront.catalog-storms]. The database needs about as long for an answer.
 */
const renewal = { leastMs: 2, msAMegabyte: 20, share: 0.05, atOnceMs: 200 } as const;
const storesRenewed = 10_000;

/**
 * Live documents in the form in which they are sent [storefront.live-version], built once per version: parsing,
 * serializing and hashing one of a megabyte takes 30 ms of processor time, during which nobody else is served. The live
 * version and the catalog's revision are read from the database each time, by the quiz's key, so that nothing
 * unpublished, renamed or deleted is sent; that takes a fifth of a millisecond. A shop writes its catalog with every
 * sale: then only the products are read again, and the answer stays the same unless they differ [storefront.catalog];
 * if that happens constantly, not each time.
 */
export class LiveDocuments {
  readonly #database: Database;
  readonly #pointImages: (json: string) => string;
  /** by store, quiz and whether it is for the player */
  readonly #cached: LeastRecentlyUsed<CachedDocument>;
  /** by store: elapsed time until which its renewals so far use up its share */
  readonly #renewedUntil = new LeastRecentlyUsed<number>(storesRenewed);
  readonly #elapsed: ElapsedClock;
  /** concurrent requests for the same document wait for one build */
  readonly #making = new SingleFlight<CachedDocument | null>();

  constructor({ database, elapsed, mostBytes = usualMostBytes, pointImages = (json) => json }: LiveDocumentsDeps) {
    this.#database = database;
    this.#elapsed = elapsed;
    this.#pointImages = pointImages;
    this.#cached = new LeastRecentlyUsed(mostBytes, ({ bytes, named }) => {
      return bytes.length + overheadBytes + namedBytes * (named.productIds.length + named.variantIds.length);
    });
  }

  /** Total size of the cache. */
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
        return this.#make(
          db,
          quizId,
          live,
          isForPlayer ? (document) => ({ player: playerFacts(document) }) : () => ({}),
        );
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
    // without the closing brace, which the surroundings bring
    const version = Buffer.from(this.#pointImages(JSON.stringify({ ...live, ...more(live.document) }).slice(0, -1)));
    const publication = { ...seen, versionId: live.version_id, name: live.name };
    return this.#complete(db, { version, named, publication });
  }

  /** Rebuilds the surroundings after a change of the catalog or store; the version's bytes are reused. */
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
    // continues the object after the version's last field
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
