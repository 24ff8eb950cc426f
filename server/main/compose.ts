import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Mailer } from "../accounts/mail.ts";
import type { PasswordCost } from "../accounts/passwords.ts";
import { type Accounts, openAccounts, recordAudit } from "../accounts/public.ts";
import { analyticsRoutes } from "../analytics/routes.ts";
import type { CopyReader } from "../columnar-copy/public.ts";
import { registerDownloads } from "../exports/download.ts";
import { exportRoutes } from "../exports/routes.ts";
import { type Authenticate, type NewMcpServer, registerMcp } from "../mcp/public.ts";
import { catalogRoutes } from "../orders/catalog-routes.ts";
import { registerCommerce } from "../orders/routes.ts";
import { MemoryCache } from "../platform/cache/memory.ts";
import type { Cache } from "../platform/cache/types.ts";
import type { AuthenticatePerson } from "../platform/caller.ts";
import { type Calendar, unixNow } from "../platform/clock.ts";
import type { ConcurrencyLimiter } from "../platform/concurrency/types.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/database/database.ts";
import type { Transaction } from "../platform/database/sql.ts";
import { Deadlines, type ElapsedClock } from "../platform/deadline.ts";
import { openFiles } from "../platform/files/open.ts";
import type { FileStorage } from "../platform/files/types.ts";
import { createApp, refuseOtherMethods } from "../platform/http/app.ts";
import { acceptJsonBodies } from "../platform/http/body.ts";
import type { DashboardRoute } from "../platform/http/dashboard.ts";
import { IdempotencyStore } from "../platform/http/idempotency.ts";
import { type Route, registerOperations } from "../platform/http/operations.ts";
import { type RandomBytes, requestIds } from "../platform/ids.ts";
import { meteredLimiter } from "../platform/limiter/metered.ts";
import type { SenderLimits } from "../platform/limiter/senders.ts";
import type { Limiter } from "../platform/limiter/types.ts";
import type { Log } from "../platform/log.ts";
import type { Problem } from "../platform/problems.ts";
import { ReadinessProbe } from "../platform/readiness/readiness.ts";
import type { Secrets } from "../platform/secrets.ts";
import { StoreCalendars } from "../platform/store-calendars.ts";
import type { WakeUp } from "../platform/wake-up.ts";
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
import { openToPages, registerStorefront, type StorefrontDeps } from "../storefront/routes.ts";
import { Credits } from "../stores/credits.ts";
import { Gate, noteUseIn } from "../stores/gate.ts";
import { storeRoutes } from "../stores/routes.ts";
import { testStoreRoutes } from "../stores/test-routes.ts";
import { registerDashboardPages } from "../web/dashboard-routes.ts";
import { type BuiltFiles, nothingBuilt } from "../web/open-built.ts";
import type { WebhookRouteDeps } from "../webhooks/deps.ts";
import { webhookRoutes } from "../webhooks/routes.ts";
import { type Resolve, vetUrl } from "../webhooks/send/url.ts";
import { composeDashboard } from "./compose-dashboard.ts";
import type { DemoSource } from "./demo-storefront/front.ts";
import { demoRefusalPage } from "./demo-storefront/refusal-page.ts";
import { registerDemoStorefront } from "./demo-storefront/routes.ts";
import { registerDescriptions } from "./descriptions.ts";
import { disconnect } from "./disconnect.ts";
import { redactionEraser } from "./erasure.ts";
import { registerHealth } from "./health-routes.ts";
import { programVersion } from "./version.ts";

