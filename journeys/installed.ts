import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { inject } from "vitest";
import { installedIn } from "../testkit/installed.ts";
import { freshFolder, run } from "./program.ts";

let installed: Promise<string> | undefined;

/**
 * A data directory as the first command leaves it, for stories about something else: its database is made and migrated
 * once in a run of tests, and copied by whoever wants one.
 */
export async function installedFolder(): Promise<string> {
  installed ??= install(inject("template"));
  return copied(await installed);
}

/** A copy of a data directory that nobody uses, with its owners: PostgreSQL does not run as root. */
export async function copied(data: string): Promise<string> {
  const folder = await freshFolder();
  await promisify(execFile)("cp", ["-a", `${data}/.`, folder]);
  return folder;
}

/** Several processes of tests may do so at once: the first gives it its name. */
export async function install(template: string): Promise<string> {
  const folder = installedIn(template);
  if (existsSync(folder)) return folder;
  const own = await mkdtemp(`${folder}-`);
  const { status, stderr } = await run(["store", "list", "--data", own]);
  if (status !== 0) throw new Error(`no data directory could be made: ${stderr}`);
  await rename(own, folder).catch(() => rm(own, { recursive: true, force: true }));
  return folder;
}
