import { globSync } from "node:fs";
import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SmallPlayer, smallPlayer } from "../../testkit/small-player.ts";
import { type Log, openLog } from "../platform/log.ts";
import { buildTarget } from "./build.ts";
import { buildFolders } from "./builds.ts";
import { Built } from "./open-built.ts";
import { playerTarget } from "./targets.ts";

let small: SmallPlayer;
let logged: string[];
let log: Log;

beforeEach(async () => {
  small = await smallPlayer();
  logged = [];
  log = openLog("info", { write: (line: string) => void logged.push(line) });
});

afterEach(() => small.remove());

const open = () => Built.open(playerTarget, { checkout: small.checkout, dataDir: small.data, log });
const build = () => buildTarget(small.checkout, playerTarget, buildFolders(playerTarget, small.checkout, small.data));

/** The checkout's own files: its `node_modules` is shared with whatever else runs now, which writes to its caches. */
const own = (): string[] => globSync("**", { cwd: small.checkout, exclude: ["node_modules"] }).sort();

describe("a server's player", () => {
  it("is built beside it where it is not there yet, and served from then on [player.build]", async () => {
    const player = await open();
    expect([player.state, player.manifest, player.file("embed.js")]).toEqual(["building", null, null]);
    await player.settled();
    expect(player.state).toBe("ready");
    const main = player.manifest?.main ?? "";
    expect(player.file("embed.js")?.plain.toString()).toContain(main);
    expect(player.file(main)?.plain.length).toBeGreaterThan(100);
    expect(player.file("../package.json")).toBeNull();
    await player.close();
  }, 30_000);

  it("is there at once where it was built before, and nothing is written [player.build]", async () => {
    await build();
    const before = own();
    expect(before.length).toBeGreaterThan(20);
    const player = await open();
    expect(player.state).toBe("ready");
    expect(own()).toEqual(before);
    expect(await readdir(small.data)).toEqual([]);
    await player.close();
  }, 30_000);

  it("is what was built where the sources are left out, as in an image [player.build]", async () => {
    await build();
    await rm(join(small.checkout, "player"), { recursive: true });
    const player = await open();
    expect(player.state).toBe("ready");
    await player.close();
    await rm(join(small.checkout, "built"), { recursive: true });
    const none = await open();
    expect([none.state, none.manifest]).toEqual(["absent", null]);
    expect(logged.join()).toContain("its sources are not here");
    await none.close();
  }, 30_000);

  it("is built anew where its sources are others, and still gives parts of the build before [player.build, player.files]", async () => {
    const first = await build();
    await small.write("engine/answer.ts", "export const answer = (quiz: string): string => quiz;");
    const player = await open();
    expect(player.state).toBe("building");
    await player.settled();
    expect(player.manifest?.main).not.toBe(first.manifest.main);
    expect(player.file(first.manifest.main)).not.toBeNull();
    await player.close();
  }, 30_000);

  it("is the one before where its sources cannot be built, and the log says why [player.build]", async () => {
    await small.write("engine/answer.ts", "export const other = 1;");
    const failed = await open();
    await failed.settled();
    expect([failed.state, failed.manifest]).toEqual(["failed", null]);
    expect(logged.join()).toContain("answer");
    expect(logged.join()).toContain("the player is not served");
    await failed.close();
    const older = await smallPlayer();
    await buildTarget(older.checkout, playerTarget, buildFolders(playerTarget, older.checkout, older.data));
    await cp(join(older.checkout, "built"), join(small.checkout, "built"), { recursive: true });
    await older.remove();
    const player = await open();
    await player.settled();
    expect([player.state, player.manifest === null]).toEqual(["ready", false]);
    expect(logged.join()).toContain("an older player is served");
    await player.close();
  }, 60_000);

  it("stops a build that is under way when the server stops [player.build]", async () => {
    const player = await open();
    await player.close();
    expect(player.state).toBe("building");
    expect(logged.join()).not.toContain("error");
  }, 30_000);
});
