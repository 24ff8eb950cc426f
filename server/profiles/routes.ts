import type { FactsReader } from "../facts/public.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Route } from "../platform/http/operations.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { VersionCache } from "../quizzes/public.ts";
import { getProfileRoute } from "./detail.ts";
import { listProfilesRoute } from "./list.ts";

export interface ProfileRouteTools {
  calendar: Calendar;
  secrets: Secrets;
  versions: VersionCache;
  facts: FactsReader;
}

export const profileRoutes = (tools: ProfileRouteTools): Route[] => [listProfilesRoute(tools), getProfileRoute(tools)];
