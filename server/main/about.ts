import { readFileSync } from "node:fs";
import type { About } from "../../contract/openapi.ts";

interface PackageDescription {
  license: string;
  homepage?: string;
  author?: { name?: string; email?: string; url?: string };
}

/** The API's terms and publisher: `license`, `homepage` and `author` of package.json. */
export function readAbout(path: URL = new URL("../../package.json", import.meta.url)): About {
  const { license, homepage, author }: PackageDescription = JSON.parse(readFileSync(path, "utf8"));
  return {
    license: { name: license, ...(homepage ? { url: homepage } : { identifier: spdxOf(license) }) },
    ...(author ? { contact: author } : {}),
  };
}

/** npm's word for no licence is not in SPDX's list, which has a prefix for such names. */
const spdxOf = (license: string): string => (license === "UNLICENSED" ? "LicenseRef-Unlicensed" : license);
