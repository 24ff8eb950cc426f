import { spawnSync } from "node:child_process";
import type { HardRun, HardSuite } from "./suite.ts";
import { runTestFiles } from "./test-files.ts";

/** The recipes of docs/exports.md in the programs that they are for. */

export const suite: HardSuite = {
  name: "recipes",
  what: "the recipes of docs/exports.md as they stand, in the programs that they are for, cell by cell; at full size, Debian's are installed if they are missing",
  short: 0.1,
  run: runRecipes,
};

/** Debian's packages, each with a file that it installs. */
const packages: Readonly<Record<string, string>> = {
  "libreoffice-calc": "/usr/lib/libreoffice/program/soffice.bin",
  gnumeric: "/usr/bin/ssconvert",
  "r-cran-readxl": "/usr/lib/R/site-library/readxl",
  "r-cran-jsonlite": "/usr/lib/R/site-library/jsonlite",
  "python3-pandas": "/usr/lib/python3/dist-packages/pandas",
  "python3-openpyxl": "/usr/lib/python3/dist-packages/openpyxl",
  sqlite3: "/usr/bin/sqlite3",
  "postgresql-client": "/usr/bin/psql",
  "mariadb-server": "/usr/sbin/mariadbd",
  miller: "/usr/bin/mlr",
  csvkit: "/usr/bin/csvjson",
};

async function runRecipes(run: HardRun): Promise<readonly string[]> {
  const missing = Object.entries(packages).filter(([, file]) => spawnSync("test", ["-e", file]).status !== 0);
  const names = missing.map(([name]) => name);
  if (names.length > 0 && run.scale >= 1) install(run, names);
  else if (names.length > 0) {
    run.say(`left out, since these are not installed: ${names.join(", ")}`);
    return [];
  }
  const { counts, failures } = await runTestFiles(run, ["hard/field/exports.hard.test.ts"]);
  run.say(counts);
  return failures;
}

function install(run: HardRun, names: readonly string[]): void {
  run.say(`installing ${names.join(", ")}`);
  const args = ["-o", "DPkg::Lock::Timeout=600", "install", "--yes", "--no-install-recommends", ...names];
  const { status } = spawnSync("apt-get", args, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) run.say("apt-get did not install them");
}
