import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply } from "fastify";
import { operations } from "../../contract/api.ts";
import { cachedBytes } from "../platform/http/cached-bytes.ts";
import { escapeHtml } from "../platform/http/escape-html.ts";
import { notFound } from "../platform/problems.ts";
import { framed } from "./layout.ts";
import { Library, type Page, servedFolders } from "./library.ts";
import { llmsFull, llmsList } from "./llms.ts";
import { SearchIndex } from "./search.ts";
import { tryIt } from "./try-it.ts";

/**
 * The documentation, which the server itself serves to anybody: it loads nothing from elsewhere, and reports nothing
 * about its readers to anyone [reference.offline].
 */

const root = join(import.meta.dirname, "../..");

const rules = [
  "default-src 'none'",
  ...["style-src 'self'", "script-src 'self'", "img-src 'self'", "connect-src 'self'", "form-action 'self'"],
  ...["base-uri 'none'", "frame-ancestors 'none'"],
].join("; ");

const sendPage = (reply: FastifyReply, page: string): FastifyReply =>
  reply
    .type("text/html; charset=utf-8")
    .header("Content-Security-Policy", rules)
    .header("Referrer-Policy", "no-referrer")
    .header("Cache-Control", "public, max-age=300")
    .send(page);

const sendText = (reply: FastifyReply, type: string, text: string | Buffer): FastifyReply =>
  reply.type(`${type}; charset=utf-8`).header("Cache-Control", "public, max-age=300").send(text);

/** Read when the first page is requested, and indexed at the first search. */
function opened() {
  const library = new Library(root);
  let index: SearchIndex | null = null;
  const find = (query: string) => {
    index ??= new SearchIndex(library);
    return index.find(query);
  };
  return { library, find };
}

export function registerReference(app: FastifyInstance, { baseUrl }: { baseUrl: string }): void {
  let known: ReturnType<typeof opened> | null = null;
  const docs = () => {
    known ??= opened();
    return known;
  };
  const pageAt = (reply: FastifyReply, path: string): FastifyReply => {
    const { library } = docs();
    const markdown = path.endsWith(".md");
    const page = library.at(markdown ? path.slice(0, -3) : path);
    if (page === null) throw notFound();
    return markdown ? sendText(reply, "text/markdown", page.markdown) : sendPage(reply, pageHtml(library, page));
  };
  registerLists(app, docs, baseUrl);
  for (const folder of ["/docs", "/reference", "/errors"])
    for (const path of [folder, `${folder}.md`, `${folder}/:name`])
      app.get(path, (request, reply) => pageAt(reply, pathOf(request.url)));
  app.get("/docs/rules/:name", (request, reply) => pageAt(reply, pathOf(request.url)));
  for (const [folder, type] of Object.entries(servedFolders)) {
    app.get(`/docs/${folder}/:file`, (request, reply) => sendFile(reply, join("docs", folder), paramOf(request), type));
  }
  for (const [file, type] of [
    ["docs.css", "text/css"],
    ["docs.js", "text/javascript"],
    ["icon.svg", "image/svg+xml"],
  ] as const) {
    const text = readFileSync(join(import.meta.dirname, "assets", file), "utf8");
    app.get(`/docs/assets/${file}`, (_request, reply) => sendText(reply, type, text));
  }
}

function registerLists(app: FastifyInstance, docs: () => ReturnType<typeof opened>, baseUrl: string): void {
  const list = cachedBytes(() => llmsList(docs().library, baseUrl));
  const full = cachedBytes(() => llmsFull(docs().library, baseUrl));
  app.get("/llms.txt", (_request, reply) => sendText(reply, "text/plain", list()));
  app.get("/llms-full.txt", (_request, reply) => sendText(reply, "text/plain", full()));
  app.get("/docs/search", (request, reply) => {
    const { library, find } = docs();
    const q = (request.query as { q?: unknown }).q;
    const query = typeof q === "string" ? q : "";
    return sendPage(reply, searchPage(library, query, find(query)));
  });
}

const pathOf = (url: string): string => decodeURIComponent(new URL(url, "http://host").pathname);
const paramOf = (request: { params: unknown }): string => (request.params as { file: string }).file;

/** Sends a file of a folder; throws 404 for any name that is not a plain file name. */
async function sendFile(reply: FastifyReply, folder: string, name: string, type: string): Promise<FastifyReply> {
  if (!/^[\w-]+\.(jpg|js)$/.test(name)) throw notFound();
  // read for each request, since a picture takes some hundred kilobytes of memory
  const bytes = await readFile(join(root, folder, name)).catch(() => null);
  if (bytes === null) throw notFound();
  return reply.type(type).header("Cache-Control", "public, max-age=300").send(bytes);
}

const operationsById = new Map(operations.map((operation) => [operation.id, operation]));

function pageHtml(library: Library, page: Page): string {
  const { title, path, html, operationId } = page;
  const operation = operationId === undefined ? undefined : operationsById.get(operationId);
  return framed(library, {
    title,
    path,
    content: html() + (operation ? tryIt(operation) : ""),
    markdownPath: `${path}.md`,
  });
}

function searchPage(library: Library, query: string, found: ReturnType<SearchIndex["find"]>): string {
  const items = found.map(
    ({ path, page, heading, excerpt }) =>
      `<li><a href="${escapeHtml(path)}">${escapeHtml(heading === page ? page : `${page}: ${heading}`)}</a><br>${escapeHtml(excerpt)}</li>`,
  );
  const none = query.trim() === "" ? "" : `<p>Nothing has all of these words. Try fewer of them.</p>`;
  const content = `<h1>Search</h1>${items.length > 0 ? `<ol>${items.join("")}</ol>` : none}`;
  return framed(library, { title: "Search", path: "/docs/search", content, query });
}
