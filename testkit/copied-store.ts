import { randomUUID } from "node:crypto";
import pg from "pg";
import { compileQuiz } from "../engine/compile-quiz.ts";
import type { QuizDocument } from "../engine/document.ts";
import type { CopyReader } from "../server/columnar-copy/public.ts";
import { foldText } from "../server/platform/fold-text.ts";
import { copyText } from "../server/sessions/copy-text.ts";
import type { SessionState } from "../server/sessions/state.ts";

/**
 * A store whose sessions and people are written straight into the database, along with a plain model of them:
 * `expected` says what its columnar copy must contain, without SQL.
 */

export interface ModelAnswer {
  page_key: string;
  component_key: string;
  kind: string;
  option_ids?: string[];
  value?: string | number | { date: string; time: string | null };
}

export interface ModelSession {
  id: string;
  number: number;
  quiz: number;
  person: string | null;
  preview: boolean;
  opened: number;
  started: number | null;
  completed: number | null;
  lastPage: string | null;
  answers: ModelAnswer[];
  points: Record<string, number>;
  formulas: Record<string, number | null>;
}

export interface ModelPerson {
  id: string;
  number: number;
  lastSeen: number;
  identities: { kind: "email" | "phone"; value: string; consent: boolean | null }[];
}

/** Default opening time of sessions. */
export const sessionOpened = Date.parse("2026-03-01T00:00:00.123Z");

export type GivenSession = Omit<ModelSession, "id" | "number">;

/** A session that started a second after its opening, with no other facts. */
export const givenSession = (more: Partial<GivenSession> = {}): GivenSession => ({
  quiz: 0,
  person: null,
  preview: false,
  opened: sessionOpened,
  started: sessionOpened + 1_000,
  completed: null,
  lastPage: "first",
  answers: [],
  points: {},
  formulas: {},
  ...more,
});

const tables = ["sessions", "identities", "profiles", "quiz_versions", "quizzes", "changes", "store_revisions"];

const choice = (component_key: string, option_ids: readonly string[], label = (id: string) => `Label ${id}`) => ({
  kind: "choice",
  component_key,
  question: "?",
  required: false,
  multiple: true,
  options: option_ids.map((option_id) => ({ option_id, label: label(option_id), image_url: null, points: {} })),
});
const field = (component_key: string, kind: string) => ({ kind, component_key, question: "?", required: false });
const formula = (component_key: string) => ({ kind: "formula", component_key, label: "L", expression: "1" });

/** Every key that the tests' sessions use, including odd ones. */
const documentOf = (index: number): QuizDocument => {
  const pages = {
    p: [
      choice("pick", ["a"], () => `Été "A", ${index}`),
      choice("c", ["a", "b", "c"]),
      { ...choice("i", ["x"]), kind: "image" },
      field("t", "text"),
      field("n", "number"),
      field("big", "number"),
      field("d", "date"),
      field("e", "date"),
      field("m", "email"),
    ],
    'p"q': [choice("a,b\nc", ["a", 'b"', "", "null", "ü,\\"])],
    sum: ["sum", "none", "f", "g"].map(formula),
    first: [],
    last: [],
  };
  const document = {
    pages: Object.entries(pages).map(([page_key, components]) => ({
      page_key,
      title: page_key,
      kind: "question",
      visible_when: null,
      components,
    })),
    jump_rules: [],
    dimensions: ["dry", "oily", "o'ily"].map((id) => ({ dimension_id: id, name: id === "dry" ? "Dry" : id })),
    property_mappings: [],
  };
  // only the parts from which numbering and labels are read
  return document as unknown as QuizDocument;
};
const documents = [0, 1].map(documentOf);
const quizzes = documents.map(compileQuiz);
const at = (ms: number | null) => (ms === null ? null : new Date(ms));
export const quizIds = [randomUUID(), randomUUID()];
const versionIds = [randomUUID(), randomUUID()];

export class CopiedStore {
  readonly id: string;
  readonly client: pg.Client;
  readonly sessions = new Map<string, ModelSession>();
  readonly people = new Map<string, ModelPerson>();
  /** a person and a session keep their numbers for life */
  readonly #numbers = new Map<string, number>();
  revision = 0;

