import type pg from "pg";
import { pipelined } from "../platform/database/pipelined.ts";
import { together } from "../platform/database/together.ts";
import { type Cell, insertRows, rowCheck } from "./append.ts";
import { byTurns, type Change, findKnown, markLatest, removeKnown, unlinkPeople } from "./changes.ts";
import type { Dictionary } from "./dictionary.ts";
import { read, type WriteConnection } from "./duck.ts";
import { type Facts, parseFacts } from "./fact-text.ts";
import { type KnownKeys, type KnownVersion, type Places, versionText } from "./known-keys.ts";
import type { LeftOut } from "./left-out.ts";
import { type CellInput, type Entry, placeNumber, rowOf, segmentKey, sourcesOf } from "./mapping.ts";
import { mappedTable, originColumns, type SessionList, sessionLists, tableOf } from "./schema.ts";
import { type CopiedRows, type Extent, linesOf, ordersOf, peopleOf, sessionsOf } from "./source.ts";
import { insertVersions } from "./versions.ts";

/**
 * Inserts a few rows as the driver reads them, for which planning the statements of insert-files.ts would take too
 * long. A shopper's next answer is such a change.
 */

export interface Target {
  /** a connection to the copy */
  duck: WriteConnection;
  /** the keys of the copy that are known already */
  keys: KnownKeys;
  /** a snapshot of PostgreSQL */
  client: pg.PoolClient;
  extent: Extent;
}

/**
 * Replaces the changed rows of a copy, or fills an empty one, within the caller's transaction. Returns the rows that
 * the copy cannot hold.
 */
export async function applyRows(target: Target, changes: readonly Change[]): Promise<LeftOut[]> {
  const { duck, keys, client, extent } = target;
  const nothing: Removed = { sessions: [], gone: [] };
  const removing = extent.since === null ? Promise.resolve(nothing) : removeChanged(duck, changes);
  const [removed, fetched] = await together([removing, fetchRows(client, extent, changes)]);
  const { sessions, leftOut } = await readSessions(fetched.sessions);
  const versions = await versionsOf(target, sessions);
  const numbers = {
    versions,
    places: await keys.places(duck, [...versions.values()]),
    dictionaries: await numberKeys(target, sessions, fetched),
  };
  const rows = new TableRows(leftOut);
  await addRows(rows, { sessions, fetched, numbers });
  const people = peopleToMark(removed.sessions, rows.of("sessions"));
  await rows.append(duck, numbers.dictionaries);
  await unlinkPeople(duck, removed.gone);
  await markLatest(duck, people);
  return leftOut;
}

/** The columns that determine which session of a person is the newest, and whether it was. */
interface Mark {
  session: number;
  person: number | null;
  quiz: number;
  completed: number | null;
  latest: boolean;
}

interface Removed {
  sessions: Mark[];
  /** numbers of people deleted in PostgreSQL */
  gone: number[];
}

/** how many changes are a few: their old rows are removed in the call that inserts the new ones */
const fewChanges = 64;

async function removeChanged(duck: WriteConnection, changes: readonly Change[]): Promise<Removed> {
  const known = await findKnown(duck, changes);
  const { isOfSession, gone } = known;
  const marks = "SELECT session, person, quiz, completed, latest_completed AS latest FROM sessions";
  const sessions = isOfSession === null ? [] : await read<Mark>(duck, `${marks} WHERE ${isOfSession}`);
  await removeKnown(duck, known, sessions.length > 0);
  // many are removed while PostgreSQL sends the new rows; for a few, a call of their own would take longer
  if (changes.length > fewChanges) await duck.sendWaiting();
  return { sessions, gone };
}

type Row = Record<string, Cell>;

interface Fetched {
  people: Row[];
  sessions: Row[];
  orders: Row[];
  lines: Row[];
}

/** The current rows of what changed. */
async function fetchRows(client: pg.PoolClient, extent: Extent, changes: readonly Change[]): Promise<Fetched> {
  const of = (onlyKind: Change["kind"]) => changes.flatMap(({ kind, id }) => (kind === onlyKind ? [id] : []));
  const ids = { session: of("session"), profile: of("profile"), order: of("order") };
  const some = { ...extent, ids };
  const fetch = async ({ query, columns }: CopiedRows, count: number): Promise<Row[]> => {
    if (count === 0) return [];
    const names = Object.keys(columns);
    const { rows } = await client.query<Cell[]>({ text: query, rowMode: "array" });
    return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])));
  };
  const [people, sessions, orders] = await pipelined(client, () => [
    fetch(peopleOf(some), ids.profile.length),
    fetch(sessionsOf(some), ids.session.length),
    // orders store how long after their session they came, so they change with it
    fetch(ordersOf(some), ids.order.length + ids.session.length),
  ]);
  return { people, sessions, orders, lines: await fetch(linesOf(some), orders.length) };
}

