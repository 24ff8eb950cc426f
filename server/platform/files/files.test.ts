import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openS3, type S3Stub } from "../../../testkit/s3.ts";
import { Problem } from "../problems.ts";
import { LocalFiles } from "./local.ts";
import { openFiles } from "./open.ts";
import { S3Files } from "./s3.ts";
import { FileMissing, type FileStorage } from "./types.ts";

let directory: string;
let s3: S3Stub;
let local: FileStorage;
let remote: FileStorage;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "quizstore-files-"));
  s3 = await openS3();
  local = new LocalFiles(join(directory, "made/when/needed"));
  remote = new S3Files({ bucket: "exports", prefix: "shop/" }, { ...s3.settings, maxAttempts: 1 });
});
afterAll(async () => {
  remote.close();
  await s3.close();
  rmSync(directory, { recursive: true });
});
beforeEach(() => {
  s3.refuse = null;
});

const text = async (files: FileStorage, name: string, range?: { start: number; end: number }): Promise<string> =>
  (await buffer(await files.read(name, range))).toString();

async function put(files: FileStorage, name: string, ...pieces: string[]): Promise<void> {
  const sink = await files.write(name);
  for (const piece of pieces) await sink.write(Buffer.from(piece));
  await sink.finish();
}

async function namesOf(files: FileStorage): Promise<string[]> {
  const names: string[] = [];
  for await (const name of files.names()) names.push(name);
  return names.sort();
}

const upstream = expect.objectContaining({ title: "upstream_error", status: 502 });

describe.each([
  ["a directory", () => local],
  ["a bucket", () => remote],
])("%s [exports.storage]", (_, storage) => {
  it("shows a file once it is finished, whole or in part", async () => {
    const files = storage();
    const sink = await files.write("a/one.csv");
    await sink.write(Buffer.from("hello "));
    await expect(files.read("a/one.csv")).rejects.toBeInstanceOf(FileMissing);
    await sink.write(Buffer.from("world"));
    await sink.finish();
    await sink.abort();
    expect(await text(files, "a/one.csv")).toBe("hello world");
    expect(await text(files, "a/one.csv", { start: 2, end: 6 })).toBe("llo w");
    expect(await text(files, "a/one.csv", { start: 10, end: 10 })).toBe("d");
    await files.remove("a/one.csv");
    await files.remove("a/one.csv");
    await expect(files.read("a/one.csv")).rejects.toBeInstanceOf(FileMissing);
  });

  it("takes its bytes before the caller writes over them", async () => {
    const files = storage();
    const sink = await files.write("a/same.csv");
    const piece = Buffer.from("abc");
    await sink.write(piece);
    piece.fill("x");
    await sink.write(piece);
    await sink.finish();
    expect(await text(files, "a/same.csv")).toBe("abcxxx");
    await files.remove("a/same.csv");
  });

  it("keeps nothing of an aborted file, and an empty one as it is", async () => {
    const files = storage();
    const sink = await files.write("b/gone.csv");
    await sink.write(Buffer.from("personal"));
    await sink.abort();
    await put(files, "b/empty.csv");
    expect(await namesOf(files)).toEqual(["b/empty.csv"]);
    expect(await text(files, "b/empty.csv")).toBe("");
    await files.remove("b/empty.csv");
    expect(await namesOf(files)).toEqual([]);
  });

  it("lists every file and what was begun and never finished, which can be removed", async () => {
    const files = storage();
    const names = ["c/1.csv", "c/2.csv", "d/1.json", "d/2.csv", "e/1.csv"];
    for (const name of names) await put(files, name, name);
    const left = await files.write("e/left.csv");
    // more than a part's worth, so that the upload has begun
    await left.write(Buffer.alloc(17 * 1024 * 1024));
    expect(await namesOf(files)).toEqual([...names, "e/left.csv"]);
    for (const name of await namesOf(files)) await files.remove(name);
    expect(await namesOf(files)).toEqual([]);
    await left.abort().catch(() => undefined);
  });

  it("takes no name that could lead elsewhere", async () => {
    const files = storage();
    for (const name of ["../x", "/etc/passwd", "a/../../x", "a//x", ".x", "a/.x", "", "a b", "a/\u0000"]) {
      await expect(async () => files.read(name), name).rejects.toThrow("a file's name");
      await expect(async () => files.write(name), name).rejects.toThrow("a file's name");
      await expect(async () => files.remove(name), name).rejects.toThrow("a file's name");
    }
  });
});