  constructor(client: pg.Client, id: string) {
    this.client = client;
    this.id = id;
  }

  static async open(connection: pg.ClientConfig): Promise<CopiedStore> {
    const client = new pg.Client(connection);
    await client.connect();
    const store = new CopiedStore(client, randomUUID());
    await client.query(
      `INSERT INTO stores (id, name, shop_domain, plan, currency, timezone, publishable_key, commerce_secret, created_at)
       VALUES ($1, 'Shop', $2, 'plus', 'USD', 'UTC', $1, '', now())`,
      [store.id, `${store.id}.example`],
    );
    await client.query("INSERT INTO store_revisions (store_id) VALUES ($1)", [store.id]);
    for (const [index, quizId] of quizIds.entries()) {
      await client.query(
        `INSERT INTO quizzes (store_id, id, name, draft, draft_page_count, created_at, updated_at)
         VALUES ($1, $2, 'Quiz', '{}', 1, now(), now())`,
        [store.id, quizId],
      );
      await client.query(
        `INSERT INTO quiz_versions (store_id, id, quiz_id, number, document, page_count, created_at)
         VALUES ($1, $2, $3, 1, $4, 1, now())`,
        [store.id, versionIds[index], quizId, JSON.stringify(documents[index])],
      );
    }
    return store;
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  /** Writes people and sessions, or deletes them (null), and records the revision. */
  async change(change: {
    people?: [string, Omit<ModelPerson, "id" | "number"> | null][];
    sessions?: [string, GivenSession | null][];
  }): Promise<void> {
    await this.client.query("BEGIN");
    const changed: [string, string][] = [];
    for (const [id, person] of change.people ?? []) {
      changed.push(["profile", id]);
      // assigning another person to a session records the session as changed too
      const returns = person !== null && !this.people.has(id);
      for (const session of returns ? this.sessions.values() : []) {
        if (session.person === id) changed.push(["session", session.id]);
      }
      await this.#putPerson(id, person);
    }
    for (const [id, session] of change.sessions ?? []) {
      changed.push(["session", id]);
      await this.#putSession(id, session);
    }
    this.revision += 1;
    await this.client.query("UPDATE store_revisions SET revision = $2 WHERE store_id = $1", [this.id, this.revision]);
    const token = randomUUID();
    for (const [kind, id] of changed.length > 0 ? changed : [["quiz", quizIds[0]]]) {
      await this.client.query("INSERT INTO changes VALUES ($1, $2, $3, $4, $5, now()) ON CONFLICT DO NOTHING", [
        this.id,
        this.revision,
        token,
        kind,
        id,
      ]);
    }
    await this.client.query("COMMIT");
  }

  async #putPerson(id: string, given: Omit<ModelPerson, "id" | "number"> | null): Promise<void> {
    await this.client.query("DELETE FROM identities WHERE store_id = $1 AND profile_id = $2", [this.id, id]);
    if (given === null) {
      this.people.delete(id);
      await this.client.query("UPDATE profiles SET removed_at = now() WHERE store_id = $1 AND id = $2", [this.id, id]);
      return;
    }
    const person = { ...given, id, number: this.#numberOf(id) };
    this.people.set(id, person);
    await this.client.query(
      `INSERT INTO profiles (store_id, id, number, created_at, last_seen_at) VALUES ($1, $2, $3, now(), $4)
       ON CONFLICT (store_id, id) DO UPDATE SET last_seen_at = excluded.last_seen_at, removed_at = NULL, number = excluded.number`,
      [this.id, id, person.number, at(person.lastSeen)],
    );
    for (const { kind, value, consent } of person.identities) {
      await this.client.query(
        "INSERT INTO identities (store_id, kind, value, profile_id, consent) VALUES ($1, $2, $3, $4, $5)",
        [this.id, kind, value, id, consent],
      );
    }
  }

  async #putSession(id: string, given: GivenSession | null): Promise<void> {
    if (given === null) {
      this.sessions.delete(id);
      await this.client.query("DELETE FROM sessions WHERE store_id = $1 AND id = $2", [this.id, id]);
      return;
    }
    const session = { ...given, id, number: this.#numberOf(id) };
    this.sessions.set(id, session);
    const quiz = quizzes[session.quiz];
    if (!quiz) throw new Error("no such quiz");
    const state = {
      completed_at: session.completed,
      opened_at: session.opened,
      opt_ins: { email_at: null, phone_at: null, denied_at: null },
      visits: [],
      moves: [],
      hidden: [],
      shown: [],
      exit: null,
      last_page_key: session.lastPage,
      answers: session.answers.map((answer) => ({ ...answer, consent: null, time: 1, seq: 1, event_id: randomUUID() })),
      outcome: {
        points: Object.entries(session.points).map(([dimension_id, total]) => ({ dimension_id, name: "N", total })),
        winner: winnerOf(session) === null ? null : { dimension_id: winnerOf(session), name: "N", total: 1 },
        formulas: Object.entries(session.formulas).map(([component_key, value]) => ({
          page_key: "sum",
          component_key,
          label: "L",
          value,
        })),
      },
      // only the parts that the copy's text is written from
    } as unknown as SessionState;
    const { facts, texts } = copyText(quiz, state);
    await this.client.query(
      `INSERT INTO sessions (store_id, id, number, visitor_id, quiz_id, version_id, profile_id, channel, device_class,
         device, preview, emits, is_returning, first_received_at, opened_at, started_at, completed_at, last_event_at, status, state, facts, texts)
       VALUES ($1, $2, $3, $2, $4, $5, $6, 'c', 'd', '{}', $7, false, false, $8, $8, $9, $10, $8, $11, $12, $13, $14)
       ON CONFLICT (store_id, id) DO UPDATE SET quiz_id = excluded.quiz_id, version_id = excluded.version_id,
         profile_id = excluded.profile_id, preview = excluded.preview, opened_at = excluded.opened_at,
         started_at = excluded.started_at, completed_at = excluded.completed_at, status = excluded.status, state = excluded.state,
         facts = excluded.facts, texts = excluded.texts`,
      [
        this.id,
        id,
        session.number,
        quizIds[session.quiz],
        versionIds[session.quiz],
        session.person,
        session.preview,
        at(session.opened),
        at(session.started),
        at(session.completed),
        session.completed === null ? "left" : "completed",
        JSON.stringify(state),
        facts,
        texts,
      ],
    );
  }

  #numberOf(id: string): number {
    const number = this.#numbers.get(id) ?? this.#numbers.size + 1;
    this.#numbers.set(id, number);
    return number;
  }

