import { createHash } from "node:crypto";
import { escapeHtml } from "../platform/http/escape-html.ts";
import type { RandomBytes } from "../platform/ids.ts";

/** Pages as strings of HTML, with their Content-Security-Policy. Pure. */

export interface Html {
  text: string;
  /** its Content-Security-Policy */
  rules: string;
}

export const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** A fresh nonce for one answer's scripts. */
export const nonceOf = (random: RandomBytes): string => Buffer.from(random(16)).toString("base64");

export const meta = (kind: "name" | "property", name: string, content: string): string =>
  `<meta ${kind}="${name}" content="${escapeHtml(content)}">`;

export interface Shell {
  lang: string;
  dir: "ltr" | "rtl";
  title: string;
  head: string;
  style: string;
  /** for the style, if the page's rules do not name its hash */
  nonce?: string;
  body: string;
}

export const htmlDocument = ({ lang, dir, title, head, style, nonce, body }: Shell): string =>
  `<!doctype html>
<html lang="${escapeHtml(lang)}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${head}<style${nonce === undefined ? "" : ` nonce="${nonce}"`}>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;

const plainStyle =
  "html{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto 0;padding:0 1rem}h1{font-size:1.5rem}";

export interface SentencePage {
  lang: string;
  dir: "ltr" | "rtl";
  title: string;
  why: string;
  /** listed below the sentence */
  findings?: readonly string[];
  /** seconds after which the page reloads itself */
  again?: number;
}

/** A page with a sentence that says why something cannot be shown. */
export function sentencePage({ lang, dir, title, why, findings = [], again }: SentencePage): Html {
  const head = [
    meta("name", "robots", "noindex"),
    ...(again === undefined ? [] : [`<meta http-equiv="refresh" content="${again}">`]),
  ];
  const items = findings.map((finding) => `<li>${escapeHtml(finding)}</li>`);
  const list = items.length > 0 ? `<ul>${items.join("")}</ul>` : "";
  const body = `<main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(why)}</p>${list}</main>`;
  return {
    text: htmlDocument({ lang, dir, title, head: `${head.join("\n")}\n`, style: plainStyle, body }),
    rules: `default-src 'none'; style-src ${hashOf(plainStyle)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

/** Security headers of a page. A preview's address is a secret, which must not leak in a Referer header. */
export const pageHeaders = ({ rules }: Html, referrer = "strict-origin-when-cross-origin"): Record<string, string> => ({
  "Content-Security-Policy": rules,
  "Referrer-Policy": referrer,
  "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
});

/** The sentence is in the browser's preferred language, so the answer varies by it. */
export const sentenceHeaders = (page: Html): Record<string, string> => ({
  ...pageHeaders(page, "no-referrer"),
  Vary: "Accept-Language",
});
