import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Mailer } from "../accounts/mail.ts";
import type { PasswordCost } from "../accounts/passwords.ts";
import { type Accounts, openAccounts, recordAudit } from "../accounts/public.ts";
import type { Questions } from "../analytics/all-questions.ts";
import { analyticsRoutes } from "../analytics/routes.ts";
import type { CopyReader } from "../columnar-copy/public.ts";
import { registerDownloads } from "../exports/download.ts";
import { exportRoutes } from "../exports/routes.ts";
import { type NewMcpServer, registerMcp } from "../mcp/public.ts";
import { catalogRoutes } from "../orders/catalog-routes.ts";
import { registerCommerce } from "../orders/routes.ts";
import { RuleCatalogs } from "../orders/rule-catalogs.ts";
import type { Cache } from "../platform/cache/types.ts";
import type { Authenticate, AuthenticatePerson, Caller } from "../platform/caller.ts";
import { unixNow } from "../platform/clock.ts";
import type { CommandDeps } from "../platform/command-line/commands.ts";
import type { ConcurrencyLimiter } from "../platform/concurrency/types.ts";
import { SideWrites } from "../platform/database/side-writes.ts";
import type { Transaction } from "../platform/database/sql.ts";
import { Deadlines } from "../platform/deadline.ts";
import { createApp, refuseOtherMethods } from "../platform/http/app.ts";
import { acceptJsonBodies } from "../platform/http/body.ts";
import type { DashboardRoute } from "../platform/http/dashboard.ts";
import { IdempotencyStore } from "../platform/http/idempotency.ts";
import { chargeOpenPages, openPageLimits } from "../platform/http/open-pages.ts";
import { type Route, registerOperations } from "../platform/http/operations.ts";
import { requestIds } from "../platform/ids.ts";
import { meteredLimiter } from "../platform/limiter/metered.ts";
import { SenderGuard, type SenderLimits } from "../platform/limiter/senders.ts";
import type { Limiter } from "../platform/limiter/types.ts";
import type { Problem } from "../platform/problems.ts";
import type { ReadinessProbe } from "../platform/readiness/readiness.ts";
import { refusalPage } from "../player/refusal-page.ts";
import { registerPlayer } from "../player/routes.ts";
import { profileRoutes } from "../profiles/routes.ts";
import { searchProfilesRoute } from "../profiles/search/route.ts";
import { editorRoutes } from "../quizzes/editor/routes.ts";
import { VersionCache } from "../quizzes/public.ts";
import { quizRoutes } from "../quizzes/routes.ts";
import { registerReference } from "../reference/public.ts";
import type { QueueLimits } from "../storefront/group-queue.ts";
import { Intake } from "../storefront/intake.ts";
import { KnownStores } from "../storefront/known-stores.ts";
import { openToPages, registerStorefront } from "../storefront/routes.ts";
import { ruledDraftRoutes } from "../storefront/ruled-draft-routes.ts";
import { Credits } from "../stores/credits.ts";
import { Gate, noteUseIn } from "../stores/gate.ts";
import { assertConnected } from "../stores/public.ts";
import { storeRoutes } from "../stores/routes.ts";
import { testStoreRoutes } from "../stores/test-routes.ts";
import { busyPage } from "../web/busy-page.ts";
import { registerDashboardPages } from "../web/dashboard-routes.ts";
import { type BuiltFiles, nothingBuilt } from "../web/open-built.ts";
import type { WebhookRouteDeps } from "../webhooks/deps.ts";
import { webhookRoutes } from "../webhooks/routes.ts";
import { type Resolve, vetUrl } from "../webhooks/send/url.ts";
import { composeDashboard } from "./compose-dashboard.ts";
import type { DemoSource } from "./demo/storefront/front.ts";
import { demoRefusalPage } from "./demo/storefront/refusal-page.ts";
import { registerDemoStorefront } from "./demo/storefront/routes.ts";
import { registerDescriptions } from "./descriptions.ts";
import { disconnect } from "./disconnect.ts";
import { redactionEraser } from "./erasure.ts";
import { eventPayloads } from "./event-payloads.ts";
import { registerHealth } from "./health-routes.ts";
import { programVersion } from "./version.ts";