interface Session {
  row: Row;
  facts: Facts;
}

async function readSessions(rows: readonly Row[]): Promise<{ sessions: Session[]; leftOut: LeftOut[] }> {
  const sessions: Session[] = [];
  const leftOut: LeftOut[] = [];
  for await (const row of byTurns(rows)) {
    const { id, facts: text, texts } = row;
    const facts = text === null ? null : parseFacts(String(text), texts === null ? null : String(texts));
    if (facts) sessions.push({ row, facts });
    else leftOut.push({ kind: "session", id: String(id), reason: text === null ? "too_large" : "unfit" });
  }
  return { sessions, leftOut };
}

/** The versions of the sessions by quiz and number. Inserts those that the copy lacks. */
async function versionsOf(
  { duck, keys, client, extent }: Target,
  sessions: readonly Session[],
): Promise<ReadonlyMap<string, KnownVersion>> {
  const needed = new Map(
    sessions.map(({ row }) => [versionText(row), { quiz_id: String(row["quiz_id"]), version: Number(row["version"]) }]),
  );
  if (needed.size === 0) return new Map();
  const all = await keys.versions(duck);
  const missing = [...needed].filter(([text]) => !all.has(text));
  if (missing.length > 0) {
    await insertVersions(
      duck,
      client,
      extent.storeId,
      missing.map(([, version]) => version),
    );
    keys.forget();
  }
  const known = missing.length > 0 ? await keys.versions(duck) : all;
  return new Map([...known].filter(([text]) => needed.has(text)));
}

type Dictionaries = Map<string, Dictionary>;

/** The numbers of all keys that the rows use. Assigns numbers to those that the copy lacks. */
async function numberKeys(
  { duck, keys: known }: Target,
  sessions: readonly Session[],
  { orders, lines }: Fetched,
): Promise<Dictionaries> {
  const dictionaries: Dictionaries = new Map();
  const number = async (name: string, keys: readonly Cell[][], onlyKnown: readonly Cell[][] = []) => {
    const byText = new Map([...keys, ...onlyKnown].map((cells) => [JSON.stringify(cells), cells]));
    const dictionary = await known.dictionary(duck, name, [...byText.values()]);
    for (const cells of keys) dictionary.numberOf(...cells);
    dictionaries.set(name, dictionary);
  };
  const asKeys = (cells: readonly (Cell | undefined)[]) => cells.flatMap((cell) => (cell ? [[cell]] : []));
  const sold = orders.filter(({ session }) => session !== null);
  await number(
    "products",
    asKeys([...sessions.flatMap(({ facts }) => facts.g ?? []), ...lines.map((row) => row["product_id"])]),
  );
  await number("origins", asKeys(sessions.flatMap(({ row }) => originColumns.map((column) => row[column]))));
  await number("visitors", asKeys(sessions.map(({ row }) => row["visitor"])));
  // the segment of an order's session was numbered with the session
  await number(
    "segments",
    sessions.map(({ row }) => segmentKey(row)),
    sold.map(segmentKey),
  );
  await number("quizzes", [], asKeys(sold.map((row) => row["quiz_id"])));
  return dictionaries;
}

/** Rows by table, each with a cell for every column. The rows of one session or order are left out together. */
class TableRows {
  readonly #rows = new Map<string, Cell[][]>();
  readonly #checks = new Map<string, ReturnType<typeof rowCheck>>();
  readonly #leftOut: LeftOut[];

  constructor(leftOut: LeftOut[]) {
    this.#leftOut = leftOut;
  }

  of(table: string): Cell[][] {
    const rows = this.#rows.get(table) ?? [];
    this.#rows.set(table, rows);
    return rows;
  }

  add(kind: LeftOut["kind"], id: Cell | undefined, rows: readonly (readonly [table: string, cells: Cell[]])[]): void {
    if (rows.every(([table, cells]) => this.#canHold(table, cells))) {
      for (const [table, cells] of rows) this.of(table).push(cells);
    } else {
      this.#leftOut.push({ kind, id: String(id), reason: "unfit" });
    }
  }

  #canHold(table: string, cells: Cell[]): boolean {
    const check = this.#checks.get(table) ?? rowCheck(tableOf(table));
    this.#checks.set(table, check);
    return check(cells);
  }

