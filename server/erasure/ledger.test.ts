import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LedgerFile } from "./ledger.ts";

const isRoot = process.getuid?.() === 0;
/** any user but root */
const other = 4321;
let folder: string;
let path: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "quizstore-ledger-"));
  path = join(folder, "erasures.ndjson");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a process of another user than root says to the ledger, or `usable`. */
async function saidAsUser(): Promise<string> {
  const module = JSON.stringify(new URL("./ledger.ts", import.meta.url).href);
  const script = `const { LedgerFile } = await import(${module});
    await new LedgerFile(${JSON.stringify(path)}).assertUsable().then(() => console.log("usable"), (e) => console.log(e.message));`;
  const as = isRoot ? { uid: other, gid: other } : {};
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    ...{ ...as, cwd: "/", env: {} },
  });
  return stdout.trim();
}

it("is refused, by its name, where it cannot be read and extended [erasure.ledger-refused]", async () => {
  chmodSync(folder, 0o755);
  expect(await saidAsUser()).toBe("usable");
  writeFileSync(path, "\n");
  // as root copies it back: for root alone, or for others to read
  for (const mode of [isRoot ? 0o600 : 0o000, 0o444]) {
    chmodSync(path, mode);
    expect(await saidAsUser()).toBe(
      `the ledger of erasures ${path} cannot be read and written by this user (EACCES): give it to the user that runs the program, with chown, and start again`,
    );
  }
  if (isRoot) chownSync(path, other, other);
  chmodSync(path, 0o600);
  expect(await saidAsUser()).toBe("usable");
}, 60_000);

it.runIf(isRoot)("belongs to the owner of its folder, whoever writes to it [erasure.ledger-refused]", async () => {
  rmSync(path);
  chownSync(folder, other, other);
  const ids = { id: "018f0000-0000-7000-8000-000000000001", store_id: "018f0000-0000-7000-8000-000000000002" };
  const lists = { profile_ids: [], session_ids: [], order_ids: [], hashes: [] };
  const by = { erased_at: "2026-05-04T10:00:00.000Z", erased_by: "operator", revision: 1 };
  await new LedgerFile(path).append([{ ...ids, ...lists, ...by, scope: "people" }]);
  expect([statSync(path).uid, statSync(path).mode & 0o777]).toEqual([other, 0o600]);
  expect(await saidAsUser()).toBe("usable");
});