/** What a server needs, created by the command line or a test. */
export interface Foundations extends CommandDeps {
  limiter: Limiter;
  /** the columnar copies */
  facts: CopyReader;
  /** for analytics answers */
  cache: Cache;
  /** for live searches */
  searchPermits: ConcurrencyLimiter;
  /** for invitations and links; null: no mail is sent */
  mailer: Mailer | null;
  /** the source of /readyz's answer */
  readiness: ReadinessProbe;
}

/** Content that the API serves. */
export interface Served {
  /** the player's files for shoppers' browsers */
  player: BuiltFiles;
  /** the dashboard's files for people who sign in */
  dashboard: BuiltFiles;
  /** the demo shop whose storefront is served; null: there is none */
  demo: DemoSource | null;
  /** prefixes of addresses in the demo's documents and catalog, and what replaces them when shown */
  movedAddresses: readonly (readonly [from: string, to: string])[];
}

export const nothingServed: Served = { player: nothingBuilt, dashboard: nothingBuilt, demo: null, movedAddresses: [] };

/** Overrides for tests and benchmarks. */
export interface Overrides {
  /** for webhook host names; tests query no name server */
  resolveHost?: Resolve;
  /** in tests, every answer is checked against its shape */
  checkAnswers?: boolean;
  /** a request's time limit in milliseconds; 30 s by default */
  requestTimeoutMs?: number;
  /** benchmarks compare other limits */
  intakeLimits?: Partial<QueueLimits>;
  /** tests set lower ones */
  storefrontLimits?: SenderLimits;
  commerceLimits?: SenderLimits;
  dashboardLimits?: SenderLimits;
  /** the source of analytics figures */
  questions?: Questions;
  /** routes of a test's own */
  extraRoutes?: readonly Route[];
  extraDashboardRoutes?: readonly DashboardRoute[];
  /** the MCP server, with a test's own tools */
  newMcpServer?: NewMcpServer;
  /** replaces the check who is signed in */
  signedIn?: AuthenticatePerson;
  /** real time, ms since 1970 */
  unixNow?: () => number;
  /** cost of hashing passwords; lower in tests, which hash many */
  passwordCost?: PasswordCost;
}

export type ApiFoundations = Foundations & Served & Overrides;

export interface Api {
  app: FastifyInstance;
  gate: Gate;
  /** closed with the app */
  intake: Intake;
}

const peopleRoutes = (
  { facts, searchPermits, secrets, calendar }: Foundations,
  deadlines: Deadlines,
  versions: VersionCache,
): Route[] => [
  ...profileRoutes({ calendar, secrets, versions, copies: facts }),
  searchProfilesRoute({ secrets, versions, copies: facts, limiter: searchPermits, deadlines }),
];

interface RouteParts {
  deadlines: Deadlines;
  versions: VersionCache;
  credits: Credits;
  webhooks: WebhookRouteDeps;
  storesChanged: () => void;
}

/** The routes of `/v1`. */
const apiRoutes = (
  foundations: ApiFoundations,
  { deadlines, versions, credits, webhooks, storesChanged }: RouteParts,
): Route[] => {
  const { config, database, calendar, random, secrets, log } = foundations;
  const { baseUrl } = config;
  return [
    ...storeRoutes(credits),
    ...quizRoutes({ calendar, random, secrets, baseUrl, log }),
    ...peopleRoutes(foundations, deadlines, versions),
    ...analyticsRoutes({ ...foundations, deadlines }, foundations.questions),
    ...exportRoutes({ calendar, random, secrets, versions, baseUrl }),
    ...webhookRoutes(webhooks),
    ...testStoreRoutes({ database, calendar, random, secrets, storesChanged }),
    ...(foundations.extraRoutes ?? []),
  ];
};

/** Replaces addresses in JSON text. */
const pointImages =
  (moved: Served["movedAddresses"]) =>
  (json: string): string =>
    moved.reduce((text, [from, to]) => text.replaceAll(from, to), json);

/** Authenticates by key or by personal token. */
const byTokenOrKey =
  ({ authenticateToken }: Accounts, byKey: Authenticate): Authenticate =>
  (authorization, deadline) =>
    authenticateToken(authorization, deadline) ?? byKey(authorization, deadline);

/** Pages and files that anybody may read, or whoever has their link. */
function registerOpenPages(app: FastifyInstance, foundations: ApiFoundations): void {
  const { config, limiter, secrets } = foundations;
  app.register(async (scope) => {
    chargeOpenPages(scope, new SenderGuard({ limiter, secrets, kind: "pages", limits: openPageLimits }));
    registerDescriptions(scope);
    registerReference(scope, { baseUrl: config.baseUrl });
    registerDownloads(scope, foundations);
    registerDashboardPages(scope, foundations);
    if (foundations.demo) registerDemoStorefront(scope, foundations, foundations.demo);
  });
}

