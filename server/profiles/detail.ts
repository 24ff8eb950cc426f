import { getProfile, type ProfileSession } from "../../contract/profiles.ts";
import { type Calendar, isoTime } from "../platform/clock.ts";
import type { StoreRunner } from "../platform/database/sql.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import { formatId, parseId } from "../platform/ids.ts";
import { notFound } from "../platform/problems.ts";
import { type CompiledVersion, quizNames, type VersionCache } from "../quizzes/public.ts";
import { type ShownCatalog, shownCatalog } from "../sessions/public.ts";
import { orderBody, ordersListed, readOrders, sessionOrder } from "./detail-orders.ts";
import {
  type IdentityRow,
  type ResultRow,
  readIdentities,
  readLatestResults,
  readPerson,
  readSessions,
  type SessionRow,
  sessionsListed,
} from "./detail-read.ts";
import { personFields } from "./person-row.ts";
import { collectKeys, latestResult } from "./results.ts";
import { readWordings, type Wording, type WordingKeys } from "./wording.ts";

/** GET /v1/profiles/{profile_id} [people.detail]. */
export const getProfileRoute = (deps: { calendar: Calendar; versions: VersionCache }) =>
  readRoute(getProfile, async ({ caller, params }, db) => {
    const { store } = caller;
    const id = pathId((text) => parseId("prof", text), params["profile_id"]);
    const person = await readPerson(db, id);
    if (!person) throw notFound();
    const identities = await readIdentities(db, id);
    const foundSessions = await readSessions(db, id);
    const sessions = foundSessions.slice(0, sessionsListed);
    const results = await readLatestResults(db, id);
    const foundOrders = await readOrders(db, id);
    const orders = foundOrders.slice(0, ordersListed);
    const ordersOf = Map.groupBy(orders, (order) => order.session_id);
    const around = await readSurroundings(db, deps.versions, sessions, results);
    return {
      ...personFields(person),
      quizzes_taken_count: person.quiz_ids.length,
      removed_at: null,
      returning_count: Math.max(0, person.visits_count - 1),
      identities: identities.map(identityBody),
      latest_results: results.map((row) => {
        const { name, version, wording } = around.of(row);
        const { products } = around;
        return latestResult(row, { quizName: name, version, wording, products, currency: store.currency });
      }),
      orders: orders.map(orderBody),
      sessions: sessions.map((row) => ({
        ...sessionBody(row, around.of(row), deps.calendar.now()),
        order: sessionOrder(ordersOf.get(row.id), row),
      })),
      truncated: foundSessions.length > sessions.length || foundOrders.length > orders.length,
    };
  });

const identityBody = ({ kind, value, consent, first_seen_at, last_seen_at }: IdentityRow) => ({
  kind,
  value,
  consent,
  first_seen_at: first_seen_at && isoTime(first_seen_at),
  last_seen_at: last_seen_at && isoTime(last_seen_at),
});

interface QuizOfSession {
  name: string;
  /** the version that was taken; null if it no longer exists */
  version: CompiledVersion | null;
  wording: Wording;
}

interface Surroundings {
  of(session: { quiz_id: string; version_id: string }): QuizOfSession;
  products: ShownCatalog["products"];
}

/** Everything that the sessions and results refer to, each item read once. */
async function readSurroundings(
  db: StoreRunner,
  cache: VersionCache,
  sessions: readonly SessionRow[],
  results: readonly ResultRow[],
): Promise<Surroundings> {
  const keysByQuiz = new Map<string, WordingKeys>();
  const keysOf = (quizId: string): WordingKeys => {
    const keys = keysByQuiz.get(quizId) ?? { pages: new Set(), questions: new Set(), options: [] };
    keysByQuiz.set(quizId, keys);
    return keys;
  };
  for (const { quiz_id, last_page_key } of sessions) {
    const keys = keysOf(quiz_id);
    if (last_page_key !== null) keys.pages.add(last_page_key);
  }
  for (const { quiz_id, state } of results) collectKeys(state, keysOf(quiz_id));
  const names = await quizNames(db, [...keysByQuiz.keys()]);
  const wordings = await readWordings(db, cache, keysByQuiz);
  const versions = new Map<string, CompiledVersion | null>();
  for (const id of new Set([...sessions, ...results].map((session) => session.version_id))) {
    versions.set(id, await cache.get(db, id));
  }
  const shown = results.flatMap(({ state }) => state.shown.map((product) => product.product_id));
  return {
    of: ({ quiz_id, version_id }) => {
      const wording = wordings.get(quiz_id);
      if (!wording) throw new Error("the quiz of a session was not read");
      return { name: names.get(quiz_id) ?? "", version: versions.get(version_id) ?? null, wording };
    },
    products: await shownCatalog(db, [...new Set(shown)]),
  };
}

/**
 * A session that has been idle for 30 minutes is shown as left, even if the sweep has not updated its row yet
 * [people.sessions].
 */
function sessionBody(
  row: SessionRow,
  { name, version, wording }: QuizOfSession,
  now: number,
): Omit<ProfileSession, "order"> {
  const timedOut = row.status === "in_progress" && row.idle_at !== null && row.idle_at <= now;
  const endedAt = timedOut ? row.idle_at : row.ended_at;
  const placed = row.last_page_key === null ? undefined : version?.quiz.pages.get(row.last_page_key);
  const page = row.last_page_key === null ? undefined : wording.page(row.last_page_key);
  return {
    session_id: formatId("sess", row.id),
    quiz_id: formatId("quiz", row.quiz_id),
    quiz_name: name,
    started_at: isoTime(row.started_at ?? row.opened_at),
    channel: row.channel,
    device_class: row.device_class,
    status: timedOut ? "left" : row.status,
    completed_at: row.completed_at && isoTime(row.completed_at),
    ended_at: endedAt === null ? null : isoTime(endedAt),
    country: row.country,
    last_page_key: row.last_page_key,
    last_page_title: page?.page.title ?? null,
    last_page_position: placed ? placed.index + 1 : null,
    page_count: version?.document.pages.length ?? null,
    version_number: version?.number ?? null,
    pages_visited: row.pages_visited,
    returning: row.is_returning,
  };
}
