import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { formatId } from "../server/platform/ids.ts";
import { openOwnDatabase } from "../testkit/own-database.ts";
import { databaseUrl, entryOf, thisCheckout } from "../testkit/real-processes.ts";
import { seedDatabase } from "../testkit/seeded/stores.ts";
import { newSecretKey, startProgram } from "./load-programs.ts";

export interface OwnedStore {
  /** runs a command about the store; returns its output */
  command: (...args: string[]) => Promise<string>;
  /** a link with which the store's owner signs in */
  ownersLink: () => Promise<string>;
  stop(): Promise<void>;
}

/** The whole program with its own database, and one store with this many sessions and quizzes. */
export async function startOwnedStore(given: { sessions: number; quizzes: number }): Promise<OwnedStore> {
  const database = await openOwnDatabase();
  const secretKey = newSecretKey();
  const begun = performance.now();
  const [store] = await seedDatabase(database.connection, secretKey, [{ ...given, plan: "enterprise", limits: {} }]);
  if (!store) throw new Error("no store was made");
  const seconds = Math.round((performance.now() - begun) / 1_000);
  console.log(`${given.sessions.toLocaleString("en")} sessions written in ${seconds} s`);
  const program = await startProgram(database.connection, secretKey, "127.0.0.1:9");
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl(database.connection),
    SECRET_KEY: secretKey,
    BASE_URL: program.origin,
  };
  const command = async (...args: string[]): Promise<string> => {
    const of = ["--store", formatId("store", store.id), "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, [entryOf(thisCheckout), ...args, ...of], { env });
    return stdout;
  };
  return {
    command,
    ownersLink: async () => JSON.parse(await command("user", "invite", "owner@bench.example", "--role", "owner")).url,
    stop: async () => {
      await program.stop();
      await database.close();
    },
  };
}
