import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  retainSearchParams,
} from "@tanstack/react-router";
import { routes as account } from "../account/routes.tsx";
import { routes as analytics } from "../analytics/routes.tsx";
import { routes as developers } from "../developers/routes.tsx";
import { routes as editor } from "../editor/routes.tsx";
import { routes as exports } from "../exports/routes.tsx";
import { routes as home } from "../home/routes.tsx";
import { routes as operator } from "../operator/routes.tsx";
import { routes as people } from "../people/routes.tsx";
import { routes as settings } from "../settings/routes.tsx";
import { ScreenSkeleton } from "../ui/skeletons.tsx";
import { ErrorScreen } from "./error-screen.tsx";
import { lateScreen } from "./late.tsx";
import { focusNewScreen } from "./navigated.ts";
import { NotFoundScreen } from "./not-found.tsx";
import { parseSearch, type Search, stringifySearch } from "./search.ts";
import { SignedIn } from "./signed-in.tsx";

/** All addresses of the dashboard. A screen's code is loaded when somebody goes there. */

const root = createRootRoute({
  component: Outlet,
  validateSearch: (search: Search): Search => search,
  search: { middlewares: [retainSearchParams(["store"])] },
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: lateScreen(() => import("../account/sign-in-screen.tsx"), "SignInScreen"),
});

const link = createRoute({
  getParentRoute: () => root,
  path: "/link/$token",
  component: lateScreen(() => import("../account/link-screen.tsx"), "LinkScreen"),
});

/** The screens that need a signed-in person. */
const inside = createRoute({ getParentRoute: () => root, id: "inside", component: SignedIn });

const nowhere = createRoute({ getParentRoute: () => inside, path: "$", component: NotFoundScreen });

const folders: readonly ((parent: AnyRoute) => AnyRoute[])[] = [
  home,
  analytics,
  editor,
  people,
  exports,
  developers,
  settings,
  account,
  operator,
];

const tree = root.addChildren([
  signIn,
  link,
  inside.addChildren([...folders.flatMap((routes) => routes(inside)), nowhere]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: "/dashboard",
  parseSearch,
  stringifySearch,
  trailingSlash: "never",
  defaultPreload: "intent",
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  defaultPendingComponent: ScreenSkeleton,
  defaultErrorComponent: ErrorScreen,
  defaultNotFoundComponent: NotFoundScreen,
  scrollRestoration: true,
});

router.subscribe("onRendered", ({ pathChanged, fromLocation }) => {
  if (pathChanged && fromLocation) focusNewScreen();
});
