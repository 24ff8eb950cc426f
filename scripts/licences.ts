import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deliveredPackages, licencePage, refusedLicences } from "./licence-list.ts";

/**
 * `node scripts/licences.ts` writes docs/licences.md, and fails where a licence is unknown or not a permissive one
 * [operations.libraries]. The lock file repeats what each package.json says, for the packages of other platforms too; a
 * test holds it against those installed.
 */

const root = join(import.meta.dirname, "..");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
const packages = deliveredPackages(lock);
const refused = refusedLicences(packages.values());
for (const each of refused) console.error(`not to be delivered: ${each}`);
if (refused.length === 0) writeFileSync(join(root, "docs/licences.md"), licencePage(packages.values()));
process.exitCode = refused.length === 0 ? 0 : 1;
