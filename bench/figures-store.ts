import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { formatId } from "../server/platform/ids.ts";
import { openOwnDatabase } from "../testkit/own-database.ts";
import { databaseUrl, entryOf, thisCheckout } from "../testkit/real-processes.ts";
import { seedDatabase } from "../testkit/seeded/stores.ts";
import { newSecretKey, startProgram } from "./load-programs.ts";

export interface Figures {
  /** lets its owner in */
  link: string;
  stop(): Promise<void>;
}

/** The whole program on a database of its own, with one store of so many sessions in three quizzes. */
export async function startFigures(sessions: number): Promise<Figures> {
  const begun = performance.now();
  const database = await openOwnDatabase();
  const secretKey = newSecretKey();
  const [store] = await seedDatabase(database.connection, secretKey, [
    { sessions, quizzes: 3, plan: "enterprise", limits: {} },
  ]);
  if (!store) throw new Error("no store was made");
  console.log(
    `${sessions.toLocaleString("en")} sessions written in ${Math.round((performance.now() - begun) / 1_000)} s`,
  );
  const program = await startProgram(database.connection, secretKey, "127.0.0.1:1");
  const stop = async () => {
    await program.stop();
    await database.close();
  };
  try {
    const entry = entryOf(thisCheckout);
    const invite = ["user", "invite", "owner@bench.example", "--store", formatId("store", store.id), "--role", "owner"];
    const { stdout } = await promisify(execFile)(process.execPath, [entry, ...invite, "--json"], {
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl(database.connection),
        SECRET_KEY: secretKey,
        BASE_URL: program.origin,
      },
    });
    const { url }: { url: string } = JSON.parse(stdout);
    return { link: url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
