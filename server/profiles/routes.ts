import type { CopyReader } from "../columnar-copy/public.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Route } from "../platform/http/operations.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { VersionCache } from "../quizzes/public.ts";
import { getProfileRoute } from "./detail.ts";
import { listProfilesRoute } from "./list.ts";

export interface ProfileRouteDeps {
  calendar: Calendar;
  secrets: Secrets;
  versions: VersionCache;
  copies: CopyReader;
}

export const profileRoutes = (deps: ProfileRouteDeps): Route[] => [listProfilesRoute(deps), getProfileRoute(deps)];
