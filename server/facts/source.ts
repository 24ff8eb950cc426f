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
}

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

function changed({ storeId, since }: Extent, kind: "session" | "profile", column: string): string {
  if (since === null) return "";
  return `AND ${column} IN (SELECT c.id FROM changes c WHERE c.store_id = ${uuidLiteral(storeId)}
    AND c.revision > ${revisionLiteral(since)} AND c.kind = '${kind}')`;
}

/** What changed, whether it is still there or not; `number` is null for what is gone. */
export function changesSince(storeId: string, since: number): CopiedRows {
  const store = uuidLiteral(storeId);
  return {
    query: `SELECT DISTINCT c.kind, c.id, coalesce(s.number, p.number)
      FROM changes c
      LEFT JOIN sessions s ON s.store_id = c.store_id AND s.id = c.id AND c.kind = 'session'
      LEFT JOIN profiles p ON p.store_id = c.store_id AND p.id = c.id AND c.kind = 'profile' AND p.removed_at IS NULL
      WHERE c.store_id = ${store} AND c.revision > ${revisionLiteral(since)} AND c.kind IN ('session', 'profile')`,
    columns: { kind: "VARCHAR", id: "UUID", number: "BIGINT" },
  };
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

/** The state is opened once a row: each look into it would decompress the whole of it again. */
export function sessionsOf(extent: Extent): CopiedRows {
  const finished = (value: string) => `CASE WHEN s.completed_at IS NOT NULL THEN ${value} END`;
  return {
    query: `SELECT s.number, s.id, p.number, s.quiz_id, v.number, s.visitor_id, ${ms("s.opened_at")},
        ${ms("s.started_at")}, ${ms("s.completed_at")}, ${ms("s.ended_at")}, s.status, r.last_page_key,
        ${finished("r.outcome -> 'winner' ->> 'dimension_id'")}, ${finished("r.outcome -> 'points'")},
        ${finished("r.outcome -> 'formulas'")}
      FROM sessions s JOIN quiz_versions v ON v.store_id = s.store_id AND v.id = s.version_id 
      LEFT JOIN profiles p ON p.store_id = s.store_id AND p.id = s.profile_id AND p.removed_at IS NULL
      CROSS JOIN LATERAL jsonb_to_record(s.state) AS r (last_page_key text, outcome jsonb)
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
      last_page_key: "VARCHAR",
      winner_id: "VARCHAR",
      points: "VARCHAR",
      formulas: "VARCHAR",
    },
  };
}

/**
 * Contacts stay behind: of them a copy only needs to know that they were given. Person and quiz are found again by the
 * session's number.
 */
export function answersOf(extent: Extent): CopiedRows {
  return {
    query: `SELECT s.number, a.page_key, a.component_key, a.kind, a.option_ids,
        CASE WHEN a.kind IN ('text', 'number', 'date') THEN a.value END
      FROM sessions s CROSS JOIN LATERAL jsonb_to_recordset(s.state -> 'answers')
        AS a (component_key text, page_key text, kind text, option_ids jsonb, value text)
      WHERE s.store_id = ${uuidLiteral(extent.storeId)} AND NOT s.preview ${changed(extent, "session", "s.id")}`,
    columns: {
      session: "BIGINT",
      page_key: "VARCHAR",
      component_key: "VARCHAR",
      kind: "VARCHAR",
      option_ids: "VARCHAR",
      value: "VARCHAR",
    },
  };
}

export interface TakenVersion {
  quizId: string;
  number: number;
}

/** What options and dimensions were called in these versions. */
export function labelsOf(storeId: string, versions: readonly TakenVersion[]): CopiedRows {
  const wanted = versions
    .map(({ quizId, number }) => `(${uuidLiteral(quizId)}, ${revisionLiteral(number)})`)
    .join(", ");
  const ofVersions = `v.store_id = ${uuidLiteral(storeId)} AND (v.quiz_id, v.number) IN (VALUES ${wanted})`;
  return {
    query: `SELECT DISTINCT v.quiz_id, c.value ->> 'component_key', o.value ->> 'option_id', o.value ->> 'label'
      FROM quiz_versions v CROSS JOIN LATERAL jsonb_array_elements(v.document -> 'pages') p
      CROSS JOIN LATERAL jsonb_array_elements(p.value -> 'components') c
      CROSS JOIN LATERAL jsonb_array_elements(c.value -> 'options') o
      WHERE ${ofVersions} AND jsonb_typeof(c.value -> 'options') = 'array'
      UNION ALL
      SELECT DISTINCT v.quiz_id, NULL, d.value ->> 'dimension_id', d.value ->> 'name'
      FROM quiz_versions v CROSS JOIN LATERAL jsonb_array_elements(v.document -> 'dimensions') d
      WHERE ${ofVersions}`,
    columns: { quiz_id: "UUID", component_key: "VARCHAR", option_id: "VARCHAR", label: "VARCHAR" },
  };
}