/** The HTTP side: `/v1`, the storefront, and the surrounding pages. */
export function composeApi(unmetered: ApiFoundations): Api {
  const foundations = { ...unmetered, limiter: meteredLimiter(unmetered.limiter) };
  const { config, database, calendar, elapsed, random, secrets, limiter, log } = foundations;
  // keys expire by shared time: moving a test clock must not lock its user out
  const sharedNow = { now: () => calendar.sharedNow() };
  const sideWrites = new SideWrites({ database, elapsed, log });
  const gate = new Gate(database, sharedNow, elapsed, noteUseIn(sideWrites));
  const stores = new KnownStores(database, elapsed);
  const storesChanged = () => {
    gate.invalidate();
    stores.invalidate();
  };
  const [versions, catalogs] = [new VersionCache(), new RuleCatalogs({ database })];
  const settings = {
    ...{ baseUrl: config.baseUrl, log, elapsed },
    deadlines: new Deadlines(elapsed),
    newRequestId: requestIds(random),
    trustProxy: config.trustProxy,
    openToPages,
    refusalPage: (problem: Problem, request: IncomingMessage) =>
      refusalPage(problem, request) ??
      demoRefusalPage(problem, request, foundations.demo) ??
      busyPage(problem, request),
    ...(foundations.requestTimeoutMs === undefined ? {} : { requestTimeoutMs: foundations.requestTimeoutMs }),
  };
  const app = createApp(settings);
  acceptJsonBodies(app);
  const credits = new Credits(database, calendar);
  const webhooks = {
    ...{ calendar, random, secrets },
    vetUrl: (url: string) => vetUrl(url, config.webhookAllowHosts, foundations.resolveHost),
    builders: eventPayloads({ baseUrl: config.baseUrl, versions }),
  };
  const routes = apiRoutes(foundations, {
    ...{ deadlines: settings.deadlines, versions, credits, webhooks, storesChanged },
  });
  const answering = {
    limiter,
    database,
    idempotency: new IdempotencyStore(calendar, secrets),
    calendars: calendar,
    rightsNow: async (tx: Transaction, caller: Caller) => {
      await assertConnected(tx, caller.store);
      return caller;
    },
    baseUrl: config.baseUrl,
    checkAnswers: foundations.checkAnswers ?? false,
  };
  const authenticate: Authenticate = (authorization, deadline) => gate.authenticate(authorization, deadline);
  registerOperations(app, routes, { ...answering, authenticate });
  const { baseUrl } = config;
  const accounts = openAccounts({ unixNow, ...foundations, baseUrl, sideWrites });
  accounts.register(app);
  composeDashboard(foundations, {
    ...{ app, answering, gate, credits, versions, webhooks, byToken: accounts.authenticateToken },
    mounted: routes.filter(({ operation }) => !operation.ofTestStores),
    signedIn: foundations.signedIn ?? accounts.authenticate,
    audit: (tx, who, done) => recordAudit(tx, { calendar, random }, who, done),
    others: [
      ...accounts.routes,
      ...editorRoutes({ calendar, random, secrets, baseUrl }),
      ...catalogRoutes({ secrets, movedAddresses: foundations.movedAddresses }),
      ...ruledDraftRoutes({ catalogs }),
    ],
  });
  registerOpenPages(app, foundations);
  const byAny = byTokenOrKey(accounts, authenticate);
  registerMcp(app, { ...foundations, baseUrl, version: programVersion, authenticate: byAny });
  registerHealth(app, foundations.readiness);
  const intake = new Intake({ ...foundations, database: foundations.intakeDatabase, versions });
  const shown = { versions, pointImages: pointImages(foundations.movedAddresses) };
  registerStorefront(app, { ...foundations, stores, intake, catalogs, ...shown });
  registerPlayer(app, foundations);
  registerCommerce(app, {
    ...foundations,
    disconnect: (tx: Transaction, storeId: string) => disconnect(tx, foundations, storeId),
    eraser: redactionEraser(foundations, versions),
  });
  refuseOtherMethods(app, settings);
  return { app, gate, intake };
}
