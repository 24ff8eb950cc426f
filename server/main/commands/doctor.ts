import { access, constants, mkdir, statfs } from "node:fs/promises";
import type { Command } from "commander";
import { type Config, describeSettings } from "../../platform/config.ts";
import { ping } from "../../platform/database/database.ts";
import { noDeadline } from "../../platform/deadline.ts";
import { openFiles } from "../../platform/files/open.ts";
import { AdminError } from "../../stores/admin.ts";
import { type Opened, openFoundations, settingsOf } from "../foundations.ts";
import { printResult } from "../print.ts";
import { type CommonOptions, sentenceOf, withCommonOptions } from "./with.ts";

/** `quizstore doctor`: checks what the program needs and says what to mend. */

interface Finding {
  check: string;
  ok: boolean;
  detail: string;
}

export function addDoctor(program: Command): void {
  withCommonOptions(program.command("doctor"))
    .description("check database, cache, storage, clock and settings; says what to mend")
    .action(async (options: CommonOptions) => {
      const findings = await examine(options);
      const settings = describeSettings().map(({ name, meaning, fallback }) => ({
        name,
        value: process.env[name] ? (name.endsWith("_KEY") || name.endsWith("_URL") ? "set" : process.env[name]) : "-",
        default: fallback,
        meaning,
      }));
      const ok = findings.every((finding) => finding.ok);
      if (options.json) printResult({ ok, findings, settings }, true);
      else {
        for (const { check, ok: good, detail } of findings)
          process.stdout.write(`${good ? "ok  " : "FAIL"} ${check}: ${detail}\n`);
        process.stdout.write("\n");
        printResult(settings, false);
      }
      if (!ok) throw new AdminError("something needs mending, see above");
    });
}

async function examine(options: CommonOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  const check = async (name: string, work: () => Promise<string>): Promise<boolean> => {
    try {
      findings.push({ check: name, ok: true, detail: await work() });
      return true;
    } catch (error) {
      findings.push({ check: name, ok: false, detail: sentenceOf(error) });
      return false;
    }
  };
  let config: Config | undefined;
  await check("settings", async () => {
    config = settingsOf({ DATA_DIR: options.data, LOG_LEVEL: "silent" });
    return "well-formed";
  });
  if (!config) return findings;
  const settings: Config = config;
  let opened: Opened | undefined;
  await check("database", async () => {
    opened = await openFoundations(settings, { role: "command", connections: 2 });
    return describeDatabase(opened);
  });
  if (opened) {
    const { calendar } = opened;
    await check("clock", async () => `calendar shows ${new Date(calendar.now()).toISOString()}`);
    await opened.close();
  }
  await check("cache", () => describeCache(settings));
  await check("storage", () => describeStorage(settings));
  return findings;
}

async function describeDatabase({ database, config }: Opened): Promise<string> {
  await ping(database);
  const rows = await database.reader(noDeadline).all<{ version: string; applied: number }>({
    sql: "SELECT current_setting('server_version') AS version, count(*) AS applied FROM schema_migrations",
    parameters: [],
  });
  const kind = config.databaseUrl === null ? "embedded PostgreSQL" : "PostgreSQL";
  return `${kind} ${rows[0]?.version}, ${rows[0]?.applied} migrations applied`;
}

async function describeCache({ redisUrl }: Config): Promise<string> {
  if (redisUrl === null) return "in memory; set REDIS_URL when more than one process serves";
  const { RedisLimiter } = await import("../../platform/limiter/redis.ts");
  const limiter = await RedisLimiter.open({ url: redisUrl, random: Math.random });
  try {
    await limiter.take({ name: "doctor", rule: { capacity: 10, leakPerSecond: 10 }, cost: 1 });
    return "Redis answers";
  } finally {
    await limiter.close();
  }
}

async function describeBucket(exportStorage: string): Promise<string> {
  const files = openFiles(exportStorage);
  try {
    const sink = await files.write("doctor/trial.csv");
    await sink.finish();
    await files.remove("doctor/trial.csv");
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    throw new AdminError(
      `${exportStorage}: ${cause instanceof Error ? cause.message || cause.name : "unknown failure"}`,
    );
  } finally {
    files.close();
  }
  return `${exportStorage} can be written`;
}

async function describeStorage({ exportStorage }: Config): Promise<string> {
  if (exportStorage.startsWith("s3://")) return describeBucket(exportStorage);
  await mkdir(exportStorage, { recursive: true });
  await access(exportStorage, constants.W_OK);
  const { bavail, bsize } = await statfs(exportStorage);
  const free = Math.floor((bavail * bsize) / 1024 ** 2);
  if (free < 256) throw new AdminError(`only ${free} MB are free in ${exportStorage}; make room`);
  return `${exportStorage} can be written, ${free} MB free`;
}
