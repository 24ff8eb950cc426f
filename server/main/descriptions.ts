import type { FastifyInstance } from "fastify";
import { operations } from "../../contract/api.ts";
import { dashboardOperations, dashboardTags } from "../../contract/dashboard/index.ts";
import { dashboardDocument, openApiDocument } from "../../contract/openapi.ts";
import { readAbout } from "./about.ts";

/**
 * Machine-readable descriptions of the API and of the dashboard's own operations [api.description,
 * dashboard-api.description].
 */
export function registerDescriptions(app: FastifyInstance): void {
  const about = readAbout();
  const document = cached(() => JSON.stringify(openApiDocument(operations, about)));
  const dashboard = cached(() => JSON.stringify(dashboardDocument(dashboardOperations, dashboardTags, about)));
  app.get("/openapi.json", (_request, reply) =>
    reply.type("application/json; charset=utf-8").header("Access-Control-Allow-Origin", "*").send(document()),
  );
  app.get("/dashboard/openapi.json", (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(dashboard()),
  );
}

/** Generated at the first request, so that starting does not wait for it. */
function cached(write: () => string): () => string {
  let text: string | undefined;
  return () => (text ??= write());
}
