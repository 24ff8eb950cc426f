/**
 * What a copy is made of, as PostgreSQL hands it over: COPY statements, each with the columns by which DuckDB reads its
 * rows. COPY takes no parameters, so the store and the revision are written into the text; both are checked for it.
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
  /** what changed since, where it is known: PostgreSQL then looks it up by its keys, however much else the store has */
  ids?: Record<ChangedKind, readonly string[]>;
}

export type ChangedKind = "session" | "profile" | "order";

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function uuidLiteral(uuid: string): string {
  if (!uuidForm.test(uuid)) throw new Error("not a UUID");
  return `'${uuid}'::uuid`;
}

function revisionLiteral(revision: number): string {
  if (!Number.isSafeInteger(revision)) throw new Error("not a revision");
  return String(revision);
}

/** Moments are written in whole milliseconds; rounded, since a binary fraction of a second may fall short of one. */
const ms = (moment: string) => `round(date_part('epoch', ${moment}) * 1000)::bigint`;

/** Whether `column` is one of what changed. */
function isChanged({ storeId, since, ids }: Extent, kind: ChangedKind, column: string): string {
  if (ids) return `${column} = ANY(ARRAY[${ids[kind].map(uuidLiteral).join(", ")}]::uuid[])`;
  return `${column} IN (SELECT c.id FROM changes c WHERE c.store_id = ${uuidLiteral(storeId)}
    AND c.revision > ${revisionLiteral(since ?? 0)} AND c.kind = '${kind}')`;
}

const changed = (extent: Extent, kind: ChangedKind, column: string): string =>
  extent.since === null ? "" : `AND ${isChanged(extent, kind, column)}`;

/** An order says how long after its session's start, completion and end it came, and so follows its session. */
const changedOrders = (extent: Extent): string =>
  extent.since === null
    ? ""
    : `AND (${isChanged(extent, "order", "o.id")} OR ${isChanged(extent, "session", "o.session_id")})`;

/** How much room what a session did takes, written out: compressed it may take a hundredth of that. */
const roomOf = "coalesce(octet_length(s.facts) + coalesce(octet_length(s.texts), 0), 0)";

/** What one session did may take so much room, written out: some forty times what a live one can come to. */
export const sessionBytesAtMost = 4 << 20;

const fits = `${roomOf} <= ${sessionBytesAtMost}`;

/** What changed, whether it is still there or not; `number` is null for what is gone, and for orders. */
export function changesSince(storeId: string, since: number): CopiedRows {
  const store = uuidLiteral(storeId);
  return {
    query: `SELECT DISTINCT c.kind, c.id, coalesce(s.number, p.number), ${roomOf}
      FROM changes c
      LEFT JOIN sessions s ON s.store_id = c.store_id AND s.id = c.id AND c.kind = 'session'
      LEFT JOIN profiles p ON p.store_id = c.store_id AND p.id = c.id AND c.kind = 'profile' AND p.removed_at IS NULL
      WHERE c.store_id = ${store} AND c.revision > ${revisionLiteral(since)}
        AND c.kind IN ('session', 'profile', 'order')`,
    columns: { kind: "VARCHAR", id: "UUID", number: "BIGINT", bytes: "BIGINT" },
  };
}

/** In the columns of `changesSince`: all that a copy of the store is made of. */
export function everything(storeId: string): string {
  const ofStore = (alias: string) => `${alias}.store_id = ${uuidLiteral(storeId)}`;
  return `SELECT 'session', s.id, s.number, ${roomOf} FROM sessions s WHERE ${ofStore("s")} AND NOT s.preview
    UNION ALL SELECT 'profile', p.id, p.number, 0 FROM profiles p WHERE ${ofStore("p")} AND p.removed_at IS NULL
    UNION ALL SELECT 'order', o.id, NULL, 0 FROM orders o WHERE ${ofStore("o")} AND o.cancelled_at IS NULL`;
}

export function peopleOf(extent: Extent): CopiedRows {
  return {
    query: `SELECT p.number, p.id, ${ms("p.last_seen_at")}, ${ms("p.first_seen_at")}, p.sessions_count, p.completed_count,
        p.visits_count, p.orders_count, coalesce(bool_or(i.kind = 'email'), false),
        coalesce(bool_or(i.kind = 'phone'), false), coalesce(bool_or(i.consent), false)
      FROM profiles p LEFT JOIN identities i ON i.store_id = p.store_id AND i.profile_id = p.id
      WHERE p.store_id = ${uuidLiteral(extent.storeId)} AND p.removed_at IS NULL ${changed(extent, "profile", "p.id")}
      GROUP BY p.store_id, p.id`,
    columns: {
      person: "BIGINT",
      id: "UUID",
      last_seen: "BIGINT",
      first_seen: "BIGINT",
      sessions_count: "INTEGER",
      completed_count: "INTEGER",
      visits_count: "INTEGER",
      orders_count: "INTEGER",
      has_email: "BOOLEAN",
      has_phone: "BOOLEAN",
      has_consent: "BOOLEAN",
    },
  };
}

