import { uuidLiteral } from "../platform/database/sql.ts";
import { originColumns } from "./schema.ts";

/**
 * The content of a copy as PostgreSQL sends it: COPY statements, each with the columns by which DuckDB reads its rows
 * [copy.own-store, figures.previews]. COPY takes no parameters, so the store and the revision are written into the text
 * after being checked.
 *
 * `since`: only what changed after this revision; null for everything.
 */

export interface CopiedRows {
  query: string;
  columns: Readonly<Record<string, string>>;
}

export interface Extent {
  /** UUID */
  storeId: string;
  since: number | null;
  /** the changed ids, if known; PostgreSQL then looks them up by key, however much other data the store has */
  ids?: Record<ChangedKind, readonly string[]>;
}

export type ChangedKind = "session" | "profile" | "order";

export function wholeLiteral(number: number): string {
  if (!Number.isSafeInteger(number)) throw new Error("not a whole number");
  return String(number);
}

/** A moment in whole milliseconds; rounded, since the floating-point seconds may be slightly too low. */
const ms = (moment: string) => `round(date_part('epoch', ${moment}) * 1000)::bigint`;

/** Whether `column` is one of the changed ids. */
function isChanged({ storeId, since, ids }: Extent, kind: ChangedKind, column: string): string {
  if (ids) return `${column} = ANY(ARRAY[${ids[kind].map(uuidLiteral).join(", ")}]::uuid[])`;
  return `${column} IN (SELECT c.id FROM changes c WHERE c.store_id = ${uuidLiteral(storeId)}
    AND c.revision > ${wholeLiteral(since ?? 0)} AND c.kind = '${kind}')`;
}

const changed = (extent: Extent, kind: ChangedKind, column: string): string =>
  extent.since === null ? "" : `AND ${isChanged(extent, kind, column)}`;

/** Orders store how long after their session's start, completion and end they came, so they change with it. */
const changedOrders = (extent: Extent): string =>
  extent.since === null
    ? ""
    : `AND (${isChanged(extent, "order", "o.id")} OR ${isChanged(extent, "session", "o.session_id")})`;

/** The uncompressed size of what a session did; compressed it may take a hundredth of that. */
const roomOf = "coalesce(octet_length(s.facts) + coalesce(octet_length(s.texts), 0), 0)";

/** The uncompressed size up to which a session is copied: about forty times the maximum of a live session. */
export const sessionBytesAtMost = 4 << 20;

const fits = `${roomOf} <= ${sessionBytesAtMost}`;

/** The changed ids, including deleted ones; `number` is null for deleted rows and for orders. */
export const changesSince = (storeId: string, since: number): string => `
  SELECT DISTINCT c.kind, c.id, coalesce(s.number, p.number), ${roomOf}
  FROM changes c
  LEFT JOIN sessions s ON s.store_id = c.store_id AND s.id = c.id AND c.kind = 'session'
  LEFT JOIN profiles p ON p.store_id = c.store_id AND p.id = c.id AND c.kind = 'profile' AND p.removed_at IS NULL
  WHERE c.store_id = ${uuidLiteral(storeId)} AND c.revision > ${wholeLiteral(since)}
    AND c.kind IN ('session', 'profile', 'order')`;

/** Everything that a copy of the store consists of, in the columns of `changesSince`. */
export function everything(storeId: string): string {
  const ofStore = (alias: string) => `${alias}.store_id = ${uuidLiteral(storeId)}`;
  return `SELECT 'session', s.id, s.number, ${roomOf} FROM sessions s WHERE ${ofStore("s")} AND NOT s.preview
    UNION ALL SELECT 'profile', p.id, p.number, 0 FROM profiles p WHERE ${ofStore("p")} AND p.removed_at IS NULL
    UNION ALL SELECT 'order', o.id, NULL, 0 FROM orders o WHERE ${ofStore("o")} AND o.cancelled_at IS NULL`;
}

/** A column in order: its name in the received rows, its DuckDB type, and the PostgreSQL expression. */
type SourceColumn = readonly [name: string, type: string, sql: string];

const copied = (columns: readonly SourceColumn[], from: string): CopiedRows => ({
  query: `SELECT ${columns.map(([, , sql]) => sql).join(", ")} ${from}`,
  columns: Object.fromEntries(columns.map(([name, type]) => [name, type])),
});

const personColumns: readonly SourceColumn[] = [
  ["person", "BIGINT", "p.number"],
  ["id", "UUID", "p.id"],
  ["last_seen", "BIGINT", ms("p.last_seen_at")],
  ["first_seen", "BIGINT", ms("p.first_seen_at")],
  ["sessions_count", "INTEGER", "p.sessions_count"],
  ["completed_count", "INTEGER", "p.completed_count"],
  ["visits_count", "INTEGER", "p.visits_count"],
  ["orders_count", "INTEGER", "p.orders_count"],
  ["has_email", "BOOLEAN", "coalesce(bool_or(i.kind = 'email'), false)"],
  ["has_phone", "BOOLEAN", "coalesce(bool_or(i.kind = 'phone'), false)"],
  ["has_consent", "BOOLEAN", "coalesce(bool_or(i.consent), false)"],
  ["placed_after", "BIGINT", "p.placed_after"],
];

export const peopleOf = (extent: Extent): CopiedRows =>
  copied(
    personColumns,
    `FROM profiles p LEFT JOIN identities i ON i.store_id = p.store_id AND i.profile_id = p.id
      WHERE p.store_id = ${uuidLiteral(extent.storeId)} AND p.removed_at IS NULL ${changed(extent, "profile", "p.id")}
      GROUP BY p.store_id, p.id`,
  );