  /** In the form that `copiedSql` reads from a copy: one JSON text per row, sorted. */
  expected(): string[] {
    const sessions = [...this.sessions.values()].filter((session) => !session.preview);
    const lines: unknown[][] = [];
    for (const person of this.people.values()) {
      const has = (kind: string) => person.identities.some((identity) => identity.kind === kind);
      const consent = person.identities.some((identity) => identity.consent);
      lines.push(["person", person.number, person.id, person.lastSeen, has("email"), has("phone"), consent]);
    }
    for (const session of sessions) lines.push(...this.#linesOf(session, sessions));
    return lines.map((line) => JSON.stringify(line)).sort();
  }

  #linesOf(session: ModelSession, all: ModelSession[]): unknown[][] {
    const owner = (one: ModelSession) => (one.person === null ? null : (this.people.get(one.person)?.number ?? null));
    const person = owner(session);
    const rivals = all.filter((other) => other.quiz === session.quiz && person !== null && owner(other) === person);
    const newest = rivals
      .filter((other) => other.completed !== null)
      .sort((a, b) => Number(b.completed) - Number(a.completed) || (a.id < b.id ? 1 : -1))[0];
    const { number, id, opened, started, completed, lastPage } = session;
    const quiz = quizIds[session.quiz];
    const winner = completed === null ? null : winnerOf(session);
    const lines: unknown[][] = [
      ["session", number, id, person, quiz, opened, started, completed, lastPage, winner, newest === session],
    ];
    for (const { page_key, component_key, kind, option_ids, value } of session.answers) {
      for (const option of option_ids ?? [null]) {
        const amount = kind === "number" ? value : null;
        const day = kind === "date" && typeof value === "object" ? value.date : null;
        const text = kind === "text" ? foldText(String(value)) : null;
        lines.push(["answer", number, person, quiz, page_key, component_key, kind, option, amount, day, text]);
      }
    }
    if (completed === null) return lines;
    for (const [dimension, total] of Object.entries(session.points)) {
      lines.push(["points", number, person, quiz, dimension, total]);
    }
    for (const [key, value] of Object.entries(session.formulas)) {
      if (value !== null) lines.push(["formula", number, person, quiz, key, value]);
    }
    return lines;
  }

