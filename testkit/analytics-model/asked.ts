import { byFilter, type FilterName, type SplitName } from "../../contract/analytics-filters.ts";
import { dayOf } from "./days.ts";
import type { History } from "./history.ts";
import { type ToldOrder, tellOrders } from "./orders.ts";
import { tellSessions, type WebhookSession } from "./sessions.ts";

/** A history in the terms of the figures. */
export interface World {
  history: History;
  sessions: WebhookSession[];
  orders: ToldOrder[];
}

export function tellWorld(history: History): World {
  const sessions = tellSessions(history);
  return { history, sessions, orders: tellOrders(history, sessions) };
}

export type Filters = Record<FilterName, string | null>;

export const noFilters: Filters = byFilter(() => null);

export interface Question {
  /** index into the history's quizzes; null: the store */
  quiz: number | null;
  /** `YYYY-MM-DD`, both included */
  from: string;
  to: string;
  tz: string;
  filters: Filters;
}

export type Linked = ToldOrder & { session: WebhookSession };

/** The data of a question: sessions that pass its filters, and the orders linked to them. */
export interface Scope {
  world: World;
  asked: Question;
  sessions: WebhookSession[];
  orders: Linked[];
  /** whether it happened on a day of the range */
  inRange(at: number | null): at is number;
}

export function scopeOf(world: World, asked: Question): Scope {
  const passes = (session: WebhookSession) =>
    (asked.quiz === null || session.given.quiz === asked.quiz) &&
    Object.entries(asked.filters).every(
      ([name, wanted]) => wanted === null || wanted === groupOf(session, name as keyof Filters),
    );
  return {
    world,
    asked,
    sessions: world.sessions.filter(passes),
    orders: world.orders.filter((order): order is Linked => order.session !== null && passes(order.session)),
    inRange: (at): at is number => {
      if (at === null) return false;
      const day = dayOf(at, asked.tz);
      return asked.from <= day && day <= asked.to;
    },
  };
}

/** A session's value in a filter or a breakdown [analytics.filters, figures.breakdown]. */
export function groupOf(session: WebhookSession, name: SplitName): string {
  const { given, isNew } = session;
  switch (name) {
    case "outcome":
      return outcomeOf(session) ?? "none";
    case "channel":
      return given.channel;
    case "device":
      return given.browser.device;
    case "new_returning":
      return isNew ? "new" : "returning";
    case "country":
      return given.country ?? "unknown";
    case "region":
      return regionOf(given);
  }
}

/** The result of a finish on a result page, as its version has it; null: there was none [figures.outcomes]. */
export function outcomeOf({ document, completed, exit }: WebhookSession): string | null {
  const page = completed === null ? undefined : document.pages.find(({ page_key }) => page_key === exit?.page);
  return page?.kind === "result" ? (page.outcome?.dimension_id ?? `page:${page.page_key}`) : null;
}

/** The code that the proxy sent, with or without its country; names and longer codes are unknown [figures.region]. */
function regionOf({ country, region }: WebhookSession["given"]): string {
  const code = region?.toUpperCase().split("-").at(-1) ?? "";
  const sent = [code, `${country}-${code}`].includes(region?.toUpperCase() ?? "");
  return country !== null && sent && /^[A-Z0-9]{1,3}$/.test(code) ? `${country}-${code}` : "unknown";
}

/** The same question about a single day of its range. */
export const onDay = (scope: Scope, day: string): Scope => ({
  ...scope,
  asked: { ...scope.asked, from: day, to: day },
  inRange: (at): at is number => at !== null && dayOf(at, scope.asked.tz) === day,
});

/** The fields with which every answer about one store or quiz repeats its question. */
export function echo({ asked }: Scope, days: number) {
  const { from, to, tz, filters } = asked;
  return { range: { days, start: from, end: to, timezone: tz }, filters };
}
