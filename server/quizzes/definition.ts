import { setImmediate as nextTurn } from "node:timers/promises";
import type { QuizDocument } from "../../engine/document.ts";
import { kindOfAnswers } from "../../engine/kinds/value.ts";
import { ownStore, raw, type StoreRunner, sql } from "../platform/database/sql.ts";
import { type EarlierKeys, keysOf, keysUpTo, noKeys, withRemovedKeys } from "./keys.ts";
import { type Definition, outlineOf, type PageOutline, withRemoved } from "./outline.ts";

/** A quiz's questions, with all keys that any of its versions had [quizzes.removed-keys]. */

/** What earlier versions had, each thing as in the newest version that had it. */
export interface Earlier {
  pages: PageOutline[];
  keys: EarlierKeys;
}

export const nothingEarlier: Earlier = { pages: [], keys: noKeys };

/** A document's keys; those that only earlier or other versions had are marked as removed. */
export const definitionOf = (document: unknown, earlier: Earlier): Definition => ({
  pages: withRemoved(outlineOf(document), earlier.pages),
  ...withRemovedKeys(keysOf(document), earlier.keys),
});

interface VersionRow {
  number: number;
  document: QuizDocument;
  earlier_outline: PageOutline[];
  /** null: written by a program that did not know the column */
  earlier_keys: EarlierKeys | null;
}

/** Everything that a quiz's versions up to one had; empty if there is none. */
export async function readEarlier(db: StoreRunner, quizId: string, upTo: number): Promise<Earlier> {
  const row = await db.first(sql<VersionRow>`
    SELECT number, document, earlier_outline, earlier_keys FROM quiz_versions
    WHERE store_id = ${ownStore} AND quiz_id = ${quizId} AND number = ${upTo}`);
  if (!row) return nothingEarlier;
  // parsing these took its share of this turn
  await nextTurn();
  const keys = row.earlier_keys ?? (await readEarlier(db, quizId, upTo - 1)).keys;
  return { pages: withRemoved(outlineOf(row.document), row.earlier_outline), keys: keysUpTo(row.document, keys) };
}

/**
 * The columns from which a quiz's definition is chosen: the live version, else the latest, else the draft
 * [quizzes.described-version].
 */
export interface Defining {
  /** UUID of the quiz */
  id: string;
  draft: unknown;
  /** 0: no version was saved */
  versions_numbered: number;
  /** UUID of the chosen version; null: none was saved */
  definition_id: string | null;
}

/** The columns that `readDefinition` needs, from a quiz `q` and its latest version `v`. */
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
  if (!version) throw new Error("a quiz refers to a version that does not exist");
  return definitionOf(version.document, earlier);
}

/**
 * A quiz's definition (the live version, else the latest, else the draft), plus everything that any other version had,
 * marked as removed. That includes later versions that are not live, because sessions keep the version they opened.
 * Deleted quizzes have one too; null: the store has no such quiz.
 */
export async function fullDefinition(db: StoreRunner, quizId: string): Promise<Definition | null> {
  const row = await db.first(sql<Defining>`
    SELECT q.id, ${definingColumns} FROM quizzes q ${latestVersion}
    WHERE q.store_id = ${ownStore} AND q.id = ${quizId}`);
  return row ? readDefinition(db, row) : null;
}

/** How a question was asked in any version of its quiz. */
export interface QuestionForm {
  component_key: string;
  /** kinds, images being choices */
  kinds: string[];
  /** several options may be chosen */
  multiple: boolean;
  with_time: boolean;
  /** an option has a text field */
  other: boolean;
}

/** By component_key; the documents of the versions stay in the database. */
export async function questionForms(db: StoreRunner, quizId: string): Promise<Map<string, QuestionForm>> {
  const rows = await db.all(sql<QuestionForm>`
    SELECT c ->> 'component_key' AS component_key,
      array_agg(DISTINCT c ->> 'kind') AS kinds,
      bool_or(c @> '{"multiple": true}') AS multiple, bool_or(c @> '{"with_time": true}') AS with_time,
      bool_or(c @> '{"options": [{"other": true}]}') AS other
    FROM quiz_versions v CROSS JOIN jsonb_path_query(v.document, '$.pages[*].components[*]') c
    WHERE v.store_id = ${ownStore} AND v.quiz_id = ${quizId} GROUP BY 1`);
  const answered = (kinds: readonly string[]) => [...new Set(kinds.map(kindOfAnswers))];
  return new Map(rows.map((row) => [row.component_key, { ...row, kinds: answered(row.kinds) }]));
}
