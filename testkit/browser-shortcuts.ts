import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Answer } from "./browser-shop.ts";

/**
 * A shop's page with keyboard shortcuts, by the libraries that such pages use and by scripts of its own: each prevents what
 * the browser would do while `prevents` is set, as its documentation shows, and says so in `shortcuts`.
 */

const require = createRequire(import.meta.url);
const file = (name: string): string => readFileSync(require.resolve(name), "utf8");

const scripts: Readonly<Record<string, string>> = {
  "/jquery.js": file("jquery/dist/jquery.min.js"),
  "/mousetrap.js": file("mousetrap"),
  "/hotkeys.js": file("hotkeys-js"),
  "/tinykeys.js": readFileSync(join(dirname(require.resolve("tinykeys")), "tinykeys.umd.js"), "utf8"),
  "/github-hotkey.js": file("@github/hotkey"),
};

export const shortcutKeys = ["/", "a", "d", "n", "s", "5", "."] as const;

const page = (keys: readonly string[]): string => `
  window.shortcuts = [];
  window.prevents = true;
  const keys = ${JSON.stringify(keys)};
  const tell = (who) => (event) => {
    shortcuts.push(who + " " + (event?.key ?? ""));
    if (prevents) event?.preventDefault?.();
  };
  for (const key of keys) {
    Mousetrap.bind(key, tell("mousetrap"), "keydown");
    hotkeys(key, tell("hotkeys-js"));
  }
  tinykeys.tinykeys(window, Object.fromEntries(keys.map((key) => [key, tell("tinykeys")])));
  $(document).on("keydown keypress keyup", (event) => {
    if (!$(event.target).is("input,select,textarea") && keys.includes(event.key)) tell("jquery " + event.type)(event);
  });
  const capture = (place, name) =>
    place.addEventListener("keydown", (event) => {
      const { tagName } = event.target;
      if (!/^(INPUT|SELECT|TEXTAREA)$/.test(tagName) && keys.includes(event.key)) tell(name)(event);
    }, true);
  capture(document, "document");
  capture(document.body, "body");
  document.addEventListener("quizstore:ready", () => capture(window, "window"), { once: true });
  document.addEventListener("keydown", ({ key }) => /^(Escape|Tab)$/.test(key) && shortcuts.push(key));
`;

/** Those whose shortcuts a key outside of fields triggers. */
export const shortcutScripts = [
  ...["mousetrap", "hotkeys-js", "tinykeys", "github", "jquery keydown", "window", "document", "body"],
] as const;

/** In the page before the quiz's element; the scripts run before the quiz's own, which is loaded `async`. */
export const shortcutHtml = (keys: readonly string[] = shortcutKeys): string => `
  <button type="button" id="github">Search</button>
  ${Object.keys(scripts)
    .filter((path) => path !== "/github-hotkey.js")
    .map((path) => `<script src="${path}"></script>`)
    .join("")}
  <script>${page(keys)}</script>
  <script type="module">
    import { install } from "/github-hotkey.js";
    const button = document.querySelector("#github");
    button.addEventListener("click", () => shortcuts.push("github"));
    ${keys.map((key) => `install(button, ${JSON.stringify(key)});`).join("")}
    window.hasShortcuts = true;
  </script>`;

export const shortcutPages: Readonly<Record<string, Answer>> = Object.fromEntries(
  Object.entries(scripts).map(([path, script]): [string, Answer] => [
    path,
    (_request, response) => response.writeHead(200, { "content-type": "text/javascript" }).end(script),
  ]),
);
