import { execFile } from "node:child_process";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..");

/** Compiles the client into a project's node_modules, like an installation. */
export async function installClient(project: string): Promise<void> {
  const place = join(project, "node_modules/@quizstore/client");
  await mkdir(place, { recursive: true });
  await cp(join(root, "client/package.json"), join(place, "package.json"));
  const compile = ["-p", join(root, "client/tsconfig.build.json"), "--outDir", join(place, "dist")];
  await promisify(execFile)(join(root, "node_modules/.bin/tsc"), compile);
}
