import { getProfileTimeline, type TimelineEntry } from "../../contract/dashboard/shoppers.ts";
import type { AnswerSaved, PageEntered, ProductAdded, ProductsShown } from "../../contract/storefront.ts";
import { isoTime } from "../platform/clock.ts";
import { cutPage, older, type Place, readCursor } from "../platform/cursors.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { type DashboardRoute, memberRoute } from "../platform/http/dashboard.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import { formatId, parseId } from "../platform/ids.ts";
import { minorUnits, moneyFromMinor } from "../platform/money.ts";
import { notFound } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";
import { quizNames, type VersionCache } from "../quizzes/public.ts";
import { answerInWords, type ShownCatalog, shownCatalog } from "../sessions/public.ts";
import { readPerson } from "./detail-read.ts";
import { readWordings, type Wording, type WordingKeys } from "./wording.ts";

/**
 * A person's activities in order [dashboard-api.timeline]. Pages break only between sessions and orders, so that each
 * session is complete. Texts are those of the quiz's current version.
 */

interface ActivityRow {
  id: string;
  kind: "session" | "order";
  at: Date;
  quiz_id: string | null;
  session_id: string | null;
  ended_at: Date | null;
  status: string | null;
  gid: string | null;
  name: string | null;
  currency: string | null;
  total: string | null;
}

const readActivities = (
  db: StoreRunner,
  profileId: string,
  after: Place | null,
  atMost: number,
): Promise<ActivityRow[]> =>
  db.all(sql<ActivityRow>`
    SELECT * FROM (
      SELECT s.id, 'session' AS kind, date_trunc('milliseconds', coalesce(s.started_at, s.opened_at)) AS at, s.quiz_id,
        s.id AS session_id, s.ended_at, s.status, NULL AS gid, NULL AS name, NULL AS currency, NULL::text AS total
      FROM sessions s WHERE s.store_id = ${ownStore} AND s.profile_id = ${profileId} AND NOT s.preview
      UNION ALL
      SELECT o.id, 'order', date_trunc('milliseconds', o.created_at), m.quiz_id, m.id, NULL, NULL, o.gid, o.name,
        o.currency, o.total::text
      FROM orders o
      LEFT JOIN sessions m ON m.store_id = ${ownStore} AND m.id = o.session_id AND m.profile_id = o.profile_id
      WHERE o.store_id = ${ownStore} AND o.profile_id = ${profileId} AND o.cancelled_at IS NULL
    ) AS activities
    WHERE true ${older(after, "at, id")} ORDER BY at DESC, id DESC LIMIT ${atMost}`);

interface EventRow {
  id: string;
  session_id: string;
  at: Date;
  type: string;
  data: Record<string, unknown>;
}

/** For all sessions of a page together. A session has at most 300 events, except imported history. */
const eventsAtMost = 5_000;

const readEvents = (db: StoreRunner, sessionIds: readonly string[]): Promise<EventRow[]> =>
  db.all(sql<EventRow>`
    SELECT id, session_id, at, type, data FROM session_events
    WHERE store_id = ${ownStore} AND session_id = ANY (${sessionIds}::uuid[])
    ORDER BY session_id, seq, id LIMIT ${eventsAtMost}`);

interface Surroundings extends ShownCatalog {
  quizOf: ReadonlyMap<string, string>;
  names: ReadonlyMap<string, string>;
  wordings: ReadonlyMap<string, Wording>;
}

function keysIn(events: readonly EventRow[], quizOf: ReadonlyMap<string, string>): Map<string, WordingKeys> {
  const keysByQuiz = new Map<string, WordingKeys>();
  for (const { session_id, data } of events) {
    const quizId = quizOf.get(session_id);
    if (quizId === undefined) continue;
    const keys = keysByQuiz.get(quizId) ?? { pages: new Set(), questions: new Set(), options: [] };
    keysByQuiz.set(quizId, keys);
    const { page_key: page, component_key: question, option_ids: options } = data as Partial<AnswerSaved>;
    if (typeof page === "string") keys.pages.add(page);
    if (typeof question !== "string") continue;
    keys.questions.add(question);
    for (const option of options ?? []) keys.options.push([question, option]);
  }
  return keysByQuiz;
}

async function readSurroundings(
  db: StoreRunner,
  versions: VersionCache,
  events: readonly EventRow[],
  { activities, currency }: { activities: readonly ActivityRow[]; currency: string },
): Promise<Surroundings> {
  const quizOf = new Map(activities.flatMap(({ session_id: id, quiz_id }) => (id && quiz_id ? [[id, quiz_id]] : [])));
  const shown = events.flatMap(({ type, data }) => {
    if (type === "products_shown") return (data as ProductsShown).products.map((each) => each.product_id);
    return type === "product_added" ? [(data as ProductAdded).product_id] : [];
  });
  return {
    quizOf,
    currency,
    names: await quizNames(db, [...new Set(quizOf.values())]),
    wordings: await readWordings(db, versions, keysIn(events, quizOf)),
    products: await shownCatalog(db, [...new Set(shown)]),
  };
}

const blank = {
  ...{ session_id: null, quiz_id: null, quiz_name: null, page_key: null, page_title: null, cause: null },
  ...{ question: null, values: null, erased: false, products: [], order: null },
} satisfies Partial<TimelineEntry>;

