import { chownSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { chooseAccount } from "./account.ts";
import { locatePackage, prepareBinaries } from "./binaries.ts";
import { IS_ROOT, NEEDS_ROOT, scratch } from "./fixtures/clusters.ts";
import { chooseSocketDirectory, prepareSocketDirectory } from "./socket-directory.ts";

const root = scratch();
const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, switched: false };

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the programs of the npm package [operations.embedded-refusals]", () => {
  it("says to set DATABASE_URL where npm has no package", () => {
    expect(() => locatePackage("win32", "x64")).toThrow(/No embedded PostgreSQL.*win32-x64.*DATABASE_URL/);
  });

  it("get their library links from us, also when two programs start at once", async () => {
    const pack = locatePackage(process.platform, process.arch);
    const native = join(root, "package", "native");
    await cp(pack.native, native, { recursive: true, filter: (from) => !from.endsWith(".a") });
    for (const link of ["libpq.so.5", "libicuuc.so.60", "libicudata.so"]) await rm(join(native, "lib", link));
    const both = await Promise.all([1, 2].map(() => prepareBinaries({ ...pack, native }, self, [])));
    expect(both).toEqual([native, native]);
    for (const link of ["libpq.so.5", "libicuuc.so.60", "libicudata.so"]) {
      expect(existsSync(join(native, "lib", link))).toBe(true);
    }
  });
});

describe("the folder of the socket [operations.embedded]", () => {
  it("is refused when somebody else has made it, or when it is a link", ({ skip }) => {
    const link = join(root, "link");
    symlinkSync(root, link);
    expect(() => prepareSocketDirectory(link, self)).toThrow(/belongs to another user/);
    skip(!IS_ROOT, NEEDS_ROOT);
    const foreign = join(root, "foreign");
    mkdirSync(foreign);
    chownSync(foreign, 12_345, 12_345);
    expect(() => prepareSocketDirectory(foreign, self)).toThrow(/belongs to another user \(id 12345\)/);
  });

  it("lies where its path stays short enough for a socket", () => {
    const long = join(root, "x".repeat(80));
    mkdirSync(long);
    expect(chooseSocketDirectory([long, root], "qs-0123456789abcdef", self)).toBe(join(root, "qs-0123456789abcdef"));
  });
});

describe("the account that root lends PostgreSQL [operations.embedded]", () => {
  it("is never root, and is the owner of the cluster when there is one", ({ skip }) => {
    skip(!IS_ROOT, NEEDS_ROOT);
    const cluster = join(root, "postgres");
    expect(chooseAccount(root, cluster).uid).toBeGreaterThan(0);
    mkdirSync(cluster);
    chownSync(cluster, 4321, 1234);
    expect(chooseAccount(root, cluster)).toEqual({ uid: 4321, gid: 1234, switched: true });
  });
});
