import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply } from "fastify";
import { operations } from "../../contract/api.ts";
import { dashboardOperations, dashboardTags } from "../../contract/dashboard/index.ts";
import { type ErrorTitle, errorKinds, errorTitles } from "../../contract/errors.ts";
import { dashboardDocument, openApiDocument } from "../../contract/openapi.ts";
import { escapeHtml } from "../platform/http/escape-html.ts";
import { notFound } from "../platform/problems.ts";
import { ruleAddress, ruleOf } from "../reference/public.ts";
import { readAbout } from "./about.ts";

/**
 * Addresses that people open in a browser beside the dashboard: what an error means [api.error-pages], the API's document.
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
    `<p><code>${status}</code> ${escapeHtml(meaning)}</p><h2>What to do</h2><p>${escapeHtml(remedy)}</p><p>What is promised: <a href="${ruleAddress(title)}">${ruleOf(title)}</a>.</p><p>Every answer carries a <code>Request-Id</code>; quote it when you report a problem. <a href="/errors">All errors</a>, <a href="/reference">the reference</a>, <a href="/docs">the documentation</a></p>`,
  );
}

const errorIndex = html(
  "Errors",
  `<ul>${errorTitles.map((title) => `<li><a href="/errors/${title}"><code>${title}</code></a> ${escapeHtml(errorKinds[title].detail)}</li>`).join("")}</ul>`,
);

export function registerPages(app: FastifyInstance): void {
  const about = readAbout();
  const document = JSON.stringify(openApiDocument(operations, about));
  const dashboard = JSON.stringify(dashboardDocument(dashboardOperations, dashboardTags, about));
  const page = (url: string, handler: (reply: FastifyReply, params: Record<string, string>) => FastifyReply) => {
    app.get(url, (request, reply) => handler(reply, request.params as Record<string, string>));
  };
  page("/errors", (reply) => sendPage(reply, errorIndex));
  page("/errors/:title", (reply, { title }) => {
    if (title === undefined || !Object.hasOwn(errorKinds, title)) throw notFound();
    return sendPage(reply, errorPage(title as ErrorTitle));
  });
  page("/openapi.json", (reply) =>
    reply.type("application/json; charset=utf-8").header("Access-Control-Allow-Origin", "*").send(document),
  );
  page("/dashboard/openapi.json", (reply) => reply.type("application/json; charset=utf-8").send(dashboard));
}
