import type { Cell } from "./append.ts";
import { Dictionary } from "./dictionary.ts";
import { read, type WriteConnection } from "./duck.ts";
import { placeNumber } from "./mapping.ts";
import { tableOf } from "./schema.ts";
import type { VersionKey } from "./source.ts";

/** Limits of what is kept of a copy; larger dictionaries are looked up in it. A full one takes half a megabyte. */
const [keysKept, versionsKept, placesKept] = [4_000, 1_000, 10_000];

export interface KnownVersion extends VersionKey {
  quiz: number;
  version_no: number;
}

export const versionText = ({ quiz_id, version }: { quiz_id?: unknown; version?: unknown }): string =>
  `${quiz_id} ${version}`;

/** The dictionary number for each kind and place (`placeNumber`). */
export type Places = ReadonlyMap<string, ReadonlyMap<number, number>>;

/**
 * What a copy's small dictionaries contain, kept from one change to the next: looking up the keys of one session took a
 * third of its sync. Only whole dictionaries are kept, since a key that is missing in a part may still be in the table.
 *
 * It belongs to a connection's transaction until that is committed, and describes the copy only until somebody else
 * writes to it.
 */
export class KnownKeys {
  readonly #dictionaries = new Map<string, Dictionary>();
  readonly #tooLarge = new Set<string>();
  #versions: Map<string, KnownVersion> | null = null;
  #placesOf = new Set<number>();
  #places = new Map<string, Map<number, number>>();

  /** A dictionary with the numbers of the given keys that are in it, and perhaps of others. */
  async dictionary(duck: WriteConnection, name: string, keys: readonly Cell[][]): Promise<Dictionary> {
    if (keys.length === 0) return Dictionary.of(duck, name, keys);
    const kept = this.#dictionaries.get(name);
    if (kept && kept.size <= keysKept) return kept;
    if (kept) this.#drop(name);
    if (!this.#tooLarge.has(name)) {
      const [[number = ""] = []] = tableOf(name).columns;
      const isSmall = `(SELECT max("${number}") FROM ${name}) <= ${keysKept}`;
      const found = await Dictionary.open(duck, name, isSmall);
      if (found.isWhole) {
        this.#dictionaries.set(name, found);
        return found;
      }
      this.#drop(name);
    }
    return Dictionary.of(duck, name, keys);
  }

  #drop(name: string): void {
    this.#dictionaries.delete(name);
    this.#tooLarge.add(name);
  }

  /** All versions in the copy, by `versionText`. */
  async versions(duck: WriteConnection): Promise<ReadonlyMap<string, KnownVersion>> {
    if (this.#versions !== null && this.#versions.size <= versionsKept) return this.#versions;
    const sql = "SELECT CAST(quiz_id AS VARCHAR) AS quiz_id, version, quiz, version_no FROM versions";
    this.#versions = new Map((await read<KnownVersion>(duck, sql)).map((known) => [versionText(known), known]));
    return this.#versions;
  }

  /** The places of these versions, and perhaps of others. */
  async places(duck: WriteConnection, versions: readonly KnownVersion[]): Promise<Places> {
    if (Array.from(this.#places.values(), ({ size }) => size).reduce((sum, size) => sum + size, 0) > placesKept) {
      this.#placesOf = new Set();
      this.#places = new Map();
    }
    const missing = versions.map(({ version_no }) => version_no).filter((number) => !this.#placesOf.has(number));
    if (missing.length === 0) return this.#places;
    const bounds = missing.map((no) => `place >= ${placeNumber(no, 0, 0)} AND place < ${placeNumber(no + 1, 0, 0)}`);
    const found = await read<{ kind: string; place: number; number: number }>(
      duck,
      `SELECT kind, place, number FROM places WHERE (${bounds.join(") OR (")})`,
    );
    for (const { kind, place, number } of found) {
      const ofKind = this.#places.get(kind) ?? new Map<number, number>();
      this.#places.set(kind, ofKind.set(place, number));
    }
    for (const number of missing) this.#placesOf.add(number);
    return this.#places;
  }

  /** To be called when somebody else has added keys. */
  forget(): void {
    this.#dictionaries.clear();
    this.#versions = null;
    this.#placesOf = new Set();
    this.#places = new Map();
  }
}
