import type { FastifyInstance } from "fastify";
import { analyticsRoutes } from "../analytics/routes.ts";
import type { CopyReader } from "../columnar-copy/public.ts";
import { registerDownloads } from "../exports/download.ts";
import { exportRoutes } from "../exports/routes.ts";
import { registerCommerce } from "../orders/routes.ts";
import { MemoryCache } from "../platform/cache/memory.ts";
import type { Cache } from "../platform/cache/types.ts";
import type { Calendar } from "../platform/clock.ts";
import type { ConcurrencyLimiter } from "../platform/concurrency/types.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/database/database.ts";
import type { Transaction } from "../platform/database/sql.ts";
import { Deadlines, type ElapsedClock } from "../platform/deadline.ts";
import { openFiles } from "../platform/files/open.ts";
import type { FileStorage } from "../platform/files/types.ts";
import { createApp, refuseOtherMethods } from "../platform/http/app.ts";
import { acceptJsonBodies } from "../platform/http/body.ts";
import { IdempotencyStore } from "../platform/http/idempotency.ts";
import { type Route, registerOperations } from "../platform/http/operations.ts";
import { type RandomBytes, requestIds } from "../platform/ids.ts";
import { meteredLimiter } from "../platform/limiter/metered.ts";
import type { SenderLimits } from "../platform/limiter/senders.ts";
import type { Limiter } from "../platform/limiter/types.ts";
import type { Log } from "../platform/log.ts";
import { ReadinessProbe } from "../platform/readiness/readiness.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { WakeUp } from "../platform/wake-up.ts";
import { noPlayer, type PlayerFiles } from "../player/open-player.ts";
import { refusalPage } from "../player/refusal-page.ts";
import { registerPlayer } from "../player/routes.ts";
import { profileRoutes } from "../profiles/routes.ts";
import { searchProfilesRoute } from "../profiles/search/route.ts";
import { VersionCache } from "../quizzes/public.ts";
import { quizRoutes } from "../quizzes/routes.ts";
import type { QueueLimits } from "../storefront/group-queue.ts";
import { Intake } from "../storefront/intake.ts";
import { openToPages, registerStorefront } from "../storefront/routes.ts";
import { Credits } from "../stores/credits.ts";
import { Gate } from "../stores/gate.ts";
import { storeRoutes } from "../stores/routes.ts";
import { webhookRoutes } from "../webhooks/routes.ts";
import { type Resolve, vetUrl } from "../webhooks/send/url.ts";
import type { DemoSource } from "./demo-storefront/front.ts";
import { registerDemoStorefront } from "./demo-storefront/routes.ts";
import { disconnect } from "./disconnect.ts";
import { redactionEraser } from "./erasure.ts";
import { registerHealth } from "./health-routes.ts";
import { registerPages } from "./pages.ts";

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
  player?: PlayerFiles;
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
  /** knows the demo shop, whose storefront is served where there is one */
  demo?: DemoSource;
  /** what the demo does to the pictures of the documents that shoppers are sent: JSON text in, JSON text out */
  pointImages?: (json: string) => string;
  /** tests add routes of their own */
  extraRoutes?: readonly Route[];
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

/** The HTTP side: `/v1`, the storefront, and the pages around them. */
export function composeApi(given: Foundations): Api {
  const foundations = { ...given, limiter: meteredLimiter(given.limiter) };
  const { config, database, calendar, elapsed, random, secrets, limiter, log } = foundations;
  const gate = new Gate(database, calendar, elapsed);
  const versions = new VersionCache();
  const settings = {
    baseUrl: config.baseUrl,
    log,
    deadlines: new Deadlines(elapsed),
    elapsed,
    newRequestId: requestIds(random),
    trustProxy: config.trustProxy,
    openToPages,
    refusalPage,
    ...(foundations.requestTimeoutMs === undefined ? {} : { requestTimeoutMs: foundations.requestTimeoutMs }),
  };
  const app = createApp(settings);
  acceptJsonBodies(app);
  const routes: Route[] = [
    ...storeRoutes(new Credits(database, calendar)),
    ...quizRoutes({ calendar, random, secrets, baseUrl: config.baseUrl, log }),
    ...peopleRoutes(foundations, settings.deadlines, versions),
    ...analytics(foundations, settings.deadlines),
    ...exportRoutes({ calendar, random, secrets, versions, baseUrl: config.baseUrl }),
    ...webhookRoutes({
      calendar,
      random,
      secrets,
      vetUrl: (url) => vetUrl(url, config.webhookAllowHosts, foundations.resolveHost),
    }),
    ...(foundations.extraRoutes ?? []),
  ];
  registerOperations(app, routes, {
    authenticate: (authorization, deadline) => gate.authenticate(authorization, deadline),
    limiter,
    database,
    idempotency: new IdempotencyStore(calendar, secrets),
    baseUrl: config.baseUrl,
    checkAnswers: foundations.checkAnswers ?? false,
  });
  registerPages(app);
  const { readiness = new ReadinessProbe({ elapsed, checks: {} }) } = foundations;
  registerHealth(app, readiness);
  const files = foundations.files ?? openFiles(config.exportStorage);
  if (files !== foundations.files) app.addHook("onClose", async () => files.close());
  registerDownloads(app, { ...foundations, files });
  const intake = openIntake(foundations, versions);
  registerStorefront(app, { ...foundations, intake });
  registerPlayer(app, { ...foundations, player: foundations.player ?? noPlayer });
  registerCommerce(app, {
    ...foundations,
    disconnect: (tx: Transaction, storeId: string) => disconnect(tx, foundations, storeId),
    eraser: redactionEraser(foundations, versions),
  });
  if (foundations.demo) registerDemoStorefront(app, foundations, foundations.demo);
  refuseOtherMethods(app, settings);
  return { app, gate, intake };
}
