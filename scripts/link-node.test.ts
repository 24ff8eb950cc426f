import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeEach, describe, expect, it } from "vitest";

/** `bin/link-node.js`, after an `npm ci` that forgot the link. */

const root = join(import.meta.dirname, "..");
const described = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const folders: string[] = [];
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "quizstore-link-node-"));
  folders.push(folder);
  for (const name of ["bin/link-node.js", "package.json"]) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await copyFile(join(root, name), join(folder, name));
  }
});
afterAll(async () => {
  for (const made of folders) await rm(made, { recursive: true });
});

const link = () => promisify(execFile)(process.execPath, [join(folder, "bin/link-node.js")]);
const linked = () => readlink(join(folder, "node_modules/.bin/node")).catch(() => null);
const install = async (name: string) => {
  await mkdir(join(folder, "node_modules", name, "bin"), { recursive: true });
  await writeFile(join(folder, "node_modules", name, "bin/node"), "");
};

describe("the Node that the lock file pins", () => {
  const ofThisMachine = Object.keys(described.optionalDependencies).find(
    (name) => name.startsWith("node-") && name.endsWith(`-${process.platform}-${process.arch}`),
  );

  it("is linked after npm ci, also where npm has left that out [operations.pinned-node]", async () => {
    expect(described.scripts.postinstall).toBe("node bin/link-node.js");
    await install(ofThisMachine ?? "");
    await link();
    expect(await linked()).toBe(`../${ofThisMachine}/bin/node`);
    await link();
    expect(await linked()).toBe(`../${ofThisMachine}/bin/node`);
  });

  it("is not linked where it is not installed, as on a platform without one [operations.pinned-node]", async () => {
    await install("node-other-platform");
    await link();
    expect(await linked()).toBeNull();
  });
});