/** What the program stands on, made by whoever runs it: the command line, or a test. */
export interface Foundations {
  config: Config;
  database: Database;
  /** connections of the intake's own, pipelined; without them it uses the others */
  intakeDatabase?: Database;
  calendar: Calendar;
  elapsed: ElapsedClock;
  random: RandomBytes;
  secrets: Secrets;
  limiter: Limiter;
  /** the columnar copies; without them there is neither people search nor analytics */
  facts?: CopyReader;
  /** of analytics answers; without it they are kept in memory */
  cache?: Cache;
  /** of live searches */
  slots?: ConcurrencyLimiter;
  /** tells of due work at once; without it, whoever does such work looks once a second */
  wakeUp?: WakeUp;
  /** of exports; without it the one that the configuration names */
  files?: FileStorage;
  log: Log;
  /** what shoppers' browsers run; without it quizzes have no page here */
  player?: BuiltFiles;
  /** what people who sign in are shown; without it the dashboard has no pages */
  dashboard?: BuiltFiles;
  /** what /readyz answers; without it, that the process serves */
  readiness?: ReadinessProbe;
  /** of the hosts of webhook addresses; tests ask no name server */
  resolveHost?: Resolve;
  /** tests check every answer against its shape */
  checkAnswers?: boolean;
  /** a request's time in milliseconds; 30 s but for tests */
  requestTimeoutMs?: number;
  /** benchmarks compare with others */
  intakeLimits?: Partial<QueueLimits>;
  /** tests set lower ones */
  storefrontLimits?: SenderLimits;
  commerceLimits?: SenderLimits;
  dashboardLimits?: SenderLimits;
  /** knows the demo shop, whose storefront is served where there is one */
  demo?: DemoSource;
  /** what addresses of the demo's documents and catalog begin with, and with what instead where they are shown */
  movedAddresses?: readonly (readonly [from: string, to: string])[];
  /** tests add routes of their own */
  extraRoutes?: readonly Route[];
  extraDashboardRoutes?: readonly DashboardRoute[];
  /** tests answer assistants with tools of their own */
  newMcpServer?: NewMcpServer;
  /** tests say who is signed in */
  signedIn?: AuthenticatePerson;
  /** of invitations and links; without it none is mailed */
  mailer?: Mailer | undefined;
  /** real time, ms since 1970; tests set another */
  unixNow?: () => number;
  /** of hashing passwords; tests hash many */
  passwordCost?: PasswordCost;
}

export interface Api {
  app: FastifyInstance;
  gate: Gate;
  /** closed with the app */
  intake: Intake;
}

/** The one way by which shopper events come in; close it before the database. */
export const openIntake = (foundations: Foundations, versions = new VersionCache()): Intake =>
  new Intake({ ...foundations, database: foundations.intakeDatabase ?? foundations.database, versions });

const peopleRoutes = (foundations: Foundations, deadlines: Deadlines, versions: VersionCache): Route[] => {
  const { facts, slots, secrets, calendar } = foundations;
  if (!facts || !slots) return [];
  return [
    ...profileRoutes({ calendar, secrets, versions, copies: facts }),
    searchProfilesRoute({ secrets, versions, copies: facts, limiter: slots, deadlines }),
  ];
};

const analytics = (foundations: Foundations, deadlines: Deadlines): Route[] => {
  const { facts, cache = new MemoryCache(foundations.elapsed) } = foundations;
  return facts ? analyticsRoutes({ ...foundations, facts, cache, deadlines }) : [];
};

interface RouteParts {
  deadlines: Deadlines;
  versions: VersionCache;
  credits: Credits;
  webhooks: WebhookRouteDeps;
  storesChanged: () => void;
}

/** The routes of `/v1`. */
const apiRoutes = (
  foundations: Foundations & { calendar: StoreCalendars },
  { deadlines, versions, credits, webhooks, storesChanged }: RouteParts,
): Route[] => {
  const { config, database, calendar, random, secrets, log } = foundations;
  const { baseUrl } = config;
  return [
    ...storeRoutes(credits),
    ...quizRoutes({ calendar, random, secrets, baseUrl, log }),
    ...peopleRoutes(foundations, deadlines, versions),
    ...analytics(foundations, deadlines),
    ...exportRoutes({ calendar, random, secrets, versions, baseUrl }),
    ...webhookRoutes(webhooks),
    ...testStoreRoutes({ database, calendar, random, secrets, storesChanged }),
    ...(foundations.extraRoutes ?? []),
  ];
};

/** The same addresses in JSON text. */
const pointed = (moved: Foundations["movedAddresses"]): Pick<StorefrontDeps, "pointImages"> =>
  moved ? { pointImages: (json) => moved.reduce((told, [from, to]) => told.replaceAll(from, to), json) } : {};

/** What is open to keys and to people's tokens alike. */
const byTokenOrKey =
  ({ authenticateToken }: Accounts, byKey: Authenticate): Authenticate =>
  (authorization, deadline) =>
    authenticateToken(authorization, deadline) ?? byKey(authorization, deadline);

