import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { inject } from "vitest";
import { installedIn } from "../testkit/installed.ts";
import { freshFolder, run } from "./program.ts";

let installed: Promise<string> | undefined;

/**
 * A data directory with a migrated database, for journeys about something else: its database is created and migrated
 * once in a run of tests, and copied for each use.
 */
export async function installedFolder(): Promise<string> {
  installed ??= install(inject("template"));
  return copied(await installed);
}

/** A copy of an unused data directory, including its owners: PostgreSQL does not run as root. */
export async function copied(data: string): Promise<string> {
  const folder = await freshFolder();
  await promisify(execFile)("cp", ["-a", `${data}/.`, folder]);
  return folder;
}

/** Several test processes may do so at once: the first to finish renames its folder to the final name. */
export async function install(template: string): Promise<string> {
  const folder = installedIn(template);
  if (existsSync(folder)) return folder;
  const own = await mkdtemp(`${folder}-`);
  const { status, stderr } = await run(["migrate", "--data", own]);
  if (status !== 0) throw new Error(`no data directory could be made: ${stderr}`);
  await rename(own, folder).catch(() => rm(own, { recursive: true, force: true }));
  return folder;
}
