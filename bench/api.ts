import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { ColumnarCopies } from "../server/columnar-copy/public.ts";
import { composeApi } from "../server/main/compose.ts";
import { MemoryConcurrencyLimiter } from "../server/platform/concurrency/memory.ts";
import { readConfig } from "../server/platform/config.ts";
import { Database } from "../server/platform/database/database.ts";
import { MemoryLimiter } from "../server/platform/limiter/memory.ts";
import { openLog } from "../server/platform/log.ts";
import { openSecrets } from "../server/platform/secrets.ts";

/** The whole API in this process, over a benchmark's database, with its copies in a folder of the benchmark's. */

export const benchSecretKey = "a secret key for benchmarks, long enough";
export const factsMemoryMb = 512;

export interface BenchApi {
  app: FastifyInstance;
  database: Database;
  facts: ColumnarCopies;
  close(): Promise<void>;
}

/** @param now the calendar's ms */
export async function openBenchApi(
  connection: pg.ClientConfig,
  directory: string,
  now: () => number,
): Promise<BenchApi> {
  const log = openLog("error", { write: (line) => void process.stderr.write(line) });
  const calendar = { now, afterReal: (milliseconds: number) => now() + milliseconds };
  const elapsed = () => performance.now();
  const database = new Database({ connection, size: 8, log });
  const intakeDatabase = new Database({ connection, size: 4, log, pipelined: true });
  const base = { database, calendar, elapsed, random: randomBytes, log };
  const facts = await ColumnarCopies.open({ ...base, directory, memoryLimitMb: factsMemoryMb, loadWaitMs: 3_600_000 });
  const { app } = composeApi({
    ...base,
    intakeDatabase,
    config: readConfig({ BASE_URL: "http://bench.test", DATA_DIR: directory }),
    secrets: openSecrets(benchSecretKey, randomBytes),
    limiter: new MemoryLimiter(elapsed),
    facts,
    slots: new MemoryConcurrencyLimiter(),
  });
  await app.ready();
  const close = async () => {
    await app.close();
    await facts.close();
    await intakeDatabase.close();
    await database.close();
  };
  return { app, database, facts, close };
}
