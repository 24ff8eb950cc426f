import { escapeHtml } from "../platform/http/escape-html.ts";
import type { Manifest } from "./builds.ts";
import { type Html, htmlDocument, meta } from "./html.ts";

/** The one page of the dashboard: a place for the application, and the rules that browsers hold it to. Pure. */

/**
 * Scripts by nonce and what they load, styles from here or by the same nonce, answers from here and nowhere else
 * [dashboard.page-rules]. Pictures are wherever a shop keeps those of its products and quizzes.
 */
const dashboardRules = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' https: data: blob:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Before anything is drawn, so that nobody who works in the dark is shown a white page first. */
const schemeScript =
  'try{const kept=localStorage.getItem("quizstore-scheme");const dark=kept==="dark"||(kept!=="light"&&matchMedia("(prefers-color-scheme: dark)").matches);document.documentElement.setAttribute("data-mantine-color-scheme",dark?"dark":"light")}catch{}';

const style =
  "html{color-scheme:light dark;background:#f7f8f7}html[data-mantine-color-scheme=dark]{background:#1b1d1c;color:#c9c9c9}body{margin:0;font:16px/1.5 system-ui,sans-serif}.late{max-width:34rem;margin:20vh auto 0;padding:0 1rem;visibility:hidden;animation:late 0s 15s forwards}@keyframes late{to{visibility:visible}}noscript p{max-width:34rem;margin:20vh auto 0;padding:0 1rem}";

export function dashboardPage(manifest: Manifest, nonce: string): Html {
  const by = `nonce="${nonce}"`;
  const preloaded = importsOf(manifest);
  const head = [
    meta("name", "robots", "noindex, nofollow"),
    meta("name", "color-scheme", "light dark"),
    // read by whatever adds styles and parts later
    `<meta property="csp-nonce" ${by}>`,
    // browsers ask for one otherwise, which is not there
    '<link rel="icon" href="data:,">',
    ...manifest.styles.map((path) => `<link rel="stylesheet" href="/${escapeHtml(path)}">`),
    ...preloaded.map((path) => `<link rel="modulepreload" href="/${escapeHtml(path)}" ${by}>`),
    `<script ${by}>${schemeScript}</script>`,
    `<script type="module" src="/${escapeHtml(manifest.main)}" ${by}></script>`,
  ];
  const body = `<div id="root"><p class="late">The dashboard could not be loaded. Please load this page again.</p></div>
<noscript><p>The dashboard needs JavaScript. Please switch it on in your browser and load the page again.</p></noscript>`;
  const shell = { lang: "en", dir: "ltr", title: "Quiz Store", style, nonce, body } as const;
  return { text: htmlDocument({ ...shell, head: `${head.join("\n")}\n` }), rules: dashboardRules(nonce) };
}

/** What the main part cannot run without. */
function importsOf({ main, files }: Manifest): string[] {
  const found = new Set<string>();
  const follow = (path: string): void => {
    for (const other of files.find((file) => file.path === path)?.imports ?? []) {
      if (found.has(other)) continue;
      found.add(other);
      follow(other);
    }
  };
  follow(main);
  return [...found];
}
