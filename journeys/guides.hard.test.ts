import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openReceiver, type Receiver } from "../testkit/receiver.ts";
import { script } from "./guide-shell.ts";
import { cleanUp, type Demo, environment, freshFolder, programFile, startDemo } from "./program.ts";
import { filledDemoFolder } from "./shared-program.ts";

/** The guides' shell lines, run in their order against the program that `npm start` starts. */

const root = join(import.meta.dirname, "..");

let data: string;
let folder: string;
let program: Demo;
let receiver: Receiver;
let url: string;
let key: string;

beforeAll(async () => {
  [data, folder] = [await filledDemoFolder(), await freshFolder()];
  receiver = await openReceiver();
  program = await startDemo(data, { WEBHOOK_ALLOW_HOSTS: receiver.host });
  ({ url, key } = program);
}, 300_000);
afterAll(async () => {
  await program?.stop();
  await receiver?.close();
  await cleanUp(data);
  await cleanUp(folder);
});

describe("the guides' shell lines [reference.guides]", () => {
  it("do what they say", async () => {
    const around = {
      ...{ url, data, receiver: receiver.url().replace(/\/[^/]*$/, ""), program: await programFile() },
      ...{ key, publishableKey: /pub_\w+/.exec(program.stdout())?.[0] ?? "" },
    };
    await symlink(join(root, "docs"), join(folder, "docs"));
    await writeFile(join(folder, "all.sh"), script(around));
    const options = { cwd: folder, env: environment(), maxBuffer: 64 * 1024 * 1024 };
    const ran = await promisify(execFile)("bash", ["all.sh"], options).catch((failed) => failed);
    const lines = String(ran.stdout).split("\n");
    expect(
      String(ran.stderr)
        .split("\n")
        .filter((line) => line.startsWith("failed")),
    ).toEqual([]);
    expect(ran.code ?? 0, lines.slice(-20).join("\n")).toBe(0);
    // what shoppers sent was taken, and every search is one that the shop can be asked
    expect(ran.stdout).toContain('"accepted":3,"duplicates":0,"rejected":[]');
    expect(ran.stdout).toContain('"accepted":5,"duplicates":0,"rejected":[]');
  }, 600_000);
});
