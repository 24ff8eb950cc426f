import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SmallPlayer, smallPlayer } from "../../testkit/small-player.ts";
import { type Log, openLog } from "../platform/log.ts";
import { buildPlayer } from "./build.ts";
import { buildFolders } from "./builds.ts";
import { Player } from "./open-player.ts";

let small: SmallPlayer;
let logged: string[];
let log: Log;

beforeEach(async () => {
  small = await smallPlayer();
  logged = [];
  log = openLog("info", { write: (line: string) => void logged.push(line) });
});

afterEach(() => small.remove());

const open = () => Player.open({ checkout: small.checkout, dataDir: small.data, log });
const build = () => buildPlayer(small.checkout, buildFolders(small.checkout, small.data));

describe("a server's player", () => {
  it("is built beside it where it is not there yet, and served from then on [player.build]", async () => {
    const player = await open();
    expect([player.state, player.loader, player.main]).toEqual(["building", null, null]);
    await player.settled();
    expect(player.state).toBe("ready");
    expect(player.loader?.plain.toString()).toContain(player.main);
    expect(player.part(player.main ?? "")?.plain.length).toBeGreaterThan(100);
    expect(player.part("embed.js")).toBeNull();
    expect(player.part("../package.json")).toBeNull();
    await player.close();
  }, 30_000);

  it("is there at once where it was built before, and nothing is written [player.build]", async () => {
    await build();
    const before = await readdir(small.checkout, { recursive: true });
    const player = await open();
    expect(player.state).toBe("ready");
    expect(await readdir(small.checkout, { recursive: true })).toEqual(before);
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
    expect([none.state, none.loader]).toEqual(["absent", null]);
    expect(logged.join()).toContain("its sources are not here");
    await none.close();
  }, 30_000);

  it("is built anew where its sources are others, and still gives parts of the build before [player.build, player.files]", async () => {
    const first = await build();
    await small.write("engine/answer.ts", "export const answer = (quiz: string): string => quiz;");
    const player = await open();
    expect(player.state).toBe("building");
    await player.settled();
    expect(player.main).not.toBe(first.manifest.main);
    expect(player.part(first.manifest.main)).not.toBeNull();
    await player.close();
  }, 30_000);

  it("is the one before where its sources cannot be built, and the log says why [player.build]", async () => {
    await small.write("engine/answer.ts", "export const other = 1;");
    const failed = await open();
    await failed.settled();
    expect([failed.state, failed.loader]).toEqual(["failed", null]);
    expect(logged.join()).toContain("answer");
    expect(logged.join()).toContain("quizzes are not shown");
    await failed.close();
    const older = await smallPlayer();
    await buildPlayer(older.checkout, buildFolders(older.checkout, older.data));
    await cp(join(older.checkout, "built"), join(small.checkout, "built"), { recursive: true });
    await older.remove();
    const player = await open();
    await player.settled();
    expect([player.state, player.loader === null]).toEqual(["ready", false]);
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
