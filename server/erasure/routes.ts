import {
  closeDataRequest,
  eraseProfile,
  getProfileData,
  getRequestedData,
  listDataRequests,
  previewErasure,
} from "../../contract/dashboard/shoppers.ts";
import { kindsOf } from "../../engine/kinds/value.ts";
import { isoTime } from "../platform/clock.ts";
import { ownStore, raw, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { type DashboardRoute, memberRoute } from "../platform/http/dashboard.ts";
import { pathId, readRoute, writeRoute } from "../platform/http/operations.ts";
import { formatId, parseId } from "../platform/ids.ts";
import { notFound } from "../platform/problems.ts";
import { type ErasureDeps, erasePerson } from "./erase.ts";
import { readPersonData } from "./person-data.ts";
import { extentOf } from "./subject.ts";

/** Erasure and data of a person, for owners [dashboard-api.erasure, dashboard-api.person-data]. */

interface DataRequest {
  request_id: string;
  received_at: string;
  answered_at: string | null;
}

/** Customers' requests, passed on by the commerce platform. */
interface DataRequests {
  list: (db: StoreRunner) => Promise<DataRequest[]>;
  /** undefined if no such request is waiting */
  read: (
    tx: StoreTransaction,
    id: string,
  ) => Promise<
    { subject: { emails: string[]; phones: string[]; order_ids: string[] }; receivedAt: string } | undefined
  >;
  /** undefined if there is no such request */
  close: (tx: StoreTransaction, id: string, at: Date) => Promise<DataRequest | undefined>;
}

export interface ErasureRouteDeps extends ErasureDeps {
  dataRequests: DataRequests;
}

const parsePerson = (text: string) => parseId("prof", text);

interface Counts {
  answers: number;
  orders: number;
  deliveries: number;
  exports: number;
}

/** Of an answer in a session's state: what the person typed in their own words. */
const isTyped = kindsOf("text", "contact")
  .map((kind) => `@.kind == "${kind}"`)
  .concat("exists(@.other_text)")
  .join(" || ");

async function countExtent(db: StoreRunner, profileId: string) {
  const subject = { profileIds: [profileId], sessionIds: [], contacts: [], orderIds: [] };
  const extent = await extentOf(db, subject);
  if (extent.profileIds.length === 0) throw notFound();
  const { sessionIds } = extent;
  const row = await db.first(sql<Counts>`
    SELECT (
      SELECT coalesce(sum(jsonb_array_length(jsonb_path_query_array(s.state,
        ${raw(`'$.answers[*] ? (${isTyped})'`)}))), 0)::bigint
      FROM sessions s WHERE s.store_id = ${ownStore} AND s.id = ANY (${sessionIds}::uuid[])) AS answers,
      (SELECT count(DISTINCT k.order_id) FROM orders o
        JOIN order_keys k ON k.store_id = ${ownStore} AND k.order_id = o.id AND k.tier IN ('email', 'phone')
        WHERE o.store_id = ${ownStore} AND o.profile_id = ${profileId}) AS orders,
      (SELECT count(*) FROM webhook_deliveries d WHERE d.store_id = ${ownStore}
        AND (d.profile_id = ${profileId} OR d.session_id = ANY (${sessionIds}::uuid[]))) AS deliveries,
      (SELECT count(*) FROM exports e WHERE e.store_id = ${ownStore} AND e.dataset <> 'quiz_analytics'
        AND e.status IN ('running', 'completed')) AS exports`);
  const { answers = 0, orders = 0, deliveries = 0, exports = 0 } = row ?? {};
  return {
    sessions: sessionIds.length,
    contacts: extent.contacts.length,
    ...{ answers, orders, deliveries, exports },
  };
}

interface StoredContact {
  kind: "email" | "phone";
  value: string;
}

const readContacts = (db: StoreRunner, profileId: string): Promise<StoredContact[]> =>
  db.all(sql<StoredContact>`
    SELECT i.kind, i.value FROM identities i WHERE i.store_id = ${ownStore} AND i.profile_id = ${profileId}`);

async function assertPerson(db: StoreRunner, profileId: string): Promise<void> {
  const person = await db.first(sql`
    SELECT id FROM profiles WHERE store_id = ${ownStore} AND id = ${profileId} AND removed_at IS NULL`);
  if (!person) throw notFound();
}

export const erasureRoutes = (deps: ErasureRouteDeps): DashboardRoute[] => [
  memberRoute(
    readRoute(previewErasure, ({ params }, db) => countExtent(db, pathId(parsePerson, params["profile_id"]))),
  ),
  memberRoute(
    writeRoute(eraseProfile, async ({ caller, params }, tx) => {
      const profileId = pathId(parsePerson, params["profile_id"]);
      const erasure = await erasePerson(tx, deps, profileId, { by: caller.admin });
      if (erasure === null) throw notFound();
      const { erased_at, session_ids } = erasure;
      return { body: { profile_id: formatId("prof", profileId), erased_at, sessions: session_ids.length } };
    }),
  ),
  memberRoute(
    // a write route, since handing out a person's data is recorded in the audit log
    writeRoute(getProfileData, async ({ caller, params }, tx) => {
      const profileId = pathId(parsePerson, params["profile_id"]);
      await assertPerson(tx, profileId);
      const contacts = await readContacts(tx, profileId);
      const of = (kind: StoredContact["kind"]) => contacts.flatMap((each) => (each.kind === kind ? [each.value] : []));
      const data = await readPersonData(tx, { emails: of("email"), phones: of("phone"), orderIds: [] });
      return {
        body: {
          store: caller.store.name,
          profile_id: formatId("prof", profileId),
          answered_at: isoTime(new Date(deps.now())),
          data,
        },
      };
    }),
  ),
  ...dataRequestRoutes(deps),
];

/** Routes for customers' requests [dashboard-api.data-requests]. */
const dataRequestRoutes = ({ dataRequests, now }: ErasureRouteDeps): DashboardRoute[] => [
  memberRoute(readRoute(listDataRequests, async (_request, db) => ({ data: await dataRequests.list(db) }))),
  memberRoute(
    // a write route, as above
    writeRoute(getRequestedData, async ({ caller, params }, tx) => {
      const { request_id: id = "" } = params;
      const request = await dataRequests.read(tx, id);
      if (!request) throw notFound();
      const { emails, phones, order_ids: orderIds } = request.subject;
      return {
        body: {
          store: caller.store.name,
          request_id: id,
          requested_at: request.receivedAt,
          answered_at: isoTime(new Date(now())),
          asked_for: request.subject,
          data: await readPersonData(tx, { emails, phones, orderIds }),
        },
      };
    }),
  ),
  memberRoute(
    writeRoute(closeDataRequest, async ({ params }, tx) => {
      const { request_id: id = "" } = params;
      const waited = (await dataRequests.read(tx, id)) !== undefined;
      const closed = await dataRequests.close(tx, id, new Date(now()));
      if (!closed) throw notFound();
      return { body: closed, audit: waited ? [{ action: "data_request.answered", target: id }] : [] };
    }),
  ),
];
