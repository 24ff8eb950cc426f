#!/usr/bin/env bash
# tinykeys 4.0.0, beside mousetrap 1.6.5 and hotkeys-js 4.1.2 (npm; pages by jsdom 26.1.0): keys typed into a field in a
# shadow root.
#
# Expected: no shortcut. tinykeys ignores keys from input, select and textarea by default, and so do the others.
# Seen: tinykeys and @github/hotkey 3.1.4 look at event.target, which outside of the shadow root is its host, and call the
# shortcut: with preventDefault, as their examples have it, the character is lost. mousetrap and hotkeys-js look at
# event.composedPath()[0] and leave the key alone.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund tinykeys@4.0.0 @github/hotkey@3.1.4 mousetrap@1.6.5 hotkeys-js@4.1.2 jsdom@26.1.0
cat > type.mjs <<'JS'
import { createRequire } from "node:module";
import { JSDOM } from "jsdom";
const { window } = new JSDOM('<input id="plain"><div id="host"></div><button></button>', { url: "http://shop.example/" });
for (const name of ["window", "document", "navigator", "HTMLElement", "Node", "HTMLInputElement", "CustomEvent"])
  Object.defineProperty(globalThis, name, { value: name === "window" ? window : window[name], configurable: true });
const require = createRequire(import.meta.url);
const told = [];
const { tinykeys } = await import("tinykeys");
const { install } = await import("@github/hotkey");
tinykeys(window, { n: () => told.push("tinykeys") });
document.querySelector("button").addEventListener("click", () => told.push("@github/hotkey"));
install(document.querySelector("button"), "n");
require("mousetrap").bind("n", () => void told.push("mousetrap"), "keydown");
require("hotkeys-js")("n", () => void told.push("hotkeys-js"));
const press = (place) => {
  told.length = 0;
  const key = { key: "n", code: "KeyN", keyCode: 78, which: 78, bubbles: true, composed: true, cancelable: true };
  place.dispatchEvent(new window.KeyboardEvent("keydown", key));
  place.dispatchEvent(new window.KeyboardEvent("keyup", key));
  return [...told].sort().join(", ") || "none";
};
const root = document.querySelector("#host").attachShadow({ mode: "open" });
root.innerHTML = "<input>";
const [page, plain, shadow] = [document.body, document.querySelector("#plain"), root.firstChild].map(press);
console.log(`on the page: ${page}; in a field: ${plain}; in a field in a shadow root: ${shadow}`);
const all = "@github/hotkey, hotkeys-js, mousetrap, tinykeys";
process.exit(page === all && plain === "none" && shadow === "@github/hotkey, tinykeys" ? 0 : 1);
JS
node type.mjs
