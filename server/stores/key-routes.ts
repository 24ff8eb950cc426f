import { type ApiKey, createKey, listKeys, revokeKey } from "../../contract/dashboard/keys.ts";
import { isoTime, timeOrNull } from "../platform/clock.ts";
import { older, type Place, placeOf, readPage } from "../platform/cursors.ts";
import type { Database } from "../platform/database/database.ts";
import { ownStore, raw, type StoreRunner, sql } from "../platform/database/sql.ts";
import { type DashboardRoute, memberRoute } from "../platform/http/dashboard.ts";
import { pathId, preparedWriteRoute, readRoute, writeRoute } from "../platform/http/operations.ts";
import { formatId, parseId } from "../platform/ids.ts";
import { asProblem, invalid, notFound } from "../platform/problems.ts";
import { type AdminDeps, type ListedKey, createKey as makeKey } from "./admin.ts";
import { findOrMakeTwin } from "./test-twins.ts";

/** API keys in the dashboard [dashboard-api.keys]. */

interface KeyRow extends ListedKey {
  is_test: boolean | null;
  last_used_at: Date | null;
}

const columns = raw(
  "id, name, admin, head, last_four, scopes, is_test, created_at, expires_at, last_used_at, revoked_at",
);

const keyAnswer = (row: KeyRow): ApiKey => ({
  id: formatId("key", row.id),
  name: row.name,
  admin: row.admin,
  head: row.head,
  last_four: row.last_four,
  scopes: row.scopes,
  test: row.is_test ?? false,
  created_at: isoTime(row.created_at),
  expires_at: timeOrNull(row.expires_at),
  last_used_at: timeOrNull(row.last_used_at),
  revoked_at: timeOrNull(row.revoked_at),
});

const readKeys = (db: StoreRunner, after: Place | null, atMost: number): Promise<KeyRow[]> =>
  db.all(sql<KeyRow>`
    SELECT ${columns} FROM api_keys WHERE store_id = ${ownStore} ${older(after)}
    ORDER BY created_at DESC, id DESC LIMIT ${atMost}`);

async function readKey(db: StoreRunner, keyId: string): Promise<KeyRow> {
  const row = await db.first(
    sql<KeyRow>`SELECT ${columns} FROM api_keys WHERE store_id = ${ownStore} AND id = ${keyId}`,
  );
  if (!row) throw notFound();
  return row;
}

function assertKey({ name, expires_at: expires }: { name: string; expires_at?: string | null }, now: number): void {
  if (name.trim() === "") throw invalid("body.name", "must not be empty");
  if (typeof expires === "string" && Date.parse(expires) <= now)
    throw invalid("body.expires_at", "must lie in the future");
}

/** A key that an operator created as support, and so has seen, ends with their visit [dashboard-api.support-ends]. */
function earlier(expires: string | null | undefined, visitEnds: Date | undefined): { expires?: string } {
  const ends = [...(typeof expires === "string" ? [Date.parse(expires)] : []), ...(visitEnds ? [+visitEnds] : [])];
  return ends.length === 0 ? {} : { expires: new Date(Math.min(...ends)).toISOString() };
}

export interface KeyRouteDeps extends AdminDeps {
  database: Database;
  /** invalidates the cached keys once the change is committed */
  keysChanged: () => void;
}

export const keyRoutes = (deps: KeyRouteDeps): DashboardRoute[] => [
  memberRoute(
    readRoute(listKeys, ({ query: { cursor, limit = 20 } }, db) => {
      const binding = { storeId: db.storeId, route: listKeys.id, filters: [] };
      const list = { secrets: deps.secrets, binding, cursor, limit };
      return readPage(list, (after, atMost) => readKeys(db, after, atMost), placeOf, keyAnswer);
    }),
  ),
  memberRoute(
    preparedWriteRoute(
      createKey,
      async ({ caller, body, assertUnchanged }) => {
        assertKey(body, deps.calendar.now());
        if (!body.test) return;
        // a twin is another store, which a transaction of this store cannot create
        await deps.database.transaction(async (tx) => {
          await findOrMakeTwin(tx, deps, caller.store.id);
          await assertUnchanged(tx.forStore(caller.store.id));
        });
      },
      async ({ caller, body }, tx) => {
        const { name, scopes, expires_at: expires, test } = body;
        const fields = { name, scopes, admin: caller.admin, test };
        const expiry = earlier(expires, caller.by.kind === "person" ? caller.by.supportUntil : undefined);
        const made = await asProblem(makeKey(tx, deps, tx.storeId, { ...fields, ...expiry }));
        const row = await readKey(tx, parseId("key", made.key_id) ?? "");
        return { body: { ...keyAnswer(row), key: made.key } };
      },
    ),
  ),
  memberRoute(
    writeRoute(revokeKey, async ({ params }, tx) => {
      const keyId = pathId((text) => parseId("key", text), params["key_id"]);
      const now = new Date(deps.calendar.now());
      const row = await tx.first(sql<KeyRow>`
        UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${now}::timestamptz)
        WHERE store_id = ${ownStore} AND id = ${keyId} RETURNING ${columns}`);
      if (!row) throw notFound();
      tx.afterCommit(deps.keysChanged);
      return { body: keyAnswer(row) };
    }),
  ),
];
