import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import { overdueExportFiles, overdueExports } from "../../exports/overdue.ts";
import { unixNow } from "../../platform/clock.ts";
import { type CommonOptions, withCommonOptions } from "../../platform/command-line/commands.ts";
import { printResult } from "../../platform/command-line/print.ts";
import { type Config, describeSettings } from "../../platform/config.ts";
import { type ExternalServer, meetServer } from "../../platform/database/external-server.ts";
import { readMigrations } from "../../platform/database/migrate.ts";
import { holdsCluster } from "../../platform/embedded-postgres/cluster.ts";
import { openFiles } from "../../platform/files/open.ts";
import { OperatorError } from "../../platform/operator-error.ts";
import { overduePeople } from "../../profiles/overdue.ts";
import { overdueSessions } from "../../sessions/overdue.ts";
import { targets } from "../../web/targets.ts";
import { overdueEndpoints, overdueEvents } from "../../webhooks/overdue.ts";
import { checkout, elapsed, migrationsDirectory, type Opened, openFoundations, settingsOf } from "../foundations.ts";
import { refuseMoved } from "../server-database-mark.ts";
import { inspectBuilt } from "./built.ts";
import { inspectConnection } from "./connection.ts";
import {
  inspectClocks,
  inspectDatabase,
  inspectMigrations,
  inspectNodes,
  inspectQueues,
  inspectSecretKey,
  inspectWebhooks,
  nodesOf,
  zonesInUse,
} from "./database.ts";
import { Findings, ok } from "./findings.ts";
import { inspectCopies, inspectDataFolder, inspectMemory, inspectStorage, inspectZones } from "./machine.ts";
import { inspectMail } from "./mail.ts";
import { inspectRedis } from "./redis.ts";
import { inspectSettings } from "./settings.ts";

/**
 * `quizstore doctor`: checks what the program needs and says what to fix [command-line.doctor]. Changes nothing except
 * for a trial file.
 */
export function addDoctor(program: Command): void {
  withCommonOptions(program.command("doctor"))
    .description("check database, cache, storage, clock, machine and settings; says what to fix")
    .action(async (options: CommonOptions) => {
      const findings = new Findings();
      await examine(options, findings);
      const settings = describeSettings();
      if (options.json) printResult({ ok: !findings.failed, findings: findings.all, settings }, true);
      else {
        for (const { check, status, detail, remedy } of findings.all) {
          const mark = { ok: "ok  ", warn: "WARN", fail: "FAIL" }[status];
          process.stdout.write(`${mark} ${check}: ${detail}\n${remedy === null ? "" : `     -> ${remedy}\n`}`);
        }
        process.stdout.write("\n");
        printResult(settings, false);
      }
      if (findings.failed) throw new OperatorError("something has to be fixed, see above");
    });
}

async function examine(options: CommonOptions, findings: Findings): Promise<void> {
  let config: Config | null = null;
  await findings.check("settings", "write the setting as the sentence says", () => {
    config = settingsOf({ DATA_DIR: options.data, LOG_LEVEL: "silent" });
    return inspectSettings(config, Boolean(process.env["BASE_URL"]?.trim()));
  });
  if (config) await examineWith(config, findings);
}

async function examineWith(config: Config, findings: Findings): Promise<void> {
  await findings.check("data folder", "let the user that runs the program own the folder of DATA_DIR", () =>
    inspectDataFolder(config),
  );
  await findings.check("copies", "let the user that runs the program own DATA_DIR/facts, or delete it", () =>
    inspectCopies(config),
  );
  for (const target of targets) {
    const { name } = target;
    await findings.check(name, `see that the program may read its own folder and DATA_DIR/${name}`, () =>
      inspectBuilt(target, checkout, config),
    );
  }
  await findings.check("memory", "see the setting FACTS_MEMORY_MB", () => inspectMemory(config));
  const files = openFiles(config.exportStorage);
  await findings.check(
    "storage",
    "let the program write to EXPORT_STORAGE: rights, credentials, the bucket's name",
    () => inspectStorage(files, config, randomBytes(8).toString("hex")),
  );
  files.close();
  await findings.check("cache", "correct REDIS_URL", () => inspectRedis(config.redisUrl, elapsed, Math.random));
  await findings.check("mail", "correct SMTP_URL", () => inspectMail(config.smtpUrl));
  await examineDatabase(config, findings);
}

async function examineDatabase(config: Config, findings: Findings): Promise<void> {
  const reach = "start the database, or correct DATABASE_URL: address, user, password, network";
  let server: ExternalServer | null = null;
  if (config.databaseUrl !== null) {
    const url = config.databaseUrl;
    const connection = await findings.check("connection", reach, async () => {
      server = await meetServer(url);
      return inspectConnection(server);
    });
    if (connection.status === "fail") return;
  }
  const known = (await readMigrations(migrationsDirectory)).length;
  const migrations = await findings.check("migrations", reach, () => inspectMigrations(server, known));
  if (migrations.status === "fail") return;
  let opened: Opened | null = null;
  await findings.check("database", "follow the message; the server's log may say more", async () => {
    if (config.databaseUrl === null) {
      await refuseMoved(config);
      if (!(await holdsCluster(config.dataDir))) return ok("there is none yet; quizstore start creates it");
    }
    opened = await openFoundations(config, { role: "command", marks: false, connections: 2 });
    return inspectDatabase(opened);
  });
  if (opened) await examineOpened(opened, findings);
}

async function examineOpened(opened: Opened, findings: Findings): Promise<void> {
  const again = "run doctor again; if it persists, see the database's log";
  try {
    const nodes = await nodesOf(opened);
    if (nodes.length > 0) await findings.check("nodes", again, () => inspectNodes(nodes));
    await findings.check("clock", again, () => inspectClocks(opened, unixNow));
    await findings.check("secret key", again, () => inspectSecretKey(opened));
    // deliveries are left out because they also wait for slow and paused receivers; endpoints that nobody sends to
    // reveal missing workers
    const queues = [
      overdueSessions,
      overduePeople,
      overdueEvents,
      overdueEndpoints,
      overdueExports,
      overdueExportFiles,
    ];
    await findings.check("due work", again, () => inspectQueues(opened, queues));
    await findings.check("webhooks", again, () => inspectWebhooks(opened));
    await findings.check("time zones", again, async () =>
      inspectZones(await zonesInUse(opened), new Date(unixNow()).getUTCFullYear()),
    );
  } finally {
    await opened.close();
  }
}
