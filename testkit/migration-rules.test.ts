import { beforeAll, describe, expect, it } from "vitest";
import type { MigrationRules } from "./migration-rules.ts";
import { loadMigrationRules } from "./migration-rules.ts";

let rules: MigrationRules;
beforeAll(async () => {
  rules = await loadMigrationRules();
});

const stores = "-- reference\nCREATE TABLE stores (id uuid PRIMARY KEY, name text UNIQUE);\n";
const quizzes = "CREATE TABLE quizzes (store_id uuid, id uuid, due_at timestamptz, PRIMARY KEY (store_id, id));\n";

const legal: Record<string, string> = {
  "a tenant table": quizzes,
  "a key of store_id alone": "CREATE TABLE revisions (store_id uuid PRIMARY KEY, revision bigint NOT NULL DEFAULT 0)",
  "a reference table": stores,
  "a reference table with a longer comment":
    "-- reference: looked up by hash,\n-- before the store is known\nCREATE TABLE k (h text)",
  "a tenant table that refers to a reference table": `${stores}CREATE TABLE q (store_id uuid REFERENCES stores, id uuid, PRIMARY KEY (store_id, id))`,
  "a foreign key within a store": `${quizzes}CREATE TABLE s (store_id uuid, id uuid, quiz_id uuid,
     PRIMARY KEY (store_id, id), FOREIGN KEY (store_id, quiz_id) REFERENCES quizzes (store_id, id) ON DELETE CASCADE)`,
  "a foreign key to the primary key": `${quizzes}ALTER TABLE quizzes ADD COLUMN parent uuid,
     ADD FOREIGN KEY (store_id, parent) REFERENCES quizzes`,
  "an index by store": `${quizzes}CREATE INDEX i ON quizzes (store_id, lower(id::text)) WHERE due_at IS NOT NULL`,
  "an index over due work": `${quizzes}-- due work\nCREATE INDEX i ON quizzes (due_at) WHERE due_at IS NOT NULL`,
  "a unique constraint by store": `${quizzes}ALTER TABLE quizzes ADD UNIQUE (store_id, due_at)`,
  "data of every store": `${quizzes}UPDATE quizzes SET due_at = NULL`,
  "a function in $$": "CREATE FUNCTION one() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 1; END $$",
  "an index on an earlier reference table": "CREATE INDEX i ON earlier (hash)",
};

const illegal: Record<string, [sql: string, message: RegExp]> = {
  "a table without a key": ["CREATE TABLE q (store_id uuid)", /^q: no primary key/],
  "a key that begins with id": [
    "CREATE TABLE q (store_id uuid, id uuid, PRIMARY KEY (id, store_id))",
    /begin with store_id, not id/,
  ],
  "a key of id alone": ["CREATE TABLE q (id uuid PRIMARY KEY, store_id uuid)", /begin with store_id, not id/],
  "a reference mark with a gap": ["-- reference\n\nCREATE TABLE q (id uuid)", /^q: no primary key/],
  "a reference mark of another table": [
    "-- reference\nCREATE TABLE a (id uuid); CREATE TABLE b (id uuid)",
    /^b: no primary key/,
  ],
  "a unique column": [
    "CREATE TABLE q (store_id uuid PRIMARY KEY, slug text UNIQUE)",
    /unique constraint must begin with store_id/,
  ],
  "a unique constraint added later": [`${quizzes}ALTER TABLE quizzes ADD UNIQUE (id)`, /^quizzes: a unique constraint/],
  "an index by another column": ["CREATE INDEX i ON quizzes (due_at)", /^quizzes: index i must begin with store_id/],
  "an index by an expression": ["CREATE INDEX i ON quizzes (lower(name))", /index i must begin/],
  "an unmarked partial index": ["CREATE INDEX i ON quizzes (due_at) WHERE due_at IS NOT NULL", /index i must begin/],
  "due work that is not partial": ["-- due work\nCREATE INDEX i ON quizzes (due_at)", /only a partial/],
  "due work that is unique": ["-- due work\nCREATE UNIQUE INDEX i ON quizzes (a) WHERE a > 0", /only a partial/],
  "a foreign key without the store": [
    `${quizzes}ALTER TABLE quizzes ADD FOREIGN KEY (parent) REFERENCES quizzes (id)`,
    /pair store_id with store_id/,
  ],
  "a foreign key at a column": [`${quizzes}ALTER TABLE quizzes ADD COLUMN p uuid REFERENCES quizzes`, /pair store_id/],
  "a foreign key that crosses columns": [
    `${quizzes}ALTER TABLE quizzes ADD FOREIGN KEY (store_id, p) REFERENCES quizzes (id, store_id)`,
    /pair store_id/,
  ],
  "a foreign key that clears the store": [
    `${quizzes}ALTER TABLE quizzes ADD FOREIGN KEY (store_id, p) REFERENCES quizzes ON DELETE SET NULL`,
    /would clear store_id/,
  ],
  "a reference table that refers to a tenant table": [
    `${quizzes}-- reference\nCREATE TABLE k (quiz uuid, FOREIGN KEY (s, quiz) REFERENCES quizzes)`,
    /^k: a reference table cannot refer/,
  ],
  "a dropped store_id": ["ALTER TABLE quizzes DROP COLUMN store_id", /keeps its store_id/],
  "a trigger": ["CREATE TRIGGER t BEFORE INSERT ON quizzes EXECUTE FUNCTION f()", /no triggers/],
  "a rule": ["CREATE RULE r AS ON INSERT TO quizzes DO INSTEAD NOTHING", /no rules/],
  "row level security": ["ALTER TABLE quizzes ENABLE ROW LEVEL SECURITY", /row level security/],
  "a policy": ["CREATE POLICY p ON quizzes USING (true)", /policies/],
  "a default of now()": ["CREATE TABLE q (store_id uuid PRIMARY KEY, at timestamptz DEFAULT now())", /^now\(\)/],
  "a default of current_timestamp": ["ALTER TABLE q ALTER at SET DEFAULT current_timestamp", /^current_timestamp/],
  "a random default": ["ALTER TABLE q ADD COLUMN r uuid DEFAULT gen_random_uuid()", /^gen_random_uuid/],
  "a table made from a query": ["CREATE TABLE q AS SELECT 1", /states no primary key/],
  "a function without $$": [
    "CREATE FUNCTION one() RETURNS integer BEGIN ATOMIC SELECT 1; SELECT 2; END",
    /body stands in \$\$/,
  ],
  "a transaction of its own": ["BEGIN; CREATE INDEX i ON quizzes (store_id); COMMIT", /begins and ends none/],
  "a materialized view": ["CREATE MATERIALIZED VIEW v AS SELECT 1", /materialized views/],
};

describe("migration rules [database.store-keys, database.given-time]", () => {
  for (const [name, sql] of Object.entries(legal)) {
    it(`lets pass ${name}`, () => expect(rules.checkMigration(sql, new Set(["earlier"]))).toEqual([]));
  }

  for (const [name, [sql, message]] of Object.entries(illegal)) {
    it(`refuses ${name}`, () => expect(rules.checkMigration(sql)).toContainEqual(expect.stringMatching(message)));
  }

  it("lists the tables that migrations leave behind", () => {
    const later =
      "ALTER TABLE quizzes RENAME TO drafts; CREATE TABLE gone (store_id uuid PRIMARY KEY); DROP TABLE gone";
    expect(rules.tablesOf([stores + quizzes, later])).toEqual({
      tenant: new Set(["drafts"]),
      reference: new Set(["stores"]),
    });
  });
});
