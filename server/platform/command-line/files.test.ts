import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type NdjsonLine, readNdjsonFile } from "./files.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quizstore-files-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function linesOf(content: string | Buffer) {
  const file = join(folder, "some.ndjson");
  await writeFile(file, content);
  return all(file);
}

async function all(file: string): Promise<NdjsonLine[]> {
  const lines: NdjsonLine[] = [];
  for await (const line of readNdjsonFile(file)) lines.push(line);
  return lines;
}

it("ends lines at line feeds alone, not at what a text holds, and names each by its number [command-line.files]", async () => {
  const odd = "a\u2028b\u2029c\u0085d\u000be";
  const text = `\ufeff${JSON.stringify({ odd })}\r\n\r\n  \n[1]\n"last"`;
  expect(text).toContain("\u2028");
  expect(await linesOf(text)).toEqual([
    { line: 1, value: { odd } },
    { line: 4, value: [1] },
    { line: 5, value: "last" },
  ]);
  // beyond what is read at once
  const long = "x".repeat(300_000);
  expect(await linesOf(`{"long":"${long}"}\n2\n`)).toEqual([
    { line: 1, value: { long } },
    { line: 2, value: 2 },
  ]);
});

it("goes on after a line that holds no JSON or no UTF-8 [command-line.files]", async () => {
  const broken = Buffer.concat([Buffer.from('1\n{"a":\n"'), Buffer.from([0xff, 0xfe]), Buffer.from('"\n4\n')]);
  expect(await linesOf(broken)).toEqual([
    { line: 1, value: 1 },
    { line: 2, refused: "does not hold JSON" },
    { line: 3, refused: "is not UTF-8" },
    { line: 4, value: 4 },
  ]);
});

it("says in a sentence what keeps it from reading [command-line.files]", async () => {
  await expect(all(join(folder, "absent"))).rejects.toThrow("there is no file");
  await expect(all(folder)).rejects.toThrow("cannot be read");
});
