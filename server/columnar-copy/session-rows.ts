import { copyExitReasons, copyMoveCauses } from "../sessions/public.ts";
import type { Cell } from "./append.ts";
import { originColumns } from "./schema.ts";

/**
 * The rows of the tables that a session's fact text comes to, by the same rules as the statements of take-over.ts, which
 * are for many sessions at once: what a page, a question and so on is called there is looked up in `Places`.
 */

/** A session as `sessionsOf` of source.ts reads it. */
export interface SessionRow {
  session: number;
  person: number | null;
  quiz_id: string;
  version: number;
  opened: number;
  completed: number | null;
  started: number | null;
  texts: string | null;
  [column: string]: Cell;
}

/** What it did, as fact-codes.ts of the sessions says. */
export interface ReadSession {
  row: SessionRow;
  facts: CopyTextParts;
}

type Numbers = (number | null)[];

type FactList = "v" | "m" | "h" | "a" | "n" | "d" | "p" | "f" | "s";

export type CopyTextParts = Partial<Record<FactList, Numbers[]>> & { i?: Numbers; g?: string[] };

const factLists: readonly FactList[] = ["v", "m", "h", "a", "n", "d", "p", "f", "s"];

const isNumbers = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => one === null || typeof one === "number");
const isListOf = (value: unknown, is: (one: unknown) => boolean): boolean =>
  value === undefined || (Array.isArray(value) && value.every(is));

/** Whether a value has the form of a fact text; what its numbers stand for is another matter. */
export function isCopyText(value: unknown): value is CopyTextParts {
  if (typeof value !== "object" || value === null) return false;
  const facts = value as Record<string, unknown>;
  return (
    factLists.every((list) => isListOf(facts[list], isNumbers)) &&
    (facts["i"] === undefined || isNumbers(facts["i"])) &&
    isListOf(facts["g"], (one) => typeof one === "string")
  );
}

/** What the numbers of a copy are for the keys and ids that the sessions name. */
export interface Places {
  /** a version's numbers: its own and its quiz's */
  version: (row: SessionRow) => { quiz: number; versionNo: number };
  /** the number of what the version numbers so; null: it is in no dictionary */
  place: (versionNo: number, kind: string, index: number | null | undefined, sub?: number | null) => number | null;
  product: (id: string) => number;
  /** null: the session did not say */
  origin: (text: Cell) => number | null;
  visitor: (id: Cell) => number;
  segment: (row: SessionRow) => number;
}

export type SessionTable = "sessions" | "visits" | "moves" | "hidden" | "answers" | "points" | "formulas" | "shown";

/** Adds the rows of one session, in the order of each table's columns (schema.ts). False: its texts cannot be read. */
export function addSessionRows(
  into: Record<SessionTable, Cell[][]>,
  { row, facts }: ReadSession,
  places: Places,
): boolean {
  const texts = textsOf(row.texts);
  if (!texts) return false;
  const { quiz, versionNo } = places.version(row);
  const { session, person, opened, started } = row;
  const place = (kind: string, index: number | null | undefined, sub?: number | null) =>
    places.place(versionNo, kind, index, sub);
  /** what the version does not know is left out */
  const each = (part: FactList, kind: string, take: (number: number, entry: Numbers) => void): void => {
    for (const entry of facts[part] ?? []) {
      const number = place(kind, entry[0]);
      if (number !== null) take(number, entry);
    }
  };
  const segment = places.segment(row);
  /** how every row of what it did on its way begins */
  const way = [session, quiz, segment, started];
  into.sessions.push(sessionCells(row, facts, { quiz, place, places }));
  each("v", "page", (page, [, entries = null, jumps = null, first, time = null, skipped, back]) =>
    into.visits.push([...way, page, entries, jumps, first === 1, time, skipped === 1, back === 1]),
  );
  each("m", "page", (from, [, to, cause, rule, moves = null]) => {
    const page = place("page", to);
    if (page === null) return;
    const name = copyMoveCauses[cause ?? -1] ?? null;
    into.moves.push([...way, from, page, name, place("rule", rule), moves]);
  });
  each("h", "page", (page, [, times = null]) => into.hidden.push([...way, page, times]));
  addAnswers(into.answers, { row, facts, texts }, { quiz, segment, place, each });
  each("p", "dimension", (dimension, [, total]) => into.points.push([session, person, dimension, total ?? null]));
  each("f", "formula", (formula, [, value]) => into.formulas.push([session, person, formula, value ?? null]));
  const shown: { product: number; block: number; at: number }[] = [];
  each("s", "block", (block, [, product, when]) =>
    shown.push({ product: places.product(facts.g?.[product ?? -1] ?? ""), block, at: opened + (when ?? 0) }),
  );
  const known = new Set<number>();
  for (const { product, block, at } of shown.sort((a, b) => a.at - b.at || a.block - b.block)) {
    into.shown.push([session, quiz, segment, product, block, at, !known.has(product)]);
    known.add(product);
  }
  return true;
}

interface GivenText {
  q: number;
  t: string;
  w: number;
}

/** Null: no such list. */
function textsOf(text: string | null): GivenText[] | null {
  if (text === null) return [];
  try {
    const texts: unknown = JSON.parse(text);
    return Array.isArray(texts) && texts.every((one) => typeof one?.t === "string") ? texts : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const reasonAt = (index: number | null | undefined) => copyExitReasons[index ?? -1] ?? null;

function sessionCells(
  row: SessionRow,
  { i = [] }: CopyTextParts,
  { quiz, place, places }: Pick<AnswerDeps, "quiz" | "place"> & { places: Places },
): Cell[] {
  const [lastPage, winner, exitPage, reason, emailAt = null, phoneAt = null, deniedAt = null] = i;
  const column = (name: string): Cell => row[name] ?? null;
  return [
    ...["session", "id", "person"].map(column),
    quiz,
    column("version"),
    places.visitor(column("visitor")),
    ...["opened", "started", "completed", "ended", "status"].map(column),
    place("page", lastPage),
    place("dimension", winner),
    false,
    ...["channel", "device", "country", "is_returning"].map(column),
    ...originColumns.map((name) => places.origin(column(name))),
    ...[emailAt, phoneAt, deniedAt, place("page", exitPage), reasonAt(reason)],
  ];
}

interface AnswerDeps {
  quiz: number;
  segment: number;
  place: (kind: string, index: number | null | undefined, sub?: number | null) => number | null;
  each: (part: FactList, kind: string, take: (number: number, entry: Numbers) => void) => void;
}

function addAnswers(
  into: Cell[][],
  { row, facts: { i = [] }, texts }: ReadSession & { texts: readonly GivenText[] },
  { quiz, segment, place, each }: AnswerDeps,
): void {
  const { session, person, opened, completed } = row;
  const own = [session, person, quiz];
  const became = [segment, completed !== null, i[4] != null || i[5] != null];
  const add = (question: number, when: number | null | undefined, content: Cell[]) =>
    into.push([...own, opened + (when ?? 0), question, ...content, ...became]);
  each("a", "question", (question, [index, option, when]) =>
    add(question, when, [option == null ? null : place("option", index, option), null, null, null]),
  );
  each("n", "question", (question, [, value, when]) => add(question, when, [null, value ?? null, null, null]));
  each("d", "question", (question, [, day, when]) => add(question, when, [null, null, day ?? null, null]));
  for (const { q, t, w } of texts) {
    const question = place("question", q);
    if (question !== null) add(question, w, [null, null, null, t]);
  }
}
