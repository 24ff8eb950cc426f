#!/usr/bin/env bash
# Chromium 153 (npm: @sparticuz/chromium 153.0.0 with playwright-core 1.65.1): a wheel over the backdrop of a modal dialog.
#
# Expected: a listener for `wheel` on the dialog, not passive, is asked before the page behind scrolls, as over the dialog
# itself: events over a backdrop have the dialog as their target.
# Seen: it is not called at all, and the page scrolls. A listener on the document is called, with the dialog as the event's
# target, and can prevent it.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund @sparticuz/chromium@153.0.0 playwright-core@1.65.1
cat > turn.mjs <<'JS'
import packed from "@sparticuz/chromium";
import { chromium } from "playwright-core";
const args = ["--no-sandbox", "--no-zygote", "--disable-gpu", "--disable-dev-shm-usage", "--in-process-gpu"];
const browser = await chromium.launch({ executablePath: await packed.executablePath(), args, headless: true });
const turn = async (where) => {
  const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
  await page.setContent('<div style="height: 5000px"></div><dialog style="width: 200px; height: 200px"></dialog>');
  await page.evaluate((name) => {
    const dialog = document.querySelector("dialog");
    window.heard = [];
    const place = name === "dialog" ? dialog : document;
    place.addEventListener("wheel", (event) => {
      heard.push(event.target.tagName);
      event.preventDefault();
    }, { passive: false });
    dialog.showModal();
  }, where);
  await page.waitForTimeout(300);
  await page.mouse.move(30, 350);
  await page.mouse.wheel(0, 400);
  await page.waitForTimeout(600);
  const seen = await page.evaluate(() => `heard ${heard.join() || "nothing"}, scrolled by ${scrollY}`);
  await page.close();
  return seen;
};
const [dialog, page] = [await turn("dialog"), await turn("document")];
console.log(`Chromium ${browser.version()}: listener on the dialog ${dialog}; on the document ${page}`);
await browser.close();
process.exit(dialog === "heard nothing, scrolled by 400" && page === "heard DIALOG, scrolled by 0" ? 0 : 1);
JS
node turn.mjs
