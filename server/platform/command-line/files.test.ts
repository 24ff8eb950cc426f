import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type NdjsonLine, readJsonFile, readNdjsonFile } from "./files.ts";

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

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

it("goes on after a line that is nested deeper than work on it could follow [command-line.files]", async () => {
  const [first, deep, last] = await linesOf(`${nested(64)}\n{"a":${nested(200_000)}}\n3\n`);
  expect(first).toMatchObject({ line: 1, value: expect.any(Array) });
  expect(deep).toEqual({ line: 2, refused: "must not be nested more than 64 levels deep" });
  expect(last).toEqual({ line: 3, value: 3 });
});

it("reads one document of a file with or without a byte-order mark, and nothing that is not whole UTF-8 and JSON [command-line.files]", async () => {
  const file = join(folder, "one.json");
  const read = async (content: string | Buffer) => {
    await writeFile(file, content);
    return readJsonFile(file).catch((error: Error) => error.message.replace(file, "it"));
  };
  expect(await read('{"a":"\u2028"}')).toEqual({ a: "\u2028" });
  expect(await read('\ufeff{"a":1}\r\n')).toEqual({ a: 1 });
  expect(await read("")).toBe("it does not hold JSON");
  expect(await read('{"a":')).toBe("it does not hold JSON");
  expect(await read(Buffer.from('{"a":1}', "utf16le"))).toBe("it does not hold JSON");
  expect(await read(Buffer.from([0x22, 0xff, 0x22]))).toBe("it is not UTF-8");
  expect(await read(nested(200_000))).toBe("it must not be nested more than 64 levels deep");
});

it("says in a sentence what keeps it from reading [command-line.files]", async () => {
  await expect(all(join(folder, "absent"))).rejects.toThrow("there is no file");
  await expect(all(folder)).rejects.toThrow("cannot be read");
});