type ProductBody = TimelineEntry["products"][number];

function productBody(
  { product_id, variant_id = null }: { product_id: string; variant_id?: string | null | undefined },
  quantity: number | null,
  { products, currency }: Surroundings,
): ProductBody {
  const product = products.get(product_id);
  const variant = product?.variants.find((each) => each.variant_id === variant_id);
  const price = (variant_id === null ? product?.variants[0] : variant)?.price ?? null;
  return {
    product_id,
    variant_id,
    title: product?.title ?? null,
    variant_title: variant?.title ?? null,
    image: product?.image ?? null,
    price: price === null ? null : moneyFromMinor(minorUnits(price, currency), currency),
    quantity,
  };
}

function answerFields(data: AnswerSaved & { erased?: boolean }, wording: Wording | undefined) {
  const { component_key: key, option_ids: options, other_text: written, value = null, erased = false } = data;
  const question = wording?.question(key)?.component.question ?? key;
  if (erased) return { question, values: null, erased };
  if (options) {
    const values = options.map((id) => {
      const option = wording?.option(key, id);
      const label = option?.label ?? id;
      return option?.other && written?.trim() ? `${label}: ${written}` : label;
    });
    return { question, values, erased };
  }
  if (value === null || Array.isArray(value)) return { question, values: [], erased };
  const answer = typeof value === "object" ? { value: { date: value.date, time: value.time ?? null } } : { value };
  return { question, values: answerInWords(answer as Parameters<typeof answerInWords>[0]), erased };
}

/** The timeline entry of an event; null if the event is not shown. */
function entryOf({ id, session_id, at, type, data }: EventRow, around: Surroundings): TimelineEntry | null {
  const quizId = around.quizOf.get(session_id);
  const wording = quizId === undefined ? undefined : around.wordings.get(quizId);
  const { page_key: pageKey = null } = data as Partial<PageEntered>;
  const common = {
    ...blank,
    id: formatId("evt", id),
    at: isoTime(at),
    session_id: formatId("sess", session_id),
    quiz_id: quizId === undefined ? null : formatId("quiz", quizId),
    quiz_name: quizId === undefined ? null : (around.names.get(quizId) ?? null),
    page_key: pageKey,
    page_title: pageKey === null ? null : (wording?.page(pageKey)?.page.title ?? null),
  };
  if (type === "quiz_opened") return { ...common, kind: "opened" };
  if (type === "page_entered") return { ...common, kind: "page", cause: (data as PageEntered).cause };
  if (type === "answer_saved") return { ...common, kind: "answered", ...answerFields(data as AnswerSaved, wording) };
  if (type === "products_shown") {
    const products = (data as ProductsShown).products.map((each) => productBody(each, null, around));
    return { ...common, kind: "shown", products };
  }
  if (type === "product_added") {
    const added = data as ProductAdded;
    return { ...common, kind: "added", products: [productBody(added, added.quantity, around)] };
  }
  return type === "quiz_finished" ? { ...common, kind: "finished" } : null;
}

function activityEntry(activity: ActivityRow, around: Surroundings): TimelineEntry[] {
  const common = {
    ...blank,
    session_id: activity.session_id && formatId("sess", activity.session_id),
    quiz_id: activity.quiz_id && formatId("quiz", activity.quiz_id),
    quiz_name: activity.quiz_id && (around.names.get(activity.quiz_id) ?? null),
  };
  if (activity.kind === "session") {
    if (activity.status !== "left" || activity.ended_at === null) return [];
    return [{ ...common, id: `left_${activity.id}`, at: isoTime(activity.ended_at), kind: "left" }];
  }
  const { gid, name, currency, total } = activity;
  if (gid === null || currency === null || total === null) return [];
  const order = { order_id: gid, order_name: name, amount: moneyFromMinor(minorUnits(total, currency), currency) };
  return [{ ...common, id: `order_${activity.id}`, at: isoTime(activity.at), kind: "order", order }];
}

export const timelineRoute = ({ secrets, versions }: { secrets: Secrets; versions: VersionCache }): DashboardRoute =>
  memberRoute(
    readRoute(getProfileTimeline, async ({ caller, params, query: { cursor, limit = 10 } }, db) => {
      const profileId = pathId((text) => parseId("prof", text), params["profile_id"]);
      const binding = { storeId: db.storeId, route: getProfileTimeline.id, filters: [profileId] };
      const after = cursor === undefined ? null : readCursor(secrets, binding, cursor);
      if (!(await readPerson(db, profileId))) throw notFound();
      const found = await readActivities(db, profileId, after, limit + 1);
      const placeOf = ({ at, id }: ActivityRow): Place => ({ at: at.getTime(), id });
      const { rows: activities, ...more } = cutPage(found, limit, secrets, binding, placeOf);
      const sessionIds = activities.flatMap(({ kind, id }) => (kind === "session" ? [id] : []));
      const events = await readEvents(db, sessionIds);
      const around = await readSurroundings(db, versions, events, { activities, currency: caller.store.currency });
      const entries = [
        ...activities.flatMap((activity) => activityEntry(activity, around)),
        // reversed: of two entries at the same moment the later comes first, like everything else
        ...events.map((event) => entryOf(event, around)).reverse(),
      ];
      const data = entries.filter((entry) => entry !== null).sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
      return { data, ...more };
    }),
  );
