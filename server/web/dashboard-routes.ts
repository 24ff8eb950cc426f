import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RandomBytes } from "../platform/ids.ts";
import { notFound } from "../platform/problems.ts";
import { codedFile } from "./coded-file.ts";
import { dashboardPage } from "./dashboard-page.ts";
import { nonceOf, pageHeaders, sentencePage } from "./html.ts";
import type { BuiltFiles } from "./open-built.ts";

/** The dashboard's page, at every address below it, and its files [dashboard.page, dashboard.files]. */
export interface DashboardDeps {
  dashboard: BuiltFiles;
  random: RandomBytes;
}

/** The application maps addresses to screens. Addresses of the API are not screens. */
export const screens = "/dashboard/:screen(^(?!api$|assets$|openapi\\.json$).*$)";

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

export function registerDashboardPages(app: FastifyInstance, { dashboard, random }: DashboardDeps): void {
  const show = async (_request: FastifyRequest, reply: FastifyReply) => showPage(reply, dashboard, random);
  app.get("/", async (_request, reply) => reply.header("Cache-Control", "no-cache").redirect("/dashboard", 302));
  for (const url of ["/dashboard", "/dashboard/", screens, `${screens}/*`]) app.get(url, show);
  app.get("/dashboard/assets/:file", async (request, reply) => sendAsset(request, reply, dashboard));
}

function showPage(reply: FastifyReply, { state, manifest }: BuiltFiles, random: RandomBytes): FastifyReply {
  reply.type("text/html; charset=utf-8");
  if (manifest === null) {
    const page = standIn(state);
    return reply
      .code(503)
      .headers(pageHeaders(page, "no-referrer"))
      .header("Retry-After", "1")
      .header("Cache-Control", "no-store")
      .send(page.text);
  }
  const page = dashboardPage(manifest, nonceOf(random));
  // an address may hold a one-time link, which must not leak in a Referer header
  return reply.headers(pageHeaders(page, "no-referrer")).header("Cache-Control", "private, no-cache").send(page.text);
}

const standIn = (state: BuiltFiles["state"]) =>
  sentencePage({
    lang: "en",
    dir: "ltr",
    ...(state === "building"
      ? { title: "One moment", why: "The dashboard is being made ready. This page loads itself again.", again: 1 }
      : {
          title: "The dashboard cannot be shown at the moment",
          why: "It is not built on this server. The server's log, and quizstore doctor, say why.",
        }),
  });

async function sendAsset(request: FastifyRequest, reply: FastifyReply, dashboard: BuiltFiles): Promise<FastifyReply> {
  const { file: name } = request.params as { file: string };
  const file = dashboard.file(`dashboard/assets/${name}`);
  const type = types[name.slice(name.lastIndexOf(".") + 1)];
  if (file === null || type === undefined) throw notFound();
  reply
    .type(type)
    .header("Cache-Control", "public, max-age=31536000, immutable")
    .header("Cross-Origin-Resource-Policy", "same-origin");
  const bytes = codedFile(request, reply, file);
  return bytes === null ? reply.code(304).send() : reply.send(bytes);
}