  /** Inserts them, with the keys that were added for them. */
  async append(duck: WriteConnection, dictionaries: Dictionaries): Promise<void> {
    await insertRows(duck, [
      ...Array.from(dictionaries.values(), (dictionary) => dictionary.takeAdded()),
      ...Array.from(this.#rows, ([table, rows]) => [tableOf(table), rows] as const),
    ]);
  }
}

interface Numbers {
  versions: ReadonlyMap<string, KnownVersion>;
  places: Places;
  dictionaries: Dictionaries;
}

async function addRows(
  into: TableRows,
  { sessions, fetched, numbers }: { sessions: readonly Session[]; fetched: Fetched; numbers: Numbers },
): Promise<void> {
  const { versions, places, dictionaries } = numbers;
  const find: CellInput["find"] = (name, ...key) => dictionaries.get(name)?.find(...key) ?? null;
  const place = () => null;
  const rowIn = (table: string) => {
    const sources = sourcesOf(mappedTable(table));
    return (row: Row): [string, Cell[]] => [table, rowOf(sources, { row, find, place }) ?? []];
  };
  const [personRow, orderRow, lineRow] = [rowIn("people"), rowIn("orders"), rowIn("lines")];
  for (const row of fetched.people) into.add("profile", row["id"], [personRow(row)]);
  for await (const { row, facts } of byTurns(sessions)) {
    const version = versions.get(versionText(row));
    if (!version) throw new Error("a copy lacks the version of a session");
    const segment = find("segments", ...segmentKey(row));
    const ofVersion: CellInput["place"] = (kind, index, sub) =>
      places.get(kind)?.get(placeNumber(version.version_no, index, sub)) ?? null;
    const input = { row: { ...row, quiz: version.quiz, segment }, find, place: ofVersion };
    into.add("session", row["id"], sessionRows(input, facts));
  }
  const lines = Map.groupBy(fetched.lines, ({ id }) => id);
  for (const row of fetched.orders) {
    into.add("order", row["id"], [orderRow(row), ...(lines.get(row["id"] ?? null) ?? []).map(lineRow)]);
  }
}

const sourcesByList = sessionLists.map(([list, table]) => [list, table, sourcesOf(mappedTable(table), list)] as const);

/** All rows of a session, with their tables. */
function sessionRows({ row, find, place }: CellInput, facts: Facts): [table: string, cells: Cell[]][] {
  const rows: [string, Cell[]][] = [];
  const input: CellInput = { row, find, place, own: facts.i ?? [], products: facts.g ?? [] };
  for (const [list, table, sources] of sourcesByList) {
    const own: Cell[][] = [];
    for (const [entry, text] of entriesOf(list, facts)) {
      const cells = rowOf(sources, text === undefined ? input : { ...input, text }, entry);
      if (cells) own.push(cells);
    }
    if (list === "s") markFirstShown(own);
    for (const cells of own) rows.push([table, cells]);
  }
  return rows;
}

function entriesOf(list: SessionList, facts: Facts): (readonly [Entry, string?])[] {
  if (list === "i") return [[facts.i ?? []]];
  if (list === "t") return facts.texts.map(({ q, t, w }) => [[q, null, w], t] as const);
  return (facts[list] ?? []).map((entry) => [entry] as const);
}

/** The indexes of columns in a table's rows. */
const cellsOf = <Column extends string>(table: string, ...columns: readonly Column[]): Record<Column, number> => {
  const names = tableOf(table).columns.map(([name]) => name);
  return Object.fromEntries(columns.map((column) => [column, names.indexOf(column)])) as Record<Column, number>;
};

const shown = cellsOf("shown", "product", "block", "shown_at", "first");

/** Marks, among the rows of one session, the first block that showed each product. */
function markFirstShown(rows: Cell[][]): void {
  const seen = new Set<Cell | undefined>();
  const number = (cells: Cell[], at: number) => Number(cells[at]);
  rows.sort(
    (a, b) => number(a, shown.shown_at) - number(b, shown.shown_at) || number(a, shown.block) - number(b, shown.block),
  );
  for (const cells of rows) {
    cells[shown.first] = !seen.has(cells[shown.product]);
    seen.add(cells[shown.product]);
  }
}

const marked = cellsOf("sessions", "session", "person", "quiz", "completed", "latest_completed");

/**
 * People whose newest session of a quiz may have changed. A session whose relevant cells are unchanged keeps its mark,
 * which is the usual case: most changes are answers in an uncompleted session.
 */
function peopleToMark(before: readonly Mark[], after: Cell[][]): number[] {
  const left = new Map(before.map((mark) => [mark.session, mark]));
  const people = new Set<number>();
  const note = (person: Cell | undefined, completed: Cell | undefined) => {
    if (typeof person === "number" && completed != null) people.add(person);
  };
  for (const cells of after) {
    const was = left.get(Number(cells[marked.session]));
    const [person, completed] = [cells[marked.person], cells[marked.completed]];
    if (was && was.person === person && was.quiz === cells[marked.quiz] && was.completed === completed) {
      cells[marked.latest_completed] = was.latest;
      left.delete(was.session);
    } else {
      note(person, completed);
    }
  }
  for (const { person, completed } of left.values()) note(person, completed);
  return [...people];
}
