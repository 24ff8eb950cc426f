import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply } from "fastify";
import { operations } from "../../contract/api.ts";
import { type ErrorTitle, errorKinds, errorTitles } from "../../contract/errors.ts";
import { openApiDocument } from "../../contract/openapi.ts";
import { escapeHtml } from "../platform/http/escape-html.ts";
import { parseId } from "../platform/ids.ts";
import { notFound } from "../platform/problems.ts";
import { readAbout } from "./about.ts";

/**
 * Addresses that people open in a browser: what an error means [api.error-pages], where a dashboard will be, the API's
 * document.
 */

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;color:#1c2b22}code{background:#eef2ee;padding:.1em .3em;border-radius:3px}a{color:#1f6b45}";

const styleHash = createHash("sha256").update(style).digest("base64");
const pageRules = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

function html(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style></head><body><h1>${escapeHtml(title)}</h1>${body}</body></html>\n`;
}

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply
    .type("text/html; charset=utf-8")
    .header("Content-Security-Policy", pageRules)
    .header("Referrer-Policy", "no-referrer")
    .send(page);
}

function errorPage(title: ErrorTitle): string {
  const { status, meaning, remedy } = errorKinds[title];
  return html(
    title,
    `<p><code>${status}</code> ${escapeHtml(meaning)}</p><h2>What to do</h2><p>${escapeHtml(remedy)}</p><p>Every answer carries a <code>Request-Id</code>; quote it when you report a problem. <a href="/errors">All errors</a></p>`,
  );
}

const errorIndex = html(
  "Errors",
  `<ul>${errorTitles.map((title) => `<li><a href="/errors/${title}"><code>${title}</code></a> ${escapeHtml(errorKinds[title].detail)}</li>`).join("")}</ul>`,
);

const home = html(
  "Quiz Store",
  '<p>Product quizzes for shops, and a REST API over their data.</p><ul><li><a href="/openapi.json">OpenAPI document</a></li><li><a href="/errors">Errors</a></li></ul><p>Requests go to <code>/v1</code> with <code>Authorization: Bearer</code> and an API key.</p>',
);

const placeholder = html(
  "Dashboard",
  "<p>There is no dashboard yet. What it will show can be read through the API.</p>",
);

export function registerPages(app: FastifyInstance): void {
  const document = JSON.stringify(openApiDocument(operations, readAbout()));
  const page = (url: string, handler: (reply: FastifyReply, params: Record<string, string>) => FastifyReply) => {
    app.get(url, (request, reply) => handler(reply, request.params as Record<string, string>));
  };
  page("/", (reply) => sendPage(reply, home));
  page("/errors", (reply) => sendPage(reply, errorIndex));
  page("/errors/:title", (reply, { title }) => {
    if (title === undefined || !Object.hasOwn(errorKinds, title)) throw notFound();
    return sendPage(reply, errorPage(title as ErrorTitle));
  });
  page("/openapi.json", (reply) =>
    reply.type("application/json; charset=utf-8").header("Access-Control-Allow-Origin", "*").send(document),
  );
  for (const [kind, prefix] of [
    ["quizzes", "quiz"],
    ["profiles", "prof"],
  ] as const) {
    page(`/dashboard/${kind}/:id`, (reply, { id = "" }) => {
      if (parseId(prefix, id) === null) throw notFound();
      return sendPage(reply, placeholder);
    });
  }
}
