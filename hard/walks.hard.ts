import { setTimeout as pause } from "node:timers/promises";
import type { Client, ListOf } from "../journeys/http.ts";
import { openOwnApi } from "../testkit/own-api.ts";
import { openHardShop } from "./shops.ts";
import { type HardRun, type HardSuite, sized } from "./suite.ts";
import { WalkedStore } from "./walk-changes.ts";

/**
 * Walks through every list that has cursors, with random limits, while rows are added, changed and deleted
 * [api.paging]: rows that were there all the time are seen once, none twice, and none that was added after the first
 * page.
 */

type Row = { id: string; email?: string | null; created?: string; created_at?: string; requested_at?: string };

interface Route {
  name: string;
  page: (api: Client, query: string) => Promise<{ status: number; text: string; body: ListOf<Row> }>;
}

const get =
  (path: string): Route["page"] =>
  (api, query) =>
    api.get<ListOf<Row>>(`${path}${path.includes("?") ? "&" : "?"}${query}`);

const routesOf = (quizId: string, endpointId: string): Route[] => [
  { name: "quizzes", page: get("/v1/quizzes") },
  { name: "quizzes, drafts", page: get("/v1/quizzes?status=draft&archived=false&include=latest_version") },
  { name: "versions", page: get(`/v1/quizzes/${quizId}/versions`) },
  { name: "people", page: get("/v1/profiles") },
  { name: "people with an email", page: get("/v1/profiles?has_email=true") },
  { name: "people by part of an email", page: get("/v1/profiles?q=example.com") },
  {
    name: "people found",
    page: (api, query) => api.post<ListOf<Row>>(`/v1/profiles/search?${query}`, { has_email: true, quiz_id: quizId }),
  },
  { name: "exports", page: get("/v1/exports") },
  { name: "endpoints", page: get("/v1/webhooks") },
  { name: "deliveries", page: get(`/v1/webhooks/${endpointId}/deliveries`) },
  { name: "events", page: get("/v1/events") },
  { name: "events of a topic", page: get("/v1/events?type=profile.created") },
];

interface Walked {
  rows: Row[];
  pages: number;
  /** calendar ms of the first page */
  firstAt: number;
  /** elapsed ms of the first page */
  firstElapsed: number;
  /** number of rows on the first page */
  first: number;
}

async function walk(store: WalkedStore, route: Route, limitOf: () => number, now: () => number): Promise<Walked> {
  const walked: Walked = { rows: [], pages: 0, firstAt: 0, firstElapsed: 0, first: 0 };
  for (let cursor: string | null = null; ; ) {
    const query: string = `limit=${limitOf()}${cursor === null ? "" : `&cursor=${cursor}`}`;
    const answer = await route.page(store.api, query);
    if (answer.status !== 200) throw new Error(`${route.name} ${query}: ${answer.status} ${answer.text}`);
    walked.rows.push(...answer.body.data);
    walked.pages += 1;
    if (walked.pages === 1)
      Object.assign(walked, { firstAt: now(), firstElapsed: performance.now(), first: walked.rows.length });
    cursor = answer.body.next_cursor;
    if (cursor === null) return walked;
  }
}

const createdAt = ({ created, created_at, requested_at }: Row): number | null => {
  const text = created ?? created_at ?? requested_at;
  return text === undefined ? null : Date.parse(text);
};

/** What is wrong with a walk, given the rows listed before anything changed. Pure. */
function mistakesIn(
  { rows, first, firstAt, firstElapsed }: Walked,
  before: readonly Row[],
  { unsteady, people }: Pick<WalkedStore, "unsteady" | "people">,
): string[] {
  const seen = new Map<string, number>();
  for (const { id } of rows) seen.set(id, (seen.get(id) ?? 0) + 1);
  const steady = before.filter(({ id, email }) => !unsteady.has(id) && !unsteady.has(email ?? ""));
  const missed = steady.filter(({ id }) => !seen.has(id)).length;
  const twice = [...seen.values()].filter((count) => count > 1).length;
  const isLate = (row: Row) => (createdAt(row) ?? 0) > firstAt || (people.get(row.email ?? "") ?? 0) > firstElapsed;
  const late = rows.slice(first).filter(isLate).length;
  return [
    ...(missed > 0 ? [`${missed} of ${steady.length} rows that stayed were missed`] : []),
    ...(twice > 0 ? [`${twice} rows were seen twice`] : []),
    ...(late > 0 ? [`${late} rows came after the first page and were seen all the same`] : []),
  ];
}

const changesPerRound = 150;

async function run(hard: HardRun): Promise<readonly string[]> {
  const api = await openOwnApi();
  hard.atEnd(() => api.close());
  const shop = await openHardShop(api.opened, { limits: { webhook_endpoints: 1_000 } });
  const store = await WalkedStore.open(api, shop, sized(hard, 150, 12));
  const now = () => api.opened.calendar.now();
  const routes = routesOf(shop.quizId, store.endpointId);
  const before = new Map<Route, Row[]>();
  for (const route of routes) before.set(route, (await walk(store, route, () => 100, now)).rows);
  const failures: string[] = [];
  const walks = sized(hard, 30);
  let changing = true;
  // a fixed number per round, however long it takes: additions make the next round longer, and a slow machine would
  // never finish
  let allowed = 0;
  const change = async () => {
    while (changing) {
      if (store.changes + store.refused < allowed) await store.change(hard.random);
      await pause(20);
    }
  };
  const changers = [change(), change(), change()];
  let [pages, rows] = [0, 0];
  for (let round = 0; round < walks; round += 1) {
    allowed += changesPerRound;
    const most = 1 + Math.floor(hard.random() * 40);
    const limitOf = () => 1 + Math.floor(hard.random() * most);
    const all = await Promise.all(
      routes.map(async (route) => ({ route, walked: await walk(store, route, limitOf, now) })),
    );
    for (const { route, walked } of all) {
      pages += walked.pages;
      rows += walked.rows.length;
      const mistakes = mistakesIn(walked, before.get(route) ?? [], store);
      failures.push(...mistakes.map((mistake) => `walk ${round} of ${route.name}, limit up to ${most}: ${mistake}`));
    }
  }
  changing = false;
  await Promise.all(changers);
  hard.say(
    `${walks} walks through each of ${routes.length} lists, ${pages} pages, ${rows} rows, beside ${store.changes} changes (${store.refused} refused)`,
  );
  if (store.refused > store.changes) failures.push(`${store.refused} changes were refused`);
  return failures;
}

export const suite: HardSuite = {
  name: "walks",
  what: "walks through every list with cursors see each row that stays once, whatever comes, changes and goes",
  short: 0.05,
  run,
};