/**
 * What a session did comes as the text that its slice wrote for it, and NULL where that is too large. Contacts are not in it:
 * of them a copy only needs to know that they were given.
 */
export function sessionsOf(extent: Extent): CopiedRows {
  return {
    query: `SELECT s.number, s.id, p.number, s.quiz_id, v.number, s.visitor_id, ${ms("s.opened_at")},
        ${ms("s.started_at")}, ${ms("s.completed_at")}, ${ms("s.ended_at")}, s.status, s.channel, s.device_class, s.country,
        s.is_returning, s.placement, s.page_url, s.referrer_host, s.utm_source, s.utm_medium, s.utm_campaign,
        s.utm_content, s.utm_term, CASE WHEN ${fits} THEN s.facts END, CASE WHEN ${fits} THEN s.texts END
      FROM sessions s JOIN quiz_versions v ON v.store_id = s.store_id AND v.id = s.version_id
      LEFT JOIN profiles p ON p.store_id = s.store_id AND p.id = s.profile_id AND p.removed_at IS NULL
      WHERE s.store_id = ${uuidLiteral(extent.storeId)} AND NOT s.preview ${changed(extent, "session", "s.id")}`,
    columns: {
      session: "BIGINT",
      id: "UUID",
      person: "BIGINT",
      quiz_id: "UUID",
      version: "INTEGER",
      visitor: "UUID",
      opened: "BIGINT",
      started: "BIGINT",
      completed: "BIGINT",
      ended: "BIGINT",
      status: "VARCHAR",
      channel: "VARCHAR",
      device: "VARCHAR",
      country: "VARCHAR",
      is_returning: "BOOLEAN",
      placement: "VARCHAR",
      page_url: "VARCHAR",
      referrer_host: "VARCHAR",
      utm_source: "VARCHAR",
      utm_medium: "VARCHAR",
      utm_campaign: "VARCHAR",
      utm_content: "VARCHAR",
      utm_term: "VARCHAR",
      facts: "VARCHAR",
      texts: "VARCHAR",
    },
  };
}

const ordersFrom = (extent: Extent) => `
  JOIN stores t ON t.id = o.store_id
  LEFT JOIN sessions s ON s.store_id = o.store_id AND s.id = o.session_id AND NOT s.preview
  WHERE o.store_id = ${uuidLiteral(extent.storeId)} AND o.cancelled_at IS NULL ${changedOrders(extent)}`;

/** Should the store's currency change, the copy is built anew (`stepFrom` of sync.ts): it decides about every order. */
const orderFacts = `s.number, s.quiz_id, ${ms("o.created_at")},
  CASE WHEN s.id IS NOT NULL THEN ${ms("o.created_at")} - ${ms("s.started_at")} END,
  CASE WHEN s.id IS NOT NULL THEN o.matched_tier END, o.currency = t.currency,
  s.channel, s.device_class, s.country, s.is_returning, s.status`;

const orderColumns = {
  id: "UUID",
  session: "BIGINT",
  quiz_id: "UUID",
  created: "BIGINT",
  after_start_ms: "BIGINT",
  tier: "VARCHAR",
  in_currency: "BOOLEAN",
  // its session's
  channel: "VARCHAR",
  device: "VARCHAR",
  country: "VARCHAR",
  is_returning: "BOOLEAN",
  status: "VARCHAR",
} as const;

export function ordersOf(extent: Extent): CopiedRows {
  return {
    query: `SELECT o.id, ${orderFacts}, round(o.total, 4), ${ms("o.created_at")} - ${ms("s.completed_at")},
        ${ms("o.created_at")} - ${ms("s.ended_at")} FROM orders o ${ordersFrom(extent)}`,
    columns: { ...orderColumns, total: "DECIMAL(38, 4)", after_completed_ms: "BIGINT", after_ended_ms: "BIGINT" },
  };
}

/** Only of orders that come from a quiz: nothing is asked of the others' lines. */
export function linesOf(extent: Extent): CopiedRows {
  return {
    query: `SELECT o.id, ${orderFacts}, l.product_id, l.title, l.quantity, round(l.amount, 4), l.bucket
      FROM orders o JOIN order_lines l ON l.store_id = o.store_id AND l.order_id = o.id ${ordersFrom(extent)}
        AND s.id IS NOT NULL`,
    columns: {
      ...orderColumns,
      product_id: "VARCHAR",
      title: "VARCHAR",
      units: "INTEGER",
      amount: "DECIMAL(38, 4)",
      bucket: "VARCHAR",
    },
  };
}

export interface TakenVersion {
  quizId: string;
  number: number;
}

/** The documents of versions, to read their keys and labels from. */
export function documentsOf(storeId: string, versions: readonly TakenVersion[]): string {
  const wanted = versions
    .map(({ quizId, number }) => `(${uuidLiteral(quizId)}, ${revisionLiteral(number)})`)
    .join(", ");
  return `SELECT v.quiz_id, v.number, v.document FROM quiz_versions v
    WHERE v.store_id = ${uuidLiteral(storeId)} AND (v.quiz_id, v.number) IN (VALUES ${wanted})`;
}