/** The HTTP side: `/v1`, the storefront, and the pages around them. */
export function composeApi(given: Foundations): Api {
  const calendars = StoreCalendars.over(given.calendar);
  const foundations = { ...given, calendar: calendars, limiter: meteredLimiter(given.limiter) };
  const { config, database, calendar, elapsed, random, secrets, limiter, log } = foundations;
  // keys end by everybody's time: whoever moves a clock is not to lock themselves out
  const everybodys = { now: () => calendars.everybodys() };
  const gate = new Gate(database, everybodys, elapsed, noteUseIn(database, log));
  const stores = new KnownStores(database, elapsed);
  const storesChanged = () => {
    gate.forget();
    stores.forget();
  };
  const versions = new VersionCache();
  const settings = {
    ...{ baseUrl: config.baseUrl, log, elapsed },
    deadlines: new Deadlines(elapsed),
    newRequestId: requestIds(random),
    trustProxy: config.trustProxy,
    openToPages,
    refusalPage: (problem: Problem, request: IncomingMessage) =>
      refusalPage(problem, request) ?? demoRefusalPage(problem, request, foundations.demo),
    ...(foundations.requestTimeoutMs === undefined ? {} : { requestTimeoutMs: foundations.requestTimeoutMs }),
  };
  const app = createApp(settings);
  acceptJsonBodies(app);
  const credits = new Credits(database, calendar);
  const webhooks = {
    ...{ calendar, random, secrets },
    vetUrl: (url: string) => vetUrl(url, config.webhookAllowHosts, foundations.resolveHost),
  };
  const routes = apiRoutes(foundations, {
    ...{ deadlines: settings.deadlines, versions, credits, webhooks, storesChanged },
  });
  const answering = {
    limiter,
    database,
    // programs repeat a request in everybody's time
    idempotency: new IdempotencyStore(everybodys, secrets),
    calendars,
    baseUrl: config.baseUrl,
    checkAnswers: foundations.checkAnswers ?? false,
  };
  const authenticate: Authenticate = (authorization, deadline) => gate.authenticate(authorization, deadline);
  registerOperations(app, routes, { ...answering, authenticate });
  const { baseUrl } = config;
  const accounts = openAccounts({ unixNow, ...foundations, baseUrl });
  accounts.register(app);
  composeDashboard(foundations, {
    ...{ app, answering, gate, credits, versions, webhooks, byToken: accounts.authenticateToken },
    mounted: routes.filter(({ operation }) => !operation.ofTestStores),
    signedIn: foundations.signedIn ?? accounts.authenticate,
    audit: (tx, who, done) => recordAudit(tx, { calendar, random }, who, done),
    others: [
      ...accounts.routes,
      ...editorRoutes({ calendar, random, secrets, baseUrl }),
      ...catalogRoutes({ secrets, movedAddresses: foundations.movedAddresses ?? [] }),
    ],
  });
  registerDescriptions(app);
  registerReference(app, { baseUrl });
  const byAny = byTokenOrKey(accounts, authenticate);
  registerMcp(app, { ...foundations, baseUrl, version: programVersion, authenticate: byAny });
  const { readiness = new ReadinessProbe({ elapsed, checks: {} }) } = foundations;
  registerHealth(app, readiness);
  const files = foundations.files ?? openFiles(config.exportStorage);
  if (files !== foundations.files) app.addHook("onClose", async () => files.close());
  registerDownloads(app, { ...foundations, files });
  const intake = openIntake(foundations, versions);
  registerStorefront(app, { ...foundations, stores, intake, ...pointed(foundations.movedAddresses) });
  registerPlayer(app, { ...foundations, player: foundations.player ?? nothingBuilt });
  registerDashboardPages(app, { ...foundations, dashboard: foundations.dashboard ?? nothingBuilt });
  registerCommerce(app, {
    ...foundations,
    disconnect: (tx: Transaction, storeId: string) => disconnect(tx, foundations, storeId),
    eraser: redactionEraser(foundations, versions),
  });
  if (foundations.demo) registerDemoStorefront(app, foundations, foundations.demo);
  refuseOtherMethods(app, settings);
  return { app, gate, intake };
}