/**
 * ISO 3166-2 code of the session's region. Proxies send the code with its country or without; names of regions and
 * longer codes, which some send, are unknown [figures.region].
 */
const region = `CASE WHEN upper(s.region) ~ ('^(' || s.country || '-)?[A-Z0-9]{1,3}$')
  THEN s.country || '-' || regexp_replace(upper(s.region), '^.*-', '') END`;

/** The columns that filters compare. */
const filterColumns: readonly SourceColumn[] = [
  ["channel", "VARCHAR", "s.channel"],
  ["device", "VARCHAR", "s.device_class"],
  ["country", "VARCHAR", "s.country"],
  ["region", "VARCHAR", region],
  ["is_returning", "BOOLEAN", "s.is_returning"],
];

/**
 * What a session did is the text that its slice wrote for it, or NULL if that is too large. It contains no contacts,
 * since a copy only needs to know that they were given.
 */
const sessionColumns: readonly SourceColumn[] = [
  ["session", "BIGINT", "s.number"],
  ["id", "UUID", "s.id"],
  ["person", "BIGINT", "p.number"],
  ["quiz_id", "UUID", "s.quiz_id"],
  ["version", "INTEGER", "v.number"],
  ["visitor", "UUID", "s.visitor_id"],
  ["opened", "BIGINT", ms("s.opened_at")],
  ["started", "BIGINT", ms("s.started_at")],
  ["completed", "BIGINT", ms("s.completed_at")],
  ["ended", "BIGINT", ms("s.ended_at")],
  ["status", "VARCHAR", "s.status"],
  ...filterColumns,
  ...originColumns.map((column) => [column, "VARCHAR", `s.${column}`] as const),
  ["facts", "VARCHAR", `CASE WHEN ${fits} THEN s.facts END`],
  ["texts", "VARCHAR", `CASE WHEN ${fits} THEN s.texts END`],
];

export const sessionsOf = (extent: Extent): CopiedRows =>
  copied(
    sessionColumns,
    `FROM sessions s JOIN quiz_versions v ON v.store_id = s.store_id AND v.id = s.version_id
      LEFT JOIN profiles p ON p.store_id = s.store_id AND p.id = s.profile_id AND p.removed_at IS NULL
      WHERE s.store_id = ${uuidLiteral(extent.storeId)} AND NOT s.preview ${changed(extent, "session", "s.id")}`,
  );

/** If the store's currency changes, the copy is rebuilt (`stepFrom` of sync.ts), since it affects every order. */
const soldColumns: readonly SourceColumn[] = [
  ["id", "UUID", "o.id"],
  ["session", "BIGINT", "s.number"],
  ["quiz_id", "UUID", "s.quiz_id"],
  ["created", "BIGINT", ms("o.created_at")],
  ["after_start_ms", "BIGINT", `CASE WHEN s.id IS NOT NULL THEN ${ms("o.created_at")} - ${ms("s.started_at")} END`],
  ["tier", "VARCHAR", "CASE WHEN s.id IS NOT NULL THEN o.matched_tier END"],
  ["in_currency", "BOOLEAN", "o.currency = t.currency"],
  // the segment of its session
  ...filterColumns,
  ["status", "VARCHAR", "s.status"],
];

const ordersFrom = (extent: Extent) => `
  JOIN stores t ON t.id = o.store_id
  LEFT JOIN sessions s ON s.store_id = o.store_id AND s.id = o.session_id AND NOT s.preview
  WHERE o.store_id = ${uuidLiteral(extent.storeId)} AND o.cancelled_at IS NULL ${changedOrders(extent)}`;

const orderColumns: readonly SourceColumn[] = [
  ...soldColumns,
  ["total", "DECIMAL(38, 4)", "round(o.total, 4)"],
  ["refunded", "DECIMAL(38, 4)", "round(coalesce(o.refunded, 0), 4)"],
  ["after_completed_ms", "BIGINT", `${ms("o.created_at")} - ${ms("s.completed_at")}`],
  ["after_ended_ms", "BIGINT", `${ms("o.created_at")} - ${ms("s.ended_at")}`],
];

export const ordersOf = (extent: Extent): CopiedRows => copied(orderColumns, `FROM orders o ${ordersFrom(extent)}`);

const lineColumns: readonly SourceColumn[] = [
  ...soldColumns,
  ["product_id", "VARCHAR", "coalesce(l.counted_as, l.product_id)"],
  ["title", "VARCHAR", "l.title"],
  ["units", "INTEGER", "CASE WHEN l.counted_as IS NULL THEN l.quantity ELSE l.bundle_units END"],
  ["amount", "DECIMAL(38, 4)", "round(l.amount, 4)"],
  ["refunded", "DECIMAL(38, 4)", "round(coalesce(l.refunded, 0), 4)"],
  ["bucket", "VARCHAR", "l.bucket"],
];

/** Only lines of orders with a session, since no question asks about others. */
export const linesOf = (extent: Extent): CopiedRows =>
  copied(
    lineColumns,
    `FROM orders o JOIN order_lines l ON l.store_id = o.store_id AND l.order_id = o.id ${ordersFrom(extent)}
      AND s.id IS NOT NULL`,
  );

export interface VersionKey {
  quiz_id: string;
  version: number;
}

/** The documents of versions, from which their keys and labels are read. */
export function documentsOf(storeId: string, versions: readonly VersionKey[]): string {
  const values = versions
    .map(({ quiz_id, version }) => `(${uuidLiteral(quiz_id)}, ${wholeLiteral(version)})`)
    .join(", ");
  return `SELECT v.quiz_id, v.number, v.document FROM quiz_versions v
    WHERE v.store_id = ${uuidLiteral(storeId)} AND (v.quiz_id, v.number) IN (VALUES ${values})`;
}
