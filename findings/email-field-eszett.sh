#!/usr/bin/env bash
# Chromium 153 (npm: @sparticuz/chromium 153.0.0 with playwright-core 1.65.1): a German domain with ß, typed into
# <input type="email">.
#
# Expected: the field's value names the domain that was typed. ß is a letter of its own in domains since IDNA 2008, and
# the same browser's URL parser says so: new URL("http://faß.example").hostname is xn--fa-hia.example.
# Seen: the field's value is ada@fass.example, another domain, though the field goes on showing ß; a script has no way
# to read what is shown. Umlauts and other letters become xn-- of themselves, as in URLs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund @sparticuz/chromium@153.0.0 playwright-core@1.65.1
cat > type.mjs <<'JS'
import packed from "@sparticuz/chromium";
import { chromium } from "playwright-core";
const browser = await chromium.launch({ executablePath: await packed.executablePath(), args: packed.args, headless: true });
const page = await browser.newPage();
await page.setContent('<input type="email">');
const typed = async (text) => {
  await page.locator("input").fill("");
  await page.locator("input").pressSequentially(text);
  return page.locator("input").evaluate((field) => field.value);
};
const [eszett, umlaut] = [await typed("ada@faß.example"), await typed("ada@bücher.example")];
const host = await page.evaluate(() => new URL("http://faß.example").hostname);
console.log(`Chromium ${browser.version()}: field ${eszett}, ${umlaut}; URL ${host}`);
await browser.close();
const same = eszett === "ada@fass.example" && umlaut === "ada@xn--bcher-kva.example" && host === "xn--fa-hia.example";
process.exit(same ? 0 : 1);
JS
node type.mjs
