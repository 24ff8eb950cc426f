import type { Route } from "../platform/http/operations.ts";
import { createExportRoute } from "./create-export.ts";
import { getExportRoute } from "./get-export.ts";
import { listExportsRoute } from "./list-exports.ts";
import type { ExportRouteTools } from "./tools.ts";

export const exportRoutes = (tools: ExportRouteTools): Route[] => [
  listExportsRoute(tools),
  createExportRoute(tools),
  getExportRoute(tools),
];
