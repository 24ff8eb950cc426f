#!/usr/bin/env bash
# Intl.supportedValuesOf("currency") is no list of the currencies that shops sell in.
#
# Versions: Node.js 20.20.2 and 24.21.0 (ICU 78), @shopify/hydrogen-react 2026.4.4 (its type CurrencyCode, made from the
# Storefront API 2026-04).
# Expected: every currency that the platform lets a shop choose is in the runtime's list, which is what a program checks
# a code against.
# Seen: eight are not, among them JEP of Jersey, a currency of today without a code of ISO 4217; the others are former
# ones (BYR, LTL, LVL, STD, VEF), one of Kiribati (KID) and the digital bolivar (VED). NumberFormat formats all of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm pack --silent @shopify/hydrogen-react@2026.4.4 > /dev/null
tar xzf shopify-hydrogen-react-2026.4.4.tgz
cat > check.mjs <<'JS'
import { readFileSync } from "node:fs";
const types = readFileSync("package/dist/types/storefront-api-types.d.ts", "utf8");
const [, union] = /export type CurrencyCode =([^;]*);/.exec(types);
// XXX stands for no currency
const codes = [...union.matchAll(/'([A-Z]{3})'/g)].map(([, code]) => code).filter((code) => code !== "XXX");
const known = new Set(Intl.supportedValuesOf("currency"));
const missing = codes.filter((code) => !known.has(code)).sort();
const written = missing.map((code) => new Intl.NumberFormat("en", { style: "currency", currency: code }).format(1));
console.log(`${codes.length} currencies of the platform; the runtime's list lacks ${missing.join(" ")}`);
console.log(`yet it writes them: ${written.join(" ").replaceAll("\u00a0", " ")}`);
process.exit(missing.join(" ") === "BYR JEP KID LTL LVL STD VED VEF" ? 0 : 1);
JS
node check.mjs
