import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deliveredPackages, licencePage, refusedLicences } from "./licence-list.ts";

/**
 * `node scripts/licences.ts` writes docs/licences.md, and fails if a licence is unknown or not permissive
 * [operations.libraries]. The lock file repeats the facts of each package.json, including those of packages for other
 * platforms; a test compares it with the installed ones.
 */

const root = join(import.meta.dirname, "..");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
const packages = deliveredPackages(lock);
const refused = refusedLicences(packages.values());
for (const each of refused) console.error(`not to be delivered: ${each}`);
if (refused.length === 0) writeFileSync(join(root, "docs/licences.md"), licencePage(packages.values()));
process.exitCode = refused.length === 0 ? 0 : 1;
