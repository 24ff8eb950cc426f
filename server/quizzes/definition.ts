import type { QuizDocument } from "../../engine/document.ts";
import { ownStore, raw, type StoreRunner, sql } from "../platform/database/sql.ts";
import { type EarlierKeys, keysOf, keysUpTo, noKeys, withRemovedKeys } from "./keys.ts";
import { type Definition, outlineOf, type PageOutline, withRemoved } from "./outline.ts";

/** What a quiz asks, with every key that any of its versions had [quizzes.removed-keys]. */

/** What versions had, each thing as the newest of them had it. */
export interface Earlier {
  pages: PageOutline[];
  keys: EarlierKeys;
}

export const nothingEarlier: Earlier = { pages: [], keys: noKeys };

/** A document's keys; what only earlier, or other, versions had is listed as removed. */
export const definitionOf = (document: unknown, earlier: Earlier): Definition => ({
  pages: withRemoved(outlineOf(document), earlier.pages),
  ...withRemovedKeys(keysOf(document), earlier.keys),
});

interface VersionRow {
  number: number;
  document: QuizDocument;
  earlier_outline: PageOutline[];
  /** null: a program wrote it that did not know the column */
  earlier_keys: EarlierKeys | null;
}

/** Everything that a quiz's versions up to one had; nothing where it has none. */
export async function readEarlier(db: StoreRunner, quizId: string, upTo: number): Promise<Earlier> {
  const row = await db.first(sql<VersionRow>`
    SELECT number, document, earlier_outline, earlier_keys FROM quiz_versions
    WHERE store_id = ${ownStore} AND quiz_id = ${quizId} AND number = ${upTo}`);
  if (!row) return nothingEarlier;
  const keys = row.earlier_keys ?? (await readEarlier(db, quizId, upTo - 1)).keys;
  return { pages: withRemoved(outlineOf(row.document), row.earlier_outline), keys: keysUpTo(row.document, keys) };
}

/**
 * What counts as the quiz's definition: of the version that is live, else the latest, else the draft
 * [quizzes.described-version].
 */
export interface Defining {
  /** UUID of the quiz */
  id: string;
  draft: unknown;
  /** 0: none was saved */
  versions_numbered: number;
  /** UUID of the version that counts; null: none was saved */
  definition_id: string | null;
}

/** Of a quiz `q` and its latest version `v`, what `readDefinition` asks for. */
export const definingColumns = raw(`q.versions_numbered, coalesce(q.published_version_id, v.id) AS definition_id,
      CASE WHEN v.id IS NULL THEN q.draft END AS draft`);
export const latestVersion = raw(`LEFT JOIN quiz_versions v
      ON v.store_id = q.store_id AND v.quiz_id = q.id AND v.number = q.versions_numbered`);

export async function readDefinition(db: StoreRunner, quiz: Defining): Promise<Definition> {
  if (quiz.definition_id === null) return definitionOf(quiz.draft, nothingEarlier);
  const [version, earlier] = await Promise.all([
    db.first(sql<{ document: unknown }>`
      SELECT document FROM quiz_versions WHERE store_id = ${ownStore} AND id = ${quiz.definition_id}`),
    readEarlier(db, quiz.id, quiz.versions_numbered),
  ]);
  if (!version) throw new Error("a quiz refers to a version that is not there");
  return definitionOf(version.document, earlier);
}

/**
 * What counts as a quiz's definition (the live version, else the latest, else the draft), with everything that any of
 * its versions had and this one lacks as removed, later versions that are not live included: sessions keep the version
 * that they opened. Deleted quizzes have theirs too; null: the store has no such quiz.
 */
export async function fullDefinition(db: StoreRunner, quizId: string): Promise<Definition | null> {
  const row = await db.first(sql<Defining>`
    SELECT q.id, ${definingColumns} FROM quizzes q ${latestVersion}
    WHERE q.store_id = ${ownStore} AND q.id = ${quizId}`);
  return row ? readDefinition(db, row) : null;
}
