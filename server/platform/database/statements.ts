import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from "kysely";
import type { DB } from "./schema.generated.ts";
import type { Statement } from "./sql.ts";

/**
 * Kysely writes statements and types their rows; it never runs them. Running is ours, since every statement carries a
 * deadline, and a cancelled one costs its connection (see connection.ts).
 */
export const build = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Where Kysely's builder says less clearly what SQL says: its `sql` template, with the row's type given by the caller. */
export const statement = <Row>(raw: RawBuilder<Row>): Statement<Row> => raw.compile(build);

/** Written out by hand, for the statements that run most: compiled once, at start. */
export const written = <Row>(text: string, parameters: readonly unknown[]): Statement<Row> => ({
  sql: text,
  parameters,
});
