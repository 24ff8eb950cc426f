import type { FastifyInstance } from "fastify";
import type { AuditActor } from "../accounts/public.ts";
import { attentionRoute } from "../dashboard/attention.ts";
import { auditedOf } from "../dashboard/audited.ts";
import { dashboardLimits } from "../dashboard/limits.ts";
import { operatorRoutes } from "../dashboard/operator-routes.ts";
import { assertOperatorNow, personNow } from "../dashboard/rights-now.ts";
import { SupportVisits } from "../dashboard/support.ts";
import { whereIsRoute } from "../dashboard/where-is.ts";
import { erasureRoutes } from "../erasure/routes.ts";
import { connectionRoutes } from "../orders/connection.ts";
import { closeDataRequest, listDataRequests, readDataRequest } from "../orders/requests.ts";
import type { AuthenticatePerson, AuthenticateToken } from "../platform/caller.ts";
import type { Config } from "../platform/config.ts";
import type { StoreTransaction } from "../platform/database/sql.ts";
import type { ElapsedClock } from "../platform/deadline.ts";
import { type DashboardRoute, registerDashboard } from "../platform/http/dashboard.ts";
import type { AnswerDeps, Audited, Route } from "../platform/http/operations.ts";
import { formatId } from "../platform/ids.ts";
import { SenderGuard, type SenderLimits } from "../platform/limiter/senders.ts";
import { timelineRoute } from "../profiles/timeline.ts";
import type { VersionCache } from "../quizzes/public.ts";
import type { Credits } from "../stores/credits.ts";
import type { Gate } from "../stores/gate.ts";
import { keyRoutes } from "../stores/key-routes.ts";
import { MemberGate } from "../stores/member-gate.ts";
import { settingsRoutes } from "../stores/settings-routes.ts";
import { webhookDashboardRoutes } from "../webhooks/dashboard-routes.ts";
import type { WebhookRouteDeps } from "../webhooks/deps.ts";
import { disconnect } from "./disconnect.ts";
import { type ErasureFoundations, erasureDeps } from "./erasure.ts";

/** Writes a row to a store's audit log. */
type Audit = (tx: StoreTransaction, who: AuditActor, done: Audited) => Promise<void>;

/** The program's foundations that the dashboard needs. */
interface Foundations extends ErasureFoundations {
  config: Pick<Config, "dataDir" | "baseUrl">;
  elapsed: ElapsedClock;
  extraDashboardRoutes?: readonly DashboardRoute[];
  dashboardLimits?: SenderLimits;
  /** replaces the check who is signed in */
  signedIn?: AuthenticatePerson;
}

interface DashboardParts {
  app: FastifyInstance;
  answering: AnswerDeps;
  /** the routes of `/v1` */
  mounted: readonly Route[];
  gate: Gate;
  credits: Credits;
  versions: VersionCache;
  webhooks: WebhookRouteDeps;
  signedIn: AuthenticatePerson;
  byToken: AuthenticateToken;
  audit: Audit;
  /** routes of slices that have their own list: accounts, quizzes */
  others: readonly DashboardRoute[];
}

/** The dashboard's API for signed-in people: `/v1` once more, and its own operations. */
export function composeDashboard(foundations: Foundations, parts: DashboardParts): void {
  const { app, answering, audit } = parts;
  const { database, elapsed, calendar, secrets } = foundations;
  const support = new SupportVisits({ database, calendar, elapsed });
  const members = new MemberGate({
    ...{ database, elapsed },
    supportUntil: (person, storeId, deadline) => support.until(person, storeId, deadline),
  });
  const storesChanged = () => {
    parts.gate.invalidate();
    members.invalidate();
    support.invalidate();
  };
  const routes = [...ownRoutes(foundations, parts, storesChanged), ...parts.others];
  registerDashboard(app, [...routes, ...(foundations.extraDashboardRoutes ?? [])], {
    ...answering,
    // people whom a test declares to be signed in have no rows
    ...(foundations.signedIn ? {} : { rightsNow: (tx, caller) => personNow(tx, caller, calendar.now()) }),
    mounted: parts.mounted,
    calendar,
    signedIn: parts.signedIn,
    byToken: parts.byToken,
    member: (person, store, deadline) => members.member(person, store, deadline),
    guard: new SenderGuard({
      ...{ limiter: answering.limiter, secrets, kind: "dashboard" },
      limits: foundations.dashboardLimits ?? dashboardLimits,
    }),
    audit: async (tx, request, operation, made) => {
      const { by, admin } = request.caller;
      const who = { by, admin, address: request.address };
      const token = by.kind === "person" && by.token ? { token: formatId("tok", by.token.id) } : {};
      for (const done of auditedOf(request, operation, made)) {
        await audit(tx, who, { ...done, details: { ...done.details, ...token } });
      }
    },
  });
}

function ownRoutes(foundations: Foundations, parts: DashboardParts, storesChanged: () => void): DashboardRoute[] {
  const { app, credits, versions, webhooks, audit } = parts;
  const { config, database, elapsed, calendar, secrets, random } = foundations;
  return [
    attentionRoute({ database, elapsed, credits }),
    whereIsRoute({ database, calendar }),
    ...settingsRoutes({ calendar, credits, storesChanged }),
    ...keyRoutes({ database, calendar, random, secrets, keysChanged: storesChanged }),
    ...connectionRoutes({
      ...{ secrets, random, baseUrl: config.baseUrl },
      deliver: async (headers, payload) => {
        const url = "/commerce/v1/shopify/webhooks";
        return (await app.inject({ method: "POST", url, headers, payload })).statusCode;
      },
    }),
    timelineRoute({ secrets, versions }),
    ...erasureRoutes({
      ...erasureDeps(foundations, versions),
      dataRequests: { list: listDataRequests, read: readDataRequest, close: closeDataRequest },
    }),
    ...webhookDashboardRoutes({ ...webhooks, database, elapsed }),
    ...operatorRoutes({
      ...{ database, calendar, random, secrets },
      disconnect: (tx, storeId) => disconnect(tx, foundations, storeId),
      audit,
      assertOperator: foundations.signedIn ? async () => undefined : assertOperatorNow,
      changed: storesChanged,
    }),
  ];
}