describe("a directory", () => {
  it("is readable by the program's own user alone", async () => {
    await put(local, "f/own.csv", "x");
    const folder = join(directory, "made/when/needed/f");
    expect(statSync(join(folder, "own.csv")).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toEqual(["own.csv"]);
    await local.remove("f/own.csv");
  });

  it("that cannot be written is a 502 [exports.storage-away]", async () => {
    writeFileSync(join(directory, "file"), "");
    const files = openFiles(join(directory, "file/below"));
    await expect(files.write("a/x.csv")).rejects.toEqual(upstream);
    await expect(files.read("a/x.csv")).rejects.toEqual(upstream);
  });
});

describe("a bucket", () => {
  it("takes a file of several parts, each once and in order", async () => {
    const sink = await remote.write("g/large.csv");
    const parts = [...Array(40).keys()].map((index) => Buffer.alloc(1024 * 1024, index + 1));
    for (const part of parts) await sink.write(part);
    await sink.finish();
    expect(s3.objects.get("shop/g/large.csv")?.equals(Buffer.concat(parts))).toBe(true);
    expect(s3.calls.filter((call) => call === "part shop/g/large.csv")).toHaveLength(3);
    expect(s3.uploads.size).toBe(0);
    await remote.remove("g/large.csv");
  });

  it.each(["put", "get", "delete", "list", "listUploads"])(
    "that refuses to %s is a 502 [exports.storage-away]",
    async (name) => {
      await put(remote, "h/x.csv", "x");
      s3.refuse = (call) => (call === name ? 503 : null);
      const work: Record<string, () => Promise<unknown>> = {
        put: () => put(remote, "h/y.csv", "y"),
        get: () => remote.read("h/x.csv"),
        delete: () => remote.remove("h/x.csv"),
        list: () => namesOf(remote),
        listUploads: () => namesOf(remote),
      };
      const error = await work[name]?.().catch((thrown: unknown) => thrown);
      expect(error).toEqual(upstream);
      expect((error as Problem).cause).toBeDefined();
      s3.refuse = null;
      await remote.remove("h/x.csv");
    },
  );

  it.each(["begin", "part", "complete"])(
    "that refuses to %s an upload publishes nothing [exports.storage-away]",
    async (name) => {
      s3.refuse = (call) => (call === name ? 500 : null);
      const sink = await remote.write("i/x.csv");
      const writing = async () => {
        for (let piece = 0; piece < 40; piece += 1) await sink.write(Buffer.alloc(1024 * 1024));
        await sink.finish();
      };
      await expect(writing()).rejects.toBeInstanceOf(Problem);
      await sink.abort();
      expect([...s3.objects.keys(), ...s3.uploads.keys()]).toEqual([]);
    },
  );

  it("of a service that does not list unfinished uploads has none that could be removed", async () => {
    await put(remote, "j/x.csv", "x");
    s3.refuse = (call) => (call === "listUploads" ? 501 : null);
    expect(await namesOf(remote)).toEqual(["j/x.csv"]);
    await remote.remove("j/x.csv");
    expect(await namesOf(remote)).toEqual([]);
  });

  it("that cannot be reached is a 502 [exports.storage-away]", async () => {
    const away = new S3Files(
      { bucket: "exports", prefix: "" },
      { ...s3.settings, endpoint: "http://127.0.0.1:1", maxAttempts: 1 },
    );
    await expect(away.read("a/x.csv")).rejects.toEqual(upstream);
    await expect(put(away, "a/x.csv", "x")).rejects.toEqual(upstream);
  });
});

it("is chosen by EXPORT_STORAGE [exports.storage]", async () => {
  await put(openFiles(join(directory, "plain")), "a/x.csv", "here");
  expect(await text(new LocalFiles(join(directory, "plain")), "a/x.csv")).toBe("here");
  // nothing is asked of the bucket before something is written
  openFiles("s3://exports/some/prefix/").close();
});
