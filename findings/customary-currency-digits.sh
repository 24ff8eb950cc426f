#!/usr/bin/env bash
# Intl.NumberFormat rounds prices to customary digits, not to those of ISO 4217 in which shops charge.
#
# Versions: Node.js 20.20.2 and 24.21.0 (ICU 78), currency-codes 2.2.0 (ISO 4217's list).
# Expected: a price in a currency is written with the currency's digits of ISO 4217, as `style: "currency"` suggests.
# Seen: where coins are out of use, CLDR says that there are no digits: 1249.50 COP is written as COP 1,250 and 12.50 HUF
# as HUF 13, which is not what the shop charges. A program has to give the digits itself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund currency-codes@2.2.0
cat > check.cjs <<'JS'
const { data } = require("currency-codes");
const written = (amount, currency) =>
  new Intl.NumberFormat("en", { style: "currency", currency }).format(amount).replaceAll("\u00a0", " ");
const customary = (currency) =>
  new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits;
const known = new Set(Intl.supportedValuesOf("currency"));
const fewer = data.filter(({ code, digits }) => known.has(code) && customary(code) < digits).map(({ code }) => code).sort();
console.log(`${fewer.length} currencies with fewer digits than ISO 4217 gives them: ${fewer.join(" ")}`);
console.log(`1249.50 COP: ${written("1249.50", "COP")}; 12.50 HUF: ${written("12.50", "HUF")}`);
const isAsSeen =
  written("1249.50", "COP") === "COP 1,250" &&
  written("12.50", "HUF") === "HUF 13" &&
  ["COP", "HUF", "IQD", "LBP", "PKR"].every((code) => fewer.includes(code));
process.exit(isAsSeen ? 0 : 1);
JS
node check.cjs
