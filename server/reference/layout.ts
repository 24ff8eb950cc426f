import { escapeHtml } from "../platform/http/escape-html.ts";
import { type Group, groups, type Library } from "./library.ts";

/** The frame of a documentation page: breadcrumbs, navigation, and a search that works without scripts. */

export interface Framed {
  title: string;
  /** path of the page shown */
  path: string;
  content: string;
  /** path of the page's own Markdown; absent: it has none */
  markdownPath?: string;
  query?: string;
}

const link = (to: string, words: string, here: string): string =>
  `<li><a href="${escapeHtml(to)}"${to === here ? ' aria-current="page"' : ""}>${escapeHtml(words)}</a></li>`;

function groupList(library: Library, group: Group, here: string): string {
  const own = library.pages.filter((page) => page.group === group);
  const open = own.some(({ path }) => path === here) || group === "Start here" || group === "Guides";
  const items = own.map(({ path, title }) => link(path, title, here)).join("");
  return `<details${open ? " open" : ""}><summary>${group}</summary><ul>${items}</ul></details>`;
}

export function framed(library: Library, { title, path, content, markdownPath, query = "" }: Framed): string {
  const twin = markdownPath ? `<link rel="alternate" type="text/markdown" href="${escapeHtml(markdownPath)}">` : "";
  const asMarkdown = markdownPath
    ? `<p class="twin"><a href="${escapeHtml(markdownPath)}">This page as Markdown</a></p>`
    : "";
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Quiz Store</title>${twin}
<link rel="icon" href="/docs/assets/icon.svg"><link rel="stylesheet" href="/docs/assets/docs.css"><script type="module" src="/docs/assets/docs.js"></script></head>
<body><a class="skip" href="#content">To the content</a>
<header><a class="home" href="/docs">Quiz Store docs</a><a href="/reference">Reference</a><a class="all" href="#pages">All pages</a>
<form role="search" action="/docs/search"><label>Search <input type="search" name="q" value="${escapeHtml(query)}"></label><button>Find</button></form></header>
<div class="frame"><nav id="pages" aria-label="Documentation">${groups.map((group) => groupList(library, group, path)).join("")}</nav>
<main id="content" tabindex="-1">${content}${asMarkdown}</main></div></body></html>
`;
}
