import type { Command } from "commander";
import pg from "pg";
import { type CommonOptions, withCommonOptions } from "../../platform/command-line/commands.ts";
import { type Distribution, distribute } from "../../platform/database/citus.ts";
import { OperatorError } from "../../platform/operator-error.ts";
import { openFoundations, settingsOf } from "../foundations.ts";

/** `quizstore migrate`: the newest schema, and with `--citus` its tables placed on the nodes of a Citus cluster. */

interface MigrateOptions extends CommonOptions {
  citus?: boolean;
}

export function addMigrate(program: Command): void {
  withCommonOptions(program.command("migrate"))
    .description("bring the database of DATABASE_URL, or the embedded one, to the newest schema")
    .option("--citus", "then distribute its tables over the nodes of a Citus cluster; harmless to repeat")
    .action(async (options: MigrateOptions) => {
      const config = settingsOf({ DATA_DIR: options.data });
      if (options.citus && config.databaseUrl === null) {
        throw new OperatorError("--citus needs DATABASE_URL: write the address of the cluster's coordinator");
      }
      const opened = await openFoundations(config, { role: "command", creates: true, connections: 2 });
      await opened.close();
      const { migrationsApplied: applied } = opened;
      if (!options.citus) return print(options, { applied }, [appliedLine(applied)]);
      const distribution = await distributeAt(opened.connection);
      print(options, { applied, ...namesOf(distribution) }, [appliedLine(applied), ...linesOf(distribution)]);
    });
}

async function distributeAt(connection: pg.ClientConfig): Promise<Distribution> {
  const client = new pg.Client({ ...connection, application_name: "quizstore migrate" });
  await client.connect();
  try {
    return await distribute(client, (line) => process.stderr.write(`${line}\n`));
  } finally {
    await client.end();
  }
}

const appliedLine = (applied: readonly string[]): string =>
  applied.length === 0 ? "the schema is up to date" : `applied: ${applied.join(", ")}`;

function namesOf({ steps, kept, local, nodes }: Distribution) {
  const placed = (kind: string) => steps.flatMap(({ table, placement }) => (placement === kind ? [table] : []));
  return { reference: placed("reference"), distributed: placed("distributed"), kept, local, nodes };
}

function linesOf(distribution: Distribution): string[] {
  const { reference, distributed, kept, local, nodes } = namesOf(distribution);
  const lines: [what: string, tables: readonly string[]][] = [
    ["copied to every node", reference],
    ["distributed by store_id", distributed],
    ["placed before", kept],
    ["on the coordinator", local],
  ];
  const said = lines.flatMap(([what, tables]) => (tables.length === 0 ? [] : [`${what}: ${tables.join(", ")}`]));
  return [...said, ...nodes.map(({ address, shards }) => `${address}: ${shards} shards of each distributed table`)];
}

function print({ json }: CommonOptions, result: object, lines: readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${lines.join("\n")}\n`);
}
