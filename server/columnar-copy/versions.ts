import type pg from "pg";
import type { QuizDocument } from "../../engine/document.ts";
import { plainTexts } from "../../engine/recall.ts";
import { type Cell, insertRows } from "./append.ts";
import { byTurns } from "./changes.ts";
import { Dictionary } from "./dictionary.ts";
import { literal, read, type WriteConnection } from "./duck.ts";
import { placeNumber } from "./mapping.ts";
import { type OutlineRow, outlineOf } from "./outline.ts";
import { tableOf } from "./schema.ts";
import { documentsOf, type VersionKey } from "./source.ts";

/**
 * Copies the quiz versions that sessions took: their keys, needed to read fact texts, and the labels of options and
 * dimensions.
 */

/** Documents read at once. */
const documentsAtOnce = 20;

/** Inserts versions that the copy does not know, within the caller's transaction. */
export async function insertVersions(
  duck: WriteConnection,
  client: pg.PoolClient,
  storeId: string,
  missing: readonly VersionKey[],
): Promise<void> {
  for (let from = 0; from < missing.length; from += documentsAtOnce) {
    const { rows } = await client.query<{ quiz_id: string; number: number; document: QuizDocument }>(
      documentsOf(storeId, missing.slice(from, from + documentsAtOnce)),
    );
    const outlines: Outline[] = [];
    // each takes a ms or two
    for await (const { quiz_id, number: version, document } of byTurns(rows, 1)) {
      outlines.push({ quiz_id, version, rows: outlineOf(plainTexts(document)) });
    }
    await insertOutlines(duck, outlines);
  }
}

interface Outline {
  quiz_id: string;
  version: number;
  rows: readonly OutlineRow[];
}

/** Assigns numbers to the keys of the outlines that the copy does not know from other versions. */
async function insertOutlines(duck: WriteConnection, outlines: readonly Outline[]): Promise<void> {
  const versions = await Dictionary.open(duck, "versions", "true");
  const isFirst = versions.size === 0;
  const quizzes = await Dictionary.open(duck, "quizzes", isFirst ? null : "true");
  const quizIds = [...new Set(outlines.map(({ quiz_id }) => quiz_id))];
  const known = quizIds.flatMap((id) => quizzes.find(id) ?? []);
  const dictionaries = await openDictionaries(duck, isFirst ? null : known);
  const places: Cell[][] = [];
  const names: Cell[][] = [];
  for await (const { quiz_id, version, rows } of byTurns(outlines, 1)) {
    const quiz = quizzes.numberOf(quiz_id);
    const versionNo = versions.numberOf(quiz_id, quiz, version);
    for (const row of rows) {
      places.push([row.kind, placeNumber(versionNo, row.idx, row.sub), numberIn(dictionaries, quiz, row)]);
      if (row.kind === "outcome") names.push([versionNo, row.key, row.label]);
    }
  }
  const added = [quizzes, versions, ...Object.values(dictionaries)].map((dictionary) => dictionary.takeAdded());
  await insertRows(duck, [...added, [tableOf("places"), places], [tableOf("outcome_names"), names]]);
  await insertLabels(duck, outlines, known.length > 0 ? quizIds : []);
}

type Dictionaries = Record<
  "pages" | "rules" | "blocks" | "dimensions" | "questions" | "options" | "outcomes",
  Dictionary
>;

/** @param quizzes numbers of the quizzes whose keys the copy may know; null if it knows none */
async function openDictionaries(duck: WriteConnection, quizzes: readonly number[] | null): Promise<Dictionaries> {
  const ofQuizzes = `quiz IN (${quizzes && quizzes.length > 0 ? quizzes.join(", ") : "NULL"})`;
  const ofQuestions = `question IN (SELECT question FROM questions WHERE ${ofQuizzes})`;
  const open = (name: string, where: string) => Dictionary.open(duck, name, quizzes === null ? null : where);
  return {
    pages: await open("pages", ofQuizzes),
    rules: await open("rules", ofQuizzes),
    blocks: await open("blocks", ofQuizzes),
    dimensions: await open("dimensions", ofQuizzes),
    questions: await open("questions", ofQuizzes),
    options: await open("options", ofQuestions),
    outcomes: await open("outcomes", ofQuizzes),
  };
}

function numberIn(dictionaries: Dictionaries, quiz: number, row: OutlineRow): number {
  const { kind, key, page_key, question_kind, option_id } = row;
  const question = () => dictionaries.questions.numberOf(quiz, page_key, key, question_kind);
  switch (kind) {
    case "page":
      return dictionaries.pages.numberOf(quiz, key);
    case "rule":
      return dictionaries.rules.numberOf(quiz, key);
    case "block":
      return dictionaries.blocks.numberOf(quiz, page_key, key);
    case "dimension":
      return dictionaries.dimensions.numberOf(quiz, key);
    case "outcome":
      return dictionaries.outcomes.numberOf(quiz, key);
    case "option":
      return dictionaries.options.numberOf(question(), option_id);
    default:
      return question();
  }
}

/** @param quizIds the quizzes whose labels the copy may know */
async function insertLabels(
  duck: WriteConnection,
  outlines: readonly Outline[],
  quizIds: readonly string[],
): Promise<void> {
  const columns = "CAST(quiz_id AS VARCHAR) AS quiz_id, component_key, option_id, label";
  const rows =
    quizIds.length === 0
      ? []
      : await read<Record<string, Cell>>(
          duck,
          `SELECT ${columns} FROM labels WHERE quiz_id IN (${quizIds.map(literal).join(", ")})`,
        );
  const known = new Set(
    rows.map((row) => JSON.stringify([row["quiz_id"], row["component_key"], row["option_id"], row["label"]])),
  );
  const added: Cell[][] = [];
  const named = outlines.flatMap(({ quiz_id, rows: each }) => each.map((row) => ({ quiz_id, ...row })));
  for (const { kind, quiz_id, key, option_id, label, folded } of named) {
    if (label === null || kind === "outcome") continue;
    const cells = [quiz_id, kind === "option" ? key : null, option_id ?? key, label];
    const text = JSON.stringify(cells);
    if (known.has(text)) continue;
    known.add(text);
    added.push([...cells, folded]);
  }
  await insertRows(duck, [[tableOf("labels"), added]]);
}
