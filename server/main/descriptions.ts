import type { FastifyInstance } from "fastify";
import { operations } from "../../contract/api.ts";
import { dashboardOperations, dashboardTags } from "../../contract/dashboard/index.ts";
import { dashboardDocument, openApiDocument } from "../../contract/openapi.ts";
import { cachedBytes } from "../platform/http/cached-bytes.ts";
import { readAbout } from "./about.ts";

/**
 * Machine-readable descriptions of the API and of the dashboard's own operations [api.description,
 * dashboard-api.description].
 */
export function registerDescriptions(app: FastifyInstance): void {
  const about = readAbout();
  const document = cachedBytes(() => JSON.stringify(openApiDocument(operations, about)));
  const dashboard = cachedBytes(() => JSON.stringify(dashboardDocument(dashboardOperations, dashboardTags, about)));
  app.get("/openapi.json", (_request, reply) =>
    reply.type("application/json; charset=utf-8").header("Access-Control-Allow-Origin", "*").send(document()),
  );
  app.get("/dashboard/openapi.json", (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(dashboard()),
  );
}
