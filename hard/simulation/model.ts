import type { World as ToldWorld } from "../../testkit/analytics-model/asked.ts";
import type { History } from "../../testkit/analytics-model/history.ts";
import { tellOrders } from "../../testkit/analytics-model/orders.ts";
import { tellSessions } from "../../testkit/analytics-model/sessions.ts";
import { inSeq, type Shop } from "./ledger.ts";

/** The ledger in the form of the naive models. */
export function tellShop(shop: Shop, now: number): ToldWorld {
  const history: History = {
    now,
    quiet: 0,
    currency: "USD",
    windowDays: 30,
    quizzes: shop.quizzes.map(({ id, name, versions, deleted }) => ({
      id,
      name,
      versions: versions.map((version) => ({ id: version.id, document: version.edition.document })),
      publishedAt: versions.map((version) => version.publishedAt),
      deleted,
    })),
    imported: false,
    sessions: shop.arrived.map((session) => ({
      id: session.id,
      visitor: session.visitor,
      quiz: shop.quizzes.indexOf(session.quiz),
      version: session.version + 1,
      ...session.facts,
      region: null,
      preview: session.preview,
      events: inSeq(session.kept.values()),
      firstDelivery: session.kept.size,
    })),
    orders: [...shop.orders.values()],
    catalog: [],
  };
  const sessions = tellSessions(history);
  const persons = new Map(
    shop.arrived.map(({ id, person }) => [id, person === null ? null : (shop.people.sessions[person]?.person ?? null)]),
  );
  const people = {
    holder: (contact: string) => shop.people.people.find((person) => person.contacts.has(contact)),
    of: ({ given }: { given: { id: string } }) => persons.get(given.id) ?? null,
  };
  return { history, sessions, orders: tellOrders(history, sessions, people) };
}
