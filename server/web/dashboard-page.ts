import { escapeHtml } from "../platform/http/escape-html.ts";
import type { Manifest } from "./builds.ts";
import { type Html, htmlDocument, meta } from "./html.ts";

/** The dashboard's single page: a container for the application, and the page's Content-Security-Policy. Pure. */

/**
 * Scripts by nonce and what they load, styles from this server or by the same nonce, and requests to this server alone
 * [dashboard.page-rules]. Pictures may come from anywhere, since shops choose where they keep those of products and
 * quizzes.
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

/** Sets the colour scheme before anything is drawn, so that nobody in dark mode sees a white page first. */
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
    // read by the code that adds styles and chunks later
    `<meta property="csp-nonce" ${by}>`,
    // browsers would otherwise request one that does not exist
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

/** Everything that the main chunk statically imports. */
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
