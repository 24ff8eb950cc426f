// Runs after `npm ci`. npm before 11.6 leaves out the link to the Node that the lock file pins: it removes the packages of other
// platforms after linking, and with them the link of the same name. Units, `npm run` and quizstore.js need it [operations.pinned-node].
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const modules = join(root, "node_modules");
const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const isOfThisMachine = (name) => name.startsWith("node-") && name.endsWith(`-${process.platform}-${process.arch}`);
const pinned = Object.keys(optionalDependencies).find(isOfThisMachine);
const link = join(modules, ".bin/node");
if (pinned && existsSync(join(modules, pinned, "bin/node")) && !existsSync(link)) {
  mkdirSync(join(modules, ".bin"), { recursive: true });
  symlinkSync(join("..", pinned, "bin/node"), link);
}
