import type { Route } from "../platform/http/operations.ts";
import { createExportRoute } from "./create-export.ts";
import type { ExportRouteDeps } from "./deps.ts";
import { getExportRoute } from "./get-export.ts";
import { listExportsRoute } from "./list-exports.ts";

export const exportRoutes = (deps: ExportRouteDeps): Route[] => [
  listExportsRoute(deps),
  createExportRoute(deps),
  getExportRoute(deps),
];
