import {
  beginSupport,
  createStore,
  disconnectStore,
  endSupport,
  listStores,
  type OperatedStore,
  reconnectStore,
  updateStore,
} from "../../contract/dashboard/operator.ts";
import type { SignedIn } from "../platform/caller.ts";
import { isoTime } from "../platform/clock.ts";
import { older, type Place, placeOf, readPage } from "../platform/cursors.ts";
import type { Database } from "../platform/database/database.ts";
import { containing } from "../platform/database/like.ts";
import { type Runner, raw, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import { type DashboardRoute, type PersonRequest, personRoute } from "../platform/http/dashboard.ts";
import { type Audited, type Input, pathId } from "../platform/http/operations.ts";
import { formatId, parseId } from "../platform/ids.ts";
import { asProblem, invalid, notFound } from "../platform/problems.ts";
import {
  type AdminDeps,
  createNewStore,
  type ListedStore,
  listedColumns,
  listedStore,
  reconnect,
  updateGivenStore,
} from "../stores/public.ts";
import { beginVisit, endVisit, visitsOf } from "./support.ts";

/** Operators' changes to stores [dashboard-api.operator]; each is recorded in the store's audit log. */

export interface OperatorDeps extends AdminDeps {
  database: Database;
  /** disconnects a store, including what other slices store for it */
  disconnect: (tx: Transaction, storeId: string) => Promise<unknown>;
  audit: (tx: StoreTransaction, who: { person: SignedIn; address: string }, done: Audited) => Promise<void>;
  /** throws unless the person is still an operator [dashboard-api.rights-kept] */
  assertOperator: (tx: Transaction, person: SignedIn) => Promise<void>;
  /** invalidates the caches of stores and support visits once the change is committed */
  changed: () => void;
}

const answerOf = (row: ListedStore, visits: ReadonlyMap<string, Date>): OperatedStore => {
  const { store_id: id, ...store } = listedStore(row);
  const until = visits.get(row.id);
  return { id, ...store, support_until: until ? isoTime(until) : null };
};

interface StoreFilter {
  q: string | undefined;
  /** UUIDs; null: any */
  only: readonly string[] | null;
}

function readStores(db: Runner, { q, only }: StoreFilter, after: Place | null, atMost: number): Promise<ListedStore[]> {
  const part = containing((q ?? "").toLowerCase());
  const named =
    q === undefined
      ? raw("true")
      : sql`(lower(name) LIKE ${part} OR shop_domain LIKE ${part} OR id = ${parseId("store", q)}::uuid)`;
  const among = only === null ? raw("true") : sql`id = ANY(${only}::uuid[])`;
  return db.all(sql<ListedStore>`
    SELECT ${listedColumns} FROM stores
    WHERE test_of IS NULL AND ${named} AND ${among} ${older(after)} ORDER BY created_at DESC, id DESC LIMIT ${atMost}`);
}

/** Throws a 404 for a test twin too, which nobody operates by itself [test-stores.by-its-store]. */
async function readStore(db: Runner, id: string): Promise<ListedStore> {
  const row = await db.first(sql<ListedStore>`
    SELECT ${listedColumns} FROM stores WHERE id = ${id} AND test_of IS NULL`);
  if (!row) throw notFound();
  return row;
}

/** Stands for all stores, so that the cursor is not valid for any other list. */
const noStore = "00000000-0000-0000-0000-000000000000";

type OperatorRequest = Input<never> & { person: SignedIn };

export function operatorRoutes(deps: OperatorDeps): DashboardRoute[] {
  const { database, calendar, secrets } = deps;
  const answer = async (db: Runner, person: SignedIn, id: string) =>
    answerOf(await readStore(db, id), await visitsOf(db, person.userId, calendar.now()));

  /** Changes the store named in the path, and records it in the store's audit log. */
  const change = (
    request: Pick<OperatorRequest, "person" | "params" | "deadline" | "address">,
    done: Omit<Audited, "target">,
    work: (tx: Transaction, id: string) => Promise<unknown>,
  ) =>
    database.transaction(async (tx) => {
      const id = pathId((text) => parseId("store", text), request.params["store_id"]);
      await readStore(tx, id);
      await asProblem(work(tx, id));
      await deps.audit(tx.forStore(id), request, { ...done, target: formatId("store", id) });
      await deps.assertOperator(tx, request.person);
      tx.afterCommit(deps.changed);
      return answer(tx, request.person, id);
    }, request.deadline);

  return [
    personRoute(listStores, async ({ person, query: { cursor, limit = 20, q, supported = false }, deadline }) => {
      const db = database.reader(deadline);
      const visits = await visitsOf(db, person.userId, calendar.now());
      const filter = { q, only: supported ? [...visits.keys()] : null };
      const list = {
        secrets,
        binding: { storeId: noStore, route: listStores.id, filters: [q ?? null, supported] },
        cursor,
        limit,
      };
      const read = (after: Place | null, rows: number) => readStores(db, filter, after, rows);
      return { body: await readPage(list, read, placeOf, (row) => answerOf(row, visits)) };
    }),
    personRoute(createStore, (request: PersonRequest<typeof createStore>) =>
      database.transaction(async (tx) => {
        const { shop_domain: shopDomain, ...fields } = request.body;
        const made = await asProblem(createNewStore(tx, deps, { ...fields, shopDomain }));
        const id = pathId((text) => parseId("store", text), made.store_id);
        await deps.audit(tx.forStore(id), request, { action: "store.created", target: made.store_id });
        await deps.assertOperator(tx, request.person);
        const body = { ...(await answer(tx, request.person, id)), commerce_secret: made.commerce_secret };
        return { body };
      }, request.deadline),
    ),
    personRoute(updateStore, async (request) => {
      const { plan, timezone, limits } = request.body;
      if (plan === undefined && timezone === undefined && limits === undefined)
        throw invalid("body", "must name what is to change");
      const fields = {
        ...(plan === undefined ? {} : { plan }),
        ...(timezone === undefined ? {} : { timezone }),
        ...(limits === undefined ? {} : { limits }),
      };
      const body = await change(request, { action: "store.updated", details: fields }, (tx, id) =>
        updateGivenStore(tx, id, fields),
      );
      return { body };
    }),
    personRoute(disconnectStore, async (request) => ({
      body: await change(request, { action: "store.disconnected" }, (tx, id) => deps.disconnect(tx, id)),
    })),
    personRoute(reconnectStore, async (request) => ({
      body: await change(request, { action: "store.reconnected" }, (tx, id) => reconnect(tx, id)),
    })),
    personRoute(beginSupport, async (request) => ({
      body: await change(request, { action: "support.begun", details: { reason: request.body.reason } }, (tx, id) =>
        beginVisit(tx, request.person.userId, id, calendar.now()),
      ),
    })),
    personRoute(endSupport, async (request) => {
      await change(request, { action: "support.ended" }, (tx, id) =>
        endVisit(tx, request.person, { storeId: id, now: calendar.now() }),
      );
      return { body: null };
    }),
  ];
}