  /** Saves everything of the store; the returned function restores it, like restoring a backup. */
  async backup(): Promise<() => Promise<void>> {
    const saved = new Map<string, unknown[]>();
    for (const table of tables) {
      const { rows } = await this.client.query(`SELECT to_jsonb(t) AS row FROM ${table} t WHERE store_id = $1`, [
        this.id,
      ]);
      saved.set(
        table,
        rows.map(({ row }) => row),
      );
    }
    const model = { sessions: [...this.sessions], people: [...this.people], revision: this.revision };
    return async () => {
      for (const table of tables) await this.client.query(`DELETE FROM ${table} WHERE store_id = $1`, [this.id]);
      for (const table of [...tables].reverse()) {
        const rows = JSON.stringify(saved.get(table));
        await this.client.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [
          rows,
        ]);
      }
      this.sessions.clear();
      this.people.clear();
      for (const [id, session] of model.sessions) this.sessions.set(id, session);
      for (const [id, person] of model.people) this.people.set(id, person);
      this.revision = model.revision;
    };
  }
}

const winnerOf = ({ points }: { points: Record<string, number> }): string | null =>
  Object.entries(points).reduce<[string, number] | null>(
    (best, entry) => (best && best[1] >= entry[1] ? best : entry),
    null,
  )?.[0] ?? null;

/** Reads a whole copy in the form of `CopiedStore.expected`: columns c0, c1, ... by kind of line. */
const copiedSql = {
  person: `SELECT person, CAST(id AS VARCHAR), last_seen, has_email, has_phone, has_consent FROM people`,
  session: `SELECT s.session, CAST(s.id AS VARCHAR), s.person, CAST(q.id AS VARCHAR), s.opened, s.started, s.completed,
      p.page_key, d.dimension_id, s.latest_completed
    FROM sessions AS s JOIN quizzes AS q USING (quiz) LEFT JOIN pages AS p ON p.page = s.last_page AND p.quiz = s.quiz
    LEFT JOIN dimensions AS d ON d.dimension = s.winner AND d.quiz = s.quiz`,
  answer: `SELECT a.session, a.person, CAST(z.id AS VARCHAR), q.page_key, q.component_key, q.kind, o.option_id, a.number,
      CAST(a.day AS VARCHAR), a.text
    FROM answers AS a JOIN questions AS q ON q.question = a.question AND q.quiz = a.quiz JOIN quizzes AS z ON z.quiz = a.quiz
    LEFT JOIN options AS o ON o."option" = a."option" AND o.question = a.question`,
  points: `SELECT p.session, p.person, CAST(z.id AS VARCHAR), d.dimension_id, p.total
    FROM points AS p JOIN dimensions AS d USING (dimension) JOIN quizzes AS z USING (quiz)`,
  formula: `SELECT f.session, f.person, CAST(z.id AS VARCHAR), q.component_key, f.value
    FROM formulas AS f JOIN questions AS q USING (question) JOIN quizzes AS z USING (quiz) WHERE q.kind = 'formula'`,
};

/** The contents of a copy, in the form of `CopiedStore.expected`. */
export async function copied(copies: CopyReader, storeId: string): Promise<string[]> {
  const { result } = await copies.read(storeId, async (query) => {
    const lines: string[] = [];
    for (const [kind, sql] of Object.entries(copiedSql)) {
      for (const row of await query<Record<string, unknown>>({ sql, parameters: [] })) {
        lines.push(JSON.stringify([kind, ...Object.values(row)]));
      }
    }
    return lines.sort();
  });
  return result;
}
