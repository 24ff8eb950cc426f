import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SmallPlayer, smallPlayer } from "../../testkit/small-player.ts";
import { buildTarget } from "./build.ts";
import { buildFolders, listBuilds } from "./builds.ts";
import { hashOfSources } from "./sources.ts";
import { playerTarget } from "./targets.ts";

let small: SmallPlayer;
let folders: string[];
let parent: string;

beforeEach(async () => {
  small = await smallPlayer();
  folders = buildFolders(playerTarget, small.checkout, small.data);
  parent = folders[0] ?? "";
});

afterEach(() => small.remove());

const program = join(import.meta.dirname, "build-process.ts");
const runBuild = () => promisify(execFile)(process.execPath, [program, small.checkout, "player", ...folders]);

describe("what a build holds", () => {
  it("is a loader of no changing name, parts named by what they hold, and each of them small in two codings [player.build, player.files]", async () => {
    const { folder, manifest } = await buildTarget(small.checkout, playerTarget, folders);
    expect(manifest).toMatchObject({ sources: await hashOfSources(small.checkout, playerTarget), loader: "embed.js" });
    expect(folder).toBe(join(parent, manifest.sources));
    const [loader, ...parts] = manifest.files;
    expect(loader?.path).toBe("embed.js");
    for (const { path } of parts) expect(path).toMatch(/^player\/[\w-]+-[\w-]{8}\.js$/);
    for (const { path, bytes, gzip, brotli } of manifest.files) {
      const file = join(folder, path);
      const [plain, zipped, small] = await Promise.all(
        [file, `${file}.gz`, `${file}.br`].map((name) => readFile(name)),
      );
      expect([plain?.length, zipped?.length, small?.length]).toEqual([bytes, gzip, brotli]);
      expect(gunzipSync(zipped ?? "")).toEqual(plain);
      expect(brotliDecompressSync(small ?? "")).toEqual(plain);
    }
  });

  it("begins with a script of the old kind that knows the main part, which fetches others by their own address [player.build]", async () => {
    const { folder, manifest } = await buildTarget(small.checkout, playerTarget, folders);
    const loader = await readFile(join(folder, "embed.js"), "utf8");
    // a module would be refused by a plain script element
    expect(() => new Function(loader)).not.toThrow();
    expect(loader).toContain(manifest.main);
    const main = manifest.files.find(({ path }) => path === manifest.main);
    expect(main?.lazy).toHaveLength(1);
    const text = await readFile(join(folder, manifest.main), "utf8");
    const fetched = [...text.matchAll(/import\([`"'](.+?)[`"']\)/g)].map((match) => match[1]);
    expect(fetched).toEqual([`./${main?.lazy[0]?.slice("player/".length)}`]);
    // Vite's own helper would write into the shop's page, and JSX as developers have it names files of this machine
    for (const left of ["modulepreload", "process.env", small.checkout, "fileName", "\n\n"]) {
      expect([left, text.includes(left)]).toEqual([left, false]);
    }
  });
});

describe("when a build is made", () => {
  it("is decided by the sources and the packages that it is made of, and not by tests [player.build]", async () => {
    const hash = () => hashOfSources(small.checkout, playerTarget);
    const first = await hash();
    expect(await hash()).toBe(first);
    await small.write("player/view/draw.test.tsx", "// another test");
    expect(await hash()).toBe(first);
    await small.write("engine/answer.ts", "export const answer = (quiz: string): string => quiz;");
    const second = await hash();
    expect(second).not.toBe(first);
    const file = join(small.checkout, "package.json");
    const described = JSON.parse(await readFile(file, "utf8"));
    described.dependencies.vite = "99.0.0";
    await writeFile(file, JSON.stringify(described));
    expect(await hash()).not.toBe(second);
  });

  it("is no question where there are no sources [player.build]", async () => {
    expect(await hashOfSources(small.data, playerTarget)).toBeNull();
  });

  it("is once: the second run finds it done [player.build]", async () => {
    expect((await runBuild()).stdout).toMatch(/^Built the player: /);
    expect((await runBuild()).stdout).toMatch(/^The player is built already: /);
  }, 30_000);
});

describe("builds beside each other", () => {
  it("do not spoil each other: two at once leave one whole build and nothing else [player.build]", async () => {
    const both = await Promise.all([runBuild(), runBuild()]);
    for (const { stderr } of both) expect(stderr).toBe("");
    const names = await readdir(parent);
    expect(names).toEqual([await hashOfSources(small.checkout, playerTarget)]);
    const [build] = await listBuilds(folders);
    for (const { path, bytes } of build?.manifest.files ?? []) {
      expect((await readFile(join(build?.folder ?? "", path))).length).toBe(bytes);
    }
  }, 60_000);

  it("keep the two before the newest, and what was left half done for an hour goes [player.build]", async () => {
    const hashes: string[] = [];
    for (const round of [1, 2, 3, 4]) {
      await small.write("engine/answer.ts", `export const answer = (quiz: string): string => quiz + ${round};`);
      const { manifest, folder } = await buildTarget(small.checkout, playerTarget, folders);
      hashes.push(manifest.sources);
      const long = Date.now() / 1_000 - 100 + round;
      if (round < 4) await utimes(join(folder, "manifest.json"), long, long);
      if (round === 3) {
        for (const [name, age] of [
          ["old", 7_200],
          ["young", 60],
        ] as const) {
          const left = join(parent, `.unfinished-${name}`);
          await mkdir(left);
          await utimes(left, Date.now() / 1_000 - age, Date.now() / 1_000 - age);
        }
      }
    }
    expect((await readdir(parent)).sort()).toEqual([".unfinished-young", ...hashes.slice(1)].sort());
  }, 60_000);

  it("go to the data folder where the checkout cannot be written [player.build]", async () => {
    // whoever is root may write everywhere, but not below a file
    await writeFile(join(small.checkout, "built"), "");
    const { folder } = await buildTarget(small.checkout, playerTarget, folders);
    expect(folder.startsWith(join(small.data, "player"))).toBe(true);
    expect((await listBuilds(folders)).map((build) => build.folder)).toEqual([folder]);
  });
});
